"""The report on the paper's experiments: tables and pictures, as Markdown and as one HTML page."""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich.table import Table

from explorative_user_env.display.plots import as_svg, can_plot, logarithmic, new_figure
from explorative_user_env.display.tables import Column, markdown, table
from explorative_user_env.display.text import in_markdown, share, share_with_interval, with_error
from explorative_user_env.results.tables import AGENT_COLUMN, PUBLISHED
from explorative_user_env.studies.paper_verdicts import (
    AGREES,
    CANNOT,
    DECISIVE,
    DIFFERS,
    LIMIT,
    MOVES,
    NOT_JUDGED,
    REASONS,
    TOLERANCES,
    VERDICTS,
    Calibration,
    Reproduction,
    counted,
    decisive_of,
    is_given,
    range_of,
)
from explorative_user_env.users.population import DIFFERENCES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["as_html", "glance", "report", "short_titles"]

TITLE = "The paper's experiments, run again"

NAMES = {
    "stopping_time": "stopping time",
    "rejection_rate": "rejection rate",
    "success": "probability of success",
}
HEADINGS = dict(zip(NAMES, ("T", "rej. %", "success"), strict=True))
"""Of the figures, in full and in short."""

VERDICT_COLOURS = {AGREES: "#2f7f9e", CANNOT: "#e0b84c", DIFFERS: "#c8553d"}
"""By verdict; the words stand in the tables as well."""


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


def errors(z: float) -> str:
    """Return how many errors two figures are apart, empty where there is none."""
    return "" if pd.isna(z) else f"{round(z, 1) + 0.0:.1f}"


def yes_or_no(holds: bool) -> str:
    """Return "yes" or "no"."""
    return "yes" if holds else "no"


