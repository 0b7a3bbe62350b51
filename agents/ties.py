"""The largest of several counts, with ties broken at random and not by position."""

from collections.abc import Sequence

import numpy as np


def largest(counts: Sequence[int], rng: np.random.Generator, first: bool = False) -> int:
    """Return the index of the largest count; among tied ones a random one, or the first.

    Breaking ties by the first index would favour low arms (a tie of all arms would always answer
    arm 0), so `first` is for the released code's habit only. Draws from `rng` only for a tie.
    """
    best = 0
    n_tied = 1
    for index in range(1, len(counts)):
        if counts[index] > counts[best]:
            best = index
            n_tied = 1
        elif counts[index] == counts[best]:
            n_tied += 1
    if first or n_tied == 1:
        return best
    skip = int(rng.random() * n_tied)
    for index in range(best, len(counts)):
        if counts[index] == counts[best]:
            if skip == 0:
                return index
            skip -= 1
    return best
