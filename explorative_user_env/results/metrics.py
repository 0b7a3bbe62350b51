"""Runs as the scores that other libraries compare agents by: the more the better."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.protocol import BAI, POPULATION, REGRET, Array
from explorative_user_env.results.columns import regrets_by_user
from explorative_user_env.results.intervals import (
    LEVEL,
    mean_interval,
    median_interval,
    one_dominates,
    proportion_interval,
    ratio_interval,
    sequence_interval,
    share_interval,
)
from explorative_user_env.results.records import Cell
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, choice


def summarize(
    stopping_times: np.ndarray,
    rejections: np.ndarray,
    correct: np.ndarray,
    censored: np.ndarray,
    *,
    left: np.ndarray | None = None,
    delta: float,
    step_cost: float,
    rejection_rate: str = "mean of ratios",
    drops_censored: bool = False,
    any_time: bool = False,
) -> Mapping[str, Any]:
    """Return what is said of an agent's runs in one cell.

    Args:
        stopping_times: T of each run, shape (n,).
        rejections: number of rejections of each run, shape (n,).
        correct: whether each run's answer is the best arm, shape (n,), bool.
        censored: whether the step cap ended each run, shape (n,), bool.
        left: whether its user did, shape (n,), bool; None where none of them can.
        delta: the allowed probability of a wrong answer, for (1 - p) / delta.
        step_cost: c of the cost c T + error, which all runs count in: what T at a fixed success
            hides, as answering at random now and then makes T shorter.
        rejection_rate: the headline form, "mean of ratios" or "ratio of means".
        drops_censored: leave censored runs out of times and rejection rates (never out of
            success).
        any_time: whether the interval of success is to hold whenever one stops meeting users.
    """
    n_runs = len(stopping_times)
    kept = ~censored if drops_censored else np.ones(n_runs, dtype=bool)
    times = stopping_times[kept].astype(float)
    ratios = _ratios(rejections[kept], times)
    rates = {
        "mean of ratios": (_mean(ratios), mean_interval(ratios)),
        "ratio of means": (
            ratio_of_means(rejections[kept], times),
            ratio_interval(rejections[kept], times),
        ),
    }
    rate, (rate_low, rate_high) = rates[rejection_rate]
    unanswered = censored if left is None else censored | left
    success = float(np.mean(correct & ~unanswered))
    success_low, success_high = success_interval(correct, unanswered, any_time)
    return {
        "n_runs": n_runs,
        **_of_times(times),
        "rejection_rate": rate,
        "rejection_rate_low": rate_low,
        "rejection_rate_high": rate_high,
        "rejection_rate_mean_of_ratios": rates["mean of ratios"][0],
        "rejection_rate_ratio_of_means": rates["ratio of means"][0],
        "success": success,
        "success_low": success_low,
        "success_high": success_high,
        "wrong": float(np.mean(~correct & ~unanswered)),
        "censored": float(np.mean(censored)),
        **share_who_left(left),
        "failure_over_delta": (1.0 - success) / delta,
        "cost": mean_cost(stopping_times, correct, unanswered, step_cost),
    }


def unanswered_in(runs: Mapping[str, Any]) -> Any:
    """Return which runs ended before the agent stopped: by the step cap, or as their users left.

    Args:
        runs: the columns of runs of best-arm identification, as in `Results`.
    """
    return runs["censored"] | runs["left"]


def succeeded(runs: Mapping[str, Any]) -> Any:
    """Return in which runs the agent stopped and named the best arm; see `unanswered_in`."""
    return runs["correct"] & ~unanswered_in(runs)


def share_who_left(left: np.ndarray | None) -> Mapping[str, float]:
    """Return the share of users who left, nothing where none of them can."""
    return {} if left is None else {"left": float(np.mean(left))}


def mean_cost(
    stopping_times: np.ndarray, correct: np.ndarray, unanswered: np.ndarray, step_cost: float
) -> float:
    """Return c T + error of a run in the mean; one without an answer has not succeeded, and counts.

    Args:
        stopping_times: T of each run, shape (n,).
        correct: whether each run's answer is the best arm, shape (n,), bool.
        unanswered: whether each run ended before the agent stopped, shape (n,), bool.
        step_cost: c.
    """
    success = float(np.mean(correct & ~unanswered))
    return step_cost * _mean(stopping_times.astype(float)) + 1.0 - success


def success_interval(
    correct: np.ndarray, unanswered: np.ndarray, any_time: bool
) -> tuple[float, float]:
    """Return the 95% interval of success.

    Args:
        correct: whether each run's answer is the best arm, shape (n,), bool.
        unanswered: whether each run ended before the agent stopped, shape (n,), bool.
        any_time: whether it is to hold whenever one stops meeting users.
    """
    successes, n_runs = int(np.sum(correct & ~unanswered)), len(correct)
    if any_time:
        return sequence_interval(successes, n_runs, 1.0 - LEVEL)
    return proportion_interval(successes, n_runs)


def summarize_play(
    regrets: np.ndarray,
    utilities: np.ndarray,
    acceptances: np.ndarray,
    last_is_best: np.ndarray,
    most_accepted_is_best: np.ndarray,
    *,
    left: np.ndarray | None = None,
    horizon: int,
) -> Mapping[str, Any]:
    """Return what is said of an agent's runs over a horizon.

    Args:
        regrets: sum over a run of mu_* - mu_a, and of max mu - min mu for each step that its user
            left before, shape (n,).
        utilities: sum over a run of mu_a of accepted recommendations, shape (n,).
        acceptances: number of acceptances of each run, shape (n,).
        last_is_best: whether the last recommendation is the best arm, shape (n,), bool.
        most_accepted_is_best: whether the most accepted arm is, shape (n,), in [0, 1]: 1/n where it
            is one of n arms accepted equally often.
        left: whether its user left, shape (n,), bool; None where none of them can.
        horizon: T, by which acceptances count whether she was there or not.
    """
    means = {"regret": regrets, "utility": utilities}
    figures: dict[str, Any] = {"n_runs": len(regrets), **_with_intervals(means)}
    figures["acceptance_rate"] = _mean(acceptances / horizon)
    shares = {"last_is_best": last_is_best, "most_accepted_is_best": most_accepted_is_best}
    for name, values in shares.items():
        low, high = share_interval(values)
        figures |= {name: _mean(values), f"{name}_low": low, f"{name}_high": high}
    return {**figures, **share_who_left(left)}


def summarize_members(
    regrets: np.ndarray,
    utilities: np.ndarray,
    acceptances: np.ndarray,
    last_is_best: np.ndarray,
    most_accepted_is_best: np.ndarray,
    by_user: np.ndarray,
    *,
    horizon: int,
) -> Mapping[str, Any]:
    """Return what is said of an agent's episodes with users who come one after another.

    Args:
        regrets: sum over an episode of mu_* - mu_a, shape (n,).
        utilities: sum over an episode of mu_a of accepted recommendations, shape (n,).
        acceptances: number of acceptances of each episode, shape (n,).
        last_is_best: for how many of its users the last recommendation is the best arm, a share.
        most_accepted_is_best: for how many the most accepted arm is, a share.
        by_user: the regret with each of its users, in their order, shape (n, users).
        horizon: T, the steps of each user.
    """
    n_users = by_user.shape[1]
    of_all = {"regret": regrets, "utility": utilities}
    of_some = {"regret_of_first": by_user[:, 0], "regret_of_last": by_user[:, -1]}
    shares = {"last_is_best": last_is_best, "most_accepted_is_best": most_accepted_is_best}
    return {
        "n_runs": len(regrets),
        **_with_intervals(of_all | of_some),
        "acceptance_rate": _mean(acceptances / (n_users * horizon)),
        **_with_intervals(shares, least=0.0, most=1.0),
    }


def _with_intervals(
    figures: Mapping[str, np.ndarray], least: float = -math.inf, most: float = math.inf
) -> dict[str, float]:
    """Return the means of figures by name, and the ends of their 95% intervals in [least, most]."""
    found: dict[str, float] = {}
    for name, values in figures.items():
        low, high = np.clip(mean_interval(values), least, most).tolist()
        found |= {name: _mean(values), f"{name}_low": low, f"{name}_high": high}
    return found


def _of_times(times: np.ndarray) -> Mapping[str, Any]:
    """Return the mean and the median of stopping times, and whether one run makes the mean."""
    low, high = mean_interval(times)
    median_low, median_high = median_interval(times)
    return {
        "stopping_time": _mean(times),
        "stopping_time_low": low,
        "stopping_time_high": high,
        "stopping_time_median": float(np.median(times)) if len(times) else math.nan,
        "stopping_time_median_low": median_low,
        "stopping_time_median_high": median_high,
        "stopping_time_dominated": one_dominates(times),
    }


def _ratios(rejections: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return #Rej / T of each run, 0 for a run without a step."""
    ratios = np.zeros(len(times))
    np.divide(rejections, times, out=ratios, where=times > 0)
    return ratios


