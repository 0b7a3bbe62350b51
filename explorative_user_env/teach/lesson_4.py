"""Lesson 4: BAIR, step by step, compared with the package's agent."""

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.agents import BAIR
from explorative_user_env.agents.bair import ELIMINATION, PHASES
from explorative_user_env.envs.user import environment_of
from explorative_user_env.seeding import agent_generator
from explorative_user_env.teach.exercises import Case, Exercise
from explorative_user_env.theory import phase1_acceptances_needed as _needed
from explorative_user_env.users.population import Population
from explorative_user_env.validation import one_line


class Encounter(NamedTuple):
    """A user and the facts that an agent gets about her."""

    seed: int  # seed of the user
    n_arms: int  # K
    n1: float | None = None  # N_1; None is the paper's
    delta: float = 0.1  # allowed probability of a wrong answer
    alpha: float = 1.0  # her willingness to explore
    rho: float | None = None  # her rho_t, a constant; None is that of the setting, at least 1
    noise: float = 0.0  # her click noise
    m: int = 1  # rejections in Phase 2 that eliminate an arm
    setting: str = "printed"  # "printed" or "released"

    @property
    def facts(self) -> dict[str, float]:
        """The options of BAIR that fit her."""
        rho_0 = 1.0 if self.rho is None else self.rho
        return {"delta": self.delta, "alpha": self.alpha, "rho_0": rho_0}

    def __repr__(self) -> str:
        facts = self.facts if self.n1 is None else {"N_1": self.n1}
        facts |= {"m": self.m} if self.m > 1 else {}
        spelled = ", ".join(f"{name} = {value:g}" for name, value in facts.items())
        return f"user {self.seed} ({self.setting}, K = {self.n_arms}, {spelled})"


class PaperRun(NamedTuple):
    """A run of the package's agent: the phase before each step and at the end; Phase 1's steps."""

    arms: list[int]
    accepted: list[bool]
    phases: list[str]
    phase1: int
    answer: int


@functools.lru_cache(maxsize=100)
def paper_run(user: Encounter) -> PaperRun:
    """Return the run of the package's agent with a user."""
    options: Any = {**user.facts, "m": user.m, "n1": "paper" if user.n1 is None else user.n1}
    agent = BAIR(**options)
    agent.reset(user.n_arms, agent_generator(user.seed, agent.name))
    names = ("setting", "n_arms", "alpha", "rho", "noise")
    settings: Any = {name: getattr(user, name) for name in names}
    env = environment_of(Population(gap=1.5, **settings), agent)  # a large gap: short runs
    env.reset(seed=user.seed)
    arms, accepted, phases = list[int](), list[bool](), [str(agent.explain()["phase"])]
    while (arm := agent.act()) is not None:
        arms.append(arm)
        accepted.append(bool(env.step(arm)[0]))
        agent.observe(arm, accepted[-1])
        phases.append(agent.explain()["phase"])
    return PaperRun(arms, accepted, phases, phases.index(PHASES[ELIMINATION]), agent.answer())


def parting(make: Any, run: PaperRun, first: int = 0, last: int | None = None) -> str | None:
    """Describe where an agent, or a phase, leaves a run or fails: "" if nowhere.

    Args:
        make: makes what acts from the step `first` to `last`, None for the end and the answer.
        run: the package's run.
        first: a blank stops here, and None is returned.
        last: the step by which a phase is over.
    """

    def spelled(arm: Any) -> str:
        return f"arm {arm}" if isinstance(arm, int | np.integer) else one_line(repr(arm), 60)

    step, right = first, f"arm {run.arms[first]} is right"
    try:
        agent = make()
        for step, arm in enumerate((*run.arms[first:last], None), first):
            right = "it ought to be done" if arm is None else f"arm {arm} is right"
            if (given := agent.act()) != arm:
                if given is None and step == first:
                    return None
                verb = "goes on with" if arm is None else "recommends"
                did = "stops" if given is None else f"{verb} {spelled(given)}"
                break
            if arm is not None:
                agent.observe(arm, run.accepted[step])
        else:
            if last is not None or (answer := agent.answer()) == run.answer:
                return ""
            did, right = f"answers {spelled(answer)}", f"arm {run.answer} is right"
    except Exception as error:  # whatever the student's code does
        did = one_line(f"fails with {type(error).__name__}: {error}", 200)
    before = "that is the first recommendation"
    if step:
        before = f"arm {run.arms[step - 1]} was just "
        before += "accepted" if run.accepted[step - 1] else "rejected"
    where = f"leaves the paper's agent at step {step + 1}, in {run.phases[step]}"
    return f"{where}: {before}. It {did}; {right}"


