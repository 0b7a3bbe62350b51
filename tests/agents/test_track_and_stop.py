import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.agents import TrackAndStop
from explorative_user_env.agents import track_and_stop as rule
from explorative_user_env.protocol import STOP
from explorative_user_env.settings import Setting

Drive = Callable[..., list[int]]
SlowWeights = Callable[[Sequence[float]], list[float]]

FIRST, SECOND, THIRD = rule.THRESHOLDS
DELTA = 0.1

THRESHOLDS: dict[str, Callable[[int, int], float]] = {
    FIRST: lambda t, n_arms: math.log((1 + math.log(t)) / DELTA),
    SECOND: lambda t, n_arms: math.log(2 * t * (n_arms - 1) / DELTA),
    THIRD: lambda t, n_arms: math.log(t / DELTA),
}


def log_likelihood(accepted: int, recommended: int, mean: Fraction) -> float:
    rejected = recommended - accepted
    return (accepted and accepted * math.log(mean)) + (rejected and rejected * math.log(1 - mean))


class Reference:
    """Track-and-Stop from its description, with exact rates and a slow solver."""

    def __init__(
        self,
        n_arms: int,
        slow_weights: SlowWeights,
        threshold: str = FIRST,
        primed: bool = False,
        tied: str = "random",
    ) -> None:
        self.n_arms = n_arms
        self.slow_weights = slow_weights
        self.threshold = THRESHOLDS[threshold]
        self.tied = tied
        self.recommended = [int(primed)] * n_arms
        self.accepted = [int(primed)] * n_arms
        self.kinds = Counter[str]()

    def evidence(self, leader: int) -> float:
        """The generalised likelihood ratio of the leader against the arm nearest to it."""
        n, s = self.recommended, self.accepted
        ratios = []
        for arm in range(self.n_arms):
            if arm != leader:
                both = Fraction(s[leader] + s[arm], n[leader] + n[arm])
                apart = sum(log_likelihood(s[a], n[a], Fraction(s[a], n[a])) for a in (leader, arm))
                ratios.append(apart - sum(log_likelihood(s[a], n[a], both) for a in (leader, arm)))
        return min(ratios)

    def allowed(self) -> set[int | None]:
        """The decisions the description allows now; None is to stop."""
        n, t = self.recommended, sum(self.recommended)
        if t < self.n_arms:
            self.kinds["once each"] += 1
            return {t}
        rates = [Fraction(s, k) for s, k in zip(self.accepted, n, strict=True)]
        top = [arm for arm, rate in enumerate(rates) if rate == max(rates)]
        if len(top) > 1:
            self.kinds["tied"] += 1
            return {min(top, key=n.__getitem__)} if self.tied == "least recommended" else {*top}
        if self.evidence(top[0]) > self.threshold(t, self.n_arms):
            self.kinds["stop"] += 1
            return {None}
        if min(n) <= math.sqrt(t) - self.n_arms / 2:
            self.kinds["forced"] += 1
            return {n.index(min(n))}
        weights = self.slow_weights([float(rate) for rate in rates])
        behind = [t * weight - k for weight, k in zip(weights, n, strict=True)]
        chosen = {arm for arm, distance in enumerate(behind) if distance > max(behind) - 1e-6 * t}
        self.kinds["tracked" if len(chosen) == 1 else "tracked, unclear"] += 1
        return {*chosen}

    def observe(self, arm: int, accepted: bool) -> None:
        self.recommended[arm] += 1
        self.accepted[arm] += accepted


def follow(
    reference: Reference, respond: Callable[[int, int], bool], n_steps: int, **options: Any
) -> None:
    """Compare every decision of a run with those allowed."""
    agent = TrackAndStop(delta=DELTA, **options)
    agent.reset(reference.n_arms, np.random.default_rng(0))
    for step in range(n_steps):
        arm = agent.act()
        assert arm in reference.allowed(), f"step {step}"
        if arm is None:
            rates = list(map(Fraction, reference.accepted, reference.recommended))
            assert agent.answer() == rates.index(max(rates))
            return
        accepted = respond(step, arm)
        agent.observe(arm, accepted)
        reference.observe(arm, accepted)


@pytest.mark.parametrize("n_arms", [2, 5])
@pytest.mark.parametrize("primed", [False, True])
@pytest.mark.parametrize("tied", ["random", "least recommended"])
def test_runs_with_real_users_are_those_of_the_description(
    setting: Setting, n_arms: int, primed: bool, tied: str, slow_weights: SlowWeights
) -> None:
    env = ExplorativeUserEnv(n_arms, setting=setting, gap=0.3, noise=0.1)
    env.reset(seed=n_arms)
    reference = Reference(n_arms, slow_weights, FIRST, primed, tied)
    follow(
        reference,
        lambda step, arm: bool(env.step(arm)[0]),
        n_steps=300,
        primed=primed,
        tied=tied,
    )
    assert reference.kinds["tracked"] > 10 * reference.kinds["tracked, unclear"]


