"""The report: one page of Markdown, and the same as HTML, with its pictures inside."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from rich import box
from rich.table import Table

from explorative_user_env.evaluation.tables import markdown, markdown_table, share, with_error
from explorative_user_env.experiments.ladder import DIFFERENCES
from explorative_user_env.plotting import as_data_uri, can_plot

from . import pictures
from .agreement import TOLERANCES
from .reasons import REASONS
from .reproduction import Reproduction
from .verdicts import CANNOT, VERDICTS, counted

Rows = Sequence[Sequence[str]]


def table(header: Sequence[str], rows: Rows, n_words: int = 1) -> str:
    """Return a Markdown table whose first `n_words` columns are words, the others numbers."""
    return markdown_table(header, rows, [place >= n_words for place in range(len(header))])


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
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    for name in ("experiment", "agent"):
        shown.add_column(name)
    for name in pictures.NAMES.values():
        shown.add_column(name, justify="right")
    last = None
    for name, agent in dict.fromkeys((name, agent) for name, agent, _ in cells):
        figures = [cells.get((name, agent, figure), "") for figure in pictures.NAMES]
        shown.add_row("" if name == last else titles[name], agent, *figures)
        last = name
    return shown


def short_titles(reproductions: Sequence[Reproduction]) -> dict[str, str]:
    """Return what the paper calls the experiments, such as "Table 2", by name."""
    return {one.experiment.name: one.experiment.title.split(":")[0] for one in reproductions}


def of_experiment(reproduction: Reproduction) -> str:
    """Return the section of one experiment: its verdicts, figure by figure, and the evidence."""
    experiment = reproduction.experiment
    parts = [f"## {experiment.title}"]
    if experiment.drawn or reproduction.found.empty:
        for setting, summary in reproduction.summaries.items():
            if can_plot():
                address = as_data_uri(pictures.comparison(summary))
                parts.append(f"### {setting}\n\n![{experiment.title}, {setting}]({address})")
        if not reproduction.found.empty or experiment.data is None:
            parts.append(_plain_table(reproduction.summaries))
        return "\n\n".join(parts)
    parts.append(_verdict_table(reproduction))
    for key, evidence in reproduction.evidence.items():
        title = next(reason.title for reason in REASONS if reason.key == key)
        parts += [f"### Test of reason {key}: {title}", _evidence_table(evidence)]
    return "\n\n".join(parts)


def _verdict_table(reproduction: Reproduction) -> str:
    settings = list(reproduction.summaries)
    beside = ["paper", *settings, "verdict"]
    header = ["δ", "K", "agent"]
    for name in ("T", "rej. %", "success"):
        header += [f"{name}: {beside[0]}", *beside[1:]]
    found = reproduction.found.set_index(["delta", "n_arms", "agent", "figure"])
    rows = []
    for place in dict.fromkeys(index[:3] for index in found.index):
        row = [f"{place[0]:g}", str(place[1]), str(place[2])]
        for figure in pictures.NAMES:
            if (*place, figure) not in found.index:
                row += [""] * (len(settings) + 2)
                continue
            one = found.loc[(*place, figure)]
            row.append(_number(figure, one["published"]))
            row += [_with_interval(figure, one, setting) for setting in settings]
            row.append(f"{CANNOT}: {one['reason']}" if one["reason"] else one["verdict"])
        rows.append(row)
    return table(header, rows, 0)


def _plain_table(summaries: Mapping[str, pd.DataFrame]) -> str:
    header = ["δ", "K", "agent"]
    for name in ("T", "rej. %", "success"):
        header += [f"{name}: {setting}" for setting in summaries]
    rows = []
    columns = [summary.to_dict("records") for summary in summaries.values()]
    for both in zip(*columns, strict=True):
        row = [f"{both[0]['delta']:g}", str(both[0]["n_arms"]), both[0]["agent"]]
        for figure in pictures.NAMES:
            for one in both:
                ours = {f"ours{end}": one[f"{figure}{end}"] for end in ("", "_low", "_high")}
                row.append(_with_interval(figure, ours, "ours"))
        rows.append(row)
    return table(header, rows, 0)


def _number(figure: str, value: float) -> str:
    if figure == "stopping_time":
        return f"{value:.0f}"
    return f"{100 * value:.1f}" if figure == "rejection_rate" else share(value)


def _with_interval(figure: str, row: Any, name: str) -> str:
    value, low, high = row[name], row[f"{name}_low"], row[f"{name}_high"]
    if pd.isna(value):
        return "-"
    if figure == "stopping_time":
        return with_error(value, high)
    if figure == "rejection_rate":
        return f"{100 * value:.1f} ± {100 * (high - value):.1f}"
    return f"{share(value)} [{share(low)}, {share(high)}]"


def _evidence_table(evidence: pd.DataFrame) -> str:
    rows = []
    for row in evidence.to_dict("records"):
        figure = row["figure"]
        number = f"{row['found']:.0f}" if row["at"] == "N_1" else _number(figure, row["found"])
        rows.append(
            [
                f"{row['delta']:g}",
                str(row["n_arms"]),
                row["agent"],
                pictures.NAMES[figure],
                _number(figure, row["published"]),
                number,
                row["at"],
                "yes" if row["explained"] else "no",
            ]
        )
    header = ["δ", "K", "agent", "figure", "paper", "test gives", "with", "explains it"]
    return table(header, rows, 0)


def of_reasons(found: pd.DataFrame) -> str:
    """Return the list of reasons, with how many figures each explains in this report."""
    lines = []
    for reason in REASONS:
        n_figures = int((found["reason"] == reason.key).sum())
        lines.append(f"- **{reason.key}. {reason.title}** ({n_figures} figures). {reason.text}")
    n_differing = int((found["verdict"] == "differs").sum())
    lines.append(
        f"- **unexplained** ({n_differing} figures): they *differ*, and no reason is known."
    )
    return "\n".join(lines)


def of_ladder(frame: pd.DataFrame, agents: Sequence[str] = ("BAIR", "T&S")) -> str:
    """Return the section on what differs between text and code, and what each difference does."""
    said = [[one.point, one.printed, one.released] for one in DIFFERENCES]
    parts = ["## What differs between the paper's text and its released code"]
    parts.append(table(["point", "`printed`: the text", "`released`: the code"], said, 3))
    parts.append(
        "Switched one after the other, from the text above to the code below, at one cell; in "
        "brackets what the difference does alone, in the paper's text."
    )
    header = ["step"] + [
        f"{agent}: {name}" for agent in agents for name in ("T", "rej. %", "success")
    ]
    rows = []
    for _, step in frame.groupby("step"):
        cells = [str(step["point"].iloc[0])]
        for agent in agents:
            one = step[step["agent"] == agent].iloc[0]
            for figure in pictures.NAMES:
                alone = _number(figure, one[f"alone_{figure}"])
                cells.append(f"{_with_interval(figure, _ours(one, figure), 'ours')} ({alone})")
        rows.append(cells)
    parts.append(table(header, rows))
    if can_plot():
        parts.append(f"![The ladder]({as_data_uri(pictures.ladder(frame, agents))})")
    return "\n\n".join(parts)


def _ours(row: Any, figure: str) -> dict[str, Any]:
    return {f"ours{end}": row[f"{figure}{end}"] for end in ("", "_low", "_high")}


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
        parts += ["## At a glance", how_to_read(), markdown(glance(found, titles))]
        if can_plot():
            address = as_data_uri(pictures.grid_of_verdicts(found, titles))
            parts.append(f"![Every published figure and its verdict]({address})")
        parts += ["## Reasons", of_reasons(found)]
    if ladder is not None:
        parts.append(of_ladder(ladder))
    parts += [of_experiment(one) for one in reproductions]
    return "\n\n".join(parts) + "\n"


def how_to_read() -> str:
    """Return what the verdicts mean, with the tolerances in force."""
    time, rate = TOLERANCES["stopping_time"][""], TOLERANCES["rejection_rate"][""]
    by_agent = ", ".join(
        f"{share(tolerance.absolute)}{f' for {agent}' if agent else ''}"
        for agent, tolerance in TOLERANCES["success"].items()
    )
    return (
        "Each published figure is judged under `released`, the code the tables were made with. It "
        f"*agrees* if ours is near it (stopping time within {time.relative:.0%}; rejection rate "
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
