"""Observations for RL: what a policy needs to remember of a user, for the single environments.

`explorative_user_env.wrappers.vector` has the same names for many users in step.
"""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import VectorEnv, VectorObservationWrapper, VectorWrapper
from gymnasium.wrappers import MaxAndSkipObservation, TimeLimit

from explorative_user_env.envs import BAI_ENV_ID, ENV_ID, POPULATION_ENV_ID
from explorative_user_env.envs.history import History
from explorative_user_env.envs.population import ExplorativePopulationEnv
from explorative_user_env.envs.user import ExplorativeUserEnv, as_action, labelled, reading_of
from explorative_user_env.protocol import REGRET, Array
from explorative_user_env.users.population import lists_user_options
from explorative_user_env.validation import InvalidArgumentError
from explorative_user_env.wrappers import observations as shown_as

__all__ = ["CountsObservation", "LastStepObservation", "PopulationCountsObservation", "SortedArms"]

#: The wrappers of Gymnasium that change observations, by their kinds.
CHANGE_OBSERVATIONS = (gym.ObservationWrapper, MaxAndSkipObservation, VectorObservationWrapper)


def layers(env: Any) -> Iterator[Any]:
    """Yield the wrappers around an environment, the outermost first."""
    while isinstance(env, gym.Wrapper | VectorWrapper):
        yield env
        env = env.env


def changed(env: Any, wrapper: Any, by: str = "what changes them") -> InvalidArgumentError:
    """Return the error of an environment whose responses are not those that its user gave."""
    name = type(wrapper).__name__
    allowed = f"an environment that hands on the user's responses and counts as they are (put {by} "
    return InvalidArgumentError("env", env, f"{allowed}above {name}, and reset both)")


def _single(env: Any, what: str) -> Any:
    """Return the "action_space" or "observation_space" of one user."""
    return getattr(env, f"single_{what}", None) or getattr(env, what)


class ShowsHistory:
    """What the observations of one user and of many share: what is shown, and of which history."""

    #: The observation's name, as in `wrappers.observations`.
    name: str

    _users: Any
    _history: History
    shown: Array

    def _find(self, env: Any, kind: type[Any], horizon: int | None) -> spaces.Space[Any]:
        """Find the users of an environment, and return the space of one user's observations.

        Raises:
            InvalidArgumentError: for another environment, one whose observations are changed, or
                one without a time limit if no horizon is given.
        """
        users = self._users = getattr(env, "unwrapped", None)
        if not isinstance(users, kind):
            ids = f"{ENV_ID}, {BAI_ENV_ID} or {POPULATION_ENV_ID}"
            allowed = POPULATION_ENV_ID if self.name == "population-counts" else ids
            if issubclass(kind, VectorEnv):
                allowed = f"the vector form of {allowed} (one user: wrappers)"
            else:
                allowed += " (many users: wrappers.vector)"
            raise InvalidArgumentError("env", env, allowed)
        limits = [getattr(users, "max_episode_steps", None), getattr(users, "horizon", None)]
        if isinstance(env, gym.Env) and env.spec:  # that of many users has the limit of the id
            limits.append(env.spec.max_episode_steps)
        for layer in layers(env):
            if isinstance(layer, CHANGE_OBSERVATIONS):
                raise changed(env, self, type(layer).__name__)
            if isinstance(layer, TimeLimit):
                limits.append(layer._max_episode_steps)
        space = _single(users, "observation_space")
        if _single(env, "observation_space") != space:
            raise changed(env, self, type(env).__name__)
        if horizon is None:
            horizon = min((limit for limit in limits if limit is not None), default=None)
        if horizon is None:
            allowed = "given, as the environment has no time limit"
            raise InvalidArgumentError("horizon", None, allowed)
        n_users = users.n_users if self.name == "population-counts" else None
        self._scale = shown_as.Scale(horizon, n_users)
        self._history = users.remember()
        low, high = shown_as.bounds_of(self.name, users.user.n_arms) or (0, 0)
        reading = {**reading_of(space), "observation": self.name, "horizon": self._scale.horizon}
        return labelled(spaces.Box(low, high, dtype=np.float32), **reading)

    def _observe(self, history: History) -> Array:
        return shown_as.UNSORTED[self.name](history, self._scale)