class Sweeping:
    """Phase 1: `left` is F, and the arm at `place` of it has its turn.

    Args:
        n_arms: K.
        n1: N_1.
    """

    def __init__(self, n_arms: int, n1: float) -> None:
        self.n1, self.accepted, self.n_steps = n1, [0] * n_arms, 0
        self.left, self.place = list(range(n_arms)), 0
        self.first_sweep, self.over = True, False

    def act(self) -> int | None:
        """Return the arm that has its turn, None when Phase 1 is over."""
        return None if self.over else self.left[self.place]

    def observe(self, arm: int, accepted: bool) -> None:
        """Count the response, drop a rejected arm, and pass the turn on."""
        self.n_steps += 1
        self.accepted[arm] += accepted
        if self.drops(accepted):
            self.left.remove(arm)
        self.place += self.goes_on(accepted)
        end = self.place >= len(self.left)
        self.over = self.enough() and self.may_end(end)
        if end:
            self.place, self.first_sweep = 0, self.first_sweep and len(self.left) > 0
        self.left = self.left or list(range(len(self.accepted)))

    def drops(self, accepted: bool) -> bool:
        """Return whether the arm leaves F."""
        return not accepted

    def goes_on(self, accepted: bool) -> bool:
        """Return whether the turn moves on; where an arm is dropped, the next moves up."""
        return self.first_sweep and accepted

    def enough(self) -> bool:
        """Return whether there are N_1 acceptances."""
        return sum(self.accepted) >= self.n1

    def may_end(self, end: bool) -> bool:
        """Return whether N_1 counts now: between passes, later after every response."""
        return end or not self.first_sweep


class Eliminating:
    """Phase 2: `left` is F.

    Args:
        accepted: n_i of every arm, from Phase 1.
        m: rejections that eliminate an arm.
        left: F at the beginning; empty is all arms.
    """

    def __init__(self, accepted: Iterable[int], m: int = 1, left: Iterable[int] = ()) -> None:
        self.accepted, self.m = list(accepted), m
        self.left = list(left) or list(range(len(self.accepted)))
        self.rejected, self.turn = [0] * len(self.accepted), -1

    def act(self) -> int | None:
        """Return the arm to recommend, None when one is left."""
        return None if len(self.left) == 1 else self.choose()

    def choose(self) -> int:
        """Return the first arm of F by rank."""
        return min(self.left, key=self.rank)

    def rank(self, arm: int) -> Any:
        """Return the rank of an arm: the fewest acceptances are first."""
        return self.accepted[arm]

    def observe(self, arm: int, accepted: bool) -> None:
        """Count the response, and drop the arm if it goes."""
        self.turn = arm
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
        self.facts = delta, alpha, rho_0

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Begin with Phase 1."""
        self.accepted, self.phase1 = [0] * n_arms, Sweeping(n_arms, self.n1(n_arms))
        self.part: Any = self.phase1

    def n1(self, n_arms: int) -> float:
        """Return N_1."""
        return _needed(n_arms, *self.facts)

    def phase2(self) -> Eliminating:
        """Return Phase 2."""
        return Eliminating(self.accepted)

    def act(self) -> Any:
        """Return the arm to recommend, None when Phase 2 is done."""
        if self.phase1.over and self.part is self.phase1:
            self.part = self.phase2()
        return self.part.act()

    def observe(self, arm: int, accepted: bool) -> None:
        """Take in a response."""
        self.accepted[arm] += accepted
        self.part.observe(arm, accepted)

    def answer(self) -> Any:
        """Return the answer of Phase 2."""
        return self.part.answer()


def _but(right: type, **methods: Callable[..., Any]) -> type:
    """Return a right class with some of its methods replaced by wrong ones."""
    return type(right.__name__, (right,), methods)


def _not_anew(self: Whole, *given: Any) -> None:
    if not hasattr(self, "part"):
        Whole.reset(self, *given)


def _in_a_row(self: Eliminating, arm: int, accepted: bool) -> None:
    Eliminating.observe(self, arm, accepted)
    self.rejected[arm] = 0 if accepted else self.rejected[arm]


#: With a given N_1.
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

#: With the paper's N_1.
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

#: With click noise, for BAIR(m).
USERS_WHO_SLIP = (
    Encounter(1, 2, 8, m=1),
    Encounter(2, 2, 12, noise=0.2, m=3),
    Encounter(3, 5, 20, noise=0.2, m=4),
    Encounter(4, 5, 40, noise=0.1, m=2, setting="released"),
    Encounter(5, 20, 40, noise=0.1, m=3),
)


def _tried_as_phase1(answer: Any, case: Case) -> str | None:
    run = paper_run(user := case[0])
    return parting(lambda: answer(user.n_arms, user.n1), run, last=run.phase1)


def _tried_as_phase2(answer: Any, case: Case) -> str | None:
    """Let an answer go on where the package's Phase 1 ends."""
    user, *m = case
    run = paper_run(user)
    steps = list(zip(run.arms, run.accepted, strict=True))[: run.phase1]
    accepted = [steps.count((arm, True)) for arm in range(user.n_arms)]
    return parting(lambda: answer(accepted, *m), run, first=run.phase1)


