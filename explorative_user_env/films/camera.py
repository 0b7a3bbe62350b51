"""A run that is watched: at each step what was seen, what was true, and what the agent thought.

Nothing is played by rules of its own here: whoever runs users and agents is handed an environment
and an agent that do what these do, and pass on what happened.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from explorative_user_env.envs.pictures import Truths, seen_in_lane
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.explanations import Explained, explanation_of
from explorative_user_env.protocol import Agent, cap_of, name_of, needs_horizon, sees_rewards
from explorative_user_env.rendering.words import Seen
from explorative_user_env.users.hidden_state import HiddenState


class Moment(NamedTuple):
    """A step of a run; the first is before any.

    Attributes:
        seen: what the system has seen by then.
        decided: the truth when she decided, None before the first step.
        hidden: the truth after the step.
        said: what the agent says of itself after the step.
    """

    seen: Seen
    decided: HiddenState | None
    hidden: HiddenState
    said: Mapping[str, Explained]


Hear = Callable[[Moment], None]
Again = Callable[[gym.Env[Any, Any], Agent], Any]
"""What lets an agent meet the user of an environment, as it did before."""


def shoot(env: ExplorativeUserEnv, agent: Agent, again: Again, hear: Hear) -> Any:
    """Let an agent meet a user by `again`, and hand every moment to `hear`.

    Args:
        env: her environment.
        agent: the agent.
        again: runs them; called with an environment and an agent that do what these do.
        hear: called with each moment, the first before any step.

    Returns:
        What `again` returns.

    Raises:
        CallableError: if the agent says of itself what cannot be shown.
    """
    camera = _Camera(env, agent, hear)
    returned = again(_FilmedEnv(env, camera), _FilmedAgent(agent, camera))
    camera.pass_on()
    return returned


class _Camera:
    """Keeps a step until the agent has thought about it."""

    def __init__(self, env: ExplorativeUserEnv, agent: Agent, hear: Hear) -> None:
        self.env, self.agent, self.hear = env, agent, hear
        self.history = env.remember()
        self.truths, self.waiting = Truths(1), False

    def begin(self) -> None:
        """Note who she is, before any step."""
        self.truths.begin([0], lambda _: self.env.hidden_state())
        self.waiting = True

    def step(self) -> None:
        """Note what a step has changed."""
        self.truths.go_on([0], lambda _: self.env.hidden_state())
        self.waiting = True

    def pass_on(self) -> None:
        """Tell of the last step, if that was not done: the agent has had its time."""
        now = self.truths.now[0]
        if self.waiting and now is not None:
            self.waiting = False
            said = explanation_of(self.agent, self.env.user.n_arms)
            self.hear(Moment(seen_in_lane(self.history, 0), self.truths.decided[0], now, said))


class _FilmedEnv(gym.Wrapper[int, int, int, int]):
    def __init__(self, env: ExplorativeUserEnv, camera: _Camera) -> None:
        super().__init__(env)
        self._camera = camera

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        returned = self.env.reset(seed=seed, options=options)
        self._camera.begin()
        return returned

    def step(self, action: int) -> tuple[int, Any, bool, bool, dict[str, Any]]:
        self._camera.pass_on()
        returned = self.env.step(action)
        self._camera.step()
        return returned


class _FilmedAgent(Agent):
    """An agent as it is to whoever runs it."""

    def __init__(self, agent: Agent, camera: _Camera) -> None:
        self._agent, self._camera = agent, camera
        self.name, self.max_steps = name_of(agent), cap_of(agent)
        self.needs_horizon, self.sees_rewards = needs_horizon(agent), sees_rewards(agent)

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self._agent.reset(n_arms, rng, horizon)

    def act(self) -> int | None:
        self._camera.pass_on()
        return self._agent.act()

    def observe(self, arm: int, accepted: bool) -> None:
        self._agent.observe(arm, accepted)

    def learn(self, arm: int, reward: float) -> None:
        self._agent.learn(arm, reward)  # type: ignore[attr-defined]

    def answer(self) -> int:
        self._camera.pass_on()
        return self._agent.answer()
