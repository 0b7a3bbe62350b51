"""When a figure of ours agrees with the published one: within the errors of both."""

from collections.abc import Mapping
from dataclasses import dataclass

from explorative_user_env.studies.paper.records import TOLD_THEIR_HORIZON

LIMIT = 3.0
"""Errors that two figures may be apart and still agree: chance takes one in 370 farther."""

ROUNDING = 1e-12
"""Shares of a thousand users lie on the edge of a tolerance often, and it includes its edge."""


@dataclass(frozen=True)
class Tolerance:
    """How far a figure may be from the published one to be near it; the larger of the two."""

    relative: float = 0.0
    absolute: float = 0.0

    def allows(self, ours: float, published: float) -> bool:
        """Return whether `ours` is as near as this to `published`."""
        allowed = max(self.relative * abs(published), self.absolute)
        return abs(ours - published) <= allowed + ROUNDING


TOLERANCES: Mapping[str, Tolerance] = {
    "stopping_time": Tolerance(relative=0.04),
    "rejection_rate": Tolerance(relative=0.05, absolute=0.002),
    "success": Tolerance(absolute=0.02),
}
"""What is near enough in practice, whatever the errors are."""


def is_given(agent: str, figure: str) -> bool:
    """Return whether the figure is no finding: UNI and EXP3 run to a time they are told."""
    return figure == "stopping_time" and agent in TOLD_THEIR_HORIZON


def agrees(z: float) -> bool:
    """Return whether figures that are `z` errors apart agree."""
    return abs(z) <= LIMIT


def is_near(figure: str, ours: float, published: float, n1: float = 0.0) -> bool:
    """Return whether `ours` is near the published figure in practice.

    Args:
        figure: "stopping_time", "rejection_rate" or "success".
        ours: the measured figure.
        published: the figure of the paper.
        n1: N_1 where it is most of T, which is then compared without it.
    """
    return TOLERANCES[figure].allows(ours - n1, published - n1)
