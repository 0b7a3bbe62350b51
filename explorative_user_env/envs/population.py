"""`ExplorativePopulation-v0`: users who come one after another and share what is popular."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from explorative_user_env.envs.history import History, PopulationHistory
from explorative_user_env.envs.user import ExplorativeUserEnv, labelled
from explorative_user_env.protocol import DEVIATION, N_USERS, ONLY, POPULATION, Array, kept_steps
from explorative_user_env.seeding import member_seed, number_of_users, seed_number, user_generator
from explorative_user_env.users.behaviours import failed_start
from explorative_user_env.users.instances import InstanceLaw
from explorative_user_env.users.population import MemberLaw, PopularityLaw, check_members
from explorative_user_env.validation import InvalidArgumentError, choice, finite_vector, integer


class EpisodeStart(NamedTuple):
    """How an episode begins, as a reset's options say.

    Attributes:
        popularity: m_i of every arm; None is drawn.
        user: which of its users is met first.
    """

    popularity: list[float] | None = None
    user: int = 0

    def members(self, law: PopularityLaw, seed: int) -> MemberLaw:
        """Return where the users of the episode of this seed come from."""
        given = self.popularity
        return law.members(seed) if given is None else MemberLaw(law, given)


USUAL_START = EpisodeStart()


def start_of(options: Any, n_arms: int, n_users: int) -> EpisodeStart:
    """Return how an episode begins that a reset with these options begins.

    Args:
        options: `{"popularity": K finite numbers}`, `{"user": 0..n_users-1}`, both or neither.
        n_arms: K.
        n_users: number of users of an episode.

    Raises:
        InvalidArgumentError: for an option that is unknown or out of range.
    """
    if options is None:
        return USUAL_START
    if not isinstance(options, Mapping):
        raise InvalidArgumentError("options", options, 'a dict, as {"user": 3}')
    start = USUAL_START
    for name, value in options.items():
        if choice("options key", name, EpisodeStart._fields) == "user":
            start = start._replace(user=integer("user", value, 0, n_users - 1))
            continue
        if isinstance(value, str) or callable(value):
            raise InvalidArgumentError(name, value, "numbers, one for each arm")
        start = start._replace(popularity=finite_vector(name, value, n_arms))
    return start


def episode_seed_of(rng: np.random.Generator, seed: int, fresh: bool) -> int:
    """Return the seed of the episode that is next on a stream.

    Args:
        rng: the stream.
        seed: what it began with, which is the seed of its first episode.
        fresh: whether that one is next.
    """
    return seed if fresh else int(rng.bit_generator.random_raw()) >> 1


def told_of_users(user: Any, new_user: Any, steps: Any, accepted: Any) -> dict[str, Any]:
    """Return what infos say of the users of an episode.

    Args:
        user: who is asked next, or was asked last at the end, from 0; a number, or an array like
            all others.
        new_user: whether she was not asked before.
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


def who_is_there(user: int, n_users: int) -> str:
    """Return a line on which user of an episode is there."""
    return f"user {user + 1} of {n_users}"


def with_who(text: str | Array, who: str) -> str:
    """Return a rendering as text that says who is there."""
    return f"{who}\n{text}"


def met_in_episode(seed: int, start: EpisodeStart, user: int, lane: int | None = None) -> str:
    """Return in words a user, by what meets her again.

    Args:
        seed: the episode's.
        start: how the episode began.
        user: which of its users she is.
        lane: hers among many episodes.
    """
    options = {"user": user} if start.popularity is None else "..."
    her = f"user {user}" if lane is None else f"user {user} in lane {lane}"
    single = "" if lane is None else " of a single environment"
    return f"{her}, whom env.reset(seed={seed}, options={options}){single} meets again"


