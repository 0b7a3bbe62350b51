"""Whether an algorithm record is what a compiled loop and a readable one can share."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.check.agents import (
    ACCEPTING,
    COMPILED_USERS,
    DoesNotCompileError,
    Fickle,
    Situation,
    expect_compiled,
    run_of,
)
from explorative_user_env.check.checks import (
    FailedCheckError,
    NotAskedError,
    Subject,
    shared_streams,
)
from explorative_user_env.envs.meeting import informed
from explorative_user_env.kernels.arrays import as_arrays
from explorative_user_env.protocol import STOP, Algorithm
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError

RULE_STEPS = 80
"""Of runs of a record's functions."""

FEW_ARMS = (2, 5)
"""K of these runs."""


class Ruled:
    """A run of a record's functions, with a user who responds by chance.

    Args:
        algorithm: the record.
        n_arms: K.
        seed: of the user and of the stream.
        state: what becomes the run's; None is a blank one.
    """

    def __init__(self, algorithm: Algorithm, n_arms: int, seed: int, state: Any = None) -> None:
        self.algorithm, self.n_arms, self.seed = algorithm, n_arms, seed
        self.rng, self.user = np.random.default_rng(seed), Fickle(n_arms, seed)
        self.params = AlgorithmAgent(algorithm, {}).params(n_arms, RULE_STEPS)
        self.state = algorithm.blank(self.params) if state is None else state
        self.arms: list[int] = []
        algorithm.start(self.params, self.state, self.rng)

    def go_on(self, n_steps: int = RULE_STEPS) -> "Ruled":
        """Recommend and hear so many times, or until the rule stops."""
        rule, given = self.algorithm, (self.params, self.state)
        for _ in range(n_steps):
            arm = int(rule.act(*given, self.rng))
            if arm == STOP:
                break
            accepted = self.user(arm)
            rule.observe(*given, arm, accepted)
            if accepted and rule.learn is not None:
                rule.learn(*given, arm, 0.5)
            self.arms.append(arm)
        return self

    def told(self) -> tuple[Any, ...]:
        """Return all that came of it, as a text where it is numbers."""
        given = copy.deepcopy((self.params, self.state, self.rng))  # a verdict may write there
        return self.arms, repr(self.state), int(self.algorithm.verdict(*given))


def _runs(subject: Subject) -> Iterator[Ruled]:
    for n_arms in FEW_ARMS:
        yield Ruled(subject.make(), n_arms, subject.seed)


def _expect_same(found: Ruled, wanted: Ruled, how: str) -> None:
    if (told := found.told()) != (before := wanted.told()):
        parts = ("arms", "state", "verdict")
        part = next(name for name, a, b in zip(parts, told, before, strict=True) if a != b)
        raise FailedCheckError(f"its {part} differ {how} (K = {found.n_arms}, seed {found.seed})")


def checks_its_options(subject: Subject) -> None:
    """Prepare refuses, by its name, a value that no option can have."""
    algorithm: Algorithm = subject.make()
    for option in {*algorithm.defaults} - {"max_steps"}:  # the cap is the agent's
        options = {**algorithm.defaults, option: _Nonsense()}
        try:
            algorithm.prepare(options, 5, RULE_STEPS)
        except InvalidArgumentError:
            continue
        except Exception as error:
            told = f"prepare raised {type(error).__name__}: {error} for {option}={_Nonsense()!r}"
            raise FailedCheckError(f"{told}, must be an InvalidArgumentError") from error
        raise FailedCheckError(f"prepare took {_Nonsense()!r} for {option}, must refuse it by name")


class _Nonsense:
    def __repr__(self) -> str:
        return "an object of no kind"


def has_params_of_numbers(subject: Subject) -> None:
    """Params is a NamedTuple of numbers, the same for the same options."""
    for run in _runs(subject):
        params, again = run.params, next(_runs(subject)).params
        named = isinstance(params, tuple) and hasattr(params, "_fields")
        if not named or not all(isinstance(each, bool | int | float) for each in params):
            raise FailedCheckError(f"params are {params!r}, must be a NamedTuple of numbers")
        if run.n_arms == FEW_ARMS[0] and params != again:
            raise FailedCheckError(f"params are {params!r} and then {again!r}")


def has_a_state_of_lists(subject: Subject) -> None:
    """State is a NamedTuple of lists of numbers, before and after a run."""
    for run in _runs(subject):
        for when in ("blank", "used"):
            if not hasattr(run.state, "_fields"):
                raise FailedCheckError(f"the {when} state is {run.state!r}, must be a NamedTuple")
            try:
                as_arrays(run.state)
            except TypeError as error:
                raise FailedCheckError(f"{error}, of the {when} state") from error
            run.go_on()


def starts_anew(subject: Subject) -> None:
    """Start fills a used state as it fills a blank one."""
    for run in _runs(subject):
        used = Ruled(run.algorithm, run.n_arms, subject.seed + 1).go_on()
        again = Ruled(run.algorithm, run.n_arms, subject.seed, used.state).go_on()
        _expect_same(again, run.go_on(), "in a state that was used before")


def keeps_all_in_its_state(subject: Subject) -> None:
    """The functions know params, state and rng alone: a copy goes on alike, whoever else runs."""
    for run in _runs(subject):
        before = shared_streams()
        wanted = Ruled(run.algorithm, run.n_arms, subject.seed).go_on()
        if shared_streams() != before:
            raise FailedCheckError("it drew from random, numpy.random or torch, not from its rng")
        run.go_on(RULE_STEPS // 4)
        copied = copy.deepcopy(run)
        other = Ruled(run.algorithm, run.n_arms, subject.seed + 1)
        for _ in range(RULE_STEPS - RULE_STEPS // 4):
            run.go_on(1)
            other.go_on(1)
        copied.go_on(RULE_STEPS - RULE_STEPS // 4)
        _expect_same(run, wanted, "while another run went on")
        _expect_same(copied, wanted, "as a copy of its state")


def stops_by_its_horizon(subject: Subject) -> None:
    """Where stops_itself is False, it stops after as many steps as it was told."""
    algorithm: Algorithm = subject.make()
    if algorithm.stops_itself:
        raise NotAskedError("it stops by itself")
    for n_arms in FEW_ARMS:
        situation = Situation(n_arms, subject.seed, ACCEPTING, RULE_STEPS + 1, RULE_STEPS)
        run = run_of(AlgorithmAgent(algorithm, {}), situation)
        if not run.stopped or len(run.arms) != RULE_STEPS:
            told = f"it {'stopped' if run.stopped else 'was cut off'} after {len(run.arms)} steps"
            raise FailedCheckError(f"{told}, must stop after {RULE_STEPS} ({situation})")


def compiled_rules_are_plain(subject: Subject) -> None:
    """It compiles, and does the same as in plain Python, to the bit."""
    seeds = [*range(subject.seed, subject.seed + COMPILED_USERS)]
    for n_arms in FEW_ARMS:
        users = Population(n_arms=n_arms, alpha=0.1, noise=0.1)
        agent = informed(AlgorithmAgent(subject.make(), {}), users)
        assert isinstance(agent, AlgorithmAgent)
        try:
            expect_compiled(users, agent, seeds)
        except DoesNotCompileError as error:
            raise FailedCheckError(f"it does not compile: {error}") from error
