"""The report's sections: one for each experiment, the reasons, and the ladder."""

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd

from explorative_user_env.display.numbers import share
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.settings import DIFFERENCES
from explorative_user_env.studies.paper.reasons import REASONS
from explorative_user_env.studies.paper.reproduction import Reproduction
from explorative_user_env.studies.paper.verdicts import CANNOT, decisive_of
from explorative_user_env.studies.report import pictures
from explorative_user_env.studies.report.cells import errors, figure_with_interval, number, table
from explorative_user_env.studies.report.gallery import Gallery

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
                partial(pictures.comparison, summary),
            )
            parts += [f"### {setting}", *shown] if shown else []
        if experiment.data is None:
            parts.append(_plain_table(reproduction.summaries))
        return "\n\n".join(parts)
    for figure, rows in reproduction.found.groupby("figure", sort=False):
        parts += [f"### {pictures.NAMES[str(figure)].capitalize()}"]
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
        for figure in pictures.NAMES:
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
                pictures.NAMES[figure],
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
            for figure in pictures.NAMES:
                alone = number(figure, one[f"alone_{figure}"])
                cells.append(f"{figure_with_interval(figure, one, figure)} ({alone})")
        rows.append(cells)
    parts.append(table(header, rows))
    parts += gallery.shown("The ladder", "ladder.png", lambda: pictures.ladder(frame, agents))
    return "\n\n".join(parts)
