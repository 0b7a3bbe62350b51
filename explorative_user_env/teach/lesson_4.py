"""Lesson 4: BAIR, step by step, compared with the package's agent."""

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np

from explorative_user_env.agents import BAIR, AlgorithmAgent, Phase1
from explorative_user_env.agents.bair import ELIMINATION, PHASES
from explorative_user_env.envs.meeting import environment_of
from explorative_user_env.seeding import agent_generator
from explorative_user_env.teach.exercises import Case, Exercise
from explorative_user_env.theory.upper import phase1_acceptances_needed
from explorative_user_env.users.population import population_of
from explorative_user_env.validation import one_line


class Phase(Protocol):
    """An agent, or one phase of it."""

    def act(self) -> int | None:
        """Return the arm to recommend, None when done."""

    def observe(self, arm: int, accepted: bool) -> None:
        """Take in a response."""


class Encounter(NamedTuple):
    """A user and the facts that an agent gets about her.

    Attributes:
        seed: seed of the user.
        n_arms: K.
        n1: N_1; None is the paper's.
        delta: allowed probability of a wrong answer.
        alpha: her willingness to explore.
        rho: her rho_t, a constant; None is that of the setting, at least 1.
        noise: her click noise.
        m: rejections in Phase 2 that eliminate an arm.
        setting: "printed" or "released".
        gap: Delta_1; a large one makes runs short.
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
        facts = {"N_1": self.n1}
        if self.n1 is None:
            facts = {"delta": self.delta, "alpha": self.alpha, "rho_0": self.rho_0}
        facts |= {"m": self.m} if self.m > 1 else {}
        spelled = ", ".join(f"{name} = {value:g}" for name, value in facts.items())
        return f"user {self.seed} ({self.setting}, K = {self.n_arms}, {spelled})"


class PaperRun(NamedTuple):
    """A run of the package's agent; the phases are those before each step and at the end."""

    arms: tuple[int, ...]
    accepted: tuple[bool, ...]
    phases: tuple[str, ...]
    answer: int


class Parting(NamedTuple):
    """The point where an agent leaves the package's.

    Attributes:
        step: the first other step, from 1; 0 if none is.
        did: the other act.
        why: the phase, the response before and the right act.
    """

    step: int = 0
    did: str = ""
    why: str = ""


STOPS = "stops"
"""The act of an agent that recommends nothing more."""

STUDENT = "mine"
"""The name by which a student's agent draws its random numbers."""


def bair_of(meeting: Encounter) -> AlgorithmAgent:
    """Return the package's agent, ready for this user."""
    n1 = "paper" if meeting.n1 is None else meeting.n1
    facts = {"delta": meeting.delta, "alpha": meeting.alpha, "rho_0": meeting.rho_0}
    return _ready(BAIR(n1=n1, m=meeting.m, **facts), meeting)


def _ready(agent: AlgorithmAgent, meeting: Encounter) -> AlgorithmAgent:
    agent.reset(meeting.n_arms, agent_generator(meeting.seed, agent.name))
    return agent


@functools.lru_cache(maxsize=100)
def paper_run(meeting: Encounter) -> PaperRun:
    """Return the run of the package's agent with a user, from the first step to the last."""
    agent = bair_of(meeting)
    names: Any = ("setting", "n_arms", "gap", "alpha", "rho", "noise")
    options: Any = {name: getattr(meeting, name) for name in names}
    env = environment_of(population_of(None, options), agent)
    env.reset(seed=meeting.seed)
    arms, accepted, phases = [], [], [agent.explain()["phase"]]
    while (arm := agent.act()) is not None:
        arms.append(arm)
        accepted.append(bool(env.step(arm)[0]))
        agent.observe(arm, accepted[-1])
        phases.append(agent.explain()["phase"])
    return PaperRun(tuple(arms), tuple(accepted), tuple(phases), agent.answer())


def phase1_run(meeting: Encounter) -> PaperRun:
    """Return the run of the package's agent up to Phase 2."""
    run = paper_run(meeting)
    end = run.phases.index(PHASES[ELIMINATION])
    return PaperRun(run.arms[:end], run.accepted[:end], run.phases[: end + 1], run.answer)


