"""Lesson 4: BAIR; the checks compare a student's class with the package's agent step by step."""

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


class TrialUser(NamedTuple):
    """A user, and the options of BAIR in a run with this user."""

    seed: int  # the user's seed
    n_arms: int  # K
    n1: float | None = None  # N_1; None is the lemma's value
    delta: float = 0.1  # allowed probability of a wrong answer
    alpha: float = 1.0  # her willingness to explore
    rho: float | None = None  # her constant rho_t; None is the setting's rho_t, at least 1
    noise: float = 0.0  # her click noise
    m: int = 1  # number of rejections in Phase 2 that eliminate an arm
    setting: str = "printed"  # "printed" or "released"

    @property
    def options(self) -> dict[str, float]:
        """Options of BAIR that match the user's parameters."""
        rho_0 = 1.0 if self.rho is None else self.rho
        return {"delta": self.delta, "alpha": self.alpha, "rho_0": rho_0}

    def __repr__(self) -> str:
        options = self.options if self.n1 is None else {"N_1": self.n1}
        options |= {"m": self.m} if self.m > 1 else {}
        spelled = ", ".join(f"{name} = {value:g}" for name, value in options.items())
        return f"user {self.seed} ({self.setting}, K = {self.n_arms}, {spelled})"


class PaperRun(NamedTuple):
    """A run of the package's agent."""

    arms: list[int]  # the recommended arm of each step
    accepted: list[bool]  # the response of each step
    phases: list[str]  # the phase before each step, and at the end
    phase1: int  # the number of steps of Phase 1
    answer: int


@functools.lru_cache(maxsize=100)
def paper_run(user: TrialUser) -> PaperRun:
    """Return the run of the package's agent with a user."""
    options: Any = {**user.options, "m": user.m, "n1": "paper" if user.n1 is None else user.n1}
    agent = BAIR(**options)
    agent.reset(user.n_arms, agent_generator(user.seed, agent.name))
    names = ("setting", "n_arms", "alpha", "rho", "noise")
    settings: Any = {name: getattr(user, name) for name in names}
    env = environment_of(Population(gap=1.5, **settings), agent)  # a large gap gives short runs
    env.reset(seed=user.seed)
    arms, accepted, phases = list[int](), list[bool](), [str(agent.explain()["phase"])]
    while (arm := agent.act()) is not None:
        arms.append(arm)
        accepted.append(bool(env.step(arm)[0]))
        agent.observe(arm, accepted[-1])
        phases.append(agent.explain()["phase"])
    return PaperRun(arms, accepted, phases, phases.index(PHASES[ELIMINATION]), agent.answer())


def difference(make: Any, run: PaperRun, first: int = 0, last: int | None = None) -> str | None:
    """Describe the first step at which a student's agent differs from a run of the package's agent.

    Return "" if the agents agree, and None if the student's agent is blank (stops at once).

    Args:
        make: returns the student's agent, or one phase of an agent.
        run: the run of the package's agent.
        first: the first step to compare.
        last: the step after the last step to compare; None compares all steps and the answer.
    """

    def spelled(arm: Any) -> str:
        return f"arm {arm}" if isinstance(arm, int | np.integer) else one_line(repr(arm), 60)

    step, right = first, f"arm {run.arms[first]} is right"
    try:
        agent = make()
        for step, arm in enumerate((*run.arms[first:last], None), first):
            right = "it should stop" if arm is None else f"arm {arm} is right"
            if (given := agent.act()) != arm:
                if given is None and step == first:
                    return None
                verb = "continues with" if arm is None else "recommends"
                did = "stops" if given is None else f"{verb} {spelled(given)}"
                break
            if arm is not None:
                agent.observe(arm, run.accepted[step])
        else:
            if last is not None or (answer := agent.answer()) == run.answer:
                return ""
            did, right = f"answers {spelled(answer)}", f"arm {run.answer} is right"
    except Exception as error:  # a student's code may raise any error
        did = one_line(f"fails with {type(error).__name__}: {error}", 200)
    before = "this is the first recommendation"
    if step:
        before = f"she just {'accepted' if run.accepted[step - 1] else 'rejected'} "
        before += f"arm {run.arms[step - 1]}"
    where = f"differs from the package's agent at step {step + 1}, in {run.phases[step]}"
    return f"{where}: {before}. It {did}; {right}"