class SortsArms:
    """What `SortedArms` of one user and of many share."""

    _counts: Any
    _n_arms: int
    _order: Array

    def _find(self, env: Any, kinds: tuple[type[Any], ...]) -> spaces.Space[Any]:
        """Find the counts in an environment, and return the space of one user's observations.

        Raises:
            InvalidArgumentError: if there are none, or they are changed on the way.
        """
        for layer in layers(env):
            if isinstance(layer, kinds):
                self._counts, self._n_arms = layer, env.unwrapped.user.n_arms
                if _single(env, "action_space") != _single(env.unwrapped, "action_space"):
                    raise InvalidArgumentError("env", env, "an environment whose actions are arms")
                self._order = np.tile(np.arange(self._n_arms), (getattr(env, "num_envs", 1), 1))
                space = copy.deepcopy(_single(env, "observation_space"))
                return labelled(space, observation=f"sorted-{self._counts.name}")
            if isinstance(layer, CHANGE_OBSERVATIONS):
                break
        allowed = "wrapped in CountsObservation, and in nothing above it that changes observations"
        raise InvalidArgumentError("env", env, allowed)

    def _by_acceptances(self, observations: Array) -> tuple[Array, Array]:
        n_times = 2 if self._counts.name in shown_as.POPULATION_OBSERVATIONS else 1
        return shown_as.by_acceptances(observations, self._n_arms, n_times)

    def _actions(self) -> Array:
        """Return the action below of each action: K recommendations, perhaps K answers."""
        return shown_as.actions_by_rank(self._order, int(_single(self, "action_space").n))


class _HistoryObservation(
    ShowsHistory, gym.Wrapper[Array, int, int, int], gym.utils.RecordConstructorArgs
):
    """Show an observation of the history in place of the bare response."""

    _kind: type[ExplorativeUserEnv] = ExplorativeUserEnv

    def __init__(self, env: gym.Env[int, int], horizon: int | None = None) -> None:
        space = self._find(env, self._kind, horizon)
        gym.utils.RecordConstructorArgs.__init__(self, horizon=horizon)
        gym.Wrapper.__init__(self, env)  # type: ignore[misc]
        self.observation_space = space
        self.shown = np.zeros(0, np.float32)

    def reset(self, **kwargs: Any) -> tuple[Array, dict[str, Any]]:
        """Start with a new user, of whom nothing is known."""
        response, info = self.env.reset(**kwargs)
        return self._show(response, info), info

    def step(self, action: int) -> tuple[Array, Any, bool, bool, dict[str, Any]]:
        """Take a step, and observe the history."""
        response, reward, terminated, truncated, info = self.env.step(action)
        return self._show(response, info), reward, terminated, truncated, info

    def _show(self, response: Any, info: dict[str, Any]) -> Array:
        """Return the observation, if the response and its info are those of the user."""
        heard = self._history.last_response[0] if info.get("has_response") else 0
        same = isinstance(response, int | np.integer) and response == heard
        if not same or info.get("interactions") != self._history.steps[0]:
            raise changed(self.env, self)
        self.shown = self._observe(self._history)[0]
        return self.shown


class CountsObservation(_HistoryObservation):
    """Observe each arm's acceptances, rejections, latest response and rejections since accepted.

    A `Box` of 4 K + 1 float32 numbers, see `observations.counts`: with it a policy without memory
    can learn, while from the bare response it learns nothing. It counts the recommendations that
    reach the user, whatever wrapper stands between (`StickyAction`, `Autoreset`, ...).

    Args:
        env: an `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`, made or raw.
        horizon: the number of steps that the scales end at; None is the environment's time limit.

    Raises:
        InvalidArgumentError: if no horizon is given and the environment has none, for another
            environment, and if a wrapper in between changes the responses.
    """

    name = "counts"


class PopulationCountsObservation(_HistoryObservation):
    """Observe the counts of the present user, and of all users before her.

    A `Box` of 7 K + 2 float32 numbers, see `observations.population_counts`: those of
    `CountsObservation`, of each arm the responses of all users before, and the time of the user and
    of the episode.

    Args:
        env: an `ExplorativePopulation-v0`, made or raw.
        horizon: the steps of a user that her scales end at; None is the environment's.

    Raises:
        InvalidArgumentError: for another environment, and if a wrapper in between changes the
            responses.
    """

    name = "population-counts"
    _kind = ExplorativePopulationEnv


class LastStepObservation(_HistoryObservation):
    """Observe the last arm (one-hot), its response and the time; for recurrent policies.

    A `Box` of K + 2 float32 numbers, see `observations.last_step`.

    Args:
        env: an `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`, made or raw.
        horizon: the number of steps that time is a fraction of; None is the environment's limit.

    Raises:
        InvalidArgumentError: as in `CountsObservation`.
    """

    name = "last-step"


