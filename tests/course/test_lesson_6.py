"""Wrong answers to notebook 6, as students write them, are each told what is wrong with them."""

from typing import Any

import numpy as np
import pytest
from wrong_answers import assert_told, each_of

from explorative_user_env.teach import check_exercise


def ascending(acceptances: Any) -> Any:
    return sorted(range(len(acceptances)), key=lambda arm: acceptances[arm])


def ties_turned(acceptances: Any) -> Any:
    return sorted(range(len(acceptances)), key=lambda arm: (acceptances[arm], arm), reverse=True)


def inverse(acceptances: Any) -> Any:
    return np.argsort(np.argsort(-np.array(acceptances), kind="stable"), kind="stable")


def whole_run(rewards: Any, gamma: float) -> Any:
    total = sum(gamma**t * reward for t, reward in enumerate(rewards))
    return [total for _ in rewards]


def looks_back(rewards: Any, gamma: float) -> Any:
    returns, so_far = [], 0.0
    for reward in rewards:
        so_far = reward + gamma * so_far
        returns.append(so_far)
    return returns


def without_its_own(rewards: Any, gamma: float) -> Any:
    n = len(rewards)
    return [sum(gamma ** (s - t - 1) * rewards[s] for s in range(t + 1, n)) for t in range(n)]


def undiscounted(rewards: Any, gamma: float) -> Any:
    return np.cumsum(rewards[::-1])[::-1]


def one_late(rewards: Any, gamma: float) -> Any:
    n = len(rewards)
    return [sum(gamma ** (s - t + 1) * rewards[s] for s in range(t, n)) for t in range(n)]


def from_the_start(rewards: Any, gamma: float) -> Any:
    n = len(rewards)
    return [sum(gamma**s * rewards[s] for s in range(t, n)) for t in range(n)]


def descends(chances: Any, features: Any, arm: int) -> Any:
    return np.dot(chances, features) - np.array(features[arm])


def without_baseline(chances: Any, features: Any, arm: int) -> Any:
    return np.array(features[arm], float)


def plain_mean(chances: Any, features: Any, arm: int) -> Any:
    return np.array(features[arm]) - sum(map(np.array, features)) / len(features)


def of_the_chance(chances: Any, features: Any, arm: int) -> Any:
    return chances[arm] * (np.array(features[arm]) - np.dot(chances, features))


def greedy(observation: Any) -> int:
    return int(np.argmax(observation[:5]))


def least_accepted(observation: Any) -> int:
    return 4


def in_turn(observation: Any) -> int:
    return int(500 * observation[-1] + 0.5) % 5


def commits(observation: Any) -> int:
    return 4 if observation[20] < 0.001 else 0


def out_of_range(observation: Any) -> int:
    return 5


def upside_down(low: float, high: float) -> str:
    if low > 0:
        return "better"
    return "worse" if high < 0 else "level"


def by_the_middle(low: float, high: float) -> str:
    return "better" if (low + high) / 2 < 0 else "worse"


def at_zero(low: float, high: float) -> str:
    return "better" if high <= 0 else ("worse" if low >= 0 else "level")


WRONG = [
    ("6.1", ascending, "the least accepted arm"),
    ("6.1", ties_turned, "tied arms come the wrong way round"),
    ("6.1", inverse, "it returns the rank of each arm"),
    ("6.1", lambda acceptances: sorted(acceptances)[::-1], "not whose they are"),
    ("6.2", whole_run, "the return of the whole run"),
    ("6.2", looks_back, "it adds up the past"),
    ("6.2", without_its_own, "own reward is missing"),
    ("6.2", undiscounted, "nothing is discounted"),
    ("6.2", one_late, "own reward is discounted already"),
    ("6.2", from_the_start, "from the beginning of the run"),
    ("6.3", descends, "its sign is turned"),
    ("6.3", without_baseline, "nothing is subtracted"),
    ("6.3", plain_mean, "by their chances"),
    ("6.3", of_the_chance, "not of its logarithm"),
    ("6.4", greedy, "the most accepted arm for ever"),
    ("6.4", least_accepted, "it goes on with arms that she has rejected"),
    ("6.4", in_turn, "it goes on with arms that she has rejected"),
    ("6.4", commits, "it settles before she can tell"),
    ("6.4", out_of_range, "a rank is a whole number from 0 to 4, and once it returns 5"),
    ("6.4", lambda observation: None if observation[20] > 0.5 else 0, "once it returns None"),
    ("6.4", lambda observation: np.array([0]), "once it returns array([0])"),
    ("6.5", upside_down, "regret is a cost"),
    ("6.5", by_the_middle, "it goes by the middle alone"),
    ("6.5", at_zero, "an interval that ends in 0"),
]


@each_of(WRONG)
def test_a_wrong_answer_is_told_what_is_wrong(number: str, answer: Any, words: str) -> None:
    assert_told(number, answer, words)


@pytest.mark.slow
def test_another_policy_than_ours_that_beats_uniform_play_is_right() -> None:
    def streaks(observation: Any) -> int:
        latest = np.asarray(observation[10:15])
        liked = np.flatnonzero(latest >= 0)
        return int(liked[-1]) if len(liked) else 0

    assert check_exercise("6.4", streaks).right
