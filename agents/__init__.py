"""The agents: BAIR and the paper's baselines. They see arms and responses, nothing else."""

from collections.abc import Callable

from explorative_user_env.validation import InvalidArgumentError

from . import bair, exp3, track_and_stop, uniform
from .adapter import AlgorithmAgent
from .bair import BAIR
from .exp3 import EXP3
from .track_and_stop import TrackAndStop
from .uniform import Uniform

ALGORITHMS = {
    module.ALGORITHM.name: module.ALGORITHM for module in (bair, track_and_stop, uniform, exp3)
}
"""The algorithm records by name."""

AGENTS: dict[str, Callable[..., AlgorithmAgent]] = {
    "BAIR": BAIR,
    "T&S": TrackAndStop,
    "UNI": Uniform,
    "EXP3": EXP3,
}
"""What makes an agent of each name, in the order of the paper's tables."""

_SPELLINGS = {"t&s": "T&S", "tas": "T&S", "track-and-stop": "T&S", "uniform": "UNI"}


def agent_named(name: str, max_steps: int | None = None) -> AlgorithmAgent:
    """Return the agent called `name`, in any case; "tas" stands for T&S, "uniform" for UNI.

    Raises:
        InvalidArgumentError: if there is none.
    """
    spelled = _SPELLINGS.get(name.lower(), name.upper())
    if spelled not in AGENTS:
        raise InvalidArgumentError("agent", name, "one of bair, exp3, tas, uni")
    return AGENTS[spelled](max_steps=max_steps)


__all__ = [
    "AGENTS",
    "ALGORITHMS",
    "BAIR",
    "EXP3",
    "AlgorithmAgent",
    "TrackAndStop",
    "Uniform",
    "agent_named",
]
