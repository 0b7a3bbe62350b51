"""What can be asked of users in step, besides what their steps return."""

import copy
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from explorative_user_env.envs.history import History
from explorative_user_env.envs.lane_users import LaneUsers
from explorative_user_env.envs.lanes import Lanes
from explorative_user_env.envs.pictures import HAS_LEFT, RENDER_MODES_OF_MANY, Truths, lane_frame
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.protocol import Array
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.state import User
from explorative_user_env.validation import choice


def metadata_of_many(single: ExplorativeUserEnv, mode: AutoresetMode) -> dict[str, Any]:
    """Return the metadata of users in step.

    Args:
        single: what each of them equals.
        mode: when they are replaced.

    Raises:
        InvalidArgumentError: if so many cannot be rendered as the single one is.
    """
    if single.render_mode is not None:
        choice("render_mode", single.render_mode, RENDER_MODES_OF_MANY)
    own = {"render_modes": list(RENDER_MODES_OF_MANY), "autoreset_mode": mode}
    return single.metadata | own


class AskedUsers(VectorEnv[Array, Array, Array]):
    """Users in step whose streams, responses and truths can be asked for.

    The part of `ExplorativeUserVectorEnv` that changes nothing about the users.
    """

    _single: ExplorativeUserEnv
    _lanes: Lanes | None
    _users: LaneUsers
    _ready: bool
    _observations: Array
    _left: Array
    _heard: History
    _ended: History
    _remembers: bool
    _pictured: Truths | None

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

    def render(self) -> tuple[str | Array, ...] | None:
        """Return what `render_mode` shows of each lane's user.

        Raises:
            MissingExtraError: without Pillow for pixels.
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            return None
        self._begun_lanes("render")
        return tuple(self._frame(lane) for lane in range(self.num_envs))

    def _frame(self, lane: int) -> str | Array:
        assert self._lanes is not None
        assert self.render_mode is not None
        truth = partial(self._lanes.hidden_state, lane) if self._single.render_intervals else None
        return lane_frame(
            self.render_mode, self._heard, lane, truth, self._pictured, self._note(lane)
        )

    def _note(self, lane: int) -> str:
        """Return a line for a lane's picture."""
        return HAS_LEFT if self._left[lane] else ""

    def _forget(self, lanes: Array) -> None:
        """Begin with new users in these lanes, of whom nothing was heard."""
        if self._remembers:
            self._heard.forget(lanes)
        self._begin_pictures(lanes)

    def _begin_pictures(self, lanes: Array) -> None:
        """Begin pictures of new users in these lanes."""
        assert self._lanes is not None
        if self._pictured is not None:
            self._pictured.begin(lanes.tolist(), self._lanes.hidden_state)

    def _take_in(self, lanes: Array, arms: Array, responses: Array) -> None:
        """Take in what was heard in these lanes, from the arms and responses of all."""
        assert self._lanes is not None
        self._heard.record(lanes, arms[lanes], responses[lanes])
        if self._pictured is not None:
            self._pictured.go_on(lanes.tolist(), self._lanes.hidden_state)

    def _begun_lanes(self, what: str) -> Lanes:
        if self._lanes is None or not self._ready:
            raise gym.error.ResetNeeded(f"call reset before {what}")
        return self._lanes
