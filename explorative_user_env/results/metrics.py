"""The columns of a table of runs, and the metrics of agents.

`summarize` returns the metrics of the runs of one agent with their intervals. `scores_of` returns
one score per run, for other libraries.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.protocol import BAI, POPULATION, REGRET, Array
from explorative_user_env.results import intervals
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, choice

#: The `cell` of `Results`: the options that all its runs share.
CellOptions = Mapping[str, Any]

_OF_ALL: dict[str, type] = {"instance": int, "user_seed": int, "agent": str}

#: The columns of runs with their types, by task; in "population" a row is an episode.
RUN_FRAMES: Mapping[str, Mapping[str, type]] = {
    BAI.name: _OF_ALL
    | dict.fromkeys(("best_arm", "answer"), int)
    | dict.fromkeys(("correct", "censored", "left"), bool)
    | dict.fromkeys(("stopping_time", "interactions", "acceptances", "rejections"), int),
    REGRET.name: _OF_ALL
    | dict.fromkeys(("best_arm", "answer", "acceptances"), int)
    | dict.fromkeys(("regret", "utility"), float)
    | dict.fromkeys(("last_arm", "most_accepted_arm"), int)
    | {"most_accepted_is_best": float, "interactions": int, "left": bool},
    POPULATION.name: _OF_ALL
    | {"acceptances": int, "regret": float, "utility": float, "regret_by_user": str}
    | dict.fromkeys(("last_is_best", "most_accepted_is_best"), float),
}


def frame_of(task: str, agent: str, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return the columns of one agent's runs as a data frame that also names the agent."""
    data = {
        name: agent if name == "agent" else np.asarray(columns[name], dtype=kind)
        for name, kind in RUN_FRAMES[task].items()
    }
    return pd.DataFrame(data, index=range(len(columns["instance"])))


def regrets_by_user(runs: pd.DataFrame) -> np.ndarray:
    """Return the regret of each user in runs of the task "population", shape (runs, users)."""
    return np.array([words.split() for words in runs["regret_by_user"]], dtype=float)


def summarize(runs: Any, cell: CellOptions, population: Population, delta: float) -> dict[str, Any]:
    """Return the metrics of the runs of one agent.

    In best-arm identification, agents are ranked by the cost c T + error, where error is 0 or 1. A
    ranking by T alone would reward random answers. The regret of a run is the sum of mu_* - mu_a
    over the recommendations a. Each step after the user has left adds max mu - min mu. `utility` is
    the sum of mu_a over acceptances. `acceptance_rate` is the number of acceptances divided by the
    horizon T, even if the user leaves earlier. In the task "population" a row is an episode, and
    its shares are shares of the episode's users.

    Args:
        runs: the agent's runs, as in `Results`.
        cell: the options of the runs: `task`, `step_cost` (c), `horizon` (T of each user), and
            perhaps `until_width`. With `until_width`, the interval of success comes from the
            confidence sequence.
        population: the users. The setting `printed` or `released` of the users decides whether the
            rejection rate is a mean of ratios or a ratio of means, and whether times and rejection
            rates exclude censored runs. The success rate includes all runs.
        delta: the agent's allowed probability of a wrong answer, in (0, 1).
    """
    n_runs = {"n_runs": len(runs)}
    if cell["task"] == POPULATION.name:
        by_user = regrets_by_user(runs)
        ends = {"regret_of_first": by_user[:, 0], "regret_of_last": by_user[:, -1]}
        steps = by_user.shape[1] * cell["horizon"]
        return {
            **n_runs,
            **_means(runs.assign(**ends), ("regret", "utility", *ends)),
            "acceptance_rate": _mean(runs["acceptances"].to_numpy() / steps),
            **_means(runs, ("last_is_best", "most_accepted_is_best"), least=0.0, most=1.0),
        }
    left = {"left": float(np.mean(runs["left"]))} if population.behaviour.leaves else {}
    if cell["task"] == REGRET.name:
        figures: dict[str, Any] = n_runs | _means(runs, ("regret", "utility"))
        figures["acceptance_rate"] = _mean(runs["acceptances"].to_numpy() / cell["horizon"])
        last = (runs["last_arm"] == runs["best_arm"]).to_numpy()
        most_accepted = runs["most_accepted_is_best"].to_numpy()
        for name, shares in ("last_is_best", last), ("most_accepted_is_best", most_accepted):
            figures |= _figure(name, _mean(shares), intervals.share_interval(shares))
        return figures | left
    setting = population.setting
    counted = runs[~runs["censored"]] if setting.drops_censored else runs
    times, rejections = counted["stopping_time"].to_numpy(float), counted["rejections"].to_numpy()
    ratios = np.zeros(len(times))
    np.divide(rejections, times, out=ratios, where=times > 0)
    total = float(np.sum(times))
    rates = {
        "mean of ratios": (_mean(ratios), mean_interval(ratios)),
        "ratio of means": (
            float(np.sum(rejections)) / total if total > 0 else math.nan,
            intervals.ratio_interval(rejections, times),
        ),
    }
    median = float(np.median(times)) if len(times) else math.nan
    right = succeeded(runs)
    success = float(np.mean(right))
    return {
        **n_runs,
        **_figure("stopping_time", _mean(times), mean_interval(times)),
        **_figure("stopping_time_median", median, intervals.median_interval(times)),
        "stopping_time_dominated": intervals.one_dominates(times),
        **_figure("rejection_rate", *rates[setting.rejection_rate]),
        "rejection_rate_mean_of_ratios": rates["mean of ratios"][0],
        "rejection_rate_ratio_of_means": rates["ratio of means"][0],
        **_figure("success", success, success_interval(right, "until_width" in cell)),
        "wrong": float(np.mean(~(runs["correct"] | runs["censored"] | runs["left"]))),
        "censored": float(np.mean(runs["censored"])),
        **left,
        "failure_over_delta": (1.0 - success) / delta,
        "cost": mean_cost(runs["stopping_time"].to_numpy(), right, cell["step_cost"]),
    }


