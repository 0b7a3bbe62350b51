"""BAIR, the paper's agent (Algorithms 1 and 2), and SE, which is BAIR without Phase 1.

Phase 1 recommends arms until N_1 acceptances, so that the user's intervals become narrow. Phase 2
recommends the remaining arm with the fewest acceptances and eliminates an arm after m rejections.

SE is successive elimination (Even-Dar, Mannor and Mansour 2006, "Action elimination and stopping
conditions for the multi-armed bandit and reinforcement learning problems"). The published algorithm
compares intervals to eliminate an arm; here the user's rejections eliminate it. The code of SE is
that of BAIR, with N_1 = 0.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import validation
from explorative_user_env.protocol import STOP, Against, Algorithm

from .adapter import AlgorithmAgent, agent_maker, is_second, largest

#: The parts of a run: the first sweep of Phase 1, the rounds of Phase 1, Phase 2.
SWEEP, ROUNDS, ELIMINATION = 0, 1, 2

#: The names of the parts.
PHASES = ("Phase 1, first sweep", "Phase 1, rounds", "Phase 2, elimination")


class Params(NamedTuple):
    """The parameters of a run."""

    n_arms: int  # K
    n1: float  # N_1
    counts_steps: bool  # Phase 1 ends after N_1 recommendations, not acceptances
    skips: bool  # in the first sweep, a rejection makes BAIR skip the next arm
    round_robin: bool  # Phase 2 recommends the remaining arms in turn
    m: int  # rejections in Phase 2 that eliminate an arm
    consecutive: bool  # an acceptance resets the arm's count of rejections


class State(NamedTuple):
    """The state of BAIR."""

    accepted: list[int]  # n_i
    rejected: list[int]  # rejections of each arm in Phase 2; m of them eliminate the arm
    candidate: list[int]  # 1 for an arm in F, the set of remaining arms
    n_candidates: list[int]  # [|F|]
    following: list[int]  # linked list of F: the next arm; K after the last
    preceding: list[int]  # linked list of F: the previous arm; K before the first
    heap: list[int]  # remaining arms in Phase 2; the first has the fewest acceptances
    part: list[int]  # [current part of the algorithm: SWEEP, ROUNDS or ELIMINATION]
    current: list[int]  # [the arm to recommend]
    progress: list[int]  # [acceptances (or steps) until now; Phase 1 ends at N_1]
    scores: list[int]  # compared by `verdict`


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Validate the options and return the parameters of a run."""
    delta = validation.risk("delta", options["delta"])
    alpha = validation.positive("alpha", options["alpha"])
    rho_0 = validation.positive("rho_0", options["rho_0"])
    noise = validation.probability("noise", options["noise"])
    return Params(
        n_arms=n_arms,
        n1=phase1_acceptances(options["n1"], n_arms, delta, alpha, rho_0),
        counts_steps=is_second(options, "phase1_counts", "acceptances", "steps"),
        skips=is_second(options, "first_sweep", "full", "skipping"),
        round_robin=is_second(options, "phase2", "fewest acceptances", "round robin"),
        m=eliminating_rejections(options["m"], n_arms, delta, noise),
        consecutive=is_second(options, "rejections", "all", "consecutive"),
    )


def phase1_acceptances(n1: Any, n_arms: int, delta: float, alpha: float, rho_0: float) -> float:
    """Return N_1 for the option `n1`, which may be a number.

    "paper" means (2K/delta)^(1/alpha)/rho_0 (Lemma lm:phase2bound1 of the paper). "proof" means the
    same with 2(K-1) in place of 2K, as in the proof of the lemma.
    """
    if not isinstance(n1, str) or n1 not in ("paper", "proof"):
        allowed = '"paper", "proof" or a number of at least 0'
        return validation.real("n1", n1, allowed, lambda number: number >= 0.0)
    arms = n_arms if n1 == "paper" else n_arms - 1
    allowed = "large enough for a finite N_1"
    try:
        power = float((2 * arms / delta) ** (1 / alpha))
    except OverflowError:
        power = math.inf
    if power == math.inf:
        raise validation.InvalidArgumentError("alpha", alpha, allowed)
    if power / rho_0 == math.inf:
        raise validation.InvalidArgumentError("rho_0", rho_0, allowed)
    return power / rho_0


