"""The agents: BAIR and the paper's baselines. They see arms and responses, nothing else."""

from collections.abc import Callable

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

__all__ = ["AGENTS", "ALGORITHMS", "BAIR", "EXP3", "AlgorithmAgent", "TrackAndStop", "Uniform"]
