"""The report on the paper's experiments: tables and pictures, as Markdown and as one HTML page."""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich.table import Table

from explorative_user_env.display.plots import as_svg, can_plot, logarithmic, new_figure
from explorative_user_env.display.tables import Column, markdown, table
from explorative_user_env.display.text import in_markdown, share, share_with_interval, with_error
from explorative_user_env.results.tables import AGENT_COLUMN, PUBLISHED
from explorative_user_env.studies import paper_verdicts as judging
from explorative_user_env.studies.paper_verdicts import LIMIT, Calibration, Reproduction
from explorative_user_env.users.population import DIFFERENCES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["glance", "report", "short_titles"]

TITLE = "The paper's experiments, run again"

NAMES = {
    "stopping_time": "stopping time",
    "rejection_rate": "rejection rate",
    "success": "probability of success",
}
#: Of the figures, in full and in short.
HEADINGS = dict(zip(NAMES, ("T", "rej. %", "success"), strict=True))

#: By verdict; the words stand in the tables as well.
VERDICT_COLOURS = dict(zip(judging.VERDICTS, ("#2f7f9e", "#e0b84c", "#c8553d"), strict=True))


def number(figure: str, value: float) -> str:
    """Return one figure: steps, a percentage for a rejection rate, or a probability."""
    if figure == "stopping_time":
        return f"{value:.0f}"
    return f"{100 * value:.1f}" if figure == "rejection_rate" else share(value)


def figure_with_interval(figure: str, name: str, row: Mapping[str, Any]) -> str:
    """Return the figure in `row[name]` with its 95% interval, as `number` shows it."""
    value, high = row[name], row[f"{name}_high"]
    if pd.isna(value):
        return "-"
    if figure == "stopping_time":
        return with_error(value, high)
    if figure == "rejection_rate":
        return f"{100 * value:.1f} ± {100 * (high - value):.1f}"
    return share_with_interval(row, name)


PLACE = (Column("δ", "delta", "{:g}"), Column("K", "n_arms"), AGENT_COLUMN)
YES_OR_NO = {True: "yes", False: "no"}.__getitem__


@dataclass(frozen=True)
class Gallery:
    """Pictures of a page, by the names of their files, as SVG."""

    files: dict[str, bytes] = field(default_factory=dict)

    def shown(self, title: str, name: str, draw: "Callable[[], Figure]") -> list[str]:
        """Draw a picture and return the Markdown that shows it; nothing without Matplotlib.

        Where drawing fails the Markdown says why: the tables matter more.
        """
        if not can_plot():
            return []
        try:
            self.files[name] = as_svg(draw(), title)
        except Exception as error:
            return [f"{title}: not drawn, {in_markdown(f'{type(error).__name__}: {error}')}"]
        return [f"![{title}]({name})"]