def eliminating_rejections(m: Any, n_arms: int, delta: float, noise: float) -> int:
    """Return the number of rejections after which Phase 2 eliminates an arm.

    Without click noise "paper" and "released" mean 1. With noise "paper" means 2 log(K/delta),
    rounded up (caption of the click-noise table). "released" then means the least integer above
    8 p'(1-p')/(2p'-1)^2 log(2K/delta) with p' = 0.9, as in the released code.
    """
    if not isinstance(m, str) or m not in ("paper", "released"):
        try:
            return validation.integer("m", m, 1)
        except validation.InvalidArgumentError:
            allowed = '"paper", "released" or an integer of at least 1'
            raise validation.InvalidArgumentError("m", m, allowed) from None
    if noise == 0.0:
        return 1
    if m == "paper":
        return math.ceil(2 * math.log(n_arms / delta))
    return math.floor(8 * 0.9 * 0.1 / (2 * 0.9 - 1) ** 2 * math.log(2 * n_arms / delta)) + 1


def blank(params: Params) -> State:
    """Return a blank state, which `start` fills."""
    n_arms = params.n_arms
    accepted, rejected, candidate, heap, scores = ([0] * n_arms for _ in range(5))
    links = ([0] * (n_arms + 1), [0] * (n_arms + 1))
    return State(accepted, rejected, candidate, [0], *links, heap, [SWEEP], [0], [0], scores)


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Start Phase 1 with arm 0."""
    for arm in range(params.n_arms):
        state.accepted[arm] = 0
    state.progress[0] = 0
    admit_all(params, state, SWEEP)


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the current arm, or `STOP` if Phase 2 has one candidate left."""
    if state.part[0] == ELIMINATION and state.n_candidates[0] == 1:
        return STOP
    return state.current[0]


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Count the response, drop the arm after enough rejections, and choose the next arm."""
    if accepted:
        state.accepted[arm] += 1
        if params.consecutive:
            state.rejected[arm] = 0
    elif state.part[0] == ELIMINATION:
        state.rejected[arm] += 1
        if state.rejected[arm] >= params.m:
            drop(state, arm)
    else:
        drop(state, arm)
    if accepted or params.counts_steps:
        state.progress[0] += 1

    end, following = params.n_arms, state.following[arm]
    n_left = state.n_candidates[0]
    if state.part[0] == ELIMINATION:
        if n_left > 0 and params.round_robin:
            state.current[0] = following if following < end else state.following[end]
        elif n_left > 0:  # the paper takes the argmin over all arms, but then no run would end
            if state.candidate[arm] == 0:
                state.heap[0] = state.heap[n_left]
            sift_down(state, 0)
            state.current[0] = state.heap[0]
        return
    if state.part[0] == SWEEP:
        if not accepted and params.skips and following < end:
            following = state.following[following]
        if following < end:  # the first sweep ends only after a complete pass
            state.current[0] = following
            return
    if state.progress[0] >= params.n1:
        admit_all(params, state, ELIMINATION)
    elif n_left == 0:
        admit_all(params, state, ROUNDS)
    elif state.part[0] == SWEEP:
        state.current[0] = state.following[end]
    elif not accepted:  # an accepted arm is recommended again
        state.current[0] = following


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the most accepted arm that is not eliminated; ties at random."""
    for arm in range(params.n_arms):
        eliminated = state.part[0] == ELIMINATION and state.candidate[arm] == 0
        state.scores[arm] = -1 if eliminated else state.accepted[arm]
    return largest(state.scores, rng)


