"""The exercises of notebook 4: BAIR, step by step."""

import math
from collections.abc import Callable
from typing import Any

from explorative_user_env.agents import BAIR
from explorative_user_env.course.beside_bair import (
    STOPS,
    Encounter,
    Parting,
    begun_anew,
    differs_at,
    paper_run,
    parting,
    phase1_of,
    phase1_run,
)
from explorative_user_env.course.elimination_mistakes import (
    ELIMINATION_M_MISTAKES,
    ELIMINATION_MISTAKES,
)
from explorative_user_env.course.exercises import Exercise, Mistake
from explorative_user_env.course.sweeping_mistakes import SWEEPING_MISTAKES
from explorative_user_env.course.two_phases import InTurn, Phase
from explorative_user_env.course.whole_mistakes import (
    USERS_BY_DELTA,
    USERS_BY_N1,
    USERS_WHO_SLIP,
    WHOLE_MISTAKES,
)
from explorative_user_env.theory import phase1_acceptances_needed

N_1 = Exercise(
    number="4.1",
    asks="a function of n_arms, delta, alpha and rho_0 that returns N_1",
    right=phase1_acceptances_needed,
    cases=[
        *((2, 0.1, 1.0, 1.0), (5, 0.1, 1.0, 1.0), (5, 0.01, 1.0, 1.0)),
        *((5, 0.1, 2.0, 1.0), (5, 0.1, 0.5, 1.0), (20, 0.05, 0.8, 2.0), (3, 0.2, 2.0, 0.5)),
    ],
    shows="with α = 1 ten times the confidence costs ten times the acceptances.",
    mistakes=[
        Mistake(
            "it is right for α = 1 only: where is α in the lemma?",
            lambda n_arms, delta, alpha, rho_0: 2 * n_arms / delta / rho_0,
        ),
        Mistake(
            "the exponent is turned over: a user more willing to explore (a larger α) needs fewer "
            "acceptances.",
            lambda n_arms, delta, alpha, rho_0: (2 * n_arms / delta) ** alpha / rho_0,
        ),
        Mistake(
            "only δ has the exponent: it is that of the whole fraction.",
            lambda n_arms, delta, alpha, rho_0: 2 * n_arms / delta ** (1 / alpha) / rho_0,
        ),
        Mistake(
            "ρ_0 multiplies: the larger ρ_0 is, the wider are her intervals, and the fewer "
            "acceptances are needed.",
            lambda n_arms, delta, alpha, rho_0: (2 * n_arms / delta) ** (1 / alpha) * rho_0,
        ),
        Mistake(
            "ρ_0 is inside of the power: it stands outside.",
            lambda n_arms, delta, alpha, rho_0: (2 * n_arms / delta / rho_0) ** (1 / alpha),
        ),
        Mistake(
            "ρ_0 is left out: it is 1 only for some users.",
            lambda n_arms, delta, alpha, rho_0: (2 * n_arms / delta) ** (1 / alpha),
        ),
        Mistake(
            "the factor 2 is missing: an error of her best arm and one of a rival both count.",
            lambda n_arms, delta, alpha, rho_0: (n_arms / delta) ** (1 / alpha) / rho_0,
        ),
        Mistake(
            "that is what the proof of the lemma needs, 2(K - 1) errors; the lemma as it is "
            "printed, and the paper's agent with it, allows for one more arm.",
            lambda n_arms, delta, alpha, rho_0: phase1_acceptances_needed(
                n_arms, delta, alpha, rho_0, form="proof"
            ),
        ),
        Mistake(
            "it is rounded up, and the lemma's N_1 is not: acceptances are compared with it as it "
            "is.",
            lambda n_arms, delta, alpha, rho_0: math.ceil(
                phase1_acceptances_needed(n_arms, delta, alpha, rho_0)
            ),
        ),
        Mistake(
            "δ is in the numerator: it asks for fewer acceptances the surer the answer is to be.",
            lambda n_arms, delta, alpha, rho_0: (2 * n_arms * delta) ** (1 / alpha) / rho_0,
        ),
        Mistake(
            "this grows like log(1/δ), as it would if rewards were seen; here it is a power.",
            lambda n_arms, delta, alpha, rho_0: (
                (2 * n_arms * math.log(1 / delta)) ** (1 / alpha) / rho_0
            ),
        ),
    ],
)


