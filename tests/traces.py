"""Runs of BAIR made by hand, and users whose runs are rarely seen, for tests of the monitors."""

import explorative_user_env as eu
from explorative_user_env.evaluation.monitors import CLAIMS, Trace
from explorative_user_env.users.instances import Instance

TWO = Instance((1.0, 0.0), 0)

RESTLESS = {"n_arms": 3, "gap": 0.1, "alpha": 1e-3}
"""Users who are so hard to please that Phase 1 has complete rounds, which are rare otherwise."""


def environment(**arguments):
    return eu.ExplorativeUserEnv(**arguments, reward="none")


def trace_of(steps, **start):
    """A hand-made run: (part, arm, accepted, hat mu after, n_i after) of every step; Gamma is 1."""
    given = {"instance": TWO, "estimates": [0.0, 0.0], "counts": [0, 0]} | start
    return Trace(**given, gammas=[1.0] * (len(steps) + 1), steps=steps)


def broken(check):
    return {claim.name for claim in CLAIMS if getattr(check, f"{claim.name}_broken")}
