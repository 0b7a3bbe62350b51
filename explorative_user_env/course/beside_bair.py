"""A student's agent beside the paper's, step by step with the same user: where do they part?

As long as both recommend the same, she answers the same. So she is met by the paper's agent alone,
once, and whoever is compared with it is told the responses of that run.
"""

import functools
import itertools
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from explorative_user_env.agents import BAIR, AlgorithmAgent, Phase1
from explorative_user_env.agents.bair_parts import ELIMINATION, PHASES
from explorative_user_env.course.two_phases import Phase
from explorative_user_env.meeting import environment_of
from explorative_user_env.population import UserOptions, population_of
from explorative_user_env.seeding import agent_generator
from explorative_user_env.validation import one_line

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
