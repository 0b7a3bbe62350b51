"""The exercises of notebook 4: BAIR, step by step."""

import functools
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from explorative_user_env.agents import BAIR, AlgorithmAgent, Phase1
from explorative_user_env.agents.bair import ELIMINATION, PHASES
from explorative_user_env.envs.meeting import environment_of
from explorative_user_env.seeding import agent_generator
from explorative_user_env.teach.exercises import Exercise, Mistake
from explorative_user_env.theory import phase1_acceptances_needed
from explorative_user_env.users.population import UserOptions, population_of
from explorative_user_env.validation import one_line


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


STUDENT = "mine"
"""What the random stream of a student's agent follows from, beside the user's seed."""

STOPS = "stops"
"""What an agent does that recommends nothing more."""

STEPS_BEFORE = 7
"""Recommendations of a run that is broken off, to see whether the next one begins anew."""


class Encounter(NamedTuple):
    """A user, and what an agent is told of her.

    Attributes:
        seed: the user's.
        n_arms: K.
        n1: N_1; None is the paper's, by the numbers below.
        delta: the allowed probability of a wrong answer.
        alpha: the user's willingness to explore.
        rho: her rho_t, a constant; None is what the setting says, which is at least 1.
        noise: her click noise.
        m: rejections in Phase 2 that eliminate an arm.
        setting: what else there is to say of her.
        gap: Delta_1; with a large one runs are short.
    """

    seed: int
    n_arms: int
    n1: float | None = None
    delta: float = 0.1
    alpha: float = 1.0
    rho: float | None = None
    noise: float = 0.0
    m: int = 1
    setting: str = "printed"
    gap: float = 1.5

    @property
    def rho_0(self) -> float:
        """The least value of her rho_t."""
        return 1.0 if self.rho is None else self.rho

    def __repr__(self) -> str:
        numbers = {"delta": self.delta, "alpha": self.alpha, "rho_0": self.rho_0}
        told = {"N_1": self.n1} if self.n1 is not None else numbers
        told |= {"m": self.m} if self.m > 1 else {}
        spelled = ", ".join(f"{name} = {value:g}" for name, value in told.items())
        return f"user {self.seed} ({self.setting}, K = {self.n_arms}, {spelled})"


class PaperRun(NamedTuple):
    """A run of the paper's agent: what it did in which phase, and how she answered."""

    arms: tuple[int, ...]
    accepted: tuple[bool, ...]
    phases: tuple[str, ...]  # one more than there are steps
    answer: int


class Parting(NamedTuple):
    """Where an agent leaves the paper's.

    Attributes:
        step: the first step, from 1, at which it does something else; 0 if it never does.
        did: what it does there.
        why: the phase, what came before and what is right.
    """

    step: int = 0
    did: str = ""
    why: str = ""


def phase1_of(meeting: Encounter) -> AlgorithmAgent:
    """Return the package's Phase 1, ready for this user."""
    return _ready(Phase1(n1=_n1(meeting)), meeting)


def bair_of(meeting: Encounter) -> AlgorithmAgent:
    """Return the package's agent, ready for this user."""
    agent = BAIR(
        delta=meeting.delta,
        alpha=meeting.alpha,
        rho_0=meeting.rho_0,
        n1=_n1(meeting),
        m=meeting.m,
    )
    return _ready(agent, meeting)


def _n1(meeting: Encounter) -> float | Literal["paper"]:
    return "paper" if meeting.n1 is None else meeting.n1


def _ready(agent: AlgorithmAgent, meeting: Encounter) -> AlgorithmAgent:
    agent.reset(meeting.n_arms, agent_generator(meeting.seed, agent.name))
    return agent


