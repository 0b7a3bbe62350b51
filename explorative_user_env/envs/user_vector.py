"""`ExplorativeUser-v0`, many users in step: Gymnasium's vector environment."""

import copy
from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from explorative_user_env.envs.history import (
    HAS_LEFT,
    RENDER_MODES_OF_MANY,
    History,
    Truths,
    lane_frame,
)
from explorative_user_env.envs.lane_kinds import is_worth_compiling, new_lanes, streams_of
from explorative_user_env.envs.lanes import Lanes, Step
from explorative_user_env.envs.user import ExplorativeUserEnv, law_of
from explorative_user_env.protocol import Array
from explorative_user_env.seeding import seed_number
from explorative_user_env.users.behaviours import met
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance, InstanceLaw
from explorative_user_env.users.model import User
from explorative_user_env.validation import InvalidArgumentError, choice, count, flag, integer

Infos = dict[str, Any]

WHOLE_NUMBER = np.dtype(int)
"""Of numbers that are arms already."""

MOST_LANES = 1_000_000
"""Users in step, each of whom has a random stream of a KB, and each step a pass over all."""

MOST_ARMS_IN_STEP = 50_000_000
"""Arms of all users in step together, which take some 5 GB."""


def number_of_lanes(num_envs: Any, n_arms: int) -> int:
    """Return the number of users in step as an int: as many as there is room for."""
    lanes = count("num_envs", num_envs, 1, MOST_LANES)
    if lanes * n_arms > MOST_ARMS_IN_STEP:
        allowed = f"at most {MOST_ARMS_IN_STEP // n_arms} with {n_arms} arms"
        raise InvalidArgumentError("num_envs", lanes, allowed)
    return lanes


def lane_seeds(seed: int | Sequence[int | None] | None, n_lanes: int) -> list[int | None]:
    """Return a seed, or None, for each lane; an int s means s, s + 1, and so on."""
    if seed is None:
        return [None] * n_lanes
    several = isinstance(seed, Sequence) and not isinstance(seed, str | bytes)
    if several or (isinstance(seed, np.ndarray) and seed.ndim > 0):
        assert not isinstance(seed, int)
        if len(seed) != n_lanes:
            raise InvalidArgumentError("seed", seed, f"a number or {n_lanes} of them")
        return [None if each is None else seed_number(each) for each in seed]
    first = seed_number(seed)
    return [first + lane for lane in range(n_lanes)]


def lane_mask(mask: Any, n_lanes: int) -> Array:
    """Return which lanes are meant; None means all."""
    if mask is None:
        return np.ones(n_lanes, bool)
    if (
        not isinstance(mask, np.ndarray)
        or mask.dtype != bool
        or mask.shape != (n_lanes,)
        or not mask.any()
    ):
        allowed = f"an array of {n_lanes} bools, one of them True"
        raise InvalidArgumentError("reset_mask", mask, allowed)
    return mask


def lane_options(options: Any) -> dict[str, Any]:
    """Return a copy of a reset's options, which can be taken from."""
    if options is not None and not isinstance(options, Mapping):
        raise InvalidArgumentError("options", options, "None or a dict")
    return dict(options or {})


def lane_arms(actions: Any, n_lanes: int, n_arms: int, what: str = "arms") -> Array:
    """Return an int for each lane; whether each is in range is left to whoever uses them."""
    if (
        type(actions) is np.ndarray
        and actions.dtype == WHOLE_NUMBER
        and actions.shape == (n_lanes,)
    ):
        return actions  # as nearly all are: not looked at any closer
    try:
        choices: Array = np.asarray(actions)
    except ValueError as error:  # lists of lists of different lengths
        raise no_arms(actions, n_lanes, n_arms, what) from error
    if choices.shape != (n_lanes,) or choices.dtype.kind not in "iu":
        raise no_arms(actions, n_lanes, n_arms, what)
    return choices.astype(int, copy=False)


def lane_actions(actions: Any, n_lanes: int, n_actions: int) -> Array:
    """Return an int in 0..n_actions-1 for each lane."""
    chosen = lane_arms(actions, n_lanes, n_actions, "actions")
    if chosen.min() < 0 or chosen.max() >= n_actions:
        raise no_arms(actions, n_lanes, n_actions, "actions")
    return chosen


