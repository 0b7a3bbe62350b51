"""`ExplorativeUser-v0`: one explorative user as a Gymnasium environment."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Unpack

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from explorative_user_env.envs import MAX_EPISODE_STEPS
from explorative_user_env.envs.counts import Table, count
from explorative_user_env.envs.history import HAS_LEFT, RENDER_MODES, History, seen_in_lane
from explorative_user_env.protocol import ONLY, REGRET, Agent, Array, sees_rewards
from explorative_user_env.seeding import seed_number
from explorative_user_env.users import population as users
from explorative_user_env.users.behaviours import EXPLORATIVE, steps_of
from explorative_user_env.users.hidden_state import HiddenState, hidden_state_of
from explorative_user_env.users.instances import Instance, InstanceLaw
from explorative_user_env.users.model import GAUSSIAN
from explorative_user_env.users.population import Population, UserOptions
from explorative_user_env.validation import InvalidArgumentError, choice, flag, integer

Infos = dict[str, Any]
Options = dict[str, Any] | None

#: Observation, reward, terminated, truncated and info of one user.
Stepped = tuple[Any, float, bool, bool, Infos]

REWARDS = ("regret", "utility", "realized", "accept", "none")
REGRET_REWARD, UTILITY_REWARD, REALIZED_REWARD, ACCEPT_REWARD, NO_REWARD = range(len(REWARDS))


def reward_of(kind: int, mean: float, best_mean: float, accepted: bool, realized: float) -> float:
    """Return the reward of a step; `kind` is the index in `REWARDS` of the reward's name."""
    if kind == REGRET_REWARD:
        return mean - best_mean
    if kind == UTILITY_REWARD and accepted:
        return mean
    if kind == REALIZED_REWARD and accepted:
        return realized
    if kind == ACCEPT_REWARD and accepted:
        return 1.0
    return 0.0


NORMALS_AT_ONCE = 256


class DrawnAhead:
    """Draw standard normals from `rng` in blocks, with the same numbers as one draw at a time.

    `settle` rewinds `rng` to the state after the last number that was taken. Other code may also
    draw from `rng`: no number is drawn twice.

    Attributes:
        left: the numbers of the block that are not taken yet, in reverse order. If the list is
            empty, call `draw`.
        standard_normal: returns the next number of the block.
    """

    def __init__(self, rng: np.random.Generator, left: Any = None, ends: Any = None) -> None:
        self.rng, self._ends = rng, ends
        self.left: list[float] = [] if left is None else left
        self.random, self.standard_normal = rng.random, self.left.pop

    def draw(self) -> None:
        """Draw the next block."""
        bits = self.rng.bit_generator
        before = bits.state
        self.left.extend(self.rng.standard_normal(NORMALS_AT_ONCE)[::-1].tolist())
        self._ends = before, bits.state

    def settle(self) -> np.random.Generator:
        """Return the Generator, rewound to the state after the last number that was taken."""
        bits = self.rng.bit_generator
        if self.left and repr(bits.state) == repr(self._ends[1]):
            bits.state = self._ends[0]
            self.rng.standard_normal(NORMALS_AT_ONCE - len(self.left))
        self.left.clear()
        return self.rng

    def __reduce__(self) -> Any:
        return type(self), (self.rng, self.left, self._ends)


def as_action(action: Any, n_actions: int) -> int:
    """Validate an action in 0..n_actions-1, an integer or an array of size 1; return an int."""
    if type(action) is np.int64 and 0 <= action < n_actions:
        return int(action)  # skip the slow validation, as Stable-Baselines3 passes this type
    if isinstance(action, np.ndarray) and action.size == 1:
        action = action.reshape(())[()]
    return integer("action", action, 0, n_actions - 1)


def labelled(space: spaces.Space[Any], **reading: Any) -> spaces.Space[Any]:
    """Attach `reading`, which describes the observations, to a space, and return the space.

    Stable-Baselines3 saves the space with a model, so a loaded model still has `reading`.
    """
    space.reading = dict(reading_of(space)) | reading  # type: ignore[attr-defined]
    return space


def reading_of(space: Any) -> Mapping[str, Any]:
    """Return what `labelled` attached to a space; an empty mapping for any other space."""
    return getattr(space, "reading", {})


