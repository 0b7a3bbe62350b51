"""The report on the paper's experiments: tables, pictures and one page."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich.table import Table

from explorative_user_env.display.plots import UndrawnError, can_plot, data_uri, new_figure, painted
from explorative_user_env.display.tables import markdown, markdown_table, new_table
from explorative_user_env.display.text import in_markdown, share, share_with_interval, with_error
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies.paper_verdicts import (
    AGREES,
    CANNOT,
    DECISIVE,
    DIFFERS,
    IN_VAIN,
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
from explorative_user_env.users.settings import DIFFERENCES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["as_html", "glance", "report", "short_titles"]


def table(header: Sequence[str], rows: Sequence[Sequence[str]], n_words: int = 1) -> str:
    """Return a Markdown table whose first `n_words` columns are words, the others numbers."""
    return markdown_table(header, rows, [place >= n_words for place in range(len(header))])


def number(figure: str, value: float) -> str:
    """Return one figure: steps, a percentage for a rejection rate, or a probability."""
    if figure == "stopping_time":
        return f"{value:.0f}"
    return f"{100 * value:.1f}" if figure == "rejection_rate" else share(value)


def errors(z: float) -> str:
    """Return how many errors two figures are apart, empty where there is none."""
    return "" if pd.isna(z) else f"{round(z, 1) + 0.0:.1f}"


def figure_with_interval(figure: str, row: Any, name: str) -> str:
    """Return the figure in `row[name]` with its 95% interval, as `number` shows it."""
    value, high = row[name], row[f"{name}_high"]
    if pd.isna(value):
        return "-"
    if figure == "stopping_time":
        return with_error(value, high)
    if figure == "rejection_rate":
        return f"{100 * value:.1f} ± {100 * (high - value):.1f}"
    return share_with_interval(row, name)


@dataclass(frozen=True)
class Gallery:
    """Pictures as they are drawn, by the names of their files."""

    files: dict[str, bytes] = field(default_factory=dict)

    def shown(self, title: str, name: str, draw: "Callable[[], Figure]") -> list[str]:
        """Draw a picture and return the Markdown that shows it; nothing without Matplotlib.

        Where it cannot be drawn the Markdown says why.
        """
        if not can_plot():
            return []
        try:
            self.files[name] = painted(draw)
        except UndrawnError as error:
            return [f"{title}: {in_markdown(str(error))}"]
        return [f"![{title}]({name})"]


VERDICT_COLOURS = {AGREES: "#2f7f9e", CANNOT: "#e0b84c", DIFFERS: "#c8553d"}
"""By verdict; the words stand in the tables as well."""

NAMES = {
    "stopping_time": "stopping time",
    "rejection_rate": "rejection rate",
    "success": "probability of success",
}


def comparison(summary: pd.DataFrame) -> "Figure":
    """Draw stopping time, rejection rate and success against K, one column for each delta.

    This is the paper's Figure 1: an agent a line, with 95% intervals. Where there are published
    figures they are hollow marks beside the lines. UNI and EXP3 are told BAIR's stopping time.
    """
    from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

    deltas = list(dict.fromkeys(summary["delta"]))
    agents = list(dict.fromkeys(summary["agent"]))
    figure = new_figure(2.4 * max(2, len(deltas)), 6.0)
    grid = figure.subplots(3, len(deltas), sharex=True, sharey="row", squeeze=False)
    for row, name in zip(grid, NAMES, strict=True):
        for axes, delta in zip(row, deltas, strict=True):
            for place, agent in enumerate(agents):
                if is_given(agent, name):
                    continue
                here = summary["agent"].eq(agent) & summary["delta"].eq(delta)
                _line(axes, summary[here], name, f"C{place}", agent)
            axes.set_xscale("log")
            if name == "stopping_time":
                axes.set_yscale("log")
                axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
                axes.yaxis.set_major_formatter(ScalarFormatter())
                axes.yaxis.set_minor_formatter(NullFormatter())
                axes.set_title(f"δ = {delta:g}", fontsize=9)
            axes.tick_params(labelsize=7)
        row[0].set_ylabel(NAMES[name], fontsize=8)
    n_arms = sorted(set(summary["n_arms"]))
    for axes in grid[-1]:
        axes.set_xticks(n_arms, [str(arms) for arms in n_arms])
        axes.minorticks_off()
        axes.set_xlabel("K", fontsize=8)
    handles, labels = grid[-1][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def _line(axes: "Axes", rows: pd.DataFrame, figure: str, colour: str, label: str) -> None:
    values = rows[figure]
    errors = np.array([values - rows[f"{figure}_low"], rows[f"{figure}_high"] - values])
    axes.errorbar(
        rows["n_arms"],
        values,
        yerr=np.where(np.isnan(errors), 0.0, errors.clip(min=0.0)),
        color=colour,
        marker=".",
        linewidth=1,
        label=label,
    )
    beside = PUBLISHED[figure]
    if beside in rows:
        axes.plot(rows["n_arms"], rows[beside], "o", mfc="none", color=colour, markersize=5)


def grid_of_verdicts(found: pd.DataFrame, titles: dict[str, str]) -> "Figure":
    """Draw one square for each published figure, a row for each table, agent and metric.

    Args:
        found: as from `verdicts`, of all experiments.
        titles: by the experiments' names.
    """
    from matplotlib.patches import Patch

    judged = found[found["verdict"] != NOT_JUDGED]
    rows = list(judged.groupby(["experiment", "agent", "figure"], sort=False))
    figure = new_figure(8.5, 0.19 * len(rows) + 1.2)
    axes = figure.subplots()
    most = 0
    for place, ((name, _, _), cells) in enumerate(rows):
        ordered = cells.sort_values(["delta", "n_arms"], ascending=[False, True])
        colours = [VERDICT_COLOURS[verdict] for verdict in ordered["verdict"]]
        axes.barh(
            [place] * len(colours), 0.92, left=range(len(colours)), color=colours, height=0.86
        )
        most = max(most, len(colours))
        if place and rows[place - 1][0][0] != name:
            axes.axhline(place - 0.5, color="black", linewidth=0.7)
    axes.set_yticks(
        range(len(rows)),
        [f"{titles[name]}: {agent}, {NAMES[metric]}" for (name, agent, metric), _ in rows],
        fontsize=7,
    )
    axes.set_xticks([])
    axes.set_xlim(0, most)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("cells: δ from .1 down, in each K upwards", fontsize=8)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.legend(
        handles=[Patch(color=colour, label=verdict) for verdict, colour in VERDICT_COLOURS.items()],
        loc="lower center",
        bbox_to_anchor=(0.4, 1.0),
        ncols=3,
        frameon=False,
        fontsize=8,
    )
    return figure


def ladder(frame: pd.DataFrame, agents: Sequence[str]) -> "Figure":
    """Draw the stopping time of `agents` while one difference after the other is switched."""
    points: Any = frame.drop_duplicates("step")
    figure = new_figure(8.5, 0.26 * len(points) + 1.0)
    panels = figure.subplots(1, len(agents), sharey=True, squeeze=False)[0]
    for axes, agent in zip(panels, agents, strict=True):
        rows = frame[frame["agent"] == agent]
        times = rows["stopping_time"]
        errors = np.array([times - rows["stopping_time_low"], rows["stopping_time_high"] - times])
        axes.errorbar(times, rows["step"], xerr=errors, marker=".", linewidth=1, color="C0")
        axes.set_xlabel("stopping time", fontsize=8)
        axes.set_title(agent, fontsize=9)
        axes.grid(axis="y", linewidth=0.3)
        axes.tick_params(labelsize=7)
    panels[0].set_yticks(points["step"], points["point"])
    panels[0].invert_yaxis()
    return figure


def of_calibration(calibration: Calibration) -> str:
    """Return what the simulation says of the verdicts: false alarms, spread and power."""
    n_figures, draws = calibration.false_alarms.shape
    alarms = calibration.false_alarms.sum(axis=0)
    low, high = range_of(alarms)
    agreeing = calibration.agreeing.sum(axis=0)
    fewest, most = range_of(agreeing)
    said = (
        f"Users were drawn anew from ours, {draws} times, for us and for the paper. If every "
        f"published figure were a mean of a thousand runs of ours, {calibration.expected:.1f} of "
        f"the {n_figures} would differ by chance at |z| > {LIMIT:g} with normal errors; in the "
        f"simulation {alarms.mean():.1f} did ({low} to {high} in 95% of the draws). Judged against "
        f"what is really published, {fewest} to {most} figures agree over the draws: in brackets "
        "in the table above by agent and figure, as other seeds would have it (a little fewer, as "
        "drawing again adds an error)."
    )
    missed = (
        "What would be found: the share of figures that differ after the drawn published one was "
        "moved."
    )
    moves = zip(MOVES["stopping_time"], MOVES["success"], strict=True)
    header = ["figure", "agent", *(_in_words(factor, points) for factor, points in moves)]
    return "\n\n".join(
        ["## How far to trust the verdicts", said, missed, table(header, _power(calibration), 2)]
    )


def _in_words(factor: float, points: float) -> str:
    """Return one of the moves: of times and rates, and of successes."""
    return f"{factor - 1:.0%} longer, {f'{points:g}'.removeprefix('0')} less"


def _power(calibration: Calibration) -> list[list[str]]:
    """Return a row for each figure and agent, with the share found of each move."""
    rows = []
    groups = calibration.figures.groupby(["figure", "agent"], sort=False).indices
    for figure in MOVES:
        for (name, agent), places in groups.items():
            if name == figure:
                shares = [share(float(np.mean(one[places]))) for one in calibration.found]
                rows.append([NAMES[figure], agent, *shares])
    return rows


def of_reasons(
    found: pd.DataFrame,
    evidence: Sequence[Mapping[str, pd.DataFrame]],
    titles: Mapping[str, str],
) -> str:
    """Return the list of reasons that were tested, with how many figures each explains.

    Args:
        found: as from `verdicts`, of all experiments.
        evidence: of each experiment, by reason, what was tested.
        titles: of the experiments, by name.
    """
    lines = []
    for reason in REASONS:
        n_figures = int((found["reason"] == reason.key).sum())
        tested = sum(len(one[reason.key]) for one in evidence if reason.key in one)
        if tested:
            lines.append(
                f"- **{reason.key}. {reason.title}** ({n_figures} of {tested} figures tested). "
                f"{reason.text}"
            )
    n_differing = int((found["verdict"] == DIFFERS).sum())
    lines.append(
        f"- **unexplained** ({n_differing} figures): they *differ*, and no reason is known."
    )
    tried = [
        f"- {titles[name]}, {words}."
        for name, words in IN_VAIN.items()
        if DIFFERS in set(found.loc[found["experiment"] == name, "verdict"])
    ]
    if tried:
        lines += ["", "Tried by hand besides, in vain:", "", *tried]
    return "\n".join(lines)


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
    shown = new_table((*lead, *NAMES.values()), lead, padding=1, leading=len(lead))
    last = None
    for name, agent in dict.fromkeys((name, agent) for name, agent, _ in cells):
        figures = [cells.get((name, agent, figure), "") for figure in NAMES]
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
                lambda: grid_of_verdicts(found, titles),
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
        for verdict, colour in VERDICT_COLOURS.items()
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n<style>{STYLE}{colours}</style>\n</head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    )


WHOLE = ("acceptances", "rejections")
"""What begins to say that evidence is no figure of its own."""

HEADINGS = ("T", "rej. %", "success")
"""Of the columns of `pictures.NAMES`, in their order."""


def of_experiment(reproduction: Reproduction, gallery: Gallery) -> str:
    """Return the section of one experiment: its verdicts, figure by figure, and the evidence."""
    experiment = reproduction.experiment
    parts = [f"## {experiment.title}", *([experiment.note] if experiment.note else [])]
    if experiment.drawn or reproduction.found.empty:
        for setting, summary in reproduction.summaries.items():
            shown = gallery.shown(
                f"{experiment.title}, {setting}",
                f"{experiment.name}-{setting}.png",
                partial(comparison, summary),
            )
            parts += [f"### {setting}", *shown] if shown else []
        if experiment.data is None:
            parts.append(_plain_table(reproduction.summaries))
        return "\n\n".join(parts)
    for figure, rows in reproduction.found.groupby("figure", sort=False):
        parts += [f"### {NAMES[str(figure)].capitalize()}"]
        parts += [_verdict_table(str(figure), rows, list(reproduction.summaries))]
    without_n1 = _without_n1_table(reproduction)
    if without_n1:
        parts += ["### Stopping time less N_1, where N_1 is at least half of it", without_n1]
    failures = _failures_table(reproduction.summaries)
    if failures:
        parts += ["### How Track-and-Stop fails", failures]
    for key, evidence in reproduction.evidence.items():
        title = next(reason.title for reason in REASONS if reason.key == key)
        parts += [f"### Test of reason {key}: {title}", _evidence_table(evidence)]
    return "\n\n".join(parts)


def _verdict_table(figure: str, found: pd.DataFrame, settings: Sequence[str]) -> str:
    """Return one figure of every cell and agent, with its verdict."""
    decisive = decisive_of(settings)
    header = ["δ", "K", "agent", "paper", *settings, "z", "near", "verdict"]
    rows = []
    for one in found.to_dict("records"):
        row = [f"{one['delta']:g}", str(one["n_arms"]), one["agent"]]
        row.append(number(figure, one["published"]))
        row += [figure_with_interval(figure, one, setting) for setting in settings]
        row += [errors(one[f"{decisive}_z"]), "yes" if one[f"{decisive}_near"] else "no"]
        row.append(f"{CANNOT}: {one['reason']}" if one["reason"] else one["verdict"])
        rows.append(row)
    return table(header, rows, 0)


def _without_n1_table(reproduction: Reproduction) -> str:
    """Return the times of which N_1 is most without it: it is given, the rest is found."""
    decisive = decisive_of(reproduction.summaries)
    rows = []
    for one in reproduction.found.to_dict("records"):
        if one["n1"] > 0.0:
            published, ours = one["published"] - one["n1"], one[decisive] - one["n1"]
            error = one[f"{decisive}_high"] - one[decisive]
            near = "yes" if one[f"{decisive}_near"] else "no"
            place = [f"{one['delta']:g}", str(one["n_arms"]), one["agent"], f"{one['n1']:.0f}"]
            shown = [f"{published:.0f}", f"{ours:.0f} ± {error:.0f}"]
            rows.append([*place, *shown, errors(one[f"{decisive}_z"]), near])
    header = ["δ", "K", "agent", "N_1", "paper", decisive, "z", "near"]
    return table(header, rows, 0) if rows else ""


def _failures_table(summaries: Mapping[str, pd.DataFrame]) -> str:
    """Return Track-and-Stop's wrong answers and its runs cut off by the cap, apart."""
    rows = []
    for both in zip(*(summary.to_dict("records") for summary in summaries.values()), strict=True):
        if both[0]["agent"] == "T&S":
            published = 1.0 - both[0][PUBLISHED["success"]]
            shares = [share(one[name]) for one in both for name in ("wrong", "censored")]
            cell = [f"{both[0]['delta']:g}", str(both[0]["n_arms"])]
            rows.append([*cell, share(published), *shares])
    header = ["δ", "K", "paper: not right"]
    for setting in summaries:
        header += [f"{setting}: wrong", f"{setting}: cut off"]
    return table(header, rows, 0) if rows else ""


