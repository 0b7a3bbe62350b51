"""Whether rows of a trained policy that came out otherwise may be others by rounding alone.

Another processor adds in another order, and a policy that was all but undecided then recommends
another arm. That is rare (none of 400 runs of the package's models is another with other
instructions), it makes another whole run, and that run is one like the rest.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.protocol import Array
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.metrics import scores_of
from explorative_user_env.verification.rows import WHOSE_RUN, Other

OF_THE_USER = ("best_arm",)
"""Columns that no policy moves: they follow from the user's seed."""

SUMS_OF_A_RUN = ("regret", "utility")
"""Columns of which no run has one in common with another run of the same user."""

MOST_ROUNDED = 0.02
"""The share of rows that may be others, or one row."""

SURE = 0.999
"""The level at which the means of a policy that rests on rounding are others."""


def may_be_rounding(
    there: pd.DataFrame, here: pd.DataFrame, cell: Any, others: Sequence[Other]
) -> bool:
    """Return whether rounding may have made of some rows what others are.

    Args:
        there: rows as a file has them.
        here: what came out, in the same order.
        cell: what they share.
        others: in what they are others.
    """
    instances = {each.instance for each in others}
    return (
        len(instances) <= max(1.0, MOST_ROUNDED * len(there))
        and not any(each.column in OF_THE_USER or _beyond(each, here) for each in others)
        and all(_all_among(others, name, instances) for name in SUMS_OF_A_RUN if name in there)
        and _as_good(there, here, cell)
    )


def how_means_move(there: pd.DataFrame, here: pd.DataFrame, cell: Any) -> str:
    """Return how far the mean of what agents rank by moves, in words; see `may_be_rounding`."""
    low, high = mean_interval(_apart(there, here, cell), SURE)
    return f"the mean moves by {-high:.3g} to {-low:.3g} ({SURE:.1%})"


def _as_good(there: pd.DataFrame, here: pd.DataFrame, cell: Any) -> bool:
    """Return whether the mean of what agents rank by moves no further than by chance."""
    low, high = mean_interval(_apart(there, here, cell), SURE)
    return bool(low <= 0.0 <= high)


def _apart(there: pd.DataFrame, here: pd.DataFrame, cell: Any) -> Array:
    """Return by how much each row has another score."""
    ((_, before),) = scores_of([(there, cell)], None).items()
    ((_, now),) = scores_of([(here, cell)], None).items()
    return np.asarray((now - before).ravel())


def _all_among(others: Sequence[Other], column: str, instances: set[int]) -> bool:
    """Return whether all rows of which something is another have another number in a column."""
    return {each.instance for each in others if each.column == column} == instances


def _beyond(other: Other, here: pd.DataFrame) -> bool:
    """Return whether a number is beyond all that came out in its column."""
    column = here[other.column]
    if column.dtype.kind not in "iuf" or other.column in WHOSE_RUN:
        return False
    return not column.min() <= other.there <= column.max()
