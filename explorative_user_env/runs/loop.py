"""The readable loop: one environment, one agent, and a record of every step."""

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym

from explorative_user_env.agents import informed
from explorative_user_env.envs.meeting import population_in
from explorative_user_env.envs.user import as_action
from explorative_user_env.protocol import (
    DELTA,
    STEP_CAP,
    Agent,
    cap_of,
    in_use,
    name_of,
    needs_horizon,
    sees_rewards,
)
from explorative_user_env.runs.episodes import Episode
from explorative_user_env.runs.moments import Rerun, rerun_in
from explorative_user_env.seeding import agent_generator, seed_number
from explorative_user_env.validation import CallableError, InvalidArgumentError, flag, integer, risk


def rollout(
    env: gym.Env[Any, Any],
    agent: Agent | str,
    seed: int,
    max_steps: int | None = None,
    horizon: int | None = None,
    commits: bool = False,
    delta: float = DELTA,
    on_step: Callable[[], None] | None = None,
) -> Episode:
    """Let `agent` meet the user with this `seed`, step by step.

    The agent's stream follows from the seed and its name, and its open options from the
    environment's users, as in `evaluate`: so the seed alone repeats the run.

    Args:
        env: an `ExplorativeUser-v0`, made or raw.
        agent: anything with reset / act / observe / answer, or the name of one of the package's.
        seed: the user's seed, at least 0.
        max_steps: cut the run off after this many steps; None is the agent's own cap, or else a
            million. The environment's time limit cuts it off too, and warns if nobody asked for
            that: give `gym.make` a `max_episode_steps` of -1, or take `env.unwrapped`.
        horizon: number of steps that the agent is told; None is the environment's time limit, if
            any, for an agent that needs a horizon or a run that commits.
        commits: whether an agent that stops goes on with its answer until the run is cut off, at
            the horizon unless there is a cap.
        delta: of an agent without its own, in (0, 1).
        on_step: called at the start and after each step, once the agent has taken it in.

    Returns:
        The record of the run.

    Raises:
        InvalidArgumentError: for a seed, cap or horizon out of range, an agent that another thread
            uses, or an environment that does not pay a reference agent the rewards it needs.
        CallableError: if the agent's code fails, or recommends or answers what is no arm.
    """
    n_arms = int(env.action_space.n)  # type: ignore[attr-defined]
    seed = seed_number(seed)
    flag("commits", commits)
    agent = informed(agent, population_in(env), risk("delta", delta))
    cap, horizon = _limits(env, agent, max_steps, horizon, commits)
    run = _Run(env, agent, n_arms, seed, _learning(agent, env), on_step)
    rng = agent_generator(seed, name_of(agent))
    who = f"the user of seed {seed}: rollout(env, agent, seed={seed}) meets her again"
    with _told(run, who), in_use(agent):
        run.begin("reset", lambda: agent.reset(n_arms, rng, horizon))
        run.go_on(cap, commits)
    if run.cut_by_limit:
        warnings.warn(
            f"the environment's time limit cut the run of {name_of(agent)} off after "
            f"{len(run.arms)} steps; give gym.make max_episode_steps=-1, or max_steps here",
            stacklevel=2,
        )
    how: dict[str, Any] = {"seed": seed, "horizon": horizon, "commits": commits}
    how["max_steps"] = max(1, len(run.arms))  # whatever ended the run, it ended after so many
    return run.episode(rerun_in(env, agent, delta, functools.partial(rollout, **how)))


def play_with_member(
    env: gym.Env[Any, Any],
    agent: Agent,
    seed: int,
    horizon: int,
    begin: tuple[str, Callable[[], None]],
    who: str,
) -> Episode:
    """Let `agent` meet one of the users who come one after another, over the whole horizon.

    Args:
        env: the user's environment, without a time limit.
        agent: the agent.
        seed: the user's seed.
        horizon: the number of steps; an agent that stops goes on with its answer.
        begin: the name of the agent's method that starts with her, and a function that calls it.
        who: the user, in words.

    Raises:
        CallableError: if the agent's code fails, or recommends or answers what is no arm.
    """
    n_arms = int(env.action_space.n)  # type: ignore[attr-defined]
    run = _Run(env, agent, n_arms, seed, _learning(agent, env))
    with _told(run, who):
        run.begin(*begin)
        run.go_on(horizon, commits=True)
    return run.episode(None)


@contextmanager
def _told(run: "_Run", who: str) -> Iterator[None]:
    """Say of an error in the block which code failed, at which step and with which user."""
    try:
        yield
    except Exception as error:
        if not run.begun and type(error) is InvalidArgumentError:
            raise  # an argument of the run, not code that was handed in
        told = CallableError.of(run.doing, error, f"{run.when}, with {who}")
        raise told from (error.__cause__ if isinstance(error, CallableError) else error)