def _means(
    runs: pd.DataFrame, names: Sequence[str], least: float = -math.inf, most: float = math.inf
) -> dict[str, Any]:
    """Return the means of columns with their 95% intervals, clipped to [least, most]."""
    figures: dict[str, Any] = {}
    for name in names:
        values = runs[name].to_numpy()
        ends = np.clip(mean_interval(values), least, most).tolist()
        figures |= _figure(name, _mean(values), ends)
    return figures


def _figure(name: str, value: float, ends: Sequence[float]) -> dict[str, float]:
    return {name: value, f"{name}_low": ends[0], f"{name}_high": ends[1]}


def _mean(values: Array) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def succeeded(runs: Mapping[str, Any]) -> Any:
    """Return for each run whether the agent stopped with a correct answer before the user left."""
    return runs["correct"] & ~(runs["censored"] | runs["left"])


def success_interval(right: Any, any_time: bool) -> tuple[float, float]:
    """Return the 95% interval of success.

    Args:
        right: whether each run succeeded, shape (n,), bool.
        any_time: whether to use the confidence sequence, valid for every number of users.
    """
    successes, n_runs = int(np.sum(right)), len(right)
    if any_time:
        return intervals.sequence_interval(successes, n_runs, 1.0 - intervals.LEVEL)
    return intervals.proportion_interval(successes, n_runs)


def mean_cost(stopping_times: Array, right: Any, step_cost: float) -> float:
    """Return the mean of c T + error, where error is 1 for a failed run and 0 for a success.

    Args:
        stopping_times: T of each run, shape (n,).
        right: whether each run succeeded, shape (n,), bool.
        step_cost: c.
    """
    return step_cost * _mean(stopping_times.astype(float)) + 1.0 - float(np.mean(right))


def scores_of(cells: Sequence[tuple[Any, CellOptions]], score: str | None) -> dict[str, Array]:
    """Return the scores of each agent, shape (users, cells). Higher scores are better.

    Args:
        cells: a pair of the attributes `runs` and `cell` for each `Results`.
        score: "cost" (default), "stopping_time" or "success"; in tasks with a horizon "regret"
            (default) or "utility".

    Raises:
        InvalidArgumentError: if the score is unknown, or if cells have different agents or numbers
            of users.
    """
    columns = []
    for runs, cell in cells:
        column = {}
        for name, rows in runs.groupby("agent", sort=False):
            if cell["task"] == BAI.name:
                times, right = (
                    rows["stopping_time"].to_numpy(float),
                    succeeded(rows).to_numpy(float),
                )
                cost = float(cell["step_cost"]) * times + 1.0 - right
                known = {"cost": -cost, "stopping_time": -times, "success": right}
            else:
                known = {"regret": -rows["regret"].to_numpy(float)}
                known["utility"] = rows["utility"].to_numpy(float)
            column[str(name)] = known[
                choice("score", next(iter(known)) if score is None else score, known)
            ]
        columns.append(column)
    sizes = [{name: len(scores) for name, scores in column.items()} for column in columns]
    for size in sizes:
        if size != sizes[0]:
            raise InvalidArgumentError("cells", size, f"results of {sizes[0]} users per agent")
    return {name: np.column_stack([column[name] for column in columns]) for name in columns[0]}
