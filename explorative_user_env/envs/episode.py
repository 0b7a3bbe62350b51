"""What every step of one user's episode needs, made once when it begins."""

from collections.abc import Callable
from typing import Any

import numpy as np

from explorative_user_env.envs.normals import DrawnAhead
from explorative_user_env.envs.rewards import REWARDS, reward_tables
from explorative_user_env.population import Population
from explorative_user_env.users.behaviour import EXPLORATIVE
from explorative_user_env.users.confidence import Rule
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.reward_laws import GAUSSIAN
from explorative_user_env.users.state import User, UserState

Numbers = list[float]
Respond = Callable[..., bool]
Begun = tuple[User, UserState, Respond, Rule, Any, Numbers, Numbers, Numbers]
"""The user, how she responds, her stream and what is left of it, and what each arm is worth if it
is rejected and if it is accepted."""

STREAM = 4
"""The place of the stream in it."""


def begun(
    population: Population,
    state: UserState,
    instance: Instance,
    rng: np.random.Generator,
    reward: str,
) -> Begun:
    """Return what the steps of an episode with a new user need.

    Args:
        population: the users of whom she is one.
        state: hers.
        instance: her true means.
        rng: her stream.
        reward: one of `REWARDS`.
    """
    user, behaviour = population.user, population.behaviour
    stream: Any = rng
    left = [0.0]  # not empty
    only_normals = user.noise == 0.0 and user.reward_law == GAUSSIAN
    if only_normals and behaviour == EXPLORATIVE:
        # At most one in a step, and nothing else: they are drawn ahead.
        stream = DrawnAhead(rng)
        left = stream.left
    best_mean = instance.means[instance.best_arm]
    tables = reward_tables(REWARDS.index(reward), instance.means, best_mean)
    respond = behaviour.checked_respond()
    return user, state, respond, population.schedule.rule, stream, left, *tables
