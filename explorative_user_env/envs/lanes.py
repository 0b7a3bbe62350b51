"""Many users in step, one a lane: each as the single environment has her, in plain Python."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from explorative_user_env.envs.registration import MAX_EPISODE_STEPS
from explorative_user_env.envs.user import (
    REALIZED_REWARD,
    leaves_now,
    paid_for_leaving,
    reward_of,
    reward_tables,
)
from explorative_user_env.protocol import Array
from explorative_user_env.users.behaviours import (
    EXPLORATIVE,
    Behaviour,
    failed_response,
    failed_start,
    steps_of,
)
from explorative_user_env.users.hidden_state import HiddenState, hidden_state_of
from explorative_user_env.users.instances import Instance, InstanceLaw
from explorative_user_env.users.laws import Rule
from explorative_user_env.users.model import User


class Step(NamedTuple):
    """What came of a step, an entry for each lane: arrays of shape (n_lanes,)."""

    responses: Array  # 1 accepted, 0 rejected
    rewards: Array
    interactions: Array  # t
    acceptances: Array  # n(t)
    rejections: Array
    left: Array  # whether she has left

    @classmethod
    def blank(cls, n_lanes: int) -> Self:
        """Return the step of users who have just begun."""
        return cls.of(n_lanes, filled=False)

    @classmethod
    def of(cls, n_lanes: int, filled: bool) -> Self:
        """Return a step to be written, of which all numbers will be `filled` in, or some stay 0."""
        new = np.empty if filled else np.zeros
        numbers = [new(n_lanes, kind) for kind in STEP_KINDS]
        return cls._make([*numbers, np.zeros(n_lanes, bool)])


STEP_KINDS = (int, float, int, int, int)
"""Of the numbers of a step, in their order: what stands before `left`, which few users do."""


class Lanes(ABC):
    """Users of one kind with streams of their own."""

    rngs: list[np.random.Generator]
    compiled: bool

    @abstractmethod
    def reseed(self, lane: int, rng: np.random.Generator) -> None:
        """Let the stream of `lane` go on where `rng` is."""

    @abstractmethod
    def begin(self, lanes: Array, law: InstanceLaw) -> None:
        """Put new users with new instances in these lanes."""

    @abstractmethod
    def begin_with(self, lanes: Array, instances: Sequence[Instance], law: InstanceLaw) -> None:
        """Put new users with these instances, which have come of this law, in these lanes."""

    @abstractmethod
    def respond(self, lanes: Array | None, arms: Array, step: Step) -> bool:
        """Recommend arms[b] in these lanes (None: all) and fill in what comes of it.

        Returns whether all of `arms` are arms; if not, nothing has happened.

        Raises:
            CallableError: if some rho_t leaves the range declared for it, or code that was handed
                in fails.
        """

    @abstractmethod
    def best_arms(self, lanes: Array) -> Array:
        """Return the best arms of the users in these lanes."""

    @abstractmethod
    def instances(self) -> tuple[Instance, ...]:
        """Return the true means and the best arm of every user, as they are now."""

    @abstractmethod
    def hidden_state(self, lane: int) -> HiddenState:
        """Return the truth about a user."""


def in_lane(lane: int) -> str:
    """Return in words whom a failure is about."""
    return f"the user in lane {lane}"


def drawn_in(
    lanes: Array,
    law: InstanceLaw,
    rngs: Sequence[np.random.Generator],
    user: User,
    behaviour: Behaviour,
    who: Callable[[int], str],
) -> list[Instance]:
    """Return an instance for each of these lanes, from its stream."""
    instances = []
    for lane in lanes.tolist():
        try:
            instances.append(law.draw(rngs[lane]))
        except Exception as error:
            raise failed_start(error, user, law, behaviour, who(lane)) from error
    return instances


class PlainLanes(Lanes):
    """The lanes as a loop: for few users, and for rules of rho_t that do not compile.

    Args:
        user: the numbers of every user.
        rule: the rule of rho_t.
        reward: which reward, its place in `rewards.REWARDS`.
        rngs: a stream for each lane.
        behaviour: what every user does.
        who: tells in words whom a failure in a lane is about.
        horizon: steps that a user would stay for who leaves.
    """

    compiled = False

    def __init__(
        self,
        user: User,
        rule: Rule,
        reward: int,
        rngs: Iterable[np.random.Generator],
        behaviour: Behaviour = EXPLORATIVE,
        who: Callable[[int], str] = in_lane,
        horizon: int = MAX_EPISODE_STEPS,
    ) -> None:
        self.rngs = list(rngs)
        self._user, self._rule, self._reward, self._who = user, rule, reward, who
        self._behaviour, self._horizon = behaviour, horizon
        self._states = [behaviour.blank(user) for _ in self.rngs]
        self._responds = [behaviour.checked_respond() for _ in self.rngs]
        self._leaves = [behaviour.checked_leaves() for _ in self.rngs]
        self._instances: list[Instance | None] = [None for _ in self.rngs]
        self._tables: list[Any] = [None for _ in self.rngs]  # what arms pay, while means stay
        self._tabled = not behaviour.moves_means and reward != REALIZED_REWARD

    def reseed(self, lane: int, rng: np.random.Generator) -> None:
        """Let the stream of `lane` go on where `rng` is."""
        self.rngs[lane] = rng

    def begin(self, lanes: Array, law: InstanceLaw) -> None:
        """Put new users with new instances in these lanes."""
        # All are drawn first: a law that fails leaves all users as they are.
        instances = drawn_in(lanes, law, self.rngs, self._user, self._behaviour, self._who)
        self.begin_with(lanes, instances, law)

    def begin_with(self, lanes: Array, instances: Sequence[Instance], law: InstanceLaw) -> None:
        """Put new users with these instances in these lanes."""
        behaviour, who = self._behaviour, self._who
        for lane, instance in zip(lanes.tolist(), instances, strict=True):
            state, rng = self._states[lane], self.rngs[lane]
            self._instances[lane] = instance
            state.means[:] = instance.means
            self._responds[lane] = behaviour.checked_respond()
            self._leaves[lane] = behaviour.checked_leaves()
            try:
                behaviour.start(self._user, state, rng)
            except Exception as error:
                raise failed_start(error, self._user, law, behaviour, who(lane)) from error
            best_mean = instance.means[instance.best_arm]
            self._tables[lane] = reward_tables(self._reward, instance.means, best_mean)

    def respond(self, lanes: Array | None, arms: Array, step: Step) -> bool:
        """Recommend arms[b] in these lanes (None: all) and fill in what comes of it."""
        recommended = arms.tolist()
        if min(recommended) < 0 or max(recommended) >= self._user.n_arms:
            return False
        user, rule = self._user, self._rule
        for lane in range(len(self.rngs)) if lanes is None else lanes.tolist():
            state, arm, respond = self._states[lane], recommended[lane], self._responds[lane]
            try:
                accepted = respond(user, state, rule, arm, self.rngs[lane])
            except Exception as error:
                where = f"at step {steps_of(respond, state)} of {self._who(lane)}"
                raise failed_response(error, user, rule, self._behaviour, where) from error
            step.responses[lane] = accepted
            if self._tabled:
                step.rewards[lane] = self._tables[lane][1 if accepted else 0][arm]
            else:
                step.rewards[lane] = self._reward_of(lane, arm, accepted)
            step.interactions[lane] = t = state.interactions[0]
            step.acceptances[lane] = n = state.acceptances[0]
            step.rejections[lane] = t - n
            if (leaves := self._leaves[lane]) is not None and self._left(lane, leaves, accepted):
                step.left[lane] = True
                missed = self._horizon - t
                step.rewards[lane] += paid_for_leaving(self._reward, self._truth(lane), missed)
        return True

    def _left(self, lane: int, leaves: Callable[..., bool], accepted: bool) -> bool:
        """Return whether a user leaves after a response."""
        hers = (self._user, self._states[lane], accepted, self.rngs[lane])
        return leaves_now(self._behaviour, leaves, *hers, lambda: self._who(lane))

    def _reward_of(self, lane: int, arm: int, accepted: bool) -> float:
        """Return the reward of a response that has just been given."""
        truth, realized = self._truth(lane), self._states[lane].reward[0]
        mean, best_mean = truth.means[arm], truth.means[truth.best_arm]
        return reward_of(self._reward, mean, best_mean, accepted, realized)

    def best_arms(self, lanes: Array) -> Array:
        """Return the best arms of the users in these lanes."""
        started = (lane for lane in lanes.tolist() if self._instances[lane])
        return np.array([self._truth(lane).best_arm for lane in started], int)

    def instances(self) -> tuple[Instance, ...]:
        """Return the true means and the best arm of every user, as they are now."""
        return tuple(map(self._truth, range(len(self.rngs))))

    def hidden_state(self, lane: int) -> HiddenState:
        """Return the truth about a user."""
        known = (self._user, self._states[lane], self._rule, self._truth(lane))
        return hidden_state_of(*known, self._behaviour.rho)

    def _truth(self, lane: int) -> Instance:
        """Return a user's instance as it is now."""
        instance = self._instances[lane]
        assert instance is not None
        return self._behaviour.truth(instance, self._states[lane].means)
