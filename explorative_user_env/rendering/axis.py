"""An axis of rewards with round numbers on it."""

import math
from typing import NamedTuple

from explorative_user_env.rendering.layout import LITTLE, SPACING
from explorative_user_env.rendering.shapes import width_of

LEAST_SPAN = 1e-6  # of the numbers themselves: below, no tick could be told from the next
SPACE = 0.04  # beyond what is shown, in spans
ROUND_PARTS = 8  # at most, of a span whose ends are round
TICK_EVERY = 36.0  # pixels, about


class Axis(NamedTuple):
    """Rewards from `low` to `high`, between two places; and ticks, with their words."""

    low: float
    high: float
    left: float
    right: float
    ticks: tuple[tuple[float, str], ...]

    def place(self, value: float) -> float:
        """Return where a reward is; what is beyond an end is at that end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)


def round_step(least: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least this much."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= least)


def rounded_out(span: tuple[float, float]) -> tuple[float, float]:
    """Return a span with round ends that holds this one: in a film it seldom changes."""
    low, high = span
    if high - low <= LEAST_SPAN * max(abs(low), abs(high), 1.0):
        return span
    step = round_step((high - low) / ROUND_PARTS)
    return step * math.floor(low / step), step * math.ceil(high / step)


def axis_of(span: tuple[float, float], left: float, right: float) -> Axis:
    """Return an axis on which all of a span can be seen."""
    low, high = span
    wide = high - low
    if wide <= LEAST_SPAN * max(abs(low), abs(high), 1.0):
        wide = 2 * LEAST_SPAN * max(abs(low), abs(high)) + 1.0
        low, high = (span[0] + span[1] - wide) / 2, (span[0] + span[1] + wide) / 2
    axis = Axis(low - SPACE * wide, high + SPACE * wide, left, right, ())
    return ticked(axis)


def ticked(axis: Axis, least: float = 0.0, overhang: float = 0.0) -> Axis:
    """Return an axis with round numbers on it, as far apart as their words need.

    Args:
        axis: the axis.
        least: how far apart they are at least.
        overhang: how far beyond the ends of the axis there is room for words.
    """
    wide = axis.high - axis.low
    step = round_step(max(wide * TICK_EVERY / max(axis.right - axis.left, TICK_EVERY), least))
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks: list[tuple[float, str]] = []
    free = axis.left - overhang
    for number in range(math.ceil(axis.low / step), math.floor(axis.high / step) + 1):
        value = number * step
        words = f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.4g}"
        x, half = axis.place(value), width_of(words, LITTLE) / 2
        if x - half >= free and x + half <= axis.right + overhang:
            ticks.append((x, words))
            free = x + half + SPACING
    return axis._replace(ticks=tuple(ticks))
