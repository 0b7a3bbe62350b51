"""Exercises of notebook 2 on what she does: her rule, and the arm that stands against another."""

import math

from explorative_user_env.course.exercises import Exercise, Mistake
from explorative_user_env.users.hidden_state import HiddenState, witness_of
from explorative_user_env.users.instances import Instance

_Bounds = list[float]


def _witness(arm: int, lower: _Bounds, upper: _Bounds) -> int | None:
    """Return the arm that stands against another, of a user with these intervals."""
    n_arms = len(lower)
    unknown = Instance(tuple(float(each == 0) for each in range(n_arms)), 0)
    hidden = HiddenState(
        instance=unknown,
        estimates=(0.0,) * n_arms,
        counts=(1,) * n_arms,
        lower_bounds=tuple(lower),
        upper_bounds=tuple(upper),
        gamma=0.0,
        rho=1.0,
        acceptances=n_arms,
        interactions=n_arms,
    )
    return witness_of(hidden, arm)


def _rejects(arm: int, lower: _Bounds, upper: _Bounds) -> bool:
    return _witness(arm, lower, upper) is not None


def _others(arm: int, bounds: _Bounds) -> list[int]:
    return [other for other in range(len(bounds)) if other != arm]


def _middle(arm: int, lower: _Bounds, upper: _Bounds) -> float:
    """Return her empirical mean; no number, which nothing compares with, where she has none."""
    return (lower[arm] + upper[arm]) / 2


_TWO = ([1.0, 0.0], [2.0, 1.0])
_THREE = ([0.5, -0.5, -2.0], [1.5, 1.25, -0.25])
_NARROW = ([0.75, -1.0, 0.0], [1.25, 4.0, 0.5])
_FOUR = ([0.25, 0.5, 0.375, -3.0], [2.5, 1.0, 3.0, -1.0])
_UNKNOWN = ([-math.inf, 0.5], [math.inf, 1.0])
_POINTS = ([0.5, 0.25], [0.5, 0.25])
_MIDDLE = ([-1.0, 0.75, -2.0], [0.5, 1.5, 0.625])
"""Intervals as (lower, upper): that touch; of which one is apart; of which the best for sure is not
the best so far; of which three are above another; an arm never accepted; Gamma = 0; of which one is
above the others, and neither the first nor the last."""

RULE = Exercise(
    number="2.3",
    asks="a function of an arm and all lcb and ucb that returns whether she rejects the arm",
    right=_rejects,
    cases=[
        *(
            (2, *_THREE),
            (1, *_THREE),
            (0, *_THREE),
            (1, *_TWO),
            (0, *_TWO),
            (2, *_NARROW),
            (3, *_FOUR),
        ),
        *((3, *_FOUR), (1, *_FOUR), (0, *_UNKNOWN), (1, *_UNKNOWN), (0, *_POINTS), (1, *_POINTS)),
        *((2, *_MIDDLE), (0, *_MIDDLE)),
    ],
    shows="she rejects an arm only where another is clearly better, and stays curious otherwise.",
    mistakes=[
        Mistake(
            "she rejects by her means here: an arm that looks worse, but whose interval meets the "
            "others, may be the best one, and she is curious.",
            lambda arm, lower, upper: any(
                _middle(other, lower, upper) > _middle(arm, lower, upper)
                for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "where two intervals only touch it says that she accepts: look at the sign between "
            "lcb_j and ucb_i once more.",
            lambda arm, lower, upper: any(
                lower[other] > upper[arm] for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "the arm is compared with itself: where Gamma is 0, its own lcb and ucb are equal, and "
            "she would reject everything.",
            lambda arm, lower, upper: max(lower) >= upper[arm],
        ),
        Mistake(
            "every other arm has to be clearly better here; one is enough.",
            lambda arm, lower, upper: all(
                lower[other] >= upper[arm] for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "it says when the arm is clearly better than another: the roles of i and j are "
            "swapped.",
            lambda arm, lower, upper: any(
                lower[arm] >= upper[other] for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "it rejects wherever two intervals are apart, also the arm that is the better one.",
            lambda arm, lower, upper: any(
                lower[other] >= upper[arm] or lower[arm] >= upper[other]
                for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "upper ends are compared with upper ends: that is how UCB1 chooses an arm, and not how "
            "she turns one down.",
            lambda arm, lower, upper: any(
                upper[other] >= upper[arm] for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "the other arm's lcb is compared with her estimate of this one, which leaves out how "
            "uncertain this one is.",
            lambda arm, lower, upper: any(
                lower[other] >= _middle(arm, lower, upper) for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "the arm is compared only with the one that has the largest mean: another one, which "
            "she knows better, can stand against it.",
            lambda arm, lower, upper: lower[_best_so_far(arm, lower, upper)] >= upper[arm],
        ),
        Mistake(
            "only the first of the other arms is looked at: is there a `return` in every branch of "
            "the loop?",
            lambda arm, lower, upper: lower[_others(arm, lower)[0]] >= upper[arm],
        ),
        Mistake(
            "only the last of the other arms counts: what the loop found before it is forgotten.",
            lambda arm, lower, upper: lower[_others(arm, lower)[-1]] >= upper[arm],
        ),
        Mistake(
            "it says when she accepts.",
            lambda arm, lower, upper: not _rejects(arm, lower, upper),
        ),
    ],
)


def _best_so_far(arm: int, lower: _Bounds, upper: _Bounds) -> int:
    """Return which other arm has the largest empirical mean."""

    def known(other: int) -> float:
        middle = _middle(other, lower, upper)
        return -math.inf if math.isnan(middle) else middle

    return max(_others(arm, lower), key=known)


def _better(arm: int, lower: _Bounds, upper: _Bounds) -> list[int]:
    return [other for other in _others(arm, lower) if lower[other] >= upper[arm]]


WHO_STANDS_AGAINST = Exercise(
    number="2.4",
    asks="a function of an arm and all lcb and ucb that returns the witness, or None",
    right=_witness,
    cases=[
        *((3, *_FOUR), (2, *_THREE), (1, *_THREE), (1, *_TWO), (0, *_TWO), (2, *_NARROW)),
        *((1, *_FOUR), (0, *_UNKNOWN), (0, *_POINTS), (1, *_POINTS)),
    ],
    shows="a rejection has a witness, an arm that is better for sure, as she sees it; and it is "
    "the one fact that you never see.",
    mistakes=[
        Mistake(
            "it is the first arm that is clearly better; of several the witness is the one that "
            "speaks the loudest, by its lcb.",
            lambda arm, lower, upper: next(iter(_better(arm, lower, upper)), None),
        ),
        Mistake(
            "of several clearly better arms it is the one with the largest ucb: that one may be "
            "the best, but she is not surest of it.",
            lambda arm, lower, upper: max(
                _better(arm, lower, upper), key=upper.__getitem__, default=None
            ),
        ),
        Mistake(
            "it is the arm with the largest lcb also where she accepts: then there is no witness.",
            lambda arm, lower, upper: max(_others(arm, lower), key=lower.__getitem__),
        ),
        Mistake(
            "where Gamma is 0 an arm is the witness against itself.",
            lambda arm, lower, upper: lower.index(max(lower)) if max(lower) >= upper[arm] else None,
        ),
        Mistake(
            "where two intervals only touch there is no witness here, though she rejects.",
            lambda arm, lower, upper: max(
                (each for each in _better(arm, lower, upper) if lower[each] > upper[arm]),
                key=lower.__getitem__,
                default=None,
            ),
        ),
        Mistake(
            "it says whether there is a witness, and not which arm it is.",
            _rejects,
        ),
    ],
)
