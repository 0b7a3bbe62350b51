"""Answers to notebook 4 as students may write them: three that are right, and what goes wrong."""

import math
from collections.abc import Iterable

import numpy as np

from explorative_user_env.theory import phase1_acceptances_needed


def linear(n_arms: int, delta: float, alpha: float, rho_0: float) -> float:
    return 2 * n_arms / (delta * rho_0)


def wrong_way_round(n_arms: int, delta: float, alpha: float, rho_0: float) -> float:
    return math.pow(2 * n_arms / delta, alpha) / rho_0


def times_rho(n_arms: int, delta: float, alpha: float, rho_0: float) -> float:
    return rho_0 * math.pow(2 * n_arms / delta, 1 / alpha)


def no_two(n_arms: int, delta: float, alpha: float, rho_0: float) -> float:
    return float(np.power(n_arms / delta, 1 / alpha) / rho_0)


def whole(n_arms: int, delta: float, alpha: float, rho_0: float) -> int:
    return int(np.ceil(phase1_acceptances_needed(n_arms, delta, alpha, rho_0)))


class Sweep:
    """Phase 1 as a student may write it who keeps F as a list and goes round with an index."""

    def __init__(self, n_arms: int, n1: float) -> None:
        self.K, self.n1 = n_arms, n1
        self.F, self.i, self.n, self.t = [*range(n_arms)], 0, 0, 0
        self.rounds, self.done = False, False

    def act(self) -> int | None:
        return None if self.done else self.F[self.i]

    def observe(self, arm: int, accepted: bool) -> None:
        self.t += 1
        self.n += int(accepted)
        if not accepted:
            del self.F[self.i]
        elif not self.rounds:
            self.i += 1
        self.look(accepted)

    def look(self, accepted: bool) -> None:
        end = self.i >= len(self.F)
        self.done = (end or self.rounds) and self.n >= self.n1
        self.turn(end)

    def turn(self, end: bool) -> None:
        if end:
            self.i = 0
        if not self.F:
            self.F, self.rounds = [*range(self.K)], True


class InSteps(Sweep):
    def look(self, accepted: bool) -> None:
        self.n = self.t
        super().look(accepted)


class AtOnce(Sweep):
    def look(self, accepted: bool) -> None:
        self.done = self.n >= self.n1
        self.turn(self.i >= len(self.F))


class Exceeds(Sweep):
    def look(self, accepted: bool) -> None:
        end = self.i >= len(self.F)
        self.done = (end or self.rounds) and self.n > self.n1
        self.turn(end)


class Skips(Sweep):
    def look(self, accepted: bool) -> None:
        if not accepted and not self.rounds:
            self.i += 1  # although the arms behind the rejected one have moved up
        super().look(accepted)


class KeepsSweeping(Sweep):
    def turn(self, end: bool) -> None:
        super().turn(end)
        self.rounds = False


class EndsWhenEmpty(Sweep):
    def turn(self, end: bool) -> None:
        self.done = self.done or not self.F
        super().turn(end)


class Eliminate:
    """Phase 2 as a student may write it, with NumPy."""

    def __init__(self, n: Iterable[int], m: int = 1) -> None:
        self.n, self.m = np.array([*n]), m
        self.gone = np.zeros(len(self.n), bool)
        self.no = np.zeros(len(self.n), int)

    def act(self) -> int | None:
        if (~self.gone).sum() == 1:
            return None
        return int(np.argmin(np.where(self.gone, 10**9, self.n)))

    def observe(self, arm: int, accepted: bool) -> None:
        self.n[arm] += accepted
        self.no[arm] += not accepted
        self.gone[arm] = self.no[arm] >= self.m

    def answer(self) -> int:
        return int(np.flatnonzero(~self.gone)[0])


class AsPrinted(Eliminate):
    def act(self) -> int | None:
        return None if (~self.gone).sum() == 1 else int(np.argmin(self.n))


class LastTied(Eliminate):
    def act(self) -> int | None:
        if (~self.gone).sum() == 1:
            return None
        left = np.flatnonzero(~self.gone)
        return int(left[self.n[left] == self.n[left].min()][-1])


class UntilNoneIsLeft(Eliminate):
    def act(self) -> int | None:
        return None if self.gone.all() else int(np.argmin(np.where(self.gone, 10**9, self.n)))


class Cycles(Eliminate):
    at = -1

    def act(self) -> int | None:
        if (~self.gone).sum() == 1:
            return None
        self.at = (self.at + 1) % len(self.n)
        while self.gone[self.at]:
            self.at = (self.at + 1) % len(self.n)
        return self.at


class AnswersTheMostAccepted(Eliminate):
    def answer(self) -> int:
        return int(self.n.argmax())


class AnswersTheFirst(Eliminate):
    def answer(self) -> int:
        return int(np.argmax(self.gone >= 0))


class DropsTheAccepted(Eliminate):
    def observe(self, arm: int, accepted: bool) -> None:
        super().observe(arm, not accepted)
        self.n[arm] += 2 * accepted - 1


class MoreThanM(Eliminate):
    def observe(self, arm: int, accepted: bool) -> None:
        super().observe(arm, accepted)
        self.gone[arm] = self.no[arm] > self.m


class Together(Eliminate):
    def observe(self, arm: int, accepted: bool) -> None:
        super().observe(arm, accepted)
        self.gone[arm] = not accepted and self.no.sum() >= self.m


class Forgives(Eliminate):
    def observe(self, arm: int, accepted: bool) -> None:
        super().observe(arm, accepted)
        self.no[arm] *= not accepted


class Mine:
    """The whole as a student may write it."""

    n1_of_alpha, hands_on = True, True

    def __init__(self, delta: float = 0.1, alpha: float = 1.0, rho_0: float = 1.0) -> None:
        self.numbers = delta, alpha if self.n1_of_alpha else 1.0, rho_0
        self.sweep: Sweep | None = None

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.sweep = Sweep(n_arms, phase1_acceptances_needed(n_arms, *self.numbers))
        self.yes, self.last = [0] * n_arms, None  # type: list[int], Eliminate | None

    def act(self) -> int | None:
        assert self.sweep is not None
        if self.last is None:
            if (arm := self.sweep.act()) is not None:
                return arm
            self.last = Eliminate(self.yes if self.hands_on else [0] * len(self.yes))
        return self.last.act()

    def observe(self, arm: int, accepted: bool) -> None:
        assert self.sweep is not None
        self.yes[arm] += accepted
        (self.sweep if self.last is None else self.last).observe(arm, accepted)

    def answer(self) -> int:
        assert self.last is not None
        return self.last.answer()


class NotAnew(Mine):
    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        if self.sweep is None:
            super().reset(n_arms, rng)


class ForAlpha1(Mine):
    n1_of_alpha = False


class HandsNothingOn(Mine):
    hands_on = False


class StopsBetween(Mine):
    def act(self) -> int | None:
        assert self.sweep is not None
        return self.sweep.act()

    def answer(self) -> int:
        return self.yes.index(max(self.yes))
