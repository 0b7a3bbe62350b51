"""BAIR under observation: the run that `rollout` makes, and what the user knew at every step."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.agents.bair import ALGORITHM
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.meeting import informed, population_in
from explorative_user_env.tasks import DELTA
from explorative_user_env.theory import Order
from explorative_user_env.users.behaviour import EXPLORATIVE
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.state import User, UserState
from explorative_user_env.validation import InvalidArgumentError


@dataclass
class Trace:
    """What the monitor writes down of a run: one entry a step, but for the state at the start.

    Attributes:
        instance: the true means.
        estimates: hat mu_i before the first step.
        counts: n_i before the first step, private draws included.
        gammas: Gamma before the first step and after every step.
        parts: the part of BAIR (first sweep, rounds, elimination) that each step belongs to.
        arms: the recommended arm.
        accepted: the response.
        means: hat mu_i of the recommended arm after the step.
        numbers: n_i of the recommended arm after the step.
    """

    instance: Instance
    estimates: list[float]
    counts: list[int]
    gammas: list[float]
    parts: list[int] = field(default_factory=list)
    arms: list[int] = field(default_factory=list)
    accepted: list[bool] = field(default_factory=list)
    means: list[float] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)


class Given(NamedTuple):
    """What the bounds of a run rest on: the agent's numbers and the user's."""

    delta: float
    n1: float
    alpha: float
    rho_0: float
    rho_1: float
    order: Order


def is_bair(agent: Any) -> bool:
    """Whether an agent's runs can be checked: BAIR, and SE, which is BAIR with N_1 = 0."""
    # In another process the record is a copy, and its functions are the same.
    return isinstance(agent, AlgorithmAgent) and agent.algorithm.observe is ALGORITHM.observe


class Watch:
    """BAIR as it is, to its environment and to itself; what happens is written into `trace`."""

    trace: Trace

    def __init__(self, env: gym.Env[Any, Any], agent: AlgorithmAgent, delta: float = DELTA) -> None:
        if not is_bair(agent):
            raise InvalidArgumentError("agent", agent, "a BAIR, whose bounds are checked")
        self.user, self.state = inside(env)
        self._env: Any = env.unwrapped
        known = informed(agent, population_in(env), delta)
        assert isinstance(known, AlgorithmAgent)
        self.agent = known
        self.name = known.name
        self.max_steps = known.max_steps

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Start the agent and a new trace; the environment has been reset before."""
        self.agent.reset(n_arms, rng, horizon)
        params = self.agent.params(n_arms, horizon)
        delta = self.agent.options.get("delta")
        self.given = Given(
            delta=ALGORITHM.defaults["delta"] if delta is None else delta,
            n1=params.n1,
            alpha=self.user.alpha,
            rho_0=self.user.rho_0,
            rho_1=self.user.rho_1,
            order="round robin" if params.round_robin else "fewest acceptances",
        )
        self.trace = Trace(
            instance=self._env.hidden_state().instance,
            estimates=list(self.state.estimates),
            counts=list(self.state.counts),
            gammas=[self.state.spread[0] ** 2],
        )

    def act(self) -> int | None:
        """Return what the agent recommends."""
        return self.agent.act()

    def observe(self, arm: int, accepted: bool) -> None:
        """Hand the response on, and write down what the user now knows."""
        trace, state = self.trace, self.state
        trace.parts.append(part_of(self.agent))
        self.agent.observe(arm, accepted)
        trace.arms.append(arm)
        trace.accepted.append(accepted)
        trace.means.append(state.estimates[arm])
        trace.numbers.append(state.counts[arm])
        trace.gammas.append(state.spread[0] ** 2)

    def answer(self) -> int:
        """Return the agent's answer."""
        return self.agent.answer()


def inside(env: gym.Env[Any, Any]) -> tuple[User, UserState]:
    """Return the user in an environment and her state, which changes with every step.

    `hidden_state()` gives the same as a record to keep, at many times the cost.
    """
    core = env.unwrapped
    if not isinstance(core, ExplorativeUserEnv) or core.behaviour != EXPLORATIVE:
        raise InvalidArgumentError("env", env, "an ExplorativeUser-v0 with the paper's user")
    return core.user, core._state


def part_of(agent: AlgorithmAgent) -> int:
    """Return which part of BAIR its next recommendation belongs to."""
    return int(agent._state.part[0])
