import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from explorative_user_env.agents import TrackAndStop
from explorative_user_env.agents import track_and_stop as rule
from explorative_user_env.agents.track_and_stop import leader_of
from explorative_user_env.protocol import STOP

Drive = Callable[..., list[int]]

SlowWeights = Callable[[Sequence[float]], list[float]]

FIRST, SECOND, THIRD = rule.THRESHOLDS

DELTA = 0.1

THRESHOLDS: dict[str, Callable[[int, int], float]] = {
    FIRST: lambda t, n_arms: math.log((1 + math.log(t)) / DELTA),
    SECOND: lambda t, n_arms: math.log(2 * t * (n_arms - 1) / DELTA),
    THIRD: lambda t, n_arms: math.log(t / DELTA),
}


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
    state.leader[0] = state.neglected[0] = -1  # as these are to be found from the numbers
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
    leader, n_tied = leader_of(state)
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


def test_of_arms_that_lag_behind_equally_the_first_is_recommended() -> None:
    assert decisions([18, 2, 2, 2], [20, 5, 5, 5]) == {1: 1000}
    # Where one lags behind most it is that one, wherever it stands.
    assert decisions([18, 2, 2, 2], [20, 6, 5, 6]) == {2: 1000}


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
    assert used.solver.ratios != fresh.solver.ratios
    for state in (used, fresh):
        rule.start(params, state, np.random.default_rng(0))
    assert used._replace(scores=[]) == fresh._replace(scores=[])


@pytest.mark.parametrize("n_arms", [2, 3, 8])
def test_who_leads_and_who_is_neglected_is_known_as_if_all_arms_were_compared(n_arms: int) -> None:
    rng = np.random.default_rng(n_arms)
    seen = Counter[str]()
    for chance in (0.0, 0.3, 0.5, 0.9, 1.0):
        params, state = counted([1] * n_arms, [2] * n_arms)
        for _ in range(300):
            rule.act(params, state, rng)  # finds what is not known
            rule.observe(params, state, int(rng.integers(n_arms)), bool(rng.random() < chance))
            rates = [Fraction(s, n) for s, n in zip(state.accepted, state.recommended, strict=True)]
            if state.leader[0] >= 0:
                found = (state.leader[0], state.n_tied[0])
                assert found == (rates.index(max(rates)), rates.count(max(rates)))
                seen["several" if found[1] > 1 else "one"] += 1
            if state.neglected[0] >= 0:
                assert state.neglected[0] == state.recommended.index(min(state.recommended))
                seen["neglected"] += 1
    assert min(seen["several"], seen["one"], seen["neglected"]) > 20, seen