def parting(make: Callable[[], Phase], run: PaperRun, answers: bool = True) -> Parting:
    """Return the point where the agent that `make` makes leaves a run, or fails.

    Args:
        make: makes an agent, or a phase, that is ready to act.
        run: the package's run.
        answers: whether the answer at the end is compared as well.
    """
    step = 1
    try:
        agent = make()
        for step, arm in enumerate((*run.arms, None), 1):
            given = agent.act()
            if given is None and arm is not None:
                return _told(step, STOPS, run)
            if given != arm:
                verb = "goes on with" if arm is None else "recommends"
                return _told(step, f"{verb} {_spelled(given)}", run)
            if arm is not None:
                agent.observe(arm, run.accepted[step - 1])
        if answers and (answer := agent.answer()) != run.answer:  # type: ignore[attr-defined]
            return _told(step, f"answers {_spelled(answer)}", run, f"arm {run.answer} is right")
    except Exception as error:  # whatever the student's code does
        return _told(step, one_line(f"fails with {type(error).__name__}: {error}", 200), run)
    return Parting()


def _spelled(arm: Any) -> str:
    return f"arm {arm}" if isinstance(arm, int | np.integer) else one_line(repr(arm), 60)


def _told(step: int, did: str, run: PaperRun, right: str = "") -> Parting:
    before = "that is the first recommendation"
    if step > 1:
        response = "accepted" if run.accepted[step - 2] else "rejected"
        before = f"arm {run.arms[step - 2]} was just {response}"
    if not right:
        on = step <= len(run.arms)
        right = f"arm {run.arms[step - 1]} is right" if on else "it ought to be done"
    return Parting(step, did, f"in {run.phases[step - 1]}: {before}. It {did}; {right}")


def differs_at(case: Case, given: Parting | None, expected: Parting) -> str:
    """Describe the parting: the user, the step, the phase and the right act."""
    if given is None:
        return f"with {case[0]!r} it stops before it recommends anything."
    return f"with {case[0]!r} it leaves the paper's agent at step {given.step}, {given.why}."


class InTurn:
    """An agent of two parts: a Phase 1, and a Phase 2 made from its n_i.

    Args:
        phase1: recommends until it is done.
        phase2: makes Phase 2 from n_i.
        n_arms: K.
    """

    def __init__(self, phase1: Phase, phase2: Callable[[list[int]], Phase], n_arms: int) -> None:
        self.accepted = [0] * n_arms
        self.part, self.phase2, self.in_phase1 = phase1, phase2, True

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
        """Return the answer of Phase 2."""
        return self.part.answer()  # type: ignore[attr-defined]


class Sweeping:
    """Phase 1: `left` is F, and the arm at `place` of it has its turn.

    Args:
        n_arms: K.
        n1: N_1.
    """

    def __init__(self, n_arms: int, n1: float) -> None:
        self.n1, self.accepted = n1, [0] * n_arms
        self.left, self.place = list(range(n_arms)), 0
        self.first_sweep, self.over = True, False

    def act(self) -> int | None:
        """Return the arm that has its turn, None when Phase 1 is over."""
        return None if self.over else self.left[self.place]

    def observe(self, arm: int, accepted: bool) -> None:
        """Count the response, drop a rejected arm, and pass the turn on."""
        self.accepted[arm] += accepted
        if not accepted:
            self.left.remove(arm)
        self.over = self.enough() and self.may_end(accepted)
        self.place += self.goes_on(accepted)
        if self.place >= len(self.left):
            self.place = 0
            self.first_sweep = self.first_sweep and len(self.left) > 0
        if not self.left:
            self.left = list(range(len(self.accepted)))

    def enough(self) -> bool:
        """Return whether there are N_1 acceptances."""
        return sum(self.accepted) >= self.n1

    def may_end(self, accepted: bool) -> bool:
        """Return whether N_1 counts now: between passes, later after every response."""
        return not self.first_sweep or self.place + accepted >= len(self.left)

    def goes_on(self, accepted: bool) -> bool:
        """Return whether the turn moves on; where an arm is dropped, the next moves up."""
        return self.first_sweep and accepted


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
        """Return the arm of F with the fewest acceptances, the first of several."""
        return min(self.left, key=self.accepted.__getitem__)

    def observe(self, arm: int, accepted: bool) -> None:
        """Count the response, and drop the arm if it goes."""
        self.accepted[arm] += accepted
        self.rejected[arm] += not accepted
        if self.goes(arm, accepted):
            self.left.remove(arm)

    def goes(self, arm: int, accepted: bool) -> bool:
        """Return whether an arm leaves F."""
        return self.rejected[arm] >= self.m

    def answer(self) -> int:
        """Return the arm that is left."""
        return self.left[0]