PLACE = (Column("δ", "delta", "{:g}"), Column("K", "n_arms"), AGENT_COLUMN)


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
    for row, name in zip(grid, NAMES, strict=True):
        for axes, delta in zip(row, deltas, strict=True):
            for place, agent in enumerate(agents):
                if not is_given(agent, name):
                    here = summary["agent"].eq(agent) & summary["delta"].eq(delta)
                    _line(axes, summary[here], name, f"C{place}", agent)
            axes.set_xscale("log")
            if name == "stopping_time":
                logarithmic(axes, "y")
                axes.set_title(f"δ = {delta:g}", fontsize=9)
            axes.tick_params(labelsize=7)
        row[0].set_ylabel(NAMES[name], fontsize=8)
    for axes in grid[-1]:
        axes.set_xticks(n_arms, [str(arms) for arms in n_arms])
        axes.minorticks_off()
        axes.set_xlabel("K", fontsize=8)
    handles, labels = grid[-1][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def _line(axes: "Axes", rows: pd.DataFrame, figure: str, colour: str, label: str) -> None:
    arms, values, beside = rows["n_arms"], rows[figure], PUBLISHED[figure]
    sides = np.array([values - rows[f"{figure}_low"], rows[f"{figure}_high"] - values])
    sides = np.where(np.isnan(sides), 0.0, sides.clip(min=0.0))
    axes.errorbar(arms, values, yerr=sides, color=colour, marker=".", linewidth=1, label=label)
    if beside in rows:
        axes.plot(arms, rows[beside], "o", mfc="none", color=colour, markersize=5)


def grid_of_verdicts(found: pd.DataFrame, titles: Mapping[str, str]) -> "Figure":
    """Draw one square for each published figure, a row for each table, agent and metric.

    Args:
        found: as from `verdicts`, of all experiments.
        titles: by the experiments' names.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    judged = found[found["verdict"] != NOT_JUDGED]
    rows = list(judged.groupby(["experiment", "agent", "figure"], sort=False))
    squares = np.full((len(rows), max(len(cells) for _, cells in rows)), np.nan)
    for place, (_, cells) in enumerate(rows):
        ordered = cells.sort_values(["delta", "n_arms"], ascending=[False, True])["verdict"]
        squares[place, : len(ordered)] = ordered.map(VERDICTS.index)
    figure = new_figure(8.5, 0.19 * len(rows) + 1.2)
    axes = figure.subplots()
    shown: dict[str, Any] = {"cmap": ListedColormap(list(VERDICT_COLOURS.values()))}
    axes.imshow(squares, vmin=0, vmax=len(VERDICTS) - 1, aspect="auto", **shown)
    for edge in np.arange(0.5, squares.shape[1] - 1):
        axes.axvline(edge, color="white", linewidth=1)
    names = [name for (name, _, _), _ in rows]
    for place in range(1, len(rows)):
        other = names[place] != names[place - 1]
        axes.axhline(place - 0.5, color="black" if other else "white", linewidth=1)
    labels = [f"{titles[name]}: {agent}, {NAMES[metric]}" for (name, agent, metric), _ in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=7)
    axes.set_xticks([])
    axes.set_xlabel("cells: δ from .1 down, in each K upwards", fontsize=8)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    patches = [Patch(color=colour, label=verdict) for verdict, colour in VERDICT_COLOURS.items()]
    above: dict[str, Any] = {"bbox_to_anchor": (0.4, 1.0), "ncols": 3, "frameon": False}
    axes.legend(handles=patches, loc="lower center", fontsize=8, **above)
    return figure


def ladder(frame: pd.DataFrame, agents: Sequence[str]) -> "Figure":
    """Draw the stopping time of `agents` while one difference after the other is switched."""
    points = frame.drop_duplicates("step")
    figure = new_figure(8.5, 0.26 * len(points) + 1.0)
    panels = figure.subplots(1, len(agents), sharey=True, squeeze=False)[0]
    for axes, agent in zip(panels, agents, strict=True):
        rows = frame[frame["agent"] == agent]
        times = rows["stopping_time"]
        sides = np.array([times - rows["stopping_time_low"], rows["stopping_time_high"] - times])
        axes.errorbar(times, rows["step"], xerr=sides, marker=".", linewidth=1, color="C0")
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
    low, high = range_of(alarms)
    fewest, most = range_of(calibration.agreeing.sum(axis=0))
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
        for figure in MOVES
        for (name, agent), places in groups.items()
        if name == figure
    ]
    moves = zip(MOVES["stopping_time"], MOVES["success"], strict=True)
    headings = [
        f"{factor - 1:.0%} longer, {f'{points:g}'.removeprefix('0')} less"
        for factor, points in moves
    ]
    columns = [Column("figure", left=True), Column("agent", left=True), *map(Column, headings)]
    title = "## How far to trust the verdicts"
    return "\n\n".join([title, summed_up, power, markdown(table(rows, columns))])


def of_reasons(found: pd.DataFrame, evidence: Sequence[Mapping[str, pd.DataFrame]]) -> str:
    """Return the list of reasons that were tested, with how many figures each explains.

    Args:
        found: as from `verdicts`, of all experiments.
        evidence: of each experiment, by reason, the rows that were tested.
    """
    lines = []
    for key, reason in REASONS.items():
        n_figures = int((found["reason"] == key).sum())
        tested = sum(len(one[key]) for one in evidence if key in one)
        if tested:
            counts = f"({n_figures} of {tested} figures tested)"
            lines.append(f"- **{key}: {reason.title}** {counts}. {reason.text}")
    n_differing = int((found["verdict"] == DIFFERS).sum())
    lines.append(f"- **none** ({n_differing} figures): they *differ*.")
    return "\n".join(lines)


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
    for row in counted(found, by).to_dict("records"):
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
    parts = [f"## {experiment.title}", *([experiment.note] if experiment.note else [])]
    if experiment.drawn or reproduction.found.empty:
        for setting, summary in summaries.items():
            name = f"{experiment.name}-{setting}.svg"
            title = f"{experiment.title}, {setting}"
            shown = gallery.shown(title, name, partial(comparison, summary))
            parts += [f"### {setting}", *shown] if shown else []
        if experiment.data is None:
            parts.append(_plain_table(summaries))
        return "\n\n".join(parts)
    for figure, rows in reproduction.found.groupby("figure", sort=False):
        parts += [f"### {NAMES[str(figure)].capitalize()}"]
        parts += [_verdict_table(str(figure), rows, list(summaries))]
    mostly_n1 = reproduction.found[reproduction.found["n1"] > 0.0]
    if not mostly_n1.empty:
        parts += ["### Stopping time less N_1, where N_1 is at least half of it"]
        parts += [_without_n1_table(mostly_n1, decisive_of(summaries))]
    tracking = [row for row in _side_by_side(summaries) if row["agent"] == "T&S"]
    if tracking:
        parts += ["### How Track-and-Stop fails", _failures_table(tracking, list(summaries))]
    for key, evidence in reproduction.evidence.items():
        parts += [f"### Reason tested, {key}: {REASONS[key].title}", _evidence_table(evidence)]
    return "\n\n".join(parts)


def _verdict_table(figure: str, found: pd.DataFrame, settings: Sequence[str]) -> str:
    """Return one figure of every cell and agent, with its verdict."""
    decisive = decisive_of(settings)

    def verdict(row: Mapping[str, Any]) -> str:
        return f"{CANNOT}: {row['reason']}" if row["reason"] else row["verdict"]

    columns = [
        *PLACE,
        Column("paper", "published", partial(number, figure)),
        *(Column(name, partial(figure_with_interval, figure, name)) for name in settings),
        Column("z", f"{decisive}_z", errors),
        Column("near", f"{decisive}_near", yes_or_no),
        Column("verdict", verdict),
    ]
    return markdown(table(found, columns))


def _without_n1_table(found: pd.DataFrame, decisive: str) -> str:
    """Return the times less N_1, which is given while the rest is found."""

    def ours(row: Mapping[str, Any]) -> str:
        half = row[f"{decisive}_high"] - row[decisive]
        return f"{row[decisive] - row['n1']:.0f} ± {half:.0f}"

    columns = [
        *PLACE,
        Column("N_1", "n1", "{:.0f}"),
        Column("paper", lambda row: f"{row['published'] - row['n1']:.0f}"),
        Column(decisive, ours),
        Column("z", f"{decisive}_z", errors),
        Column("near", f"{decisive}_near", yes_or_no),
    ]
    return markdown(table(found, columns))


def _side_by_side(summaries: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """Return the rows of all settings: the first setting's, with each setting's under its name."""
    records = zip(*(summary.to_dict("records") for summary in summaries.values()), strict=True)
    return [{**both[0], **dict(zip(summaries, both, strict=True))} for both in records]


def _failures_table(rows: Sequence[Mapping[str, Any]], settings: Sequence[str]) -> str:
    """Return Track-and-Stop's wrong answers and its censored runs, apart."""
    paper = Column("paper: not right", lambda row: share(1.0 - row[PUBLISHED["success"]]))
    kinds = {"wrong": "wrong", "cut off": "censored"}
    ours = [
        Column(f"{name}: {words}", lambda row, name=name, kind=kind: share(row[name][kind]))
        for name in settings
        for words, kind in kinds.items()
    ]
    return markdown(table(rows, [*PLACE[:2], paper, *ours]))


def _plain_table(summaries: Mapping[str, pd.DataFrame]) -> str:
    figures = [
        Column(
            f"{heading}: {name}",
            lambda row, name=name, figure=figure: figure_with_interval(figure, figure, row[name]),
        )
        for figure, heading in HEADINGS.items()
        for name in summaries
    ]
    return markdown(table(_side_by_side(summaries), [*PLACE, *figures]))


def _evidence_table(evidence: pd.DataFrame) -> str:
    def given(row: Mapping[str, Any]) -> str:
        counts = row["at"].startswith("rejections")
        return number("stopping_time" if counts else row["figure"], row["found"])

    columns = [
        *PLACE,
        Column("figure", "figure", NAMES.__getitem__, left=True),
        Column("paper", lambda row: number(row["figure"], row["published"])),
        Column("test gives", given),
        Column("with", "at", left=True),
        Column("explains it", "explained", yes_or_no),
    ]
    return markdown(table(evidence, columns))


def of_ladder(
    frame: pd.DataFrame, gallery: Gallery, agents: Sequence[str] = ("BAIR", "T&S")
) -> str:
    """Return the section on what differs between text and code, and the effect of each."""
    words = [
        Column("point", left=True),
        Column("`printed`: the text", "printed", left=True),
        Column("`released`: the code", "released", left=True),
    ]
    rows = []
    for _, step in frame.groupby("step"):
        cells = [str(step["point"].iloc[0])]
        for agent in agents:
            one = step[step["agent"] == agent].iloc[0]
            for figure in NAMES:
                alone = number(figure, one[f"alone_{figure}"])
                cells.append(f"{figure_with_interval(figure, figure, one)} ({alone})")
        rows.append(cells)
    header = [Column("step", left=True)]
    header += [Column(f"{agent}: {name}") for agent in agents for name in HEADINGS.values()]
    parts = [
        "## What differs between the paper's text and its released code",
        markdown(table(map(vars, DIFFERENCES), words)),
        "Switched one after the other, from the text above to the code below, at one cell; in "
        "brackets what the difference does alone, in the paper's text.",
        markdown(table(rows, header)),
    ]
    parts += gallery.shown("The ladder", "ladder.svg", lambda: ladder(frame, agents))
    return "\n\n".join(parts)


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
        return as_html(self.markdown + more, self.pictures)


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
        parts += ["## At a glance", how_to_read(decisive_of(judged[0].summaries))]
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


def how_to_read(setting: str = DECISIVE) -> str:
    """Return the meaning of the verdicts under `setting`, with the tolerances in force."""
    time, rate = TOLERANCES["stopping_time"], TOLERANCES["rejection_rate"]
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
        f"{share(TOLERANCES['success'].absolute)})."
    )


STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 78rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 12.5px; display: block; overflow-x: auto; }
th, td { padding: .12rem .45rem; border-bottom: 1px solid #ddd; white-space: nowrap; }
img { max-width: 100%; }
"""


def as_html(markdown: str, files: Mapping[str, bytes], title: str = TITLE) -> str:
    """Return a page of Markdown as one HTML file that holds its pictures."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render(markdown)
    for name, picture in files.items():
        address = "data:image/svg+xml;base64," + b64encode(picture).decode()
        body = body.replace(f'src="{name}"', f'src="{address}"')
    body = re.sub(rf"<td([^>]*)>({'|'.join(VERDICTS)})", r'<td\1 class="\2">\2', body)
    colours = "".join(
        f"td.{verdict} {{ background: {colour}44; }}\n"
        for verdict, colour in VERDICT_COLOURS.items()
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n<style>{STYLE}{colours}</style>\n</head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    )
