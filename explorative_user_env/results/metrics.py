"""Metrics: the columns of runs, and the figures of an agent that follow from them.

`figures_of_runs` has the figures of one agent in one cell, each with its interval: of best-arm
identification by `summarize`, of regret over a horizon by `summarize_play`, of users who come one
after another by `summarize_members`. `scores_of` has one score a run, for other libraries.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.protocol import BAI, POPULATION, REGRET, Array
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
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, choice

#: What all runs of a cell share, as in `Results`.
CellOptions = Mapping[str, Any]

#: The columns of runs with their types, by task; of "population" a run is an episode.
RUN_FRAMES: Mapping[str, Mapping[str, type]] = {
    BAI.name: {
        "instance": int,
        "user_seed": int,
        "agent": str,
        "best_arm": int,
        "answer": int,
        "correct": bool,
        "censored": bool,
        "left": bool,
        "stopping_time": int,
        "interactions": int,
        "acceptances": int,
        "rejections": int,
    },
    REGRET.name: {
        "instance": int,
        "user_seed": int,
        "agent": str,
        "best_arm": int,
        "answer": int,
        "acceptances": int,
        "regret": float,
        "utility": float,
        "last_arm": int,
        "most_accepted_arm": int,
        "most_accepted_is_best": float,
        "interactions": int,
        "left": bool,
    },
    POPULATION.name: {
        "instance": int,
        "user_seed": int,
        "agent": str,
        "acceptances": int,
        "regret": float,
        "utility": float,
        "regret_by_user": str,
        "last_is_best": float,
        "most_accepted_is_best": float,
    },
}

#: Columns that are the same in all runs of an agent.
OF_A_PART = ("agent",)


def frame_of(task: str, agent: str, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return runs of one agent as a table.

    Args:
        task: its name.
        agent: the agent's.
        columns: values by the name of each other column.
    """
    kinds = RUN_FRAMES[task]
    n_runs = len(columns["instance"])
    whole = {
        name: agent if name in OF_A_PART else np.asarray(columns[name], dtype=kind)
        for name, kind in kinds.items()
    }
    return pd.DataFrame(whole, index=range(n_runs))


def regrets_by_user(runs: pd.DataFrame) -> np.ndarray:
    """Return the regret with each user of each episode, shape (runs, users).

    Args:
        runs: of the task "population", whose column `regret_by_user` has these as words.
    """
    return np.array([words.split() for words in runs["regret_by_user"]], dtype=float)


def figures_of_runs(
    runs: pd.DataFrame, cell: CellOptions, population: Population, delta: float
) -> dict[str, Any]:
    """Return the figures of one agent in one cell.

    Args:
        runs: the agent's runs, as in `Results`.
        cell: what they share.
        population: the users, whose setting says how figures are reported.
        delta: the agent's allowed probability of a wrong answer.
    """
    if cell["task"] == POPULATION.name:
        return summarize_members(runs, horizon=cell["horizon"])
    leaves = bool(population.behaviour.leaves)
    if cell["task"] == REGRET.name:
        return summarize_play(runs, horizon=cell["horizon"], leaves=leaves)
    return summarize(
        runs,
        delta=delta,
        step_cost=cell["step_cost"],
        leaves=leaves,
        rejection_rate=population.setting.rejection_rate,
        drops_censored=population.setting.drops_censored,
        any_time="until_width" in cell,
    )


