"""The characteristic weights, from a search that begins where another one ended."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from weights import problems, weights_of

from explorative_user_env.agents import optimal_weights
from explorative_user_env.agents import optimal_weights as followed_weights
from explorative_user_env.agents.optimal_weights import (
    bernoulli_kl,
    blank_solver,
    characteristic_weights,
    start_solver,
)


@pytest.mark.slow
@settings(max_examples=120)
@given(means=problems(), other=problems())
@example(means=[0.0, 0.01], other=[0.0, 1.0])
@example(means=[0.0, 1.0], other=[0.0, 0.01])
@example(means=[0.002, 0.0, 0.0], other=[0.5, 0.499, 0.3])
def test_a_start_from_any_other_problem_ends_where_a_cold_one_does(
    means: list[float], other: list[float]
) -> None:
    other = (other * len(means))[: len(means)]
    assume(other.count(max(other)) == 1)
    solver = blank_solver(len(means))
    characteristic_weights(other, int(np.argmax(other)), solver)
    cold = weights_of(means)
    assert all(0.0 < weight < 1.0 for weight in cold)
    np.testing.assert_allclose(weights_of(means, solver), cold, rtol=1e-9, atol=1e-9)


@settings(max_examples=80)
@given(
    means=problems(),
    powers=st.lists(st.floats(-8, 8), min_size=8, max_size=8),
    level=st.floats(-8, 3),
)
@example(means=[0.0, 0.5], powers=[0.0, 0.0], level=2.0)
@example(means=[0.0, 0.5], powers=[8.0, 8.0], level=-8.0)
def test_a_start_from_any_positive_numbers_ends_where_a_cold_one_does(
    means: list[float], powers: list[float], level: float
) -> None:
    n_arms = len(means)
    solver = blank_solver(n_arms)
    solver.ratios[:] = [10.0**power for power in powers[:n_arms]]
    solver.level[0] = 10.0**level
    np.testing.assert_allclose(weights_of(means, solver), weights_of(means), rtol=1e-9, atol=1e-9)


def test_a_slowly_changing_problem_can_be_followed_for_ever() -> None:
    rng = np.random.default_rng(0)
    tries, successes = np.ones(5), np.ones(5)
    solver = blank_solver(5)
    n_compared = 0
    for _ in range(400):
        arm = rng.integers(5)
        tries[arm] += 1
        successes[arm] += rng.random() < 0.9 - 0.1 * arm
        means = (successes / tries).tolist()
        if means.count(max(means)) == 1:
            n_compared += 1
            warm = weights_of(means, solver)
            np.testing.assert_allclose(warm, weights_of(means), rtol=1e-9, atol=1e-9)
    assert n_compared > 300


def test_a_started_solver_is_a_blank_one() -> None:
    solver = blank_solver(3)
    weights_of([0.1, 0.5, 0.3], solver)
    start_solver(solver)
    assert solver == blank_solver(3)


@pytest.mark.parametrize("n_arms", [2, 5, 20])
def test_following_means_that_move_finds_what_a_search_from_nothing_does(n_arms: int) -> None:
    rng = np.random.default_rng(n_arms)
    followed = 0
    for _ in range(8):
        recommended = rng.integers(3, 200, n_arms)
        accepted = (recommended * rng.uniform(0.3, 1.0, n_arms)).astype(int)
        solver = blank_solver(n_arms)
        for _ in range(40):
            arm = rng.integers(n_arms)
            recommended[arm] += 1
            accepted[arm] += rng.random() < 0.8
            means = (accepted / recommended).tolist()
            if means.count(max(means)) > 1:
                continue
            fresh = blank_solver(n_arms)
            followed += followed_weights.follows(means, int(np.argmax(means)), solver)
            np.testing.assert_allclose(
                weights_of(means, solver), weights_of(means, fresh), rtol=1e-10
            )
    assert followed > 200  # of 320: the search from nothing is the exception


@pytest.mark.parametrize("level", [1e-9, 0.3, 1e3])
@pytest.mark.parametrize("ratio", [1e-6, 1.0, 1e6])
def test_wherever_a_search_begins_it_ends_at_the_same_weights(level: float, ratio: float) -> None:
    means = [0.8, 0.75, 0.5, 0.1]
    solver = blank_solver(4)
    solver.level[0] = level
    solver.ratios[:] = [ratio] * 4
    np.testing.assert_allclose(weights_of(means, solver), weights_of(means), rtol=1e-10)


@pytest.mark.parametrize("n_arms", [2, 5])
def test_divergences_that_are_kept_are_those_that_logarithms_give(n_arms: int) -> None:
    rng = np.random.default_rng(n_arms)
    recommended = np.full(n_arms, 50.0)
    accepted = np.linspace(10.0, 40.0, n_arms)
    solver, n_compared = blank_solver(n_arms), 0
    for _ in range(600):
        arm = rng.integers(n_arms)
        recommended[arm] += 1
        accepted[arm] += rng.random() < 0.2 + 0.6 * arm / (n_arms - 1)
        means = (accepted / recommended).tolist()
        best = means.index(max(means))
        characteristic_weights(means, best, solver)
        if solver.last[followed_weights.TOP] != means[best]:
            continue  # found by a search
        for other in set(range(n_arms)) - {best}:
            pooled, _, *kept, _ = solver.arms[6 * other : 6 * other + 6]
            found = [bernoulli_kl(means[each], pooled) for each in (best, other)]
            assert kept == pytest.approx([*found, math.log(pooled / (1.0 - pooled))], rel=1e-10)
            n_compared += kept[0] != found[0]
    assert n_compared > 100  # of most the last digit tells that they come from elsewhere


def test_a_short_series_is_a_logarithm_to_the_last_digits() -> None:
    for part in np.linspace(-1.0, 1.0, 401):
        u = float(part) * followed_weights.NEARBY
        assert followed_weights._logarithm(u) == pytest.approx(math.log1p(u), rel=5e-16, abs=0.0)


def test_a_best_arm_that_comes_close_or_changes_is_followed_and_not_searched_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n_searched = [0]

    def counting(means: list[float], best: int, ratios: list[float]) -> float:
        n_searched[0] += 1
        return search(means, best, ratios)

    search = optimal_weights.bracketed_ratios
    monkeypatch.setattr(optimal_weights, "bracketed_ratios", counting)
    solver, rest = blank_solver(6), [0.4, 0.35, 0.3, 0.1]
    for gap in (0.1, 0.01, 0.001, 1e-5, 0.02, -0.02, -0.001, 0.001, 0.1):
        means = [0.6 + gap / 2, 0.6 - gap / 2, *rest]
        warm = weights_of(means, solver)
        np.testing.assert_allclose(warm, weights_of(means), rtol=1e-8)
    n_cold = 10  # the first, and those compared with
    assert n_searched[0] <= n_cold + 1
