"""Observations for RL: what a policy needs to remember of a user, for the single environments.

The same by the same names for many users in step are in `explorative_user_env.wrappers.vector`.
"""

from explorative_user_env.wrappers.single import (
    CountsObservation,
    LastStepObservation,
    PopulationCountsObservation,
    SortedArms,
)

__all__ = [
    "CountsObservation",
    "LastStepObservation",
    "PopulationCountsObservation",
    "SortedArms",
]
