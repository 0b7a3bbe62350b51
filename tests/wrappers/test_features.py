"""What a policy is shown, feature by feature, against a slow look at all responses."""

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env import InvalidArgumentError
from explorative_user_env.envs.history import History
from explorative_user_env.wrappers import observations
from explorative_user_env.wrappers.observations import OBSERVATIONS, Scale, bounds_of, observed

N_ARMS = 3
HORIZON = 12  # shorter than many of the scripts: the scales end at it

Heard = list[tuple[int, int]]
"""(arm, 1 accepted or 0 rejected), the oldest first."""

scripts = st.lists(st.tuples(st.integers(0, N_ARMS - 1), st.integers(0, 1)), max_size=25)
"""Not only what a user may say, but any responses."""


def length_of(name: str, n_arms: int) -> int | None:
    bounds = bounds_of(name, n_arms)
    return None if bounds is None else len(bounds[0])


def history_of(*lanes: Heard, n_arms: int = N_ARMS) -> History:
    history = History(len(lanes), n_arms)
    for t in range(max(map(len, lanes))):
        going = [lane for lane, heard in enumerate(lanes) if t < len(heard)]
        arms, responses = np.array([lanes[lane][t] for lane in going]).T
        history.record(np.array(going), arms, responses)
    return history


def log_scale(n: int, horizon: int) -> float:
    return math.log(1 + min(n, horizon)) / math.log(1 + horizon)


def features_by_hand(heard: Heard, arm: int, horizon: int) -> tuple[float, float, int, float]:
    """The four numbers that are shown of an arm."""
    responses = [response for recommended, response in heard if recommended == arm]
    latest = {1: 1, 0: -1}[responses[-1]] if responses else 0
    since = 0
    while since < len(responses) and not responses[-1 - since]:
        since += 1
    return (
        log_scale(sum(responses), horizon),
        log_scale(len(responses) - sum(responses), horizon),
        latest,
        log_scale(since, horizon),
    )


def counts_by_hand(
    heard: Heard, n_arms: int = N_ARMS, horizon: int = HORIZON, order: Any = None
) -> list[float]:
    """All first numbers, then all second ones, ...; last the time."""
    arms = range(n_arms) if order is None else order
    each = [features_by_hand(heard, arm, horizon) for arm in arms]
    flat = [float(arm[i]) for i in range(4) for arm in each]
    return [*flat, min(len(heard), horizon) / horizon]


def order_by_hand(heard: Heard, n_arms: int = N_ARMS, horizon: int = HORIZON) -> list[int]:
    """The most accepted first; beyond the horizon counts are alike, and ties go by number."""
    accepted = [min(heard.count((arm, 1)), horizon) for arm in range(n_arms)]
    return sorted(range(n_arms), key=lambda arm: (-accepted[arm], arm))


def last_step_by_hand(heard: Heard) -> list[float]:
    numbers = [0.0] * (N_ARMS + 2)
    if heard:
        arm, response = heard[-1]
        numbers[arm], numbers[N_ARMS] = 1.0, 1.0 if response else -1.0
    numbers[-1] = min(len(heard), HORIZON) / HORIZON
    return numbers


def assert_shown(observation: Any, expected: list[list[float]]) -> None:
    assert observation.dtype == np.float32
    assert observation.shape == (len(expected), len(expected[0]))
    np.testing.assert_allclose(observation, np.array(expected), rtol=2e-7, atol=0)


@given(scripts, scripts)
def test_counts_are_each_arms_four_numbers_and_the_time(one: Heard, other: Heard) -> None:
    shown = observations.counts(history_of(one, other), Scale(HORIZON))
    assert_shown(shown, [counts_by_hand(one), counts_by_hand(other)])


@given(scripts, scripts)
def test_sorted_counts_are_those_of_the_most_accepted_arm_first(one: Heard, other: Heard) -> None:
    shown = observations.counts(history_of(one, other), Scale(HORIZON))
    before = shown.copy()
    ordered, order = observations.by_acceptances(shown, N_ARMS)
    by_hand = [order_by_hand(heard) for heard in (one, other)]
    assert order.tolist() == by_hand
    pairs = zip((one, other), by_hand, strict=True)
    assert_shown(ordered, [counts_by_hand(heard, order=ranks) for heard, ranks in pairs])
    assert np.array_equal(shown, before)


@pytest.mark.slow
@given(scripts, scripts)
def test_the_last_step_is_the_arm_the_response_and_the_time(one: Heard, other: Heard) -> None:
    shown = observations.last_step(history_of(one, other), Scale(HORIZON))
    assert_shown(shown, [last_step_by_hand(one), last_step_by_hand(other)])


@given(scripts)
def test_the_bounds_hold_at_every_step_also_beyond_the_horizon(script: Heard) -> None:
    for shown, bounds in (
        (observations.counts, bounds_of("counts", N_ARMS)),
        (observations.last_step, bounds_of("last-step", N_ARMS)),
    ):
        assert bounds is not None
        low, high = bounds
        assert low.dtype == high.dtype == np.float32
        prefixes = history_of(*(script[:end] for end in range(len(script) + 1)))
        all_steps = shown(prefixes, Scale(HORIZON))
        assert all_steps.shape[1:] == low.shape == high.shape
        assert np.all(low <= all_steps)
        assert np.all(all_steps <= high)