def admit_all(params: Params, state: State, part: int) -> None:
    """Start the given part of the algorithm, or a new round, with all arms as candidates."""
    n_arms = params.n_arms
    for arm in range(n_arms):
        state.rejected[arm] = 0
        state.candidate[arm] = 1
        state.following[arm] = arm + 1
        state.preceding[arm] = arm - 1 if arm > 0 else n_arms
    state.following[n_arms] = 0
    state.preceding[n_arms] = n_arms - 1
    state.n_candidates[0] = n_arms
    state.part[0] = part
    state.current[0] = 0
    if part == ELIMINATION and not params.round_robin:
        for arm in range(n_arms):
            state.heap[arm] = arm
        for place in range(n_arms // 2 - 1, -1, -1):
            sift_down(state, place)
        state.current[0] = state.heap[0]


def drop(state: State, arm: int) -> None:
    """Remove `arm` from the linked list of candidates. It keeps its link to the next arm."""
    before, after = state.preceding[arm], state.following[arm]
    state.following[before] = after
    state.preceding[after] = before
    state.candidate[arm] = 0
    state.n_candidates[0] -= 1


def sift_down(state: State, place: int) -> None:
    """Move the arm at `heap[place]` down until no arm below it has fewer acceptances."""
    size = state.n_candidates[0]
    arm = state.heap[place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and comes_first(state, state.heap[child + 1], state.heap[child]):
            child += 1
        if comes_first(state, arm, state.heap[child]):
            break
        state.heap[place] = state.heap[child]
        place = child
    state.heap[place] = arm


def comes_first(state: State, one: int, other: int) -> bool:
    """Return whether `one` has fewer acceptances than `other`, or as many and a smaller index."""
    if state.accepted[one] == state.accepted[other]:
        return one < other
    return state.accepted[one] < state.accepted[other]


def explain(params: Any, state: Any) -> Mapping[str, Any]:
    """Return the phase, the remaining arms, n_i, the progress to N_1 and (if m > 1) rejections."""
    items: dict[str, Any] = {"phase": PHASES[state.part[0]]}
    if params.n1 > 0.0:
        what = "steps" if params.counts_steps else "acceptances"
        items[f"{what} of N_1"] = Against(state.progress[0], params.n1)
    items["F"] = [bool(each) for each in state.candidate]
    items["n_i"] = list(state.accepted)
    if params.m > 1:
        items["rejections of m"] = Against(list(state.rejected), [params.m] * params.n_arms)
    return items


ALGORITHM = Algorithm(
    "BAIR",
    *(prepare, blank, start, act, observe, verdict),
    defaults={
        "delta": 0.1,
        "alpha": 1.0,
        "rho_0": 1.0,
        "noise": 0.0,
        "n1": "paper",
        "phase1_counts": "acceptances",
        "first_sweep": "full",
        "phase2": "fewest acceptances",
        "m": "paper",
        "rejections": "all",
    },
    explain=explain,
)


@agent_maker(ALGORITHM)
def BAIR() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return BAIR, the agent of the paper (Algorithms 1 and 2).

    If an option is None, `evaluate` and `rollout` use the value of the user (for alpha, rho_0 and
    noise) or of the setting `printed` or `released`. In other uses the defaults below hold.

    Args:
        delta: allowed probability of a wrong answer, in (0, 1); default 0.1.
        n1: N_1, the acceptances in Phase 1: a number of at least 0, "paper" or "proof". "paper" is
            (2K/delta)^(1/alpha)/rho_0 (Lemma lm:phase2bound1). "proof" is the same with 2(K-1) in
            place of 2K, as in the lemma's proof. Default "paper".
        m: number of rejections in Phase 2 that eliminates an arm, at least 1. For users with click
            noise "paper" means 2 log(K/delta), rounded up, and "released" means the threshold of
            the released code. For other users both mean 1. Default "paper".
        rejections: m counts "all" rejections of an arm in Phase 2, as in the paper, or only
            "consecutive" rejections, which a good arm rarely has; default "all".
        alpha: the user's alpha in the formula of N_1, above 0; default 1.
        rho_0: the least rho_t, in the formula of N_1, above 0; default 1.
        noise: the user's click noise, in [0, 1], used only for m; default 0.
        phase1_counts: Phase 1 ends after N_1 "acceptances" (as in the lemmas) or after N_1 "steps"
            (as in the pseudo-code); default "acceptances".
        first_sweep: the passes at the start of Phase 1 recommend every remaining arm ("full"), or
            all but the arms that follow a rejected arm ("skipping"); default "full".
        phase2: Phase 2 recommends the remaining arm with the "fewest acceptances", or the
            remaining arms in turn ("round robin"); default "fewest acceptances".
    """


@agent_maker(
    ALGORITHM,
    name="SE",
    options=("delta", "m", "rejections", "noise", "first_sweep", "phase2"),
    n1=0,
)
def SuccessiveElimination() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return SE, successive elimination: Phase 2 of BAIR alone, the same as `BAIR(n1=0)`.

    SE eliminates no arm in its first pass over all arms. Without Phase 1 the probability of a wrong
    answer has no bound. SE uses delta only to compute m. If an option is None, `evaluate` and
    `rollout` use the value of the user or the setting. In other uses the defaults below hold.

    Args:
        delta: determines m for "paper" and "released", in (0, 1); default 0.1.
        m: number of rejections that eliminates an arm, at least 1, or "paper" or "released", as in
            `BAIR`; default "paper".
        rejections: m counts "all" rejections of an arm, or only "consecutive" ones; default "all".
        noise: the user's click noise, in [0, 1], used only for m; default 0.
        first_sweep: the first pass recommends every arm ("full"), or all but the arms that follow a
            rejected arm ("skipping"); default "full".
        phase2: recommend the remaining arm with the "fewest acceptances", or the remaining arms in
            turn ("round robin"); default "fewest acceptances".
    """
