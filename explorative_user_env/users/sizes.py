"""How large means and gaps may be: so large that all that is computed of them stays finite."""

from math import hypot
from typing import Any

from explorative_user_env.validation import InvalidArgumentError, positive

LARGEST_MEAN = 1e150
"""No mean may be larger in size, nor a gap: squares, and sums over all steps, are finite."""

ALLOWED_MEANS = f"a tuple of at least two numbers of at most {LARGEST_MEAN:g} in size"


def are_means(means: Any) -> bool:
    """Return whether these are means of an instance; quick, as every user has them."""
    if not isinstance(means, tuple) or len(means) < 2:
        return False
    try:
        # Their norm is quick to have, and NaN or infinite with any that is; few need a closer look.
        return hypot(*means) <= LARGEST_MEAN or all(abs(mean) <= LARGEST_MEAN for mean in means)
    except (TypeError, OverflowError):
        return False


def checked_gap(gap: Any) -> float:
    """Return a gap that is large enough to be one, and no larger than a mean may be."""
    if (number := positive("gap", gap)) > LARGEST_MEAN:
        raise InvalidArgumentError("gap", gap, f"above 0 and at most {LARGEST_MEAN:g}")
    return number


def at_least_one(name: str, value: Any) -> float:
    """Return a factor of at least 1, by which a number is multiplied or divided."""
    if not 1.0 <= (number := positive(name, value)) <= LARGEST_MEAN:
        raise InvalidArgumentError(name, value, f"a number of 1 to {LARGEST_MEAN:g}")
    return number
