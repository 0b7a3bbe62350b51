"""Lesson 4: BAIR, step by step, compared with the package's agent."""

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.agents import BAIR, AlgorithmAgent, Phase1
from explorative_user_env.agents.bair import ELIMINATION, PHASES
from explorative_user_env.runs.loop import environment_of
from explorative_user_env.seeding import agent_generator
from explorative_user_env.teach.exercises import Case, Exercise, known
from explorative_user_env.theory import phase1_acceptances_needed
from explorative_user_env.users.population import population_of
from explorative_user_env.validation import one_line


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
    """A run of the package's agent; the phases are those before each step and at the end."""

    arms: list[int]
    accepted: list[bool]
    phases: list[str]
    answer: int | None


def bair_of(meeting: Encounter) -> AlgorithmAgent:
    """Return the package's agent, ready for this user."""
    n1 = "paper" if meeting.n1 is None else meeting.n1
    options: Any = meeting.facts
    return _ready(BAIR(n1=n1, m=meeting.m, **options), meeting)


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
    run = PaperRun([], [], [agent.explain()["phase"]], None)
    while (arm := agent.act()) is not None:
        run.arms.append(arm)
        run.accepted.append(bool(env.step(arm)[0]))
        agent.observe(arm, run.accepted[-1])
        run.phases.append(agent.explain()["phase"])
    return run._replace(answer=agent.answer())


def phase1_run(meeting: Encounter) -> PaperRun:
    """Return the run of the package's agent up to Phase 2, without an answer."""
    run = paper_run(meeting)
    end = run.phases.index(PHASES[ELIMINATION])
    return PaperRun(run.arms[:end], run.accepted[:end], run.phases[: end + 1], None)


def parting(make: Callable[[], Any], run: PaperRun, begins: int = 1) -> str | None:
    """Describe where the agent that `make` makes leaves a run, or fails; empty if nowhere.

    Args:
        make: makes an agent, or a phase, that is ready to act.
        run: the package's run.
        begins: the step of the first own act; None is returned if the agent stops there, as a
            blank does.
    """
    step, right = 1, f"arm {run.arms[0]} is right"
    try:
        agent = make()
        for step, arm in enumerate((*run.arms, None), 1):
            right = "it ought to be done" if arm is None else f"arm {arm} is right"
            if (given := agent.act()) != arm:
                if given is None and step == begins:
                    return None
                verb = "goes on with" if arm is None else "recommends"
                did = "stops" if given is None else f"{verb} {_spelled(given)}"
                break
            if arm is not None:
                agent.observe(arm, run.accepted[step - 1])
        else:
            if run.answer is None or (answer := agent.answer()) == run.answer:
                return ""
            did, right = f"answers {_spelled(answer)}", f"arm {run.answer} is right"
    except Exception as error:  # whatever the student's code does
        did = one_line(f"fails with {type(error).__name__}: {error}", 200)
    before = "that is the first recommendation"
    if step > 1:
        response = "accepted" if run.accepted[step - 2] else "rejected"
        before = f"arm {run.arms[step - 2]} was just {response}"
    return f"step {step}, in {run.phases[step - 1]}: {before}. It {did}; {right}"


def _spelled(arm: Any) -> str:
    return f"arm {arm}" if isinstance(arm, int | np.integer) else one_line(repr(arm), 60)


def differs_at(case: Case, given: str | None, expected: str) -> str:
    """Describe the parting: the user, the step, the phase and the right act."""
    if given is None:
        return f"with {case[0]!r} it stops before it recommends anything."
    return f"with {case[0]!r} it leaves the paper's agent at {given}."


class InTurn:
    """An agent of two parts: a Phase 1, and a Phase 2 made from its n_i.

    Args:
        phase1: recommends until it is done.
        phase2: makes Phase 2 from n_i.
        n_arms: K.
    """

    def __init__(self, phase1: Any, phase2: Callable[[list[int]], Any], n_arms: int) -> None:
        self.accepted = [0] * n_arms
        self.phase1, self.part, self.make_phase2 = phase1, phase1, phase2

    def act(self) -> int | None:
        """Return the arm to recommend, None when Phase 2 is done."""
        arm = self.part.act()
        if arm is None and self.part is self.phase1:
            self.part = self.make_phase2(list(self.accepted))
            arm = self.part.act()
        return arm  # type: ignore[no-any-return]

    def observe(self, arm: int, accepted: bool) -> None:
        """Take in a response."""
        self.accepted[arm] += accepted
        self.part.observe(arm, accepted)

    def answer(self) -> Any:
        """Return the answer of Phase 2."""
        return self.part.answer()


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


