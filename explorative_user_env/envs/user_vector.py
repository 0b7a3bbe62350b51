"""`ExplorativeUser-v0`, many users in step: Gymnasium's vector environment."""

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

#: What a step of many users returns.
Stepped = tuple[Array, Array, Array, Array, Infos]

#: The least number of users for which loading the compiler pays.
COMPILED_FROM = 64

#: The most users in step; each has a random stream of a KB.
MOST_LANES = 1_000_000

#: The most arms of all users in step together, which take some 5 GB.
MOST_ARMS_IN_STEP = 50_000_000


def lane_seeds(seed: Seeds, n_lanes: int) -> list[int | None]:
    """Return a seed, or None, for each lane; an int s means s, s + 1, and so on."""
    if seed is None:
        return [None] * n_lanes
    if np.ndim(seed) == 0:  # type: ignore[arg-type]
        first = seed_number(seed)
        return [first + lane for lane in range(n_lanes)]
    several: Any = seed
    if len(several) != n_lanes:
        raise InvalidArgumentError("seed", seed, f"a number or {n_lanes} of them")
    return [None if each is None else seed_number(each) for each in several]


def lane_mask(mask: Any, n_lanes: int) -> Array:
    """Return a mask of lanes; None means all."""
    if mask is None:
        return np.ones(n_lanes, bool)
    one_each = isinstance(mask, np.ndarray) and mask.dtype == bool and mask.shape == (n_lanes,)
    if one_each and mask.any():
        return np.asarray(mask)
    allowed = f"an array of {n_lanes} bools, one of them True"
    raise InvalidArgumentError("reset_mask", mask, allowed)


def lane_arms(actions: Any, n_lanes: int, n_arms: int, in_range: bool = False) -> Array:
    """Return an int for each lane; unless `in_range`, ranges are checked where they are used."""
    try:
        arms: Array = np.asarray(actions)
    except ValueError:  # lists of lists of different lengths
        arms = np.zeros(0)
    fits = arms.shape == (n_lanes,) and arms.dtype.kind in "iu"
    if not fits or (in_range and not 0 <= arms.min() <= arms.max() < n_arms):
        raise no_arms(actions, n_lanes, n_arms)
    return arms.astype(int, copy=False)


def no_arms(actions: Any, n_lanes: int, n_arms: int) -> InvalidArgumentError:
    """Return the error of invalid actions."""
    return InvalidArgumentError("actions", actions, f"{n_lanes} integers in 0..{n_arms - 1}")


def masked(values: Mapping[str, Array], mask: Array) -> dict[str, Array]:
    """Return the values with nothing in the lanes that are not in the mask."""
    blank: Any = {name: np.zeros((), each.dtype) for name, each in values.items()}
    blank |= {name: None for name, each in values.items() if each.dtype == object}
    return {name: np.where(mask, each, blank[name]) for name, each in values.items()}


def stacked(values: Mapping[str, Array], mask: Array) -> Infos:
    """Return infos in Gymnasium's form: each array with a mask of the lanes that have a value."""
    infos: Infos = {}
    for key, array in values.items():
        infos[key], infos[f"_{key}"] = array, mask.copy()
    return infos