class ExplorativePopulationEnv(ExplorativeUserEnv):
    r"""Recommend arms to one user after another, who like the same arms more or less.

    ## Description
    The users of `ExplorativeUser-v0`, `n_users` of them in an episode, each for `horizon` steps.
    How popular arm i is, m_i, is drawn once in an episode; what a user likes is mu_i = m_i and
    her own deviation from it, a normal draw of standard deviation `deviation`, of which the best
    arm is moved to gap above the second best, as everywhere. So what one user has accepted says
    something of the next, and an agent gains by carrying it over: what the paper has in view
    "beyond a single user".

    ## Action Space
    `Discrete(n_arms)`: the arm to recommend to the present user, 0..K-1.

    ## Observation Space
    `Discrete(2)`: the response, 1 accepted and 0 rejected. The step that is a user's last returns
    her response, and the next action goes to another. At a reset there is none yet: the
    observation is 0 and `info["has_response"]` is False.

    ## Rewards
    As in `ExplorativeUser-v0`, of the user who was asked: by default mu_a - mu_* of her own means.

    ## Starting State
    A new draw of what is popular, and the first user. `reset(options={"popularity": [...]})` gives
    m_i of one episode. `reset(seed=..., options={"user": u})` begins with user u (from 0) of the
    episode of that seed: so any of them can be met alone. A reset without a seed begins another
    episode, which has a seed, too: `env.unwrapped.episode_seed`.

    ## Episode End
    `terminated` with the last step of the last user: that is the task's own end, and a learner must
    not bootstrap from there. There is no other, unless `gym.make` is given `max_episode_steps`.

    ## Information
    `has_response`, and of the user who is asked next `user` (from 0), `new_user` (whether she was
    not asked before) and the counts `interactions`, `acceptances` and `rejections`, which are 0
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
        self.popularity_law = PopularityLaw(self.instance_law, deviation)
        self.deviation = self.popularity_law.deviation
        told = {"task": POPULATION.name, "horizon": self.horizon, "n_users": self.n_users}
        labelled(self.observation_space, **told)
        self._start, self._over = USUAL_START, True
        self._members: MemberLaw | None = None
        self._present = self._steps = self._accepted = 0
        self.episode_seed = -1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Start with new users.

        Args:
            seed: seed of everything about this episode; None goes on to another.
            options: `{"popularity": K finite numbers}` of this episode, and `{"user": u}`, which of
                its users is the first.

        Raises:
            InvalidArgumentError: for a seed or an option that is unknown or out of range.
        """
        seed = None if seed is None else seed_number(seed)
        self._start = start_of(options, self.user.n_arms, self.n_users)
        response, info = super().reset(seed=seed)
        return response, self._with_users(info, True)

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Recommend arm `action` to the present user and hear the response.

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
        goes = info["interactions"] == self.horizon
        self._over = goes and self._present + 1 == self.n_users
        new_user = goes and not self._over
        if new_user:
            self._present += 1
            self._meet_member()
            info = self._counts(has_response=True)
            self._add_hidden_state(info)
        return response, reward, self._over, False, self._with_users(info, new_user)

    def popularity(self) -> tuple[float, ...]:
        """Return what is popular in this episode, m_i of every arm; never for an agent."""
        if self._members is None:
            raise gym.error.ResetNeeded("call reset before the truth about users is asked for")
        return tuple(self._members.popularity)

    def _begin(self, law: InstanceLaw) -> None:
        """Begin an episode with the first of its users."""
        self._over = True
        fresh = self._later == 0
        self.episode_seed = episode_seed_of(self.np_random, self.np_random_seed, fresh)
        self._present, self._steps, self._accepted = self._start.user, 0, 0
        try:
            self._members = self._start.members(self.popularity_law, self.episode_seed)
        except Exception as error:
            raise failed_start(error, self.user, law, self.behaviour, self._met()) from error
        if self._heard is not None:
            self._heard.forget(ONLY)
        self._meet_member()
        self._over = False

    def _meet_member(self) -> None:
        """Meet the present user, who has a stream of her own."""
        assert self._members is not None
        self._meet(self._members, user_generator(member_seed(self.episode_seed, self._present)))

    def _forget(self, heard: History) -> None:
        heard.next_user(ONLY)

    def _met(self) -> str:
        return met_in_episode(self.episode_seed, self._start, self._present)

    def _note(self) -> str:
        return who_is_there(self._present, self.n_users)

    def _frame(self, mode: str) -> str | Array:
        frame = super()._frame(mode)
        return with_who(frame, self._note()) if mode == "ansi" else frame

    def _with_users(self, info: dict[str, Any], new_user: bool) -> dict[str, Any]:
        """Let an info say who is there, by the same keys at every step, and return it."""
        info |= told_of_users(self._present, new_user, self._steps, self._accepted)
        return info
