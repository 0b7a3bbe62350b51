"""Exercises of notebook 6 on what a learner is shown, what it is paid, and how it learns."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explorative_user_env.course.exercises import Exercise, Mistake
from explorative_user_env.wrappers.features import by_acceptances


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