class Whole(InTurn):
    """BAIR, made of the two phases above."""

    def __init__(self, delta: float = 0.1, alpha: float = 1.0, rho_0: float = 1.0) -> None:
        self.facts = delta, alpha, rho_0

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Make both phases anew."""
        super().__init__(Sweeping(n_arms, self.n1(n_arms)), self.phase2, n_arms)

    def n1(self, n_arms: int) -> float:
        """Return N_1."""
        return phase1_acceptances_needed(n_arms, *self.facts)

    def phase2(self, accepted: list[int]) -> Eliminating:
        """Return Phase 2 from n_i."""
        return Eliminating(accepted)


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


def _stays_out(self: Whole, accepted: list[int]) -> Eliminating:
    phase2 = Eliminating(accepted)
    phase2.left = self.phase1.left
    return phase2


def _not_anew(self: Whole, *given: Any) -> None:
    if not hasattr(self, "phase1"):
        Whole.reset(self, *given)


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
    meeting: Encounter = case[0]
    return parting(lambda: answer(meeting.n_arms, meeting.n1), phase1_run(meeting))


def _tried_as_phase2(answer: Any, case: Case) -> str | None:
    """Let the package's Phase 1 meet the user of a case, and then the answer."""
    meeting, *m = case
    first = _ready(Phase1(n1=meeting.n1), meeting)
    return parting(
        lambda: InTurn(first, lambda accepted: answer(accepted, *m), meeting.n_arms),
        paper_run(meeting),
        begins=len(phase1_run(meeting).arms) + 1,
    )


def _tried_as_agent(answer: Any, case: Case) -> str | None:
    """Let an answer meet a user after a run that is broken off: `reset` must begin anew."""
    meeting: Encounter = case[0]
    run = paper_run(meeting)

    def make() -> Any:
        agent = answer(**meeting.facts)
        for n_steps in (7, 0):
            agent.reset(meeting.n_arms, agent_generator(meeting.seed, "mine"), None)
            for _ in range(n_steps):
                if (arm := agent.act()) is None:
                    break
                agent.observe(arm, arm != run.arms[0])
        return agent

    return parting(make, run)


