"""Kinds of users, each by how she differs from the paper's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorative_user_env.record_checks import check_fields
from explorative_user_env.users.laws_of_means import ROOMY
from explorative_user_env.validation import InvalidArgumentError


@dataclass(frozen=True)
class Variety:
    """A kind of user.

    Args:
        name: what it is called.
        options: how it differs from the paper's, as arguments of `evaluate`.

    Raises:
        InvalidArgumentError: for a name or options that are none.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self)


VARIETIES = (
    Variety("paper"),
    Variety("rho=1", {"rho": 1.0}),
    Variety("alpha=0.8", {"alpha": 0.8}),
    Variety("alpha=2", {"alpha": 2.0}),
    Variety("noise=0.1", {"noise": 0.1}),
    Variety("bernoulli", {"reward_law": "bernoulli", "means": ROOMY}),
    Variety("bounded", {"reward_law": "bounded"}),
    Variety("omniscient", {"behaviour": "omniscient"}),
    Variety("forgetful", {"behaviour": "forgetful"}),
    Variety("drifting", {"behaviour": "drifting"}),
    Variety("logistic", {"behaviour": "logistic"}),
    Variety("varied", {"behaviour": "varied"}),
)
"""The paper's user, four others of her model, two of its assumption on rewards, four who break it,
and users of her model of whom each has numbers of her own."""


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
