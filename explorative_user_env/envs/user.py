"""`ExplorativeUser-v0`: one explorative user as a Gymnasium environment."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Unpack

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.wrappers import TimeLimit

from explorative_user_env.envs import MAX_EPISODE_STEPS
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

#: What a step of one user returns.
Stepped = tuple[int, float, bool, bool, Infos]

REWARDS = ("regret", "utility", "realized", "accept", "none")
REGRET_REWARD, UTILITY_REWARD, REALIZED_REWARD, ACCEPT_REWARD, NO_REWARD = range(len(REWARDS))


def reward_of(kind: int, mean: float, best_mean: float, accepted: bool, realized: float) -> float:
    """Return the reward of a step, by the place of its `kind` in `REWARDS`."""
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
    """The standard normals of `rng`, drawn in blocks, in the order of single draws.

    `settle` puts `rng` where single draws would have left it. If something else draws from `rng`
    in between, no number is drawn twice.

    Attributes:
        left: the numbers that are drawn and not used, the next one last. If it is empty, `draw`.
        standard_normal: takes the next number.
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
        """Give back what was drawn ahead, and return the Generator."""
        bits = self.rng.bit_generator
        if self.left and repr(bits.state) == repr(self._ends[1]):
            bits.state = self._ends[0]
            self.rng.standard_normal(NORMALS_AT_ONCE - len(self.left))
        self.left.clear()
        return self.rng

    def __reduce__(self) -> Any:
        return type(self), (self.rng, self.left, self._ends)


def as_action(action: Any, n_actions: int) -> int:
    """Return an action in 0..n_actions-1 as an int; it may be any integer or an array of one."""
    if isinstance(action, np.ndarray) and action.size == 1:
        action = action.reshape(())[()]
    return integer("action", action, 0, n_actions - 1)


def labelled(space: spaces.Space[Any], **reading: Any) -> spaces.Space[Any]:
    """Write on a space how its observations are to be read, and return it.

    A model of Stable-Baselines3 keeps its training's space, also in its file.
    """
    space.reading = dict(reading_of(space)) | reading  # type: ignore[attr-defined]
    return space


def reading_of(space: Any) -> Mapping[str, Any]:
    """Return what `labelled` wrote on a space; nothing for another space."""
    return getattr(space, "reading", {})


def options_of_reset(options: Any, *known: str) -> dict[str, Any]:
    """Return the options of a reset: a user, or numbers for the arms."""
    if options is not None and not isinstance(options, Mapping):
        raise InvalidArgumentError("options", options, f"a dict of {' and '.join(known)}")
    for name, value in (options or {}).items():
        choice("options key", name, known)
        if name != "user" and (isinstance(value, str) or callable(value)):
            raise InvalidArgumentError(name, value, "numbers, one for each arm")
    return dict(options or {})


def counts_of(has_response: Any, interactions: Any, acceptances: Any) -> dict[str, Any]:
    """Return the counts of an info, of one user (numbers) or of many (arrays)."""
    return {
        "has_response": has_response,
        "interactions": interactions,
        "acceptances": acceptances,
        "rejections": interactions - acceptances,
    }


def user_label(seed: int, later: int, given: bool = False, lane: int | None = None) -> str:
    """Return in words a user of an environment, and how to meet her again.

    Args:
        seed: the seed of the last reset that had one.
        later: the number of users since then; the stream goes on after each of them.
        given: whether her means were options of the reset.
        lane: her lane in a vector environment.
    """
    her = "the user" if lane is None else f"the user in lane {lane}"
    if later:
        place = f"number {later + 1} on the stream of seed {seed}"
        return f"{her}, {place}, which goes on where the one before left it"
    reset = f"env.reset(seed={seed}{', options=...' if given else ''})"
    whom = f" that {reset}" if lane is None else f", whom {reset} of a single environment"
    return f"{her}{whom} meets again"


