"""The report: one page of Markdown, and the same as HTML, with its pictures inside."""

import re
from collections.abc import Mapping, Sequence

import pandas as pd
from rich.table import Table

from explorative_user_env.display.figures import as_data_uri, can_plot
from explorative_user_env.display.numbers import share
from explorative_user_env.display.tables import markdown, new_table
from explorative_user_env.studies.paper.agreement import TOLERANCES
from explorative_user_env.studies.paper.reproduction import Reproduction
from explorative_user_env.studies.paper.verdicts import DECISIVE, VERDICTS, counted, decisive_of
from explorative_user_env.studies.report import pictures
from explorative_user_env.studies.report.sections import of_experiment, of_ladder, of_reasons


def glance(found: pd.DataFrame, titles: Mapping[str, str]) -> Table:
    """Return how many published figures agree, by experiment and agent, as a Rich table.

    Args:
        found: as from `verdicts`, of all experiments.
        titles: of the experiments, by name.
    """
    counts = counted(found, ["experiment", "agent", "figure"])
    cells = {
        (row["experiment"], row["agent"], row["figure"]): f"{row['agrees']} of {row['cells']}"
        for row in counts.to_dict("records")
    }
    lead = ("experiment", "agent")
    shown = new_table((*lead, *pictures.NAMES.values()), lead, padding=1, leading=len(lead))
    last = None
    for name, agent in dict.fromkeys((name, agent) for name, agent, _ in cells):
        figures = [cells.get((name, agent, figure), "") for figure in pictures.NAMES]
        shown.add_row("" if name == last else titles[name], agent, *figures)
        last = name
    return shown


def short_titles(reproductions: Sequence[Reproduction]) -> dict[str, str]:
    """Return what the paper calls the experiments, such as "Table 2", by name."""
    return {one.experiment.name: one.experiment.title.split(":")[0] for one in reproductions}


def report(reproductions: Sequence[Reproduction], ladder: pd.DataFrame | None, how: str) -> str:
    """Return the whole report as Markdown.

    Args:
        reproductions: what ran.
        ladder: as from `run_ladder`, None to leave it out.
        how: what ran with how many users, in a line.
    """
    judged = [one for one in reproductions if not one.found.empty]
    parts = ["# The paper's experiments, run again", how]
    if judged:
        found = pd.concat([one.found for one in judged], ignore_index=True)
        titles = short_titles(judged)
        parts += [
            "## At a glance",
            how_to_read(decisive_of(judged[0].summaries)),
            markdown(glance(found, titles)),
        ]
        if can_plot():
            address = as_data_uri(pictures.grid_of_verdicts(found, titles))
            parts.append(f"![Every published figure and its verdict]({address})")
        parts += ["## Reasons", of_reasons(found)]
    if ladder is not None:
        parts.append(of_ladder(ladder))
    parts += [of_experiment(one) for one in reproductions]
    return "\n\n".join(parts) + "\n"


def how_to_read(setting: str = DECISIVE) -> str:
    """Return what the verdicts under `setting` mean, with the tolerances in force."""
    time, rate = TOLERANCES["stopping_time"][""], TOLERANCES["rejection_rate"][""]
    by_agent = ", ".join(
        f"{share(tolerance.absolute)}{f' for {agent}' if agent else ''}"
        for agent, tolerance in TOLERANCES["success"].items()
    )
    return (
        f"Each published figure is judged under `{setting}`; the tables were made with `released`. "
        f"It *agrees* if ours is near it (stopping time within {time.relative:.0%}; rejection rate "
        f"within {rate.relative:.0%} or {100 * rate.absolute:.1f} points; success within "
        f"{by_agent}) or if our 95% interval holds it. It *cannot* be had where a reason is known "
        "and its test, made in the same run, holds. Else it *differs*, unexplained. The table "
        "counts what agrees; UNI and EXP3 are told their stopping times."
    )


STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 78rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 12.5px; display: block; overflow-x: auto; }
th, td { padding: .12rem .45rem; border-bottom: 1px solid #ddd; white-space: nowrap; }
img { max-width: 100%; }
"""


def as_html(markdown: str, title: str = "The paper's experiments, run again") -> str:
    """Return a page of Markdown as one HTML file, which needs no other."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render(markdown)
    said = "|".join(VERDICTS)
    body = re.sub(rf"<td([^>]*)>({said})", r'<td\1 class="\2">\2', body)
    colours = "".join(
        f"td.{verdict} {{ background: {colour}44; }}\n"
        for verdict, colour in pictures.COLOURS.items()
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n<style>{STYLE}{colours}</style>\n</head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    )
