"""Conformance checks of the package's and of custom agents, environments and users.

`check_agent(MyAgent)` runs all checks of agents and returns a report. Other functions check
environments and users. `parametrize_with_checks([MyAgent])` makes one pytest case for each check.
`explorative-user check my_package:MyAgent` runs the checks on the command line.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import gymnasium as gym
from gymnasium.vector import VectorEnv
from gymnasium.wrappers import TimeLimit

from explorative_user_env.agents import AlgorithmAgent, agent_named
from explorative_user_env.check import checks as checking
from explorative_user_env.check import records as records  # registers its checks
from explorative_user_env.check.checks import CHECKS as CHECKS
from explorative_user_env.check.checks import CheckReport as CheckReport
from explorative_user_env.check.checks import FailedCheckError as FailedCheckError
from explorative_user_env.check.checks import Kind as Kind
from explorative_user_env.check.checks import NamedCheck as NamedCheck
from explorative_user_env.check.checks import Outcome as Outcome
from explorative_user_env.check.checks import Secrets as Secrets
from explorative_user_env.check.checks import SkippedCheckError as SkippedCheckError
from explorative_user_env.check.checks import Subject as Subject
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv
from explorative_user_env.protocol import Algorithm, name_of
from explorative_user_env.users.behaviours import Behaviour
from explorative_user_env.users.model import RewardLaw, Schedule, as_reward_law
from explorative_user_env.validation import InvalidArgumentError, choice

if TYPE_CHECKING:
    import pytest

#: Lanes of a vector environment, and a step cap that ends some episodes, if a check can set them.
LANES_CHECKED, SHORT = 3, 7

#: The kind of checks by the class of the object.
KINDS: dict[type, Kind] = {
    VectorEnv: Kind.VECTOR,
    gym.Env: Kind.ENVIRONMENT,
    Algorithm: Kind.ALGORITHM,
    Behaviour: Kind.BEHAVIOUR,
    Schedule: Kind.SCHEDULE,
    RewardLaw: Kind.REWARD_LAW,
}

WHAT = "an agent, an environment, a Behaviour, Schedule, RewardLaw or Algorithm, or makes one"


def checks_of(kind: str) -> Sequence[NamedCheck]:
    """Return the checks for one kind of object, such as "agent".

    Raises:
        InvalidArgumentError: if `CHECKS` has no such kind.
    """
    return CHECKS[Kind(choice("kind", kind, CHECKS))]


def subjects_of(thing: Any, kind: str | None = None, seed: int = 0) -> list[Subject]:
    """Return one `Subject` for each kind of checks that applies to an object.

    The id of an environment gives the single environment. If the id has a vector entry point, it
    also gives the vector environment. An `Algorithm` gives itself and its agent.

    Args:
        thing: an agent, environment, `Algorithm`, `Behaviour`, `Schedule` or `RewardLaw`; a class
            or function without arguments that makes such an object; the name of an agent of the
            package or the id of an environment.
        kind: a key of `CHECKS`, to return only subjects of this kind; None returns all subjects.
        seed: the seed of the users with whom the checks run.

    Raises:
        InvalidArgumentError: if `thing` is any other object, or is a class or function that fails.
    """
    chosen = None if kind is None else Kind(choice("kind", kind, CHECKS))
    if isinstance(thing, str) and thing in gym.registry:
        single = partial(gym.make, thing, max_episode_steps=SHORT)
        results = [Subject(Kind.ENVIRONMENT, thing, single, seed)]
        if gym.spec(thing).vector_entry_point is not None:
            many = partial(gym.make_vec, thing, LANES_CHECKED, "vector_entry_point")
            many = partial(many, max_episode_steps=SHORT)
            results.append(Subject(Kind.VECTOR, thing, many, seed, alone=single))
    else:
        make = _maker_of(thing, chosen)
        try:
            made = make()
        except InvalidArgumentError:
            raise
        except Exception as error:
            allowed = f"{WHAT} when called without arguments, but it {checking.in_words(error)}"
            raise InvalidArgumentError("subject", make, allowed) from error
        spec = getattr(made, "spec", None)
        name = getattr(made, "title", name_of(made)) if spec is None else spec.id
        kinds = [each for known, each in KINDS.items() if isinstance(made, known)]
        results = [Subject(each, name, make, seed) for each in kinds]
        if isinstance(made, Algorithm):
            make = partial(AlgorithmAgent, made, {})
            results.append(Subject(Kind.AGENT, name, make, seed))
        elif isinstance(made, VectorEnv):
            results = [_in_step(subject) for subject in results]
        elif not results and (chosen == Kind.AGENT or _is_agent(made)):
            results = [Subject(Kind.AGENT, name_of(made), make, seed)]
        elif not results:
            raise InvalidArgumentError("subject", made, WHAT)
    return [subject for subject in results if chosen in (None, subject.kind)]


def subject_of(thing: Any, kind: str | None = None, seed: int = 0) -> Subject:
    """Return the first of the `Subject` objects (objects under test) that `subjects_of` returns."""
    results = subjects_of(thing, kind, seed)
    if not results:
        raise InvalidArgumentError("subject", thing, f"a {kind}")
    return results[0]


def _maker_of(thing: Any, kind: Kind | None) -> Callable[[], Any]:
    """Return a function that creates an instance of a class, or a copy of an object."""
    if isinstance(thing, str):
        return partial(as_reward_law if kind == Kind.REWARD_LAW else agent_named, thing)
    if isinstance(thing, Algorithm | Behaviour | Schedule | RewardLaw):
        return lambda: thing  # immutable
    if isinstance(thing, type) or (callable(thing) and not _is_agent(thing)):
        make: Callable[[], Any] = thing
        if kind == Kind.REWARD_LAW:
            try:
                make()
            except TypeError:  # `thing` is itself a law: (mean, rng) -> reward
                return partial(as_reward_law, thing)
        return make
    try:
        unused = copy.deepcopy(thing)
    except Exception as error:
        allowed = f"a class or function that makes it, as a copy of it {checking.in_words(error)}"
        raise InvalidArgumentError("subject", thing, allowed) from error
    return lambda: copy.deepcopy(unused)


def _is_agent(thing: Any) -> bool:
    return any(hasattr(thing, method) for method in ("act", "observe", "answer"))


def _in_step(subject: Subject) -> Subject:
    """Return a vector subject with few lanes and short episodes, if its `make` accepts both."""
    envs: Any = None
    few = partial(subject.make, LANES_CHECKED)
    for form in (partial(few, max_episode_steps=SHORT), few, subject.make):
        try:
            envs = form()
            break
        except TypeError:  # `make` accepts fewer arguments
            continue

    def single() -> Any:
        steps = envs.max_episode_steps
        return envs.single() if steps is None else TimeLimit(envs.single(), steps)

    alone = single if isinstance(envs, ExplorativeUserVectorEnv) else None
    return replace(subject, make=form, alone=alone)


# Functions

#: Maps the names of checks that should fail to the reasons.
Reasons = Mapping[str, str]


class Options(TypedDict, total=False):
    """The options of all check functions; `check_kind` explains them."""

    alone: Callable[[], Any] | None
    expected_failed_checks: Reasons | None
    raises: bool
    seed: int


def check_kind(thing: Any, kind: str, **options: Unpack[Options]) -> CheckReport:
    """Run all checks of one kind on an object.

    Args:
        thing: the object to check, as for `subjects_of`.
        kind: the kind of the checks, a key of `CHECKS`.
        **options: `alone` is a function that makes a single environment; each lane of a vector
            environment must equal it. Environment ids and `ExplorativeUserVectorEnv` need none.
            `expected_failed_checks` maps the names of checks that should fail to the reasons.
            `raises`, by default True, raises an error with the report if a check fails.
            `seed`, by default 0, is the seed of the users with whom the checks run.

    Returns:
        A report with the outcome of each check; the report prints as a table.

    Raises:
        FailedCheckError: if a check fails unexpectedly, or passes although its failure is expected.
        InvalidArgumentError: if the object has no checks of this kind, or a check name is unknown.
    """
    subject, checks = subject_of(thing, kind, options.get("seed", 0)), checks_of(kind)
    subject = replace(subject, alone=options.get("alone") or subject.alone)
    expected = options.get("expected_failed_checks") or {}
    checking.known_names("expected_failed_checks", expected, checks)
    report = checking.run_checks(subject, checks, expected)
    if options.get("raises", True) and not report.passed:
        raise FailedCheckError(f"\n{report}")
    return report


def check_agent(agent: Any, **options: Unpack[Options]) -> CheckReport:
    """Run all checks of an agent; see `check_kind` for the options."""
    return check_kind(agent, Kind.AGENT, **options)


def check_environment(env: Any, **options: Unpack[Options]) -> CheckReport:
    """Run all checks of a single environment; see `check_kind` for the options."""
    return check_kind(env, Kind.ENVIRONMENT, **options)


def check_vector_environment(envs: Any, **options: Unpack[Options]) -> CheckReport:
    """Run all checks of a vector environment; see `check_kind` for the options.

    If `envs` is a class or function, the checks call it with those of the arguments `num_envs`,
    `max_episode_steps` and `autoreset_mode` that it accepts.
    """
    return check_kind(envs, Kind.VECTOR, **options)


def check_algorithm(algorithm: Any, **options: Unpack[Options]) -> CheckReport:
    """Run all checks of an `Algorithm`; see `check_kind` for the options.

    `check_agent(lambda: AlgorithmAgent(algorithm, {}))` checks the agent that runs `algorithm`.
    """
    return check_kind(algorithm, Kind.ALGORITHM, **options)


def check_users(behaviour: Any, **options: Unpack[Options]) -> CheckReport:
    """Run all checks of a `Behaviour` of users; see `check_kind` for the options."""
    return check_kind(behaviour, Kind.BEHAVIOUR, **options)


def check_schedule(schedule: Any, **options: Unpack[Options]) -> CheckReport:
    """Run all checks of a `Schedule` of rho_t; see `check_kind` for the options."""
    return check_kind(schedule, Kind.SCHEDULE, **options)


def check_reward_law(law: Any, **options: Unpack[Options]) -> CheckReport:
    """Run all checks of a law of rewards; see `check_kind` for the options."""
    return check_kind(law, Kind.REWARD_LAW, **options)


# Cases of pytest

#: The reasons, or a function that returns them for a subject.
Expected = Reasons | Callable[[Any], Reasons]


def parametrize_with_checks(
    subjects: Sequence[Any], *, expected_failed_checks: Expected | None = None, seed: int = 0
) -> "pytest.MarkDecorator":
    """Return a pytest mark that runs a test once for every check of every subject.

    ```python
    @parametrize_with_checks([MyAgent])
    def test_it_is_an_agent(subject, check):
        check(subject)
    ```

    A check that is expected to fail is a strict xfail. A check that does not apply is skipped.

    Args:
        subjects: objects that `subjects_of` accepts.
        expected_failed_checks: a dict {name of a check that should fail: reason}, or a function
            that returns such a dict for an element of `subjects`.
        seed: the seed of the users with whom the checks run.

    Raises:
        InvalidArgumentError: for an invalid subject, or an unknown check name.
    """
    import pytest

    expected = expected_failed_checks or {}
    results = [(thing, subject) for thing in subjects for subject in subjects_of(thing, seed=seed)]
    every = [check for _, subject in results for check in checks_of(subject.kind)]
    cases = []
    for thing, subject in results:
        reasons = expected(thing) if callable(expected) else expected
        checking.known_names("expected_failed_checks", reasons, every)
        for check in checks_of(subject.kind):
            marks = [
                pytest.mark.xfail(strict=True, raises=FailedCheckError, reason=reasons[name])
                for name in {check.name} & {*reasons}
            ]
            label = f"{subject.name}-{check.name}"
            cases.append(pytest.param(subject, check, marks=marks, id=label))
    return pytest.mark.parametrize(("subject", "check"), cases)