@dataclass
class _Run:
    """A run as it goes on."""

    env: gym.Env[Any, Any]
    agent: Agent
    n_arms: int
    seed: int
    learn: Callable[[int, float], None] | None
    on_step: Callable[[], None] | None = None
    arms: list[int] = field(default_factory=list)
    responses: list[bool] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    answer: int = -1
    censored: bool = False
    left: bool = False  # whether the user left
    doing: str = ""  # the code that runs now
    begun: bool = False
    cut_by_limit: bool = False  # by the environment's time limit, which the caller may not know

    def begin(self, by: str, begin_agent: Callable[[], None]) -> None:
        """Start with a new user; `by` is the agent's method that `begin_agent` calls."""
        self.doing = "reset of the environment"
        self.env.reset(seed=self.seed)
        self.doing = f"{by} of {name_of(self.agent)}"
        begin_agent()
        self.begun = True

    def go_on(self, cap: int, commits: bool) -> None:
        """Make recommendations until the agent stops or the run is cut off."""
        env, agent, learn, n_arms = self.env, self.agent, self.learn, self.n_arms
        name, arms, on_step = name_of(agent), self.arms, self.on_step
        act, observe, step = f"act of {name}", f"observe of {name}", "step of the environment"
        committed: int | None = None
        truncated = False
        if on_step is not None:
            on_step()
        while not self.left:
            self.doing = act
            arm = agent.act() if committed is None else committed
            if arm is None and commits:
                committed = arm = self.asked()
            if arm is None or truncated or len(arms) == cap:
                break
            if type(arm) is not int or not 0 <= arm < n_arms:
                arm = _as_arm(f"arm of {name}", arm, n_arms)
            self.doing = step
            observation, reward, self.left, truncated, _ = env.step(arm)
            self.doing = observe
            if committed is None:
                agent.observe(arm, bool(observation))
                if learn is not None and observation:
                    learn(arm, float(reward))
            arms.append(arm)
            self.responses.append(bool(observation))
            self.rewards.append(float(reward))
            if on_step is not None:
                on_step()
        self.answer = self.asked() if committed is None else committed
        self.censored = arm is not None and committed is None and not self.left
        self.cut_by_limit = self.censored and truncated and not commits and len(arms) < cap

    @property
    def when(self) -> str:
        """The step of the run, in words."""
        if not self.begun:
            return "at the start"
        return "at the end" if self.doing.startswith("answer") else f"at step {len(self.arms) + 1}"

    def asked(self) -> int:
        """Return the agent's answer."""
        self.doing = f"answer of {name_of(self.agent)}"
        return _as_arm(self.doing, self.agent.answer(), self.n_arms)

    def episode(self, rerun: Rerun | None) -> Episode:
        """Return the record of the run."""
        return Episode(
            agent=name_of(self.agent),
            seed=self.seed,
            arms=tuple(self.arms),
            accepted=tuple(self.responses),
            rewards=tuple(self.rewards),
            answer=self.answer,
            censored=self.censored,
            left=bool(self.left),
            rerun=rerun,
        )


def _as_arm(what: str, arm: Any, n_arms: int) -> int:
    """Return an arm as an int; it may be any integer or an array of one."""
    try:
        return as_action(arm, n_arms)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(what, arm, f"an arm in 0..{n_arms - 1}") from error


def _limits(
    env: gym.Env[Any, Any], agent: Agent, max_steps: int | None, horizon: int | None, commits: bool
) -> tuple[int, int | None]:
    """Return the step cap, and the horizon that the agent is told, if any."""
    if horizon is not None:
        horizon = integer("horizon", horizon, 1)
    limit = getattr(env.spec, "max_episode_steps", None)
    if commits and max_steps is None:
        max_steps = horizon  # no run over a horizon stops before
    cap = cap_of(agent) if max_steps is None else max_steps
    if cap is None and commits and limit is None:
        raise InvalidArgumentError("max_steps", None, "given, as a run that commits has no end")
    if horizon is None and (commits or needs_horizon(agent)):
        horizon = limit
    return integer("max_steps", STEP_CAP if cap is None else cap, 1), horizon


def _learning(agent: Agent, env: gym.Env[Any, Any]) -> Callable[[int, float], None] | None:
    """Return the function that tells a reference agent the realized rewards; None for others."""
    if not sees_rewards(agent):
        return None
    reward = getattr(env.unwrapped, "reward", None)
    if reward != "realized":
        name = f"reward of the environment of {name_of(agent)}"
        raise InvalidArgumentError(name, reward, '"realized", which it is there to see')
    learn: Callable[[int, float], None] = agent.learn  # type: ignore[attr-defined]
    return learn
