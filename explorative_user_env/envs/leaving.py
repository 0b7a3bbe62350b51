"""Users who leave: who is asked whether she does, and for how long she would have stayed."""

import sys
from collections.abc import Callable
from typing import Any

from gymnasium.wrappers import TimeLimit

from explorative_user_env.envs.asked_user import AskedUser
from explorative_user_env.envs.rewards import REWARDS, reward_of_leaving
from explorative_user_env.users.behaviour import Behaviour, steps_of
from explorative_user_env.users.failures import failed_leaving
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.state import User, UserState


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