def no_arms(actions: Any, n_lanes: int, n_arms: int, what: str = "arms") -> InvalidArgumentError:
    """Return the error of actions that are not an arm for each lane, or whatever they should be."""
    allowed = f"{n_lanes} {what} in 0..{n_arms - 1}"
    return InvalidArgumentError("actions", actions, allowed)


def time_limit(max_episode_steps: int | None) -> int | None:
    """Return the number of steps after which lanes are truncated; None and -1 are never."""
    if max_episode_steps is None:
        return None
    if isinstance(max_episode_steps, Integral) and max_episode_steps == -1:
        return None
    return integer("max_episode_steps", max_episode_steps, 1)


def autoreset_mode_of(mode: AutoresetMode | str) -> AutoresetMode:
    """Return the autoreset mode meant: itself, or the one with this value."""
    if isinstance(mode, AutoresetMode):
        return mode
    return AutoresetMode(choice("autoreset_mode", mode, [each.value for each in AutoresetMode]))


def infos_of(
    step: Step,
    has_response: Array | None,
    mask: Array | None = None,
    truths: Array | None = None,
) -> Infos:
    """Return the infos of all lanes, or of those in the mask, as Gymnasium stacks them.

    Args:
        step: what came of a step, or what there is before the first.
        has_response: which lanes have a response, shape (n_lanes,), bool; None is all.
        mask: which lanes have an info; None is all.
        truths: the hidden state of each lane, where it is asked for.
    """
    n_lanes = step.responses.size
    values = {
        "has_response": np.ones(n_lanes, bool) if has_response is None else has_response,
        "interactions": step.interactions,
        "acceptances": step.acceptances,
        "rejections": step.rejections,
    }
    if truths is not None:
        values["hidden_state"] = truths
    return stacked(values, mask)


def stacked(values: Mapping[str, Array], mask: Array | None = None) -> Infos:
    """Return arrays of the lanes' values, each with a mask of the lanes that have it.

    Args:
        values: an array for each key.
        mask: which lanes have values; None is all.
    """
    infos: Infos = {}
    for key, array in values.items():
        infos[key] = array
        infos[f"_{key}"] = np.ones(array.size, bool) if mask is None else mask.copy()
    return infos


def shown_in(values: Mapping[str, Array], mask: Array | None) -> dict[str, Array]:
    """Return copies of the lanes' values, with nothing in the lanes that are not in the mask.

    Args:
        values: an array for each key.
        mask: which lanes have values; None is all.
    """
    if mask is None:
        return {name: each.copy() for name, each in values.items()}
    return {name: np.where(mask, each, np.zeros((), each.dtype)) for name, each in values.items()}


def final(finished: Array, observations: Array, infos: Mapping[str, Array]) -> Infos:
    """Return the last observations and infos of the lanes that are finished."""
    last_observations = np.full(finished.size, None, dtype=object)
    last_observations[finished] = observations[finished]
    last: Infos = {}
    for key, values in infos.items():
        last[key] = values.copy()
        last[key][~finished] = None if values.dtype == object else 0
    final_info = {"final_info": last, "_final_info": finished.copy()}
    return stacked({"final_obs": last_observations}, finished) | final_info


class LaneUsers:
    """The seed that each lane's stream began with, and which of its users is there.

    Args:
        n_lanes: number of lanes.
    """

    def __init__(self, n_lanes: int) -> None:
        self.seeds = [-1] * n_lanes
        self._later = np.full(n_lanes, -1)
        self._given = np.zeros(n_lanes, bool)

    def reseed(self, lane: int, seed: int) -> None:
        """Let the stream of `lane` begin anew with `seed`."""
        self.seeds[lane] = seed
        self._later[lane] = -1

    def begin(self, lanes: Array, given: bool) -> None:
        """Take in that new users come, whose means are `given` for them alone or not."""
        self._later[lanes] += 1
        self._given[lanes] = given

    def who(self, lane: int) -> str:
        """Return in words the user in `lane`."""
        return met(self.seeds[lane], self._later.item(lane), self._given.item(lane), lane)


