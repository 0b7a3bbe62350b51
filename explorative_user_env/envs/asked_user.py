"""What can be asked of a user, besides what her steps return: her truth, and how she looks."""

from typing import Any

import gymnasium as gym

from explorative_user_env.envs.history import History
from explorative_user_env.envs.pictures import (
    HAS_LEFT,
    PICTURES,
    RENDER_FPS,
    RENDER_MODES,
    Truths,
    lane_frame,
)
from explorative_user_env.population import Population
from explorative_user_env.protocol import ONLY, Array
from explorative_user_env.rendering.window import Window
from explorative_user_env.users.failures import met
from explorative_user_env.users.hidden_state import HiddenState, hidden_state_of
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.state import UserState
from explorative_user_env.validation import choice, flag


class AskedUser(gym.Env[int, int]):
    """A user whose responses, truth and picture can be asked for.

    The part of `ExplorativeUserEnv` that changes nothing about her.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - declared so by gym.Env
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }
    kept_as: type[History] = History
    """How what is heard of her is kept."""

    population: Population
    _state: UserState
    _instance: Instance | None
    _left: bool
    _has_extras: bool
    _later = -1  # how many resets without a seed came after the one with the last
    _given = False  # whether the means of this episode were

    def _prepare(self, render_mode: str | None, render_intervals: bool) -> None:
        """Check how she is to be rendered, and keep what that needs."""
        self.render_mode = (
            None if render_mode is None else choice("render_mode", render_mode, RENDER_MODES)
        )
        self.render_intervals = flag("render_intervals", render_intervals)
        self._heard: History | None = None
        self._pictured = self.pictured(1)
        self._window = Window()
        if self.render_mode is not None:
            self.remember()

    def pictured(self, n_lanes: int) -> Truths | None:
        """Return what pictures need to be kept of users like her, None if that is nothing."""
        shows = self.render_intervals and self.render_mode in PICTURES
        return Truths(n_lanes) if shows else None

    def remember(self) -> History:
        """Return what was heard of each arm, kept from the next reset on: nothing secret."""
        if self._heard is None:
            self._heard = self.kept_as(1, self.population.user.n_arms)
            self._has_extras = True
        return self._heard

    def hidden_state(self) -> HiddenState:
        """Return the truth about the user; for teachers and tests, never for an agent."""
        population, state = self.population, self._state
        known = (population.user, state, population.schedule.rule, self.instance())
        return hidden_state_of(*known, population.behaviour.rho)

    def instance(self) -> Instance:
        """Return the true means and the best arm as they are now; never for an agent."""
        if self._instance is None:
            raise gym.error.ResetNeeded("call reset before the truth about a user is asked for")
        return self.population.behaviour.truth(self._instance, self._state.means)

    def render(self) -> Any:
        """Return what `render_mode` shows of the user; with "human", show it in a window.

        Raises:
            MissingExtraError: without Pillow for pixels, or pygame for a window.
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            return None
        if self._instance is None:
            raise gym.error.ResetNeeded("call reset before render")
        frame = self._frame(self.render_mode)
        if self.render_mode != "human" or isinstance(frame, str):
            return frame
        self._window.show(frame, self.metadata["render_fps"])
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()

    def __repr__(self) -> str:
        # Gymnasium has words for `print` only: in a notebook there would be an address in memory.
        return str(self)

    def _repr_html_(self) -> str:
        """Return her picture now, for notebooks."""
        from explorative_user_env.display.html import paragraphs

        if self._heard is None:
            missing = 'make it with render_mode="svg" to see the user here'
        elif self._instance is None:
            missing = "call reset to see the user here"
        else:
            return str(self._frame("svg"))
        return paragraphs([f"{type(self).__name__}: {missing}"])

    def _frame(self, mode: str) -> str | Array:
        truth = self.hidden_state if self.render_intervals else None
        return lane_frame(mode, self.remember(), 0, truth, self._pictured, self._note())

    def _met(self) -> str:
        """Return in words the user who is there."""
        return met(self.np_random_seed, self._later, self._given)

    def _note(self) -> str:
        """Return a line for her picture."""
        return HAS_LEFT if self._left else ""

    def _begin_picture(self) -> None:
        """Forget the last user, of whom pictures were to be had."""
        if self._heard is not None:
            self._forget(self._heard)
            if self._pictured is not None:
                self._pictured.begin([0], lambda _: self.hidden_state())
            self._show()

    def _forget(self, heard: History) -> None:
        """Begin with a new user, of whom nothing was heard."""
        heard.forget(ONLY)

    def _take_in(self, arm: int, accepted: bool) -> None:
        """Take in a response, of which there is to be a picture."""
        if self._heard is not None:
            self._heard.record(0, arm, int(accepted))
            if self._pictured is not None:
                self._pictured.go_on([0], lambda _: self.hidden_state())
            self._show()

    def _show(self) -> None:
        """Show what has changed to somebody who watches; nothing is drawn for anybody else."""
        if self.render_mode == "human":
            self.render()
