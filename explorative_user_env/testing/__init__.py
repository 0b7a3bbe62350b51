"""Whether agents, environments and users keep what this package relies on: checks for all.

The checks are those that the package asks of its own. `check_agent(MyAgent)` and its like run all
of them and print a table, `parametrize_with_checks([MyAgent])` makes each a case of a test for
pytest, and `explorative-user check my_package:MyAgent` is the same on a command line.
"""

from explorative_user_env.testing.catalogue import CHECKS, checks_of
from explorative_user_env.testing.checks import (
    CheckReport,
    FailedCheckError,
    Kind,
    NamedCheck,
    NotAskedError,
    Outcome,
    Subject,
)
from explorative_user_env.testing.parametrize import parametrize_with_checks
from explorative_user_env.testing.run import (
    check_agent,
    check_algorithm,
    check_environment,
    check_reward_law,
    check_schedule,
    check_users,
    check_vector_environment,
)
from explorative_user_env.testing.secrets import Secrets
from explorative_user_env.testing.subjects import subject_of, subjects_of

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
