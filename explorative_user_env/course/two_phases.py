"""An agent made of two phases, the second of which is handed the acceptances of the first."""

from collections.abc import Callable
from typing import Any, Protocol


class Phase(Protocol):
    """What recommends for a while: an agent, or a phase of one."""

    def act(self) -> int | None:
        """Return the arm to recommend, None when done."""

    def observe(self, arm: int, accepted: bool) -> None:
        """Take in a response."""


class InTurn:
    """A Phase 1 and then a Phase 2 that is handed its n_i: an agent made of two parts.

    Args:
        phase1: recommends until it is done.
        phase2: makes what goes on from there, given n_i.
        n_arms: K.
    """

    def __init__(self, phase1: Phase, phase2: Callable[[list[int]], Phase], n_arms: int) -> None:
        self.accepted = [0] * n_arms
        self.part, self.phase2 = phase1, phase2
        self.in_phase1 = True

    def act(self) -> int | None:
        """Return the arm to recommend, None when Phase 2 is done."""
        arm = self.part.act()
        if arm is None and self.in_phase1:
            self.in_phase1, self.part = False, self.phase2(list(self.accepted))
            arm = self.part.act()
        return arm

    def observe(self, arm: int, accepted: bool) -> None:
        """Take in a response."""
        self.accepted[arm] += accepted
        self.part.observe(arm, accepted)

    def answer(self) -> Any:
        """Return what Phase 2 answers, an arm if it is right."""
        return self.part.answer()  # type: ignore[attr-defined]
