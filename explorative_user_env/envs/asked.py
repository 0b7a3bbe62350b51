"""What can be asked of users in step, besides what their steps return."""

import copy

import gymnasium as gym
import numpy as np
from gymnasium.vector import VectorEnv

from explorative_user_env.envs.history import History
from explorative_user_env.envs.lane_users import LaneUsers
from explorative_user_env.envs.lanes import Lanes
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.protocol import Array
from explorative_user_env.rendering.text import text_of_user
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.state import User


class AskedUsers(VectorEnv[Array, Array, Array]):
    """Users in step whose streams, responses and truths can be asked for.

    The part of `ExplorativeUserVectorEnv` that changes nothing about the users.
    """

    _single: ExplorativeUserEnv
    _lanes: Lanes | None
    _users: LaneUsers
    _ready: bool
    _observations: Array
    _heard: History
    _ended: History
    _remembers: bool

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The streams of the lanes."""
        return tuple(self._lanes.rngs) if self._lanes else ()

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seeds the streams of the lanes began with."""
        return tuple(self._users.seeds)

    @property
    def responses(self) -> Array:
        """What the last step or reset observed in each lane, not to be written to."""
        return self._observations

    @property
    def user(self) -> User:
        """The numbers of every user."""
        return self._single.user

    def single(self) -> ExplorativeUserEnv:
        """Return a new single environment of the kind that each lane equals."""
        return copy.deepcopy(self._single)

    def remember(self) -> History:
        """Return what is heard of each arm, from a lane's next reset on: nothing secret."""
        self._remembers = True
        return self._heard

    @property
    def ended(self) -> History:
        """What was heard of the users whom `SAME_STEP` replaced last, if it is remembered."""
        return self._ended

    def hidden_states(self) -> tuple[HiddenState, ...]:
        """Return the truth about every user; for teachers and tests, never for an agent."""
        lanes = self._begun_lanes("hidden_states")
        return tuple(lanes.hidden_state(lane) for lane in range(self.num_envs))

    def instances(self) -> tuple[Instance, ...]:
        """Return the true means and best arms as they are now; never for an agent."""
        return self._begun_lanes("instances").instances()

    def render(self) -> tuple[str, ...] | None:
        """Return each lane's arms with their responses as text, if `render_mode` is "ansi"."""
        if self.render_mode is None:
            return None
        lanes, shown = self._begun_lanes("render"), self._single.render_intervals
        return tuple(
            text_of_user(*self._heard.of(lane), lanes.hidden_state(lane) if shown else None)
            for lane in range(self.num_envs)
        )

    def _begun_lanes(self, what: str) -> Lanes:
        if self._lanes is None or not self._ready:
            raise gym.error.ResetNeeded(f"call reset before {what}")
        return self._lanes
