"""BAIR-C, which has no N_1: it bounds the probability of each single rejection.

BAIR needs N_1 acceptances before it trusts a rejection. BAIR-C computes how improbable a rejection
of arm i would be if i were the best arm, and eliminates i only if the rejection is improbable
enough. A rejection of the best arm i because of arm j needs an error of hat mu_j - hat mu_i of at
least sqrt(Gamma) (1/sqrt(n_i) + 1/sqrt(n_j)). This difference has the variance 1/n_i + 1/n_j. So
the rejection has probability at most Q(sqrt(Gamma (1 + kappa))), where Q is the upper tail of
N(0, 1) and kappa = 2 sqrt(n_i n_j)/(n_i + n_j). P_i is the sum over all j.

BAIR-C eliminates arm i if P_i <= delta/((k + 1)(k + 2)), k = floor(log2 n_i); the thresholds sum to
delta. That a wrong answer has probability at most delta is **a conjecture**. The bound holds for
fixed counts, but the counts depend on the responses. The sum counts one rejection for each k, but
several can occur. The simulations in `tests/agents/test_adaptive_bair.py` show no failure.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import validation
from explorative_user_env.protocol import STOP, Algorithm

from .adapter import AlgorithmAgent, agent_maker, largest

#: The status of an arm. F is the set of arms that are not ELIMINATED. A rejected arm in F is
#: WAITING. A DUE arm is recommended next.
ACTIVE, WAITING, ELIMINATED, DUE = range(4)

#: A waiting arm is recommended again when n(t) has grown by this factor since its rejection.
RETRY = 1.05

#: Eliminated arms are recommended again when n(t) has grown by this factor since an elimination.
REVIEW = 2


class Params(NamedTuple):
    """The parameters of a run."""

    n_arms: int  # K
    delta: float  # the allowed probability of a wrong answer
    alpha: float  # the user's alpha
    rho_0: float  # the least rho_t
    counted: bool  # whether rho_t = 1 + (n(t) + prior_acceptances)/(t + prior_interactions)
    prior_acceptances: float
    prior_interactions: float


class State(NamedTuple):
    """The state of BAIR-C."""

    accepted: list[int]  # n_i
    status: list[int]  # ACTIVE, WAITING, ELIMINATED or DUE
    rejected_at: list[int]  # n(t) at the latest rejection of each arm
    n_candidates: list[int]  # [number of arms that are not eliminated]
    acceptances: list[int]  # [n(t)]
    steps: list[int]  # [t]
    reviewed_at: list[int]  # [n(t) at the latest elimination or review]
    scores: list[int]  # compared by `verdict`


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Validate the options and return the parameters of a run."""
    prior = options["rho_prior"]
    return Params(
        n_arms,
        validation.risk("delta", options["delta"]),
        validation.positive("alpha", options["alpha"]),
        validation.positive("rho_0", options["rho_0"]),
        prior is not None,
        *validation.finite_vector("rho_prior", (0.0, 0.0) if prior is None else prior, 2),
    )


