"""The meeting of agents and users: an environment for an agent, and the next user."""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from explorative_user_env.envs.population import ExplorativePopulationEnv
from explorative_user_env.envs.registration import MAX_EPISODE_STEPS
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.protocol import Agent, ManyUserAgent, sees_rewards
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError


def population_in(env: gym.Env[Any, Any]) -> Population | None:
    """Return the users of an environment; None if it is not one of this package.

    Raises:
        InvalidArgumentError: if one user comes after another, whom a run does not tell apart.
    """
    if isinstance(env.unwrapped, ExplorativePopulationEnv):
        allowed = 'one of one user: evaluate(task="population") meets one after another'
        raise InvalidArgumentError("env", env, allowed)
    users = getattr(env.unwrapped, "population", None)
    return users if isinstance(users, Population) else None


def environment_of(
    population: Population, agent: Agent, reward: str = "none", horizon: int | None = None
) -> ExplorativeUserEnv:
    """Return an environment without a time limit.

    Args:
        population: its users.
        agent: the agent that meets them; one that sees realized rewards is paid these.
        reward: the reward for all other agents, which do not see it.
        horizon: the steps by which a user who leaves pays; None is the default.
    """
    paid = "realized" if sees_rewards(agent) else reward
    steps = MAX_EPISODE_STEPS if horizon is None else horizon
    return ExplorativeUserEnv(population=population, reward=paid, horizon=steps)


def begin_next(
    agent: Agent, n_arms: int, rng: np.random.Generator, horizon: int | None = None
) -> None:
    """Let `agent` begin with the next user; see `Agent.next_user`.

    Args:
        agent: an agent that has met a user.
        n_arms: K, as for `Agent.reset`.
        rng: the agent's stream, which goes on.
        horizon: as for `Agent.reset`.
    """
    method = begins_next_by(agent)
    if method == "reset":
        agent.reset(n_arms, rng, horizon)
    else:
        getattr(agent, method)()


def begins_next_by(agent: Agent) -> str:
    """Return the name of the method by which `agent` begins with the next user."""
    # An agent that derives from `OneUserAtATime` may have the second only.
    methods = ("next_user", "next_user_all")
    return next((name for name in methods if getattr(agent, name, None) is not None), "reset")


def begin_next_all(
    agent: ManyUserAgent,
    n_arms: int,
    rngs: Sequence[np.random.Generator],
    horizon: int | None = None,
) -> None:
    """Let `agent` begin with the next users; see `begin_next`."""
    following: Callable[[], None] | None = getattr(agent, "next_user_all", None)
    if following is None:
        agent.reset_all(n_arms, rngs, horizon)
    else:
        following()
