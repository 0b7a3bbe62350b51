"""The infos of a vector environment, in the form in which Gymnasium stacks those of single ones."""

from collections.abc import Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Infos = dict[str, Any]


def stacked(values: Mapping[str, Array], mask: Array | None = None) -> Infos:
    """Return arrays of the lanes' values, each with a mask of the lanes that have it.

    Args:
        values: an array for each key.
        mask: which lanes have values; None is all.
    """
    infos: Infos = {}
    for key, array in values.items():
        infos[key] = array
        infos[f"_{key}"] = np.ones(array.size, bool) if mask is None else mask.copy()
    return infos


def final(finished: Array, observations: Array, infos: Mapping[str, Array]) -> Infos:
    """Return the last observations and infos of the lanes that are finished."""
    last_observations = np.full(finished.size, None, dtype=object)
    last_observations[finished] = observations[finished]
    last: Infos = {}
    for key, values in infos.items():
        last[key] = values.copy()
        last[key][~finished] = None if values.dtype == object else 0
    final_info = {"final_info": last, "_final_info": finished.copy()}
    return stacked({"final_obs": last_observations}, finished) | final_info
