"""The parts of a run of BAIR, and what it says of itself in them."""

from collections.abc import Mapping
from typing import Any

from explorative_user_env.protocol import Against

SWEEP, ROUNDS, ELIMINATION = 0, 1, 2
"""The parts of a run: Phase 1's first sweep, Phase 1's rounds, Phase 2."""

PHASES = ("Phase 1, first sweep", "Phase 1, rounds", "Phase 2, elimination")
"""What they are called."""


def explain(params: Any, state: Any) -> Mapping[str, Any]:
    """Return the phase, F, the progress to N_1, n_i and, if m is above 1, the rejections so far."""
    told: dict[str, Any] = {"phase": PHASES[state.part[0]]}
    if params.n1 > 0.0:
        what = "steps" if params.counts_steps else "acceptances"
        told[f"{what} of N_1"] = Against(state.progress[0], params.n1)
    told["F"] = [bool(each) for each in state.candidate]
    told["n_i"] = list(state.accepted)
    if params.m > 1:
        told["rejections of m"] = Against(list(state.rejected), [params.m] * params.n_arms)
    return told
