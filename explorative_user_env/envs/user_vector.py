"""`ExplorativeUser-v0`, many users in step: Gymnasium's vector environment."""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from explorative_user_env.envs.asked import AskedUsers, metadata_of_many
from explorative_user_env.envs.lane_kinds import is_worth_compiling, new_lanes, streams_of
from explorative_user_env.envs.lane_users import LaneUsers
from explorative_user_env.envs.lanes import Lanes, Step
from explorative_user_env.envs.reset_options import law_of
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.envs.vector_form import (
    Infos,
    autoreset_mode_of,
    final,
    infos_of,
    lane_arms,
    lane_mask,
    lane_options,
    lane_seeds,
    no_arms,
    number_of_lanes,
    time_limit,
)
from explorative_user_env.protocol import Array
from explorative_user_env.users.instances import InstanceLaw
from explorative_user_env.validation import flag


class ExplorativeUserVectorEnv(AskedUsers):
    """Many users at once: lane b is the single environment with lane b's seed, step for step.

    Infos have the form of Gymnasium's own vector environments: an array for each key of the single
    environment's info, and a mask `_key` of the lanes that have it. With
    `AutoresetMode.SAME_STEP` a finished lane's last observation and info are in `final_obs` and
    `final_info`.

    `reset(seed=s)` gives lane b the seed s + b, as Gymnasium's own do: so s and s + 1 share all
    users but one. Replicates that share none take a list of seeds, from `seeding.training_seeds`
    or `seeding.user_seeds`.

    Users in compiled code are compiled for at the first reset, for some ten seconds if no earlier
    start kept what that makes. A line on a terminal or in a notebook says so;
    `logging.getLogger("explorative_user_env").setLevel("WARNING")` turns it off.

    Args:
        num_envs: number of users, at least 1.
        max_episode_steps: steps after which a lane is truncated, at least 1; None or, as for
            `gym.make`, -1 is never.
        autoreset_mode: when a finished lane gets a new user: at the "NextStep" (in place of it),
            at the "SameStep", or never by itself, "Disabled".
        compiled: whether the users run in compiled code, to the same result; None is where it is
            worth loading the compiler, from 64 users on, and there is one. Users of another
            `behaviour` than the explorative never do.
        **kwargs: as in `ExplorativeUserEnv`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
        MissingExtraError: at the first reset, if `compiled` is True and numba is not installed.
    """

    single_env: type[ExplorativeUserEnv] = ExplorativeUserEnv
    """What each lane equals."""

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        compiled: bool | None = None,
        **kwargs: Any,
    ) -> None:
        self._single = self.single_env(**kwargs)
        self.num_envs = number_of_lanes(num_envs, self._single.user.n_arms)
        self.max_episode_steps = time_limit(max_episode_steps)
        self.autoreset_mode = autoreset_mode_of(autoreset_mode)
        self._asked = None if compiled is None else flag("compiled", compiled)
        self.compiled = is_worth_compiling(self.num_envs) if compiled is None else self._asked
        self.render_mode = self._single.render_mode
        self.metadata = metadata_of_many(self._single, self.autoreset_mode)
        self.single_action_space = self._single.action_space
        self.single_observation_space = self._single.observation_space
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._lanes: Lanes | None = None
        self._users = LaneUsers(self.num_envs)
        self._begun = np.zeros(self.num_envs, bool)
        self._ready = self._any_done = False
        self._done, self._left = (np.zeros(self.num_envs, bool) for _ in range(2))
        self._observations = np.zeros(self.num_envs, int)
        self._all = np.arange(self.num_envs)
        self._heard = self._single.kept_as(self.num_envs, self.user.n_arms)
        self._ended = self._single.kept_as(0, self.user.n_arms)
        self._remembers = self.render_mode is not None
        self._pictured = self._single.pictured(self.num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, Infos]:
        """Start with new users.

        Args:
            seed: seeds of the lanes; an int s means s, s + 1, ..., nearly the users of s + 1 (see
                above), and None goes on with a lane's own stream.
            options: `{"means": K finite numbers}` for these episodes of all lanes, and
                `{"reset_mask": array of num_envs bools}`, which lanes to reset.

        Raises:
            InvalidArgumentError: for a seed or an option that is out of range.
        """
        seeds = lane_seeds(seed, self.num_envs)
        rest = lane_options(options)
        mask = lane_mask(rest.pop("reset_mask", None), self.num_envs)
        law = law_of(rest, self._single.instance_law)
        lanes = np.flatnonzero(mask)
        self._reseed(seeds, lanes)
        self._begin(lanes, law)
        self._done &= ~mask
        self._any_done = bool(self._done.any())
        self._observations[lanes] = 0
        step, none = Step.blank(self.num_envs), np.zeros(self.num_envs, bool)
        return self._observations.copy(), self._infos(step, none, mask)

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, Infos]:
        """Recommend arm `actions[b]` in lane b and hear the responses.

        Args:
            actions: an arm for each lane, shape (num_envs,), any kind of integer.

        Returns:
            The responses, rewards, terminations (of users who left), truncations and infos. In
            `NEXT_STEP` mode a lane that ended in the step before is reset instead.

        Raises:
            InvalidArgumentError: for actions that are not arms.
            gymnasium.error.ResetNeeded: before the first reset, or for a finished lane that is not
                reset by itself.
        """
        arms = lane_arms(actions, self.num_envs, self.user.n_arms)
        fresh = self._fresh()
        heard = None if fresh is None else ~fresh
        step = self._recommend(arms, heard)
        self._renew(fresh)
        truncated = np.zeros(self.num_envs, bool)
        if self.max_episode_steps is not None:
            truncated = step.interactions >= self.max_episode_steps
        return self._outcome(step, heard, step.left, truncated)

    def _reseed(self, seeds: list[int | None], lanes: Array) -> None:
        """Give the lanes their seeds; those without one go on, or begin at random."""
        if self._lanes is None:
            meant = set(lanes.tolist())
            given = [seed if lane in meant else None for lane, seed in enumerate(seeds)]
            rngs, begun_with = streams_of(given)
            for lane, seed in enumerate(begun_with):
                self._users.reseed(lane, seed)
            who, horizon = self._users.who, self._single.stays(self.max_episode_steps)
            self._lanes = new_lanes(self._single, rngs, self._asked, who, horizon)
            self.compiled = self._lanes.compiled
            return
        for lane in lanes.tolist():
            if seeds[lane] is not None:
                (rng,), (seed,) = streams_of([seeds[lane]])
                self._users.reseed(lane, seed)
                self._lanes.reseed(lane, rng)

    def _begin(self, lanes: Array, law: InstanceLaw) -> None:
        assert self._lanes is not None
        self._begun[lanes] = self._ready = False  # if this fails, they need a reset
        self._users.begin(lanes, law is not self._single.instance_law)
        self._lanes.begin(lanes, law)
        self._begun[lanes], self._left[lanes] = True, False
        self._ready = bool(self._begun.all())
        self._forget(lanes)

    def _recommend(self, arms: Array, heard: Array | None) -> Step:
        """Recommend arms in the lanes that are heard (None: all) and return what comes of it."""
        assert self._lanes is not None
        lanes = None if heard is None else np.flatnonzero(heard)
        step = Step.of(self.num_envs, filled=lanes is None)
        if not self._lanes.respond(lanes, arms, step):
            raise no_arms(arms, self.num_envs, self.user.n_arms)
        if self._single.behaviour.leaves is not None:
            self._left |= step.left
        if self._remembers:
            self._take_in(self._all if lanes is None else lanes, arms, step.responses)
        return step

    def _renew(self, fresh: Array | None) -> None:
        if fresh is not None:
            self._begin(np.flatnonzero(fresh), self._single.instance_law)

    def _infos(self, step: Step, has_response: Array | None, mask: Array | None = None) -> Infos:
        """Return the infos of the lanes in the mask (None: all), as `infos_of` has them."""
        return infos_of(step, has_response, mask, self._truths(mask))

    def _outcome(
        self, step: Step, heard: Array | None, terminated: Array, truncated: Array
    ) -> tuple[Array, Array, Array, Array, Infos]:
        """Return what a step returns."""
        infos = self._infos(step, heard)
        self._done = terminated | truncated
        self._any_done = bool(np.count_nonzero(self._done))
        self._observations = step.responses
        if self._any_done and self.autoreset_mode == AutoresetMode.SAME_STEP:
            infos = final(self._done, step.responses, infos) | self._restarted(self._done, step)
        return self._observations.copy(), step.rewards, terminated, truncated, infos

    def _fresh(self) -> Array | None:
        """Return which lanes get a new user in this step, None if no lane does."""
        if not self._ready:
            raise gym.error.ResetNeeded("call reset before step")
        if not self._any_done or self.autoreset_mode == AutoresetMode.SAME_STEP:
            return None
        if self.autoreset_mode == AutoresetMode.DISABLED:
            lanes = np.flatnonzero(self._done).tolist()
            raise gym.error.ResetNeeded(f"reset the finished lanes {lanes} before step")
        return self._done

    def _restarted(self, finished: Array, step: Step) -> Infos:
        """Put new users in these lanes and return the infos of all."""
        lanes = np.flatnonzero(finished)
        if self._remembers:
            self._ended = self._heard.part(lanes)
        self._begin(lanes, self._single.instance_law)
        again = Step(*(np.where(finished, 0, values) for values in step))
        self._observations = again.responses
        return self._infos(again, ~finished)

    def _truths(self, mask: Array | None) -> Array | None:
        """Return the hidden states of the lanes in the mask (None: all), where infos have them."""
        if self._single.info_level != "full":
            return None
        assert self._lanes is not None
        truths = np.full(self.num_envs, None, dtype=object)
        for lane in (self._all if mask is None else np.flatnonzero(mask)).tolist():
            truths[lane] = self._lanes.hidden_state(lane)  # at once NumPy would take them apart
        return truths
