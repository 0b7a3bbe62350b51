"""Lesson 6: learning agents against BAIR."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from explorative_user_env.evaluation import evaluate
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.teach.exercises import Case, Exercise
from explorative_user_env.wrappers.observations import PolicyAgent

_HORIZON, _N_ARMS, _N_USERS = 500, 5, 20

_NOT_BETTER = "its regret is not significantly below UNI's"

#: Above this rejection rate a policy keeps recommending rejected arms.
_MOST_REJECTIONS = 0.1


def _order(acceptances: Sequence[int]) -> list[int]:
    return sorted(range(len(acceptances)), key=lambda arm: -acceptances[arm])


def _returns(rewards: Sequence[float], gamma: float) -> list[float]:
    """Return G_t = r_t + gamma r_(t+1) + gamma^2 r_(t+2) + ... for each step t."""
    returns, coming = [], 0.0
    for reward in reversed(rewards):
        coming = reward + gamma * coming
        returns.append(coming)
    return returns[::-1]


def _score(chances: Any, features: Any, arm: int) -> Any:
    """Return the gradient of log pi(arm) in theta, where pi = softmax(features @ theta)."""
    return np.asarray(features)[arm] - np.asarray(chances) @ np.asarray(features)


def _judged(policy: Callable[[Any], Any], case: Case) -> str | None:
    """Return "better" (than UNI), or the name of the mistake, or None for a blank policy."""
    if policy(np.zeros(4 * _N_ARMS + 1, np.float32)) is None:
        return None
    ranks: set[int] = set()

    def checked(observation: Any) -> int:
        rank = policy(observation)
        is_integer = isinstance(rank, int | np.integer) and not isinstance(rank, bool)
        if not (is_integer and 0 <= rank < _N_ARMS):
            raise ValueError(f"a rank must be an integer from 0 to {_N_ARMS - 1}, got {rank!r}")
        ranks.add(int(rank))
        return int(rank)

    agents: list[Any] = [PolicyAgent(checked, horizon=_HORIZON, name="yours"), "UNI"]
    users: Any = {"n_arms": _N_ARMS, "n_instances": _N_USERS, "seed": case[0]}
    results = evaluate(agents, task="regret", horizon=_HORIZON, progress=False, **users)
    runs = results.runs.set_index(["agent", "instance"])
    yours = runs.loc["yours"]
    _, worst = mean_interval((yours["regret"] - runs.loc["UNI"]["regret"]).to_numpy(float))
    if worst < 0.0:
        return "better"
    if 1 - yours["acceptances"].mean() / _HORIZON > _MOST_REJECTIONS:
        return "rejected"
    return "settled" if len(ranks) > 1 else "one rank"


def _eliminating(observation: Any) -> int:
    """Return the last rank (fewest acceptances) without rejections; 0 if there is none."""
    left = np.flatnonzero(np.asarray(observation)[_N_ARMS : 2 * _N_ARMS] == 0.0)
    return int(left[-1]) if len(left) else 0


def _reading(low: float, high: float) -> str:
    return "better" if high < 0 else "worse" if low > 0 else "level"


_LOSSES = [-1.0, -2.0, -0.5, 0.0]
_TWO = [[1.0, 0.0], [0.0, 1.0]]
_THREE = [[1.0, 2.0], [0.5, -1.0], [0.0, 4.0]]

EXERCISES: tuple[Exercise, ...] = (
    # 6.1
    Exercise(
        asks="a function of acceptances that returns the arm of each rank",
        right=_order,
        cases=[([3, 9, 5],), ([0] * 4,), ([4, 7, 4, 7, 1],), ([1, 2, 3, 4],), ([9, 0, 9, 40],)],
        shows="a policy on ranks treats all arms alike, so it learns every rule only once.",
    ).with_mistakes(
        "it starts with the least accepted arm: start with the most accepted",
        lambda acceptances: np.argsort(acceptances, kind="stable"),
        "it returns the rank of each arm: return the arm of each rank",
        lambda acceptances: np.argsort(_order(acceptances)),
        "tied arms are in reverse order: reversing an ascending order reverses ties, too",
        lambda acceptances: np.argsort(acceptances, kind="stable")[::-1],
        "it returns the sorted acceptances: return the arms",
        lambda acceptances: sorted(acceptances, reverse=True),
    ),
    # 6.2
    Exercise(
        asks="a function of rewards and gamma that returns the return of each step",
        right=_returns,
        cases=[
            *(([1.0, 0.0, 0.0], 0.5), ([0.0, 0.0, 1.0], 0.5)),
            *((_LOSSES, 0.9), (_LOSSES, 1.0), ([3.0], 0.9), ([2.0, 1.0], 0.0)),
        ],
        shows="the return of a step contains its own reward and later rewards, no earlier ones.",
    ).with_mistakes(
        "every step gets the return of the first step: leave earlier rewards out",
        lambda rewards, gamma: [_returns(rewards, gamma)[0]] * len(rewards),
        "the discount gamma is missing",
        lambda rewards, gamma: _returns(rewards, 1.0),
        "the reward of the step itself is missing: the sum starts with r_t",
        lambda rewards, gamma: [*_returns(rewards, gamma)[1:], 0.0],
        "the reward of the step itself is discounted: its factor is 1",
        lambda rewards, gamma: [gamma * each for each in _returns(rewards, gamma)],
        "it adds up earlier rewards: loop over the rewards from the last to the first",
        lambda rewards, gamma: _returns(rewards[::-1], gamma)[::-1],
        "the list is reversed: the return of the first step comes first",
        lambda rewards, gamma: _returns(rewards, gamma)[::-1],
        "it discounts from the start of the run: discount from the step itself",
        lambda rewards, gamma: [gamma**t * g for t, g in enumerate(_returns(rewards, gamma))],
    ),
    # 6.3
    Exercise(
        asks="a function of chances, features and an arm that returns the gradient of log pi(arm)",
        right=_score,
        cases=[
            *(([0.5, 0.5], _TWO, 0), ([0.9, 0.1], _TWO, 1), ([1.0, 0.0], _TWO, 0)),
            *(([0.2, 0.3, 0.5], _THREE, 0), ([0.2, 0.3, 0.5], _THREE, 2)),
        ],
        shows="the score is the arm's features minus their mean: 0 for an arm of probability 1.",
    ).with_mistakes(
        "the sign is wrong: this gradient makes good arms less likely",
        lambda chances, features, arm: -_score(chances, features, arm),
        "the expected features are missing: subtract them",
        lambda chances, features, arm: np.asarray(features)[arm],
        "it subtracts the unweighted mean of the features: weight them by the probabilities",
        lambda chances, features, arm: features[arm] - np.mean(features, axis=0),
        "it is the gradient of pi instead of log pi: divide by the arm's probability",
        lambda chances, features, arm: chances[arm] * _score(chances, features, arm),
        "it is the gradient in the logits: multiply it by the features",
        lambda chances, features, arm: np.eye(len(chances))[arm] - chances,
    ),
    # 6.4
    Exercise(
        asks="a policy: a function of the observation, 21 numbers, that returns a rank from 0 to 4",
        right=_eliminating,
        cases=[(0,)],
        shows="a rule of two lines that uses her rejections is far better than UNI.",
        tried=_judged,
        describe=lambda case, given, expected: _NOT_BETTER,
    ).with_mistakes(
        "it always recommends the same rank, and never explores another arm",
        lambda observation: 0,
        "it keeps recommending rejected arms: use the rejections",
        lambda observation: int(_HORIZON * observation[-1] + 0.5) % _N_ARMS,
        "it settles too early on one arm: she accepts every arm until her intervals are narrow",
        lambda observation: 1 if observation[-1] == 0.0 else 0,
    ),
    # 6.5
    Exercise(
        asks='a function of both ends of the interval that returns "better", "worse" or "level"',
        right=_reading,
        cases=[
            *((-12.0, -3.0), (-4.0, 1.0), (2.0, 9.0), (-30.0, 1.0)),
            *((0.0, 5.0), (-5.0, 0.0), (-1.0, 9.0)),
        ],
        shows="an interval that contains 0 does not show which agent is better.",
    ).with_mistakes(
        "better and worse are swapped: less regret is better",
        lambda low, high: _reading(-high, -low),
        "it uses only the middle of the interval: use both ends",
        lambda low, high: "better" if low + high < 0 else "worse",
        'an interval with an end at 0 contains 0: return "level"',
        lambda low, high: "better" if high <= 0 else "worse" if low >= 0 else "level",
        'it never returns "worse": use the lower end, too',
        lambda low, high: "better" if high < 0 else "level",
    ),
)
