"""Checks of agents, environments and users: the same for the package's and for yours.

`check_agent(MyAgent)` and the like run all checks and return a table,
`parametrize_with_checks([MyAgent])` makes each of them a case of a test for pytest, and
`explorative-user check my_package:MyAgent` runs them on a command line.
"""

from explorative_user_env.check.catalogue import (
    check_agent,
    check_algorithm,
    check_environment,
    check_kind,
    check_reward_law,
    check_schedule,
    check_users,
    check_vector_environment,
    checks_of,
    parametrize_with_checks,
    subject_of,
    subjects_of,
)
from explorative_user_env.check.checks import (
    CHECKS,
    CheckReport,
    FailedCheckError,
    Kind,
    NamedCheck,
    NotAskedError,
    Outcome,
    Subject,
)
from explorative_user_env.check.secrets import Secrets

__all__ = [
    "CHECKS",
    "CheckReport",
    "FailedCheckError",
    "Kind",
    "NamedCheck",
    "NotAskedError",
    "Outcome",
    "Secrets",
    "Subject",
    "check_agent",
    "check_algorithm",
    "check_environment",
    "check_kind",
    "check_reward_law",
    "check_schedule",
    "check_users",
    "check_vector_environment",
    "checks_of",
    "parametrize_with_checks",
    "subject_of",
    "subjects_of",
]
