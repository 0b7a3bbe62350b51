"""BAIR, the paper's agent (Algorithms 1 and 2), and SE, which is BAIR without Phase 1.

Phase 1 recommends until N_1 acceptances, so that the user's intervals are narrow enough to trust;
Phase 2 recommends the arm of F with the fewest acceptances and drops the arms that she rejects.

SE is successive elimination (Even-Dar, Mannor and Mansour 2006, "Action elimination and stopping
conditions for the multi-armed bandit and reinforcement learning problems"), with the user's
rejection in place of the comparison of intervals. Its rule is BAIR's record with N_1 = 0.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Against, Algorithm
from explorative_user_env.validation import (
    InvalidArgumentError,
    choice,
    integer,
    positive,
    probability,
    real,
    risk,
)

from .adapter import AlgorithmAgent, agent_maker, largest

#: The parts of a run: Phase 1's first sweep, Phase 1's rounds, Phase 2.
SWEEP, ROUNDS, ELIMINATION = 0, 1, 2

#: Their names.
PHASES = ("Phase 1, first sweep", "Phase 1, rounds", "Phase 2, elimination")


class Params(NamedTuple):
    """The numbers of a run."""

    n_arms: int  # K
    n1: float  # N_1
    counts_steps: bool  # N_1 is compared with time steps, not acceptances
    skips: bool  # the first sweep skips the arm after a rejected one
    round_robin: bool  # Phase 2 goes round F, not to its least accepted arm
    m: int  # rejections in Phase 2 that eliminate an arm
    consecutive: bool  # an acceptance starts the count of rejections anew


class State(NamedTuple):
    """What BAIR remembers."""

    accepted: list[int]  # n_i
    rejected: list[int]  # rejections of each arm in Phase 2, as they count for m
    candidate: list[int]  # 1 for an arm in F
    n_candidates: list[int]  # [|F|]
    following: list[int]  # the arm of F after each, K after the last; of K, the first
    preceding: list[int]  # the same backwards
    heap: list[int]  # Phase 2's F, the arm with the fewest acceptances on top
    part: list[int]  # [SWEEP, ROUNDS or ELIMINATION]
    current: list[int]  # [the arm to recommend now]
    progress: list[int]  # [acceptances or steps so far, compared with N_1]
    scores: list[int]  # what a verdict compares


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Check the options and return the numbers of a run."""
    delta = risk("delta", options["delta"])
    alpha = positive("alpha", options["alpha"])
    rho_0 = positive("rho_0", options["rho_0"])
    return Params(
        n_arms=n_arms,
        n1=phase1_acceptances(options["n1"], n_arms, delta, alpha, rho_0),
        counts_steps=choice("phase1_counts", options["phase1_counts"], ("acceptances", "steps"))
        == "steps",
        skips=choice("first_sweep", options["first_sweep"], ("full", "skipping")) == "skipping",
        round_robin=choice("phase2", options["phase2"], ("fewest acceptances", "round robin"))
        == "round robin",
        m=eliminating_rejections(
            options["m"], n_arms, delta, probability("noise", options["noise"])
        ),
        consecutive=choice("rejections", options["rejections"], ("all", "consecutive"))
        == "consecutive",
    )


def phase1_acceptances(n1: Any, n_arms: int, delta: float, alpha: float, rho_0: float) -> float:
    """Return N_1 = (2K/delta)^(1/alpha)/rho_0 ("paper"), with 2(K-1) ("proof"), or as given.

    Paper, Lemma lm:phase2bound1 and what its proof yields.
    """
    if isinstance(n1, str) and n1 in ("paper", "proof"):
        arms = n_arms if n1 == "paper" else n_arms - 1
        return _named_n1(2 * arms / delta, alpha, rho_0)
    allowed = '"paper", "proof" or a number of at least 0'
    number = real("n1", n1, allowed)
    if number < 0.0:
        raise InvalidArgumentError("n1", n1, allowed)
    return number


def _named_n1(base: float, alpha: float, rho_0: float) -> float:
    large_enough = "large enough for a finite N_1"
    try:
        power = float(base ** (1 / alpha))
    except OverflowError:
        power = math.inf
    if power == math.inf:
        raise InvalidArgumentError("alpha", alpha, large_enough)
    if power / rho_0 == math.inf:
        raise InvalidArgumentError("rho_0", rho_0, large_enough)
    return power / rho_0