def test_the_bounds_are_reached() -> None:
    both = history_of([(0, 0)] * HORIZON + [(1, 1)] * HORIZON, [(0, 1)] * HORIZON)
    shown = observations.counts(both, Scale(HORIZON)).reshape(2, -1)
    bounds = bounds_of("counts", N_ARMS)
    assert bounds is not None
    low, high = bounds
    assert low.tolist() == [0.0] * 6 + [-1.0] * 3 + [0.0] * 4
    assert high.tolist() == [1.0] * 13
    assert shown[0].tolist() == [0, 1, 0, 1, 0, 0, -1, 1, 0, 1, 0, 0, 1]
    bounds = bounds_of("last-step", N_ARMS)
    assert bounds is not None
    low, high = bounds
    assert (low.tolist(), high.tolist()) == ([0, 0, 0, -1, 0], [1] * 5)


@given(scripts)
def test_sorted_arms_do_not_depend_on_the_numbers_of_the_arms(script: Heard) -> None:
    accepted = [min(script.count((arm, 1)), HORIZON) for arm in range(N_ARMS)]
    if len(set(accepted)) < N_ARMS:
        # Make the arms tell-apart: 0, 1 and 2 acceptances more than the most.
        script = [(arm, 0) for arm, _ in script] + [(1, 1), (2, 1), (2, 1)]
    relabelled = [
        history_of([(new[arm], response) for arm, response in script])
        for new in permutations(range(N_ARMS))
    ]
    shown = [observed("sorted-counts", each, Scale(HORIZON), N_ARMS) for each in relabelled]
    for (observation, order), new in zip(shown, permutations(range(N_ARMS)), strict=True):
        assert np.array_equal(observation, shown[0][0])
        assert order[0].tolist() == [new[arm] for arm in shown[0][1][0]]


@pytest.mark.parametrize("n_arms", [2, 5, 20])
def test_arms_that_are_accepted_alike_stay_in_order(n_arms: int) -> None:
    heard = [(arm, arm % 2) for arm in range(n_arms)] + [(0, 0)]
    _, order = observed("sorted-counts", history_of(heard, n_arms=n_arms), Scale(99), n_arms)
    assert order[0].tolist() == [*range(1, n_arms, 2), *range(0, n_arms, 2)]


def test_two_counts_up_to_the_horizon_never_look_alike() -> None:
    for horizon in (1, 2, 500, 1000, 10_000):
        shown = Scale(horizon).count(np.arange(horizon + 1))
        assert np.all(np.diff(shown) > 0)
        assert (shown[0], shown[-1], shown.dtype) == (0.0, 1.0, np.float32)


@pytest.mark.parametrize("horizon", [1, 7, 1000])
def test_the_scales_are_those_described(horizon: int) -> None:
    numbers = np.arange(3 * horizon)
    scale = Scale(horizon)
    expected = [log_scale(int(n), horizon) for n in numbers]
    np.testing.assert_allclose(scale.count(numbers), expected, rtol=2e-7)
    times = [min(int(n), horizon) / horizon for n in numbers]
    np.testing.assert_allclose(scale.time(numbers), times, rtol=2e-7)
    assert scale.time(numbers).dtype == np.float32
    assert scale.count(numbers.reshape(3, horizon)).shape == (3, horizon)


@pytest.mark.parametrize("horizon", [0, -1, 2.0, True, None, "9"])
def test_a_bad_horizon_is_named(horizon: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^horizon must be an integer of at least 1"):
        Scale(horizon)


def test_a_horizon_may_be_any_integer() -> None:
    assert Scale(np.int64(7)).horizon == 7  # type: ignore[arg-type]


@pytest.mark.parametrize(("n_actions", "blocks"), [(3, [0]), (6, [0, 3])])
def test_an_action_on_a_rank_is_that_on_its_arm(n_actions: int, blocks: list[int]) -> None:
    orders = [list(order) for order in permutations(range(3))]
    actions = observations.actions_by_rank(np.array(orders), n_actions)
    expected = [[arm + first for first in blocks for arm in order] for order in orders]
    assert actions.tolist() == expected


@given(scripts, scripts)
def test_observe_finds_each_observation_by_its_name(one: Heard, other: Heard) -> None:
    both = [one, other]
    latest = [heard[-1][1] if heard else 0 for heard in both]
    orders = [order_by_hand(heard) for heard in both]
    ranked = zip(both, orders, strict=True)
    expected: dict[str, Any] = {
        "response": latest,
        "counts": [counts_by_hand(heard) for heard in both],
        "sorted-counts": [counts_by_hand(heard, order=order) for heard, order in ranked],
        "last-step": [last_step_by_hand(heard) for heard in both],
    }
    assert set(expected) == set(OBSERVATIONS)
    for name in OBSERVATIONS:
        shown, arms = observed(name, history_of(*both), Scale(HORIZON), 3)
        ranks = orders if name == "sorted-counts" else [[0, 1, 2]] * 2
        assert arms.tolist() == ranks
        _, actions = observed(name, history_of(*both), Scale(HORIZON), 6)
        assert actions.tolist() == [[*arms, *(3 + arm for arm in arms)] for arms in ranks]
        if name == "response":
            assert shown.dtype.kind == "i"
            assert shown.tolist() == latest
        else:
            assert_shown(shown, expected[name])


@pytest.mark.parametrize("n_arms", [2, 3, 7])
def test_the_length_is_that_of_the_observation(n_arms: int) -> None:
    history = History(1, n_arms)
    for name in OBSERVATIONS:
        shown, _ = observed(name, history, Scale(HORIZON), n_arms)
        length = length_of(name, n_arms)
        assert shown.shape == ((1,) if length is None else (1, length))
    lengths = [length_of(name, n_arms) for name in OBSERVATIONS]
    assert lengths == [None, 4 * n_arms + 1, 4 * n_arms + 1, n_arms + 2]
