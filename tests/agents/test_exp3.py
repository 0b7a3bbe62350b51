import math
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from explorative_user_env.agents import EXP3
from explorative_user_env.agents import exp3 as rule

Drive = Callable[..., list[int]]

BELOW_ONE = 1.0 - 2.0**-53


def probabilities(params: rule.Params, state: rule.State) -> Any:
    """The law of the next arm, from what the agent keeps."""
    weights = np.array(state.weights)
    return (1 - params.mixing) * weights / weights.sum() + params.mixing / params.n_arms


def started(params: rule.Params) -> rule.State:
    state = rule.blank(params)
    rule.start(params, state, np.random.default_rng(0))
    return state


def levels(*values: float) -> Any:
    """A stream of given uniforms."""
    return SimpleNamespace(random=iter(values).__next__)


@pytest.mark.parametrize(
    ("n_arms", "horizon", "factor"),
    [(2, 50, 1.0), (5, 300, 2.0), (9, 5, 1.0), (100, 900, 2.0)],
)
def test_the_run_is_that_of_plain_exponential_weights(
    n_arms: int, horizon: int, factor: float
) -> None:
    params = EXP3(learning_rate=factor).params(n_arms, horizon)
    state = started(params)
    uniforms = np.random.default_rng(1).random(horizon)
    gamma = math.sqrt(factor * math.log(n_arms) / (n_arms * horizon))
    epsilon = min(1.0, math.sqrt(n_arms * math.log(n_arms) / horizon))
    weights = np.ones(n_arms)
    for step, level in enumerate(uniforms):
        chances = (1 - epsilon) * weights / weights.sum() + epsilon / n_arms
        np.testing.assert_allclose(probabilities(params, state), chances, rtol=1e-12)
        arm = int(np.searchsorted(np.cumsum(chances), level, side="right"))
        assert rule.act(params, state, levels(level)) == arm
        accepted = (step + arm) % 3 > 0
        rule.observe(params, state, arm, accepted)
        if accepted:
            weights[arm] *= math.exp(gamma / chances[arm])
    assert rule.act(params, state, levels(0.5)) == -1


@pytest.mark.parametrize(
    ("options", "n_arms", "horizon", "gamma", "epsilon"),
    [
        ({}, 2, 405, 0.029253, 0.058506),  # sqrt(.693147 / 810), sqrt(1.386294 / 405)
        ({}, 5, 737, 0.020899, 0.104493),  # sqrt(1.609438 / 3685), sqrt(8.047190 / 737)
        ({"learning_rate": 2.0}, 5, 737, 0.029555, 0.104493),
        ({}, 20, 59, 0.050387, 1.0),  # K log K = 59.9
        ({}, 20, 60, 0.049964, 0.999288),
    ],
)
def test_the_rates_are_the_paper_s(
    options: dict[str, Any], n_arms: int, horizon: int, gamma: float, epsilon: float
) -> None:
    params = EXP3(**options).params(n_arms, horizon)
    assert params.rate == pytest.approx(gamma, abs=1e-6)
    assert params.mixing == pytest.approx(epsilon, abs=1e-6)


def experienced(n_arms: int) -> tuple[rule.Params, rule.State]:
    """A state whose probabilities are all different."""
    params = EXP3(learning_rate=2.0).params(n_arms, 400)
    state = started(params)
    rng = np.random.default_rng(0)
    for _ in range(200):
        arm = rule.act(params, state, rng)
        rule.observe(params, state, arm, bool(rng.random() < arm / n_arms))
    return params, state


def test_arms_are_drawn_with_their_probabilities() -> None:
    params, state = experienced(4)
    chances = probabilities(params, state)
    assert min(abs(np.diff(np.sort(chances)))) > 0.001
    rng = np.random.default_rng(2)
    draws = Counter(rule.act(params, state, rng) for _ in range(40_000))
    for arm, chance in enumerate(chances):
        # Five standard deviations of a binomial count.
        width = 5 * math.sqrt(40_000 * chance * (1 - chance))
        assert abs(draws[arm] - 40_000 * chance) < width


def test_the_draw_is_the_inverse_of_the_distribution() -> None:
    params, state = experienced(4)
    edges = np.cumsum(probabilities(params, state))
    for arm in range(3):
        assert rule.act(params, state, levels(edges[arm] - 1e-12)) == arm
        assert rule.act(params, state, levels(edges[arm] + 1e-12)) == arm + 1
    assert rule.act(params, state, levels(0.0)) == 0


def test_the_highest_level_draws_the_last_arm_and_no_other() -> None:
    # Sums of rounded probabilities may end below the level, or reach 1 before the last arm.
    for n_arms in range(2, 30):
        params, state = experienced(n_arms)
        assert rule.act(params, state, levels(BELOW_ONE)) == n_arms - 1
        assert state.chance[0] == pytest.approx(probabilities(params, state)[-1], rel=1e-12)


def test_no_weight_overflows_and_an_arm_far_behind_catches_up() -> None:
    params = EXP3(learning_rate=4e6).params(2, 100)
    state = started(params)
    for arm in [0] * 10 + [1] * 30:
        rule.act(params, state, levels(0.0 if arm == 0 else BELOW_ONE))
        rule.observe(params, state, arm, True)
    expected = np.exp(state.log_weights - np.logaddexp.reduce(state.log_weights))
    np.testing.assert_allclose(
        probabilities(params, state), (1 - params.mixing) * expected + params.mixing / 2, rtol=1e-9
    )
    assert state.log_weights[1] > state.log_weights[0] > math.log(np.finfo(float).max)
    assert np.isfinite(state.weights).all()
    assert state.total[0] == pytest.approx(sum(state.weights), rel=1e-12)


def once() -> Callable[[int, int], bool]:
    """Who accepts arm 1, once."""
    left = iter([True])
    return lambda step, arm: arm == 1 and next(left, False)


def test_the_answer_is_the_arm_accepted_or_recommended_most(drive: Drive) -> None:
    accepted = EXP3(horizon=50)
    recommended = EXP3(horizon=50, counts="recommended")
    answers = set[int]()
    for seed in range(10):
        arms = drive(accepted, 3, once(), seed=seed)
        assert arms == drive(recommended, 3, once(), seed=seed)
        assert accepted.answer() == 1
        assert arms.count(recommended.answer()) == max(map(arms.count, range(3)))
        answers.add(recommended.answer())
    assert answers - {1}
