"""From the paper's text to its released code, one difference at a time, and what each does."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from explorative_user_env.display.progress import OnProgress, portion
from explorative_user_env.evaluation import evaluate
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.settings import PRINTED, RELEASED, Setting
from explorative_user_env.studies.paper.records import AGENTS


@dataclass(frozen=True)
class Difference:
    """One point in which text and code differ.

    Attributes:
        point: what it is about.
        printed: what the text says.
        released: what the code does.
        fields: the fields of `Setting` that make it, which change together.
    """

    point: str
    printed: str
    released: str
    fields: tuple[str, ...]

    def switched(self, setting: Setting) -> Setting:
        """Return `setting` with this point as the code has it."""
        changes: dict[str, Any] = {name: getattr(RELEASED, name) for name in self.fields}
        return replace(setting, **changes)


DIFFERENCES = (
    Difference("arm means", "N(0, 1)", "Uniform(0, 1)", ("means",)),
    Difference(
        "user at the start", "no history", "one private draw of every arm", ("private_draws",)
    ),
    Difference(
        "Gamma and rho_t before the first acceptance",
        "n(t) as it is, rho_t = 1",
        "max(n(t), 1), rho_t = 2",
        ("least_n", "rho_at_start"),
    ),
    Difference("rho_t", "1 + n(t)/t", "1 + (K + n(t))/(2K + t)", ("rho",)),
    Difference("rho_t follows", "every response", "acceptances only", ("rho_refresh",)),
    Difference("she rejects i if", "lcb_j >= ucb_i", "lcb_j > ucb_i", ("rejects_ties",)),
    Difference("BAIR: N_1", "(2K/delta)^(1/alpha)", "(2(K-1)/delta)^(1/alpha)", ("bair_n1",)),
    Difference(
        "BAIR: first sweep",
        "over all of F",
        "skips the arm after a rejected one",
        ("bair_first_sweep",),
    ),
    Difference("BAIR: Phase 2", "the fewest acceptances in F", "round robin", ("bair_phase2",)),
    Difference(
        "BAIR(m), with click noise",
        "m = 2 log(K/delta)",
        "a multiple of log(2K/delta) at p' = .9",
        ("bair_m",),
    ),
    Difference("UNI", "stops at T", "ends the pass it is in", ("uniform_whole_passes",)),
    Difference(
        "EXP3: learning rate",
        "sqrt(log K/(KT))",
        "sqrt(2 log K/(KT))",
        ("exp3_learning_rate",),
    ),
    Difference("EXP3: answer", "most accepted", "most recommended", ("exp3_answer",)),
    Difference(
        "T&S: start",
        "each arm recommended once",
        "counts of one taken for granted",
        ("tas_primed",),
    ),
    Difference(
        "T&S: step cap",
        "none (a million)",
        "max(10 000, 1000 K), fitted",
        ("tas_max_steps", "tas_max_steps_per_arm"),
    ),
    Difference("answer among tied arms", "at random", "the first", ("answer_ties",)),
    Difference(
        "reported time", "interactions", "and the K private draws", ("counts_private_draws",)
    ),
    Difference(
        "reported rejections",
        "rejections",
        "and the K private draws, but for T&S",
        ("private_draws_rejected",),
    ),
    Difference("rejection rate", "mean of ratios", "ratio of means", ("rejection_rate",)),
    Difference(
        "runs cut off by the cap",
        "count in full",
        "left out of time and rejections",
        ("drops_censored",),
    ),
)
"""All of them: switched one after the other they lead from `PRINTED` to `RELEASED`."""

PRINTED_STEP = "the paper's text"


def run_ladder(
    *,
    delta: float = 0.1,
    n_arms: int = 5,
    agents: Sequence[str] = AGENTS,
    on_progress: OnProgress,
    **options: Any,
) -> pd.DataFrame:
    """Return the figures of `agents` while one difference after the other is switched.

    All of them meet the same users (as far as a difference leaves users the same), so that even
    small effects show.

    Args:
        delta: as for `evaluate`, like all others.
        n_arms: K.
        agents: who takes part.
        on_progress: as for `run_cells`.
        options: passed on to `evaluate`.

    Returns:
        A row for each step and agent: `step` from 0, `point`, `agent`, and the figures with their
        intervals; the same with `alone_` before them, where this difference alone is switched.
    """
    settings = [PRINTED]
    for difference in DIFFERENCES:
        settings.append(difference.switched(settings[-1]))
    alone = [PRINTED, *(difference.switched(PRINTED) for difference in DIFFERENCES)]
    points = [PRINTED_STEP, *(difference.point for difference in DIFFERENCES)]
    frames = []
    runs = [*settings, *alone[2:]]  # the first two are steps of the ladder as well
    for index, setting in enumerate(runs):
        results = evaluate(
            agents,
            setting=setting,
            delta=delta,
            n_arms=n_arms,
            progress=portion(on_progress, index, len(runs)),
            **options,
        )
        frames.append(results.summary())
    names = [f"{figure}{end}" for figure in PUBLISHED for end in ("", "_low", "_high")]
    rows = []
    for step, point in enumerate(points):
        by_itself = frames[step] if step < 2 else frames[len(settings) + step - 2]
        for row, lone in zip(
            frames[step].to_dict("records"), by_itself.to_dict("records"), strict=True
        ):
            figures = {name: row[name] for name in names}
            figures |= {f"alone_{name}": lone[name] for name in names}
            rows.append({"step": step, "point": point, "agent": row["agent"], **figures})
    return pd.DataFrame(rows)