def summarize(
    runs: pd.DataFrame,
    *,
    delta: float,
    step_cost: float,
    leaves: bool = False,
    rejection_rate: str = "mean of ratios",
    drops_censored: bool = False,
    any_time: bool = False,
) -> dict[str, Any]:
    """Return the figures of best-arm identification.

    Args:
        runs: the runs of an agent.
        delta: the allowed probability of a wrong answer, for (1 - p) / delta.
        step_cost: c of the cost c T + error. All runs count in it: T at a fixed success can be made
            shorter by answering at random now and then.
        leaves: whether users may leave.
        rejection_rate: the form that is reported, "mean of ratios" or "ratio of means".
        drops_censored: whether censored runs are left out of times and rejection rates; they are
            never left out of success.
        any_time: whether the interval of success holds whenever one stops meeting users.
    """
    counted = runs[~runs["censored"]] if drops_censored else runs
    times = counted["stopping_time"].to_numpy(float)
    rejections = counted["rejections"].to_numpy()
    ratios = np.zeros(len(times))
    np.divide(rejections, times, out=ratios, where=times > 0)
    rates = {"mean of ratios": (_mean(ratios), *mean_interval(ratios))}
    total = float(np.sum(times))
    ratio = float(np.sum(rejections)) / total if total > 0 else math.nan
    rates["ratio of means"] = (ratio, *ratio_interval(rejections, times))
    median = float(np.median(times)) if len(times) else math.nan
    unanswered, right = unanswered_in(runs), succeeded(runs)
    success = float(np.mean(right))
    return {
        "n_runs": len(runs),
        **_figure("stopping_time", _mean(times), *mean_interval(times)),
        **_figure("stopping_time_median", median, *median_interval(times)),
        "stopping_time_dominated": one_dominates(times),
        **_figure("rejection_rate", *rates[rejection_rate]),
        "rejection_rate_mean_of_ratios": rates["mean of ratios"][0],
        "rejection_rate_ratio_of_means": rates["ratio of means"][0],
        **_figure("success", success, *success_interval(right, any_time)),
        "wrong": float(np.mean(~(runs["correct"] | unanswered))),
        "censored": float(np.mean(runs["censored"])),
        **_share_who_left(runs, leaves),
        "failure_over_delta": (1.0 - success) / delta,
        "cost": mean_cost(runs["stopping_time"].to_numpy(), right, step_cost),
    }


def summarize_play(runs: pd.DataFrame, *, horizon: int, leaves: bool = False) -> dict[str, Any]:
    """Return the figures of regret over a horizon.

    Args:
        runs: the runs of an agent. The `regret` of each is the sum over its recommendations a of
            mu_* - mu_a, and of max mu - min mu for each step after its user has left; `utility` is
            the sum of mu_a of the accepted ones.
        horizon: T, by which acceptances are divided, whether the user has left or not.
        leaves: whether users may leave.
    """
    figures = {"n_runs": len(runs), **_means(runs, ("regret", "utility"))}
    figures["acceptance_rate"] = _mean(runs["acceptances"].to_numpy() / horizon)
    shares = {
        "last_is_best": (runs["last_arm"] == runs["best_arm"]).to_numpy(),
        "most_accepted_is_best": runs["most_accepted_is_best"].to_numpy(),
    }
    for name, values in shares.items():
        figures |= _figure(name, _mean(values), *share_interval(values))
    return figures | _share_who_left(runs, leaves)


def summarize_members(runs: pd.DataFrame, *, horizon: int) -> dict[str, Any]:
    """Return the figures of episodes with users who come one after another.

    Args:
        runs: the episodes of an agent, with the regret of each user in `regret_by_user`; whether
            the last recommendation, and the most accepted arm, is the best one is a share of users.
        horizon: T, the steps of each user.
    """
    by_user = regrets_by_user(runs)
    ends = {"regret_of_first": by_user[:, 0], "regret_of_last": by_user[:, -1]}
    return {
        "n_runs": len(runs),
        **_means(runs.assign(**ends), ("regret", "utility", *ends)),
        "acceptance_rate": _mean(runs["acceptances"].to_numpy() / (by_user.shape[1] * horizon)),
        **_means(runs, ("last_is_best", "most_accepted_is_best"), least=0.0, most=1.0),
    }


