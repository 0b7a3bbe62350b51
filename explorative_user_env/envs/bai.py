"""`ExplorativeUserBAI-v0`: best-arm identification, as a single and a vector environment."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv

from explorative_user_env.envs.history import HAS_LEFT
from explorative_user_env.envs.lanes import Step
from explorative_user_env.envs.user import ExplorativeUserEnv, Infos, as_action, labelled
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv, Stepped, lane_arms
from explorative_user_env.protocol import BAI, STEP_COST, Array
from explorative_user_env.validation import choice, integer, not_negative

MASKS = ("rejections", "rejections or end", "none")
#: The value of `info["answer"]` while there is no answer.
NO_ANSWER = -1

#: The rewards of answers; an end without an answer pays `WRONG`.
RIGHT, WRONG = 1.0, -1.0


def may_answer(n_last_rejected: Any, n_arms: int, mask: str, steps_left: Any) -> Any:
    """Return whether the agent may answer now (name the best arm).

    Args:
        n_last_rejected: the number of arms whose latest response is a rejection.
        n_arms: K.
        mask: one of `MASKS`.
        steps_left: the number of recommendations until the horizon.
    """
    legal = n_last_rejected >= (0 if mask == "none" else n_arms - 1)
    return legal | (steps_left <= 1) if mask == "rejections or end" else legal


def masks(legal: Array, n_arms: int) -> Array:
    """Return the mask of legal actions, shape (n_lanes, 2 K); lane b may answer if `legal[b]`."""
    allowed = np.ones((len(legal), 2 * n_arms), bool)
    allowed[:, n_arms:] = legal[:, np.newaxis]
    return allowed


def status_line(env: Any, lane: int, answer: int, correct: bool, left: bool) -> str:
    """Return the note below the picture of a lane: the answer, or whether an answer is legal."""
    history, n_arms = env.remember(), env.user.n_arms
    rejected = int(history.last_rejected()[lane])
    if left:
        return f"{HAS_LEFT}, without an answer"
    if answer != NO_ANSWER:
        return f"answer: arm {answer}, {'right' if correct else 'wrong'}"
    if history.steps[lane] >= env.horizon:
        return "horizon reached, without an answer"
    if may_answer(rejected, n_arms, env.mask, env.horizon - history.steps[lane]):
        return "an answer is legal"
    return f"an answer needs {n_arms - 1} arms whose last response is a rejection, has {rejected}"


def outcome(info: dict[str, Any], answer: Any, correct: Any, left: Any) -> dict[str, Any]:
    """Return entries for Gymnasium's dict `info`: the answer and the end of the episode.

    Args:
        info: the counts of responses.
        answer: the answered arm, or `NO_ANSWER`.
        correct: whether the answer is the best arm.
        left: whether the user has left.
    """
    interactions = info["interactions"]
    return {
        "is_success": correct,
        "answer": answer,
        "stopping_time": interactions,
        "rejection_rate": info["rejections"] / (interactions + (interactions == 0)),
        "left": left,
    }


class ExplorativeUserBAIEnv(ExplorativeUserEnv, gym.Env[int, int]):
    r"""Recommend arms to an explorative user, then stop and name her best arm.

    A policy without memory cannot learn from the observation, which is one response. To train such
    a policy, use `ExplorativeUserBAICounts-v0`.

    ## Description
    Best-arm identification (section 3 of the paper) as an episode: answer correctly after as few
    recommendations as possible. The user is that of `ExplorativeUser-v0`; equal seeds give equal
    users.

    ## Action Space
    `Discrete(2 * n_arms)`: action i in 0..K-1 recommends arm i, action K + i answers arm i and ends
    the episode.

    `action_masks()` returns the legal actions, in the form that sb3-contrib's MaskablePPO takes.
    Recommendations are always legal. With `mask="rejections"` answers are legal if the latest
    response of at least K - 1 arms is a rejection. Without this mask a policy gradient usually
    collapses to guessing: its first random answers mostly earn -1. With `mask="none"` all actions
    are legal. The mask is only advice: the environment accepts an answer that the mask excludes.

    ## Observation Space
    `Discrete(2)`: the response, 1 accepted and 0 rejected. After a reset or an answer there is no
    response: the observation is 0 and `info["has_response"]` is False.

    ## Rewards
    Each recommendation earns -`step_cost` (-c), the right answer +1, and a wrong answer -1. An
    episode that ends without an answer also gets -1. So the return of an episode is 1 - c T with
    the right answer and -1 - c T otherwise, and the expected return of an agent is
    1 - c E[T] - 2 P(error).

    An agent that answers at once gets 2/K - 1 on average, so finding the arm pays only if
    1 - c T > 2/K - 1: **c must be below c\* = 2 (1 - 1/K) / T**, where T is the number of
    recommendations that finding the arm takes. Above c\* guessing is optimal, and every good
    learner guesses. BAIR's T at delta = .1 is about 400 at K = 2 (c\* = .0025) and 550 at K = 5
    (.0029). The default .0005 is well below c\* for K <= 5. Lower it for larger K.

    ## Starting State
    An episode starts as in `ExplorativeUser-v0`.

    ## Episode End
    `terminated` is True after an answer, when the user leaves, and at the `horizon`-th
    recommendation. The horizon is part of the task, not a truncation: a learner must not bootstrap
    from the last state.

    An answer is a step of its own, without cost. So an episode with an answer has T + 1 steps (the
    length that monitors count) and a `stopping_time` of T. An episode that ends at the horizon has
    T steps.

    ## Information
    Every info has `has_response`, `interactions`, `acceptances`, `rejections`, `is_success` (which
    Stable-Baselines3 logs; False before the end), `answer` (the answered arm, or -1),
    `stopping_time` (the number of recommendations so far), `rejection_rate` (the share of rejected
    recommendations) and `left` (whether the user has left).

    ## Arguments
    - `n_arms` (5): K, in 2..1000000.
    - `step_cost` (0.0005): c, at least 0.
    - `horizon` (2000): largest number of recommendations in an episode, at least 1. If it were
      1000, BAIR at K = 5 would reach the horizon with one user in twenty.
    - `mask` ("rejections"): the rule of legal answers, "rejections" or "none"; or "rejections or
      end", which also allows answers when the next recommendation would reach the horizon.
    - `gap`, `alpha`, `setting`, `means`, `rho`, `noise`, `reward_law`, `behaviour`, `info_level`,
      `render_mode` and `render_intervals` are as in `ExplorativeUser-v0`. Pictures also show
      whether an answer is legal, and the answer.

    ```python
    >>> import gymnasium as gym
    >>> import explorative_user_env
    >>> env = gym.make("ExplorativeUserBAI-v0", n_arms=3)
    >>> observation, info = env.reset(seed=7)
    >>> observation, reward, terminated, truncated, info = env.step(3 + 1)  # "arm 1 is the best"
    >>> terminated, info["answer"], info["stopping_time"]
    (True, 1, 0)

    ```

    ## References
    Yao, Li, Nekipelov, Wang, Xu: Learning the Optimal Recommendation from Explorative Users,
    AAAI 2022.

    ## Version History
    * v0: initial version
    """

    _answer, _correct = NO_ANSWER, False

    def __init__(
        self,
        arms: int | None = None,
        /,
        *,
        step_cost: float = STEP_COST,
        horizon: int = BAI.horizon,
        mask: str = "rejections",
        **kwargs: Any,
    ) -> None:
        super().__init__(arms, reward="none", **kwargs)
        self.step_cost = not_negative("step_cost", step_cost)
        self.horizon = self.length = integer("horizon", horizon, 1)
        self.mask = choice("mask", mask, MASKS)
        self.action_space = spaces.Discrete(2 * self.user.n_arms)
        labelled(self.observation_space, task=BAI.name, horizon=self.horizon, mask=self.mask)
        self._last_rejected = [False] * self.user.n_arms

    def step(self, action: int) -> tuple[Any, float, bool, bool, Infos]:
        """Recommend arm `action`, or answer arm `action - n_arms`.

        Args:
            action: an int, any NumPy integer or an array of size 1, in 0..2K-1.

        Returns:
            The response, the reward, whether the episode is over, `truncated` (always False), and
            the info.

        Raises:
            InvalidArgumentError: if the action is out of range.
            gymnasium.error.ResetNeeded: before the first reset and after the end.
        """
        if self._active is None:
            raise gym.error.ResetNeeded("call reset before step")
        n_arms = self.user.n_arms
        action = as_action(action, 2 * n_arms)
        if action >= n_arms:
            self._answer, self._active = self._arm_of(action - n_arms), None
            self._correct = self._answer == self.instance().best_arm
            self._show()
            reward = RIGHT if self._correct else WRONG
            return self._observation(), reward, True, False, self._info(False)
        arm, acceptances = self._arm_of(action), self._state.acceptances[0]
        observation, _, left, _, info = super().step(action)
        self._last_rejected[arm] = info["acceptances"] == acceptances
        ends, reward = left or info["interactions"] == self.horizon, -self.step_cost
        if ends:
            self._active = None
            reward += WRONG
        info |= outcome(info, self._answer, self._correct, self._left)
        return observation, reward, ends, False, info

    def action_masks(self) -> Array:
        """Return the legal actions, shape (2 K,), bool."""
        left = self.horizon - self._state.interactions[0]
        legal = may_answer(sum(self._last_rejected), self.user.n_arms, self.mask, left)
        mask: Array = masks(np.array([legal]), self.user.n_arms)[0]
        return mask

    def _begin(self, start: Any) -> None:
        self._answer, self._correct = NO_ANSWER, False
        self._last_rejected = [False] * self.user.n_arms
        super()._begin(start)

    def _note(self, lane: int) -> str:
        return status_line(self, lane, self._answer, self._correct, self._left)

    def _info(self, has_response: bool) -> dict[str, Any]:
        """Return the info, with the same keys at every step."""
        info = super()._info(has_response)
        return info | outcome(info, self._answer, self._correct, self._left)


class ExplorativeUserBAIVectorEnv(ExplorativeUserVectorEnv, VectorEnv[Array, Array, Array]):
    """Best-arm identification with many users in parallel.

    Each lane gives the results of the single environment with the same seed. Seeds and infos are as
    in `ExplorativeUserVectorEnv`: `reset(seed=s)` gives lane b the seed s + b.

    Args:
        num_envs: number of users, at least 1.
        max_episode_steps: as in `ExplorativeUserVectorEnv`; the default None never truncates.
        autoreset_mode: when a finished lane gets a new user: "NextStep", "SameStep" or "Disabled".
        compiled: whether the users run in compiled code; None is True from 64 users on.
        **kwargs: arguments of `ExplorativeUserBAIEnv`.

    Raises:
        InvalidArgumentError: if an argument is out of range.
    """

    single_env = ExplorativeUserBAIEnv
    _single: ExplorativeUserBAIEnv

    def _set_up(self) -> None:
        single = self._single
        self.step_cost, self.horizon, self.mask = single.step_cost, single.horizon, single.mask
        # Of each lane: the steps and acceptances so far, and whether each arm was rejected last.
        self._steps, self._accepted = np.zeros((2, self.num_envs), int)
        self._last_rejected = np.zeros((self.num_envs, self.user.n_arms), bool)
        self._answers = np.full(self.num_envs, NO_ANSWER)
        self._correct = np.zeros(self.num_envs, bool)

    def step(self, actions: Any) -> Stepped:
        """Recommend arm `actions[b]` in lane b, or answer arm `actions[b] - n_arms` there.

        Args:
            actions: an action in 0..2K-1 for each lane, shape (num_envs,), of any integer type.

        Returns:
            The responses, rewards, terminations, truncations and infos, as in
            `ExplorativeUserVectorEnv.step`.

        Raises:
            InvalidArgumentError: if an action is out of range.
            gymnasium.error.ResetNeeded: before the first reset, or if a lane is finished and the
                autoreset mode is "Disabled".
        """
        n_arms = self.user.n_arms
        chosen = lane_arms(actions, self.num_envs, 2 * n_arms, in_range=True)
        fresh = self._fresh()
        answering = chosen >= n_arms
        recommending = ~answering
        if fresh is not None:
            answering &= ~fresh
            recommending &= ~fresh
            self._begin(np.flatnonzero(fresh))
        everyone = bool(recommending.all())
        arms = chosen if everyone else np.where(chosen < n_arms, chosen, 0)
        step = self._recommend(arms, None if everyone else recommending)
        step.rewards.fill(-self.step_cost)
        if everyone:
            self._last_rejected[self._all, arms] = step.responses == 0
        else:
            moved = np.flatnonzero(recommending)
            self._last_rejected[moved, arms[moved]] = step.responses[moved] == 0
            step.interactions[:] = np.where(recommending, step.interactions, self._steps)
            step.acceptances[:] = np.where(recommending, step.acceptances, self._accepted)
            step.rewards[~recommending] = 0.0
        self._steps, self._accepted = step.interactions.copy(), step.acceptances.copy()

        unanswered = recommending & (step.interactions >= self.horizon) | step.left
        step.rewards[unanswered] += WRONG
        lanes = np.flatnonzero(answering)
        if lanes.size:
            self._answers[lanes] = chosen[lanes] - n_arms
            self._correct[lanes] = self._answers[lanes] == self._lanes.best_arms(lanes)
            step.rewards[lanes] = np.where(self._correct[lanes], RIGHT, WRONG)
        steps = step.interactions + answering
        return self._outcome(step, recommending, answering | unanswered, steps)

    def action_masks(self) -> Array:
        """Return the legal actions, shape (num_envs, 2 K), bool."""
        n_arms = self.user.n_arms
        rejected, left = self._last_rejected.sum(axis=1), self.horizon - self._steps
        return masks(may_answer(rejected, n_arms, self.mask, left), n_arms)

    def _draw_users(self, lanes: Array, start: Any) -> None:
        super()._draw_users(lanes, start)
        self._answers[lanes], self._correct[lanes] = NO_ANSWER, False
        self._steps[lanes] = self._accepted[lanes] = 0
        self._last_rejected[lanes] = False

    def _note(self, lane: int) -> str:
        ends = int(self._answers[lane]), bool(self._correct[lane]), bool(self._left[lane])
        return status_line(self, lane, *ends)

    def _values(self, step: Step, has_response: Array) -> dict[str, Array]:
        """Return each entry of `info` as an array over lanes, with the same keys at every step."""
        values = super()._values(step, has_response)
        ends = (self._answers.copy(), self._correct.copy(), self._left.copy())
        return values | outcome(values, *ends)
