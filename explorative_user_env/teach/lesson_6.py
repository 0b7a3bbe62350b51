"""Lesson 6: learning agents against BAIR."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from explorative_user_env.evaluation import evaluate
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.teach.exercises import Case, Exercise
from explorative_user_env.wrappers.observations import PolicyAgent

_HORIZON, _N_ARMS, _N_USERS = 500, 5, 20

_NOT_BETTER = "it is not clearly better than uniform play"

#: A share of rejections above it is more than finding the bad arms takes.
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
    """Return the gradient of log pi(arm), where pi is softmax of features @ theta."""
    return np.asarray(features)[arm] - np.asarray(chances) @ np.asarray(features)


def _judged(policy: Callable[[Any], Any], case: Case) -> str | None:
    """Describe a policy after 500 steps: "better" than uniform play, or why not; None if blank."""
    if policy(np.zeros(4 * _N_ARMS + 1, np.float32)) is None:
        return None
    ranks: set[int] = set()

    def watched(observation: Any) -> int:
        rank = policy(observation)
        whole = isinstance(rank, int | np.integer) and not isinstance(rank, bool)
        if not (whole and 0 <= rank < _N_ARMS):
            allowed = f"a rank is a whole number from 0 to {_N_ARMS - 1}"
            raise ValueError(f"{allowed}, and once it returns {rank!r}")
        ranks.add(int(rank))
        return int(rank)

    agents: list[Any] = [PolicyAgent(watched, horizon=_HORIZON, name="yours"), "UNI"]
    users: Any = {"n_arms": _N_ARMS, "n_instances": _N_USERS, "seed": case[0]}
    results = evaluate(agents, task="regret", horizon=_HORIZON, progress=False, **users)
    runs = results.runs.set_index(["agent", "instance"])
    yours = runs.loc["yours"]
    _, worst = mean_interval((yours["regret"] - runs.loc["UNI"]["regret"]).to_numpy(float))
    if worst < 0.0:
        return "better"
    if 1 - yours["acceptances"].mean() / _HORIZON > _MOST_REJECTIONS:
        return "deaf"
    return "settled" if len(ranks) > 1 else "one rank"


def _eliminating(observation: Any) -> int:
    """Return the rank of the least accepted arm among those that she has never rejected."""
    left = np.flatnonzero(np.asarray(observation)[_N_ARMS : 2 * _N_ARMS] == 0.0)
    return int(left[-1]) if len(left) else 0


def _story(low: float, high: float) -> str:
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
        shows="a policy that speaks of ranks treats all arms alike, and learns nothing twice.",
    ).with_mistakes(
        "it begins with the least accepted arm",
        lambda acceptances: np.argsort(acceptances, kind="stable"),
        "it returns the rank of each arm, where the exercise asks for the arm of each rank",
        lambda acceptances: np.argsort(_order(acceptances)),
        "tied arms come the wrong way round: who turns an ascending order round turns ties too",
        lambda acceptances: np.argsort(acceptances, kind="stable")[::-1],
        "it returns the acceptances in order, not whose they are",
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
        shows="a step answers for what comes after it, and for nothing that came before.",
    ).with_mistakes(
        "every step gets the return of the whole run: what came before is none of its doing",
        lambda rewards, gamma: [_returns(rewards, gamma)[0]] * len(rewards),
        "nothing is discounted",
        lambda rewards, gamma: _returns(rewards, 1.0),
        "a step's own reward is missing: the sum begins with r_t",
        lambda rewards, gamma: [*_returns(rewards, gamma)[1:], 0.0],
        "a step's own reward is discounted already: gamma begins with the next one",
        lambda rewards, gamma: [gamma * each for each in _returns(rewards, gamma)],
        "it adds up the past: run through the rewards from the last to the first",
        lambda rewards, gamma: _returns(rewards[::-1], gamma)[::-1],
        "it is in the wrong order: the return of the first step comes first",
        lambda rewards, gamma: _returns(rewards, gamma)[::-1],
        "it is discounted from the beginning of the run, and not from the step itself",
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
        shows="the score is the recommendation less its expectation: a sure thing teaches nothing.",
    ).with_mistakes(
        "its sign is turned: it makes a good arm less likely",
        lambda chances, features, arm: -_score(chances, features, arm),
        "nothing is subtracted, so that every arm that is tried becomes likelier",
        lambda chances, features, arm: np.asarray(features)[arm],
        "the mean over the arms has to be by their chances, not of each arm alike",
        lambda chances, features, arm: features[arm] - np.mean(features, axis=0),
        "it is the gradient of pi, not of its logarithm: divide by the chance",
        lambda chances, features, arm: chances[arm] * _score(chances, features, arm),
        "it is the gradient by the logits: go on to theta with the features",
        lambda chances, features, arm: np.eye(len(chances))[arm] - chances,
    ),
    # 6.4
    Exercise(
        asks="a policy: a function of the observation, 21 numbers, that returns a rank from 0 to 4",
        right=_eliminating,
        cases=[(0,)],
        shows="a rule of two lines, made of her rejections, beats uniform play by far.",
        tried=_judged,
        describe=lambda case, given, expected: _NOT_BETTER,
    ).with_mistakes(
        "it recommends the most accepted arm for ever, and never hears of another",
        lambda observation: 0,
        "it goes on with arms that she has rejected: a no is the one thing that says something",
        lambda observation: int(_HORIZON * observation[-1] + 0.5) % _N_ARMS,
        "it settles before she can tell her arms apart: she says yes to what she hardly knows",
        lambda observation: 1 if observation[-1] == 0.0 else 0,
    ),
    # 6.5
    Exercise(
        asks='a function of both ends of the interval that returns "better", "worse" or "level"',
        right=_story,
        cases=[
            *((-12.0, -3.0), (-4.0, 1.0), (2.0, 9.0), (-30.0, 1.0)),
            *((0.0, 5.0), (-5.0, 0.0), (-1.0, 9.0)),
        ],
        shows="where the interval holds 0, the same users could have told either story.",
    ).with_mistakes(
        "regret is a cost: less of it is better",
        lambda low, high: _story(-high, -low),
        "it goes by the middle alone, as if the interval were not there",
        lambda low, high: "better" if low + high < 0 else "worse",
        "an interval that ends in 0 holds 0",
        lambda low, high: "better" if high <= 0 else "worse" if low >= 0 else "level",
        "it looks at one end only, and never finds the first agent worse",
        lambda low, high: "better" if high < 0 else "level",
    ),
)