def new_lanes(single: ExplorativeUserEnv, rngs: Any, compiled: bool | None, label: Any) -> Lanes:
    """Return lanes for users like that of `single`, not begun yet.

    Args:
        single: the environment that each lane equals.
        rngs: the lanes' streams.
        compiled: whether to use compiled code, which not all users can; None is from
            `COMPILED_FROM` users on, if there is a compiler.
        label: returns in words the user in a lane.

    Raises:
        MissingExtraError: if `compiled` is True and there is no compiler.
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
    """Many users at once: lane b equals the single environment with lane b's seed.

    Infos have the form of Gymnasium's own vector environments: an array for each key of the single
    environment's info, and a mask `_key` of the lanes that have it. With
    `AutoresetMode.SAME_STEP` a finished lane's last observation and info are in `final_obs` and
    `final_info`.

    `reset(seed=s)` gives lane b the seed s + b, as Gymnasium's own do: so s and s + 1 share all
    users but one. For replicates that share none give a list of seeds, from
    `seeding.training_seeds` or `seeding.user_seeds`.

    The first reset of compiled users takes some ten seconds, unless the compiled code is cached. A
    line on a terminal or in a notebook says so;
    `logging.getLogger("explorative_user_env").setLevel("WARNING")` turns it off.

    Args:
        num_envs: number of users, at least 1.
        max_episode_steps: steps after which a lane is truncated, at least 1; None or, as for
            `gym.make`, -1 is never.
        autoreset_mode: when a finished lane gets a new user: at the "NextStep" (in place of it),
            at the "SameStep", or never by itself, "Disabled".
        compiled: whether the users run in compiled code, with the same results; None is from 64
            users on, if numba is installed. Users of another `behaviour` than the explorative never
            do.
        **kwargs: as in `ExplorativeUserEnv`.

    Attributes:
        user: the numbers of every user.
        responses: the observations of the last step or reset; do not write to them.
        ended: the history of the users whom `SAME_STEP` replaced last, if there is a history.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
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
        if single.follows_limit and max_episode_steps is not None:
            single.pay_until = max_episode_steps
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
        self._lanes: Any = None  # of `Lanes`, from the first reset on
        self._all, self._everyone = np.arange(n_lanes), np.ones(n_lanes, bool)
        # Of the stream of each lane: its seed, the users since, whether the means were given.
        self._seeds, self._later = [-1] * n_lanes, np.full(n_lanes, -1)
        self._given, self._active, self._done, self._left = np.zeros((4, n_lanes), bool)
        self._ready = self._any_done = False
        self.responses = np.zeros(n_lanes, int)
        self.ended = self.history_type(0, self.user.n_arms)
        self._picture(single.render_mode, single.render_intervals)
        self._set_up()

    def _set_up(self) -> None:
        """Prepare what a task needs besides."""

    def reset(self, *, seed: Seeds = None, options: Options = None) -> tuple[Array, Infos]:
        """Start with new users.

        Args:
            seed: seeds of the lanes; an int s means s, s + 1, ..., nearly the users of s + 1 (see
                above), and None goes on with a lane's own stream.
            options: those of the single environment for these episodes of all lanes, and
                `{"reset_mask": array of num_envs bools}`, which lanes to reset.

        Raises:
            InvalidArgumentError: for a seed or an option that is out of range.
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
        return self.responses.copy(), self._infos(step, none, mask)

    def step(self, actions: Any) -> Stepped:
        """Recommend arm `actions[b]` in lane b and return the responses.

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
        moved = None if fresh is None else ~fresh
        step = self._recommend(arms, moved)
        if fresh is not None:
            self._begin(np.flatnonzero(fresh))
        terminated, steps = self._ends(step, moved)
        return self._outcome(step, moved, terminated, steps)

    def _ends(self, step: Step, moved: Array | None) -> tuple[Array, Array]:
        """Return which episodes end by themselves, and the steps of all episodes."""
        return step.left, step.interactions

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The streams of the lanes."""
        return tuple(self._lanes.rngs) if self._lanes else ()

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seeds that the streams of the lanes began with."""
        return tuple(self._seeds)

    def single(self) -> ExplorativeUserEnv:
        """Return a new single environment like that of each lane."""
        return copy.deepcopy(self._single)

    def hidden_states(self) -> tuple[HiddenState, ...]:
        """Return the truth about every user; for teachers and tests, never for an agent."""
        lanes = self._ready_lanes("hidden_states")
        return tuple(map(lanes.hidden_state, range(self.num_envs)))

    def hidden_state_in(self, lane: int) -> HiddenState:
        """Return the truth about the user in a lane."""
        truth: HiddenState = self._lanes.hidden_state(lane)
        return truth

    def instances(self) -> tuple[Instance, ...]:
        """Return the true means and best arms as they are now; never for an agent."""
        return self._ready_lanes("instances").instances()

    def render(self) -> tuple[str | Array, ...] | None:
        """Return the picture of each lane's user by `render_mode`.

        Raises:
            MissingExtraError: without Pillow for pixels.
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
        """Give these lanes new streams; at the first reset all lanes."""
        if self._lanes is None:
            self._make_lanes([*streams.values()])
        for lane, rng in streams.items():
            self._lanes.reseed(lane, rng)

    def _make_lanes(self, rngs: list[np.random.Generator]) -> None:
        self._lanes = new_lanes(self._single, rngs, self._compiles, self._label)
        self.compiled = self._lanes.compiled

    def _begin(self, lanes: Array, start: Any = None, same_episode: bool = False) -> None:
        """Begin episodes with new users in these lanes, or go on with the next users."""
        self._active[lanes] = self._ready = False  # if this fails, they need a reset
        self._later[lanes] += not same_episode
        self._draw_users(lanes, None if same_episode else start or self._single.start_of(None))
        self._active[lanes], self._left[lanes] = True, False
        self._ready = bool(self._active.all())
        self._forget(lanes, same_episode)

    def _draw_users(self, lanes: Array, start: Any) -> None:
        """Put new users in these lanes; see `ExplorativeUserEnv.start_of`."""
        self._given[lanes] = start is not self._single.instance_law
        self._lanes.begin(lanes, start)

    def _label(self, lane: int) -> str:
        """Return in words the user in a lane."""
        return user_label(self._seeds[lane], self._later.item(lane), self._given.item(lane), lane)

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

    def _recommend(self, arms: Array, moved: Array | None) -> Step:
        """Recommend arms in these lanes (None: all)."""
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
        """Return the results of a step, and with `SAME_STEP` replace the users who are done."""
        infos, limit = self._infos(step, moved), self.max_episode_steps
        truncated = np.zeros(self.num_envs, bool) if limit is None else steps >= limit
        self._done = done = terminated | truncated
        self._any_done = bool(np.count_nonzero(done))
        self.responses = step.responses
        if self._any_done and self.autoreset_mode == AutoresetMode.SAME_STEP:
            observations = np.full(self.num_envs, None, dtype=object)
            observations[done] = step.responses[done]
            final = {"final_info": masked(infos, done), "_final_info": done.copy()}
            final |= stacked({"final_obs": observations}, done)
            lanes = np.flatnonzero(done)
            if self._history is not None:
                self.ended = self._history.part(lanes)
            self._begin(lanes)
            again = Step(*(np.where(done, 0, values) for values in step))
            self.responses = again.responses
            infos = final | self._infos(again, ~done)
        return self.responses.copy(), step.rewards, terminated, truncated, infos

    def _infos(self, step: Step, has_response: Array | None, mask: Array | None = None) -> Infos:
        """Return the infos of the lanes in the mask (None: all)."""
        response = self._everyone if has_response is None else has_response
        values = self._values(step, response.copy())
        if self._single.info_level == "full":
            truths = values["hidden_state"] = np.full(self.num_envs, None, dtype=object)
            for lane in (self._all if mask is None else np.flatnonzero(mask)).tolist():
                truths[lane] = self.hidden_state_in(lane)  # all at once NumPy would unpack them
        if mask is None:
            return stacked(values, self._everyone)
        return stacked(masked(values, mask), mask)

    def _values(self, step: Step, has_response: Array) -> dict[str, Array]:
        """Return the values of infos; the keys are the same at every step."""
        return counts_of(has_response, step.interactions, step.acceptances)
