"""Where a published figure differs from ours: would another way to run the agent give it?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.evaluation import evaluate
from explorative_user_env.evaluation.progress import OnProgress, portion

from .records import Experiment

Row = dict[str, Any]


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
    on_progress: OnProgress,
    **options: Any,
) -> pd.DataFrame:
    """Return what each alternative gives in each cell.

    Args:
        experiment: whose users they meet.
        cells: each with `delta`, `n_arms`, `agent`, and what `alternatives` needs.
        alternatives: what is tried in a cell.
        on_progress: told the cell and the alternative.
        options: passed on to `evaluate`, the setting among them.

    Returns:
        The rows of `Results.summary`, with the cell's own `agent` and with `what`.
    """
    tried = [(cell, other) for cell in cells for other in alternatives(cell)]
    frames = []
    for index, (cell, other) in enumerate(tried):
        report = portion(on_progress, index, len(tried))
        summary = evaluate(
            [other.agent],
            delta=cell["delta"],
            n_arms=cell["n_arms"],
            alpha=experiment.alpha,
            gap=experiment.gap,
            noise=experiment.noise,
            horizon=other.horizon or 1,
            progress=report,
            **options,
        ).summary()
        frames.append(summary.assign(agent=cell["agent"], what=other.what))
    return pd.concat(frames, ignore_index=True)
