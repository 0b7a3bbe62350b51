"""`ExplorativePopulation-v0`: users who come one after another and share what is popular."""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import VectorEnv

from explorative_user_env.envs.history import PopulationHistory
from explorative_user_env.envs.lanes import Step
from explorative_user_env.envs.user import ExplorativeUserEnv, labelled
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv, Infos, lane_options
from explorative_user_env.protocol import DEVIATION, N_USERS, POPULATION, Array, kept_steps
from explorative_user_env.seeding import member_seeds, number_of_users, seed_number, user_generator
from explorative_user_env.users.instances import InstanceLaw
from explorative_user_env.users.population import PopularityLaw, check_members
from explorative_user_env.validation import InvalidArgumentError, choice, finite_vector, integer


def start_of(options: Any, n_arms: int, n_users: int) -> dict[str, Any]:
    """Validate the options of a reset, the start of an episode.

    Args:
        options: `{"popularity": K finite numbers}`, `{"user": 0..n_users-1}`, both or neither.
        n_arms: K.
        n_users: number of users of an episode.

    Raises:
        InvalidArgumentError: for an option that is unknown or out of range.
    """
    if options is not None and not isinstance(options, Mapping):
        raise InvalidArgumentError("options", options, 'a dict, as {"user": 3}')
    start = dict(options or {})
    for name, value in start.items():
        if choice("options key", name, ("popularity", "user")) == "user":
            start[name] = integer("user", value, 0, n_users - 1)
        elif isinstance(value, str) or callable(value):
            raise InvalidArgumentError(name, value, "numbers, one for each arm")
        else:
            start[name] = finite_vector(name, value, n_arms)
    return start


class _Episode:
    """One episode: its seed, its users' law, and the user who is there now.

    Args:
        env: the environment that it is an episode of, single or the lanes' template.
        start: the start of the episode.
        seed: its seed.
    """

    def __init__(self, env: Any, start: Mapping[str, Any], seed: int) -> None:
        self.start, self.seed, self.user = start, seed, start.get("user", 0)
        self.law: Any = None  # until it is drawn
        self._popularity_law = env.popularity_law

    def draw(self) -> None:
        """Draw what is popular, unless it is given."""
        self.law = self._popularity_law.members(self.seed, self.start.get("popularity"))

    def generator(self) -> np.random.Generator:
        """Return the stream of the present user."""
        return user_generator(member_seeds(self.seed, self.user + 1)[-1])

    def met(self, lane: int | None = None) -> str:
        """Return in words the present user, and how to meet her again."""
        options = "..." if "popularity" in self.start else {"user": self.user}
        place, single = (
            ("", "") if lane is None else (f" in lane {lane}", " of a single environment")
        )
        reset = f"env.reset(seed={self.seed}, options={options})"
        return f"user {self.user}{place}, whom {reset}{single} meets again"


def episode_seed_of(rng: np.random.Generator, seed: int, fresh: bool) -> int:
    """Return the seed of the next episode on a stream, whose first episode has the stream's."""
    return seed if fresh else int(rng.bit_generator.random_raw()) >> 1


def users_info(user: Any, new_user: Any, steps: Any, accepted: Any) -> dict[str, Any]:
    """Return what infos say of the users of an episode; numbers or arrays.

    Args:
        user: the user of the next step, or at the end of the last one, from 0.
        new_user: whether she had no step yet.
        steps: recommendations to all users so far.
        accepted: how many of them were accepted.
    """
    return {
        "user": user,
        "new_user": new_user,
        "all_interactions": steps,
        "all_acceptances": accepted,
        "all_rejections": steps - accepted,
    }