class Sweeping:
    """Phase 1 of BAIR. `left` lists the remaining arms (the set F); `left[place]` is the next arm.

    Args:
        n_arms: K.
        n1: N_1, the number of acceptances that ends Phase 1.
    """

    def __init__(self, n_arms: int, n1: float) -> None:
        self.n1, self.accepted, self.n_steps = n1, [0] * n_arms, 0
        self.left, self.place = list(range(n_arms)), 0
        self.first_sweep, self.over = True, False

    def act(self) -> int | None:
        """Return the next arm, or None when Phase 1 is over."""
        return None if self.over else self.left[self.place]

    def observe(self, arm: int, accepted: bool) -> None:
        """Count the response, remove a rejected arm from `left`, and select the next arm."""
        self.n_steps += 1
        self.accepted[arm] += accepted
        if self.drops(accepted):
            self.left.remove(arm)
        self.place += self.goes_on(accepted)
        self.end_step()

    def end_step(self) -> None:
        """Start the next pass over `left` or end Phase 1, if due; refill `left` if it is empty."""
        end = self.place >= len(self.left)
        self.over = self.enough() and self.may_end(end)
        if end:
            self.place, self.first_sweep = 0, self.first_sweep and len(self.left) > 0
        self.left = self.left or list(range(len(self.accepted)))

    def drops(self, accepted: bool) -> bool:
        """Return whether the recommended arm is removed from `left`."""
        return not accepted

    def goes_on(self, accepted: bool) -> bool:
        """Return whether `place` increases; it does after an acceptance in the first sweep."""
        return self.first_sweep and accepted

    def enough(self) -> bool:
        """Return whether there are at least N_1 acceptances."""
        return sum(self.accepted) >= self.n1

    def may_end(self, end: bool) -> bool:
        """Return whether Phase 1 may end; in the first sweep it ends only after a complete pass."""
        return end or not self.first_sweep


class Eliminating:
    """Phase 2 of BAIR. `left` lists the arms that are not eliminated (the set F).

    Args:
        accepted: n_i of every arm, from Phase 1.
        m: number of rejections that eliminate an arm.
        left: the arms at the start; an empty `left` means all arms.
    """

    def __init__(self, accepted: Iterable[int], m: int = 1, left: Iterable[int] = ()) -> None:
        self.accepted, self.m = list(accepted), m
        self.left = list(left) or list(range(len(self.accepted)))
        self.rejected, self.turn = [0] * len(self.accepted), -1

    def act(self) -> int | None:
        """Return the arm to recommend, or None when one arm is left."""
        return None if len(self.left) == 1 else self.choose()

    def choose(self) -> int:
        """Return the arm of `left` with the smallest rank, or the first of tied arms."""
        return min(self.left, key=self.rank)

    def rank(self, arm: int) -> Any:
        """Return the rank of an arm: its number of acceptances."""
        return self.accepted[arm]

    def observe(self, arm: int, accepted: bool) -> None:
        """Count the response, and remove the arm from `left` after m rejections."""
        self.turn = arm
        self.accepted[arm] += accepted
        self.rejected[arm] += not accepted
        if self.goes(arm, accepted):
            self.left.remove(arm)

    def goes(self, arm: int, accepted: bool) -> bool:
        """Return whether the arm is eliminated."""
        return self.rejected[arm] >= self.m

    def answer(self) -> int:
        """Return the arm that is left."""
        return self.left[0]