class Whole:
    """BAIR, made of the two phases above."""

    def __init__(self, delta: float = 0.1, alpha: float = 1.0, rho_0: float = 1.0) -> None:
        self.delta, self.alpha, self.rho_0 = delta, alpha, rho_0

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Make both phases anew."""
        self.phase1 = Sweeping(n_arms, self.n1(n_arms))
        self.both = InTurn(self.phase1, self.phase2, n_arms)

    def n1(self, n_arms: int) -> float:
        """Return N_1."""
        return phase1_acceptances_needed(n_arms, self.delta, self.alpha, self.rho_0)

    def phase2(self, accepted: list[int]) -> Phase:
        """Return Phase 2 from n_i."""
        return Eliminating(accepted)

    def act(self) -> int | None:
        """Return the arm to recommend, None when done."""
        return self.both.act()

    def observe(self, arm: int, accepted: bool) -> None:
        """Take in a response."""
        self.both.observe(arm, accepted)

    def answer(self) -> int:
        """Return the best arm."""
        return int(self.both.answer())


def _but(right: type, **methods: Callable[..., Any]) -> type:
    """Return a right class with some of its methods replaced by wrong ones."""
    return type(right.__name__, (right,), methods)


def _phase1_with(**options: str) -> Callable[[int, float], AlgorithmAgent]:
    """Return an answer to 4.2: the package's Phase 1 with other options."""
    return lambda n_arms, n1: _ready(Phase1(n1=n1, **options), Encounter(0, n_arms))


def _never_drops(self: Sweeping, arm: int, accepted: bool) -> None:
    self.accepted[arm] += accepted
    self.place = (self.place + 1) % len(self.left)
    self.over = self.place == 0 and self.enough()


def _no_second_loop(self: Sweeping, arm: int, accepted: bool) -> None:
    Sweeping.observe(self, arm, accepted)
    self.over = self.over or not self.first_sweep


def _whole_again(self: Sweeping, arm: int, accepted: bool) -> None:
    Sweeping.observe(self, arm, accepted)
    if not self.first_sweep and not accepted:
        self.left = list(range(len(self.accepted)))


def _round_robin(self: Any) -> int:
    turn = getattr(self, "turn", -1)
    self.turn = next((arm for arm in self.left if arm > turn), self.left[0])
    return int(self.turn)


def _in_a_row(self: Eliminating, arm: int, accepted: bool) -> None:
    Eliminating.observe(self, arm, accepted)
    self.rejected[arm] = 0 if accepted else self.rejected[arm]


def _stays_out(self: Whole, accepted: list[int]) -> Phase:
    phase2 = Eliminating(accepted)
    phase2.left = self.phase1.left
    return phase2


def _not_anew(self: Whole, *given: Any) -> None:
    if not hasattr(self, "both"):
        Whole.reset(self, *given)


USERS_BY_N1 = (
    Encounter(1, 2, 8),
    Encounter(2, 2, 13, setting="released"),
    Encounter(3, 5, 20),
    Encounter(4, 5, 31, setting="released"),
    Encounter(5, 5, 64, alpha=0.5),
    Encounter(6, 20, 60, alpha=0.5),
    Encounter(7, 20, 90, setting="released"),
    # Slips of these users empty F in the first sweep, so that Phase 1 has rounds.
    Encounter(8, 2, 15, noise=0.3),
    Encounter(9, 5, 45, noise=0.3),
    Encounter(10, 20, 70, noise=0.4),
)
"""With a given N_1."""

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
"""With click noise, for BAIR(m)."""


