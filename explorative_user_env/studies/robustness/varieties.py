"""Kinds of users, each by how she differs from the paper's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from explorative_user_env.population import Population
from explorative_user_env.users.instances import DEFAULT_GAP
from explorative_user_env.validation import InvalidArgumentError


@dataclass(frozen=True)
class Variety:
    """A kind of user.

    Args:
        name: what it is called.
        options: how it differs from the paper's, as arguments of `evaluate`.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


VARIETIES = (
    Variety("paper"),
    Variety("rho=1", {"rho": 1.0}),
    Variety("alpha=0.8", {"alpha": 0.8}),
    Variety("alpha=2", {"alpha": 2.0}),
    Variety("noise=0.1", {"noise": 0.1}),
    Variety("bernoulli", {"reward_law": "bernoulli"}),
    Variety("bounded", {"reward_law": "bounded"}),
    Variety("omniscient", {"behaviour": "omniscient"}),
    Variety("forgetful", {"behaviour": "forgetful"}),
    Variety("drifting", {"behaviour": "drifting"}),
    Variety("logistic", {"behaviour": "logistic"}),
)
"""The paper's user, four others of her model, two of its assumption on rewards, and four who break
it."""


@dataclass(frozen=True)
class UniformBelow:
    """The law of means Uniform(0, high).

    With it the best, moved by a gap of 1 - high, is a probability.
    """

    high: float

    def __call__(self, n_arms: int, rng: np.random.Generator) -> np.ndarray:
        """Return a mean for each arm."""
        return self.high * rng.random(n_arms)


def varieties_named(names: Sequence[str] | None) -> tuple[Variety, ...]:
    """Return the varieties of these names, all of them for none.

    Raises:
        InvalidArgumentError: for a name that is not there.
    """
    known = {variety.name: variety for variety in VARIETIES}
    for name in names or ():
        if name not in known:
            raise InvalidArgumentError("user", name, "one of " + ", ".join(known))
    return tuple(known[name] for name in dict.fromkeys(names or known))


def population_with(variety: Variety, shared: Population) -> Population:
    """Return `shared` as this variety has it; Bernoulli means leave room for the gap.

    Raises:
        InvalidArgumentError: for Bernoulli rewards and a gap of 1 or more.
    """
    options: dict[str, Any] = dict(variety.options)
    if options.get("reward_law") == "bernoulli" and "means" not in options:
        gap = shared.instance_law.gap or DEFAULT_GAP
        if gap >= 1.0:
            raise InvalidArgumentError("gap", gap, f"below 1 for the user {variety.name}")
        options["means"] = UniformBelow(1.0 - gap)
    return replace(shared, **options)