@pytest.mark.parametrize("threshold", rule.THRESHOLDS)
@pytest.mark.parametrize("chances", [(0.9, 0.3), (0.2, 0.7, 0.4, 0.1)])
def test_runs_with_independent_responses_are_those_of_the_description(
    threshold: str, chances: tuple[float, ...], slow_weights: SlowWeights
) -> None:
    rng = np.random.default_rng(7)
    reference = Reference(len(chances), slow_weights, threshold)
    follow(
        reference,
        lambda step, arm: bool(rng.random() < chances[arm]),
        n_steps=2000,
        threshold=threshold,
    )
    assert reference.kinds["stop"] == 1
    assert reference.kinds["tracked"] > 0


def counted(
    accepted: Sequence[int], recommended: Sequence[int], **options: Any
) -> tuple[rule.Params, rule.State]:
    """The agent's state when it has seen these numbers."""
    params = TrackAndStop(delta=DELTA, **options).params(len(accepted), None)
    state = rule.blank(params)
    rule.start(params, state, np.random.default_rng(0))
    state.accepted[:] = accepted
    state.recommended[:] = recommended
    state.rates[:] = [s / n for s, n in zip(accepted, recommended, strict=True)]
    state.steps[0] = sum(recommended)
    return params, state


def decisions(accepted: Sequence[int], recommended: Sequence[int], **options: Any) -> Counter[int]:
    """What the agent does when it has seen these numbers, a thousand times."""
    rng = np.random.default_rng(0)
    params, state = counted(accepted, recommended, **options)
    return Counter(rule.act(params, state, rng) for _ in range(1000))


def test_every_arm_is_recommended_once_at_first(drive: Drive) -> None:
    for seed in range(5):
        assert drive(TrackAndStop(), 6, lambda step, arm: arm == 2, 6, seed) == [*range(6)]


def test_a_primed_start_counts_one_acceptance_of_every_arm(drive: Drive) -> None:
    agent = TrackAndStop(primed=True)
    first = Counter[int]()
    for seed in range(800):
        first[drive(agent, 4, lambda step, arm: True, 1, seed)[0]] += 1
    # All four are tied: 200 each, five standard deviations sqrt(800 * 1/4 * 3/4) = 12.2.
    assert all(abs(first[arm] - 200) < 62 for arm in range(4))


EXACT = [
    ([1, 2], [3, 6], {0, 1}),
    ([1, 2, 333_333_333], [3, 6, 999_999_999], {0, 1, 2}),
    ([1, 333_333_333], [3, 1_000_000_000], {0}),
    ([299_999_999, 300_000_000], [599_999_999, 600_000_001], {1}),  # equal as floats
    ([1, 333_333_334], [3, 1_000_000_000], {1}),
    ([3, 1, 30, 0], [10, 3, 100, 1], {1}),
    ([3, 1, 30, 0], [10, 4, 100, 1], {0, 2}),
    ([7, 49, 49], [49, 343, 343], {0, 1, 2}),
    ([0, 0, 0], [5, 900, 7], {0, 1, 2}),
    ([5, 4, 9], [5, 4, 9], {0, 1, 2}),
]


@pytest.mark.parametrize(("accepted", "recommended", "top"), EXACT)
def test_rates_are_compared_exactly(
    accepted: list[int], recommended: list[int], top: set[int]
) -> None:
    _, state = counted(accepted, recommended)
    leader, n_tied = rule._leader(state)
    assert (leader, n_tied) == (min(top), len(top))
    if n_tied > 1:
        assert set(decisions(accepted, recommended)) == top


def test_tied_leaders_are_recommended_whatever_the_evidence_against_the_rest() -> None:
    assert set(decisions([0, 400, 0], [400, 400, 400])) == {STOP}
    assert set(decisions([0, 400, 400], [400, 400, 400])) == {1, 2}


def test_tied_leaders_are_equally_likely() -> None:
    chosen = decisions([2, 4, 0, 20], [4, 8, 5, 40])
    assert set(chosen) == {0, 1, 3}
    # A third of 1000 each, five standard deviations sqrt(1000 * 1/3 * 2/3) = 14.9.
    assert all(abs(count - 333.3) < 75 for count in chosen.values())


@pytest.mark.parametrize(
    ("accepted", "recommended", "chosen"),
    [
        ([4, 2, 0, 20], [8, 4, 5, 40], 1),
        ([2, 4, 0, 2], [4, 8, 5, 4], 0),
        ([0, 6, 3, 3], [2, 8, 4, 4], 2),
    ],
)
def test_the_least_recommended_of_tied_leaders_can_be_asked_for(
    accepted: list[int], recommended: list[int], chosen: int
) -> None:
    assert set(decisions(accepted, recommended, tied="least recommended")) == {chosen}