def _tried_as_agent(answer: Any, case: Case) -> str | None:
    """Let an answer meet a user after a run that is broken off: `reset` must begin anew."""
    run = paper_run(user := case[0])

    def make() -> Any:
        agent = answer(**user.facts)
        for n_steps in (7, 0):
            agent.reset(user.n_arms, agent_generator(user.seed, "mine"), None)
            for _ in range(n_steps):
                if (arm := agent.act()) is None:
                    break
                agent.observe(arm, arm != run.arms[0])
        return agent

    return parting(make, run)


def _differs_at(case: Case, given: str | None, expected: str) -> str:
    return f"with {case[0]!r} it {given or 'stops before it recommends anything'}."


_Run = functools.partial(Exercise, describe=_differs_at, where=True)

EXERCISES: tuple[Exercise, ...] = (
    # 4.1
    Exercise(
        asks="a function of n_arms, delta, alpha and rho_0 that returns N_1",
        right=_needed,
        cases=[
            *((2, 0.1, 1.0, 1.0), (5, 0.1, 1.0, 1.0), (5, 0.01, 1.0, 1.0), (5, 0.1, 2.0, 1.0)),
            *((5, 0.1, 0.5, 1.0), (20, 0.05, 0.8, 2.0), (3, 0.2, 2.0, 0.5)),
        ],
        shows="with α = 1 ten times the confidence costs ten times the acceptances.",
    ).with_mistakes(
        "it is right for α = 1 only: where is α in the lemma?",
        lambda k, delta, alpha, rho: _needed(k, delta, 1.0, rho),
        "the exponent is turned over: a larger α needs fewer acceptances.",
        lambda k, delta, alpha, rho: _needed(k, delta, 1 / alpha, rho),
        "only δ has the exponent: it is that of the whole fraction.",
        lambda k, delta, alpha, rho: 2 * k / delta ** (1 / alpha) / rho,
        "ρ_0 multiplies: a larger ρ_0 makes wider intervals, and needs fewer acceptances.",
        lambda k, delta, alpha, rho: _needed(k, delta, alpha, 1.0) * rho,
        "ρ_0 is inside of the power: it stands outside.",
        lambda k, delta, alpha, rho: (2 * k / delta / rho) ** (1 / alpha),
        "ρ_0 is left out: it is 1 only for some users.",
        lambda k, delta, alpha, rho: _needed(k, delta, alpha, 1.0),
        "the factor 2 is missing: an error of her best arm and one of a rival both count.",
        lambda k, delta, alpha, rho: (k / delta) ** (1 / alpha) / rho,
        "that is what the proof needs, 2(K - 1) errors; the printed lemma allows for 2K.",
        lambda k, delta, alpha, rho: _needed(k, delta, alpha, rho, form="proof"),
        "it is rounded up, and the lemma's N_1 is not.",
        lambda *facts: math.ceil(_needed(*facts)),
        "this grows like log(1/δ), as it would if rewards were seen; here it is a power.",
        lambda k, delta, alpha, rho: (2 * k * math.log(1 / delta)) ** (1 / alpha) / rho,
    ),
    # 4.2
    _Run(
        asks="a class that is made with n_arms and n1, with the methods act and observe",
        right=Sweeping,
        tried=_tried_as_phase1,
        cases=[(meeting,) for meeting in USERS_BY_N1],
        shows="it is the paper's Phase 1 to the bit, with users of K = 2, 5 and 20.",
    ).with_mistakes(
        "it never leaves the first arm: `observe` is blank, or does not pass the turn on.",
        _but(Sweeping, observe=lambda self, arm, accepted: None),
        "N_1 is compared with time steps: an arm that she rejects teaches her nothing.",
        _but(Sweeping, enough=lambda self: self.n_steps >= self.n1),
        "the arm after a rejected one is left out of the pass: does F change in the loop?",
        _but(Sweeping, goes_on=lambda self, yes: self.first_sweep),
        "the first sweep goes on with arms that she has rejected: they are to leave F.",
        _but(Sweeping, drops=lambda self, yes: False, goes_on=lambda self, yes: True),
        "Phase 1 breaks off in the middle of a pass: the first sweep ends between passes.",
        _but(Sweeping, may_end=lambda self, end: True),
        "the second loop looks at N_1 between rounds only: look after every response.",
        _but(Sweeping, may_end=lambda self, end: end),
        "Phase 1 makes one recommendation too many: with N_1 acceptances it is over.",
        _but(Sweeping, enough=lambda self: sum(self.accepted) > self.n1),
        "the second loop goes on sweeping: repeat each arm there until she rejects it.",
        _but(Sweeping, goes_on=lambda self, accepted: accepted),
        "Phase 1 ends when F is empty: the second loop is missing, with all arms again.",
        _but(Sweeping, enough=lambda self: sum(self.accepted) >= self.n1 or not self.left),
    ),
    # 4.3
    _Run(
        asks="a class that is made with n_i, with the methods act, observe and answer",
        right=Eliminating,
        tried=_tried_as_phase2,
        cases=[(meeting,) for meeting in USERS_BY_N1],
        shows="it is the paper's Phase 2 to the bit, with users of K = 2, 5 and 20.",
    ).with_mistakes(
        "it recommends an eliminated arm again: taken literally the pseudo-code never ends.",
        _but(Eliminating, choose=lambda self: int(np.argmin(self.accepted))),
        "of several arms with the fewest acceptances it takes the last, not the first.",
        _but(Eliminating, rank=lambda self, arm: (self.accepted[arm], -arm)),
        "it recommends the most accepted arm of F: the least accepted has more to prove.",
        _but(Eliminating, rank=lambda self, arm: -self.accepted[arm]),
        "it goes round F in turn: arms with fewer acceptances come first.",
        _but(Eliminating, rank=lambda self, arm: (arm <= self.turn, arm)),
        "n_i stays as it was after Phase 1: an acceptance in Phase 2 counts as well.",
        _but(Eliminating, observe=lambda self, arm, yes: yes or self.left.remove(arm)),
        "it drops an arm that she accepts: the sign is wrong.",
        _but(Eliminating, goes=lambda self, arm, accepted: accepted),
        "it goes on when one arm is left: nothing can be learnt any more.",
        _but(Eliminating, act=lambda self: self.choose() if self.left else None),
        "its steps are right, but it answers the most accepted arm, not what is left in F.",
        _but(Eliminating, answer=lambda self: int(np.argmax(self.accepted))),
        "its steps are right, but it always answers the first arm, whatever is left.",
        _but(Eliminating, answer=lambda self: 0),
    ),
    # 4.4
    _Run(
        asks="a class that is made with delta, alpha and rho_0, with the four methods of an agent",
        right=BAIR,
        uses=("4.2", "4.3"),
        tried=_tried_as_agent,
        cases=[(meeting,) for meeting in USERS_BY_DELTA],
        shows="it is BAIR to the bit: all recommendations and answers are the package's.",
    ).with_mistakes(
        "it stops where Phase 1 is over: from there on Phase 2 recommends.",
        _but(Whole, phase2=lambda self: self.phase1),
        "it remembers the user before: `reset` has to make both phases anew.",
        _but(Whole, reset=_not_anew),
        "Phase 2 begins with all n_i at 0: it needs the acceptances of Phase 1.",
        _but(Whole, phase2=lambda self: Eliminating([0] * len(self.accepted))),
        "arms that Phase 1 has left out stay out: in Phase 2, F is [K] again.",
        _but(Whole, phase2=lambda self: Eliminating(self.accepted, left=self.phase1.left)),
        "Phase 1 is one pass only, whatever N_1 is: early rejections prove little.",
        _but(Whole, n1=lambda self, k: 0.0),
        "N_1 is always that of δ = 0.1: it follows from delta, alpha and rho_0.",
        _but(Whole, n1=lambda self, k: _needed(k, 0.1)),
        "N_1 is always that of α = 1: hand alpha on.",
        _but(Whole, n1=lambda self, k: _needed(k, self.facts[0], rho_0=self.facts[2])),
        "N_1 is always that of ρ_0 = 1: hand rho_0 on.",
        _but(Whole, n1=lambda self, k: _needed(k, *self.facts[:2])),
    ),
    # 4.5
    _Run(
        asks="a class that is made with n_i and m, with the methods act, observe and answer",
        right=Eliminating,
        tried=_tried_as_phase2,
        cases=[(meeting, meeting.m) for meeting in USERS_WHO_SLIP],
        shows="it is BAIR(m) to the bit, and with m = 1 the BAIR that you know.",
    ).with_mistakes(
        "an arm goes at its first rejection, whatever m: with click noise that may be a slip.",
        _but(Eliminating, goes=lambda self, arm, accepted: not accepted),
        "an arm goes one rejection too late: after the m-th, not when there are more than m.",
        _but(Eliminating, goes=lambda self, arm, accepted: self.rejected[arm] > self.m),
        "the rejections of all arms are counted together: every arm has its own count.",
        _but(Eliminating, goes=lambda self, arm, yes: not yes and sum(self.rejected) >= self.m),
        "an acceptance sets the count of rejections back: all rejections count here.",
        _but(Eliminating, observe=_in_a_row),
    ),
)
