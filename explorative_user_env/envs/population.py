"""`ExplorativePopulation-v0`: one user after another, with similar means."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import VectorEnv

from explorative_user_env import validation
from explorative_user_env.envs.history import PopulationHistory
from explorative_user_env.envs.lanes import Step
from explorative_user_env.envs.user import ExplorativeUserEnv, Infos, labelled, options_of_reset
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv
from explorative_user_env.protocol import DEVIATION, N_USERS, ONLY, POPULATION, Array, stored_steps
from explorative_user_env.seeding import member_seeds, number_of_users, user_generator
from explorative_user_env.users.population import MemberLaw, check_members


class _Episode:
    """One episode: its seed, the law of its users, and the number of the present user.

    The first episode after `reset(seed=s)` has the seed s; later episodes draw seeds from `rng`.
    """

    def __init__(
        self, env: Any, start: Any, rng: Any, seed: int, fresh: Any, lane: int | None = None
    ) -> None:
        self.seed = seed if fresh else int(rng.bit_generator.random_raw()) >> 1
        self.start, self.user, self._lane = start, start.get("user", 0), lane
        self._seeds = member_seeds(self.seed, env.n_users)
        try:
            popular = start.get("popularity")
            self.law = MemberLaw(env.instance_law, env.deviation, self.seed, popular)
        except Exception as error:
            raise env.population.failure(error, f"while drawing {self.label()}") from error

    def generator(self) -> np.random.Generator:
        """Return the random stream of the present user."""
        return user_generator(self._seeds[self.user])

    def label(self) -> str:
        """Describe the present user, and the reset that draws her, for an error message."""
        options = "..." if "popularity" in self.start else {"user": self.user}
        place, single = f" in lane {self._lane}", " in a single environment"
        if self._lane is None:
            place = single = ""
        reset = f"env.reset(seed={self.seed}, options={options})"
        return f"user {self.user}{place}, the user of {reset}{single}"


def with_users(info: dict[str, Any], user: Any, steps: Any, accepted: Any) -> dict[str, Any]:
    """Return Gymnasium's dict `info` with more entries, which describe the users of the episode.

    Args:
        info: the counts of the user who responds next; after the last step, of the last user.
        user: the number of this user, from 0.
        steps: recommendations to all users so far.
        accepted: acceptances by all users so far.
    """
    return info | {
        "user": user,
        "new_user": info["interactions"] == 0,
        "all_interactions": steps,
        "all_acceptances": accepted,
        "all_rejections": steps - accepted,
    }


class ExplorativePopulationEnv(ExplorativeUserEnv, gym.Env[int, int]):
    r"""Recommend arms to one user after another; the users like similar arms.

    A policy without memory cannot learn from the observation, which is one response. To train such
    a policy, use `ExplorativePopulationCounts-v0`.

    ## Description
    An episode has `n_users` users of `ExplorativeUser-v0`, one after another, each for `horizon`
    steps. Each episode draws the popularity m_i of each arm i. Each user draws her own deviation:
    mu_i = m_i + a normal draw with standard deviation `deviation`; then her best arm is moved to
    `gap` above the second best. So the responses of one user are evidence about the next, and an
    agent gains if it transfers what it learned. (In the paper's outlook "beyond a single user" the
    users share their estimates; here they do not.) The user of `n_users=1` differs from the user of
    `ExplorativeUser-v0` with the same seed.

    ## Action Space
    `Discrete(n_arms)`: the arm to recommend to the present user, 0..K-1.

    ## Observation Space
    `Discrete(2)`: the response, 1 accepted and 0 rejected. The last step of a user returns her
    response; the next action goes to the next user. After a reset there is no response yet: the
    observation is 0 and `info["has_response"]` is False.

    ## Rewards
    The rewards are those of `ExplorativeUser-v0` with the present user: by default mu_a - mu_* of
    her own means.

    ## Starting State
    An episode starts with a new draw of the popularity and with the first user.
    `reset(options={"popularity": [...]})` sets m_i for one episode.
    `reset(seed=s, options={"user": u})` starts with user u (from 0) of the episode with seed s. A
    reset without a seed starts an episode with a new seed, `env.unwrapped.episode_seed`.

    ## Episode End
    `terminated` is True after the last step of the last user. This end is part of the task: a
    learner must not bootstrap from the last state. An episode is truncated only if `gym.make` gets
    `max_episode_steps`.

    ## Information
    Every info has `has_response`. For the user of the next step it has `user` (her number, from 0),
    `new_user` (whether she has had no step yet) and the counts `interactions`, `acceptances` and
    `rejections`; after the last step these are about the last user. For all users of the episode
    together it has `all_interactions`, `all_acceptances` and `all_rejections`. With
    `info_level="full"` it also has the `hidden_state` of the user of the next step.

    ## Arguments
    - `n_arms` (5): K, in 2..1000000.
    - `n_users` (20): number of users in an episode, at least 1.
    - `deviation` (0.3): standard deviation of a user's means around the popularity, at least 0.
    - `horizon` (300): number of steps of each user, at least 1.
    - `means` (None): the law of the popularity or the m_i, in the forms that `ExplorativeUser-v0`
      takes.
    - `behaviour` ("explorative"): as in `ExplorativeUser-v0`, but the means of the users must be
      fixed, and the users must never leave.
    - `gap`, `alpha`, `setting`, `rho`, `noise`, `reward_law`, `reward`, `info_level`, `render_mode`
      and `render_intervals` are as in `ExplorativeUser-v0`. Pictures show the present user and her
      number.

    ```python
    >>> import gymnasium as gym
    >>> import explorative_user_env
    >>> env = gym.make("ExplorativePopulation-v0", n_arms=3, n_users=2, horizon=4)
    >>> observation, info = env.reset(seed=7)
    >>> for arm in (0, 1, 2, 0):
    ...     observation, reward, terminated, truncated, info = env.step(arm)
    >>> info["user"], info["new_user"], info["interactions"], info["all_interactions"]
    (1, True, 0, 4)

    ```

    ## References
    Yao, Li, Nekipelov, Wang, Xu: Learning the Optimal Recommendation from Explorative Users,
    AAAI 2022.

    ## Version History
    * v0: initial version
    """

    history_type = PopulationHistory

    def __init__(
        self,
        arms: int | None = None,
        /,
        *,
        n_users: int = N_USERS,
        deviation: float = DEVIATION,
        horizon: int = POPULATION.horizon,
        **kwargs: Any,
    ) -> None:
        super().__init__(arms, **kwargs)
        check_members(self.behaviour)
        self.n_users = number_of_users(n_users, "n_users")
        self.horizon = stored_steps("horizon", horizon)
        self.length = self.n_users * self.horizon
        self.deviation = validation.not_negative("deviation", deviation)
        reading = {"task": POPULATION.name, "horizon": self.horizon, "n_users": self.n_users}
        labelled(self.observation_space, **reading)
        self._episode: Any = None
        self._steps = self._accepted = 0

    @property
    def episode_seed(self) -> int:
        """The seed of the episode."""
        return int(self._episode.seed)

    def start_of(self, options: Any) -> dict[str, Any]:
        """Validate the options of a reset and return them as a dict; `options` may be None."""
        start = options_of_reset(options, "popularity", "user")
        if "user" in start:
            start["user"] = validation.integer("user", start["user"], 0, self.n_users - 1)
        if "popularity" in start:
            popular = validation.finite_vector("popularity", start["popularity"], self.user.n_arms)
            start["popularity"] = popular
        return start

    def step(self, action: int) -> tuple[Any, float, bool, bool, Infos]:
        """Recommend arm `action` to the present user; see `ExplorativeUserEnv.step`.

        The episode is over after the last step of the last user.
        """
        acceptances = self._state.acceptances[0]
        observation, reward, _, _, info = super().step(action)
        self._steps += 1
        self._accepted += info["acceptances"] - acceptances
        ends = info["interactions"] == self.horizon
        if ends and self._episode.user + 1 == self.n_users:
            self._active = None
        elif ends:
            self._episode.user += 1
            self._draw_member(same_episode=True)
            observation = observation if self._table is None else self._observation()
            return observation, reward, False, False, self._info(True)
        info = with_users(info, self._episode.user, self._steps, self._accepted)
        return observation, reward, ends, False, info

    def popularity(self) -> tuple[float, ...]:
        """Return the popularity m_i of each arm in this episode; not for agents."""
        if self._instance is None:
            raise gym.error.ResetNeeded("call reset before popularity")
        return tuple(self._episode.law.popularity)

    def _begin(self, start: Any) -> None:
        self._instance = self._active = None
        rng, seed = self.np_random, self.np_random_seed
        self._episode = _Episode(self, start, rng, seed, self._later == 0)
        self._steps = self._accepted = 0
        self._draw_member()

    def _draw_member(self, same_episode: bool = False) -> None:
        """Draw the present user of the episode."""
        self.draw_user(self._episode.law, self._episode.generator())
        self._forget(ONLY, same_episode)
        self._show()

    def _label(self) -> str:
        return str(self._episode.label())

    def _note(self, lane: int) -> str:
        return f"user {self._episode.user + 1} of {self.n_users}"

    def _info(self, has_response: bool) -> dict[str, Any]:
        info = super()._info(has_response)
        return with_users(info, self._episode.user, self._steps, self._accepted)


class ExplorativePopulationVectorEnv(ExplorativeUserVectorEnv, VectorEnv[Array, Array, Array]):
    """Many episodes in parallel.

    Each lane gives the results of the single environment with the same seed. Seeds, autoresets and
    infos are as in `ExplorativeUserVectorEnv`, but a seed determines an episode: after
    `reset(seed=s)` the episode in lane b has the seed s + b.

    Args:
        num_envs: number of episodes, at least 1.
        max_episode_steps: as in `ExplorativeUserVectorEnv`; the default None never truncates.
        autoreset_mode: when a finished lane gets a new episode: "NextStep", "SameStep" or
            "Disabled".
        compiled: whether the users run in compiled code; None is True from 64 episodes on.
        **kwargs: arguments of `ExplorativePopulationEnv`.

    Raises:
        InvalidArgumentError: if an argument is out of range.
    """

    single_env = ExplorativePopulationEnv
    _single: ExplorativePopulationEnv

    def _set_up(self) -> None:
        single = self._single
        self.n_users, self.horizon = single.n_users, single.horizon
        self.deviation = single.deviation
        self._streams: dict[int, np.random.Generator] = {}
        self._episodes: list[Any] = [None] * self.num_envs
        self._present, self._steps, self._accepted = np.zeros((3, self.num_envs), int)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The random streams from which the lanes draw the seeds of their episodes."""
        return tuple(self._streams.values())

    @property
    def episode_seeds(self) -> tuple[int, ...]:
        """The seeds of the lanes' episodes."""
        return tuple(episode.seed for episode in self._episodes)

    def popularity(self) -> tuple[tuple[float, ...], ...]:
        """Return the popularity in each lane's episode; not for agents."""
        self._ready_lanes("popularity")
        return tuple(tuple(episode.law.popularity) for episode in self._episodes)

    def _ends(self, step: Step, moved: Array | None) -> tuple[Array, Array]:
        """Replace users after their last step; see `ExplorativeUserVectorEnv._ends`."""
        self._steps += 1 if moved is None else moved
        self._accepted += step.responses
        ends = step.interactions >= self.horizon
        terminated = ends & (self._present + 1 == self.n_users)
        if (follows := ends & ~terminated).any():
            lanes = np.flatnonzero(follows)
            self._begin(lanes, same_episode=True)
            step.interactions[lanes] = step.acceptances[lanes] = 0
        return terminated, self._steps

    def _take_streams(self, streams: dict[int, np.random.Generator]) -> None:
        if self._lanes is None:  # the streams do not matter, as `_draw_users` reseeds each lane
            self._make_lanes([user_generator(0) for _ in range(self.num_envs)])
        self._streams |= streams

    def _draw_users(self, lanes: Array, start: Any) -> None:
        """Start new episodes in these lanes; with `start=None` only replace the users."""
        laws = []
        for lane in lanes.tolist():
            if start is None:
                self._episodes[lane].user += 1
            else:
                stream, seed, fresh = self._streams[lane], self._seeds[lane], self._later[lane] == 0
                self._steps[lane] = self._accepted[lane] = 0
                self._episodes[lane] = _Episode(self._single, start, stream, seed, fresh, lane)
            episode = self._episodes[lane]
            self._present[lane] = episode.user
            self._lanes.reseed(lane, episode.generator())
            laws.append(episode.law)
        self._lanes.begin(lanes, laws)

    def _label(self, lane: int) -> str:
        return str(self._episodes[lane].label())

    def _note(self, lane: int) -> str:
        return f"user {self._episodes[lane].user + 1} of {self.n_users}"

    def _values(self, step: Step, has_response: Array) -> dict[str, Array]:
        """Return each entry of `info` as an array over lanes, with the same keys at every step."""
        episodes = (self._present, self._steps, self._accepted)
        return with_users(super()._values(step, has_response), *(each.copy() for each in episodes))
