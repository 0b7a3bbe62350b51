"""The readable loop: one environment, one agent, and a record of every step."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from explorative_user_env.protocol import Agent, cap_of, name_of, sees_rewards
from explorative_user_env.seeding import agent_generator
from explorative_user_env.validation import InvalidArgumentError, integer


@dataclass(frozen=True, repr=False)
class Episode:
    """What happened between an agent and a user.

    Attributes:
        agent: the agent's name.
        seed: the user's seed; `rollout(env, agent, seed=seed)` does it all again.
        arms: the recommended arm of each step.
        accepted: the response of each step.
        rewards: the environment's reward of each step, which the agent did not see.
        answer: the arm the agent names as the best.
        censored: whether the run was cut off before the agent stopped.
    """

    agent: str
    seed: int
    arms: tuple[int, ...]
    accepted: tuple[bool, ...]
    rewards: tuple[float, ...]
    answer: int
    censored: bool

    @property
    def stopping_time(self) -> int:
        """The number of recommendations."""
        return len(self.arms)

    @property
    def acceptances(self) -> int:
        """The number of accepted recommendations, n(t)."""
        return sum(self.accepted)

    @property
    def rejections(self) -> int:
        """The number of rejected recommendations."""
        return len(self.accepted) - sum(self.accepted)

    def __repr__(self) -> str:
        names = ("agent", "seed", "stopping_time", "acceptances", "answer", "censored")
        return f"Episode({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


def rollout(
    env: gym.Env[Any, Any],
    agent: Agent,
    seed: int,
    max_steps: int | None = None,
    horizon: int | None = None,
    commits: bool = False,
) -> Episode:
    """Let `agent` meet the user with this `seed`, step by step.

    The agent's own stream follows from the seed and its name, so the seed alone repeats the run.

    Args:
        env: an `ExplorativeUser-v0`, made or raw.
        agent: anything with reset / act / observe / answer.
        seed: the user's seed, at least 0.
        max_steps: cut the run off after this many steps; None is the agent's own cap, if any. The
            environment's time limit cuts it off too.
        horizon: number of steps the agent is told of; None is the environment's time limit, if any.
        commits: whether an agent that stops goes on with its answer until the run is cut off.

    Returns:
        The record of the run.

    Raises:
        InvalidArgumentError: for a seed, cap or horizon out of range, an answer that is no arm, or
            an environment that does not give an agent the rewards that it is there to see.
    """
    n_arms = int(env.action_space.n)  # type: ignore[attr-defined]
    seed = integer("seed", seed, 0)
    cap, horizon = _limits(env, agent, max_steps, horizon)
    if commits and horizon is None and cap is None:
        raise InvalidArgumentError("max_steps", None, "given, as a run that commits has no end")
    learn = _learning(agent, env)
    arms: list[int] = []
    responses: list[bool] = []
    rewards: list[float] = []
    committed: int | None = None

    env.reset(seed=seed)
    agent.reset(n_arms, agent_generator(seed, name_of(agent)), horizon)
    truncated = False
    while True:
        arm = agent.act() if committed is None else committed
        if arm is None and commits:
            committed = arm = _answer(agent, n_arms)
        if arm is None or truncated or len(arms) == cap:
            break
        observation, reward, _, truncated, _ = env.step(arm)
        if committed is None:
            agent.observe(arm, bool(observation))
            if learn is not None and observation:
                learn(arm, float(reward))
        arms.append(int(arm))
        responses.append(bool(observation))
        rewards.append(float(reward))
    return Episode(
        agent=name_of(agent),
        seed=seed,
        arms=tuple(arms),
        accepted=tuple(responses),
        rewards=tuple(rewards),
        answer=_answer(agent, n_arms) if committed is None else committed,
        censored=arm is not None and committed is None,
    )


def _limits(
    env: gym.Env[Any, Any], agent: Agent, max_steps: int | None, horizon: int | None
) -> tuple[int | None, int | None]:
    """Return the step cap and the horizon that the agent is told of; None for none."""
    cap = cap_of(agent) if max_steps is None else max_steps
    if cap is not None:
        cap = integer("max_steps", cap, 1)
    if horizon is None:
        return cap, getattr(env.spec, "max_episode_steps", None)
    return cap, integer("horizon", horizon, 1)


def _answer(agent: Agent, n_arms: int) -> int:
    answer = agent.answer()
    try:
        return integer("answer", answer, 0, n_arms - 1)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(
            f"answer of {name_of(agent)}", answer, f"an arm in 0..{n_arms - 1}"
        ) from error


def _learning(agent: Agent, env: gym.Env[Any, Any]) -> Callable[[int, float], None] | None:
    """Return what tells a reference agent the realized rewards, None for all others."""
    if not sees_rewards(agent):
        return None
    reward = getattr(env.unwrapped, "reward", None)
    if reward != "realized":
        name = f"reward of the environment of {name_of(agent)}"
        raise InvalidArgumentError(name, reward, '"realized", which it is there to see')
    learn: Callable[[int, float], None] = agent.learn  # type: ignore[attr-defined]
    return learn