def ratio_of_means(rejections: np.ndarray, times: np.ndarray) -> float:
    """Return all rejections over all steps."""
    total = float(np.sum(times))
    return float(np.sum(rejections)) / total if total > 0 else math.nan


def _mean(values: np.ndarray) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def figures_of_runs(
    runs: pd.DataFrame, cell: Mapping[str, Any], population: Population, delta: float
) -> Mapping[str, Any]:
    """Return the figures of one agent in one cell.

    Args:
        runs: as in `Results`, of the agent.
        cell: what they share, as there.
        population: who the users are, whose setting says how figures are reported.
        delta: the agent's allowed probability of a wrong answer.
    """
    if cell["task"] == BAI.name:
        return _of_answers(runs, cell, population, delta)
    return (
        _of_members(runs, cell)
        if cell["task"] == POPULATION.name
        else _of_play(runs, cell, population)
    )


def _of_answers(
    runs: pd.DataFrame, cell: Mapping[str, Any], population: Population, delta: float
) -> Mapping[str, Any]:
    return summarize(
        runs["stopping_time"].to_numpy(),
        runs["rejections"].to_numpy(),
        runs["correct"].to_numpy(),
        runs["censored"].to_numpy(),
        left=_left(runs, population),
        delta=delta,
        step_cost=cell["step_cost"],
        rejection_rate=population.setting.rejection_rate,
        drops_censored=population.setting.drops_censored,
        any_time="until_width" in cell,
    )


