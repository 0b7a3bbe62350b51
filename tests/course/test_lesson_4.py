"""Lesson 4: classes as students write them, beside the package's agent step by step."""

import math

import numpy as np

from explorative_user_env.agents import BAIR
from explorative_user_env.teach import check_exercise
from explorative_user_env.teach.lesson_4 import USERS_BY_N1, USERS_WHO_SLIP, paper_run, parting


def but(right, **methods):
    return type("Mine", (right,), methods)


class Sweep:
    """Phase 1, with F as a list that an index goes round."""

    def __init__(self, n_arms, n1):
        self.K, self.n1 = n_arms, n1
        self.F, self.i, self.n, self.t = [*range(n_arms)], 0, 0, 0
        self.rounds, self.done = False, False

    def act(self):
        return None if self.done else self.F[self.i]

    def observe(self, arm, accepted):
        self.t += 1
        self.n += int(accepted)
        if not accepted:
            del self.F[self.i]
        elif not self.rounds:
            self.i += 1
        self.look(accepted)

    def look(self, accepted):
        end = self.i >= len(self.F)
        self.done = (end or self.rounds) and self.enough()
        self.turn(end)

    def enough(self):
        return self.n >= self.n1

    def turn(self, end):
        if end:
            self.i = 0
        if not self.F:
            self.F, self.rounds = [*range(self.K)], True


def at_once(self, accepted):
    Sweep.look(self, accepted)
    self.done = self.enough()


class Skips(Sweep):
    def look(self, accepted):
        if not accepted and not self.rounds:
            self.i += 1  # although the arms behind the rejected one have moved up
        super().look(accepted)


class EndsWhenEmpty(Sweep):
    def turn(self, end):
        self.done = self.done or not self.F
        super().turn(end)


class Eliminate:
    """Phase 2, with NumPy."""

    def __init__(self, n, m=1):
        self.n, self.m = np.array([*n]), m
        self.gone = np.zeros(len(self.n), bool)
        self.no = np.zeros(len(self.n), int)

    def act(self):
        return None if (~self.gone).sum() == 1 else self.next()

    def next(self):
        return int(np.argmin(np.where(self.gone, 10**9, self.n)))

    def observe(self, arm, accepted):
        self.n[arm] += accepted
        self.no[arm] += not accepted
        self.gone[arm] = self.leaves(arm, accepted)

    def leaves(self, arm, accepted):
        return self.no[arm] >= self.m

    def answer(self):
        return int(np.flatnonzero(~self.gone)[0])


def forgives(self, arm, accepted):
    self.no[arm] *= not accepted
    return self.no[arm] >= self.m


def n1_of(n_arms, delta, alpha, rho_0):
    return math.pow(2 * n_arms / delta, 1 / alpha) / rho_0


class Mine:
    """The whole, made of these two."""

    hands_on = True

    def __init__(self, delta=0.1, alpha=1.0, rho_0=1.0):
        self.numbers = delta, alpha, rho_0

    def reset(self, n_arms, rng, horizon=None):
        self.sweep = Sweep(n_arms, n1_of(n_arms, *self.numbers))
        self.yes, self.last = [0] * n_arms, None  # type: list[int], Eliminate | None

    def act(self):
        if self.last is None:
            if (arm := self.sweep.act()) is not None:
                return arm
            self.last = Eliminate(self.yes if self.hands_on else [0] * len(self.yes))
        return self.last.act()

    def observe(self, arm, accepted):
        self.yes[arm] += accepted
        part = self.sweep if self.last is None else self.last
        part.observe(arm, accepted)

    def answer(self):
        return self.last.answer() if self.last else self.yes.index(max(self.yes))


class NotAnew(Mine):
    def reset(self, n_arms, rng, horizon=None):
        if not hasattr(self, "sweep"):
            super().reset(n_arms, rng)


class Silent:
    def __init__(self, *numbers, **options):
        pass

    def reset(self, n_arms, rng, horizon=None):
        pass

    def act(self):
        pass


def fails(self, arm, accepted):
    raise KeyError(self.F.index(arm) + 3)


FAILS = but(Sweep, observe=fails)


def leaves(rule):
    """Phase 2 with another rule for who leaves F."""
    return but(Eliminate, leaves=rule)


AS_PRINTED = but(Eliminate, next=lambda self: int(np.argmin(self.n)))
STRAYS = but(Eliminate, next=lambda self: 0 if self.n.sum() == 35 else Eliminate.next(self))
GIVES_UP = but(Eliminate, act=lambda self: None if len(self.n) == 5 else Eliminate.act(self))
WRONG = {
    "4.1": [
        ("the exponent is turned over", lambda k, d, a, r: n1_of(k, d, 1 / a, r)),
        ("the factor 2 is missing", lambda k, d, a, r: n1_of(k, 2 * d, a, r)),
    ],
    "4.2": [
        ("N_1 is compared with time steps", but(Sweep, enough=lambda self: self.t >= self.n1)),
        ("Phase 1 breaks off in the middle of a pass", but(Sweep, look=at_once)),
        ("the arm after a rejected one is left out of the pass", Skips),
        ("Phase 1 ends when F is empty", EndsWhenEmpty),
        ("at step 1, in Phase 1, first sweep: that is the first recommendation. It fails", FAILS),
    ],
    "4.3": [
        ("taken literally the pseudo-code never ends", AS_PRINTED),
        ("(with user 3 (printed, K = 5, N_1 = 20) it leaves the paper's agent at", AS_PRINTED),
        ("It answers None; arm", but(Eliminate, answer=lambda self: None)),
        ("the sign is wrong", leaves(lambda self, arm, accepted: accepted)),
        ("it leaves the paper's agent at step 36, in Phase 2, elimination: arm 0 was", STRAYS),
        ("with user 3 (printed, K = 5, N_1 = 20) it stops before it recommends", GIVES_UP),
    ],
    "4.4": [
        ("it remembers the user before", NotAnew),
        ("Phase 2 begins with all n_i at 0", but(Mine, hands_on=False)),
        ("It recommends arm 1; arm 0 is right", but(Mine, act=lambda self: np.int64(1))),
        ("it has to be a class that is made with delta", Mine()),
    ],
    "4.5": [
        ("are counted together", leaves(lambda self, arm, yes: not yes and sum(self.no) >= self.m)),
        ("an acceptance sets the count of rejections back", leaves(forgives)),
    ],
}


def test_a_wrong_answer_is_told_what_is_wrong():
    blank = ("it returns nothing yet; it asks for a class that is made with ", Silent)
    for number, rows in WRONG.items():
        for words, answer in [*rows, blank] if number != "4.1" else rows:
            remark = check_exercise(number, answer)
            assert not remark.right
            assert words in remark.words


def test_another_way_to_write_it_is_right():
    rows = [("4.1", n1_of), ("4.2", Sweep), ("4.3", Eliminate), ("4.4", Mine), ("4.5", Eliminate)]
    for number, answer in rows:
        assert check_exercise(number, answer).right, number


def test_the_papers_agent_is_itself_to_the_bit():
    assert check_exercise("4.4", BAIR).right
    for user in (*USERS_BY_N1, *USERS_WHO_SLIP):

        def make(user=user):
            agent = BAIR(n1=user.n1 or "paper", m=user.m)
            agent.reset(user.n_arms, np.random.default_rng(0))
            return agent

        assert parting(make, paper_run(user)) == ""