def eliminating_rejections(m: Any, n_arms: int, delta: float, noise: float) -> int:
    """Return the m of BAIR(m); without click noise every named choice is 1, one rejection.

    "paper" is 2 log(K/delta), rounded up (the caption of the click-noise table).
    """
    if not isinstance(m, str) or m not in ("paper", "released"):
        try:
            return integer("m", m, 1)
        except InvalidArgumentError:
            allowed = '"paper", "released" or an integer of at least 1'
            raise InvalidArgumentError("m", m, allowed) from None
    if noise == 0.0:
        return 1
    if m == "paper":
        return math.ceil(2 * math.log(n_arms / delta))
    return released_rejections(n_arms, delta)


def released_rejections(n_arms: int, delta: float, multiplier: float = 1.0) -> int:
    """Return the m of the released code, which drops an arm at more rejections than a threshold.

    The threshold is that many times 8 p'(1-p')/(2p'-1)^2 log(2K/delta), with p' = 0.9 fixed; the
    multiplier is an option of its command line.
    """
    threshold = 8 * 0.9 * 0.1 / (2 * 0.9 - 1) ** 2 * math.log(2 * n_arms / delta)
    return math.floor(multiplier * threshold) + 1


def blank(params: Params) -> State:
    """Return a state to be filled by `start`."""
    n_arms = params.n_arms
    return State(
        accepted=[0] * n_arms,
        rejected=[0] * n_arms,
        candidate=[1] * n_arms,
        n_candidates=[n_arms],
        following=[0] * (n_arms + 1),
        preceding=[0] * (n_arms + 1),
        heap=[0] * n_arms,
        part=[SWEEP],
        current=[0],
        progress=[0],
        scores=[0] * n_arms,
    )


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Begin Phase 1 with arm 0."""
    for arm in range(params.n_arms):
        state.accepted[arm] = 0
    state.progress[0] = 0
    _all_candidates(params, state, SWEEP)


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the current arm; `STOP` when one candidate is left."""
    if state.part[0] == ELIMINATION and state.n_candidates[0] == 1:
        return STOP
    return state.current[0]


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Count the response, drop the arm if it is rejected, and choose the next one."""
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

    if state.part[0] == SWEEP:
        _after_sweep_step(params, state, arm, accepted)
    elif state.part[0] == ROUNDS:
        _after_round_step(params, state, arm, accepted)
    elif state.n_candidates[0] > 0:
        _after_elimination_step(params, state, arm)


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the candidate left; before that, the most accepted arm that is not eliminated."""
    for arm in range(params.n_arms):
        eliminated = state.part[0] == ELIMINATION and state.candidate[arm] == 0
        state.scores[arm] = -1 if eliminated else state.accepted[arm]
    return largest(state.scores, rng)


def _all_candidates(params: Params, state: State, part: int) -> None:
    """F = [K], at the start of a part or of a round."""
    for arm in range(params.n_arms):
        state.rejected[arm] = 0
    admit_all(state, params.n_arms)
    state.part[0] = part
    state.current[0] = 0
    if part == ELIMINATION and not params.round_robin:
        make_heap(state)
        state.current[0] = state.heap[0]


