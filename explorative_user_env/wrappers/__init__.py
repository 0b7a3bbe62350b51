"""Observations for RL: what a policy needs to remember of a user, for the single environments.

`explorative_user_env.wrappers.vector` has the same names for many users in step.
"""

from explorative_user_env.wrappers.single import (
    CountsObservation,
    LastStepObservation,
    PopulationCountsObservation,
    SortedArms,
)

__all__ = ["CountsObservation", "LastStepObservation", "PopulationCountsObservation", "SortedArms"]