def _plain_table(summaries: Mapping[str, pd.DataFrame]) -> str:
    header = ["δ", "K", "agent"]
    for name in HEADINGS:
        header += [f"{name}: {setting}" for setting in summaries]
    rows = []
    columns = [summary.to_dict("records") for summary in summaries.values()]
    for both in zip(*columns, strict=True):
        row = [f"{both[0]['delta']:g}", str(both[0]["n_arms"]), both[0]["agent"]]
        for figure in NAMES:
            for one in both:
                row.append(figure_with_interval(figure, one, figure))
        rows.append(row)
    return table(header, rows, 0)


def _evidence_table(evidence: pd.DataFrame) -> str:
    rows = []
    for row in evidence.to_dict("records"):
        figure = row["figure"]
        kind = "stopping_time" if row["at"].startswith(WHOLE) else figure
        rows.append(
            [
                f"{row['delta']:g}",
                str(row["n_arms"]),
                row["agent"],
                NAMES[figure],
                number(figure, row["published"]),
                number(kind, row["found"]),
                row["at"],
                "yes" if row["explained"] else "no",
            ]
        )
    header = ["δ", "K", "agent", "figure", "paper", "test gives", "with", "explains it"]
    return table(header, rows, 0)


def of_ladder(
    frame: pd.DataFrame, gallery: Gallery, agents: Sequence[str] = ("BAIR", "T&S")
) -> str:
    """Return the section on what differs between text and code, and what each difference does."""
    said = [[one.point, one.printed, one.released] for one in DIFFERENCES]
    parts = ["## What differs between the paper's text and its released code"]
    parts.append(table(["point", "`printed`: the text", "`released`: the code"], said, 3))
    parts.append(
        "Switched one after the other, from the text above to the code below, at one cell; in "
        "brackets what the difference does alone, in the paper's text."
    )
    header = ["step"] + [f"{agent}: {name}" for agent in agents for name in HEADINGS]
    rows = []
    for _, step in frame.groupby("step"):
        cells = [str(step["point"].iloc[0])]
        for agent in agents:
            one = step[step["agent"] == agent].iloc[0]
            for figure in NAMES:
                alone = number(figure, one[f"alone_{figure}"])
                cells.append(f"{figure_with_interval(figure, one, figure)} ({alone})")
        rows.append(cells)
    parts.append(table(header, rows))
    parts += gallery.shown("The ladder", "ladder.png", lambda: ladder(frame, agents))
    return "\n\n".join(parts)
