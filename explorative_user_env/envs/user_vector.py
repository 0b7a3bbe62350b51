"""`ExplorativeUser-v0` as a Gymnasium vector environment: many users in parallel."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from explorative_user_env.envs.history import RENDER_MODES_OF_MANY
from explorative_user_env.envs.lanes import Lanes, Step
from explorative_user_env.envs.user import (
    EnvMixin,
    ExplorativeUserEnv,
    Infos,
    Options,
    counts_of,
    user_label,
)
from explorative_user_env.kernels.compiler import can_compile, require_compiler
from explorative_user_env.protocol import Array
from explorative_user_env.seeding import seed_number
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError, choice, count, flag, integer

Seeds = int | Sequence[int | None] | None

#: Observations, rewards, terminations, truncations and infos of many users.
Stepped = tuple[Array, Array, Array, Array, Infos]

#: From this number of users on, compiled code is faster, including the time to load it.
COMPILED_FROM = 64

#: The most users; each has a random stream of about 1 KB.
MOST_LANES = 1_000_000

#: The largest num_envs * n_arms; the arrays take about 5 GB.
MOST_ARMS_IN_STEP = 50_000_000


def lane_seeds(seed: Seeds, n_lanes: int) -> list[int | None]:
    """Return a seed or None for each lane; an int s gives lane b the seed s + b."""
    if seed is None:
        return [None] * n_lanes
    if np.ndim(seed) == 0:  # type: ignore[arg-type]
        first = seed_number(seed)
        return [first + lane for lane in range(n_lanes)]
    several: Any = seed
    if len(several) != n_lanes:
        raise InvalidArgumentError("seed", seed, f"one seed or {n_lanes} seeds")
    return [None if each is None else seed_number(each) for each in several]


def lane_mask(mask: Any, n_lanes: int) -> Array:
    """Validate the option `reset_mask`; None means all lanes."""
    if mask is None:
        return np.ones(n_lanes, bool)
    one_each = isinstance(mask, np.ndarray) and mask.dtype == bool and mask.shape == (n_lanes,)
    if one_each and mask.any():
        return np.asarray(mask)
    allowed = f"an array of {n_lanes} bools, at least one True"
    raise InvalidArgumentError("reset_mask", mask, allowed)


def lane_arms(actions: Any, n_lanes: int, n_arms: int, in_range: bool = False) -> Array:
    """Validate one integer for each lane; `in_range` requires integers in 0..n_arms-1."""
    try:
        arms: Array = np.asarray(actions)
    except ValueError:  # lists of lists of different lengths
        arms = np.zeros(0)
    fits = arms.shape == (n_lanes,) and arms.dtype.kind in "iu"
    if not fits or (in_range and not 0 <= arms.min() <= arms.max() < n_arms):
        raise no_arms(actions, n_lanes, n_arms)
    return arms.astype(int, copy=False)


def no_arms(actions: Any, n_lanes: int, n_arms: int) -> InvalidArgumentError:
    """Return the error for invalid actions."""
    return InvalidArgumentError("actions", actions, f"{n_lanes} integers in 0..{n_arms - 1}")


def masked(values: Mapping[str, Array], mask: Array) -> dict[str, Array]:
    """Return the values of lanes in the mask, and 0 or None for all other lanes."""
    blank: Any = {name: np.zeros((), each.dtype) for name, each in values.items()}
    blank |= {name: None for name, each in values.items() if each.dtype == object}
    return {name: np.where(mask, each, blank[name]) for name, each in values.items()}


def stacked(values: Mapping[str, Array], mask: Array) -> Infos:
    """Return infos in Gymnasium's form; the mask `_key` shows which lanes have a value of `key`."""
    infos: Infos = {}
    for key, array in values.items():
        infos[key], infos[f"_{key}"] = array, mask.copy()
    return infos


def new_lanes(single: ExplorativeUserEnv, rngs: Any, compiled: bool | None, label: Any) -> Lanes:
    """Return lanes that give the results of the environment `single`; they have no users yet.

    Args:
        single: the environment.
        rngs: the random streams of the lanes.
        compiled: whether to use compiled code where it supports the users; None is True from
            `COMPILED_FROM` users on, if numba is installed.
        label: function that describes the user in a lane for an error message.

    Raises:
        MissingExtraError: if `compiled` is True and numba is not installed.
    """
    can = single.behaviour == EXPLORATIVE
    if can and compiled:
        require_compiler("compiled=True needs")
    wanted = len(rngs) >= COMPILED_FROM if compiled is None else compiled
    kind = Lanes
    if can and wanted and can_compile():
        from explorative_user_env.envs.compiled_lanes import CompiledLanes, rule_compiles

        kind = CompiledLanes if rule_compiles(single.population, rngs[0]) else Lanes
    return kind(single.population, single.reward, rngs, label, single.pay_until)


