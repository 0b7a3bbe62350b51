"""The report's sections: one for each experiment, the reasons, and the ladder."""

from collections.abc import Mapping, Sequence

import pandas as pd

from explorative_user_env.display.figures import as_data_uri, can_plot
from explorative_user_env.display.numbers import share
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.settings import DIFFERENCES
from explorative_user_env.studies.paper.reasons import REASONS
from explorative_user_env.studies.paper.reproduction import Reproduction
from explorative_user_env.studies.paper.verdicts import CANNOT, DIFFERS
from explorative_user_env.studies.report import pictures
from explorative_user_env.studies.report.cells import figure_with_interval, number, table

HEADINGS = ("T", "rej. %", "success")
"""Of the columns of `pictures.NAMES`, in their order."""


def of_experiment(reproduction: Reproduction) -> str:
    """Return the section of one experiment: its verdicts, figure by figure, and the evidence."""
    experiment = reproduction.experiment
    parts = [f"## {experiment.title}", *([experiment.note] if experiment.note else [])]
    if experiment.drawn or reproduction.found.empty:
        for setting, summary in reproduction.summaries.items():
            if can_plot():
                address = as_data_uri(pictures.comparison(summary))
                parts.append(f"### {setting}\n\n![{experiment.title}, {setting}]({address})")
        if experiment.data is None:
            parts.append(_plain_table(reproduction.summaries))
        return "\n\n".join(parts)
    parts.append(_verdict_table(reproduction))
    failures = _failures_table(reproduction.summaries)
    if failures:
        parts += ["### How Track-and-Stop fails", failures]
    for key, evidence in reproduction.evidence.items():
        title = next(reason.title for reason in REASONS if reason.key == key)
        parts += [f"### Test of reason {key}: {title}", _evidence_table(evidence)]
    return "\n\n".join(parts)


def _verdict_table(reproduction: Reproduction) -> str:
    settings = list(reproduction.summaries)
    header = ["δ", "K", "agent"]
    for name in HEADINGS:
        header += [f"{name}: paper", *settings, "verdict"]
    found = reproduction.found.set_index(["delta", "n_arms", "agent", "figure"])
    rows = []
    for place in dict.fromkeys(index[:3] for index in found.index):
        row = [f"{place[0]:g}", str(place[1]), str(place[2])]
        for figure in pictures.NAMES:
            if (*place, figure) not in found.index:
                row += [""] * (len(settings) + 2)
                continue
            one = found.loc[(*place, figure)]
            row.append(number(figure, one["published"]))
            row += [figure_with_interval(figure, one, setting) for setting in settings]
            row.append(f"{CANNOT}: {one['reason']}" if one["reason"] else one["verdict"])
        rows.append(row)
    return table(header, rows, 0)


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
        kind = "stopping_time" if row["at"] == "N_1" else figure  # N_1 is a whole number too
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


def of_reasons(found: pd.DataFrame) -> str:
    """Return the list of reasons, with how many figures each explains in this report."""
    lines = []
    for reason in REASONS:
        n_figures = int((found["reason"] == reason.key).sum())
        lines.append(f"- **{reason.key}. {reason.title}** ({n_figures} figures). {reason.text}")
    n_differing = int((found["verdict"] == DIFFERS).sum())
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
    if can_plot():
        parts.append(f"![The ladder]({as_data_uri(pictures.ladder(frame, agents))})")
    return "\n\n".join(parts)
