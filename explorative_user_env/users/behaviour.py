"""What a user does with a recommendation: the paper's user, or one who breaks the model.

A behaviour is made of the parts of `users.explorative`, as plain scalar functions that the
environments call and that compiled code takes in. What such a user keeps beside an explorative
user's state is one list of numbers, her memory, which begins with the behaviour's parameters.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from explorative_user_env.record_checks import check_fields
from explorative_user_env.users import explorative
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.state import RememberingState, User, UserState, blank_state
from explorative_user_env.validation import InvalidArgumentError, handed_in

MOST_REMEMBERED = 100_000_000
"""Numbers that one user keeps besides her state, which take most of a GB."""


@dataclass(frozen=True)
class Behaviour:
    """What a user does with a recommendation.

    Args:
        name: what it is called.
        start: `start(user, state, rng)` makes the state a new user's, whose `means` are set.
        respond: `respond(user, state, rule, arm, rng) -> accepted`, as `explorative.respond`. Plain
            arithmetic and `math` keep both compilable.
        parameters: numbers that the state's `memory` begins with.
        memory: how many further numbers a user keeps there, 0 at first.
        memory_per_arm: how many for each arm, besides.
        moves_means: whether mu_i changes while she lives. Her best arm is then the one with the
            largest mean at the time of the answer, and not that of her instance.
        leaves: `leaves(user, state, accepted, rng) -> bool`, asked after every response, of which
            `state` knows: whether she leaves now. Compilable as `respond` is; None is a user who
            never does.
        rho: `rho(user, state, rule) -> rho_t`, for who is shown the truth about her.
        gap_factor: at least 1; her own gap is log-uniform in [gap / factor, gap * factor].

    Raises:
        InvalidArgumentError: naming the field that does not hold what its type says.
    """

    name: str
    start: Callable[..., None] = explorative.start
    respond: Callable[..., bool] = explorative.respond
    parameters: tuple[float, ...] = ()
    memory: int = 0
    memory_per_arm: int = 0
    moves_means: bool = False
    leaves: Callable[..., bool] | None = None
    rho: Callable[..., float] = explorative.rho
    gap_factor: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self)

    def memory_of(self, n_arms: int) -> list[float]:
        """Return the memory of a user with K arms, to be filled by `start`.

        Raises:
            InvalidArgumentError: if it is too large.
        """
        size = self.memory + self.memory_per_arm * n_arms
        if size > MOST_REMEMBERED:
            allowed = f"one of whom a user of {n_arms} arms remembers {MOST_REMEMBERED} at most"
            raise InvalidArgumentError("behaviour", self.name, allowed)
        return [*self.parameters, *[0.0] * size]

    def blank(self, user: User) -> UserState:
        """Return a state of the right size, to be filled by `start`."""
        state = blank_state(user)
        memory = self.memory_of(user.n_arms)
        if not memory:
            return state
        own = {field.name: getattr(state, field.name) for field in fields(UserState)}
        return RememberingState(**own, memory=memory)

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """What it is made of."""
        own = (self.start, self.respond)
        return own if self.leaves is None else (*own, self.leaves)

    def checked_respond(self) -> Callable[..., bool]:
        """Return `respond` for a new user; if it is not the package's own, looked after.

        What compiled code takes in is `respond` itself.
        """
        if not handed_in(self.respond):
            return self.respond
        return Checked(self.respond, f"response of behaviour {self.name!r}")

    def checked_leaves(self) -> Callable[..., bool] | None:
        """Return `leaves` for a new user, looked after as by `checked_respond`."""
        if self.leaves is None or not handed_in(self.leaves):
            return self.leaves
        return Checked(self.leaves, f"leaving of behaviour {self.name!r}")

    def truth(self, instance: Instance, means: Sequence[float]) -> Instance:
        """Return a user's instance as it is now, from the one she had at first and her `means`."""
        if not self.moves_means:
            return instance
        values = tuple(means)
        return Instance(values, values.index(max(values)))


@dataclass(slots=True)
class Checked:
    """A `respond` or `leaves` that was handed in: its answers are looked at, its calls counted.

    Raises:
        InvalidArgumentError: naming `what` is neither True nor False.
    """

    asked: Callable[..., Any]
    what: str
    steps: int = 0

    def __call__(self, *arguments: Any) -> bool:
        """Return what the user says."""
        self.steps += 1
        told = self.asked(*arguments)
        if not isinstance(told, bool | np.bool_):
            raise InvalidArgumentError(self.what, told, "True or False")
        return bool(told)


def steps_of(respond: Callable[..., bool], state: UserState) -> int:
    """Return which step a user is in while she responds, by a `checked_respond`."""
    return respond.steps if isinstance(respond, Checked) else state.interactions[0]


EXPLORATIVE = Behaviour("explorative")
"""The paper's user (section 2), whose rule is `users.explorative`."""
