"""`ExplorativeUser-v0`: one explorative user as a Gymnasium environment."""

from typing import Any, Unpack

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from explorative_user_env.envs.episode import STREAM, Begun, begun
from explorative_user_env.envs.leaving import LeavingUser
from explorative_user_env.envs.normals import DrawnAhead
from explorative_user_env.envs.registration import MAX_EPISODE_STEPS
from explorative_user_env.envs.reset_options import law_of
from explorative_user_env.envs.rewards import REWARDS, reward_of
from explorative_user_env.envs.spaces import as_action, discrete, labelled
from explorative_user_env.population import (
    Population,
    UserOptions,
    lists_user_options,
    population_of,
)
from explorative_user_env.seeding import seed_number
from explorative_user_env.tasks import REGRET
from explorative_user_env.users.behaviour import steps_of
from explorative_user_env.users.failures import failed_response, failed_start
from explorative_user_env.users.instances import Instance, InstanceLaw
from explorative_user_env.validation import choice, integer

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
    other rewards pay nothing for these steps.

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