@pytest.mark.parametrize(
    ("recommended", "forced"),
    [([60, 17, 15, 8], 3), ([60, 8, 24, 8], 1), ([62, 15, 7, 16], 2), ([59, 17, 15, 9], None)],
)
def test_a_neglected_arm_is_recommended_up_to_the_bound(
    recommended: list[int], forced: int | None, slow_weights: SlowWeights
) -> None:
    # K = 4, t = 100: forced while min N <= sqrt(100) - 2 = 8.
    accepted = [recommended[0] // 2, *(n // 3 if n > 9 else 1 for n in recommended[1:])]
    rates = [s / n for s, n in zip(accepted, recommended, strict=True)]
    behind = 100 * np.array(slow_weights(rates)) - recommended
    tracked = int(np.argmax(behind))
    assert recommended[tracked] > 9
    assert set(decisions(accepted, recommended)) == {tracked if forced is None else forced}


@pytest.mark.parametrize("threshold", rule.THRESHOLDS)
@pytest.mark.parametrize("n_arms", [2, 3])
def test_the_run_stops_when_the_evidence_exceeds_the_threshold(threshold: str, n_arms: int) -> None:
    bound = THRESHOLDS[threshold]

    def evidence(n: int) -> float:
        # Rates 1 and 0 after n recommendations of each: the pooled rate is 1/2.
        return 2 * n * math.log(2)

    needed = next(n for n in itertools.count(1) if evidence(n) > bound(n_arms * n, n_arms))
    for n in range(1, needed + 2):
        chosen = decisions([n] + [0] * (n_arms - 1), [n] * n_arms, threshold=threshold)
        assert (set(chosen) == {STOP}) == (n >= needed)


def test_the_thresholds_are_those_named() -> None:
    # By hand for t = 100, K = 5, delta = 0.1.
    figures = {FIRST: 4.026274, SECOND: 8.987197, THIRD: 6.907755}
    for threshold, figure in figures.items():
        params = TrackAndStop(delta=0.1, threshold=threshold).params(5, None)
        assert rule._threshold(params, 100) == pytest.approx(figure, abs=1e-6)


@pytest.mark.parametrize(
    ("accepted", "recommended", "ties", "answers"),
    [
        ([9, 2, 1], [30, 6, 2], "random", {2}),
        ([2, 20, 4, 20], [4, 40, 8, 40], "random", {1, 3}),
        ([2, 20, 4, 20], [4, 40, 8, 40], "first", {1}),
        ([0, 0, 0], [3, 4, 5], "random", {0, 1, 2}),
        ([0, 0, 0], [3, 4, 5], "first", {0}),
        ([8, 30], [10, 40], "random", {0}),
    ],
)
def test_the_answer_has_the_highest_rate_and_of_those_most_acceptances(
    accepted: list[int], recommended: list[int], ties: str, answers: set[int]
) -> None:
    params, state = counted(accepted, recommended, ties=ties)
    rng = np.random.default_rng(0)
    given = Counter(rule.verdict(params, state, rng) for _ in range(900))
    assert set(given) == answers
    share = 1 / len(answers)
    # Five standard deviations of a binomial count.
    width = 5 * math.sqrt(900 * share * (1 - share))
    assert all(abs(count - 900 * share) <= width for count in given.values())


@pytest.mark.parametrize("n_arms", [2, 5])
@pytest.mark.parametrize("patience", [10, 100, 1000])
def test_a_first_acceptance_after_many_rejections_is_no_trouble(
    drive: Drive, n_arms: int, patience: int
) -> None:
    arms = drive(TrackAndStop(), n_arms, lambda step, arm: step == patience, 2 * patience)
    assert len(arms) == 2 * patience


def test_a_new_user_starts_from_nothing(drive: Drive) -> None:
    agent = TrackAndStop()

    def respond(step: int, arm: int) -> bool:
        return (step + arm) % 3 > 0

    first = drive(agent, 3, respond, 200, seed=1)
    drive(agent, 3, lambda step, arm: arm == 2, 200, seed=2)
    assert drive(agent, 3, respond, 200, seed=1) == first


def test_a_used_state_starts_as_a_blank_one_does(drive: Drive) -> None:
    agent = TrackAndStop(primed=True)
    drive(agent, 3, lambda step, arm: arm == 2 or step % 2 == 0, 50)
    params, used = agent._params, agent._state
    fresh = rule.blank(params)
    assert used.ratios != fresh.ratios
    for state in (used, fresh):
        rule.start(params, state, np.random.default_rng(0))
    assert used._replace(scores=[]) == fresh._replace(scores=[])
