"""The suite: a dozen frozen tasks on which agents have scores that can be put side by side.

In every task UNI has 0 and a stated reference 1, with the same users for everybody.
"""

from explorative_user_env.studies.suite.asked import SuiteTask
from explorative_user_env.studies.suite.entrants import (
    ModelsByTask,
    entrant_of,
    taking_part,
    training_name,
)
from explorative_user_env.studies.suite.rankings import rankings_of
from explorative_user_env.studies.suite.records import (
    SUITE,
    SUITE_VERSION,
    SuiteRun,
    suite_digest,
    tasks_named,
)
from explorative_user_env.studies.suite.results import SuiteResults
from explorative_user_env.studies.suite.run import kept_suite, load_suite, run_suite, who

__all__ = [
    "SUITE",
    "SUITE_VERSION",
    "ModelsByTask",
    "SuiteResults",
    "SuiteRun",
    "SuiteTask",
    "entrant_of",
    "kept_suite",
    "load_suite",
    "rankings_of",
    "run_suite",
    "suite_digest",
    "taking_part",
    "tasks_named",
    "training_name",
    "who",
]
