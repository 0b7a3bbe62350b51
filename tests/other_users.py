"""Users of every kind, for tests that treat them alike."""

import numpy as np

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.users import model as rules
from explorative_user_env.users.behaviours import (
    EXPLORATIVE,
    Behaviour,
    drifting,
    forgetful,
    impatient,
    logistic,
    omniscient,
    varied,
)

KINDS = (EXPLORATIVE, omniscient(0.1), forgetful(9), drifting(0.05), logistic(0.3), varied(3, 0.1))
LEAVERS = (impatient(0.3, 4), impatient(0.0, 3))


def low_means(n_arms, rng):
    return 0.6 * rng.random(n_arms)


def started(seed=0, **options):
    env = ExplorativeUserEnv(**{"n_arms": 4, "reward": "realized"} | options)
    env.reset(seed=seed)
    return env


def random_arms(steps, n_arms=4, seed=0):
    return np.random.default_rng(seed).integers(n_arms, size=steps).tolist()


def agreeable(user, state, rule, arm, rng):
    state.memory[1] += 1.0
    return rules.respond(user, state, rule, arm, rng, state.memory[1] <= state.memory[0])


def forget_count(user, state, rng):
    rules.start(user, state, rng)
    state.memory[1] = 0.0


AGREEABLE = Behaviour("agreeable", forget_count, agreeable, parameters=(7.0,), memory=1)
"""She accepts whatever it is for a number of times."""
