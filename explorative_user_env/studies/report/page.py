"""The report: one page of Markdown, and the same as HTML, with its pictures inside."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from rich.table import Table

from explorative_user_env.display.figures import data_uri
from explorative_user_env.display.numbers import share
from explorative_user_env.display.tables import markdown, new_table
from explorative_user_env.studies.paper.agreement import LIMIT, TOLERANCES
from explorative_user_env.studies.paper.calibration import Calibration
from explorative_user_env.studies.paper.reproduction import Reproduction
from explorative_user_env.studies.paper.verdicts import DECISIVE, VERDICTS, counted, decisive_of
from explorative_user_env.studies.report import pictures
from explorative_user_env.studies.report.gallery import Gallery
from explorative_user_env.studies.report.sections import of_experiment, of_ladder
from explorative_user_env.studies.report.trust import of_calibration, of_reasons


def glance(
    found: pd.DataFrame, titles: Mapping[str, str], calibration: Calibration | None = None
) -> Table:
    """Return how many published figures agree, by experiment and agent, as a Rich table.

    Args:
        found: as from `verdicts`, of all experiments.
        titles: of the experiments, by name.
        calibration: whose spread of the counts stands in brackets.
    """
    by = ["experiment", "agent", "figure"]
    spread = calibration.spread(by) if calibration else {}
    cells = {}
    for row in counted(found, by).to_dict("records"):
        place = tuple(row[name] for name in by)
        between = f" ({spread[place][0]}-{spread[place][1]})" if place in spread else ""
        cells[place] = f"{row['agrees']} of {row['cells']}{between}"
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


@dataclass(frozen=True)
class Report:
    """The report, in two forms.

    Attributes:
        markdown: the page, which shows pictures by the names of their files.
        pictures: by name, each as a PNG file; empty without Matplotlib.
    """

    markdown: str
    pictures: Mapping[str, bytes]

    def html(self, more: str = "") -> str:
        """Return the page with `more` Markdown at its end as one HTML file that needs no other."""
        return as_html(self.markdown + more, self.pictures)


def report(
    reproductions: Sequence[Reproduction],
    ladder: pd.DataFrame | None,
    how: str,
    calibration: Calibration | None = None,
) -> Report:
    """Return the whole report.

    Args:
        reproductions: what ran.
        ladder: as from `run_ladder`, None to leave it out.
        how: what ran with how many users, in a line.
        calibration: of the verdicts, None to leave it out.
    """
    judged = [one for one in reproductions if not one.found.empty]
    gallery = Gallery()
    parts = ["# The paper's experiments, run again", how]
    if judged:
        found = pd.concat([one.found for one in judged], ignore_index=True)
        titles = short_titles(judged)
        parts += [
            "## At a glance",
            how_to_read(decisive_of(judged[0].summaries)),
            markdown(glance(found, titles, calibration)),
            *gallery.shown(
                "Every published figure and its verdict",
                "verdicts.png",
                lambda: pictures.grid_of_verdicts(found, titles),
            ),
            *([] if calibration is None else [of_calibration(calibration)]),
            "## Reasons",
            of_reasons(found, [one.evidence for one in judged], titles),
        ]
    if ladder is not None:
        parts.append(of_ladder(ladder, gallery))
    parts += [of_experiment(one, gallery) for one in reproductions]
    return Report("\n\n".join(parts) + "\n", gallery.files)


def how_to_read(setting: str = DECISIVE) -> str:
    """Return what the verdicts under `setting` mean, with the tolerances in force."""
    time, rate = TOLERANCES["stopping_time"], TOLERANCES["rejection_rate"]
    return (
        f"Each published figure is judged under `{setting}`; the tables were made with `released`. "
        "Published figures are means of a thousand runs and have errors like ours. *z* is how many "
        "errors ours is from the published figure, with both errors and the rounding of the "
        f"latter; it *agrees* if z is within {LIMIT:g} of 0. Times and rates are compared by their "
        "logarithms, and their errors allow for one more run as far off as the farthest, or as the "
        "step cap. It *cannot* be had where a reason is known and its test, made in the same run, "
        "holds. Else it *differs*, unexplained. The table counts what agrees; UNI and EXP3 are "
        "told their stopping times. *near* is no verdict: ours is near enough in practice "
        f"(stopping time within {time.relative:.0%}, less N_1 where N_1 is half of it; rejection "
        f"rate within {rate.relative:.0%} or {100 * rate.absolute:.1f} points; success within "
        f"{share(TOLERANCES['success'].absolute)})."
    )


STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 78rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 12.5px; display: block; overflow-x: auto; }
th, td { padding: .12rem .45rem; border-bottom: 1px solid #ddd; white-space: nowrap; }
img { max-width: 100%; }
"""


def as_html(
    markdown: str,
    files: Mapping[str, bytes],
    title: str = "The paper's experiments, run again",
) -> str:
    """Return a page of Markdown as one HTML file, with the pictures in it that it shows."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render(markdown)
    for name, picture in files.items():
        body = body.replace(f'src="{name}"', f'src="{data_uri(picture)}"')
    said = "|".join(VERDICTS)
    body = re.sub(rf"<td([^>]*)>({said})", r'<td\1 class="\2">\2', body)
    colours = "".join(
        f"td.{verdict} {{ background: {colour}44; }}\n"
        for verdict, colour in pictures.VERDICT_COLOURS.items()
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n<style>{STYLE}{colours}</style>\n</head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    )