def _after_sweep_step(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Go on with the sweep; N_1 is looked at between passes."""
    end = params.n_arms
    following = state.following[arm]
    if not accepted and params.skips and following < end:
        following = state.following[following]
    if following < end:
        state.current[0] = following
    elif state.progress[0] >= params.n1:
        _all_candidates(params, state, ELIMINATION)
    elif state.n_candidates[0] == 0:
        _all_candidates(params, state, ROUNDS)
    else:
        state.current[0] = state.following[end]


def _after_round_step(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Stay with an accepted arm, leave a rejected one; N_1 is looked at after every step."""
    if state.progress[0] >= params.n1:
        _all_candidates(params, state, ELIMINATION)
    elif state.n_candidates[0] == 0:
        _all_candidates(params, state, ROUNDS)
    elif not accepted:
        state.current[0] = state.following[arm]


def _after_elimination_step(params: Params, state: State, arm: int) -> None:
    """Go to the argmin of n_i over F (over [K] it would never end), or to the next arm in turn."""
    if params.round_robin:
        following = state.following[arm]
        end = params.n_arms
        state.current[0] = following if following < end else state.following[end]
        return
    if state.candidate[arm] == 0:
        state.heap[0] = state.heap[state.n_candidates[0]]
    sift_down(state, 0)
    state.current[0] = state.heap[0]


def admit_all(state: State, n_arms: int) -> None:
    """F = [K]."""
    for arm in range(n_arms):
        state.candidate[arm] = 1
        state.following[arm] = arm + 1
        state.preceding[arm] = arm - 1 if arm > 0 else n_arms
    state.following[n_arms] = 0
    state.preceding[n_arms] = n_arms - 1
    state.n_candidates[0] = n_arms


def drop(state: State, arm: int) -> None:
    """Take `arm` out of F; which arm follows it can still be asked."""
    before, after = state.preceding[arm], state.following[arm]
    state.following[before] = after
    state.preceding[after] = before
    state.candidate[arm] = 0
    state.n_candidates[0] -= 1


def make_heap(state: State) -> None:
    """Put all arms, which must be in F, on the heap."""
    size = state.n_candidates[0]
    for arm in range(size):
        state.heap[arm] = arm
    for place in range(size // 2 - 1, -1, -1):
        sift_down(state, place)


def sift_down(state: State, place: int) -> None:
    """Let the arm at this place of the heap sink below those with fewer acceptances."""
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
    """Whether `one` has fewer acceptances; of two with as many, the first arm comes first."""
    if state.accepted[one] == state.accepted[other]:
        return one < other
    return state.accepted[one] < state.accepted[other]


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
    """Return the agent of the paper, Algorithms 1 and 2 (with m above 1 its noisy form).

    An option left at None is filled in by `evaluate` and `rollout` (the user's alpha, rho_0 and
    click noise, the setting's choices); the values named below hold outside of these.

    Args:
        delta: allowed probability of a wrong answer, in (0, 1); 0.1.
        n1: N_1, the acceptances of Phase 1: "paper" is (2K/delta)^(1/alpha)/rho_0 (Lemma
            lm:phase2bound1), "proof" has 2(K-1) in place of 2K (what its proof gives), a number of
            at least 0 is taken as it is; "paper".
        m: rejections in Phase 2 that eliminate an arm, at least 1. "paper" is 2 log(K/delta)
            rounded up for a user with click noise, "released" the released code's threshold; both
            are 1 without noise; "paper".
        rejections: whether m counts "all" of an arm's rejections in Phase 2, as printed, or
            "consecutive" ones, which click noise rarely makes of a good arm; "all".
        alpha: the user's alpha, above 0, for N_1; 1.
        rho_0: the least value of rho_t, above 0, for N_1; 1.
        noise: the user's click noise, in [0, 1]; only whether it is 0 matters; 0.
        phase1_counts: what is compared with N_1: "acceptances" (the lemmas) or "steps" (the
            pseudo-code); "acceptances".
        first_sweep: "full" passes over F, or "skipping" the arm after a rejected one; "full".
        phase2: recommend the arm of F with the "fewest acceptances", or go "round robin"; the
            former.
        max_steps: step cap; a run that reaches it is censored and answers its best guess.
        name: what tables and the random stream call the agent.

    Raises:
        InvalidArgumentError: naming the option that is out of range.
    """


@agent_maker(
    ALGORITHM,
    name="SE",
    options=("delta", "m", "rejections", "noise", "first_sweep", "phase2"),
    n1=0,
)
def SuccessiveElimination() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return BAIR's Phase 2 alone, `BAIR(n1=0)` by another name: a rejected arm is dropped.

    One pass over the arms comes first, in which none is dropped: N_1 is looked at after it. Without
    the acceptances of Phase 1 nothing bounds the probability of a wrong answer; delta is for m
    only. An option left at None is filled in by `evaluate`, as BAIR's are; the values named
    below hold outside of one.

    Args:
        delta: in (0, 1), for the named m of a user with click noise; 0.1.
        m: rejections that eliminate an arm, at least 1; "paper" or "released" as in `BAIR`;
            "paper".
        rejections: whether m counts "all" of an arm's rejections or "consecutive" ones; "all".
        noise: the user's click noise, in [0, 1]; only whether it is 0 matters; 0.
        first_sweep: whether the first pass is "full" or "skipping" the arm after a rejected one;
            "full".
        phase2: recommend the arm left with the "fewest acceptances", or go "round robin"; the
            former.
        max_steps: step cap; a run that reaches it is censored and answers its best guess.
        name: what tables and the random stream call the agent.

    Raises:
        InvalidArgumentError: naming the option that is out of range.
    """