def _of_play(
    runs: pd.DataFrame, cell: Mapping[str, Any], population: Population
) -> Mapping[str, Any]:
    best_arms = runs["best_arm"]
    return summarize_play(
        runs["regret"].to_numpy(),
        runs["utility"].to_numpy(),
        runs["acceptances"].to_numpy(),
        (runs["last_arm"] == best_arms).to_numpy(),
        runs["most_accepted_is_best"].to_numpy(),
        left=_left(runs, population),
        horizon=cell["horizon"],
    )


def _left(runs: pd.DataFrame, population: Population) -> Array | None:
    """Return which users left, None where none of them can."""
    return runs["left"].to_numpy() if population.behaviour.leaves else None


def _of_members(runs: pd.DataFrame, cell: Mapping[str, Any]) -> Mapping[str, Any]:
    return summarize_members(
        runs["regret"].to_numpy(),
        runs["utility"].to_numpy(),
        runs["acceptances"].to_numpy(),
        runs["last_is_best"].to_numpy(),
        runs["most_accepted_is_best"].to_numpy(),
        regrets_by_user(runs),
        horizon=cell["horizon"],
    )


def _success(runs: pd.DataFrame, cell: Cell) -> Array:
    return np.asarray(succeeded(runs), float)


def _cost(runs: pd.DataFrame, cell: Cell) -> Array:
    times = np.asarray(runs["stopping_time"], float)
    return float(cell["step_cost"]) * times + 1.0 - _success(runs, cell)


OVER_HORIZON: Mapping[str, Callable[[pd.DataFrame, Cell], Array]] = {
    "regret": lambda runs, cell: -np.asarray(runs["regret"], float),
    "utility": lambda runs, cell: np.asarray(runs["utility"], float),
}

SCORES: Mapping[str, Mapping[str, Callable[[pd.DataFrame, Cell], Array]]] = {
    BAI.name: {
        "cost": lambda runs, cell: -_cost(runs, cell),
        "stopping_time": lambda runs, cell: -np.asarray(runs["stopping_time"], float),
        "success": _success,
    },
    REGRET.name: OVER_HORIZON,
    POPULATION.name: OVER_HORIZON,
}
"""By task and figure, that by which agents rank first; what is the better the less is negated."""


def _figure_of(cell: Cell, score: str | None) -> Callable[[pd.DataFrame, Cell], Array]:
    known = SCORES[cell["task"]]
    return known[next(iter(known)) if score is None else choice("score", score, known)]


def scores_of(cells: Sequence[tuple[pd.DataFrame, Cell]], score: str | None) -> dict[str, Array]:
    """Return the scores of each agent in the shape (users, cells).

    Args:
        cells: the runs of each cell, and what they share, as in `Results`.
        score: the figure, of `SCORES`; None is that by which agents rank.

    Raises:
        InvalidArgumentError: for a figure that the task has not, or cells with other agents or
            other numbers of users.
    """
    figures = [_figure_of(cell, score) for _, cell in cells]
    columns = [
        {str(name): figure(own, cell) for name, own in runs.groupby("agent", sort=False)}
        for (runs, cell), figure in zip(cells, figures, strict=True)
    ]
    sizes = [{name: len(scores) for name, scores in column.items()} for column in columns]
    for size in sizes:
        if size != sizes[0]:
            raise InvalidArgumentError("cells", size, f"of the same agents and users as {sizes[0]}")
    return {name: np.column_stack([column[name] for column in columns]) for name in columns[0]}
