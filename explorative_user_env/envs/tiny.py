"""`ExplorativeUserTiny-v0`: best-arm identification with a known optimum."""

from typing import Any

import gymnasium as gym
from gymnasium.vector import VectorEnv

from explorative_user_env.envs.bai import ExplorativeUserBAIEnv, ExplorativeUserBAIVectorEnv
from explorative_user_env.optimum import DEFAULT, TinyTask
from explorative_user_env.protocol import Array
from explorative_user_env.validation import InvalidArgumentError, choice

#: The arguments of other environments that do not change the optimum.
ALLOWED = ("n_arms", "info_level", "render_mode", "render_intervals")


class ExplorativeUserTinyEnv(ExplorativeUserBAIEnv, gym.Env[int, int]):
    r"""Find the better of two arms of a user, where the best possible return is known.

    ## Description
    Best-arm identification as in `ExplorativeUserBAI-v0`, small enough for an exact solution: two
    arms with Bernoulli rewards, either arm is the better one with probability 1/2, and the horizon
    is short. `explorative_user_env.optimum` computes the best expected return of any agent
    (`optimal_value`), an agent that reaches it (`OptimalAgent`), and the exact expected return of
    any deterministic agent (`exact_score`). Use the environment to test a learner: if its mean
    return stays below 95% of the optimum, the learner has an error, too little memory or too little
    training.

    ## Action Space
    `Discrete(4)`: actions 0 and 1 recommend an arm; actions 2 and 3 answer arm 0 and arm 1 and end
    the episode.

    ## Observation Space
    `Discrete(2)`: the response, 1 accepted and 0 rejected, as in `ExplorativeUserBAI-v0`.

    ## Rewards
    -`step_cost` (c) for each recommendation, +1 for the right answer, -1 for a wrong answer or an
    episode without an answer. The expected return is 1 - c E[T] - 2 P(error). By default the
    optimum is .771968, and an answer at the first step earns 0 on average.

    ## Starting State
    A user without history. `reset(seed=s)` draws the order of the means.

    ## Episode End
    `terminated` is True after an answer and at the `horizon`-th recommendation. So an agent has to
    answer after at most `horizon` - 1 recommendations.

    ## Information
    As in `ExplorativeUserBAI-v0`.

    ## Arguments
    - `alpha` (0.1): the user's willingness to explore, above 0.
    - `horizon` (15): number of recommendations after which an episode without an answer ends, in
      2..40.
    - `step_cost` (0.02): c, at least 0.
    - `means` ((0.9, 0.1)): the means of the better and the other arm, in [0, 1].
    - `mask` ("rejections or end"): the rule of legal answers, as in `ExplorativeUserBAI-v0`. With
      the default mask the largest expected return is .769. The optimum .771968 needs the mask
      "none".
    - `info_level`, `render_mode` and `render_intervals` as in `ExplorativeUser-v0`.

    ```python
    >>> from explorative_user_env.optimum import TinyTask, exact_score, optimal_value
    >>> from explorative_user_env.agents import SuccessiveElimination
    >>> round(optimal_value(TinyTask()), 6)
    0.771968
    >>> round(exact_score(SuccessiveElimination(), TinyTask()).value, 6)
    0.757183

    ```

    ## References
    Yao, Li, Nekipelov, Wang, Xu: Learning the Optimal Recommendation from Explorative Users,
    AAAI 2022, for the user. Kaelbling, Littman, Cassandra: Planning and acting in partially
    observable stochastic domains, Artificial Intelligence 101, 1998, for the recursion.

    ## Version History
    * v0: initial version
    """

    def __init__(
        self,
        arms: int | None = None,
        /,
        *,
        alpha: float = DEFAULT.alpha,
        horizon: int = DEFAULT.horizon,
        step_cost: float = DEFAULT.step_cost,
        means: tuple[float, float] = DEFAULT.means,
        mask: str = "rejections or end",
        **kwargs: Any,
    ) -> None:
        for name in kwargs:
            choice("argument", name, ALLOWED)
        for given in (arms, kwargs.get("n_arms")):
            if given not in (None, 2):
                raise InvalidArgumentError("n_arms", given, "2 in the tiny task")
        self.tiny = TinyTask(alpha, horizon, step_cost, means=means)
        cost = {"horizon": horizon, "step_cost": step_cost, "mask": mask}
        super().__init__(arms, **self.tiny.user_options | cost | kwargs)


class ExplorativeUserTinyVectorEnv(ExplorativeUserBAIVectorEnv, VectorEnv[Array, Array, Array]):
    """The tiny task with many users; each lane equals the single environment.

    Args:
        num_envs: number of users, at least 1.
        max_episode_steps: as in `ExplorativeUserVectorEnv`; the default None never truncates.
        autoreset_mode: when a finished lane gets a new user: "NextStep", "SameStep" or "Disabled".
        compiled: whether the users run in compiled code; None is True from 64 users on.
        **kwargs: as in `ExplorativeUserTinyEnv`.

    Raises:
        InvalidArgumentError: if an argument is out of range.
    """

    single_env = ExplorativeUserTinyEnv