def _outcome(parted: Parting, begins: int = 1) -> Parting | None:
    """Return the parting; None for an answer that stops at its first turn, as a blank does."""
    return None if (parted.step, parted.did) == (begins, STOPS) else parted


def _tried_as_phase1(answer: Any, case: Case) -> Parting | None:
    meeting: Encounter = case[0]
    run = phase1_run(meeting)
    return _outcome(parting(lambda: answer(meeting.n_arms, meeting.n1), run, answers=False))


def _tried_as_phase2(answer: Any, case: Case) -> Parting | None:
    """Let the package's Phase 1 meet the user of a case, and then the answer."""
    meeting, *m = case
    first = _ready(Phase1(n1=meeting.n1), meeting)
    parted = parting(
        lambda: InTurn(first, lambda accepted: answer(accepted, *m), meeting.n_arms),
        paper_run(meeting),
    )
    return _outcome(parted, len(phase1_run(meeting).arms) + 1)


def _tried_as_agent(answer: Any, case: Case) -> Parting | None:
    """Let an answer meet a user after a run that is broken off: `reset` must begin anew."""
    meeting: Encounter = case[0]
    run = paper_run(meeting)

    def make() -> Phase:
        agent = answer(delta=meeting.delta, alpha=meeting.alpha, rho_0=meeting.rho_0)
        for n_steps in (7, 0):
            agent.reset(meeting.n_arms, agent_generator(meeting.seed, STUDENT), None)
            for _ in range(n_steps):
                if (arm := agent.act()) is None:
                    break
                agent.observe(arm, arm != run.arms[0])
        phase: Phase = agent
        return phase

    return _outcome(parting(make, run))


_needed = phase1_acceptances_needed

EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "4.1",
        asks="a function of n_arms, delta, alpha and rho_0 that returns N_1",
        right=_needed,
        cases=[
            *((2, 0.1, 1.0, 1.0), (5, 0.1, 1.0, 1.0), (5, 0.01, 1.0, 1.0), (5, 0.1, 2.0, 1.0)),
            *((5, 0.1, 0.5, 1.0), (20, 0.05, 0.8, 2.0), (3, 0.2, 2.0, 0.5)),
        ],
        shows="with α = 1 ten times the confidence costs ten times the acceptances.",
        mistakes={
            "it is right for α = 1 only: where is α in the lemma?": lambda k, delta, alpha, rho: (
                _needed(k, delta, 1.0, rho)
            ),
            "the exponent is turned over: a user more willing to explore (a larger α) needs fewer "
            "acceptances.": lambda k, delta, alpha, rho: _needed(k, delta, 1 / alpha, rho),
            "only δ has the exponent: it is that of the whole "
            "fraction.": lambda k, delta, alpha, rho: 2 * k / delta ** (1 / alpha) / rho,
            "ρ_0 multiplies: the larger ρ_0 is, the wider are her intervals, and the fewer "
            "acceptances are "
            "needed.": lambda k, delta, alpha, rho: _needed(k, delta, alpha, 1.0) * rho,
            "ρ_0 is inside of the power: it stands outside.": lambda k, delta, alpha, rho: (
                (2 * k / delta / rho) ** (1 / alpha)
            ),
            "ρ_0 is left out: it is 1 only for some users.": lambda k, delta, alpha, rho: _needed(
                k, delta, alpha, 1.0
            ),
            "the factor 2 is missing: an error of her best arm and one of a rival both "
            "count.": lambda k, delta, alpha, rho: (k / delta) ** (1 / alpha) / rho,
            "that is what the proof of the lemma needs, 2(K - 1) errors; the lemma as it is "
            "printed, and the paper's agent with it, allows for one more "
            "arm.": lambda k, delta, alpha, rho: _needed(k, delta, alpha, rho, form="proof"),
            "it is rounded up, and the lemma's N_1 is not: acceptances are compared with it as it "
            "is.": lambda *facts: math.ceil(_needed(*facts)),
            "this grows like log(1/δ), as it would if rewards were seen; here it is a "
            "power.": lambda k, delta, alpha, rho: (
                (2 * k * math.log(1 / delta)) ** (1 / alpha) / rho
            ),
        },
    ),
    Exercise(
        "4.2",
        asks="a class that is made with n_arms and n1, with the methods act and observe",
        right=Sweeping,
        tried=_tried_as_phase1,
        told=differs_at,
        where=True,
        cases=[(meeting,) for meeting in USERS_BY_N1],
        shows=f"it is the paper's Phase 1 to the bit, with {len(USERS_BY_N1)} users, K = 2, 5 "
        "and 20.",
        mistakes={
            "it never leaves the first arm: `observe` is blank, or does not pass the turn on.": (
                _but(Sweeping, observe=lambda self, arm, accepted: None)
            ),
            "N_1 is compared with time steps. A rejected arm gives her no reward, so it teaches "
            "her nothing: acceptances are what counts.": _phase1_with(phase1_counts="steps"),
            "the arm after a rejected one is left out of the pass. Is F changed while a loop goes "
            "over it, or the place moved on although the arms behind have moved "
            "up?": _phase1_with(first_sweep="skipping"),
            "the first sweep goes on with arms that she has rejected: they are to leave F.": (
                _but(Sweeping, observe=_never_drops)
            ),
            "Phase 1 breaks off in the middle of a pass: in the first sweep N_1 is looked at "
            "between passes.": _but(Sweeping, may_end=lambda self, accepted: True),
            "in the second loop N_1 is looked at between rounds only, and an accepted arm may be "
            "accepted for very long: look after every response.": _but(
                Sweeping,
                may_end=lambda self, yes: self.place + self.goes_on(yes) >= len(self.left),
            ),
            "Phase 1 makes one recommendation too many: with N_1 acceptances it is over, it need "
            "not exceed them.": _but(Sweeping, enough=lambda self: sum(self.accepted) > self.n1),
            "the second loop goes on sweeping: there an arm is recommended until it is rejected, "
            "and only then has the next its "
            "turn.": _but(Sweeping, goes_on=lambda self, accepted: accepted),
            "Phase 1 ends when F is empty, whatever N_1: the second loop is missing, which begins "
            "with all arms again.": _but(Sweeping, observe=_no_second_loop),
            "F is whole again after every rejection, so that arm 0 always has its turn: a round "
            "ends when each arm has been rejected once.": _but(Sweeping, observe=_whole_again),
        },
    ),
    Exercise(
        "4.3",
        asks="a class that is made with n_i, with the methods act, observe and answer",
        right=Eliminating,
        tried=_tried_as_phase2,
        told=differs_at,
        where=True,
        cases=[(meeting,) for meeting in USERS_BY_N1],
        shows=f"it is the paper's Phase 2 to the bit, with {len(USERS_BY_N1)} users, K = 2, 5 "
        "and 20.",
        mistakes={
            "it recommends an arm again that has just been eliminated. Either the arm is still in "
            "F, or the argmin is over [K]: taken literally the pseudo-code never ends, as a "
            "rejection raises no n_i. The argmin has to be over F.": _but(
                Eliminating, choose=lambda self: int(np.argmin(self.accepted))
            ),
            "of several arms with the fewest acceptances it takes the last; the paper's agent here "
            "takes the first.": _but(
                Eliminating,
                choose=lambda self: min(self.left[::-1], key=self.accepted.__getitem__),
            ),
            "it recommends the most accepted arm of F. That one is safe, so she goes on accepting "
            "it; it is the least accepted arm that has something to prove.": _but(
                Eliminating, choose=lambda self: max(self.left, key=self.accepted.__getitem__)
            ),
            "it goes round F in turn. Phase 1 has not accepted all arms alike, and those with "
            "fewer acceptances come first.": _but(Eliminating, choose=_round_robin),
            "n_i stays as it was after Phase 1: an acceptance in Phase 2 counts as well, or the "
            "same arm is the argmin until she rejects it.": _but(
                Eliminating, observe=lambda self, arm, yes: yes or self.left.remove(arm)
            ),
            "it drops an arm that she accepts: the sign is wrong.": (
                _but(Eliminating, goes=lambda self, arm, accepted: accepted)
            ),
            "it goes on when one arm is left: nothing can be learnt any more, and she may accept "
            "it for ever.": _but(
                Eliminating, act=lambda self: self.choose() if self.left else None
            ),
            "its recommendations are right, but it answers the most accepted arm: an arm may be "
            "accepted often and still be rejected in the end. What is left in F is the "
            "answer.": _but(Eliminating, answer=lambda self: int(np.argmax(self.accepted))),
            "its recommendations are right, but it always answers the first arm, whatever is "
            "left.": _but(Eliminating, answer=lambda self: 0),
        },
    ),
    Exercise(
        "4.4",
        asks="a class that is made with delta, alpha and rho_0, with the four methods of an agent",
        right=BAIR,
        uses=("4.2", "4.3"),
        tried=_tried_as_agent,
        told=differs_at,
        where=True,
        cases=[(meeting,) for meeting in USERS_BY_DELTA],
        shows="it is BAIR to the bit: all recommendations and answers are the same as the "
        "package's.",
        mistakes={
            "it stops where Phase 1 is over: from there on Phase 2 recommends.": _but(
                Whole,
                act=lambda self: self.phase1.act(),
                answer=lambda self: int(np.argmax(self.phase1.accepted)),
            ),
            "it remembers the user before: the same agent meets many, and `reset` has to make both "
            "phases anew.": _but(Whole, reset=_not_anew),
            "Phase 2 begins with all n_i at 0: it needs the acceptances of Phase 1.": _but(
                Whole, phase2=lambda self, accepted: Eliminating([0] * len(accepted))
            ),
            "arms that Phase 1 has left out stay out. What she rejects while she knows little "
            "proves little: in Phase 2, F is [K] again.": _but(Whole, phase2=_stays_out),
            "Phase 1 is one pass only, whatever N_1 is: so early in her life her rejections are "
            "not to be trusted.": _but(Whole, n1=lambda self, k: 0.0),
            "N_1 is always that of δ = 0.1: it follows from delta, alpha and rho_0.": _but(
                Whole, n1=lambda self, k: _needed(k, 0.1)
            ),
            "N_1 is always that of α = 1: hand alpha on.": _but(
                Whole, n1=lambda self, k: _needed(k, self.delta, rho_0=self.rho_0)
            ),
            "N_1 is always that of ρ_0 = 1: hand rho_0 on.": _but(
                Whole, n1=lambda self, k: _needed(k, self.delta, self.alpha)
            ),
        },
    ),
    Exercise(
        "4.5",
        asks="a class that is made with n_i and m, with the methods act, observe and answer",
        right=Eliminating,
        tried=_tried_as_phase2,
        told=differs_at,
        where=True,
        cases=[(meeting, meeting.m) for meeting in USERS_WHO_SLIP],
        shows="it is BAIR(m) to the bit, and with m = 1 the BAIR that you know.",
        mistakes={
            "an arm goes at its first rejection, whatever m: with click noise that may be a "
            "slip.": _but(Eliminating, goes=lambda self, arm, accepted: not accepted),
            "an arm goes one rejection too late: after the m-th, not when there are more than "
            "m.": _but(Eliminating, goes=lambda self, arm, accepted: self.rejected[arm] > self.m),
            "the rejections of all arms are counted together: every arm has its own count.": _but(
                Eliminating,
                goes=lambda self, arm, accepted: not accepted and sum(self.rejected) >= self.m,
            ),
            "an acceptance sets the count of rejections back to nothing: that is another rule, for "
            "rejections in a row. Here all rejections of an arm "
            "count.": _but(Eliminating, observe=_in_a_row),
        },
    ),
)
