"""A policy trained several times against one agent: intervals over users and trainings."""

import numpy as np
import pytest

from explorative_user_env.results.compare import crossed_difference
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.validation import InvalidArgumentError

LEVEL = 0.95


def differences(
    rng: np.random.Generator, shape: tuple[int, int], spreads: tuple[float, float, float]
) -> np.ndarray:
    """Return differences around 0: of trainings, of users, and of chance in a run."""
    of_training, of_user, of_run = spreads
    n_trainings, n_users = shape
    trainings = rng.normal(0.0, of_training, (n_trainings, 1))
    users = rng.normal(0.0, of_user, n_users)
    return trainings + users + rng.normal(0.0, of_run, shape)


@pytest.mark.slow
def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng, n_times = np.random.default_rng(3), 100
    least = LEVEL - 4.0 * np.sqrt(LEVEL * (1.0 - LEVEL) / n_times)
    for spreads in ((0.0, 1.0, 1.0), (0.3, 1.0, 1.0), (3.0, 0.5, 1.0)):
        held, held_by_users = 0, 0
        for _ in range(n_times):
            apart = differences(rng, (3, 60), spreads)
            by_user = apart.mean(axis=0)
            found = crossed_difference("regret", apart, np.zeros(60), LEVEL)
            held += found.low <= 0.0 <= found.high
            low, high = mean_interval(by_user, LEVEL)
            held_by_users += low <= 0.0 <= high
        assert held / n_times > least
    assert held_by_users / n_times < 0.5  # users alone are too sure where trainings differ


def test_it_says_first_minus_second_of_the_same_users() -> None:
    rng = np.random.default_rng(5)
    users = rng.normal(200.0, 50.0, 400)
    trained = users - 10.0 + rng.normal(0.0, 1.0, (3, 400))
    found = crossed_difference("regret", trained, users, LEVEL)
    assert found.first == trained.mean()
    assert found.second == users.mean()
    assert found.value == pytest.approx(-10.0, abs=0.5)
    assert found.low < found.value < found.high < -9.0  # what users have in common is gone
    assert found.p_value < 0.05


def test_the_p_value_is_that_of_the_interval_that_ends_at_nothing() -> None:
    trained = 1.0 + differences(np.random.default_rng(6), (4, 50), (0.5, 1.0, 1.0))
    found = crossed_difference("regret", trained, np.zeros(50), LEVEL)
    ends = crossed_difference("regret", trained, np.zeros(50), 1.0 - found.p_value)
    assert ends.low == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("shape", [(1, 9), (3, 1), (9,)])
def test_one_training_or_one_user_says_nothing_of_the_next(shape: tuple[int, ...]) -> None:
    trained = np.zeros(shape)
    with pytest.raises(InvalidArgumentError, match=r"^trained must be a table of at least 2"):
        crossed_difference("regret", trained, np.zeros(shape[-1]))


def test_other_users_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^against must be one value for each of 9"):
        crossed_difference("regret", np.zeros((3, 9)), np.zeros(8))
