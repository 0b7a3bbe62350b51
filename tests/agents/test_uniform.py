import itertools
from collections import Counter
from collections.abc import Callable

import pytest

from explorative_user_env.agents import Uniform

Drive = Callable[..., list[int]]


def always(step: int, arm: int) -> bool:
    return True


def test_arms_come_in_turn_until_the_horizon(drive: Drive) -> None:
    assert drive(Uniform(horizon=7), 3, always) == [0, 1, 2, 0, 1, 2, 0]


@pytest.mark.parametrize(("horizon", "steps"), [(1, 3), (6, 6), (7, 9)])
def test_whole_passes_end_with_the_pass_that_reaches_the_horizon(
    drive: Drive, horizon: int, steps: int
) -> None:
    arms = drive(Uniform(horizon=horizon, whole_passes=True), 3, always)
    assert arms == [step % 3 for step in range(steps)]


@pytest.mark.parametrize(
    ("max_steps", "steps"), [(6, 7), (7, 7), (8, 8), (9, 9), (50, 9), (None, 9)]
)
def test_a_pass_ends_early_at_the_step_cap_but_not_before_the_horizon(
    drive: Drive, max_steps: int | None, steps: int
) -> None:
    agent = Uniform(horizon=7, whole_passes=True, max_steps=max_steps)
    assert len(drive(agent, 3, always)) == steps


def test_random_order_keeps_to_the_horizon_whatever_the_passes(drive: Drive) -> None:
    agent = Uniform(horizon=7, order="random", whole_passes=True)
    assert len(drive(agent, 3, always)) == 7


def test_random_order_is_uniform_and_independent(drive: Drive) -> None:
    arms = drive(Uniform(horizon=9000, order="random"), 3, always, seed=1)
    pairs = Counter(itertools.pairwise(arms))
    for arm in range(3):
        # Five standard deviations: sqrt(9000 * 1/3 * 2/3) = 44.7, sqrt(9000 * 1/9 * 8/9) = 29.8.
        assert abs(arms.count(arm) - 3000) < 224
        for following in range(3):
            assert abs(pairs[arm, following] - 1000) < 149


def test_a_horizon_of_its_own_goes_before_the_run_s(drive: Drive) -> None:
    assert len(drive(Uniform(horizon=4), 3, always, horizon=9)) == 4
    assert len(drive(Uniform(), 3, always, horizon=9)) == 9


def test_the_most_accepted_arm_is_the_answer_not_the_most_recommended(drive: Drive) -> None:
    agent = Uniform(horizon=10)  # arm 0 is recommended once more than the others
    drive(agent, 3, lambda step, arm: arm == 2)
    assert agent.answer() == 2


@pytest.mark.parametrize("response", [True, False])
def test_tied_arms_are_answered_equally_often(drive: Drive, response: bool) -> None:
    agent = Uniform(horizon=8)
    answers = Counter[int]()
    for seed in range(2000):
        drive(agent, 4, lambda step, arm: response, seed=seed)
        answers[agent.answer()] += 1
    # 500 each, five standard deviations: sqrt(2000 * 1/4 * 3/4) = 19.4.
    assert all(abs(answers[arm] - 500) < 97 for arm in range(4))


def test_ties_first_answers_the_first_of_the_tied(drive: Drive) -> None:
    agent = Uniform(horizon=8, ties="first")
    for seed in range(20):
        drive(agent, 4, lambda step, arm: arm in (1, 3), seed=seed)
        assert agent.answer() == 1


def test_a_new_user_starts_from_nothing(drive: Drive) -> None:
    agent = Uniform(horizon=5)
    drive(agent, 3, lambda step, arm: arm == 0)
    assert drive(agent, 3, lambda step, arm: arm == 2) == [0, 1, 2, 0, 1]
    assert agent.answer() == 2