def options_of_reset(options: Any, *known: str) -> dict[str, Any]:
    """Check that the `options` of a reset have only keys in `known` and numbers as values."""
    if options is not None and not isinstance(options, Mapping):
        raise InvalidArgumentError("options", options, f"a dict with keys {' and '.join(known)}")
    for name, value in (options or {}).items():
        choice("options key", name, known)
        if name != "user" and (isinstance(value, str) or callable(value)):
            raise InvalidArgumentError(name, value, "numbers, one for each arm")
    return dict(options or {})


def counts_of(has_response: Any, interactions: Any, acceptances: Any) -> dict[str, Any]:
    """Return counts for Gymnasium's dict `info`: numbers for one user, arrays for many users."""
    return {
        "has_response": has_response,
        "interactions": interactions,
        "acceptances": acceptances,
        "rejections": interactions - acceptances,
    }


def user_label(seed: int, later: int, given: bool = False, lane: int | None = None) -> str:
    """Describe a user, and the reset that draws her again, for an error message.

    Args:
        seed: the seed of the latest seeded reset.
        later: the number of users drawn after the first user of that seed.
        given: whether the reset had options.
        lane: the user's lane in a vector environment.
    """
    user = "the user" if lane is None else f"the user in lane {lane}"
    if later:
        return f"{user}, number {later + 1} on the stream of seed {seed}"
    reset = f"env.reset(seed={seed}{', options=...' if given else ''})"
    same = f" of {reset}" if lane is None else f", the user of {reset} in a single environment"
    return f"{user}{same}"


