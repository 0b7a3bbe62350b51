"""An agent made from a bandit policy of another library."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from explorative_user_env.validation import InvalidArgumentError, integer, is_name

from .adapter import given_horizon, largest

#: Seeds of policies are below this number, the largest that NumPy's `RandomState` allows.
SEEDS = 2**32


class BanditAgent:
    """An agent that recommends what a bandit policy of another library pulls.

    The policy sees each response as a reward. It runs to a horizon, as UCB1 does: its pulls never
    end by themselves. The answer is the most accepted arm (ties at random from the agent's stream).

    A run is reproducible if the policy draws all its random numbers from generators that `make`
    seeds with `seed`, which comes from the agent's stream. If the policy draws from a global
    generator, `make` must seed this generator. Then evaluations are reproducible, but runs that
    take turns are not, and a copy of the agent does not continue alike.

    Args:
        make: `make(n_arms, seed, horizon) -> policy`, called for each user. The seed is an integer
            in 0..2^32-1. The policy may be any object.
        pull: `pull(policy) -> arm`, an integer in 0..K-1.
        update: `update(policy, arm, accepted)`, where `accepted` is True or False.
        name: the agent's name in tables, which also seeds its random stream.
        horizon: T >= 1, the number of recommendations; by default the horizon of the evaluation or
            run.

    Raises:
        InvalidArgumentError: if `make`, `pull` or `update` is not callable, or if another argument
            is out of range.
    """

    def __init__(
        self,
        make: Callable[[int, int, int], Any],
        pull: Callable[[Any], Any],
        update: Callable[[Any, int, bool], Any],
        name: str = "bandit",
        *,
        horizon: int | None = None,
    ) -> None:
        for argument, function in (("make", make), ("pull", pull), ("update", update)):
            if not callable(function):
                raise InvalidArgumentError(argument, function, "callable")
        if not is_name(name):
            raise InvalidArgumentError("name", name, "a nonempty string")
        self.make, self.pull, self.update, self.name = make, pull, update, name
        self.horizon = None if horizon is None else integer("horizon", horizon, 1)

    @property
    def needs_horizon(self) -> bool:
        """Whether `reset` must receive a horizon, because the option `horizon` is None."""
        return self.horizon is None

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that identify the agent: its three functions and the horizon."""
        functions = {"make": self.make, "pull": self.pull, "update": self.update}
        return {**functions, "horizon": self.horizon}

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Make a policy for a new user.

        Raises:
            InvalidArgumentError: if neither the agent nor the run has a horizon.
        """
        self._steps_left = given_horizon(self.horizon, horizon)
        self._rng, self._accepted = rng, [0] * n_arms
        self._policy = self.make(n_arms, int(rng.integers(SEEDS)), self._steps_left)

    def act(self) -> Any:
        """Return the arm that the policy pulls, or None at the horizon."""
        return self.pull(self._policy) if self._steps_left > 0 else None

    def observe(self, arm: int, accepted: bool) -> None:
        """Update the policy."""
        self._steps_left -= 1
        self._accepted[arm] += accepted
        self.update(self._policy, arm, accepted)

    def answer(self) -> int:
        """Return the most accepted arm."""
        return largest(self._accepted, self._rng)
