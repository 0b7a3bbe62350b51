"""A policy, from observation to action, as an agent of the harness."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from explorative_user_env.envs import bai as bai_rules
from explorative_user_env.envs.history import History, PopulationHistory
from explorative_user_env.protocol import (
    BAI,
    N_USERS,
    POPULATION,
    STOP,
    Array,
    OneUserAtATime,
    Task,
    as_task,
    kept_steps,
)
from explorative_user_env.seeding import number_of_users
from explorative_user_env.validation import InvalidArgumentError, choice, flag
from explorative_user_env.wrappers.observations import observations_of, observed, scale_of


class PolicyAgent(OneUserAtATime):
    """A function from observation to action as an agent, on the same users as all others.

    It gets the observations of the environments' wrappers, by the same functions, for many users at
    once.

    Args:
        policy: called with an observation, returns an action: an arm or, under "sorted-counts", its
            rank; in the task "bai", K more than that to answer it.
        task: "regret", "bai" or "population".
        observation: "response", "counts", "sorted-counts" or "last-step", in
            "population" also "population-counts" or "sorted-population-counts".
        horizon: the steps that counts and time are scaled by; None is the task's, 500, 2000 or 300.
            In "bai" it is the agent's step cap.
        batched: whether the policy takes a row for each of many users and returns their actions.
        name: what tables and the random stream call the agent.
        n_users: in "population", the users of an episode that counts of all and its time are scaled
            by.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """

    def __init__(
        self,
        policy: Callable[[Any], Any] | None,
        *,
        task: Task | str = "regret",
        observation: str = "sorted-counts",
        horizon: int | None = None,
        batched: bool = False,
        name: str = "policy",
        n_users: int = N_USERS,
    ) -> None:
        self.task = as_task(task)
        self.observation = choice("observation", observation, observations_of(self.task))
        self.n_users = number_of_users(n_users, "n_users")
        self.horizon = self.task.horizon if horizon is None else kept_steps("horizon", horizon)
        self.name = name
        self.max_steps = self.horizon if self.task == BAI else None
        self.needs_horizon = self.task != BAI
        self._policy = policy
        self._batched = flag("batched", batched)

    def reset_all(
        self, n_arms: int, rngs: Sequence[np.random.Generator], horizon: int | None = None
    ) -> None:
        """Get ready for new users; see `ManyUserAgent.reset_all`."""
        self._n_arms = n_arms
        self._n_actions = 2 * n_arms if self.task == BAI else n_arms
        self._rngs = rngs
        kept_as = PopulationHistory if self.task == POPULATION else History
        self._history: History = kept_as(len(rngs), n_arms)
        self._scale = scale_of(self.observation, self.horizon, self.n_users)
        self._answers = np.full(len(rngs), bai_rules.NO_ANSWER)

    def next_user(self) -> None:
        """Go on with the user who comes after the last; see `Agent.next_user`."""
        self.next_user_all()

    def next_user_all(self) -> None:
        """Go on with the users who come after these; a policy for one user begins afresh."""
        if self.task == POPULATION:
            self._history.next_user(slice(None))
        else:
            self.reset_all(self._n_arms, self._rngs)

    def act_all(self, users: Array) -> Array:
        """Return the arm to recommend next to each of these users, or `STOP`."""
        observations, choosable = observed(
            self.observation, self._history, self._scale, self._n_actions
        )
        choices = self._choices(observations[users], users)
        actions = choosable[users, choices]
        answers = actions >= self._n_arms
        self._answers[users[answers]] = actions[answers] - self._n_arms
        return np.where(answers, STOP, actions)

    def observe_all(self, users: Array, arms: Array, accepted: Array) -> None:
        """Remember these users' responses."""
        self._history.record(users, arms, accepted.astype(int))

    def answer_all(self, users: Array) -> Array:
        """Return the arm that was answered, or else the most accepted (the first of tied ones)."""
        answers = self._answers[users]
        most_accepted = self._history.acceptances[users].argmax(axis=1)
        return np.where(answers == bai_rules.NO_ANSWER, most_accepted, answers)

    def _choices(self, observations: Array, users: Array) -> Array:
        """Return an action for each of these users, as the policy numbers them."""
        assert self._policy is not None
        choices = np.asarray(
            self._policy(observations)
            if self._batched
            else [self._policy(each) for each in observations]
        )
        fits = choices.shape == users.shape and choices.dtype.kind in "iu"
        if not fits or not 0 <= choices.min() <= choices.max() < self._n_actions:
            allowed = f"{users.size} integers in 0..{self._n_actions - 1}"
            raise InvalidArgumentError(f"actions of {self.name}", choices, allowed)
        return choices