def comparison(summary: pd.DataFrame) -> "Figure":
    """Draw stopping time, rejection rate and success against K, one column for each delta.

    This is the paper's Figure 1: an agent a line, with 95% intervals. Published figures are hollow
    marks beside the lines. The stopping time of UNI and EXP3 is BAIR's.
    """
    deltas, agents = summary["delta"].unique(), summary["agent"].unique()
    n_arms = sorted(set(summary["n_arms"]))
    figure = new_figure(2.4 * max(2, len(deltas)), 6.0)
    grid = figure.subplots(3, len(deltas), sharex=True, sharey="row", squeeze=False)
    for (row, column), axes in np.ndenumerate(grid):
        name, beside = list(PUBLISHED.items())[row]
        for place, agent in enumerate(agents):
            if judging.is_given(agent, name):
                continue
            rows = summary[summary["agent"].eq(agent) & summary["delta"].eq(deltas[column])]
            shown = {"color": f"C{place}", "marker": ".", "linewidth": 1, "label": agent}
            axes.errorbar(rows["n_arms"], rows[name], yerr=sides_of(rows, name), **shown)
            if beside in rows:
                axes.plot(rows["n_arms"], rows[beside], "o", mfc="none", color=f"C{place}", ms=5)
        axes.set_xscale("log")
        if name == "stopping_time":
            logarithmic(axes, "y")
            axes.set_title(f"δ = {deltas[column]:g}", fontsize=9)
        axes.tick_params(labelsize=7)
        if column == 0:
            axes.set_ylabel(NAMES[name], fontsize=8)
    for axes in grid[-1]:
        axes.set_xticks(n_arms, [str(arms) for arms in n_arms])
        axes.minorticks_off()
        axes.set_xlabel("K", fontsize=8)
    handles, labels = grid[-1][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def sides_of(rows: pd.DataFrame, figure: str) -> np.ndarray:
    """Return the lengths of the error bars of a figure, below and above; 0 for NaN."""
    sides = [rows[figure] - rows[f"{figure}_low"], rows[f"{figure}_high"] - rows[figure]]
    return np.asarray(np.nan_to_num(np.clip(sides, 0.0, None)))


def grid_of_verdicts(found: pd.DataFrame, titles: Mapping[str, str]) -> "Figure":
    """Draw one square for each published figure, a row for each table, agent and metric.

    Args:
        found: as from `verdicts`, of all experiments.
        titles: by the experiments' names.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    judged = found[found["verdict"] != judging.NOT_JUDGED]
    rows = list(judged.groupby(["experiment", "agent", "figure"], sort=False))
    squares = np.full((len(rows), max(len(cells) for _, cells in rows)), np.nan)
    for place, (_, cells) in enumerate(rows):
        ordered = cells.sort_values(["delta", "n_arms"], ascending=[False, True])["verdict"]
        squares[place, : len(ordered)] = ordered.map(judging.VERDICTS.index)
    figure = new_figure(8.5, 0.19 * len(rows) + 1.2)
    axes = figure.subplots()
    colours = ListedColormap(list(VERDICT_COLOURS.values()))
    axes.imshow(squares, vmin=0, vmax=len(VERDICT_COLOURS) - 1, aspect="auto", cmap=colours)
    for edge in np.arange(0.5, squares.shape[1] - 1):
        axes.axvline(edge, color="white", linewidth=1)
    names = [name for (name, _, _), _ in rows]
    for place, (above, name) in enumerate(pairwise(names)):
        axes.axhline(place + 0.5, color="white" if name == above else "black", linewidth=1)
    labels = [f"{titles[name]}: {agent}, {NAMES[metric]}" for (name, agent, metric), _ in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=7)
    axes.set_xticks([])
    axes.set_xlabel("cells: δ from .1 down, in each K upwards", fontsize=8)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    patches = [Patch(color=colour, label=verdict) for verdict, colour in VERDICT_COLOURS.items()]
    where: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.4, 1.0), "ncols": 3}
    axes.legend(handles=patches, fontsize=8, frameon=False, **where)
    return figure


def ladder(frame: pd.DataFrame, agents: Sequence[str]) -> "Figure":
    """Draw the stopping time of `agents` while one difference after the other is switched."""
    points = frame.drop_duplicates("step")
    figure = new_figure(8.5, 0.26 * len(points) + 1.0)
    panels = figure.subplots(1, len(agents), sharey=True, squeeze=False)[0]
    for axes, agent in zip(panels, agents, strict=True):
        rows, name = frame[frame["agent"] == agent], "stopping_time"
        shown = {"marker": ".", "linewidth": 1, "color": "C0"}
        axes.errorbar(rows[name], rows["step"], xerr=sides_of(rows, name), **shown)
        axes.set_xlabel("stopping time", fontsize=8)
        axes.set_title(agent, fontsize=9)
        axes.grid(axis="y", linewidth=0.3)
        axes.tick_params(labelsize=7)
    panels[0].set_yticks(points["step"], list(points["point"]))
    panels[0].invert_yaxis()
    return figure


def of_calibration(calibration: Calibration) -> str:
    """Return the section on the trust in verdicts: false alarms, spread and power."""
    n_figures, draws = calibration.false_alarms.shape
    alarms = calibration.false_alarms.sum(axis=0)
    low, high = judging.range_of(alarms)
    fewest, most = judging.range_of(calibration.agreeing.sum(axis=0))
    summed_up = (
        f"Users were drawn anew from ours, {draws} times, for us and for the paper. If every "
        f"published figure were a mean of a thousand runs of ours, {calibration.expected:.1f} of "
        f"the {n_figures} would differ by chance at |z| > {LIMIT:g} with normal errors; in the "
        f"simulation {alarms.mean():.1f} did ({low} to {high} in 95% of the draws). Judged against "
        f"the real published figures, {fewest} to {most} figures agree over the draws: in brackets "
        "in the table above by agent and figure, as other seeds would have it (a little fewer, as "
        "drawing again adds an error)."
    )
    power = (
        "What would be found: the share of figures that differ after the drawn published one was "
        "moved."
    )
    groups = calibration.figures.groupby(["figure", "agent"], sort=False).indices
    rows = [
        [NAMES[figure], agent, *(share(float(np.mean(one[places]))) for one in calibration.found)]
        for (figure, agent), places in sorted(
            groups.items(), key=lambda one: list(NAMES).index(one[0][0])
        )
    ]
    moves = zip(judging.MOVES["stopping_time"], judging.MOVES["success"], strict=True)
    columns = [Column("figure", left=True), Column("agent", left=True)]
    for factor, points in moves:
        columns.append(Column(f"{factor - 1:.0%} longer, {f'{points:g}'.removeprefix('0')} less"))
    title = "## How far to trust the verdicts"
    return "\n\n".join([title, summed_up, power, markdown(table(rows, columns))])


def of_reasons(found: pd.DataFrame, evidence: Sequence[Mapping[str, pd.DataFrame]]) -> str:
    """Return the list of reasons that were tested, with how many figures each explains.

    Args:
        found: as from `verdicts`, of all experiments.
        evidence: of each experiment, by reason, the rows that were tested.
    """
    lines = []
    for key, reason in judging.REASONS.items():
        if tested := sum(len(one[key]) for one in evidence if key in one):
            counts = f"({(found['reason'] == key).sum()} of {tested} figures tested)"
            lines.append(f"- **{key}: {reason.title}** {counts}. {reason.text}")
    n_differing = (found["verdict"] == judging.DIFFERS).sum()
    return "\n".join([*lines, f"- **none** ({n_differing} figures): they *differ*."])


def glance(
    found: pd.DataFrame, titles: Mapping[str, str], calibration: Calibration | None = None
) -> Table:
    """Return how many published figures agree, by experiment and agent, as a Rich table.

    Args:
        found: as from `verdicts`, of all experiments.
        titles: of the experiments, by name.
        calibration: the source of the ranges in brackets.
    """
    by = ["experiment", "agent", "figure"]
    spread = calibration.spread(by) if calibration else {}
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for row in judging.counted(found, by).to_dict("records"):
        name, agent, figure = (row[each] for each in by)
        between = spread.get((name, agent, figure))
        cell = f"{row['agrees']} of {row['cells']}"
        cell += f" ({between[0]}-{between[1]})" if between else ""
        empty = {"experiment": titles[name], "agent": agent, **dict.fromkeys(NAMES, "")}
        rows.setdefault((name, agent), empty)[figure] = cell
    columns = [Column("experiment", left=True, once=True), AGENT_COLUMN]
    columns += [Column(words, figure) for figure, words in NAMES.items()]
    return table(rows.values(), columns, padding=1, leading=2)


def short_titles(reproductions: Sequence[Reproduction]) -> dict[str, str]:
    """Return the paper's short titles of the experiments, such as "Table 2", by name."""
    return {one.experiment.name: one.experiment.title.split(":")[0] for one in reproductions}


def of_experiment(reproduction: Reproduction, gallery: Gallery) -> str:
    """Return the section of one experiment: its verdicts, figure by figure, and the evidence."""
    experiment, summaries = reproduction.experiment, reproduction.summaries
    found, decisive = reproduction.found, judging.decisive_of(summaries)
    parts = [f"## {experiment.title}", *([experiment.note] if experiment.note else [])]
    # The first setting's rows, each with every setting's row under its name.
    records = zip(*(summary.to_dict("records") for summary in summaries.values()), strict=True)
    rows = [{**every[0], **dict(zip(summaries, every, strict=True))} for every in records]
    if experiment.drawn or found.empty:
        for setting, summary in summaries.items():
            name, title = f"{experiment.name}-{setting}.svg", f"{experiment.title}, {setting}"
            shown = gallery.shown(title, name, partial(comparison, summary))
            parts += [f"### {setting}", *shown] if shown else []
        if experiment.data is None:
            columns = [
                Column(
                    f"{heading}: {name}",
                    lambda row, at=name, of=figure: figure_with_interval(of, of, row[at]),
                )
                for figure, heading in HEADINGS.items()
                for name in summaries
            ]
            parts.append(markdown(table(rows, [*PLACE, *columns])))
        return "\n\n".join(parts)
    apart = [
        Column("z", f"{decisive}_z", lambda z: "" if pd.isna(z) else f"{round(z, 1) + 0.0:.1f}"),
        Column("near", f"{decisive}_near", YES_OR_NO),
    ]
    sections: list[tuple[str, Any, list[Column]]] = []
    for figure, frame in found.groupby("figure", sort=False):
        name = str(figure)
        columns = [Column("paper", "published", partial(number, name))]
        columns += [Column(each, partial(figure_with_interval, name, each)) for each in summaries]
        columns += [*apart, Column("verdict", _verdict)]
        sections.append((NAMES[name].capitalize(), frame, [*PLACE, *columns]))

    def ours_without_n1(row: Mapping[str, Any]) -> str:
        ours = row[decisive]
        return f"{ours - row['n1']:.0f} ± {row[f'{decisive}_high'] - ours:.0f}"

    columns = [
        Column("N_1", "n1", "{:.0f}"),
        Column("paper", lambda row: f"{row['published'] - row['n1']:.0f}"),
        Column(decisive, ours_without_n1),
        *apart,
    ]
    title = "Stopping time less N_1, where N_1 is at least half of it"
    sections.append((title, found[found["n1"] > 0.0], [*PLACE, *columns]))
    columns = [Column("paper: not right", lambda row: share(1.0 - row[PUBLISHED["success"]]))]
    for name in summaries:
        for words, kind in (("wrong", "wrong"), ("cut off", "censored")):
            ours = Column(f"{name}: {words}", lambda row, at=name, of=kind: share(row[at][of]))
            columns.append(ours)
    tracking = [row for row in rows if row["agent"] == "T&S"]
    sections.append(("How Track-and-Stop fails", tracking, [*PLACE[:2], *columns]))
    columns = [
        Column("figure", "figure", NAMES.__getitem__, left=True),
        Column("paper", lambda row: number(row["figure"], row["published"])),
        Column("test gives", _test_gives),
        Column("with", "at", left=True),
        Column("explains it", "explained", YES_OR_NO),
    ]
    for key, evidence in reproduction.evidence.items():
        title = f"Reason tested, {key}: {judging.REASONS[key].title}"
        sections.append((title, evidence, [*PLACE, *columns]))
    for heading, shown_rows, columns in sections:
        if len(shown_rows):
            parts += [f"### {heading}", markdown(table(shown_rows, columns))]
    return "\n\n".join(parts)


def _verdict(row: Mapping[str, Any]) -> str:
    return f"{judging.CANNOT}: {row['reason']}" if row["reason"] else str(row["verdict"])


def _test_gives(row: Mapping[str, Any]) -> str:
    counts = row["at"].startswith("rejections")
    return number("stopping_time" if counts else row["figure"], row["found"])


def of_ladder(
    frame: pd.DataFrame, gallery: Gallery, agents: Sequence[str] = ("BAIR", "T&S")
) -> str:
    """Return the section on what differs between text and code, and the effect of each."""
    words = [
        Column("point", "point", left=True),
        Column("`printed`: the text", "printed", left=True),
        Column("`released`: the code", "released", left=True),
    ]
    steps: dict[str, dict[str, str]] = {}
    for row in frame[frame["agent"].isin(agents)].to_dict("records"):
        for figure, name in HEADINGS.items():
            shown = figure_with_interval(figure, figure, row)
            cells = steps.setdefault(row["point"], {"step": row["point"]})
            cells[f"{row['agent']}: {name}"] = f"{shown} ({number(figure, row[f'alone_{figure}'])})"
    header = [Column("step", left=True)]
    header += [Column(f"{agent}: {name}") for agent in agents for name in HEADINGS.values()]
    parts = [
        "## What differs between the paper's text and its released code",
        markdown(table(DIFFERENCES, words)),
        "Switched one after the other, from the text above to the code below, at one cell; in "
        "brackets what the difference does alone, in the paper's text.",
        markdown(table(steps.values(), header)),
    ]
    parts += gallery.shown("The ladder", "ladder.svg", lambda: ladder(frame, agents))
    return "\n\n".join(parts)


STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 78rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 12.5px; display: block; overflow-x: auto; }
th, td { padding: .12rem .45rem; border-bottom: 1px solid #ddd; white-space: nowrap; }
img { max-width: 100%; }
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}</body>
</html>
"""


@dataclass(frozen=True)
class Report:
    """The report, in two forms.

    Attributes:
        markdown: the page, which shows pictures by the names of their files.
        pictures: by name, each as an SVG file; empty without Matplotlib.
    """

    markdown: str
    pictures: Mapping[str, bytes]

    def html(self, more: str = "") -> str:
        """Return the page with `more` Markdown at its end as one HTML file that needs no other."""
        from markdown_it import MarkdownIt

        body = MarkdownIt("commonmark").enable("table").render(self.markdown + more)
        for name, picture in self.pictures.items():
            address = "data:image/svg+xml;base64," + b64encode(picture).decode()
            body = body.replace(f'src="{name}"', f'src="{address}"')
        body = re.sub(rf"<td([^>]*)>({'|'.join(VERDICT_COLOURS)})", r'<td\1 class="\2">\2', body)
        rules = (
            f"td.{verdict} {{ background: {c}44; }}\n" for verdict, c in VERDICT_COLOURS.items()
        )
        return PAGE.format(title=TITLE, style=STYLE + "".join(rules), body=body)


def report(
    reproductions: Sequence[Reproduction],
    steps: pd.DataFrame | None,
    how: str,
    calibration: Calibration | None = None,
) -> Report:
    """Return the whole report.

    Args:
        reproductions: the experiments that ran.
        steps: as from `run_ladder`, None to leave it out.
        how: what ran with how many users, in a line.
        calibration: of the verdicts, None to leave it out.
    """
    judged = [one for one in reproductions if not one.found.empty]
    gallery = Gallery()
    parts = [f"# {TITLE}", how]
    if judged:
        found = pd.concat([one.found for one in judged], ignore_index=True)
        titles = short_titles(judged)
        parts += ["## At a glance", how_to_read(judging.decisive_of(judged[0].summaries))]
        parts.append(markdown(glance(found, titles, calibration)))
        parts += gallery.shown(
            "Every published figure and its verdict",
            "verdicts.svg",
            lambda: grid_of_verdicts(found, titles),
        )
        parts += [] if calibration is None else [of_calibration(calibration)]
        parts += ["## Reasons", of_reasons(found, [one.evidence for one in judged])]
    if steps is not None:
        parts.append(of_ladder(steps, gallery))
    parts += [of_experiment(one, gallery) for one in reproductions]
    return Report("\n\n".join(parts) + "\n", gallery.files)


def how_to_read(setting: str = judging.DECISIVE) -> str:
    """Return the meaning of the verdicts under `setting`, with the tolerances in force."""
    time, rate, success = judging.TOLERANCES.values()
    return (
        f"Each published figure is judged once, under `{setting}`; the tables were made with "
        "`released`. Published figures are means of a thousand runs and have errors like ours. *z* "
        "is how many errors ours is from the published figure, with both errors and the rounding "
        f"of the latter; it *agrees* if z is within {LIMIT:g} of 0. Times and rates are compared "
        "by their logarithms, and their errors allow for one more run as far off as the farthest, "
        "or as the step cap. It *cannot* be had where arithmetic, or the digits of another table, "
        "show that no run gave it. Else it *differs*. The table counts what agrees; the stopping "
        "times of UNI and EXP3 are inputs. *near* is no verdict: ours is near enough in practice "
        f"(stopping time within {time.relative:.0%}, less N_1 where N_1 is half of it; rejection "
        f"rate within {rate.relative:.0%} or {100 * rate.absolute:.1f} points; success within "
        f"{share(success.absolute)})."
    )
