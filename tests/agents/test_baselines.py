"""Uniform exploration and UCB1, and the answers of all agents among tied arms."""

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pairs import pairs

from explorative_user_env.agents import (
    EXP3,
    UCB1,
    AlgorithmAgent,
    FullInformation,
    Thompson,
    TrackAndStop,
    Uniform,
)

Drive = Callable[..., list[int]]


def always(step: int, arm: int) -> bool:
    return True


@pytest.mark.parametrize(
    ("options", "run", "steps"),
    [
        ({"horizon": 7}, None, 7),
        ({"horizon": 7}, 9, 7),  # its own goes before the run's
        ({}, 10, 10),
        ({"horizon": 1, "whole_passes": True}, None, 3),
        ({"horizon": 6, "whole_passes": True}, None, 6),
        ({"horizon": 7, "whole_passes": True}, None, 9),
        # A pass ends early at the step cap, but not before the horizon.
        ({"horizon": 7, "whole_passes": True, "max_steps": 6}, None, 7),
        ({"horizon": 7, "whole_passes": True, "max_steps": 8}, None, 8),
        ({"horizon": 7, "whole_passes": True, "max_steps": 50}, None, 9),
    ],
)
def test_arms_come_in_turn_until_the_horizon_or_the_end_of_its_pass(
    drive: Drive, options: dict[str, Any], run: int | None, steps: int
) -> None:
    agent = Uniform(**options)
    for _ in range(2):  # a new user starts from nothing
        assert drive(agent, 3, always, horizon=run) == [step % 3 for step in range(steps)]
    whole = Uniform(**options | {"order": "random"})
    assert len(drive(whole, 3, always, horizon=run)) == options.get("horizon", run)


def test_random_order_is_uniform_and_independent(drive: Drive) -> None:
    arms = drive(Uniform(horizon=9000, order="random"), 3, always, seed=1)
    pairs = Counter(itertools.pairwise(arms))
    for arm in range(3):
        # Five standard deviations: sqrt(9000 * 1/3 * 2/3) = 44.7, sqrt(9000 * 1/9 * 8/9) = 29.8.
        assert abs(arms.count(arm) - 3000) < 224
        for following in range(3):
            assert abs(pairs[arm, following] - 1000) < 149


@pytest.mark.parametrize("make", [Uniform, UCB1, Thompson, EXP3, TrackAndStop, FullInformation])
def test_the_answer_among_tied_arms_is_a_random_one(
    make: Callable[..., AlgorithmAgent], drive: Drive
) -> None:
    agent = make() if make is TrackAndStop else make(horizon=12)
    answers = Counter[int]()
    for seed in range(1000):
        drive(agent, 4, lambda step, arm: False, n_steps=12, seed=seed)
        answers[agent.answer()] += 1
    if make is TrackAndStop or make is FullInformation:
        assert set(answers) == {0, 1, 2, 3}
    # 250 each, five standard deviations: sqrt(1000 * 1/4 * 3/4) = 13.7.
    assert all(abs(answers[arm] - 250) < 69 for arm in range(4))


@pytest.mark.parametrize("make", [Uniform, EXP3, TrackAndStop])
def test_ties_first_answers_the_first_of_the_tied(
    make: Callable[..., AlgorithmAgent], drive: Drive
) -> None:
    agent = make(ties="first")
    for seed in range(20):
        drive(agent, 4, lambda step, arm: arm > 0, n_steps=4, seed=seed, horizon=4)
        tied = {1, 2, 3} if make is not EXP3 else set(range(4))
        assert agent.answer() in tied
        drive(agent, 4, lambda step, arm: False, n_steps=4, seed=seed, horizon=4)
        assert agent.answer() == 0


@pytest.mark.parametrize("make", [Uniform, UCB1])
def test_the_answer_is_the_most_accepted_arm_and_no_other(
    make: Callable[..., AlgorithmAgent],
) -> None:
    # Arm 0 has the highest rate, arm 2 the most recommendations, arm 1 the most acceptances.
    agent = make(horizon=20)
    agent.reset(3, np.random.default_rng(0))
    for arm, accepted in [(0, True), (1, True), (1, False), (1, True), *[(2, False)] * 5]:
        agent.observe(arm, accepted)
    assert agent.answer() == 1


def allowed(arms: list[int], responses: list[bool], n_arms: int, c: float) -> set[int]:
    """UCB1's arms by Figure 1 after this history, told from all of it; several if they tie."""
    history, rewards = np.array(arms, int), np.array(responses, float)
    t = len(arms)
    if t < n_arms:
        return {t}
    bounds = []
    for arm in range(n_arms):
        mine = rewards[history == arm]
        bounds.append(mine.mean() + np.sqrt(c * np.log(t) / mine.size))
    return {*np.flatnonzero(np.array(bounds) > max(bounds) - 1e-12).tolist()}


def fading(step: int, arm: int) -> bool:
    """Arm 2 is good at first, arm 0 later."""
    return (7 * step + 3 * arm) % 11 > (abs(step - 150) // 30 if arm == 0 else 2 + 2 * arm)


@pairs(
    c=[None, 0.1, 30.0],
    n_arms=[2, 4, 9],
    respond=[fading, lambda step, arm: False, lambda step, arm: step % (arm + 2) == 0],
)
def test_every_step_of_ucb1_is_that_of_figure_1(
    n_arms: int, c: float | None, respond: Callable[[int, int], bool]
) -> None:
    agent = UCB1(exploration=c)
    agent.reset(n_arms, np.random.default_rng(0), horizon=400)
    arms: list[int] = []
    responses: list[bool] = []
    for step in range(400):
        arm = agent.act()
        # The published constant is the default.
        assert arm in allowed(arms, responses, n_arms, c or 2.0), f"step {step}"
        accepted = respond(step, arm)
        agent.observe(arm, accepted)
        arms.append(arm)
        responses.append(accepted)
    assert agent.act() is None
    assert len(set(arms[n_arms:])) == n_arms


@pytest.mark.parametrize("response", [True, False])
def test_arms_of_equal_bounds_are_recommended_equally_often(drive: Drive, response: bool) -> None:
    agent = UCB1(horizon=5)
    fifth = Counter[int]()
    for seed in range(2000):
        fifth[drive(agent, 4, lambda step, arm: response, seed=seed)[4]] += 1
    # 500 each, five standard deviations: sqrt(2000 * 1/4 * 3/4) = 19.4.
    assert all(abs(fifth[arm] - 500) < 97 for arm in range(4))
