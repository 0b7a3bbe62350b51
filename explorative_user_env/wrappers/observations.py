"""The observations of a policy, as functions of the history, and a policy as an agent.

The wrappers and `evaluate` use the same functions, so a model observes exactly the numbers that it
was trained on.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from explorative_user_env import protocol
from explorative_user_env.envs import history as histories
from explorative_user_env.envs.bai import NO_ANSWER
from explorative_user_env.envs.counts import N_FEATURES, Scale
from explorative_user_env.envs.history import LATEST, N_ACCEPTED, N_REJECTED, History
from explorative_user_env.protocol import BAI, POPULATION, Array, Task, stored_steps
from explorative_user_env.seeding import number_of_users
from explorative_user_env.validation import InvalidArgumentError, choice, flag

#: The names of observations: the response, each arm's counts, sorted counts, the last step.
OBSERVATIONS = ("response", "counts", "sorted-counts", "last-step")

SORTED_POPULATION = "sorted-population-counts"
#: Additional names in the task "population": counts of the present and of all earlier users.
POPULATION_OBSERVATIONS = ("population-counts", SORTED_POPULATION)


def counts(history: History, scale: Scale) -> Array:
    """Return the counts of each arm and the time, shape (n_lanes, 4 K + 1), float32.

    First come K acceptances, then K rejections, K latest responses (1, -1, or 0 for none) and K
    numbers of rejections since the last acceptance. Counts are on a log scale. The last number is
    the time.
    """
    n_lanes, n_arms, n_features = history.table.shape
    observation = np.empty((n_lanes, n_features * n_arms + 1), np.float32)
    arms = scale.count(history.table)
    arms[:, :, LATEST] = history.table[:, :, LATEST]
    observation[:, :-1] = arms.transpose(0, 2, 1).reshape(n_lanes, -1)
    observation[:, -1] = scale.time(history.steps)
    return observation


def population_counts(history: Any, scale: Any) -> Array:
    """Return the counts of the present and of earlier users, shape (n_lanes, 7 K + 2), float32.

    First come the 4 K counts of the present user, as in `counts`. Then come the counts of all
    earlier users: K acceptances and K rejections, on the log scale of the episode, and K shares of
    accepted recommendations (0 without recommendations). The last two numbers are the present
    user's time and the episode's time.

    Args:
        history: a `PopulationHistory`.
        scale: a `Scale` with `n_users`.
    """
    accepted, rejected = history.before[..., N_ACCEPTED], history.before[..., N_REJECTED]
    share = accepted / np.maximum(accepted + rejected, 1)
    now, episode = counts(history, scale), scale.episode
    time = episode.time(history.steps_before + history.steps)
    before = (episode.count(accepted), episode.count(rejected), share)
    parts = (now[:, :-1], *before, now[:, -1:], time[:, np.newaxis])
    return np.concatenate(parts, axis=1, dtype=np.float32, casting="same_kind")


def last_step(history: History, scale: Scale) -> Array:
    """Return the last arm (one-hot), its response and the time, shape (n_lanes, K + 2), float32.

    The response is 1 (accepted), -1 (rejected), or 0 before the first response.
    """
    n_lanes, n_arms, _ = history.table.shape
    observation = np.zeros((n_lanes, n_arms + 2), np.float32)
    lanes = np.flatnonzero(history.last_arm >= 0)
    arms = history.last_arm[lanes]
    observation[lanes, arms] = 1.0
    observation[lanes, n_arms] = history.table[lanes, arms, LATEST]
    observation[:, -1] = scale.time(history.steps)
    return observation


def by_acceptances(observation: Array, n_arms: int, n_times: int = 1) -> tuple[Array, Array]:
    """Sort the arms of an observation by acceptances, the most accepted first.

    Ties are broken by the acceptances of earlier users, if observed, then by the arms' numbers.

    Args:
        observation: `counts` or `population_counts`.
        n_arms: K.
        n_times: the number of time values at the end of an observation.

    Returns:
        The observation with sorted arms, and the arm of each rank, shape (n_lanes, K).
    """
    n_lanes, length = observation.shape
    last = length - n_times
    order = np.argsort(-observation[:, :n_arms], axis=1, kind="stable")
    if last > N_FEATURES * n_arms:
        before = observation[:, N_FEATURES * n_arms :][:, :n_arms]
        order = np.lexsort((-before, -observation[:, :n_arms]), axis=1)
    # The sorted observation is `observation[lane, places[lane]]` for each lane.
    firsts = np.arange(0, last, n_arms)
    places = np.tile(np.arange(length), (n_lanes, 1))
    places[:, :last] = (firsts[:, np.newaxis] + order[:, np.newaxis]).reshape(n_lanes, -1)
    return observation[np.arange(n_lanes)[:, np.newaxis], places], order


def actions_by_rank(order: Array, n_actions: int) -> Array:
    """Translate actions on ranks into actions on arms; return shape (n_lanes, n_actions)."""
    blocks = [order + first for first in range(0, n_actions, order.shape[1])]
    return np.concatenate(blocks, axis=1)


#: The unsorted observations, by name, as functions of (history, scale).
UNSORTED: Mapping[str, Callable[[Any, Any], Array]] = {
    "response": lambda history, scale: history.responses(),
    "counts": counts,
    "population-counts": population_counts,
    "last-step": last_step,
}


def observed(name: str, history: History, scale: Scale, n_actions: int) -> tuple[Array, Array]:
    """Return the observation called `name`, and the environment's action for each policy action.

    Args:
        name: one of `OBSERVATIONS` or `POPULATION_OBSERVATIONS`.
        history: the responses so far.
        scale: the scale of counts and time.
        n_actions: K; or 2 K if action K + i answers arm i.
    """
    n_lanes, n_arms, _ = history.table.shape
    observations = UNSORTED[name.removeprefix("sorted-")](history, scale)
    if name.startswith("sorted-"):
        n_times = 2 if name == SORTED_POPULATION else 1
        observations, order = by_acceptances(observations, n_arms, n_times)
    else:
        order = np.tile(np.arange(n_arms), (n_lanes, 1))
    return observations, actions_by_rank(order, n_actions)


def observations_of(task: Task) -> tuple[str, ...]:
    """Return the names of the observations that a task allows."""
    return OBSERVATIONS + (POPULATION_OBSERVATIONS if task == POPULATION else ())


class PolicyAgent(protocol.OneUserAtATime):
    """An agent made from a policy: a function from an observation to an action.

    The observations are those of the wrappers.

    Args:
        policy: function that gets an observation and returns an arm, or with sorted counts the rank
            of an arm. In the task "bai" it adds K to the arm or rank to answer this arm.
        task: "regret", "bai" or "population".
        observation: "response", "counts", "sorted-counts" or "last-step"; in
            "population" also "population-counts" or "sorted-population-counts".
        horizon: the number of steps at which scaled counts and time reach 1; None is the task's
            horizon, 500, 2000 or 300. In "bai" the horizon is also the agent's step cap.
        batched: whether the policy takes one row for each user and returns one action for each.
        name: the agent's name in tables and in the seed of its random stream.
        n_users: in "population", the number of users of an episode, to scale the episode's counts.

    Raises:
        InvalidArgumentError: if an argument is out of range.
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
        n_users: int = protocol.N_USERS,
    ) -> None:
        self.task = protocol.as_task(task)
        self.observation = choice("observation", observation, observations_of(self.task))
        self.n_users = number_of_users(n_users, "n_users")
        self.horizon = self.task.horizon if horizon is None else stored_steps("horizon", horizon)
        self.name = name
        self.max_steps = self.horizon if self.task == BAI else None
        self.needs_horizon = self.task != BAI
        self._policy = policy
        self._batched = flag("batched", batched)

    def reset_all(self, n_arms: int, rngs: Sequence[Any], horizon: int | None = None) -> None:
        """Prepare for new users; see `ManyUserAgent.reset_all`."""
        self._n_arms = n_arms
        self._n_actions = 2 * n_arms if self.task == BAI else n_arms
        self._rngs = rngs
        history_type = histories.PopulationHistory if self.task == POPULATION else History
        self._history: History = history_type(len(rngs), n_arms)
        several = self.observation in POPULATION_OBSERVATIONS
        self._scale = Scale(self.horizon, self.n_users if several else None)
        self._answers = np.full(len(rngs), NO_ANSWER)

    def next_user(self) -> None:
        """Continue with the next user of the episode; see `Agent.next_user`."""
        self.next_user_all()

    def next_user_all(self) -> None:
        """Continue with the next users; only in the task "population" keep the earlier counts."""
        if self.task == POPULATION:
            self._history.next_user(slice(None))
        else:
            self.reset_all(self._n_arms, self._rngs)

    def act_all(self, users: Array) -> Array:
        """Return the next arm to recommend, or `STOP`, for each of these users."""
        name, n_actions = self.observation, self._n_actions
        observations, choosable = observed(name, self._history, self._scale, n_actions)
        chosen = self._choices(observations[users], users)
        fits = chosen.shape == users.shape and chosen.dtype.kind in "iu"
        if not fits or not 0 <= chosen.min() <= chosen.max() < n_actions:
            allowed = f"{users.size} integers in 0..{n_actions - 1}"
            raise InvalidArgumentError(f"actions of {self.name}", chosen, allowed)
        actions = choosable[users, chosen]
        answers = actions >= self._n_arms
        self._answers[users[answers]] = actions[answers] - self._n_arms
        return np.where(answers, protocol.STOP, actions)

    def observe_all(self, users: Array, arms: Array, accepted: Array) -> None:
        """Count the responses of these users."""
        self._history.record(users, arms, accepted.astype(int))

    def answer_all(self, users: Array) -> Array:
        """Return the policy's answer, or without one the most accepted arm (the first if tied)."""
        answers = self._answers[users]
        most_accepted = self._history.acceptances[users].argmax(axis=1)
        return np.where(answers == NO_ANSWER, most_accepted, answers)

    def _choices(self, observations: Array, users: Array) -> Array:
        """Return the policy's action for each of these users."""
        policy: Any = self._policy
        return np.asarray(policy(observations) if self._batched else [*map(policy, observations)])
