"""What goes wrong in Phase 1, each as a small change to a Phase 1 that is written plainly."""

import numpy as np

from explorative_user_env.agents import AlgorithmAgent, Phase1
from explorative_user_env.course.exercises import Mistake


class Sweeping:
    """Phase 1: `left` is F, and the arm at `place` of it has its turn.

    Args:
        n_arms: K.
        n1: N_1.
    """

    def __init__(self, n_arms: int, n1: float) -> None:
        self.n1, self.accepted = n1, [0] * n_arms
        self.left, self.place = self.all(), 0
        self.first_sweep, self.over = True, False

    def all(self) -> list[int]:
        """Return [K]."""
        return list(range(len(self.accepted)))

    def enough(self) -> bool:
        """Return whether there are N_1 acceptances."""
        return sum(self.accepted) >= self.n1

    def act(self) -> int | None:
        """Return the arm that has its turn, None when Phase 1 is over."""
        return None if self.over else self.left[self.place]

    def observe(self, arm: int, accepted: bool) -> None:
        """Drop a rejected arm, and see who is next."""
        self.accepted[arm] += accepted
        if not accepted:
            self.left.remove(arm)
        self.over = self.enough() and self.may_end(accepted)
        self.place += self.goes_on(accepted)
        if self.place >= len(self.left):
            self.place = 0
            self.first_sweep = self.first_sweep and len(self.left) > 0
        if not self.left:
            self.left = self.all()

    def may_end(self, accepted: bool) -> bool:
        """Return whether N_1 is looked at now: between passes, and after every step of a round."""
        return not self.first_sweep or self.place + accepted >= len(self.left)

    def goes_on(self, accepted: bool) -> bool:
        """Return whether the turn passes; of a dropped arm it does by itself."""
        return self.first_sweep and accepted


class _StaysThere(Sweeping):
    def observe(self, arm: int, accepted: bool) -> None:
        pass


class _WithinPasses(Sweeping):
    def may_end(self, accepted: bool) -> bool:
        return True


class _BetweenRounds(Sweeping):
    def may_end(self, accepted: bool) -> bool:
        return self.place + self.goes_on(accepted) >= len(self.left)


class _OneMore(Sweeping):
    def enough(self) -> bool:
        return sum(self.accepted) > self.n1


class _NeverDrops(Sweeping):
    def observe(self, arm: int, accepted: bool) -> None:
        self.accepted[arm] += accepted
        self.place = (self.place + 1) % len(self.left)
        self.over = self.place == 0 and self.enough()


class _AlwaysSweeps(Sweeping):
    def goes_on(self, accepted: bool) -> bool:
        return accepted


class _NoSecondLoop(Sweeping):
    def observe(self, arm: int, accepted: bool) -> None:
        super().observe(arm, accepted)
        self.over = self.over or not self.first_sweep


class _WholeAgain(Sweeping):
    def observe(self, arm: int, accepted: bool) -> None:
        super().observe(arm, accepted)
        if not self.first_sweep and not accepted:
            self.left = self.all()


def _counting_steps(n_arms: int, n1: float) -> AlgorithmAgent:
    return _of_package(n_arms, n1, phase1_counts="steps")


def _skipping(n_arms: int, n1: float) -> AlgorithmAgent:
    return _of_package(n_arms, n1, first_sweep="skipping")


def _of_package(n_arms: int, n1: float, **options: str) -> AlgorithmAgent:
    agent = Phase1(n1=n1, **options)
    agent.reset(n_arms, np.random.default_rng(0))  # it draws nothing
    return agent


SWEEPING_MISTAKES = (
    Mistake(
        "it never leaves the first arm: `observe` is blank, or does not pass the turn on.",
        _StaysThere,
    ),
    Mistake(
        "N_1 is compared with time steps. A rejected arm gives her no reward, so it teaches her "
        "nothing: acceptances are what counts.",
        _counting_steps,
    ),
    Mistake(
        "the arm after a rejected one is left out of the pass. Is F changed while a loop goes "
        "over it, or the place moved on although the arms behind have moved up?",
        _skipping,
    ),
    Mistake(
        "the first sweep goes on with arms that she has rejected: they are to leave F.",
        _NeverDrops,
    ),
    Mistake(
        "Phase 1 breaks off in the middle of a pass: in the first sweep N_1 is looked at between "
        "passes.",
        _WithinPasses,
    ),
    Mistake(
        "in the second loop N_1 is looked at between rounds only, and an accepted arm may be "
        "accepted for very long: look after every response.",
        _BetweenRounds,
    ),
    Mistake(
        "Phase 1 makes one recommendation too many: with N_1 acceptances it is over, it need not "
        "exceed them.",
        _OneMore,
    ),
    Mistake(
        "the second loop goes on sweeping: there an arm is recommended until it is rejected, and "
        "only then has the next its turn.",
        _AlwaysSweeps,
    ),
    Mistake(
        "Phase 1 ends when F is empty, whatever N_1: the second loop is missing, which begins "
        "with all arms again.",
        _NoSecondLoop,
    ),
    Mistake(
        "F is whole again after every rejection, so that arm 0 always has its turn: a round ends "
        "when each arm has been rejected once.",
        _WholeAgain,
    ),
)
"""Of an answer that makes a Phase 1 of K and N_1."""