class TwoPhases:
    """BAIR: Phase 1, then Phase 2."""

    def __init__(self, delta: float = 0.1, alpha: float = 1.0, rho_0: float = 1.0) -> None:
        self.options = delta, alpha, rho_0

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Start Phase 1 with a new user."""
        self.accepted, self.phase1 = [0] * n_arms, Sweeping(n_arms, self.n1(n_arms))
        self.part: Any = self.phase1

    def n1(self, n_arms: int) -> float:
        """Return N_1."""
        return _needed(n_arms, *self.options)

    def phase2(self) -> Eliminating:
        """Return a new Phase 2 with the acceptances of Phase 1."""
        return Eliminating(self.accepted)

    def act(self) -> Any:
        """Return the arm to recommend, or None when Phase 2 is over."""
        if self.phase1.over and self.part is self.phase1:
            self.part = self.phase2()
        return self.part.act()

    def observe(self, arm: int, accepted: bool) -> None:
        """Pass the response on to the current phase."""
        self.accepted[arm] += accepted
        self.part.observe(arm, accepted)

    def answer(self) -> Any:
        """Return the answer of Phase 2."""
        return self.part.answer()


def _but(right: type, **methods: Callable[..., Any]) -> type:
    """Return a wrong answer: a subclass of `right` with some methods replaced."""
    return type(right.__name__, (right,), methods)


def _reset_once(self: TwoPhases, *given: Any) -> None:
    if not hasattr(self, "part"):
        TwoPhases.reset(self, *given)


def _in_a_row(self: Eliminating, arm: int, accepted: bool) -> None:
    Eliminating.observe(self, arm, accepted)
    self.rejected[arm] = 0 if accepted else self.rejected[arm]


#: Users for exercises 4.2 and 4.3, with an explicit N_1.
USERS_BY_N1 = (
    TrialUser(1, 2, 8),
    TrialUser(2, 2, 13, setting="released"),
    TrialUser(3, 5, 20),
    TrialUser(4, 5, 31, setting="released"),
    TrialUser(5, 5, 64, alpha=0.5),
    TrialUser(6, 20, 60, alpha=0.5),
    TrialUser(7, 20, 90, setting="released"),
    # These users have click noise and reject every arm once, so Phase 1 goes on to its rounds.
    TrialUser(8, 2, 15, noise=0.3),
    TrialUser(9, 5, 45, noise=0.3),
    TrialUser(10, 20, 70, noise=0.4),
)

#: Users for exercise 4.4, with the lemma's N_1.
USERS_BY_DELTA = (
    TrialUser(1, 2, delta=0.3),
    TrialUser(2, 5, delta=0.4),
    TrialUser(3, 5, delta=0.2, setting="released"),
    TrialUser(4, 5, delta=0.5, alpha=0.8),
    TrialUser(5, 5, delta=0.1, alpha=2.0),
    TrialUser(6, 5, delta=0.4, rho=2.5),
    TrialUser(7, 20, delta=0.5),
    TrialUser(8, 20, delta=0.9, setting="released"),
    TrialUser(9, 5, delta=0.2, noise=0.3),
)

#: Users for exercise 4.5, about BAIR(m); all but one have click noise.
USERS_WITH_NOISE = (
    TrialUser(1, 2, 8, m=1),
    TrialUser(2, 2, 12, noise=0.2, m=3),
    TrialUser(3, 5, 20, noise=0.2, m=4),
    TrialUser(4, 5, 40, noise=0.1, m=2, setting="released"),
    TrialUser(5, 20, 40, noise=0.1, m=3),
)


def _tried_as_phase1(answer: Any, case: Case) -> str | None:
    run = paper_run(user := case[0])
    return difference(lambda: answer(user.n_arms, user.n1), run, last=run.phase1)


def _tried_as_phase2(answer: Any, case: Case) -> str | None:
    """Run a student's Phase 2 after the Phase 1 of the package's agent."""
    user, *m = case
    run = paper_run(user)
    steps = list(zip(run.arms, run.accepted, strict=True))[: run.phase1]
    accepted = [steps.count((arm, True)) for arm in range(user.n_arms)]
    return difference(lambda: answer(accepted, *m), run, first=run.phase1)


def _tried_as_agent(answer: Any, case: Case) -> str | None:
    """Run a student's agent after an interrupted run, so that `reset` must clear its memory."""
    run = paper_run(user := case[0])

    def make() -> Any:
        agent = answer(**user.options)
        for n_steps in (7, 0):
            agent.reset(user.n_arms, agent_generator(user.seed, "mine"), None)
            for _ in range(n_steps):
                if (arm := agent.act()) is None:
                    break
                agent.observe(arm, arm != run.arms[0])
        return agent

    return difference(make, run)


