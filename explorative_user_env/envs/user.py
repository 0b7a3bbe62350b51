"""`ExplorativeUser-v0`: one explorative user as a Gymnasium environment."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit

from explorative_user_env.envs.history import (
    HAS_LEFT,
    PICTURES,
    RENDER_FPS,
    RENDER_MODES,
    History,
    Truths,
    lane_frame,
)
from explorative_user_env.envs.registration import MAX_EPISODE_STEPS
from explorative_user_env.protocol import ONLY, REGRET, Array
from explorative_user_env.seeding import seed_number
from explorative_user_env.show.raster import Window
from explorative_user_env.users.behaviours import (
    EXPLORATIVE,
    Behaviour,
    failed_leaving,
    failed_response,
    failed_start,
    met,
    steps_of,
)
from explorative_user_env.users.hidden_state import HiddenState, hidden_state_of
from explorative_user_env.users.instances import Instance, InstanceLaw
from explorative_user_env.users.laws import GAUSSIAN, Rule
from explorative_user_env.users.model import User, UserState
from explorative_user_env.users.population import (
    Population,
    UserOptions,
    lists_user_options,
    population_of,
)
from explorative_user_env.validation import InvalidArgumentError, choice, flag, integer

REWARDS = ("regret", "utility", "realized", "accept", "none")
REGRET_REWARD, UTILITY_REWARD, REALIZED_REWARD, ACCEPT_REWARD, NO_REWARD = range(len(REWARDS))


def reward_of(kind: int, mean: float, best_mean: float, accepted: bool, realized: float) -> float:
    """Return the reward of a step.

    Args:
        kind: which one, its place in `REWARDS`.
        mean: mu_a of the recommended arm.
        best_mean: mu_*.
        accepted: the response.
        realized: the reward the user drew if she accepted.
    """
    if kind == REGRET_REWARD:
        return mean - best_mean
    if kind == UTILITY_REWARD and accepted:
        return mean
    if kind == REALIZED_REWARD and accepted:
        return realized
    if kind == ACCEPT_REWARD and accepted:
        return 1.0
    return 0.0


def reward_of_leaving(kind: int, worst_mean: Any, best_mean: Any, missed: Any) -> Any:
    """Return what the step at which a user leaves pays besides: nobody is to gain by it.

    Each step that she would have stayed for pays as much as a recommendation of her worst arm does
    that she rejects. So a shift of all means changes nothing. Numbers, or arrays of them.

    Args:
        kind: which reward, its place in `REWARDS`.
        worst_mean: the least mu_i.
        best_mean: mu_*.
        missed: how many steps she would have stayed for.
    """
    return missed * reward_of(kind, worst_mean, best_mean, False, 0.0)


def reward_tables(
    kind: int, means: Sequence[float], best_mean: float
) -> tuple[list[float], list[float]]:
    """Return what each arm pays if it is rejected and if it is accepted, while means stay.

    The realized reward is not known beforehand, and counts as 0 here.

    Args:
        kind: which reward, its place in `REWARDS`.
        means: mu_i.
        best_mean: mu_*.
    """
    if_rejected = [reward_of(kind, mean, best_mean, False, 0.0) for mean in means]
    if kind == REGRET_REWARD:
        return if_rejected, if_rejected
    return if_rejected, [reward_of(kind, mean, best_mean, True, 0.0) for mean in means]


NORMALS_AT_ONCE = 256


class DrawnAhead:
    """The standard normals of `rng`, in the order in which single draws would give them.

    `settle` puts `rng` where single draws would have left it. Nothing else should be drawn from
    `rng` in between; if something is, nothing is drawn twice.

    Args:
        rng: the Generator to draw from.

    Attributes:
        left: what is drawn and not used, the next one last. Fill it with `draw` when it is empty.
        standard_normal: takes the next one.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.left: list[float] = []
        self._before: Any = None
        self._after: Any = None
        self._take_from_left()

    def _take_from_left(self) -> None:
        self.random = self.rng.random
        self.standard_normal = self.left.pop

    def draw(self) -> None:
        """Draw the next block."""
        self._before = self.rng.bit_generator.state
        self.left.extend(self.rng.standard_normal(NORMALS_AT_ONCE)[::-1].tolist())
        self._after = self.rng.bit_generator.state

    def settle(self) -> None:
        """Give back what was drawn ahead."""
        if self.left and _same(self.rng.bit_generator.state, self._after):
            self.rng.bit_generator.state = self._before
            self.rng.standard_normal(NORMALS_AT_ONCE - len(self.left))
        self.left.clear()

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"random": None, "standard_normal": None}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Let a copy take from what is left to the copy."""
        vars(self).update(kept)
        self._take_from_left()


def _same(one: Any, other: Any) -> bool:
    """Whether two states of a bit generator are equal, whatever arrays they hold."""
    if isinstance(one, dict):
        return all(_same(one[name], other[name]) for name in one)
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else bool(one == other)


Numbers = list[float]
Respond = Callable[..., bool]
Begun = tuple[User, UserState, Respond, Rule, Any, Numbers, Numbers, Numbers]
"""The user, how she responds, her stream and what is left of it, and what each arm is worth if it
is rejected and if it is accepted."""

STREAM = 4
"""The place of the stream in it."""


def begun(
    population: Population,
    state: UserState,
    instance: Instance,
    rng: np.random.Generator,
    reward: str,
) -> Begun:
    """Return what the steps of an episode with a new user need.

    Args:
        population: the users of whom she is one.
        state: hers.
        instance: her true means.
        rng: her stream.
        reward: one of `REWARDS`.
    """
    user, behaviour = population.user, population.behaviour
    stream: Any = rng
    left = [0.0]  # not empty
    only_normals = user.noise == 0.0 and user.reward_law == GAUSSIAN
    if only_normals and behaviour == EXPLORATIVE:
        # At most one in a step, and nothing else: they are drawn ahead.
        stream = DrawnAhead(rng)
        left = stream.left
    best_mean = instance.means[instance.best_arm]
    tables = reward_tables(REWARDS.index(reward), instance.means, best_mean)
    respond = behaviour.checked_respond()
    return user, state, respond, population.schedule.rule, stream, left, *tables


class AskedUser(gym.Env[int, int]):
    """A user whose responses, truth and picture can be asked for.

    The part of `ExplorativeUserEnv` that changes nothing about her.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - declared so by gym.Env
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }
    kept_as: type[History] = History
    """How what is heard of her is kept."""

    population: Population
    _state: UserState
    _instance: Instance | None
    _left: bool
    _has_extras: bool
    _later = -1  # how many resets without a seed came after the one with the last
    _given = False  # whether the means of this episode were

    def _prepare(self, render_mode: str | None, render_intervals: bool) -> None:
        """Check how she is to be rendered, and keep what that needs."""
        self.render_mode = (
            None if render_mode is None else choice("render_mode", render_mode, RENDER_MODES)
        )
        self.render_intervals = flag("render_intervals", render_intervals)
        self._heard: History | None = None
        self._pictured = self.pictured(1)
        self._window = Window()
        if self.render_mode is not None:
            self.remember()

    def pictured(self, n_lanes: int) -> Truths | None:
        """Return what pictures need to be kept of users like her, None if that is nothing."""
        shows = self.render_intervals and self.render_mode in PICTURES
        return Truths(n_lanes) if shows else None

    def remember(self) -> History:
        """Return what was heard of each arm, kept from the next reset on: nothing secret."""
        if self._heard is None:
            self._heard = self.kept_as(1, self.population.user.n_arms)
            self._has_extras = True
        return self._heard

    def hidden_state(self) -> HiddenState:
        """Return the truth about the user; for teachers and tests, never for an agent."""
        population, state = self.population, self._state
        known = (population.user, state, population.schedule.rule, self.instance())
        return hidden_state_of(*known, population.behaviour.rho)

    def instance(self) -> Instance:
        """Return the true means and the best arm as they are now; never for an agent."""
        if self._instance is None:
            raise gym.error.ResetNeeded("call reset before the truth about a user is asked for")
        return self.population.behaviour.truth(self._instance, self._state.means)

    def render(self) -> Any:
        """Return what `render_mode` shows of the user; with "human", show it in a window.

        Raises:
            MissingExtraError: without Pillow for pixels, or pygame for a window.
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            return None
        if self._instance is None:
            raise gym.error.ResetNeeded("call reset before render")
        frame = self._frame(self.render_mode)
        if self.render_mode != "human" or isinstance(frame, str):
            return frame
        self._window.show(frame, self.metadata["render_fps"])
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()

    def __repr__(self) -> str:
        # Gymnasium has words for `print` only: in a notebook there would be an address in memory.
        return str(self)

    def _repr_html_(self) -> str:
        """Return her picture now, for notebooks."""
        from explorative_user_env.display.tables import paragraphs

        if self._heard is None:
            missing = 'make it with render_mode="svg" to see the user here'
        elif self._instance is None:
            missing = "call reset to see the user here"
        else:
            return str(self._frame("svg"))
        return paragraphs([f"{type(self).__name__}: {missing}"])

    def _frame(self, mode: str) -> str | Array:
        truth = self.hidden_state if self.render_intervals else None
        return lane_frame(mode, self.remember(), 0, truth, self._pictured, self._note())

    def _met(self) -> str:
        """Return in words the user who is there."""
        return met(self.np_random_seed, self._later, self._given)

    def _note(self) -> str:
        """Return a line for her picture."""
        return HAS_LEFT if self._left else ""

    def _begin_picture(self) -> None:
        """Forget the last user, of whom pictures were to be had."""
        if self._heard is not None:
            self._forget(self._heard)
            if self._pictured is not None:
                self._pictured.begin([0], lambda _: self.hidden_state())
            self._show()

    def _forget(self, heard: History) -> None:
        """Begin with a new user, of whom nothing was heard."""
        heard.forget(ONLY)

    def _take_in(self, arm: int, accepted: bool) -> None:
        """Take in a response, of which there is to be a picture."""
        if self._heard is not None:
            self._heard.record(0, arm, int(accepted))
            if self._pictured is not None:
                self._pictured.go_on([0], lambda _: self.hidden_state())
            self._show()

    def _show(self) -> None:
        """Show what has changed to somebody who watches; nothing is drawn for anybody else."""
        if self.render_mode == "human":
            self.render()


def leaves_now(
    behaviour: Behaviour,
    leaves: Callable[..., bool],
    user: User,
    state: UserState,
    accepted: bool,
    rng: Any,
    who: Callable[[], str],
) -> bool:
    """Return whether a user leaves after a response.

    Args:
        behaviour: hers.
        leaves: its `checked_leaves`, of her own.
        user: her numbers.
        state: hers, which knows of the response.
        accepted: the response.
        rng: her stream.
        who: tells in words whom a failure is about.

    Raises:
        CallableError: if code that was handed in fails.
    """
    try:
        return leaves(user, state, accepted, rng)
    except Exception as error:
        where = f"at step {steps_of(leaves, state)} of {who()}"
        raise failed_leaving(error, behaviour, where) from error


def paid_for_leaving(kind: int, truth: Instance, missed: int) -> float:
    """Return what the step at which a user leaves pays besides.

    Args:
        kind: which reward, its place in `REWARDS`.
        truth: her means.
        missed: how many steps she would have stayed for; none where that is less than 0.
    """
    worst, best = min(truth.means), truth.means[truth.best_arm]
    paid: float = reward_of_leaving(kind, worst, best, max(0, missed))
    return paid


def limit_around(env: Any) -> int | None:
    """Return the limit of the `TimeLimit` by which an environment is taking a step, None for none.

    Gymnasium tells an environment nothing of what is around it, and `gym.make` may have been given
    another limit than the id's: what is known is who calls.

    Args:
        env: the environment at the bottom.
    """
    frame = sys._getframe()
    limits: list[int] = []
    while (caller := frame.f_back) is not None:
        frame = caller
        if frame.f_code is TimeLimit.step.__code__:
            limit = frame.f_locals["self"]
            if limit.unwrapped is env:
                limits.append(limit._max_episode_steps)
    return min(limits, default=None)


class LeavingUser(AskedUser):
    """A user who may leave: the part of `ExplorativeUserEnv` that asks whether she does."""

    reward: str
    _begun: Any
    _horizon: int
    _leaves: Callable[..., bool] | None = None
    _left = False

    def stays(self, limit: int | None) -> int:
        """Return how many steps a user is there for who does not leave, with this time limit."""
        return self._horizon if limit is None else limit

    def _asked_to_stay(self, leaves: Callable[..., bool], accepted: bool, stream: Any) -> float:
        """Ask whether she leaves after a response, and return what the step pays for it."""
        user, behaviour = self.population.user, self.population.behaviour
        state, who = self._state, self._met
        self._left = leaves_now(behaviour, leaves, user, state, accepted, stream, who)
        if not self._left:
            return 0.0
        self._begun = None  # nobody is there any more
        missed = self.stays(limit_around(self)) - state.interactions[0]
        return paid_for_leaving(REWARDS.index(self.reward), self.instance(), missed)


def law_of(options: Mapping[str, Any], usual: InstanceLaw) -> InstanceLaw:
    """Return where a reset with these options takes its instance from.

    Args:
        options: `{"means": K finite numbers}`, or nothing.
        usual: where instances come from if nothing is said.

    Raises:
        InvalidArgumentError: for an option that is unknown or out of range.
    """
    if not isinstance(options, Mapping):
        raise InvalidArgumentError("options", options, 'a dict, as {"means": [0.5, 1.0]}')
    if not options:
        return usual
    for name in options:
        choice("options key", name, ("means",))
    means = options["means"]
    if isinstance(means, str) or callable(means):
        raise InvalidArgumentError("means", means, "numbers, one for each arm")
    return InstanceLaw(usual.n_arms, means, within=usual.within)


def as_action(action: Any, n_actions: int) -> int:
    """Return an action as an int; it may be any integer or an array of one.

    Raises:
        InvalidArgumentError: if it is none of 0..n_actions-1.
    """
    if isinstance(action, np.ndarray) and action.size == 1:
        action = action.reshape(())[()]
    return integer("action", action, 0, n_actions - 1)


def labelled(space: spaces.Space[Any], **reading: Any) -> spaces.Space[Any]:
    """Write on a space how its observations are to be read, and return it.

    A model of Stable-Baselines3 keeps the space that it was trained on, also in its file: so it can
    say what it was trained on wherever it turns up.

    Args:
        space: of one user's observations.
        **reading: task, observation, n_arms, horizon, mask, as far as they are known.
    """
    space.reading = dict(reading_of(space)) | reading  # type: ignore[attr-defined]
    return space


def reading_of(space: Any) -> Mapping[str, Any]:
    """Return what `labelled` wrote on a space; nothing if it is another's."""
    return getattr(space, "reading", {})


