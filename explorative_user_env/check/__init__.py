"""Whether agents, environments and users keep what this package relies on: checks for all.

The checks are those that the package asks of its own. `check_agent(MyAgent)` and its like run all
of them and print a table, `parametrize_with_checks([MyAgent])` makes each a case of a test for
pytest, and `explorative-user check my_package:MyAgent` is the same on a command line.
"""

from explorative_user_env.check.catalogue import (
    CHECKS,
    check_agent,
    check_algorithm,
    check_environment,
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
    "check_reward_law",
    "check_schedule",
    "check_users",
    "check_vector_environment",
    "checks_of",
    "parametrize_with_checks",
    "subject_of",
    "subjects_of",
]
