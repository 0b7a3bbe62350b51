"""What goes wrong where two phases are put together to an agent, and the users who show it."""

import numpy as np

from explorative_user_env.course.beside_bair import Encounter
from explorative_user_env.course.elimination_mistakes import Eliminating
from explorative_user_env.course.exercises import Mistake
from explorative_user_env.course.sweeping_mistakes import Sweeping
from explorative_user_env.course.two_phases import InTurn, Phase
from explorative_user_env.theory import phase1_acceptances_needed


class _Whole:
    """An agent made of the two phases, written plainly."""

    def __init__(self, delta: float = 0.1, alpha: float = 1.0, rho_0: float = 1.0) -> None:
        self.delta, self.alpha, self.rho_0 = delta, alpha, rho_0

    def n1(self, n_arms: int) -> float:
        return phase1_acceptances_needed(n_arms, self.delta, self.alpha, self.rho_0)

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.phase1 = Sweeping(n_arms, self.n1(n_arms))
        self.both = InTurn(self.phase1, self.phase2, n_arms)

    def phase2(self, accepted: list[int]) -> Phase:
        return Eliminating(accepted)

    def act(self) -> int | None:
        return self.both.act()

    def observe(self, arm: int, accepted: bool) -> None:
        self.both.observe(arm, accepted)

    def answer(self) -> int:
        return int(self.both.answer())


class _NotReset(_Whole):
    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        if not hasattr(self, "both"):
            super().reset(n_arms, rng)


class _CountsLost(_Whole):
    def phase2(self, accepted: list[int]) -> Phase:
        return Eliminating([0] * len(accepted))


class _StaysOut(_Whole):
    def phase2(self, accepted: list[int]) -> Phase:
        part = Eliminating(accepted)
        part.left = self.phase1.left
        return part


class _NoPhase2(_Whole):
    def act(self) -> int | None:
        return self.phase1.act()

    def answer(self) -> int:
        return int(np.argmax(self.phase1.accepted))


class _NoPhase1(_Whole):
    def n1(self, n_arms: int) -> float:
        return 0.0


class _WithoutAlpha(_Whole):
    def n1(self, n_arms: int) -> float:
        return phase1_acceptances_needed(n_arms, self.delta, rho_0=self.rho_0)


class _WithoutRho(_Whole):
    def n1(self, n_arms: int) -> float:
        return phase1_acceptances_needed(n_arms, self.delta, self.alpha)


class _AsItIs(_Whole):
    def n1(self, n_arms: int) -> float:
        return phase1_acceptances_needed(n_arms, 0.1)


WHOLE_MISTAKES = (
    Mistake(
        "it stops where Phase 1 is over: from there on Phase 2 has to be asked.",
        _NoPhase2,
    ),
    Mistake(
        "it remembers the user before: the same agent meets many, and `reset` has to make both "
        "phases anew.",
        _NotReset,
    ),
    Mistake(
        "Phase 2 begins with all n_i at 0: it is to be handed the acceptances of Phase 1.",
        _CountsLost,
    ),
    Mistake(
        "arms that Phase 1 has left out stay out. What she rejects while she knows little proves "
        "little: in Phase 2, F is [K] again.",
        _StaysOut,
    ),
    Mistake(
        "Phase 1 is one pass only, whatever N_1 is: so early in her life her rejections are not "
        "to be trusted.",
        _NoPhase1,
    ),
    Mistake("N_1 is always that of δ = 0.1: it follows from delta, alpha and rho_0.", _AsItIs),
    Mistake("N_1 is always that of α = 1: hand alpha on.", _WithoutAlpha),
    Mistake("N_1 is always that of ρ_0 = 1: hand rho_0 on.", _WithoutRho),
)
"""Of an answer that makes an agent."""

USERS_BY_N1 = (
    Encounter(1, 2, 8),
    Encounter(2, 2, 13, setting="released"),
    Encounter(3, 5, 20),
    Encounter(4, 5, 31, setting="released"),
    Encounter(5, 5, 64, alpha=0.5),
    Encounter(6, 20, 60, alpha=0.5),
    Encounter(7, 20, 90, setting="released"),
    # Slips of theirs empty F in the first sweep, so that Phase 1 has rounds.
    Encounter(8, 2, 15, noise=0.3),
    Encounter(9, 5, 45, noise=0.3),
    Encounter(10, 20, 70, noise=0.4),
)
"""With an N_1 that is given."""

USERS_BY_DELTA = (
    Encounter(1, 2, delta=0.3),
    Encounter(2, 5, delta=0.4),
    Encounter(3, 5, delta=0.2, setting="released"),
    Encounter(4, 5, delta=0.5, alpha=0.8),
    Encounter(5, 5, delta=0.1, alpha=2.0),
    Encounter(6, 5, delta=0.4, rho=2.5),
    Encounter(7, 20, delta=0.5),
    Encounter(8, 20, delta=0.9, setting="released"),
    Encounter(9, 5, delta=0.2, noise=0.3),
)
"""With the paper's N_1."""

USERS_WHO_SLIP = (
    Encounter(1, 2, 8, m=1),
    Encounter(2, 2, 12, noise=0.2, m=3),
    Encounter(3, 5, 20, noise=0.2, m=4),
    Encounter(4, 5, 40, noise=0.1, m=2, setting="released"),
    Encounter(5, 20, 40, noise=0.1, m=3),
)
"""With click noise, whom BAIR(m) is for."""
