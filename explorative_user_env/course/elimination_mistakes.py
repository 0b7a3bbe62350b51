"""What goes wrong in Phase 2, each as a small change to a Phase 2 that is written plainly."""

from collections.abc import Iterable

from explorative_user_env.course.exercises import Mistake


class Eliminating:
    """Phase 2: `left` is F.

    Args:
        accepted: n_i of every arm, from Phase 1.
        m: rejections that eliminate an arm.
    """

    def __init__(self, accepted: Iterable[int], m: int = 1) -> None:
        self.accepted, self.m = list(accepted), m
        self.left = list(range(len(self.accepted)))
        self.rejected = [0] * len(self.accepted)

    def act(self) -> int | None:
        """Return the arm to recommend, None when one is left."""
        return None if len(self.left) == 1 else self.choose()

    def choose(self) -> int:
        """Return the argmin of n_i over F, the first of those."""
        return min(self.left, key=self.accepted.__getitem__)

    def observe(self, arm: int, accepted: bool) -> None:
        """Count the response, and drop the arm if it is to go."""
        self.accepted[arm] += accepted
        self.rejected[arm] += not accepted
        if self.goes(arm, accepted):
            self.left.remove(arm)

    def goes(self, arm: int, accepted: bool) -> bool:
        """Return whether an arm is to go."""
        return self.rejected[arm] >= self.m

    def answer(self) -> int:
        """Return the arm that is left."""
        return self.left[0]


class _OverAll(Eliminating):
    def choose(self) -> int:
        return min(range(len(self.accepted)), key=self.accepted.__getitem__)


class _LastOfTied(Eliminating):
    def choose(self) -> int:
        return min(reversed(self.left), key=self.accepted.__getitem__)


class _MostAccepted(Eliminating):
    def choose(self) -> int:
        return max(self.left, key=self.accepted.__getitem__)


class _NeverCounts(Eliminating):
    def observe(self, arm: int, accepted: bool) -> None:
        if not accepted:
            self.left.remove(arm)


class _WrongSign(Eliminating):
    def goes(self, arm: int, accepted: bool) -> bool:
        return accepted


class _OneTooLate(Eliminating):
    def act(self) -> int | None:
        return self.choose() if self.left else None


class _OneTooSoon(Eliminating):
    def act(self) -> int | None:
        return None if len(self.left) <= 2 else self.choose()


class _MostAcceptedAnswer(Eliminating):
    def answer(self) -> int:
        return max(range(len(self.accepted)), key=self.accepted.__getitem__)


class _FirstAnswer(Eliminating):
    def answer(self) -> int:
        return 0


class _OneRejectionMore(Eliminating):
    def goes(self, arm: int, accepted: bool) -> bool:
        return self.rejected[arm] > self.m


class _OneRejectionLess(Eliminating):
    def goes(self, arm: int, accepted: bool) -> bool:
        return self.rejected[arm] >= self.m - 1 and not accepted


class _FirstRejection(Eliminating):
    def goes(self, arm: int, accepted: bool) -> bool:
        return not accepted


class _AllTogether(Eliminating):
    def goes(self, arm: int, accepted: bool) -> bool:
        return not accepted and sum(self.rejected) >= self.m


class _InARow(Eliminating):
    def observe(self, arm: int, accepted: bool) -> None:
        super().observe(arm, accepted)
        self.rejected[arm] = 0 if accepted else self.rejected[arm]


class _RoundRobin(Eliminating):
    turn = -1

    def choose(self) -> int:
        self.turn = next((arm for arm in self.left if arm > self.turn), self.left[0])
        return self.turn


ELIMINATION_MISTAKES = (
    Mistake(
        "it recommends an arm again that has just been eliminated. Either the arm is still in F, "
        "or the argmin is over [K]: taken literally the pseudo-code never ends, as a rejection "
        "raises no n_i. The argmin has to be over F.",
        _OverAll,
    ),
    Mistake(
        "of several arms with the fewest acceptances it takes the last; the paper's agent here "
        "takes the first.",
        _LastOfTied,
    ),
    Mistake(
        "it recommends the most accepted arm of F. That one is safe, so she goes on accepting it; "
        "it is the least accepted arm that has something to prove.",
        _MostAccepted,
    ),
    Mistake(
        "it goes round F in turn. Phase 1 has not accepted all arms alike, and those with fewer "
        "acceptances come first.",
        _RoundRobin,
    ),
    Mistake(
        "n_i stays as it was after Phase 1: an acceptance in Phase 2 counts as well, or the same "
        "arm is the argmin until she rejects it.",
        _NeverCounts,
    ),
    Mistake("it drops an arm that she accepts: the sign is wrong.", _WrongSign),
    Mistake(
        "it goes on when one arm is left: nothing can be learnt any more, and she may accept it "
        "for ever.",
        _OneTooLate,
    ),
    Mistake(
        "it stops with two arms left, between which nothing is decided yet.",
        _OneTooSoon,
    ),
    Mistake(
        "its recommendations are right, but it answers the most accepted arm: an arm may be "
        "accepted often and still be rejected in the end. What is left in F is the answer.",
        _MostAcceptedAnswer,
    ),
    Mistake(
        "its recommendations are right, but it always answers the first arm, whatever is left.",
        _FirstAnswer,
    ),
)
"""Of an answer that makes a Phase 2 of n_i."""

ELIMINATION_M_MISTAKES = (
    Mistake(
        "an arm goes at its first rejection, whatever m: with click noise that may be a slip.",
        _FirstRejection,
    ),
    Mistake(
        "an arm goes one rejection too late: after the m-th, not when there are more than m.",
        _OneRejectionMore,
    ),
    Mistake("an arm goes one rejection too soon: after m - 1.", _OneRejectionLess),
    Mistake(
        "the rejections of all arms are counted together: every arm has a count of its own.",
        _AllTogether,
    ),
    Mistake(
        "an acceptance sets the count of rejections back to nothing: that is another rule, for "
        "rejections in a row. Here all rejections of an arm count.",
        _InARow,
    ),
)
"""Of an answer that makes a Phase 2 of n_i and m."""
