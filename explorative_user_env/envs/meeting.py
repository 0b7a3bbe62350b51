"""Who meets whom: an agent that knows what it may of the users, and the environment of one."""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from explorative_user_env.agents import AlgorithmAgent, agent_named
from explorative_user_env.envs.population import ExplorativePopulationEnv
from explorative_user_env.envs.registration import MAX_EPISODE_STEPS
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.protocol import DELTA, STEP_CAP, Agent, ManyUserAgent, sees_rewards
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError


def informed(
    agent: Agent | str,
    population: Population | None,
    delta: float = DELTA,
    max_steps: int | None = None,
) -> Agent:
    """Return the agent, made if only named, with its open options filled in.

    This is the one place where they are: for `evaluate`, `rollout`, replayed and watched runs.

    Args:
        agent: an agent, or the name of one of the package's.
        population: the users, whose alpha, rho_0 and noise an option may rest on, and whose
            setting may say what it is; None fills in nothing.
        delta: of agents without one of their own.
        max_steps: a step cap for everyone; an agent's own may be smaller. None is the agent's own,
            or the setting's, or a million.

    Raises:
        InvalidArgumentError: for what is no agent.
    """
    if isinstance(agent, str):
        agent = agent_named(agent)
    if isinstance(agent, type) or not isinstance(agent, Agent):
        called = f"; call it: {agent.__name__}()" if hasattr(agent, "__name__") else ""
        if hasattr(agent, "predict") and hasattr(agent, "policy"):  # of Stable-Baselines3
            called = "; wrap a trained model: SB3Agent(model)"
        allowed = f"a name or have the methods reset, act, observe and answer{called}"
        raise InvalidArgumentError("agent", agent, allowed)
    if not isinstance(agent, AlgorithmAgent) or population is None:
        return agent
    user = population.user
    facts = {"delta": delta, "alpha": user.alpha, "rho_0": user.rho_0, "noise": user.noise}
    options = population.setting.agent_options(agent.algorithm.name, population.n_arms)
    return agent.informed({"max_steps": STEP_CAP} | facts | options, max_steps)


def population_in(env: gym.Env[Any, Any]) -> Population | None:
    """Return the users of an environment; None where it has none of this package.

    Raises:
        InvalidArgumentError: where one user comes after another, whom a run does not tell apart.
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
        agent: who will meet them; one that is there to see realized rewards is paid these.
        reward: what the environment pays all others, who do not see it.
        horizon: steps that a user would stay for who leaves; None is as many as usual.
    """
    paid = "realized" if sees_rewards(agent) else reward
    steps = MAX_EPISODE_STEPS if horizon is None else horizon
    return ExplorativeUserEnv(population=population, reward=paid, horizon=steps)


def begin_next(
    agent: Agent, n_arms: int, rng: np.random.Generator, horizon: int | None = None
) -> None:
    """Let `agent` begin with the user who comes after the last; see `Agent.next_user`.

    Args:
        agent: it has met a user before.
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
    """Return the name of the method by which `agent` begins with a user who is not the first."""
    # Of an agent of many users that derives from `OneUserAtATime` the one for all will do.
    methods = ("next_user", "next_user_all")
    return next((name for name in methods if getattr(agent, name, None) is not None), "reset")


def begin_next_all(
    agent: ManyUserAgent,
    n_arms: int,
    rngs: Sequence[np.random.Generator],
    horizon: int | None = None,
) -> None:
    """Let `agent` begin with the users who come after the last ones; see `begin_next`."""
    following: Callable[[], None] | None = getattr(agent, "next_user_all", None)
    if following is None:
        agent.reset_all(n_arms, rngs, horizon)
    else:
        following()