class ExplorativePopulationEnv(ExplorativeUserEnv, gym.Env[int, int]):
    r"""Recommend arms to one user after another, who like the same arms more or less.

    ## Description
    The users of `ExplorativeUser-v0`, `n_users` of them in an episode, each for `horizon` steps.
    How popular arm i is, m_i, is drawn once in an episode; what a user likes is mu_i = m_i and
    her own deviation from it, a normal draw of standard deviation `deviation`, of which the best
    arm is moved to gap above the second best, as everywhere. So what one user has accepted says
    something of the next, and an agent gains by carrying it over. (The paper's outlook "beyond a
    single user" is another: there users share their estimates among themselves.) A population of
    one user is not the user of `ExplorativeUser-v0` with the same seed.

    ## Action Space
    `Discrete(n_arms)`: the arm to recommend to the present user, 0..K-1.

    ## Observation Space
    `Discrete(2)`: the response, 1 accepted and 0 rejected. The step that is a user's last returns
    her response, and the next action goes to another. At a reset there is none yet: the
    observation is 0 and `info["has_response"]` is False.

    ## Rewards
    As in `ExplorativeUser-v0`, of the present user: by default mu_a - mu_* of her own means.

    ## Starting State
    A new draw of what is popular, and the first user. `reset(options={"popularity": [...]})` gives
    m_i of one episode. `reset(seed=..., options={"user": u})` begins with user u (from 0) of the
    episode of that seed: so any of them can be met alone. A reset without a seed begins another
    episode, which has a seed, too: `env.unwrapped.episode_seed`.

    ## Episode End
    `terminated` with the last step of the last user: that is the task's own end, and a learner must
    not bootstrap from there. There is no other, unless `gym.make` is given `max_episode_steps`.

    ## Information
    `has_response`, and of the user of the next step `user` (from 0), `new_user` (whether she had
    no step yet) and the counts `interactions`, `acceptances` and `rejections`, which are 0
    then; of all users of the episode so far `all_interactions`, `all_acceptances` and
    `all_rejections`. At the end all is of the last user. With `info_level="full"` also her
    `hidden_state`.

    ## Arguments
    - `n_arms` (5): K, in 2..1000000.
    - `n_users` (20): users of an episode, at least 1.
    - `deviation` (0.3): standard deviation of a user's means around what is popular, at least 0.
    - `horizon` (300): steps of each user, at least 1.
    - `means` (None): the law of what is popular, or m_i themselves, as `means` there.
    - `behaviour` ("explorative"): or another kind of user, whose means stay and who stays.
    - `gap`, `alpha`, `setting`, `rho`, `noise`, `reward_law`, `reward`, `info_level`, `render_mode`
      and `render_intervals` as in `ExplorativeUser-v0`.

    ## Rendering
    As in `ExplorativeUser-v0`, of the present user; it says, too, which of them she is.

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

    kept_as = PopulationHistory

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
        self.horizon = kept_steps("horizon", horizon)
        self.length = self.n_users * self.horizon
        self.popularity_law = PopularityLaw(self.instance_law, deviation)
        self.deviation = self.popularity_law.deviation
        reading = {"task": POPULATION.name, "horizon": self.horizon, "n_users": self.n_users}
        labelled(self.observation_space, **reading)
        self._start: dict[str, Any] = {}
        self._over = True
        self._episode = _Episode(self, {}, -1)
        self._steps = self._accepted = 0

    @property
    def episode_seed(self) -> int:
        """The seed of the episode."""
        return self._episode.seed

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Start with new users.

        Args:
            seed: seed of everything about this episode; None goes on to another.
            options: `{"popularity": K finite numbers}` of this episode, and `{"user": u}`, its
                first user.

        Raises:
            InvalidArgumentError: for a seed or an option that is unknown or out of range.
        """
        seed = None if seed is None else seed_number(seed)
        self._start = start_of(options, self.user.n_arms, self.n_users)
        response, info = super().reset(seed=seed)
        return response, self._with_users(info, True)

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Recommend arm `action` to the present user and return the response.

        Args:
            action: an arm, as an int, any NumPy integer or an array of one.

        Returns:
            The response (1 accepted), the reward, whether the episode is over, False, and the
            counts.

        Raises:
            InvalidArgumentError: for an action that is not an arm.
            gymnasium.error.ResetNeeded: before the first reset and after the end.
        """
        if self._over:
            raise gym.error.ResetNeeded("call reset before step")
        response, reward, _, _, info = super().step(action)
        self._steps += 1
        self._accepted += response
        ends = info["interactions"] == self.horizon
        self._over = ends and self._episode.user + 1 == self.n_users
        new_user = ends and not self._over
        if new_user:
            self._episode.user += 1
            self._meet_member(same_episode=True)
            info = self._info(True)
        return response, reward, self._over, False, self._with_users(info, new_user)

    def popularity(self) -> tuple[float, ...]:
        """Return what is popular in this episode, m_i of every arm; never for an agent."""
        if self._episode.law is None:
            raise gym.error.ResetNeeded("call reset before the truth about users is asked for")
        return tuple(self._episode.law.popularity)

    def _begin(self, law: InstanceLaw) -> None:
        self._over = True
        seed = episode_seed_of(self.np_random, self.np_random_seed, self._later == 0)
        self._episode = _Episode(self, self._start, seed)
        self._steps = self._accepted = 0
        try:
            self._episode.draw()
        except Exception as error:
            where = f"at the start of {self._met()}"
            raise self.population.failure(error, where, law) from error
        self._meet_member()
        self._over = False

    def _meet_member(self, same_episode: bool = False) -> None:
        """Meet the present user of the episode."""
        self.meet(self._episode.law, self._episode.generator())
        self._see_new_user(same_episode)

    def _met(self) -> str:
        return self._episode.met()

    def _note(self, lane: int) -> str:
        return f"user {self._episode.user + 1} of {self.n_users}"

    def _with_users(self, info: dict[str, Any], new_user: bool) -> dict[str, Any]:
        info |= users_info(self._episode.user, new_user, self._steps, self._accepted)
        return info


class ExplorativePopulationVectorEnv(ExplorativeUserVectorEnv, VectorEnv[Array, Array, Array]):
    """Many episodes in step, each with one user after another, as in the single environment.

    Seeds, autoresets and infos are as in `ExplorativeUserVectorEnv`, of episodes: `reset(seed=s)`
    is s + b in lane b.

    Args:
        num_envs: number of episodes, at least 1.
        max_episode_steps: as in `ExplorativeUserVectorEnv`; None, as the task ends by itself.
        autoreset_mode: when a finished lane gets a new episode: "NextStep", "SameStep" or
            "Disabled".
        compiled: whether the users run in compiled code; None is from 64 episodes on.
        **kwargs: as in `ExplorativePopulationEnv`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """

    single_env = ExplorativePopulationEnv
    _single: ExplorativePopulationEnv

    def _set_up(self) -> None:
        single = self._single
        self.n_users, self.deviation = single.n_users, single.deviation
        self.horizon, self.length = single.horizon, single.length
        self._streams: dict[int, np.random.Generator] = {}
        self._fresh_streams: dict[int, bool] = {}
        self._start: dict[str, Any] = {}
        self._episodes = [_Episode(single, {}, -1) for _ in range(self.num_envs)]
        self._present = np.zeros(self.num_envs, int)
        self._new_user = np.ones(self.num_envs, bool)
        self._steps = np.zeros(self.num_envs, int)
        self._accepted = np.zeros(self.num_envs, int)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The streams that the seeds of the lanes' episodes come from."""
        return tuple(self._streams.values())

    @property
    def episode_seeds(self) -> tuple[int, ...]:
        """The seeds of the lanes' episodes."""
        return tuple(episode.seed for episode in self._episodes)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, Infos]:
        """Start with new episodes.

        Args:
            seed: seeds of the lanes; an int s means s, s + 1, ..., and None goes on in each.
            options: those of the single environment for these episodes of all lanes, and
                `{"reset_mask": array of num_envs bools}`, which lanes to reset.

        Raises:
            InvalidArgumentError: for a seed or an option that is out of range.
        """
        rest = lane_options(options)
        masks = {"reset_mask": rest.pop("reset_mask", None)}
        self._start = start_of(rest, self.user.n_arms, self.n_users)
        try:
            return super().reset(seed=seed, options=masks)
        finally:
            self._start = {}  # for lanes that end

    def _ends(self, step: Step, heard: Array | None, fresh: Array | None) -> tuple[Array, Array]:
        """Let the next users come; see `ExplorativeUserVectorEnv.step`."""
        self._steps += 1 if heard is None else heard
        self._accepted += step.responses
        self._renew(fresh)
        ends = step.interactions >= self.horizon
        terminated = ends & (self._present + 1 == self.n_users)
        follows = ends & ~terminated
        self._new_user = follows if fresh is None else follows | fresh
        if follows.any():
            lanes = np.flatnonzero(follows)
            for lane in lanes.tolist():
                self._episodes[lane].user += 1
            self._meet_members(lanes)
            step.interactions[lanes] = step.acceptances[lanes] = 0
            self._forget(lanes, same_episode=True)
        return terminated, self._steps

    def popularity(self) -> tuple[tuple[float, ...], ...]:
        """Return what is popular in each lane's episode; never for an agent."""
        self._begun_lanes("popularity")
        return tuple(tuple(episode.law.popularity) for episode in self._episodes)

    def _take_streams(self, streams: dict[int, np.random.Generator]) -> None:
        if self._lanes is None:  # whose streams are set as their users come
            self._make_lanes([user_generator(0) for _ in range(self.num_envs)])
        self._streams |= streams
        self._fresh_streams |= dict.fromkeys(streams, True)

    def _begin(self, lanes: Array, law: InstanceLaw) -> None:
        """Begin episodes in these lanes with the first of their users."""
        self._begun[lanes] = self._ready = False  # if this fails, they need a reset
        self._new_user[lanes] = True
        self._steps[lanes] = self._accepted[lanes] = 0
        for lane in lanes.tolist():
            fresh, self._fresh_streams[lane] = self._fresh_streams[lane], False
            seed = episode_seed_of(self._streams[lane], self._seeds[lane], fresh)
            episode = self._episodes[lane] = _Episode(self._single, self._start, seed)
            try:
                episode.draw()
            except Exception as error:
                where = f"at the start of {self._who(lane)}"
                raise self.population.failure(error, where) from error
        self._meet_members(lanes)
        self._forget(lanes)

    def _meet_members(self, lanes: Array) -> None:
        """Meet the present users in these lanes."""
        assert self._lanes is not None
        self._begun[lanes] = self._ready = False
        episodes = [self._episodes[lane] for lane in lanes.tolist()]
        self._present[lanes] = [episode.user for episode in episodes]
        for lane, episode in zip(lanes.tolist(), episodes, strict=True):
            self._lanes.reseed(lane, episode.generator())
        self._lanes.begin(lanes, [episode.law for episode in episodes])
        self._begun[lanes] = True
        self._ready = bool(self._begun.all())

    def _who(self, lane: int) -> str:
        return self._episodes[lane].met(lane)

    def _note(self, lane: int) -> str:
        return f"user {self._episodes[lane].user + 1} of {self.n_users}"

    def _values(self, step: Step, has_response: Array) -> dict[str, Array]:
        """Return the values of infos; the keys are the same at every step."""
        values = super()._values(step, has_response)
        episodes = (self._present, self._new_user, self._steps, self._accepted)
        return values | users_info(*(array.copy() for array in episodes))
