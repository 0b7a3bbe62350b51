"""`ExplorativeUserBAI-v0`, many users in step."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from explorative_user_env.envs import bai
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.envs.lanes import Step
from explorative_user_env.envs.user_vector import (
    ExplorativeUserVectorEnv,
    Infos,
    lane_actions,
    shown_in,
    stacked,
)
from explorative_user_env.protocol import Array
from explorative_user_env.users.instances import InstanceLaw


class ExplorativeUserBAIVectorEnv(ExplorativeUserVectorEnv):
    """Many users whose best arms are to be named; lane b is lane b of single ones.

    Seeds and infos are as in `ExplorativeUserVectorEnv`: `reset(seed=s)` is s + b in lane b.

    Args:
        num_envs: number of users, at least 1.
        max_episode_steps: as in `ExplorativeUserVectorEnv`; None, as the task ends by itself.
        autoreset_mode: when a finished lane gets a new user: "NextStep", "SameStep" or "Disabled".
        compiled: whether the users run in compiled code; None is from 64 users on.
        **kwargs: as in `ExplorativeUserBAIEnv`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """

    single_env = ExplorativeUserBAIEnv

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        compiled: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_envs, max_episode_steps, autoreset_mode, compiled, **kwargs)
        assert isinstance(self._single, ExplorativeUserBAIEnv)
        self.step_cost, self.horizon = self._single.step_cost, self._single.horizon
        self.mask = self._single.mask
        self._remembers = True
        self._answers = np.full(self.num_envs, bai.NO_ANSWER)
        self._correct = np.zeros(self.num_envs, bool)

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, Infos]:
        """Recommend arm a in a lane, or answer arm a - n_arms there.

        Args:
            actions: an action in 0..2K-1 for each lane, shape (num_envs,), any kind of integer.

        Returns:
            The responses, rewards, terminations, truncations and infos. In `NEXT_STEP` mode a lane
            that ended in the step before is reset instead.

        Raises:
            InvalidArgumentError: for actions out of range.
            gymnasium.error.ResetNeeded: before the first reset, or for a finished lane that is not
                reset by itself.
        """
        n_arms = self.user.n_arms
        chosen = lane_actions(actions, self.num_envs, 2 * n_arms)
        fresh = self._fresh()
        answering = chosen >= n_arms
        recommending = ~answering
        if fresh is not None:
            answering &= ~fresh
            recommending &= ~fresh
        self._renew(fresh)
        step = self._recommended(np.where(chosen < n_arms, chosen, 0), recommending)

        out_of_time = recommending & (step.interactions >= self.horizon)
        unanswered = out_of_time | step.left
        terminated = answering | unanswered
        truncated = np.zeros(self.num_envs, bool)
        if self.max_episode_steps is not None:
            truncated = step.interactions + answering >= self.max_episode_steps
        step.rewards[:] = np.where(recommending, -self.step_cost, 0.0)
        step.rewards[unanswered] += bai.WRONG
        lanes = np.flatnonzero(answering)
        if lanes.size:
            self._answer(lanes, chosen[lanes] - n_arms)
            step.rewards[lanes] = np.where(self._correct[lanes], bai.RIGHT, bai.WRONG)
        return self._outcome(step, recommending, terminated, truncated)

    def action_masks(self) -> Array:
        """Return which actions are legal, shape (num_envs, 2 K), bool."""
        n_arms = self.user.n_arms
        return bai.masks(bai.may_answer(self._heard.last_rejected(), n_arms, self.mask), n_arms)

    def _recommended(self, arms: Array, recommending: Array) -> Step:
        """Return what comes of the recommendations; counts are there in the other lanes as well."""
        step = self._recommend(arms, None if recommending.all() else recommending)
        if not recommending.all():
            step.interactions[:] = self._heard.steps
            step.acceptances[:] = self._heard.acceptances.sum(axis=1)
            step.rejections[:] = self._heard.rejections.sum(axis=1)
        return step

    def _begin(self, lanes: Array, law: InstanceLaw) -> None:
        super()._begin(lanes, law)
        self._answers[lanes], self._correct[lanes] = bai.NO_ANSWER, False

    def _answer(self, lanes: Array, answers: Array) -> None:
        assert self._lanes is not None
        self._answers[lanes] = answers
        self._correct[lanes] = answers == self._lanes.best_arms(lanes)

    def _note(self, lane: int) -> str:
        n_arms, heard = self.user.n_arms, self._heard
        rejected = int(heard.last_rejected()[lane])
        ended = int(self._answers[lane]), bool(self._correct[lane]), bool(self._left[lane])
        return bai.how_far(rejected, n_arms, self.mask, heard.steps[lane] < self.horizon, *ended)

    def _infos(self, step: Step, has_response: Array | None, mask: Array | None = None) -> Infos:
        """Return the infos of a user and what she would say of an end, the same at every step."""
        counts = step.interactions, step.rejections
        told = bai.outcome(self._answers, self._correct, *counts, self._left)
        return super()._infos(step, has_response, mask) | stacked(shown_in(told, mask), mask)
