"""The exercises of notebook 6: learning agents against BAIR."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from explorative_user_env.teach.exercises import Exercise, Mistake
from explorative_user_env.validation import one_line
from explorative_user_env.wrappers.observations import by_acceptances


def arms_by_rank(acceptances: Sequence[int]) -> list[int]:
    """Return the arm of each rank, the most accepted first and tied ones by their numbers."""
    counts = np.zeros((1, 4 * len(acceptances) + 1), np.float32)
    counts[0, : len(acceptances)] = acceptances
    order: list[int] = by_acceptances(counts, len(acceptances))[1][0].tolist()
    return order


def returns_to_go(rewards: Sequence[float], gamma: float) -> list[float]:
    """Return G_t = r_t + gamma r_(t+1) + gamma^2 r_(t+2) + ... for each step t."""
    returns, coming = [], 0.0
    for reward in reversed(rewards):
        coming = reward + gamma * coming
        returns.append(coming)
    return returns[::-1]


def score_of(chances: Any, features: Any, arm: int) -> Any:
    """Return the gradient of log pi(arm), where pi is softmax of features @ theta.

    Args:
        chances: pi, one for each arm.
        features: a row for each arm.
        arm: the one that was recommended.
    """
    return np.asarray(features)[arm] - np.asarray(chances) @ np.asarray(features)


def _ranks(acceptances: Sequence[int]) -> list[int]:
    order = arms_by_rank(acceptances)
    return [order.index(arm) for arm in range(len(order))]


RANKS = Exercise(
    number="6.1",
    asks="a function of acceptances that returns the arm of each rank",
    right=arms_by_rank,
    cases=[
        ([3, 9, 5],),
        ([0, 0, 0, 0],),
        ([4, 7, 4, 7, 1],),
        ([1, 2, 3, 4, 5],),
        ([12, 0, 12, 40, 7],),
    ],
    shows="a policy that speaks of ranks treats all arms alike, and need learn nothing five times.",
    mistakes=[
        Mistake(
            "it begins with the least accepted arm",
            lambda acceptances: np.argsort(acceptances, kind="stable"),
        ),
        Mistake(
            "it returns the rank of each arm, where the arm of each rank is asked for",
            _ranks,
        ),
        Mistake(
            "tied arms come the wrong way round: who turns an ascending order round turns ties too",
            lambda acceptances: np.argsort(acceptances, kind="stable")[::-1],
        ),
        Mistake(
            "it returns the acceptances in order, not whose they are",
            lambda acceptances: sorted(acceptances, reverse=True),
        ),
        Mistake(
            "it leaves the arms as they are numbered",
            lambda acceptances: list(range(len(acceptances))),
        ),
    ],
)

RETURNS = Exercise(
    number="6.2",
    asks="a function of rewards and gamma that returns the return of each step",
    right=returns_to_go,
    cases=[
        ([1.0, 0.0, 0.0], 0.5),
        ([0.0, 0.0, 1.0], 0.5),
        ([-1.0, -2.0, -0.5, 0.0], 0.9),
        ([-1.0, -2.0, -0.5, 0.0], 1.0),
        ([3.0], 0.9),
        ([2.0, 1.0], 0.0),
    ],
    shows="a step answers for what comes after it, and for nothing that came before.",
    mistakes=[
        Mistake(
            "every step gets the return of the whole run: what came before is none of its doing",
            lambda rewards, gamma: [returns_to_go(rewards, gamma)[0]] * len(rewards),
        ),
        Mistake(
            "nothing is discounted",
            lambda rewards, gamma: returns_to_go(rewards, 1.0),
        ),
        Mistake(
            "a step's own reward is missing: the sum begins with r_t",
            lambda rewards, gamma: [*returns_to_go(rewards, gamma)[1:], 0.0],
        ),
        Mistake(
            "a step's own reward is discounted already: gamma begins with the next one",
            lambda rewards, gamma: [gamma * each for each in returns_to_go(rewards, gamma)],
        ),
        Mistake(
            "it adds up the past: run through the rewards from the last to the first",
            lambda rewards, gamma: returns_to_go(rewards[::-1], gamma)[::-1],
        ),
        Mistake(
            "it is in the wrong order: the return of the first step comes first",
            lambda rewards, gamma: returns_to_go(rewards, gamma)[::-1],
        ),
        Mistake(
            "it is discounted from the beginning of the run, and not from the step itself",
            lambda rewards, gamma: [
                gamma**t * each for t, each in enumerate(returns_to_go(rewards, gamma))
            ],
        ),
        Mistake("it returns the rewards as they are", lambda rewards, gamma: list(rewards)),
    ],
)

_TWO = [[1.0, 0.0], [0.0, 1.0]]
_THREE = [[1.0, 2.0], [0.5, -1.0], [0.0, 4.0]]

SCORE = Exercise(
    number="6.3",
    asks="a function of chances, features and an arm that returns the gradient of log pi(arm)",
    right=score_of,
    cases=[
        ([0.5, 0.5], _TWO, 0),
        ([0.9, 0.1], _TWO, 1),
        ([0.2, 0.3, 0.5], _THREE, 0),
        ([0.2, 0.3, 0.5], _THREE, 2),
        ([1.0, 0.0], _TWO, 0),
    ],
    shows="the score is what was recommended less what was to be expected: a sure thing teaches "
    "nothing.",
    mistakes=[
        Mistake(
            "its sign is turned: it makes a good arm less likely",
            lambda chances, features, arm: -score_of(chances, features, arm),
        ),
        Mistake(
            "nothing is subtracted, so that every arm that is tried becomes likelier",
            lambda chances, features, arm: np.asarray(features)[arm],
        ),
        Mistake(
            "the mean over the arms has to be by their chances, not of each arm alike",
            lambda chances, features, arm: np.asarray(features)[arm] - np.mean(features, axis=0),
        ),
        Mistake(
            "it looks at the one arm only: the others become less likely as well",
            lambda chances, features, arm: (1.0 - chances[arm]) * np.asarray(features)[arm],
        ),
        Mistake(
            "it is the gradient of pi, not of its logarithm: divide by the chance",
            lambda chances, features, arm: chances[arm] * score_of(chances, features, arm),
        ),
        Mistake(
            "it is the gradient by the logits: go on to theta with the features",
            lambda chances, features, arm: np.eye(len(chances))[arm] - np.asarray(chances),
        ),
    ],
)


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


EXERCISES: tuple[Exercise, ...] = (RANKS, RETURNS, SCORE, BY_HAND, READING)
"""In the order in which they are asked."""
