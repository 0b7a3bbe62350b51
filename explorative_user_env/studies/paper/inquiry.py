"""Where a published figure differs from ours: would another way to run the agent give it?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display.progress import OnProgress, portion
from explorative_user_env.evaluation import Results, evaluate
from explorative_user_env.evaluation.grid import times_for
from explorative_user_env.studies.paper.comparison import with_errors
from explorative_user_env.studies.paper.records import Experiment

Row = dict[str, Any]

Known = dict[Any, Results]
"""What alternatives gave, by cell and agent: for one experiment, setting, seed and users."""


@dataclass(frozen=True)
class Alternative:
    """Another way to run an agent in a cell.

    Attributes:
        what: what is different, in a few words.
        agent: the agent.
        horizon: T if it needs one.
    """

    what: str
    agent: AlgorithmAgent
    horizon: int | None = None


def run_alternatives(
    experiment: Experiment,
    cells: Sequence[Row],
    alternatives: Callable[[Row], Sequence[Alternative]],
    *,
    progress: OnProgress,
    **options: Any,
) -> pd.DataFrame:
    """Return what each alternative gives in each cell.

    Args:
        experiment: whose users they meet.
        cells: each with `delta`, `n_arms`, `agent`, and what `alternatives` needs.
        alternatives: what is tried in a cell.
        progress: told the cell and the alternative.
        options: passed on to `evaluate`, the setting among them; and `known`, where what runs is
            kept for whoever asks for it again.

    Returns:
        The rows of `with_errors`, with the cell's own `agent` and with `what`.
    """
    tried = [(cell, other) for cell in cells for other in alternatives(cell)]
    frames = []
    for index, (cell, other) in enumerate(tried):
        report = portion(progress, index, len(tried))
        summary = with_errors(_run(experiment, cell, other, progress=report, **options))
        frames.append(summary.assign(agent=cell["agent"], what=other.what))
    return pd.concat(frames, ignore_index=True)


def run_under_caps(
    experiment: Experiment,
    cells: Sequence[Row],
    agent: AlgorithmAgent,
    caps: Sequence[int],
    *,
    progress: OnProgress,
    **options: Any,
) -> pd.DataFrame:
    """Return what `agent` gives in each cell under each step cap, as from `run_alternatives`.

    A cap only cuts runs off, so all of them follow from the runs under the agent's own, which is
    the largest. The setting has to leave out what is cut off, as rejections would be wrong here.
    """
    frames = []
    for index, cell in enumerate(cells):
        report = portion(progress, index, len(cells))
        found = _run(experiment, cell, Alternative("", agent), progress=report, **options)
        for cap in caps:
            summary = with_errors(replace(found, runs=_cut_off(found.runs, cap)))
            frames.append(summary.assign(agent=cell["agent"], what=f"a cap of {cap}"))
    return pd.concat(frames, ignore_index=True)


def _cut_off(runs: pd.DataFrame, cap: int) -> pd.DataFrame:
    """Return runs as a step cap would have left them, but for their rejections."""
    too_long = runs["interactions"] > cap
    beyond = (runs["interactions"] - cap).clip(lower=0)
    return runs.assign(
        censored=runs["censored"] | too_long, stopping_time=runs["stopping_time"] - beyond
    )


def _run(
    experiment: Experiment,
    cell: Row,
    other: Alternative,
    *,
    known: Known | None = None,
    progress: OnProgress,
    **options: Any,
) -> Results:
    """Return what comes of an alternative in a cell, from `known` if it has run there already."""
    agent = other.agent
    key = (cell["delta"], cell["n_arms"], agent.algorithm.name, repr(agent), other.horizon)
    results = None if known is None else known.get(key)
    if results is None:
        results = evaluate(
            [agent],
            delta=cell["delta"],
            n_arms=cell["n_arms"],
            alpha=experiment.alpha,
            gap=experiment.gap,
            noise=experiment.noise,
            progress=progress,
            **times_for([agent], other.horizon),
            **options,
        )
    if known is not None:
        known[key] = results
    return results