def as_the_paper(*_: Any) -> None:
    """Stand in for an answer that is a phase: the paper's agent does both phases itself."""


def _compared(
    compare: Callable[[Any, Encounter], Parting],
    begins: Callable[[Encounter], int] = lambda meeting: 1,
) -> Callable[[Any, Any], Parting | None]:
    """Return what tries an answer with the user of a case; one that stops at once gives None.

    Args:
        compare: says where an answer leaves the paper's agent.
        begins: the step at which the answer has its first turn.
    """

    def tried(answer: Any, case: tuple[Any, ...]) -> Parting | None:
        if answer is as_the_paper:
            return Parting()
        parted = compare(answer, case[0])
        at_once = parted.did == STOPS and parted.step == begins(case[0])
        return None if at_once else parted

    return tried


def _begins(meeting: Encounter) -> int:
    """Return the first step of Phase 2."""
    return len(phase1_run(meeting).arms) + 1


def _phase1(answer: Any, meeting: Encounter) -> Parting:
    run = phase1_run(meeting)
    return parting(lambda: answer(meeting.n_arms, meeting.n1), run, answers=False)


def _phase2(answer: Any, meeting: Encounter) -> Parting:
    def make() -> Phase:
        return InTurn(phase1_of(meeting), answer, meeting.n_arms)

    return parting(make, paper_run(meeting))


def _phase2_of_m(answer: Any, meeting: Encounter) -> Parting:
    return _phase2(lambda accepted: answer(accepted, meeting.m), meeting)


def _whole(answer: Any, meeting: Encounter) -> Parting:
    def make() -> Phase:
        agent = answer(delta=meeting.delta, alpha=meeting.alpha, rho_0=meeting.rho_0)
        ready: Phase = begun_anew(agent, meeting)
        return ready

    return parting(make, paper_run(meeting))


PHASE_1 = Exercise(
    number="4.2",
    asks="a class that is made with n_arms and n1, with the methods act and observe",
    right=as_the_paper,
    tried=_compared(_phase1),
    told=differs_at,
    where=True,
    cases=[(meeting,) for meeting in USERS_BY_N1],
    shows=f"it is the paper's Phase 1 to the bit, with {len(USERS_BY_N1)} users, K = 2, 5 and 20.",
    mistakes=SWEEPING_MISTAKES,
)

PHASE_2 = Exercise(
    number="4.3",
    asks="a class that is made with n_i, with the methods act, observe and answer",
    right=as_the_paper,
    tried=_compared(_phase2, _begins),
    told=differs_at,
    where=True,
    cases=[(meeting,) for meeting in USERS_BY_N1],
    shows=f"it is the paper's Phase 2 to the bit, with {len(USERS_BY_N1)} users, K = 2, 5 and 20.",
    mistakes=ELIMINATION_MISTAKES,
)

BOTH_PHASES = Exercise(
    number="4.4",
    asks="a class that is made with delta, alpha and rho_0, with the four methods of an agent",
    right=BAIR,
    tried=_compared(_whole),
    told=differs_at,
    where=True,
    cases=[(meeting,) for meeting in USERS_BY_DELTA],
    shows="it is BAIR to the bit: all recommendations and answers are the same as the package's.",
    mistakes=WHOLE_MISTAKES,
)

PHASE_2_OF_M = Exercise(
    number="4.5",
    asks="a class that is made with n_i and m, with the methods act, observe and answer",
    right=as_the_paper,
    tried=_compared(_phase2_of_m, _begins),
    told=differs_at,
    where=True,
    cases=[(meeting,) for meeting in USERS_WHO_SLIP],
    shows="it is BAIR(m) to the bit, and with m = 1 the BAIR that you know.",
    mistakes=ELIMINATION_M_MISTAKES,
)

EXERCISES: tuple[Exercise, ...] = (N_1, PHASE_1, PHASE_2, BOTH_PHASES, PHASE_2_OF_M)
"""In the order in which they are asked."""