@functools.lru_cache(maxsize=100)
def paper_run(meeting: Encounter) -> PaperRun:
    """Return what the paper's agent does with a user, from the first step to the last."""
    agent = bair_of(meeting)
    options: UserOptions = {
        "setting": meeting.setting,
        "n_arms": meeting.n_arms,
        "gap": meeting.gap,
        "alpha": meeting.alpha,
        "rho": meeting.rho,
        "noise": meeting.noise,
    }
    users = population_of(None, options)
    env = environment_of(users, agent)
    env.reset(seed=meeting.seed)
    arms, accepted, phases = [], [], [agent.explain()["phase"]]
    while (arm := agent.act()) is not None:
        arms.append(arm)
        accepted.append(bool(env.step(arm)[0]))
        agent.observe(arm, accepted[-1])
        phases.append(agent.explain()["phase"])
    return PaperRun(tuple(arms), tuple(accepted), tuple(phases), agent.answer())


def phase1_run(meeting: Encounter) -> PaperRun:
    """Return what the paper's agent does before Phase 2 begins."""
    run = paper_run(meeting)
    end = run.phases.index(PHASES[ELIMINATION])
    return PaperRun(run.arms[:end], run.accepted[:end], run.phases[: end + 1], run.answer)


def parting(make: Callable[[], Phase], run: PaperRun, answers: bool = True) -> Parting:
    """Return where what `make` makes leaves a run of the paper's agent.

    Code that fails leaves it there, too.

    Args:
        make: makes an agent, or a part of one, which is ready to act.
        run: the paper's.
        answers: whether it has to give the same answer at the end.
    """
    step = 1
    try:
        agent = make()
        for step in range(1, len(run.arms) + 2):
            if did := _unlike(agent, run, step):
                return _told(step, did, run)
        if answers and (answer := agent.answer()) != run.answer:  # type: ignore[attr-defined]
            return _told(step, f"answers {_spelled(answer)}", run, f"arm {run.answer} is right")
    except Exception as error:  # whatever a student's code may do
        return _told(step, one_line(f"fails with {type(error).__name__}: {error}", 200), run)
    return Parting()


def _unlike(agent: Phase, run: PaperRun, step: int) -> str:
    """Say what an agent does at a step that is not in the run; nothing if it is alike."""
    arm = agent.act()
    if step > len(run.arms):
        return "" if arm is None else f"goes on with {_spelled(arm)}"
    if arm is None:
        return STOPS
    if arm != run.arms[step - 1]:
        return f"recommends {_spelled(arm)}"
    agent.observe(arm, run.accepted[step - 1])
    return ""


def _spelled(arm: Any) -> str:
    return f"arm {arm}" if isinstance(arm, int | np.integer) else one_line(repr(arm), 60)


def _told(step: int, did: str, run: PaperRun, right: str = "") -> Parting:
    """Return a parting with the phase, what happened just before, and what is right."""
    before = "that is the first recommendation"
    if step > 1:
        response = "accepted" if run.accepted[step - 2] else "rejected"
        before = f"arm {run.arms[step - 2]} was just {response}"
    if not right:
        on = step <= len(run.arms)
        right = f"arm {run.arms[step - 1]} is right" if on else "it ought to be done"
    return Parting(step, did, f"in {run.phases[step - 1]}: {before}. It {did}; {right}")


def differs_at(case: tuple[Any, ...], given: Parting | None, expected: Parting) -> str:
    """Say at which step an agent leaves the paper's, in which phase, and what was right."""
    if given is None:
        return f"with {case[0]!r} it stops before it recommends anything."
    return f"with {case[0]!r} it leaves the paper's agent at step {given.step}, {given.why}."


def begun_anew(agent: Any, meeting: Encounter) -> Any:
    """Return a whole agent, ready for this user, that has met another one before.

    Args:
        agent: with the methods reset, act and observe.
        meeting: whom it is to meet.
    """
    run = paper_run(meeting)
    for n_steps in (STEPS_BEFORE, 0):
        agent.reset(meeting.n_arms, agent_generator(meeting.seed, STUDENT), None)
        for _ in itertools.repeat(None, n_steps):
            if (arm := agent.act()) is None:
                break
            agent.observe(arm, arm != run.arms[0])
    return agent


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
