"""What a policy is shown, feature by feature, against a slow look at all responses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wrapped import N_ARMS, counts_of, last_step_of, ranks_of

from explorative_user_env.envs.history import History
from explorative_user_env.wrappers.observations import (
    OBSERVATIONS,
    Scale,
    bounds_of,
    by_acceptances,
    counts,
    observed,
)

HORIZON = 12  # shorter than many of the scripts: the scales end at it

scripts = st.lists(st.tuples(st.integers(0, N_ARMS - 1), st.integers(0, 1)), max_size=25)
"""Any responses, also those that no user gives."""


def history_of(*lanes, n_arms=N_ARMS):
    history, all_lanes = History(len(lanes), n_arms), np.arange(len(lanes))
    history.record(
        all_lanes, 0 * all_lanes, 0 * all_lanes + 1
    )  # of users before, who are forgotten
    history.forget(all_lanes)
    for t in range(max(map(len, lanes))):
        going = [lane for lane, heard in enumerate(lanes) if t < len(heard)]
        arms, responses = np.array([lanes[lane][t] for lane in going]).T
        history.record(np.array(going), arms, responses)
    return history


@given(scripts, scripts)
def test_each_observation_is_that_of_a_slow_look_in_each_lane(one, other):
    both, arms = [one, other], [*range(N_ARMS)]
    ranks = [ranks_of(heard, HORIZON) for heard in both]
    expected = {
        "response": [heard[-1][1] if heard else 0 for heard in both],
        "counts": [counts_of(heard, arms, HORIZON) for heard in both],
        "sorted-counts": [
            counts_of(heard, order, HORIZON) for heard, order in zip(both, ranks, strict=True)
        ],
        "last-step": [last_step_of(heard, HORIZON) for heard in both],
    }
    assert set(expected) == set(OBSERVATIONS)
    for name in OBSERVATIONS:
        orders = ranks if name == "sorted-counts" else [arms] * 2
        shown, order = observed(name, history_of(*both), Scale(HORIZON), N_ARMS)
        assert order.tolist() == orders
        _, actions = observed(name, history_of(*both), Scale(HORIZON), 2 * N_ARMS)
        assert actions.tolist() == [[*order, *(3 + arm for arm in order)] for order in orders]
        assert shown.dtype == (int if name == "response" else np.float32)
        np.testing.assert_allclose(shown, np.array(expected[name]), rtol=2e-7, atol=0)


def test_the_bounds_are_reached():
    both = history_of([(0, 0)] * HORIZON + [(1, 1)] * HORIZON, [(0, 1)] * HORIZON)
    shown = counts(both, Scale(HORIZON))
    assert shown[0].tolist() == [0, 1, 0, 1, 0, 0, -1, 1, 0, 1, 0, 0, 1]
    bounds = [[each.tolist() for each in bounds_of(name, 3) or ()] for name in OBSERVATIONS]
    lows = [[0.0] * 6 + [-1.0] * 3 + [0.0] * 4, [0.0, 0.0, 0.0, -1.0, 0.0]]
    of_counts = [lows[0], [1.0] * 13]
    assert bounds == [[], of_counts, of_counts, [lows[1], [1.0] * 5]]


def test_arms_that_are_accepted_alike_stay_in_order():
    heard = [(arm, arm % 2) for arm in range(20)] + [(0, 0)]
    shown = counts(history_of(heard, n_arms=20), Scale(99))
    before = shown.copy()
    _, order = by_acceptances(shown, 20)
    assert order[0].tolist() == [*range(1, 20, 2), *range(0, 20, 2)]
    assert np.array_equal(shown, before)


@pytest.mark.parametrize("horizon", [1, 1000])
def test_the_scales_are_those_described_and_tell_counts_apart(horizon):
    numbers = np.arange(3 * horizon)
    scale = Scale(np.int64(horizon))
    shown = scale.count(numbers)
    capped = [min(int(n), horizon) for n in numbers]
    logs = [math.log(1 + n) / math.log(1 + horizon) for n in capped]
    np.testing.assert_allclose(shown, logs, rtol=2e-7)
    assert np.all(np.diff(shown[: horizon + 1]) > 0)
    assert (shown[0], shown[-1], shown.dtype) == (0.0, 1.0, np.float32)
    np.testing.assert_allclose(scale.time(numbers), np.array(capped) / horizon, rtol=2e-7)
    assert scale.time(numbers).dtype == np.float32
    assert scale.count(numbers.reshape(3, horizon)).shape == (3, horizon)