def _means(
    runs: pd.DataFrame, names: Sequence[str], least: float = -math.inf, most: float = math.inf
) -> dict[str, Any]:
    """Return the means of columns, and the ends of their 95% intervals in [least, most]."""
    found: dict[str, Any] = {}
    for name in names:
        values = runs[name].to_numpy()
        ends = np.clip(mean_interval(values), least, most).tolist()
        found |= _figure(name, _mean(values), *ends)
    return found


def _figure(name: str, value: float, low: float, high: float) -> dict[str, float]:
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _mean(values: Array) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def _share_who_left(runs: pd.DataFrame, leaves: bool) -> dict[str, float]:
    return {"left": float(np.mean(runs["left"]))} if leaves else {}


def unanswered_in(runs: Mapping[str, Any]) -> Any:
    """Return which runs ended before the agent stopped: by the step cap, or as the user left."""
    return runs["censored"] | runs["left"]


def succeeded(runs: Mapping[str, Any]) -> Any:
    """Return in which runs the agent stopped and named the best arm."""
    return runs["correct"] & ~unanswered_in(runs)


def success_interval(right: Any, any_time: bool) -> tuple[float, float]:
    """Return the 95% interval of success.

    Args:
        right: whether each run succeeded, shape (n,), bool.
        any_time: whether it holds whenever one stops meeting users.
    """
    successes, n_runs = int(np.sum(right)), len(right)
    if any_time:
        return sequence_interval(successes, n_runs, 1.0 - LEVEL)
    return proportion_interval(successes, n_runs)


def mean_cost(stopping_times: Array, right: Any, step_cost: float) -> float:
    """Return the mean of c T + error; a run without an answer counts as an error.

    Args:
        stopping_times: T of each run, shape (n,).
        right: whether each run succeeded, shape (n,), bool.
        step_cost: c.
    """
    return step_cost * _mean(stopping_times.astype(float)) + 1.0 - float(np.mean(right))


Score = Callable[[pd.DataFrame, CellOptions], Array]


def _cost(runs: pd.DataFrame, cell: CellOptions) -> Array:
    times = np.asarray(runs["stopping_time"], float)
    return np.asarray(float(cell["step_cost"]) * times + 1.0 - np.asarray(succeeded(runs), float))


OVER_HORIZON: Mapping[str, Score] = {
    "regret": lambda runs, cell: -runs["regret"].to_numpy(float),
    "utility": lambda runs, cell: runs["utility"].to_numpy(float),
}

#: Scores by task and name, the more the better; agents rank by the first of a task.
SCORES: Mapping[str, Mapping[str, Score]] = {
    BAI.name: {
        "cost": lambda runs, cell: -_cost(runs, cell),
        "stopping_time": lambda runs, cell: -runs["stopping_time"].to_numpy(float),
        "success": lambda runs, cell: succeeded(runs).to_numpy(float),
    },
    REGRET.name: OVER_HORIZON,
    POPULATION.name: OVER_HORIZON,
}


def scores_of(
    cells: Sequence[tuple[pd.DataFrame, CellOptions]], score: str | None
) -> dict[str, Array]:
    """Return the scores of each agent, shape (users, cells).

    Args:
        cells: the runs of each cell and what they share, as in `Results`.
        score: one of `SCORES`; None is the score by which agents rank.

    Raises:
        InvalidArgumentError: for a score that the task does not have, or cells with other agents or
            other numbers of users.
    """
    columns = []
    for runs, cell in cells:
        known = SCORES[cell["task"]]
        figure = known[next(iter(known)) if score is None else choice("score", score, known)]
        columns.append({str(k): figure(own, cell) for k, own in runs.groupby("agent", sort=False)})
    sizes = [{name: len(scores) for name, scores in column.items()} for column in columns]
    for size in sizes:
        if size != sizes[0]:
            raise InvalidArgumentError("cells", size, f"of the same agents and users as {sizes[0]}")
    return {name: np.column_stack([column[name] for column in columns]) for name in columns[0]}
