"""Exercises of notebook 6 on a policy that is made by hand, and on what a comparison shows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from explorative_user_env.course.exercises import Exercise, Mistake
from explorative_user_env.validation import one_line

_HORIZON, _N_ARMS, _N_USERS = 500, 5, 20
_BETTER, _ONE_RANK, _DEAF, _SETTLED = "better", "one rank", "deaf", "settled"
"""What a policy does: beats uniform play, or in which way it does not."""

_MOST_REJECTIONS = 0.1
"""The share of rejections that is more than it takes to hear which arms she does not want."""

_NO_RANK = f"a rank is a whole number from 0 to {_N_ARMS - 1}"

_Policy = Callable[[Any], int]


def what_it_does(policy: _Policy, case: tuple[Any, ...]) -> str | None:
    """Return how a policy on sorted counts does over 500 steps, None for one that is blank.

    Of one that returns what is no rank it is said what that was.
    """
    from explorative_user_env.agents import Uniform
    from explorative_user_env.evaluation import evaluate
    from explorative_user_env.results.intervals import mean_interval
    from explorative_user_env.wrappers.policy_agent import PolicyAgent

    if policy(np.zeros(4 * _N_ARMS + 1, np.float32)) is None:
        return None
    ranks: set[int] = set()
    others: list[Any] = []

    def watched(observation: Any) -> int:
        rank = policy(observation)
        if not _is_rank(rank):
            others.append(rank)
            return 0
        ranks.add(rank)
        return rank

    results = evaluate(
        [PolicyAgent(watched, horizon=_HORIZON, name="yours"), Uniform()],
        task="regret",
        n_arms=_N_ARMS,
        horizon=_HORIZON,
        n_instances=_N_USERS,
        seed=case[0],
        progress=False,
    )
    if others:
        return one_line(f"{_NO_RANK}, and once it returns {others[0]!r}", 200)
    by_agent = results.runs.set_index(["agent", "instance"])
    yours = by_agent.loc["yours"]
    _, worst = mean_interval((yours["regret"] - by_agent.loc["UNI"]["regret"]).to_numpy(float))
    if worst < 0.0:
        return _BETTER
    if len(ranks) == 1:
        return _ONE_RANK if ranks == {0} else _DEAF
    rejected = 1.0 - yours["acceptances"].mean() / _HORIZON
    return _DEAF if rejected > _MOST_REJECTIONS else _SETTLED


def _is_rank(rank: Any) -> bool:
    whole = isinstance(rank, int | np.integer) and not isinstance(rank, bool)
    return whole and 0 <= rank < _N_ARMS


def _told(case: tuple[Any, ...], given: Any, expected: Any) -> str:
    no_rank = isinstance(given, str) and given.startswith(_NO_RANK)
    return given if no_rank else "it is not clearly better than uniform play"


def eliminating(observation: Any) -> int:
    """Return the rank of the least accepted arm among those that she has never rejected."""
    rejections = np.asarray(observation)[_N_ARMS : 2 * _N_ARMS]
    left = np.flatnonzero(rejections == 0.0)
    return int(left[-1]) if len(left) else 0


def _random() -> _Policy:
    rng = np.random.default_rng(0)
    return lambda observation: int(rng.integers(_N_ARMS))


BY_HAND = Exercise(
    number="6.4",
    asks="a policy: a function of the observation, 21 numbers, that returns a rank from 0 to 4",
    right=eliminating,
    cases=[(0,)],
    shows="a rule of two lines, made of her rejections, beats uniform play by far.",
    tried=what_it_does,
    told=_told,
    mistakes=[
        Mistake(
            "it recommends the most accepted arm for ever: that is accepted for ever as well, and "
            "it never hears of another",
            lambda observation: 0,
        ),
        Mistake(
            "it goes on with arms that she has rejected: a no is the one thing that says something",
            _random(),
        ),
        Mistake(
            "it settles before she can tell her arms apart: she says yes to what she hardly knows",
            lambda observation: 1 if observation[-1] == 0.0 else 0,
        ),
    ],
)


def story_of(low: float, high: float) -> str:
    """Return what the interval of a difference of regrets says of the first agent."""
    return "better" if high < 0.0 else "worse" if low > 0.0 else "level"


READING = Exercise(
    number="6.5",
    asks='a function of both ends of the interval that returns "better", "worse" or "level"',
    right=story_of,
    cases=[
        (-12.0, -3.0),
        (-4.0, 1.0),
        (2.0, 9.0),
        (-30.0, 1.0),
        (0.0, 5.0),
        (-5.0, 0.0),
        (-1.0, 9.0),
    ],
    shows="where the interval holds 0, the same users could have told either story.",
    mistakes=[
        Mistake(
            "regret is a cost: less of it is better",
            lambda low, high: "worse" if high < 0.0 else "better" if low > 0.0 else "level",
        ),
        Mistake(
            "it goes by the middle alone, as if the interval were not there",
            lambda low, high: "better" if low + high < 0.0 else "worse",
        ),
        Mistake(
            "an interval that ends in 0 holds 0",
            lambda low, high: "better" if high <= 0.0 else "worse" if low >= 0.0 else "level",
        ),
        Mistake(
            "it looks at one end only, and never finds the first agent worse",
            lambda low, high: "better" if high < 0.0 else "level",
        ),
        Mistake(
            "it looks at the wrong ends: both have to be on one side of 0",
            lambda low, high: "better" if low < 0.0 else "worse" if high > 0.0 else "level",
        ),
    ],
)
