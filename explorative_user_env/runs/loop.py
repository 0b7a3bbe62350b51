"""The readable loop: one environment, one agent, and a record of every step."""

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym

from explorative_user_env.agents import informed
from explorative_user_env.envs.user import as_action, population_in
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
    seed = seed_number(seed)
    flag("commits", commits)
    agent = informed(agent, population_in(env), risk("delta", delta))
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
    cap = integer("max_steps", STEP_CAP if cap is None else cap, 1)
    run = Run(env, agent, seed, on_step)
    rng = agent_generator(seed, name_of(agent))
    who = f"the user of seed {seed}: rollout(env, agent, seed={seed}) meets her again"
    with in_use(agent):
        run.meet(who, "reset", lambda: agent.reset(run.n_arms, rng, horizon), cap, commits)
    if run.cut_by_limit:
        warnings.warn(
            f"the environment's time limit cut the run of {name_of(agent)} off after "
            f"{len(run.arms)} steps; give gym.make max_episode_steps=-1, or max_steps here",
            stacklevel=2,
        )
    how: dict[str, Any] = {"seed": seed, "horizon": horizon, "commits": commits}
    how["max_steps"] = max(1, len(run.arms))  # whatever ended the run, it ended after so many
    return run.episode(rerun_in(env, agent, delta, functools.partial(rollout, **how)))


@dataclass
class Run:
    """A run as it goes on: an environment, an agent and the record of every step."""

    env: gym.Env[Any, Any]
    agent: Agent
    seed: int
    on_step: Callable[[], None] | None = None
    arms: list[int] = field(default_factory=list)
    responses: list[bool] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    answer: int = -1
    censored: bool = False
    left: bool = False  # whether the user left
    doing: str = "reset of the environment"  # the code that runs now
    begun: bool = False
    cut_by_limit: bool = False  # by the environment's time limit, which the caller may not know

    def __post_init__(self) -> None:
        self.n_arms = int(self.env.action_space.n)  # type: ignore[attr-defined]
        self.learn: Callable[[int, float], None] | None = None
        if sees_rewards(self.agent):
            reward = getattr(self.env.unwrapped, "reward", None)
            if reward != "realized":
                name = f"reward of the environment of {name_of(self.agent)}"
                raise InvalidArgumentError(name, reward, '"realized", which it is there to see')
            self.learn = self.agent.learn  # type: ignore[attr-defined]

    def meet(self, who: str, by: str, begin: Callable[[], None], cap: int, commits: bool) -> None:
        """Let the agent meet the user.

        Args:
            who: the user, in words.
            by: the name of the agent's method that starts with her.
            begin: calls that method.
            cap: the most steps.
            commits: whether an agent that stops goes on with its answer.

        Raises:
            CallableError: naming the code that failed, the step and the user.
        """
        try:
            self.env.reset(seed=self.seed)
            self.doing = f"{by} of {name_of(self.agent)}"
            begin()
            self.begun = True
            self._go_on(cap, commits)
        except Exception as error:
            if not self.begun and type(error) is InvalidArgumentError:
                raise  # an argument of the run, not code that was handed in
            told = CallableError.of(self.doing, error, f"{self.when}, with {who}")
            raise told from (error.__cause__ if isinstance(error, CallableError) else error)

    def _go_on(self, cap: int, commits: bool) -> None:
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
