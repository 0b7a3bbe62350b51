"""The report's sections on its verdicts: how far to trust them, and the reasons for them."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from explorative_user_env.display.numbers import share
from explorative_user_env.studies.paper.agreement import LIMIT
from explorative_user_env.studies.paper.calibration import MOVES, Calibration, range_of
from explorative_user_env.studies.paper.reasons import IN_VAIN, REASONS
from explorative_user_env.studies.paper.verdicts import DIFFERS
from explorative_user_env.studies.report import pictures
from explorative_user_env.studies.report.cells import table


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
                rows.append([pictures.NAMES[figure], agent, *shares])
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
