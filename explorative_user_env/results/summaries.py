"""What is said of an agent's runs, by the task that they are of."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from explorative_user_env.population import Population
from explorative_user_env.protocol import Array
from explorative_user_env.results.columns import regrets_by_user
from explorative_user_env.results.metrics import summarize, summarize_members, summarize_play
from explorative_user_env.tasks import BAI, POPULATION


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
