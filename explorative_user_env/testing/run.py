"""All checks of a subject at once: for a script, a notebook or a test."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from explorative_user_env.protocol import Algorithm
from explorative_user_env.testing.catalogue import checks_of
from explorative_user_env.testing.checks import (
    CheckReport,
    FailedCheckError,
    Kind,
    known_names,
    run_checks,
)
from explorative_user_env.testing.subjects import subject_of
from explorative_user_env.users.behaviour import Behaviour
from explorative_user_env.users.confidence import Schedule
from explorative_user_env.users.reward_laws import AnyRewardLaw

Reasons = Mapping[str, str]
"""By the names of checks that are known to fail, why."""


def check_agent(
    agent: Any,
    *,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask an agent all that this package asks of its own.

    Args:
        agent: a class, a function that makes one, an agent, or the name of one of the package's.
        expected_failed_checks: by the names of checks that are known to fail, why.
        raises: whether a failed check is an error, with the report as its message.
        seed: what the users of the checks follow from.

    Returns:
        What came of each check; printed, it is a table.

    Raises:
        FailedCheckError: if a check fails that is not expected to, or one does not that is.
        InvalidArgumentError: for what is no agent, or the name of no check.
    """
    return _report(agent, Kind.AGENT, expected_failed_checks, raises, seed)


def check_environment(
    env: Any,
    *,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask an environment of one user all that is asked of `ExplorativeUser-v0`; see `check_agent`.

    Args:
        env: a class, a function that makes one, an environment, or its id.
        expected_failed_checks: by the names of checks that are known to fail, why.
        raises: whether a failed check is an error.
        seed: what resets and actions follow from.
    """
    return _report(env, Kind.ENVIRONMENT, expected_failed_checks, raises, seed)


def check_vector_environment(
    envs: Any,
    *,
    alone: Callable[[], Any] | None = None,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask users in step all that is asked of `ExplorativeUserVectorEnv`; see `check_agent`.

    Args:
        envs: a class or function that takes `num_envs`, `max_episode_steps` and `autoreset_mode` as
            `ExplorativeUserVectorEnv` does, or nothing; a vector environment; or an id.
        alone: what makes the single environment that lane b with seed b equals; None is what an id
            or the package's own users say it is.
        expected_failed_checks: by the names of checks that are known to fail, why.
        raises: whether a failed check is an error.
        seed: what resets and actions follow from.
    """
    return _report(envs, Kind.VECTOR, expected_failed_checks, raises, seed, alone)


def check_algorithm(
    algorithm: Algorithm | Callable[[], Algorithm],
    *,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask an algorithm record all that is asked of the package's; see `check_agent`.

    `check_agent(lambda: AlgorithmAgent(algorithm, {}))` asks the rest of the agent it makes.
    """
    return _report(algorithm, Kind.ALGORITHM, expected_failed_checks, raises, seed)


def check_users(
    behaviour: Behaviour | Callable[[], Behaviour],
    *,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask a behaviour of users all that is asked of the package's; see `check_agent`."""
    return _report(behaviour, Kind.BEHAVIOUR, expected_failed_checks, raises, seed)


def check_schedule(
    schedule: Schedule | Callable[[], Schedule],
    *,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask a schedule of rho_t all that is asked of the package's; see `check_agent`."""
    return _report(schedule, Kind.SCHEDULE, expected_failed_checks, raises, seed)


def check_reward_law(
    law: AnyRewardLaw,
    *,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask a law of rewards all that is asked of the package's; see `check_agent`."""
    return _report(law, Kind.REWARD_LAW, expected_failed_checks, raises, seed)


def _report(
    thing: Any,
    kind: Kind,
    expected: Reasons | None,
    raises: bool,
    seed: int,
    alone: Callable[[], Any] | None = None,
) -> CheckReport:
    subject, checks = subject_of(thing, kind, seed), checks_of(kind)
    if alone is not None:
        subject = replace(subject, alone=alone)
    known_names("expected_failed_checks", expected or {}, checks)
    report = run_checks(subject, checks, expected or {})
    if raises and not report.passed:
        raise FailedCheckError(f"\n{report}")
    return report