def _differs_at(case: Case, given: str | None, expected: str) -> str:
    return f"with {case[0]!r} it {given or 'stops before its first recommendation'}."


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
        shows="with α = 1, a tenth of δ needs ten times as many acceptances.",
    ).with_mistakes(
        "it is right for α = 1 only: the exponent 1/α is missing.",
        lambda k, delta, alpha, rho: _needed(k, delta, 1.0, rho),
        "the exponent is inverted: a larger α needs fewer acceptances.",
        lambda k, delta, alpha, rho: _needed(k, delta, 1 / alpha, rho),
        "the exponent applies to δ only: apply it to the whole fraction.",
        lambda k, delta, alpha, rho: 2 * k / delta ** (1 / alpha) / rho,
        "ρ_0 multiplies: divide by it, as a larger ρ_0 needs fewer acceptances.",
        lambda k, delta, alpha, rho: _needed(k, delta, alpha, 1.0) * rho,
        "ρ_0 is inside the power: divide by it outside.",
        lambda k, delta, alpha, rho: (2 * k / delta / rho) ** (1 / alpha),
        "ρ_0 is missing: it is not 1 for all users.",
        lambda k, delta, alpha, rho: _needed(k, delta, alpha, 1.0),
        "the factor 2 is missing: the best arm's interval may miss, and each rival's, too.",
        lambda k, delta, alpha, rho: (k / delta) ** (1 / alpha) / rho,
        "it uses 2(K - 1), which suffices for the proof: the printed lemma uses 2K.",
        lambda k, delta, alpha, rho: _needed(k, delta, alpha, rho, form="proof"),
        "it is rounded up: the lemma does not round N_1.",
        lambda *options: math.ceil(_needed(*options)),
        "it grows like log(1/δ), as with observed rewards: here it is a power of 1/δ.",
        lambda k, delta, alpha, rho: (2 * k * math.log(1 / delta)) ** (1 / alpha) / rho,
    ),
    # 4.2
    _Run(
        asks="a class with the constructor arguments n_arms and n1 and the methods act and observe",
        right=Sweeping,
        tried=_tried_as_phase1,
        cases=[(user,) for user in USERS_BY_N1],
        shows="every step equals that of the package's Phase 1, for K = 2, 5 and 20.",
    ).with_mistakes(
        "it always recommends the first arm: `observe` is blank, or does not change `place`.",
        _but(Sweeping, observe=lambda self, arm, accepted: None),
        "`end_step` is blank, or does not reset `place` after a pass; `observe` is right so far.",
        _but(Sweeping, end_step=lambda self: None),
        "`end_step` compares N_1 with the number of steps: compare it with the acceptances.",
        _but(Sweeping, enough=lambda self: self.n_steps >= self.n1),
        "`observe` skips the arm after a rejected arm: removal moves the next arm to its place.",
        _but(Sweeping, goes_on=lambda self, yes: self.first_sweep),
        "the first sweep recommends rejected arms again: `observe` must remove them from F.",
        _but(Sweeping, drops=lambda self, yes: False, goes_on=lambda self, yes: True),
        "`end_step` ends Phase 1 within a pass: in the first loop, check N_1 only after a pass.",
        _but(Sweeping, may_end=lambda self, end: True),
        "in the second loop `end_step` checks N_1 only after a round: check it every time.",
        _but(Sweeping, may_end=lambda self, end: end),
        "`end_step` ends Phase 1 one recommendation too late: it ends with N_1 acceptances.",
        _but(Sweeping, enough=lambda self: sum(self.accepted) > self.n1),
        "in the second loop `observe` sweeps over the arms: repeat each arm until she rejects it.",
        _but(Sweeping, goes_on=lambda self, accepted: accepted),
        "`end_step` ends Phase 1 when F is empty: the second loop, with all arms, is missing.",
        _but(Sweeping, enough=lambda self: sum(self.accepted) >= self.n1 or not self.left),
    ),
    # 4.3
    _Run(
        asks="a class with the constructor argument n_i and the methods act, observe and answer",
        right=Eliminating,
        tried=_tried_as_phase2,
        cases=[(user,) for user in USERS_BY_N1],
        shows="every step equals that of the package's Phase 2, for K = 2, 5 and 20.",
    ).with_mistakes(
        "it recommends an eliminated arm again: take the argmin over F, not over [K].",
        _but(Eliminating, choose=lambda self: int(np.argmin(self.accepted))),
        "it breaks ties in favour of the last arm: take the first arm with the fewest acceptances.",
        _but(Eliminating, rank=lambda self, arm: (self.accepted[arm], -arm)),
        "it recommends the arm of F with the most acceptances: take the fewest.",
        _but(Eliminating, rank=lambda self, arm: -self.accepted[arm]),
        "it recommends F in turn: take the arm with the fewest acceptances.",
        _but(Eliminating, rank=lambda self, arm: (arm <= self.turn, arm)),
        "it does not update n_i: count the acceptances of Phase 2 as well.",
        _but(Eliminating, observe=lambda self, arm, yes: yes or self.left.remove(arm)),
        "it eliminates the accepted arms: eliminate the rejected ones.",
        _but(Eliminating, goes=lambda self, arm, accepted: accepted),
        "it continues when one arm is left: return None then.",
        _but(Eliminating, act=lambda self: self.choose() if self.left else None),
        "its steps are right, but it answers the most accepted arm: answer the arm left in F.",
        _but(Eliminating, answer=lambda self: int(np.argmax(self.accepted))),
        "its steps are right, but it always answers arm 0: answer the arm left in F.",
        _but(Eliminating, answer=lambda self: 0),
    ),
    # 4.4
    _Run(
        asks="a class with the constructor arguments delta, alpha and rho_0 and an agent's methods",
        right=BAIR,
        uses=("4.2", "4.3"),
        tried=_tried_as_agent,
        cases=[(user,) for user in USERS_BY_DELTA],
        shows="every recommendation and answer equals that of the package's BAIR.",
    ).with_mistakes(
        "it stops at the end of Phase 1: continue with Phase 2.",
        _but(TwoPhases, phase2=lambda self: self.phase1),
        "it keeps the state of the user before: `reset` must create both phases again.",
        _but(TwoPhases, reset=_reset_once),
        "Phase 2 starts with all n_i at 0: pass it the acceptances of Phase 1.",
        _but(TwoPhases, phase2=lambda self: Eliminating([0] * len(self.accepted))),
        "Phase 2 starts with the F of Phase 1: start it with all arms.",
        _but(TwoPhases, phase2=lambda self: Eliminating(self.accepted, left=self.phase1.left)),
        "Phase 1 is a single pass: continue it until there are N_1 acceptances.",
        _but(TwoPhases, n1=lambda self, k: 0.0),
        "N_1 is always that of δ = 0.1: compute it from delta, alpha and rho_0.",
        _but(TwoPhases, n1=lambda self, k: _needed(k, 0.1)),
        "N_1 is always that of α = 1: pass alpha.",
        _but(TwoPhases, n1=lambda self, k: _needed(k, self.options[0], rho_0=self.options[2])),
        "N_1 is always that of ρ_0 = 1: pass rho_0.",
        _but(TwoPhases, n1=lambda self, k: _needed(k, *self.options[:2])),
    ),
    # 4.5
    _Run(
        asks="a class with the constructor arguments n_i and m and the methods of Phase 2",
        right=Eliminating,
        tried=_tried_as_phase2,
        cases=[(user, user.m) for user in USERS_WITH_NOISE],
        shows="every step equals that of the package's BAIR(m); m = 1 is BAIR.",
    ).with_mistakes(
        "it eliminates an arm at the first rejection: wait for the m-th.",
        _but(Eliminating, goes=lambda self, arm, accepted: not accepted),
        "it eliminates an arm one rejection too late: eliminate it at the m-th.",
        _but(Eliminating, goes=lambda self, arm, accepted: self.rejected[arm] > self.m),
        "it counts the rejections of all arms together: count them for each arm.",
        _but(Eliminating, goes=lambda self, arm, yes: not yes and sum(self.rejected) >= self.m),
        "an acceptance resets the count of rejections: count all rejections.",
        _but(Eliminating, observe=_in_a_row),
    ),
)
