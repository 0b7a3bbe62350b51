"""From the paper's text to its released code, one difference at a time, and what each does."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from explorative_user_env.display.progress import OnProgress, portion
from explorative_user_env.evaluation import evaluate
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.settings import DIFFERENCES, PRINTED
from explorative_user_env.studies.paper.records import LINE_UP

PRINTED_STEP = "the paper's text"


def run_ladder(
    *,
    delta: float = 0.1,
    n_arms: int = 5,
    agents: Sequence[str] = LINE_UP,
    progress: OnProgress,
    **options: Any,
) -> pd.DataFrame:
    """Return the figures of `agents` while one difference after the other is switched.

    All of them meet the same users (as far as a difference leaves users the same), so that even
    small effects show.

    Args:
        delta: as for `evaluate`, like all others.
        n_arms: K.
        agents: who takes part.
        progress: as for `grid.run_cells`.
        options: passed on to `evaluate`.

    Returns:
        A row for each step and agent: `step` from 0, `point`, `agent`, and the figures with their
        intervals; the same with `alone_` before them, where this difference alone is switched.
    """
    ladder = [PRINTED]
    for difference in DIFFERENCES:
        ladder.append(difference.switched(ladder[-1]))
    alone = [PRINTED, *(difference.switched(PRINTED) for difference in DIFFERENCES)]
    points = [PRINTED_STEP, *(difference.point for difference in DIFFERENCES)]
    settings = list(dict.fromkeys([*ladder, *alone]))  # the first two steps are each alone as well
    found = {}
    for index, setting in enumerate(settings):
        results = evaluate(
            agents,
            setting=setting,
            delta=delta,
            n_arms=n_arms,
            progress=portion(progress, index, len(settings)),
            **options,
        )
        found[setting] = results.summary().to_dict("records")
    names = [f"{figure}{end}" for figure in PUBLISHED for end in ("", "_low", "_high")]
    rows = []
    for step, (point, here, lone) in enumerate(zip(points, ladder, alone, strict=True)):
        for row, by_itself in zip(found[here], found[lone], strict=True):
            figures = {name: row[name] for name in names}
            figures |= {f"alone_{name}": by_itself[name] for name in names}
            rows.append({"step": step, "point": point, "agent": row["agent"], **figures})
    return pd.DataFrame(rows)
