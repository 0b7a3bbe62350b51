"""How far chance alone takes a figure: ours, and the published one, which has an error too.

Functions of one agent's runs, the last axis of every array, so that they serve the runs we have and
many samples drawn from them alike.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorative_user_env.results.results import Results

PUBLISHED_RUNS = 1000
"""Users behind each published figure (paper, experiments)."""

UNITS = {"stopping_time": 1.0, "rejection_rate": 0.001, "success": 0.001}
"""The last digit printed of each figure."""

ESTIMATED = ("stopping_time", "rejection_rate")
"""Figures whose relative error is estimated from runs; a success has that of its own value."""


def figures_of(
    times: np.ndarray,
    rejections: np.ndarray,
    correct: np.ndarray,
    censored: np.ndarray,
    *,
    rejection_rate: str,
    drops_censored: bool,
) -> Mapping[str, np.ndarray]:
    """Return the figures of samples of runs, with the relative errors of ours and the published.

    The error of a mean is the standard error, and beside it what one more run as far off as the
    farthest would do: stopping times may have a tail of which a sample holds a run or two, or none,
    and it is the sample without it whose standard error is too small. A step cap bounds the tail,
    and runs that it cuts off say where it is.

    Args:
        times: T of each run, shape (..., n).
        rejections: of each run, shape (..., n).
        correct: whether each run's answer is the best arm, shape (..., n), bool.
        censored: whether the step cap ended each run, shape (..., n), bool.
        rejection_rate: as for `summarize`, like the next.
        drops_censored: whether runs cut off are left out of times and rejections.

    Returns:
        Each of shape (...): the three figures, and of time and rejection rate `_error` and
        `_published_error`. NaN where fewer than two runs are left.
    """
    kept = ~censored if drops_censored else np.ones_like(censored)
    n_kept = kept.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        time = (times * kept).sum(axis=-1) / n_kept
        farthest = (times.max(axis=-1) - time) / time
        off_time = (times - time[..., None]) / time[..., None]
        if rejection_rate == "ratio of means":
            rate = (rejections * kept).sum(axis=-1) / (times * kept).sum(axis=-1)
            off_rate = rejections / (rate * time)[..., None] - times / time[..., None]
            farthest_rate = farthest
        else:
            ratios = np.divide(
                rejections, times, out=np.zeros(times.shape), where=(times > 0) & kept
            )
            rate = ratios.sum(axis=-1) / n_kept
            off_rate = ratios / rate[..., None] - 1.0
            farthest_rate = off_rate.max(axis=-1)
        found = {
            "stopping_time": time,
            "rejection_rate": rate,
            "success": (correct & ~censored).mean(axis=-1),
        }
        share_kept = kept.mean(axis=-1)
        for name, off, far in zip(
            ESTIMATED, (off_time, off_rate), (farthest, farthest_rate), strict=True
        ):
            variance = (off**2 * kept).sum(axis=-1) / (n_kept - 1)
            for end, size in (("error", times.shape[-1]), ("published_error", PUBLISHED_RUNS)):
                n = share_kept * size
                found[f"{name}_{end}"] = np.sqrt(variance / n + (far / n) ** 2)
    return found


def arrays_of(results: Results, agent: str) -> tuple[np.ndarray, ...]:
    """Return an agent's times, rejections, right answers and runs cut off, for `figures_of`."""
    runs = results.runs[results.runs["agent"] == agent]
    kinds = {"stopping_time": float, "rejections": float, "correct": bool, "censored": bool}
    return tuple(runs[name].to_numpy(kind) for name, kind in kinds.items())


def z_of(figure: str, ours: Mapping[str, Any], published: Any, n_runs: int) -> Any:
    """Return how many errors apart two figures are, positive where ours is larger.

    Times and rates are compared by their logarithms, as large means have large errors; successes
    by the pooled share. Rounding to the last printed digit counts as an error as well.

    Args:
        figure: "stopping_time", "rejection_rate" or "success".
        ours: the figure by its name, with its errors, as from `figures_of`; numbers or arrays.
        published: as printed; a number, or an array.
        n_runs: runs behind ours.

    Returns:
        A number, or an array as the others are.
    """
    unit, own = UNITS[figure], ours[figure]
    if figure == "success":
        pooled = (n_runs * own + PUBLISHED_RUNS * published) / (n_runs + PUBLISHED_RUNS)
        variance = pooled * (1.0 - pooled) * (1.0 / n_runs + 1.0 / PUBLISHED_RUNS)
        return (own - published) / np.sqrt(variance + unit**2 / 12)
    errors = ours[f"{figure}_error"] ** 2 + ours[f"{figure}_published_error"] ** 2
    printed = np.maximum(published, unit / 2)
    return np.log(np.maximum(own, unit / 2) / printed) / np.sqrt(
        errors + (unit / printed) ** 2 / 12
    )