def metadata_of_many(single: ExplorativeUserEnv, mode: AutoresetMode) -> dict[str, Any]:
    """Return the metadata of users in step.

    Args:
        single: what each of them equals.
        mode: when they are replaced.

    Raises:
        InvalidArgumentError: if so many cannot be rendered as the single one is.
    """
    if single.render_mode is not None:
        choice("render_mode", single.render_mode, RENDER_MODES_OF_MANY)
    own = {"render_modes": list(RENDER_MODES_OF_MANY), "autoreset_mode": mode}
    return single.metadata | own


class AskedUsers(VectorEnv[Array, Array, Array]):
    """Users in step whose streams, responses and truths can be asked for.

    The part of `ExplorativeUserVectorEnv` that changes nothing about the users.
    """

    _single: ExplorativeUserEnv
    _lanes: Lanes | None
    _users: LaneUsers
    _ready: bool
    _observations: Array
    _left: Array
    _heard: History
    _ended: History
    _remembers: bool
    _pictured: Truths | None

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The streams of the lanes."""
        return tuple(self._lanes.rngs) if self._lanes else ()

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seeds the streams of the lanes began with."""
        return tuple(self._users.seeds)

    @property
    def responses(self) -> Array:
        """What the last step or reset observed in each lane, not to be written to."""
        return self._observations

    @property
    def user(self) -> User:
        """The numbers of every user."""
        return self._single.user

    def single(self) -> ExplorativeUserEnv:
        """Return a new single environment of the kind that each lane equals."""
        return copy.deepcopy(self._single)

    def remember(self) -> History:
        """Return what is heard of each arm, from a lane's next reset on: nothing secret."""
        self._remembers = True
        return self._heard

    @property
    def ended(self) -> History:
        """What was heard of the users whom `SAME_STEP` replaced last, if it is remembered."""
        return self._ended

    def hidden_states(self) -> tuple[HiddenState, ...]:
        """Return the truth about every user; for teachers and tests, never for an agent."""
        lanes = self._begun_lanes("hidden_states")
        return tuple(lanes.hidden_state(lane) for lane in range(self.num_envs))

    def instances(self) -> tuple[Instance, ...]:
        """Return the true means and best arms as they are now; never for an agent."""
        return self._begun_lanes("instances").instances()

    def render(self) -> tuple[str | Array, ...] | None:
        """Return what `render_mode` shows of each lane's user.

        Raises:
            MissingExtraError: without Pillow for pixels.
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            return None
        self._begun_lanes("render")
        return tuple(self._frame(lane) for lane in range(self.num_envs))

    def _frame(self, lane: int) -> str | Array:
        assert self._lanes is not None
        assert self.render_mode is not None
        truth = partial(self._lanes.hidden_state, lane) if self._single.render_intervals else None
        return lane_frame(
            self.render_mode, self._heard, lane, truth, self._pictured, self._note(lane)
        )

    def _note(self, lane: int) -> str:
        """Return a line for a lane's picture."""
        return HAS_LEFT if self._left[lane] else ""

    def _forget(self, lanes: Array) -> None:
        """Begin with new users in these lanes, of whom nothing was heard."""
        if self._remembers:
            self._heard.forget(lanes)
        self._begin_pictures(lanes)

    def _begin_pictures(self, lanes: Array) -> None:
        """Begin pictures of new users in these lanes."""
        assert self._lanes is not None
        if self._pictured is not None:
            self._pictured.begin(lanes.tolist(), self._lanes.hidden_state)

    def _take_in(self, lanes: Array, arms: Array, responses: Array) -> None:
        """Take in what was heard in these lanes, from the arms and responses of all."""
        assert self._lanes is not None
        self._heard.record(lanes, arms[lanes], responses[lanes])
        if self._pictured is not None:
            self._pictured.go_on(lanes.tolist(), self._lanes.hidden_state)

    def _begun_lanes(self, what: str) -> Lanes:
        if self._lanes is None or not self._ready:
            raise gym.error.ResetNeeded(f"call reset before {what}")
        return self._lanes


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