def discrete(n: int) -> spaces.Space[int]:
    """Return the space of 0..n-1."""
    # Discrete is annotated with np.int64; its samples and our observations pass for int.
    return spaces.Discrete(n)  # type: ignore[return-value]


INFO_LEVELS = ("counts", "full")


class ExplorativeUserEnv(LeavingUser):
    r"""A user who is still learning what she likes, and says only yes or no.

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

    A user who leaves pays `"regret"` for all that is left of the episode at once: each step that
    she would have stayed for counts as much as her worst arm, min_i mu_i - mu_*. So nobody gains by
    her leaving, and the rewards of an episode sum to minus its regret, as `evaluate` counts it. The
    other rewards pay nothing for these steps: beware, where means are negative, of `"utility"` and
    `"realized"`, by which nothing is better than what she accepts. A wrapper that clips rewards
    makes her leaving cheaper than it is.

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
    - `horizon` (1000): steps that a user would stay for who leaves, where no time limit of
      `gym.make` says it.
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

    @lists_user_options()
    def __init__(
        self,
        arms: int | None = None,
        /,
        *,
        reward: str = "regret",
        info_level: str = "counts",
        render_mode: str | None = None,
        render_intervals: bool = False,
        horizon: int = MAX_EPISODE_STEPS,
        population: Population | None = None,
        **user: Unpack[UserOptions],
    ) -> None:
        self.population = population_of(population, user, arms)
        self.user, self.schedule = self.population.user, self.population.schedule
        self.behaviour, self.instance_law = self.population.behaviour, self.population.instance_law
        self.reward = choice("reward", reward, REWARDS)
        self.info_level = choice("info_level", info_level, INFO_LEVELS)
        self._tabled = not (reward == "realized" or self.behaviour.moves_means)
        self._horizon = integer("horizon", horizon, 1)
        can_leave = self.behaviour.leaves is not None
        self._has_extras = can_leave or not self._tabled or info_level == "full"
        self.action_space: spaces.Space[int] = discrete(self.user.n_arms)
        self.observation_space: spaces.Space[int] = labelled(
            discrete(2), task=REGRET.name, observation="response", n_arms=self.user.n_arms
        )
        self._state = self.behaviour.blank(self.user)
        self._instance: Instance | None = None
        self._stream: Any = None
        self._begun: Begun | None = None
        self._prepare(render_mode, render_intervals)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Start with a new user.

        Args:
            seed: seed of everything about this user; None goes on with the stream of the last.
            options: `{"means": K finite numbers}` for this episode; they need one best arm.

        Raises:
            InvalidArgumentError: for a seed or an option that is unknown or out of range; the user
                stays as she is. If her law or her start fails, she needs a reset.
        """
        seed = None if seed is None else seed_number(seed)  # Gymnasium asks for an int
        law = self.instance_law if options is None else law_of(options, self.instance_law)
        self._instance = self._begun = None  # a user who is begun in part is none
        self._leaves, self._left = self.behaviour.checked_leaves(), False
        if isinstance(self._stream, DrawnAhead):
            self._stream.settle()
        super().reset(seed=seed)
        self._later = 0 if seed is not None else self._later + 1
        self._given = law is not self.instance_law
        self._begin(law)
        info = self._counts(has_response=False)
        self._add_hidden_state(info)
        return 0, info

    def _begin(self, law: InstanceLaw) -> None:
        """Begin an episode."""
        self._meet(law, self.np_random)

    def _meet(self, law: InstanceLaw, rng: np.random.Generator) -> None:
        """Meet a new user, whose instance is drawn by this law and who has this stream."""
        self._instance = self._begun = None
        try:
            self._instance = law.draw(rng)
            self._state.means[:] = self._instance.means
            self.behaviour.start(self.user, self._state, rng)
        except Exception as error:
            raise failed_start(error, self.user, law, self.behaviour, self._met()) from error
        self._begun = begun(self.population, self._state, self._instance, rng, self.reward)
        self._stream = self._begun[STREAM]
        self._begin_picture()

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Recommend arm `action` and hear the response.

        Args:
            action: an arm, as an int, any NumPy integer or an array of one.

        Returns:
            The response (1 accepted), the reward, whether she has left, False, and the counts.

        Raises:
            InvalidArgumentError: for an action that is not an arm.
            gymnasium.error.ResetNeeded: before the first reset, and after she has left.
        """
        if self._begun is None:
            raise gym.error.ResetNeeded("call reset before step")
        user, state, respond, rule, stream, left, if_rejected, if_accepted = self._begun
        if not left:
            stream.draw()
        # An action that is an arm already, as nearly all are, is not looked at any closer.
        n_arms = user.n_arms
        arm = action if type(action) is int and 0 <= action < n_arms else as_action(action, n_arms)
        try:
            accepted = respond(user, state, rule, arm, stream)
        except Exception as error:
            where = f"at step {steps_of(respond, state)} of {self._met()}"
            raise failed_response(error, user, rule, self.behaviour, where) from error
        reward = if_accepted[arm] if accepted else if_rejected[arm]
        interactions = state.interactions[0]
        acceptances = state.acceptances[0]
        info: dict[str, Any] = {
            "has_response": True,
            "interactions": interactions,
            "acceptances": acceptances,
            "rejections": interactions - acceptances,
        }
        gone = False
        if self._has_extras:
            if not self._tabled:
                reward = self._reward(arm, accepted)
            if self._leaves is not None:
                reward += self._asked_to_stay(self._leaves, accepted, stream)
                gone = self._left
            self._take_in(arm, accepted)
            self._add_hidden_state(info)
        return 1 if accepted else 0, reward, gone, False, info

    def _counts(self, has_response: bool) -> dict[str, Any]:
        interactions, acceptances = self._state.interactions[0], self._state.acceptances[0]
        return {
            "has_response": has_response,
            "interactions": interactions,
            "acceptances": acceptances,
            "rejections": interactions - acceptances,
        }

    def _reward(self, arm: int, accepted: bool) -> float:
        """Return the reward of a response that has just been given."""
        truth = self.instance()
        kind, best = REWARDS.index(self.reward), truth.means[truth.best_arm]
        return reward_of(kind, truth.means[arm], best, accepted, self._state.reward[0])

    def _add_hidden_state(self, info: dict[str, Any]) -> None:
        if self.info_level == "full":
            info["hidden_state"] = self.hidden_state()