class EnvMixin:
    """The questions to users that change nothing, for one user (lane 0) or many: history, pictures.

    An environment has it beside Gymnasium's class.
    """

    #: The class of the history.
    history_type: type[History] = History

    #: The most steps of an episode that ends by itself; None if it does not.
    length: int | None = None

    population: Population
    hidden_state_in: Callable[[int], HiddenState]
    _n_lanes = 1
    _spec: EnvSpec | None = None
    _history: History | None = None
    _pictured = False  # whether pictures show the truth
    _watched = False
    _left: Any

    @property
    def spec(self) -> EnvSpec | None:
        """Gymnasium's specification, with the length of an episode that ends by itself."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        """Set it, as `gym.make` does."""
        if spec is not None and self.length is not None:
            spec = replace(spec, max_episode_steps=self.length)
        self._spec = spec

    def _picture(self, render_mode: str | None, render_intervals: bool) -> None:
        self.render_mode, self.render_intervals = render_mode, render_intervals
        if render_mode is not None:
            self.remember()
        self._pictured = render_intervals and render_mode not in (None, "ansi")
        # The truth about each user, at her last decision and now.
        self._truths: list[tuple[Any, Any]] = [(None, None)] * self._n_lanes

    def remember(self) -> History:
        """Return the history of responses, kept from the next reset on: nothing secret."""
        if self._history is None:
            self._history = self.history_type(self._n_lanes, self.population.n_arms)
            self._watched = True
        return self._history

    def _forget(self, lanes: Array, same_episode: bool = False) -> None:
        """Begin the history of new users in these lanes."""
        if self._history is not None:
            self._history.next_user(lanes) if same_episode else self._history.forget(lanes)
        for lane in lanes.tolist() if self._pictured else ():
            self._truths[lane] = None, self.hidden_state_in(lane)

    def _see_responses(self, lanes: list[int]) -> None:
        """Take in for pictures the truth after responses in these lanes."""
        for lane in lanes if self._pictured else ():
            self._truths[lane] = self._truths[lane][1], self.hidden_state_in(lane)

    def _frame(self, lane: int, mode: str) -> str | Array:
        """Return the picture of the user in a lane."""
        # Imported when something is drawn: most environments never are.
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
        """Return the line below a picture."""
        return HAS_LEFT if np.atleast_1d(self._left)[lane] else ""


class ExplorativeUserEnv(EnvMixin, gym.Env[int, int]):
    r"""A user who is still learning what she likes, and only accepts or rejects.

    ## Description
    The user keeps a confidence interval for the mean reward of every arm. She rejects a recommended
    arm if and only if another arm is clearly better (some `lcb_j >= ucb_i`), accepts it
    otherwise, and learns from the reward of what she accepts. The system sees acceptances and
    rejections, no reward and no interval, and wants to find her best arm. This is the model of
    section 2 of the paper:
    `lcb_i, ucb_i = hat mu_i -/+ sqrt(Gamma / n_i)`, `Gamma = max(0, 2 alpha log(rho_t n(t)))`.

    ## Action Space
    `Discrete(n_arms)`: the arm to recommend, 0..K-1.

    ## Observation Space
    `Discrete(2)`: the response, 1 accepted and 0 rejected. At a reset there is none yet: the
    observation is 0 and `info["has_response"]` is False.

    ## Rewards
    A training signal, which no agent of this package is shown: a learner that *observes* it within
    an episode (as an input, in a recurrent memory) knows the truth, as mu_a - mu_* is 0 for her
    best arm alone. By `reward`:
    - `"regret"` (default): mu_a - mu_* of the recommended arm, at most 0;
    - `"utility"`: mu_a if accepted, else 0;
    - `"realized"`: the reward the user drew if she accepted, else 0;
    - `"accept"`: 1 if accepted, else 0. Beware: any arm recommended for ever is accepted in the
      end, so this rewards never exploring;
    - `"none"`: 0.

    A user who leaves at step t pays `"regret"` for the rest of the episode at once: (horizon - t)
    times min_i mu_i - mu_*. So nobody gains by her leaving, and the rewards of an episode sum to
    minus its regret. A learner that discounts weighs this sum more than the steps it stands for (up
    to 4.5 times with gamma = .99). The other rewards pay nothing for these steps.

    ## Starting State
    A new user with a new instance: means from their law with the best arm moved to gap above the
    second best, or given ones. `reset(options={"means": [...]})` gives the means of one episode
    as they are.

    ## Episode End
    `terminated` when she leaves, as an impatient user may and no other of the package does;
    `gym.make` truncates at `max_episode_steps`, 1000 unless given.

    ## Information
    `has_response`, and the counts `interactions`, `acceptances`, `rejections`. With
    `info_level="full"` also `hidden_state`, everything that is secret otherwise;
    `env.unwrapped.hidden_state()` gives the same at any time.

    ## Arguments
    - `n_arms` (5): K, in 2..1000000.
    - `gap` (None): Delta_1 > 0, the distance of the best mean to the second best; None is 0.5, or
      leaves given means as they are.
    - `alpha` (1.0): her willingness to explore, above 0.
    - `setting` ("printed"): every other modelling choice, as the paper prints it or as its
      `"released"` code makes it; a `Setting` record works too.
    - `means` (None): "normal", "uniform", "uniform_with_room" (on [0, 1 - gap]), K numbers, or a
      callable `(n_arms, rng) -> K numbers`; None is the setting's law.
    - `rho` (None): schedule of rho_t: a registered name, a constant's value, or a `Schedule`; None
      is the setting's.
    - `noise` (0.0): probability in [0, 1] that a decision is a coin flip.
    - `reward_law` ("gaussian"): of her rewards: N(mu, 1), "bernoulli" (1 with probability mu, else
      0; so means must be in [0, 1], and None is "uniform_with_room"), "bounded" (uniform on
      mu +- sqrt 3, of variance 1), a registered name, a callable `(mean, rng) -> reward` or a
      `RewardLaw`.
    - `behaviour` ("explorative"): or another kind of user: "omniscient", "forgetful", "drifting"
      (whose best arm is the present one), "logistic", "impatient" (who may leave at a rejection),
      "varied" (an alpha, rho_t, noise and gap of her own), each with its parameters as in
      "drifting(sigma=0.01)", a registered name or a `Behaviour`.
    - `horizon` (None): the steps by which a user who leaves pays; None is the time limit, or 1000
      without one.
    - `reward` ("regret"), `info_level` ("counts" or "full").
    - `render_mode` (None): "ansi", "human", "rgb_array" or "svg", as below.
    - `render_intervals` (False): whether a rendering shows her intervals and the truth, which are
      secret.

    ## Rendering
    Each arm's acceptances, rejections and last response, and the last recommendation; with
    `render_intervals` also her intervals, her means and the true ones, and who stands against an
    arm that she rejects.
    - `"svg"`: a picture as SVG text, which notebooks and browsers show; it needs nothing else.
    - `"rgb_array"`: the same as pixels, shape (height, width, 3), with Pillow.
    - `"human"`: the same in a window that follows each step, 4 a second, with Pillow and pygame.
    - `"ansi"`: a table of text.

    In a notebook `env.unwrapped` is shown by its picture, if there is a `render_mode`.

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
    _later = -1  # the number of resets without a seed since the last one with a seed
    _given = False  # whether the means of this episode were given

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
        self.follows_limit = horizon is None
        self._kind = REWARDS.index(reward)
        self._tabled = not (reward == "realized" or self.behaviour.moves_means)
        can_leave = self.behaviour.leaves is not None
        self._watched = can_leave or not self._tabled or info_level == "full"
        reading = {"task": REGRET.name, "observation": "response", "n_arms": self.user.n_arms}
        self.action_space: spaces.Space[Any] = spaces.Discrete(self.user.n_arms)
        self.observation_space: spaces.Space[Any] = labelled(spaces.Discrete(2), **reading)
        self._state = self.behaviour.blank(self.user)
        self._instance: Instance | None = None
        self._stream: Any = None
        # The user, how she responds, her stream and what is drawn of it, and what each arm pays;
        # None while there is nobody to recommend to.
        self._active: tuple[Any, ...] | None = None
        self._leaves: Callable[..., bool] | None = None
        self._left = False
        if render_mode is not None:
            choice("render_mode", render_mode, RENDER_MODES)
        self._picture(render_mode, flag("render_intervals", render_intervals))

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[int, Infos]:
        """Start with a new user.

        Args:
            seed: seed of everything about this user; None goes on with the stream of the last.
            options: as in Starting State above.

        Raises:
            InvalidArgumentError: for a seed or an option that is unknown or out of range; the user
                stays. If a function of the caller fails, the environment needs another reset.
        """
        seed = None if seed is None else seed_number(seed)  # Gymnasium wants an int
        start = self.start_of(options)
        super().reset(seed=seed)
        self._later = 0 if seed is not None else self._later + 1
        self._begin(start)
        return 0, self._info(False)

    def start_of(self, options: Any) -> Any:
        """Return the law of instances of a reset with these options, or None."""
        start = options_of_reset(options, "means")
        if not start:
            return self.instance_law
        return InstanceLaw(self.user.n_arms, start["means"], within=self.instance_law.within)

    def _begin(self, start: Any) -> None:
        """Begin an episode."""
        self._given = start is not self.instance_law
        self.draw_user(start, self.np_random)
        self._forget(ONLY)
        self._show()

    def draw_user(self, law: InstanceLaw, rng: np.random.Generator) -> None:
        """Put a new user there, with an instance of this law and this stream."""
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
            raise self.population.failure(error, f"at the start of {self._label()}", law) from error
        left = [0.0]  # not empty
        self._stream = rng
        if user.noise == 0.0 and user.reward_law == GAUSSIAN and behaviour == EXPLORATIVE:
            # A step takes at most one normal and nothing else: they are drawn ahead.
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
        """Give back the numbers that are drawn ahead, and return the user's Generator."""
        stream: Any = self._stream
        return stream.settle() if isinstance(stream, DrawnAhead) else stream

    def step(self, action: int) -> Stepped:
        """Recommend arm `action` and return the response.

        Args:
            action: an arm, as an int, any NumPy integer or an array of one.

        Returns:
            The response (1 accepted), the reward, whether she has left, False, and the counts.

        Raises:
            InvalidArgumentError: for an action that is not an arm.
            gymnasium.error.ResetNeeded: before the first reset, and after she has left.
        """
        if self._active is None:
            raise gym.error.ResetNeeded("call reset before step")
        user, state, respond, rule, stream, left, if_rejected, if_accepted = self._active
        if not left:
            stream.draw()
        # Nearly all actions are arms already and need no closer look.
        n_arms = user.n_arms
        arm = action if type(action) is int and 0 <= action < n_arms else as_action(action, n_arms)
        try:
            accepted = respond(user, state, rule, arm, stream)
        except Exception as error:
            where = f"at step {steps_of(respond, state)} of {self._label()}"
            raise self.population.failure(error, where) from error
        reward = if_accepted[arm] if accepted else if_rejected[arm]
        interactions = state.interactions[0]
        acceptances = state.acceptances[0]
        info: dict[str, Any] = {  # as `counts_of`, without a call
            "has_response": True,
            "interactions": interactions,
            "acceptances": acceptances,
            "rejections": interactions - acceptances,
        }
        if self._watched:
            reward = self._watch(arm, accepted, reward)
            self._with_truth(info)
            return 1 if accepted else 0, reward, self._left, False, info
        return 1 if accepted else 0, reward, False, False, info

    def _watch(self, arm: int, accepted: bool, reward: float) -> float:
        """Do what only some users and viewers need of a step; return what it pays."""
        state, kind = self._state, self._kind
        if not self._tabled:
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
                # Each step that she misses pays as a rejection of her worst arm: so nobody gains
                # by it, and a shift of all means changes nothing.
                self._active, truth = None, self.instance()
                ends = min(truth.means), truth.means[truth.best_arm]
                until = steps_around(self, self.pay_until) if self.follows_limit else self.pay_until
                missed = max(0, until - state.interactions[0])
                reward += missed * reward_of(kind, *ends, False, 0.0)
        if self._history is not None:
            self._history.record(0, arm, int(accepted))
            self._see_responses([0])
            self._show()
        return reward

    def hidden_state(self) -> HiddenState:
        """Return the truth about the user; for teachers and tests, never for an agent."""
        instance = self.instance()
        rho = self.behaviour.rho(self.user, self._state, self.schedule.rule)
        return hidden_state_of(self.user, self._state, instance, rho)

    def hidden_state_in(self, lane: int) -> HiddenState:
        """Return the truth about the user, who is in lane 0."""
        return self.hidden_state()

    def instance(self) -> Instance:
        """Return the true means and the best arm as they are now; never for an agent."""
        if self._instance is None:
            raise gym.error.ResetNeeded("call reset before the truth about a user is asked for")
        return self.behaviour.truth(self._instance, self._state.means)

    def render(self) -> Any:
        """Return the picture of `render_mode`; with "human", show it in a window.

        Raises:
            MissingExtraError: without Pillow for pixels, or pygame for a window.
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

    # Gymnasium has words for `print` only: a notebook would show an address in memory.
    __repr__ = gym.Env.__str__

    def _repr_html_(self) -> str:
        from explorative_user_env.display.tables import paragraphs

        if self._history is None:
            missing = 'make it with render_mode="svg" to see the user here'
        elif self._instance is None:
            missing = "call reset to see the user here"
        else:
            return str(self._frame(0, "svg"))
        return paragraphs([f"{type(self).__name__}: {missing}"])

    def _label(self) -> str:
        """Return in words the present user."""
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


def steps_around(env: Any, otherwise: int) -> int:
    """Return the time limit of the step that an environment takes; Gymnasium does not tell it."""
    frame, limits = sys._getframe(), []
    while (frame := frame.f_back) is not None:  # type: ignore[assignment]
        if frame.f_code is TimeLimit.step.__code__ and frame.f_locals["self"].unwrapped is env:
            limits.append(frame.f_locals["self"]._max_episode_steps)
    return min(limits, default=otherwise)


def population_in(env: gym.Env[Any, Any]) -> Population | None:
    """Return the users of an environment; None if it is not one of this package.

    Raises:
        InvalidArgumentError: if one user comes after another, whom a run does not tell apart.
    """
    inner: Any = env.unwrapped
    if isinstance(inner, ExplorativeUserEnv) and hasattr(inner, "n_users"):
        allowed = 'one of one user: evaluate(task="population") meets one after another'
        raise InvalidArgumentError("env", env, allowed)
    found = getattr(inner, "population", None)
    return found if isinstance(found, Population) else None


def environment_of(
    population: Population, agent: Agent, reward: str = "none", horizon: int | None = None
) -> ExplorativeUserEnv:
    """Return an environment without a time limit; an agent that sees rewards is paid realized ones.

    Args:
        population: its users.
        agent: the agent that meets them.
        reward: the reward for all other agents, which do not see it.
        horizon: the steps by which a user who leaves pays; None is the default.
    """
    paid = "realized" if sees_rewards(agent) else reward
    return ExplorativeUserEnv(population=population, reward=paid, horizon=horizon)