class EnvMixin:
    """The history and rendering of environments; a single environment has only lane 0."""

    #: The class that counts responses.
    history_type: type[History] = History

    #: The number of steps after which the environment itself ends an episode, or None.
    length: int | None = None

    population: Population
    hidden_state_in: Callable[[int], HiddenState]
    _n_lanes = 1
    _spec: EnvSpec | None = None
    _history: History | None = None
    _shows_truth = False  # whether pictures show hidden states
    _watched = False
    _left: Any

    @property
    def spec(self) -> EnvSpec | None:
        """Gymnasium's specification; `self.length`, if not None, replaces `max_episode_steps`."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        """Set the specification, as `gym.make` does."""
        if spec is not None and self.length is not None:
            spec = replace(spec, max_episode_steps=self.length)
        self._spec = spec

    def _picture(self, render_mode: str | None, render_intervals: bool) -> None:
        self.render_mode, self.render_intervals = render_mode, render_intervals
        if render_mode is not None:
            self.remember()
        self._shows_truth = render_intervals and render_mode not in (None, "ansi")
        # Two hidden states of each user: at her last decision, and now.
        self._truths: list[tuple[Any, Any]] = [(None, None)] * self._n_lanes

    def remember(self) -> History:
        """Return the history of responses, which the environment records from the next reset on."""
        if self._history is None:
            self._history = self.history_type(self._n_lanes, self.population.n_arms)
            self._watched = True
        return self._history

    def _forget(self, lanes: Array, same_episode: bool = False) -> None:
        """Clear the history of lanes that get new users."""
        if self._history is not None:
            self._history.next_user(lanes) if same_episode else self._history.forget(lanes)
        for lane in lanes.tolist() if self._shows_truth else ():
            self._truths[lane] = None, self.hidden_state_in(lane)

    def _see_responses(self, lanes: list[int]) -> None:
        """Store the hidden states of users who have responded, if pictures show hidden states."""
        for lane in lanes if self._shows_truth else ():
            self._truths[lane] = self._truths[lane][1], self.hidden_state_in(lane)

    def _frame(self, lane: int, mode: str) -> str | Array:
        """Return the picture of the user in a lane."""
        # Imported here because most environments never render.
        from explorative_user_env.show.raster import pixels_of
        from explorative_user_env.show.scene import scene_of_user, text_of_user
        from explorative_user_env.show.svg import svg_of

        seen, note = seen_in_lane(self.remember(), lane), self._note(lane)
        truth = self.hidden_state_in(lane) if self.render_intervals else None
        if mode == "ansi":
            text = text_of_user(seen, truth)
            return f"{note}\n{text}" if self.history_type is not History else text
        scene = scene_of_user(seen, truth, self._truths[lane][0], note=note)
        return svg_of(scene) if mode == "svg" else pixels_of(scene)

    def _note(self, lane: int) -> str:
        """Return the note below a picture."""
        return HAS_LEFT if np.atleast_1d(self._left)[lane] else ""


class ExplorativeUserEnv(EnvMixin, gym.Env[int, int]):
    r"""A user who is still learning what she likes, and only accepts or rejects.

    A policy without memory cannot learn from the observation, which is one response. To train such
    a policy, use `ExplorativeUserCounts-v0`.

    ## Description
    The user keeps a confidence interval for the mean reward of each of K arms. She rejects a
    recommended arm i if and only if another arm is clearly better: `lcb_j >= ucb_i` for some j.
    Otherwise she accepts it, draws a reward, and learns from it. The agent observes acceptances and
    rejections only, no rewards and no intervals, and wants to find her best arm. This is the model
    of section 2 of the paper:
    `lcb_i, ucb_i = hat mu_i -/+ sqrt(Gamma / n_i)`, `Gamma = max(0, 2 alpha log(rho_t n(t)))`,
    where `hat mu_i` is her mean reward of arm i, `n_i` counts her acceptances of arm i, `n(t)`
    counts all her acceptances, `alpha` is her willingness to explore, and `rho_t` is her confidence
    in the system.

    ## Action Space
    `Discrete(n_arms)`: the arm to recommend, 0..K-1.

    ## Observation Space
    `Discrete(2)`: the response, 1 accepted and 0 rejected. After a reset there is no response yet:
    the observation is 0 and `info["has_response"]` is False.

    ## Rewards
    The reward is a training signal, not an observation. A policy with the reward among its inputs
    (or in a recurrent memory) learns the best arm from it, as mu_a - mu_* is 0 only for that arm.
    No agent of this package observes rewards, except the reference FullInformation. The argument
    `reward` selects one of:
    - `"regret"` (default): mu_a - mu_* of the recommended arm, at most 0;
    - `"utility"`: mu_a if accepted, else 0;
    - `"realized"`: the reward that the user drew if she accepted, else 0;
    - `"accept"`: 1 if accepted, else 0. It rewards an agent that never explores: the user ends up
      accepting any arm that is recommended for ever;
    - `"none"`: 0.

    If a user leaves at step t, `"regret"` adds at once (horizon - t) (min_i mu_i - mu_*), the
    reward of her worst arm for all missed steps. So no agent gains if she leaves, and the rewards
    of an episode sum to minus its regret. With discounting the reward at step t weighs more than
    the missed steps (up to 4.5 times with gamma = .99). With the other rewards, a user who leaves
    changes no reward.

    ## Starting State
    An episode starts with a new user. Her means are given, or drawn from their law, with the best
    arm moved to `gap` above the second best. `reset(options={"means": [...]})` sets the means of
    one episode, unchanged.

    ## Episode End
    `terminated` is True when the user leaves; only users with the behaviour "impatient" leave.
    `gym.make` truncates at `max_episode_steps`, by default 1000.

    ## Information
    Every info has `has_response` and the counts `interactions`, `acceptances` and `rejections`.
    With `info_level="full"` it also has `hidden_state`: the user's counts, means and intervals.
    `env.unwrapped.hidden_state()` returns the hidden state at any time.

    ## Arguments
    - `n_arms` (5): K, in 2..1000000.
    - `gap` (None): Delta_1 > 0, the distance of the best mean to the second best. None is 0.5, but
      leaves K given means unchanged.
    - `alpha` (1.0): the user's willingness to explore, above 0.
    - `setting` ("printed"): all other modelling choices. "printed" follows the paper's text,
      "released" follows the paper's code, and a `Setting` record gives each choice.
    - `means` (None): "normal", "uniform", "uniform_with_room" (on [0, 1 - gap]), K numbers, or a
      callable `(n_arms, rng) -> K numbers`; None is the setting's law.
    - `rho` (None): schedule of rho_t: a registered name, a constant, or a `Schedule`; None is the
      setting's schedule.
    - `noise` (0.0): probability in [0, 1] that a coin flip replaces a decision.
    - `reward_law` ("gaussian"): the law of rewards: N(mu, 1), "bernoulli" (1 with probability mu,
      else 0; means must be in [0, 1], and `means=None` is "uniform_with_room"), "bounded" (uniform
      on mu +- sqrt 3, variance 1), a registered name, a callable `(mean, rng) -> reward` or a
      `RewardLaw`.
    - `behaviour` ("explorative"): the rule of responses: "explorative", "omniscient", "forgetful",
      "drifting" (her means and her best arm change), "logistic", "impatient" (may leave after a
      rejection), "varied" (draws her own alpha, rho_t, noise and gap), a registered name or a
      `Behaviour`. A name may have parameters, as in "drifting(sigma=0.01)".
    - `horizon` (None): number of steps of an episode, which determines the reward when a user
      leaves; None is 1000. If you change `max_episode_steps`, set `horizon` to the same number.
    - `reward` ("regret"): see Rewards above.
    - `info_level` ("counts"): "counts" or "full"; see Information above.
    - `render_mode` (None): the picture shows each arm's acceptances, rejections and last response,
      and the last recommendation. "svg" returns SVG text, for notebooks and browsers; "rgb_array"
      returns pixels, shape (height, width, 3), and needs Pillow; "human" shows a window, 4 steps a
      second, and needs Pillow and pygame; "ansi" returns a text table. With a `render_mode` a
      notebook shows `env.unwrapped` as a picture.
    - `render_intervals` (False): whether the picture also shows the hidden state: the user's
      intervals, her estimates, the true means, and the arm that is clearly better than a rejected
      arm.

    ```python
    >>> import gymnasium as gym
    >>> import explorative_user_env
    >>> env = gym.make("ExplorativeUser-v0", n_arms=3)
    >>> observation, info = env.reset(seed=7)
    >>> observation, reward, terminated, truncated, info = env.step(2)

    ```

    ## References
    Yao, Li, Nekipelov, Wang, Xu: Learning the Optimal Recommendation from Explorative Users,
    AAAI 2022.

    ## Version History
    * v0: initial version
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012
    _window: Any = None
    _later = -1  # the number of unseeded resets since the latest seeded one
    _given = False  # whether the reset had options
    _table: Table | None = None  # the counts, if the environment observes counts

    @users.lists_user_options()
    def __init__(
        self,
        arms: int | None = None,
        /,
        *,
        reward: str = "regret",
        info_level: str = "counts",
        render_mode: str | None = None,
        render_intervals: bool = False,
        horizon: int | None = None,
        population: Population | None = None,
        **user: Unpack[UserOptions],
    ) -> None:
        self.population = users.population_of(population, user, arms)
        self.user, self.schedule = self.population.user, self.population.schedule
        self.behaviour, self.instance_law = self.population.behaviour, self.population.instance_law
        self.reward = choice("reward", reward, REWARDS)
        self.info_level = choice("info_level", info_level, ("counts", "full"))
        self.pay_until = MAX_EPISODE_STEPS if horizon is None else integer("horizon", horizon, 1)

        self._kind = REWARDS.index(reward)
        self._fixed_rewards = not (reward == "realized" or self.behaviour.moves_means)
        can_leave = self.behaviour.leaves is not None
        self._watched = can_leave or not self._fixed_rewards or info_level == "full"
        reading = {"task": REGRET.name, "observation": "response", "n_arms": self.user.n_arms}
        self.action_space: spaces.Space[Any] = spaces.Discrete(self.user.n_arms)
        self.observation_space: spaces.Space[Any] = labelled(spaces.Discrete(2), **reading)
        self._state = self.behaviour.blank(self.user)
        self._instance: Instance | None = None
        self._stream: Any = None
        # The user, her state and rules, her random stream, its numbers drawn ahead, and the rewards
        # of each arm; None before a reset and after the end of an episode.
        self._active: tuple[Any, ...] | None = None
        self._leaves: Callable[..., bool] | None = None
        self._left = False
        if render_mode is not None:
            choice("render_mode", render_mode, RENDER_MODES)
        self._picture(render_mode, flag("render_intervals", render_intervals))

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[Any, Infos]:
        """Start an episode with a new user.

        Args:
            seed: seed of the user; None continues the random stream of the last user.
            options: None, or a dict as in the section "Starting State" of the class.

        Raises:
            InvalidArgumentError: if the seed or an option is invalid; the episode then continues.
            CallableError: if a custom function fails; the environment then needs another reset.
        """
        seed = None if seed is None else seed_number(seed)  # Gymnasium requires an int
        start = self.start_of(options)
        super().reset(seed=seed)
        self._later = 0 if seed is not None else self._later + 1
        self._begin(start)
        return self._observation(), self._info(False)

    def start_of(self, options: Any) -> Any:
        """Return the law from which a reset draws the instance; `options` may be None."""
        start = options_of_reset(options, "means")
        if not start:
            return self.instance_law
        return InstanceLaw(self.user.n_arms, start["means"], within=self.instance_law.within)

    def _begin(self, start: Any) -> None:
        """Start an episode."""
        self._given = start is not self.instance_law
        self.draw_user(start, self.np_random)
        self._forget(ONLY)
        self._show()

    def draw_user(self, law: InstanceLaw, rng: np.random.Generator) -> None:
        """Replace the user by a new one: her instance follows `law`, her random stream is `rng`."""
        self.settle()
        self._instance = self._active = None
        behaviour, user, state = self.behaviour, self.user, self._state
        respond, self._leaves = behaviour.checked()
        self._left = False
        try:
            instance = law.draw(rng)
            state.means[:] = instance.means
            behaviour.start(user, state, rng)
        except Exception as error:
            raise self.population.failure(error, f"while drawing {self._label()}", law) from error
        left = [0.0]  # never empty: `step` draws a block only if `left` is empty
        self._stream = rng
        if user.noise == 0.0 and user.reward_law == GAUSSIAN and behaviour == EXPLORATIVE:
            # A step draws at most one normal and nothing else, so it can take normals from a block.
            self._stream = DrawnAhead(rng)
            left = self._stream.left
        kind, means, best = self._kind, instance.means, instance.means[instance.best_arm]
        if_accepted = if_rejected = [reward_of(kind, mean, best, False, 0.0) for mean in means]
        if kind != REGRET_REWARD:
            if_accepted = [reward_of(kind, mean, best, True, 0.0) for mean in means]
        parts = (user, state, respond, self.schedule.rule, self._stream, left)
        self._active = (*parts, if_rejected, if_accepted)
        self._instance = instance

    def settle(self) -> np.random.Generator:
        """Return the user's Generator, rewound to the state after the last number that she took."""
        stream: Any = self._stream
        return stream.settle() if isinstance(stream, DrawnAhead) else stream

    def step(self, action: int) -> Stepped:
        """Recommend arm `action` and return the response.

        Args:
            action: an arm, as an int, any NumPy integer or an array of size 1.

        Returns:
            The response (1 accepted), the reward, whether the user has left, `truncated` (always
            False), and the info.

        Raises:
            InvalidArgumentError: if the action is not an arm.
            gymnasium.error.ResetNeeded: before the first reset, and after the user has left.
        """
        if self._active is None:
            raise gym.error.ResetNeeded("call reset before step")
        user, state, respond, rule, stream, left, if_rejected, if_accepted = self._active
        if not left:
            stream.draw()
        # Skip the slow validation for ints in range.
        n_arms = user.n_arms
        arm = action if type(action) is int and 0 <= action < n_arms else as_action(action, n_arms)
        table = self._table
        if table is not None:
            counts, order, copy_of_row = table.first
            rank, arm = arm, order[arm]
        try:
            accepted = respond(user, state, rule, arm, stream)
        except Exception as error:
            where = f"at step {steps_of(respond, state)} of {self._label()}"
            raise self.population.failure(error, where) from error
        reward = if_accepted[arm] if accepted else if_rejected[arm]
        interactions = state.interactions[0]
        acceptances = state.acceptances[0]
        info: dict[str, Any] = {  # `counts_of` inlined, for speed
            "has_response": True,
            "interactions": interactions,
            "acceptances": acceptances,
            "rejections": interactions - acceptances,
        }
        observation: Any = 1 if accepted else 0
        if table is not None:
            count(counts, rank, arm, accepted)
            observation = copy_of_row()
        if self._watched:
            reward = self._watch(arm, accepted, reward)
            self._with_truth(info)
            return observation, reward, self._left, False, info
        return observation, reward, False, False, info

    def _observation(self) -> Any:
        """Return the observation without a response."""
        return 0 if self._table is None else self._table.rows[0].copy()

    def _arm_of(self, action: int) -> int:
        """Return the arm of an action, which is a rank if the environment observes counts."""
        arm: int = action if self._table is None else self._table.first[1][action]
        return arm

    def _watch(self, arm: int, accepted: bool, reward: float) -> float:
        """Handle moving means, a user who leaves, and the history; return the reward."""
        state, kind = self._state, self._kind
        if not self._fixed_rewards:
            truth = self.instance()
            means = truth.means[arm], truth.means[truth.best_arm]
            reward = reward_of(kind, *means, accepted, state.reward[0])
        if self._leaves is not None:
            try:
                self._left = self._leaves(self.user, state, accepted, self._stream)
            except Exception as error:
                where = f"at step {steps_of(self._leaves, state)} of {self._label()}"
                raise self.population.failure(error, where) from error
            if self._left:
                # Each missed step costs as much as a recommendation of the worst arm, so no agent
                # gains if the user leaves.
                self._active, truth = None, self.instance()
                ends = min(truth.means), truth.means[truth.best_arm]
                missed = max(0, self.pay_until - state.interactions[0])
                reward += missed * reward_of(kind, *ends, False, 0.0)
        if self._history is not None:
            self._history.record(0, arm, int(accepted))
            self._see_responses([0])
            self._show()
        return reward

    def hidden_state(self) -> HiddenState:
        """Return the user's counts, means and intervals; for teachers and tests, not for agents."""
        instance = self.instance()
        rho = self.behaviour.rho(self.user, self._state, self.schedule.rule)
        return hidden_state_of(self.user, self._state, instance, rho)

    def hidden_state_in(self, lane: int) -> HiddenState:
        """Return the hidden state of the only user; she is in lane 0."""
        return self.hidden_state()

    def instance(self) -> Instance:
        """Return the present true means and best arm; not for agents."""
        if self._instance is None:
            raise gym.error.ResetNeeded("call reset before hidden_state or instance")
        return self.behaviour.truth(self._instance, self._state.means)

    def render(self) -> Any:
        """Return the picture in `render_mode`, or show it in a window if `render_mode` is "human".

        Raises:
            MissingExtraError: if Pillow (pixels) or pygame (window) is not installed.
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            return None
        if self._instance is None:
            raise gym.error.ResetNeeded("call reset before render")
        frame = self._frame(0, self.render_mode)
        if self.render_mode != "human" or isinstance(frame, str):
            return frame
        if self._window is None:
            from explorative_user_env.show.raster import Window

            self._window = Window()
        self._window.show(frame, self.metadata["render_fps"])
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()

    # Gymnasium defines `__str__` only; without `__repr__` a notebook would show a memory address.
    __repr__ = gym.Env.__str__

    def _repr_html_(self) -> str:
        from explorative_user_env.display.tables import paragraphs

        if self._history is None:
            missing = 'set render_mode="svg" to see the user here'
        elif self._instance is None:
            missing = "call reset to see the user here"
        else:
            return str(self._frame(0, "svg"))
        return paragraphs([f"{type(self).__name__}: {missing}"])

    def _label(self) -> str:
        """Describe the present user for an error message."""
        return user_label(self.np_random_seed, self._later, self._given)

    def _show(self) -> None:
        """Redraw the window, if there is one."""
        if self.render_mode == "human":
            self.render()

    def _info(self, has_response: bool) -> dict[str, Any]:
        interactions, acceptances = self._state.interactions[0], self._state.acceptances[0]
        return self._with_truth(counts_of(has_response, interactions, acceptances))

    def _with_truth(self, info: dict[str, Any]) -> dict[str, Any]:
        if self.info_level == "full":
            info["hidden_state"] = self.hidden_state()
        return info


def population_in(env: gym.Env[Any, Any]) -> Population | None:
    """Return the population of an environment of this package, else None.

    Raises:
        InvalidArgumentError: if an episode of the environment has several users.
    """
    inner: Any = env.unwrapped
    if isinstance(inner, ExplorativeUserEnv) and hasattr(inner, "n_users"):
        allowed = 'an environment with one user; for several use evaluate(task="population")'
        raise InvalidArgumentError("env", env, allowed)
    if getattr(inner, "_table", None) is not None:
        raise InvalidArgumentError("env", env, "an environment that observes responses, not counts")
    population = getattr(inner, "population", None)
    return population if isinstance(population, Population) else None


def environment_of(
    population: Population, agent: Agent, reward: str = "none", horizon: int | None = None
) -> ExplorativeUserEnv:
    """Return an environment without a time limit, for one agent.

    Args:
        population: the distribution of the users.
        agent: the agent that will recommend. If it observes rewards, the reward is "realized".
        reward: the reward if the agent does not observe rewards.
        horizon: the `horizon` of `ExplorativeUserEnv`, in steps; None is 1000.
    """
    paid = "realized" if sees_rewards(agent) else reward
    return ExplorativeUserEnv(population=population, reward=paid, horizon=horizon)