class ExplorativeUserVectorEnv(EnvMixin, VectorEnv[Array, Array, Array]):
    """Many users in parallel; lane b gives the results of a single environment with lane b's seed.

    Infos have the form of Gymnasium's vector environments: an array for each key of the single
    environment's info, and a mask `_key` of the lanes that have this key. With
    `AutoresetMode.SAME_STEP` the last observation and info of a finished lane are in `final_obs`
    and `final_info`.

    `reset(seed=s)` gives lane b the seed s + b, as in Gymnasium. So `reset(seed=s)` and
    `reset(seed=s + 1)` share all users but one. For replicates without shared users pass a list of
    seeds, from `seeding.training_seeds` or `seeding.user_seeds`.

    The first reset of compiled users takes about ten seconds, unless the compiled code is cached. A
    terminal or notebook reports this compilation on one line;
    `logging.getLogger("explorative_user_env").setLevel("WARNING")` hides this line.

    Args:
        num_envs: number of users, at least 1.
        max_episode_steps: number of steps after which a lane is truncated, at least 1; None or -1
            never truncates.
        autoreset_mode: when a finished lane gets a new user: "NextStep" (the next step resets the
            lane and ignores its action), "SameStep", or "Disabled" (only `reset` resets the lane).
        compiled: whether the users run in compiled code, with the same results; None is True from
            64 users on if numba is installed. Only the behaviour "explorative" is compiled.
        **kwargs: arguments of `ExplorativeUserEnv`.

    Attributes:
        user: the parameters that all users share.
        responses: the observations of the last step or reset; read only.
        ended: the history of the users that the last `SAME_STEP` reset replaced; empty if the
            environment records no history.

    Raises:
        InvalidArgumentError: if an argument is out of range.
        MissingExtraError: at the first reset, if `compiled` is True and numba is not installed.
    """

    #: The environment that each lane equals.
    single_env: type[ExplorativeUserEnv] = ExplorativeUserEnv

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        compiled: bool | None = None,
        **kwargs: Any,
    ) -> None:
        single = self._single = self.single_env(**kwargs)
        self.population, self.user = single.population, single.user
        self.length, self.history_type = single.length, single.history_type
        self.num_envs = self._n_lanes = n_lanes = count("num_envs", num_envs, 1, MOST_LANES)
        if (most := MOST_ARMS_IN_STEP // self.user.n_arms) < n_lanes:
            allowed = f"at most {most} with {self.user.n_arms} arms"
            raise InvalidArgumentError("num_envs", n_lanes, allowed)
        if isinstance(max_episode_steps, int) and max_episode_steps == -1:  # as for `gym.make`
            max_episode_steps = None
        if max_episode_steps is not None:
            max_episode_steps = integer("max_episode_steps", max_episode_steps, 1)
        self.max_episode_steps = max_episode_steps

        if not isinstance(autoreset_mode, AutoresetMode):
            choice("autoreset_mode", autoreset_mode, [each.value for each in AutoresetMode])
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self._compiles = None if compiled is None else flag("compiled", compiled)
        self.compiled = n_lanes >= COMPILED_FROM if compiled is None else self._compiles
        if single.render_mode is not None:
            choice("render_mode", single.render_mode, RENDER_MODES_OF_MANY)
        modes = {"render_modes": list(RENDER_MODES_OF_MANY), "autoreset_mode": self.autoreset_mode}
        self.metadata = single.metadata | modes
        self.single_action_space = single.action_space
        self.single_observation_space = single.observation_space
        self.action_space = batch_space(self.single_action_space, n_lanes)
        self.observation_space = batch_space(self.single_observation_space, n_lanes)
        self._lanes: Any = None  # the first reset creates the `Lanes`
        self._all, self._everyone = np.arange(n_lanes), np.ones(n_lanes, bool)
        # Of each lane: its seed, the number of users after its first, whether a reset had options.
        self._seeds, self._later = [-1] * n_lanes, np.full(n_lanes, -1)
        self._given, self._active, self._done, self._left = np.zeros((4, n_lanes), bool)
        self._ready = self._any_done = False
        self.responses = np.zeros(n_lanes, int)
        self.ended = self.history_type(0, self.user.n_arms)
        self._picture(single.render_mode, single.render_intervals)
        self._set_up()

    def _set_up(self) -> None:
        """Set the attributes of a subclass."""

    def reset(self, *, seed: Seeds = None, options: Options = None) -> tuple[Array, Infos]:
        """Start episodes with new users.

        Args:
            seed: a list of seeds, one for each lane, or an int s for the seeds s, s + 1, ...; None
                continues each lane's random stream.
            options: None, or a dict with options of the single environment. The key "reset_mask",
                an array of num_envs bools, selects the lanes to reset; by default all.

        Raises:
            InvalidArgumentError: if a seed or an option is out of range.
        """
        seeds = lane_seeds(seed, self.num_envs)
        rest: Any = dict(options) if isinstance(options, Mapping) else options
        given = rest.pop("reset_mask", None) if isinstance(rest, dict) else None
        mask = lane_mask(given, self.num_envs)
        start, lanes = self._single.start_of(rest), np.flatnonzero(mask)
        streams = {}
        for lane in lanes.tolist() if self._lanes else range(self.num_envs):
            new = seeds[lane] if mask[lane] else None
            if self._lanes is None or new is not None:
                streams[lane], self._seeds[lane] = seeding.np_random(new)
        self._later[[*streams]] = -1
        self._take_streams(streams)
        self._begin(lanes, start)
        self._done &= ~mask
        self._any_done = bool(self._done.any())
        self.responses[lanes] = 0
        step, none = Step.blank(self.num_envs), np.zeros(self.num_envs, bool)
        return self._observations(), self._infos(step, none, mask)

    def step(self, actions: Any) -> Stepped:
        """Recommend arm `actions[b]` in lane b and return the responses.

        Args:
            actions: an arm for each lane, shape (num_envs,), of any integer type.

        Returns:
            The responses, rewards, terminations (True if a user left), truncations and infos. In
            `NEXT_STEP` mode a lane that ended in the previous step ignores its action and is reset.

        Raises:
            InvalidArgumentError: if an action is not an arm.
            gymnasium.error.ResetNeeded: before the first reset, or if a lane is finished and the
                autoreset mode is "Disabled".
        """
        arms = lane_arms(actions, self.num_envs, self.user.n_arms)
        fresh = self._fresh()
        moved = None if fresh is None else ~fresh
        step = self._recommend(arms, moved)
        if fresh is not None:
            self._begin(np.flatnonzero(fresh))
        terminated, steps = self._ends(step, moved)
        return self._outcome(step, moved, terminated, steps)

    def _ends(self, step: Step, moved: Array | None) -> tuple[Array, Array]:
        """Return which episodes terminate, and the number of steps of each episode."""
        return step.left, step.interactions

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The random streams of the lanes."""
        return tuple(self._lanes.rngs) if self._lanes else ()

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each lane's random stream."""
        return tuple(self._seeds)

    def single(self) -> ExplorativeUserEnv:
        """Return a new single environment with the arguments of the lanes."""
        return copy.deepcopy(self._single)

    def hidden_states(self) -> tuple[HiddenState, ...]:
        """Return every user's hidden state; for teachers and tests, not for agents."""
        lanes = self._ready_lanes("hidden_states")
        return tuple(map(lanes.hidden_state, range(self.num_envs)))

    def hidden_state_in(self, lane: int) -> HiddenState:
        """Return the hidden state of the user in a lane."""
        truth: HiddenState = self._lanes.hidden_state(lane)
        return truth

    def instances(self) -> tuple[Instance, ...]:
        """Return the present true means and best arm of every user; not for agents."""
        return self._ready_lanes("instances").instances()

    def render(self) -> tuple[str | Array, ...] | None:
        """Return the picture of each lane's user in `render_mode`.

        Raises:
            MissingExtraError: if `render_mode` is "rgb_array" and Pillow is not installed.
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            return None
        self._ready_lanes("render")
        return tuple(self._frame(lane, self.render_mode) for lane in range(self.num_envs))

    def _ready_lanes(self, what: str) -> Lanes:
        if not self._ready:
            raise gym.error.ResetNeeded(f"call reset before {what}")
        lanes: Lanes = self._lanes
        return lanes

    def _take_streams(self, streams: dict[int, np.random.Generator]) -> None:
        """Give these lanes new random streams; the first reset passes all lanes."""
        if self._lanes is None:
            self._make_lanes([*streams.values()])
        for lane, rng in streams.items():
            self._lanes.reseed(lane, rng)

    def _make_lanes(self, rngs: list[np.random.Generator]) -> None:
        self._lanes = new_lanes(self._single, rngs, self._compiles, self._label)
        self.compiled = self._lanes.compiled

    def _begin(self, lanes: Array, start: Any = None, same_episode: bool = False) -> None:
        """Start episodes in these lanes, or draw the next users of the same episodes."""
        self._active[lanes] = self._ready = False  # after an error these lanes need a reset
        self._later[lanes] += not same_episode
        self._draw_users(lanes, None if same_episode else start or self._single.start_of(None))
        self._active[lanes], self._left[lanes] = True, False
        self._ready = bool(self._active.all())
        self._forget(lanes, same_episode)

    def _draw_users(self, lanes: Array, start: Any) -> None:
        """Draw new users in these lanes; `start` is a result of `ExplorativeUserEnv.start_of`."""
        self._given[lanes] = start is not self._single.instance_law
        self._lanes.begin(lanes, start)

    def _label(self, lane: int) -> str:
        """Describe the user in a lane for an error message."""
        return user_label(self._seeds[lane], self._later.item(lane), self._given.item(lane), lane)

    def _fresh(self) -> Array | None:
        """Return the mask of lanes that this step resets, or None if there are no such lanes."""
        if not self._ready:
            raise gym.error.ResetNeeded("call reset before step")
        if not self._any_done or self.autoreset_mode == AutoresetMode.SAME_STEP:
            return None
        if self.autoreset_mode == AutoresetMode.DISABLED:
            lanes = np.flatnonzero(self._done).tolist()
            raise gym.error.ResetNeeded(f"reset the finished lanes {lanes} before step")
        return self._done

    def _recommend(self, arms: Array, moved: Array | None) -> Step:
        """Recommend arms in the lanes of the mask `moved`; None means all lanes."""
        lanes = None if moved is None else np.flatnonzero(moved)
        step = Step.blank(self.num_envs, filled=moved is None)
        if not self._lanes.respond(lanes, arms, step):
            raise no_arms(arms, self.num_envs, self.user.n_arms)
        if self._single.behaviour.leaves is not None:
            self._left |= step.left
        if self._history is not None:
            chosen = self._all if lanes is None else lanes
            self._history.record(chosen, arms[chosen], step.responses[chosen])
            self._see_responses(chosen.tolist())
        return step

    def _outcome(self, step: Step, moved: Array | None, terminated: Array, steps: Array) -> Stepped:
        """Return the results of a step; with `SAME_STEP` reset each lane whose episode ended."""
        infos, limit = self._infos(step, moved), self.max_episode_steps
        truncated = np.zeros(self.num_envs, bool) if limit is None else steps >= limit
        self._done = done = terminated | truncated
        self._any_done = bool(np.count_nonzero(done))
        self.responses = step.responses
        if self._any_done and self.autoreset_mode == AutoresetMode.SAME_STEP:
            observations = np.full(self.num_envs, None, dtype=object)
            lanes = np.flatnonzero(done)
            last: Any = self._observations()[lanes]
            last = last.tolist() if last.ndim == 1 else last
            for lane, observation in zip(lanes.tolist(), last, strict=True):
                observations[lane] = observation
            final = {"final_info": masked(infos, done), "_final_info": done.copy()}
            final |= stacked({"final_obs": observations}, done)
            if self._history is not None:
                self.ended = self._history.part(lanes)
            self._begin(lanes)
            again = Step(*(np.where(done, 0, values) for values in step))
            self.responses = again.responses
            infos = final | self._infos(again, ~done)
        return self._observations(), step.rewards, terminated, truncated, infos

    def _observations(self) -> Array:
        """Return a copy of the observation of each lane."""
        return self.responses.copy()

    def _infos(self, step: Step, has_response: Array | None, mask: Array | None = None) -> Infos:
        """Return the infos of the lanes in the mask; None means all lanes."""
        response = self._everyone if has_response is None else has_response
        values = self._values(step, response.copy())
        if self._single.info_level == "full":
            truths = values["hidden_state"] = np.full(self.num_envs, None, dtype=object)
            for lane in (self._all if mask is None else np.flatnonzero(mask)).tolist():
                truths[lane] = self.hidden_state_in(lane)  # NumPy would unpack a list of tuples
        if mask is None:
            return stacked(values, self._everyone)
        return stacked(masked(values, mask), mask)

    def _values(self, step: Step, has_response: Array) -> dict[str, Array]:
        """Return each info as an array over lanes; the keys are the same at every step."""
        return counts_of(has_response, step.interactions, step.acceptances)
