"""What agents are asked for on hidden users, and what it is worth."""

import math
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from explorative_user_env.evaluation import Results
from explorative_user_env.evaluation.request import Request
from explorative_user_env.grading.hidden import HIDDEN_USERS, USUAL_CAP
from explorative_user_env.protocol import BAI, DELTA, REGRET, Task, as_task_of_one
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.metrics import scores_of
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError

REFERENCE_AGENTS = ("BAIR", "SE", "UNI")
"""Agents of the package that stand beside the submissions."""

FULL_POINTS = 100.0


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """What agents are asked for, and how it is scored; the attributes are those of `evaluate`.

    Raises:
        InvalidArgumentError: naming what is out of range, or means nothing for the task.
    """

    task: Task = BAI
    population: Population = field(default_factory=Population)
    delta: float = DELTA
    n_instances: int = HIDDEN_USERS
    horizon: int | None = None
    max_steps: int | None = None
    step_cost: float | None = None

    def __post_init__(self) -> None:
        as_task_of_one(self.task)
        if not self.over_horizon and self.horizon is not None:
            allowed = "left out, except for the task regret"
            raise InvalidArgumentError("horizon", self.horizon, allowed)
        rest: dict[str, Any] = {"baseline_time": None, "compiled": True, "check_theory": False}
        Request(seed=0, **rest, **self.options())

    @property
    def over_horizon(self) -> bool:
        """Whether the task is "regret"."""
        return self.task == REGRET

    def options(self) -> dict[str, Any]:
        """Return the arguments of `evaluate`, but for the seed."""
        asked = {each.name: getattr(self, each.name) for each in fields(self)}
        if not self.over_horizon and self.max_steps is None:
            asked["max_steps"] = USUAL_CAP
        return asked


@dataclass(frozen=True)
class Points:
    """Points of an agent, from 0 to 100, with a 95% interval; NaN where one user says nothing."""

    value: float
    low: float
    high: float


NO_POINTS = Points(0.0, 0.0, 0.0)


def points_of(results: Results, agent: str, worst: float) -> Points:
    """Return the points of an agent: 100 for what costs nothing, 0 for `worst` and what is worse.

    Args:
        results: with its runs.
        agent: its name.
        worst: the cost, or regret, of who learns nothing.
    """
    costs = -scores_of([(results.runs, results.cell)], None)[agent][:, 0]
    low, high = mean_interval(costs)
    value, least, most = (
        min(max(FULL_POINTS * (1.0 - cost / worst), 0.0), FULL_POINTS)
        if math.isfinite(cost)
        else math.nan
        for cost in (float(np.mean(costs)), high, low)
    )
    return Points(value, least, most)


def worst_of(references: Results) -> float:
    """Return what it costs to learn nothing: to name an arm at once, or to recommend each in turn.

    The latter is the regret of UNI with the very users.
    """
    runs = references.runs
    if references.cell["task"] == BAI.name:
        return 1.0 - 1.0 / int(references.cell["n_arms"])
    return float(runs["regret"][runs["agent"] == REFERENCE_AGENTS[-1]].mean())
