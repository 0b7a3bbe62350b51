"""The agents: BAIR, the paper's baselines and references beyond them.

They see arms and responses, nothing else; one reference, labelled so, is told rewards as well.
"""

from collections.abc import Callable

from explorative_user_env.validation import InvalidArgumentError

from . import (
    bair,
    exp3,
    full_information,
    thompson,
    track_and_stop,
    transfer_elimination,
    ucb1,
    uniform,
)
from .adapter import AlgorithmAgent
from .bair import BAIR, SuccessiveElimination
from .exp3 import EXP3
from .full_information import FullInformation
from .shared_phase1 import Phase1, after_phase1
from .text import TextAgent
from .thompson import Thompson
from .track_and_stop import TrackAndStop
from .transfer_elimination import OrderedElimination, TransferElimination
from .ucb1 import UCB1
from .uniform import Uniform

ALGORITHMS = {
    module.ALGORITHM.name: module.ALGORITHM
    for module in (
        bair,
        track_and_stop,
        uniform,
        exp3,
        ucb1,
        thompson,
        full_information,
        transfer_elimination,
    )
}
"""The algorithm records by name; SE's is BAIR's, SE-ordered's that of SE-transfer."""

AGENTS: dict[str, Callable[..., AlgorithmAgent]] = {
    "BAIR": BAIR,
    "T&S": TrackAndStop,
    "UNI": Uniform,
    "EXP3": EXP3,
}
"""What makes an agent of each name, in the order of the paper's tables."""

REFERENCES: dict[str, Callable[..., AlgorithmAgent]] = {
    "SE": SuccessiveElimination,
    "UCB1": UCB1,
    "Thompson": Thompson,
    "Full-information": FullInformation,
}
"""What makes an agent that the paper's tables do not have, by name."""

CARRIERS: dict[str, Callable[..., AlgorithmAgent]] = {
    "SE-ordered": OrderedElimination,
    "SE-transfer": TransferElimination,
}
"""What makes an agent that carries over what it learns from user to user, by name."""

_MAKERS = AGENTS | REFERENCES | CARRIERS

_SPELLINGS = {name.lower(): name for name in _MAKERS} | {
    "tas": "T&S",
    "track-and-stop": "T&S",
    "uniform": "UNI",
    "successive-elimination": "SE",
}

_SHOWN = ", ".join(sorted("tas" if name == "T&S" else name.lower() for name in _MAKERS))


def agent_named(name: str, max_steps: int | None = None) -> AlgorithmAgent:
    """Return the agent called `name`, of `AGENTS`, `REFERENCES` or `CARRIERS`, in any case.

    "tas" and "track-and-stop" stand for T&S, "uniform" for UNI, "successive-elimination" for SE.

    Raises:
        InvalidArgumentError: if there is none.
    """
    spelled = _SPELLINGS.get(name.lower()) if isinstance(name, str) else None
    if spelled is None:
        raise InvalidArgumentError("agent", name, f"one of {_SHOWN}")
    return _MAKERS[spelled](max_steps=max_steps)


__all__ = [
    "AGENTS",
    "ALGORITHMS",
    "BAIR",
    "CARRIERS",
    "EXP3",
    "REFERENCES",
    "UCB1",
    "AlgorithmAgent",
    "FullInformation",
    "OrderedElimination",
    "Phase1",
    "SuccessiveElimination",
    "TextAgent",
    "Thompson",
    "TrackAndStop",
    "TransferElimination",
    "Uniform",
    "after_phase1",
    "agent_named",
]