class SortedArms(SortsArms, gym.Wrapper[Array, int, Array, int], gym.utils.RecordConstructorArgs):
    """Sort the arms by acceptances, the most accepted first; an action is a rank.

    Arms are exchangeable, so a policy need not learn the same for each of their K! orders. In
    `ExplorativeUserBAI-v0` action K + r answers the arm of rank r.

    Args:
        env: an environment in `CountsObservation` or, which settles ties by all users before, in
            `PopulationCountsObservation`.

    Raises:
        InvalidArgumentError: for another environment, or if a wrapper in between changes the
            counts.
    """

    def __init__(self, env: gym.Env[Array, int]) -> None:
        space = self._find(env, (CountsObservation, PopulationCountsObservation))
        gym.utils.RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)
        self.observation_space = space

    def reset(self, **kwargs: Any) -> tuple[Array, dict[str, Any]]:
        """Start with a new user; ties are in the order of the arms."""
        observation, info = self.env.reset(**kwargs)
        return self._sorted(observation), info

    def step(self, action: int) -> tuple[Array, Any, bool, bool, dict[str, Any]]:
        """Recommend (or answer) the arm of a rank."""
        (known,) = self._actions()
        observation, *rest, info = self.env.step(int(known[as_action(action, known.size)]))
        return self._sorted(observation), *rest, info  # type: ignore[return-value]

    @property
    def action_masks(self) -> Callable[[], Array]:
        """The function that returns the legal actions, if the environment below has it."""
        below: Callable[[], Array] = self.env.get_wrapper_attr("action_masks")
        return lambda: below()[self._actions()[0]]

    def _sorted(self, observation: Array) -> Array:
        shown = self._counts.shown
        if observation is not shown and not np.array_equal(observation, shown):
            raise changed(self.env, self)
        (ordered,), self._order = self._by_acceptances(observation[np.newaxis])
        return np.asarray(ordered)


class _MadeById(SortedArms):
    """The wrappers of the id, which its specification need not list."""

    @property
    def spec(self) -> EnvSpec | None:  # type: ignore[override] # gym.Wrapper's is one as well
        return self.unwrapped.spec


@lists_user_options()
def counts_env(
    arms: int | None = None, /, *, horizon: int = REGRET.horizon, **kwargs: Any
) -> gym.Env[Array, int]:
    """Return a user for any RL library: `ExplorativeUserCounts-v0`.

    ## Description
    The user of `ExplorativeUser-v0`, the same for the same seed, in `CountsObservation` and
    `SortedArms`: this is the id to learn on. There the observation is one bit, from which a policy
    without memory learns nothing; here it is the counts of all responses.

    ## Action Space
    `Discrete(n_arms)`: the rank of the arm to recommend; 0 is the most accepted arm so far. Tied
    arms are in the order of their numbers.

    ## Observation Space
    `Box(4 K + 1)`, float32 in [-1, 1]: the acceptances of the arms, the most accepted first, then
    their rejections, latest responses (1, -1, or 0 for none) and rejections since the last
    acceptance; last the time. Counts are on a log scale, and time is a fraction of `horizon`.

    ## Rewards
    As in `ExplorativeUser-v0`: mu_a - mu_* of the recommended arm, or another `reward`.

    ## Starting State
    A new user, with all counts 0.

    ## Episode End
    `gym.make` and `gym.make_vec` truncate at `max_episode_steps`, 500 unless given, which is the
    length of an episode in the task "regret".

    ## Information
    As in `ExplorativeUser-v0`.

    ## Arguments
    - `horizon` (500): the steps that counts and time are scaled by; both stay at 1 from there on.
      If you give another `max_episode_steps`, give it here, too.
    - All arguments of `ExplorativeUser-v0`.

    ```python
    >>> import gymnasium as gym
    >>> import explorative_user_env
    >>> env = gym.make("ExplorativeUserCounts-v0", n_arms=3)
    >>> observation, info = env.reset(seed=7)
    >>> observation.shape
    (13,)
    >>> observation, reward, terminated, truncated, info = env.step(2)

    ```

    ## Version History
    * v0: initial version
    """
    user = ExplorativeUserEnv(arms, horizon=horizon, **kwargs)
    return _MadeById(CountsObservation(user, horizon))


# Gymnasium asks what makes an environment for the ways in which it is rendered.
counts_env.metadata = ExplorativeUserEnv.metadata  # type: ignore[attr-defined]