_needed = phase1_acceptances_needed
_Run = functools.partial(Exercise, told=differs_at, where=True)

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
        mistakes=known(
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
    ),
    _Run(
        "4.2",
        asks="a class that is made with n_arms and n1, with the methods act and observe",
        right=Sweeping,
        tried=_tried_as_phase1,
        cases=[(meeting,) for meeting in USERS_BY_N1],
        shows="it is the paper's Phase 1 to the bit, with users of K = 2, 5 and 20.",
        mistakes=known(
            "it never leaves the first arm: `observe` is blank, or does not pass the turn on.",
            _but(Sweeping, observe=lambda self, arm, accepted: None),
            "N_1 is compared with time steps: an arm that she rejects teaches her nothing.",
            _phase1_with(phase1_counts="steps"),
            "the arm after a rejected one is left out of the pass: does F change in the loop?",
            _phase1_with(first_sweep="skipping"),
            "the first sweep goes on with arms that she has rejected: they are to leave F.",
            _but(Sweeping, observe=_never_drops),
            "Phase 1 breaks off in the middle of a pass: the first sweep ends between passes.",
            _but(Sweeping, may_end=lambda self, accepted: True),
            "the second loop looks at N_1 between rounds only: look after every response.",
            _but(
                Sweeping, may_end=lambda self, yes: self.place + self.goes_on(yes) >= len(self.left)
            ),
            "Phase 1 makes one recommendation too many: with N_1 acceptances it is over.",
            _but(Sweeping, enough=lambda self: sum(self.accepted) > self.n1),
            "the second loop goes on sweeping: repeat each arm there until she rejects it.",
            _but(Sweeping, goes_on=lambda self, accepted: accepted),
            "Phase 1 ends when F is empty: the second loop is missing, with all arms again.",
            _but(Sweeping, observe=_no_second_loop),
            "F is whole again after every rejection: first reject each arm once.",
            _but(Sweeping, observe=_whole_again),
        ),
    ),
    _Run(
        "4.3",
        asks="a class that is made with n_i, with the methods act, observe and answer",
        right=Eliminating,
        tried=_tried_as_phase2,
        cases=[(meeting,) for meeting in USERS_BY_N1],
        shows="it is the paper's Phase 2 to the bit, with users of K = 2, 5 and 20.",
        mistakes=known(
            "it recommends an eliminated arm again: taken literally the pseudo-code never ends.",
            _but(Eliminating, choose=lambda self: int(np.argmin(self.accepted))),
            "of several arms with the fewest acceptances it takes the last, not the first.",
            _but(
                Eliminating, choose=lambda self: min(self.left[::-1], key=self.accepted.__getitem__)
            ),
            "it recommends the most accepted arm of F: the least accepted has more to prove.",
            _but(Eliminating, choose=lambda self: max(self.left, key=self.accepted.__getitem__)),
            "it goes round F in turn: arms with fewer acceptances come first.",
            _but(Eliminating, choose=_round_robin),
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
    ),
    _Run(
        "4.4",
        asks="a class that is made with delta, alpha and rho_0, with the four methods of an agent",
        right=BAIR,
        uses=("4.2", "4.3"),
        tried=_tried_as_agent,
        cases=[(meeting,) for meeting in USERS_BY_DELTA],
        shows="it is BAIR to the bit: all recommendations and answers are the package's.",
        mistakes=known(
            "it stops where Phase 1 is over: from there on Phase 2 recommends.",
            _but(
                Whole,
                act=lambda self: self.phase1.act(),
                answer=lambda self: int(np.argmax(self.phase1.accepted)),
            ),
            "it remembers the user before: `reset` has to make both phases anew.",
            _but(Whole, reset=_not_anew),
            "Phase 2 begins with all n_i at 0: it needs the acceptances of Phase 1.",
            _but(Whole, phase2=lambda self, accepted: Eliminating([0] * len(accepted))),
            "arms that Phase 1 has left out stay out: in Phase 2, F is [K] again.",
            _but(Whole, phase2=_stays_out),
            "Phase 1 is one pass only, whatever N_1 is: early rejections prove little.",
            _but(Whole, n1=lambda self, k: 0.0),
            "N_1 is always that of δ = 0.1: it follows from delta, alpha and rho_0.",
            _but(Whole, n1=lambda self, k: _needed(k, 0.1)),
            "N_1 is always that of α = 1: hand alpha on.",
            _but(Whole, n1=lambda self, k: _needed(k, self.facts[0], rho_0=self.facts[2])),
            "N_1 is always that of ρ_0 = 1: hand rho_0 on.",
            _but(Whole, n1=lambda self, k: _needed(k, *self.facts[:2])),
        ),
    ),
    _Run(
        "4.5",
        asks="a class that is made with n_i and m, with the methods act, observe and answer",
        right=Eliminating,
        tried=_tried_as_phase2,
        cases=[(meeting, meeting.m) for meeting in USERS_WHO_SLIP],
        shows="it is BAIR(m) to the bit, and with m = 1 the BAIR that you know.",
        mistakes=known(
            "an arm goes at its first rejection, whatever m: with click noise that may be a slip.",
            _but(Eliminating, goes=lambda self, arm, accepted: not accepted),
            "an arm goes one rejection too late: after the m-th, not when there are more than m.",
            _but(Eliminating, goes=lambda self, arm, accepted: self.rejected[arm] > self.m),
            "the rejections of all arms are counted together: every arm has its own count.",
            _but(Eliminating, goes=lambda self, arm, yes: not yes and sum(self.rejected) >= self.m),
            "an acceptance sets the count of rejections back: all rejections count here.",
            _but(Eliminating, observe=_in_a_row),
        ),
    ),
)
