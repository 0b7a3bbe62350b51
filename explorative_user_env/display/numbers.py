"""Numbers as the package writes them, in tables and sentences alike."""

import math
from collections.abc import Mapping
from typing import Any


def whole(value: float) -> str:
    """Return a number of steps, empty where there is none."""
    return "" if math.isnan(value) else f"{value:.0f}"


def with_error(mean: float, high: float) -> str:
    """Return a mean with the half-width of its interval, where that is above 0."""
    error = high - mean
    return whole(mean) if math.isnan(error) or error == 0.0 else f"{mean:.0f} ± {error:.0f}"


def percent(value: float) -> str:
    """Return a rate as a percentage, empty where there is none."""
    return "" if math.isnan(value) else f"{100 * value:.1f}"


def share(value: float) -> str:
    """Return a probability with three digits as the paper prints it, empty where there is none."""
    if math.isnan(value):
        return ""
    return f"{value:.3f}".removeprefix("0") if value < 0.9995 else "1.00"


def fine_share(value: float) -> str:
    """Return a probability with four digits, which those near 1 need beside each other."""
    return f"{value:.4f}"


def cost(value: float) -> str:
    """Return a cost with three digits."""
    return f"{value:.3f}".removeprefix("0")


def share_with_interval(row: Mapping[str, Any], name: str) -> str:
    """Return the probability `row[name]` with its interval, `name_low` to `name_high`, if known."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if math.isnan(low):
        return share(row[name])
    return f"{share(row[name])} [{share(low)}, {share(high)}]"


def fine_share_with_interval(value: float, low: float, high: float) -> str:
    """Return a probability with its interval, with four digits."""
    return f"{fine_share(value)} [{fine_share(low)}, {fine_share(high)}]"
