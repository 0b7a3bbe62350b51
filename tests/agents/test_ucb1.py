import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from pairs import pairs

from explorative_user_env.agents import UCB1

Drive = Callable[..., list[int]]


def allowed(arms: list[int], responses: list[bool], n_arms: int, c: float) -> set[int]:
    """The arms of Figure 1 after this history, told from all of it; several if they tie."""
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
    c=[0.1, 2.0, 30.0],
    n_arms=[2, 4, 9],
    respond=[fading, lambda step, arm: False, lambda step, arm: step % (arm + 2) == 0],
)
def test_every_step_is_that_of_figure_1(
    n_arms: int, c: float, respond: Callable[[int, int], bool]
) -> None:
    agent = UCB1(exploration=c)
    agent.reset(n_arms, np.random.default_rng(0), horizon=400)
    arms: list[int] = []
    responses: list[bool] = []
    for step in range(400):
        arm = agent.act()
        assert arm in allowed(arms, responses, n_arms, c), f"step {step}"
        accepted = respond(step, arm)
        agent.observe(arm, accepted)
        arms.append(arm)
        responses.append(accepted)
    assert agent.act() is None
    assert len(set(arms[n_arms:])) == n_arms


def test_two_arms_by_hand(drive: Drive) -> None:
    # Arm 0 is always accepted, arm 1 never. Arm 0's bound is 1 + sqrt(2 log t / (t - 1)), arm 1's
    # sqrt(2 log t): 1.897 against 1.794 at t = 5, 1.847 against 1.893 at t = 6.
    agent = UCB1(horizon=7)
    assert drive(agent, 2, lambda step, arm: arm == 0) == [0, 1, 0, 0, 0, 0, 1]
    assert agent.answer() == 0


def test_the_published_constant_is_the_default() -> None:
    assert UCB1().params(2, 10) == UCB1(exploration=2.0, horizon=10).params(2, None)


@pytest.mark.parametrize("response", [True, False])
def test_tied_arms_are_recommended_equally_often(drive: Drive, response: bool) -> None:
    agent = UCB1(horizon=5)
    fifth = Counter[int]()
    for seed in range(2000):
        fifth[drive(agent, 4, lambda step, arm: response, seed=seed)[4]] += 1
    # 500 each, five standard deviations: sqrt(2000 * 1/4 * 3/4) = 19.4.
    assert all(abs(fifth[arm] - 500) < 97 for arm in range(4))


def test_the_answer_is_the_most_accepted_arm_and_a_tie_s_at_random(drive: Drive) -> None:
    agent = UCB1(horizon=3)
    answers = Counter[int]()
    for seed in range(1000):
        drive(agent, 3, lambda step, arm: arm > 0, seed=seed)
        answers[agent.answer()] += 1
    assert set(answers) == {1, 2}
    assert abs(answers[1] - 500) < 5 * math.sqrt(1000 / 4)


def test_the_answer_is_not_the_arm_of_the_highest_rate(drive: Drive) -> None:
    # Acceptances 1 of 1 and 2 of 3; then one more of arm 1.
    agent = UCB1(horizon=10)
    agent.reset(2, np.random.default_rng(0))
    for arm, accepted in [(0, True), (1, True), (1, False), (1, True)]:
        agent.observe(arm, accepted)
    assert agent.answer() == 1