def blank(params: Params) -> State:
    """Return a blank state, which `start` fills."""
    accepted, status, rejected_at, scores = ([0] * params.n_arms for _ in range(4))
    return State(accepted, status, rejected_at, [0], [0], [0], [0], scores)


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Start with all arms in F."""
    for arm in range(params.n_arms):
        state.accepted[arm] = state.rejected_at[arm] = 0
        state.status[arm] = ACTIVE
    state.n_candidates[0] = params.n_arms
    state.acceptances[0] = state.steps[0] = state.reviewed_at[0] = 0


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return a due arm, or else the active arm with the fewest acceptances; `STOP` if |F| = 1."""
    if state.n_candidates[0] == 1:
        return STOP
    fewest = longest_ago = -1
    for arm in range(params.n_arms):
        status, since = state.status[arm], state.rejected_at[arm]
        if status == DUE or (status == WAITING and state.acceptances[0] >= RETRY * since + 1.0):
            return arm
        if status == ACTIVE and (fewest < 0 or state.accepted[arm] < state.accepted[fewest]):
            fewest = arm
        if status == WAITING and (longest_ago < 0 or since < state.rejected_at[longest_ago]):
            longest_ago = arm
    return fewest if fewest >= 0 else longest_ago


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Count the response; eliminate a rejected arm if P_i is small enough."""
    was_due = state.status[arm] == DUE
    if accepted:
        state.accepted[arm] += 1
        state.acceptances[0] += 1
        state.status[arm] = ACTIVE
    else:
        state.rejected_at[arm] = state.acceptances[0]
        state.status[arm] = WAITING
        if chance_of_rejection(params, state, arm) <= threshold(params.delta, state.accepted[arm]):
            state.status[arm] = ELIMINATED
            state.n_candidates[0] -= 1
            if not was_due:
                state.reviewed_at[0] = state.acceptances[0]
    state.steps[0] += 1
    # A wrongly eliminated best arm is accepted again as Gamma grows. Without a review, a run in
    # which the other arms have equal means might never end.
    if state.acceptances[0] >= REVIEW * max(state.reviewed_at[0], params.n_arms):
        state.reviewed_at[0] = state.acceptances[0]
        for each in range(params.n_arms):
            if state.status[each] == ELIMINATED:
                state.status[each] = DUE
                state.n_candidates[0] += 1


def threshold(delta: float, n: int) -> float:
    """Return delta/((k + 1)(k + 2)), k = floor(log2 n); k = 0 for n = 0."""
    k = 0
    while n > 1:
        n //= 2
        k += 1
    return delta / ((k + 1.0) * (k + 2.0))


def chance_of_rejection(params: Params, state: State, arm: int) -> float:
    """Return P_i, a bound on the probability of a rejection of arm i if i is the best arm."""
    n, rho = state.acceptances[0], params.rho_0
    seen = state.steps[0] + params.prior_interactions
    if params.counted and seen > 0.0:
        rho = 1.0 + (n + params.prior_acceptances) / seen
    gamma = 2.0 * params.alpha * math.log(rho * n) if rho * n > 1.0 else 0.0
    own = max(state.accepted[arm], 1)  # she rejects an arm without acceptances after private draws
    total = 0.0
    for other in range(params.n_arms):
        if other != arm:
            rival = max(state.accepted[other], 1)
            kappa = 2.0 * math.sqrt(own * rival) / (own + rival)
            total += 0.5 * math.erfc(math.sqrt(gamma * (1.0 + kappa) / 2.0))
    return total


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the most accepted arm of F; ties at random."""
    for arm in range(params.n_arms):
        eliminated = state.status[arm] == ELIMINATED
        state.scores[arm] = -1 if eliminated else state.accepted[arm]
    return largest(state.scores, rng)


def explain(params: Any, state: Any) -> Mapping[str, Any]:
    """Return F, the rejected arms that stay in F, and n_i."""
    return {
        "F": [status != ELIMINATED for status in state.status],
        "rejected, but in F": [status == WAITING for status in state.status],
        "n_i": list(state.accepted),
    }


ALGORITHM = Algorithm(
    "BAIR-C",
    *(prepare, blank, start, act, observe, verdict),
    defaults={"delta": 0.1, "alpha": 1.0, "rho_0": 1.0, "rho_prior": None},
    explain=explain,
)


@agent_maker(ALGORITHM)
def AdaptiveBAIR() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return BAIR-C, an agent without Phase 1 that eliminates an arm by the bound on its rejection.

    BAIR-C knows alpha and rho_t, as BAIR does, and neither the law of the means nor the gap. It
    assumes Gaussian rewards of variance 1 and no click noise. The bound delta on the probability of
    a wrong answer is a conjecture; the module's docstring says what is missing in the proof. Below
    alpha = 1 with small delta, runs are long: for alpha = .5 and delta = .01 BAIR-C needs as many
    steps as BAIR. `evaluate` and `rollout` fill in an option that is None. Elsewhere the defaults
    below hold.

    Args:
        delta: allowed probability of a wrong answer, in (0, 1); default 0.1.
        alpha: the user's alpha, above 0; default 1.
        rho_0: the least rho_t, above 0; it replaces rho_t if `rho_prior` is None; default 1.
        rho_prior: two numbers (a K, b K) if rho_t = 1 + (a K + n(t))/(b K + t), as in both
            settings; default None.
    """
