"""When a figure of ours agrees with the published one."""

from collections.abc import Mapping
from dataclasses import dataclass

from explorative_user_env.studies.paper.records import TOLD_THEIR_HORIZON

ROUNDING = 1e-12
"""Shares of a thousand users lie on the edge of a tolerance often, and it includes its edge."""


@dataclass(frozen=True)
class Tolerance:
    """How far a figure may be from the published one; the larger of the two counts."""

    relative: float = 0.0
    absolute: float = 0.0

    def allows(self, ours: float, published: float) -> bool:
        """Return whether `ours` is as near as this to `published`."""
        allowed = max(self.relative * abs(published), self.absolute)
        return abs(ours - published) <= allowed + ROUNDING


TOLERANCES: Mapping[str, Mapping[str, Tolerance]] = {
    "stopping_time": {"": Tolerance(relative=0.04)},
    "rejection_rate": {"": Tolerance(relative=0.05, absolute=0.002)},
    "success": {
        "": Tolerance(absolute=0.005),
        "T&S": Tolerance(absolute=0.02),
        "UNI": Tolerance(absolute=0.05),
        "EXP3": Tolerance(absolute=0.06),
    },
}
"""By figure, then by agent; "" is any other. Published figures have errors of their own."""


def is_given(agent: str, figure: str) -> bool:
    """Return whether the figure is no finding: UNI and EXP3 run to a time they are told."""
    return figure == "stopping_time" and agent in TOLD_THEIR_HORIZON


def tolerance_of(figure: str, agent: str) -> Tolerance:
    """Return how far a figure of this agent may be from the published one."""
    by_agent = TOLERANCES[figure]
    return by_agent.get(agent, by_agent[""])


def agrees(
    figure: str, agent: str, ours: float, interval: tuple[float, float], published: float
) -> bool:
    """Return whether `ours` is within the tolerance or its 95% interval holds the published one.

    Args:
        figure: "stopping_time", "rejection_rate" or "success".
        agent: the agent's name.
        ours: the measured figure.
        interval: its 95% interval.
        published: the figure of the paper.
    """
    low, high = interval
    near = tolerance_of(figure, agent).allows(ours, published)
    return bool(near or low <= published <= high)
