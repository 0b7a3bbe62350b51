"""How the runs of each task are had, by every path, and the columns that they become."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.compiled.presence import can_compile
from explorative_user_env.evaluation import plays
from explorative_user_env.evaluation.compiled import play_compiled, plays_compiled, run_compiled
from explorative_user_env.evaluation.in_step import play_in_step, run_in_step
from explorative_user_env.evaluation.members_compiled import members_compiled, members_tried
from explorative_user_env.evaluation.members_in_step import members_in_step
from explorative_user_env.evaluation.members_readable import member_columns, members_readable
from explorative_user_env.evaluation.readable import RUN_COLUMNS, play_readable, run_readable
from explorative_user_env.members import Members
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, Array, name_of
from explorative_user_env.tasks import BAI, CENSORED, LEFT, POPULATION, REGRET, Task


class Paths(NamedTuple):
    """The paths of a task; each is called with (population, agent, seeds, cap, horizon, halt=)."""

    task: Task
    readable: Callable[..., Array]
    compiled: Callable[..., Array]
    in_step: Callable[..., Array]
    tried: Callable[..., Any]  # what is compiled
    columns: Callable[[Agent, Population, Array], dict[str, Array]]  # of rows, but whose they are
    keeps_steps: bool  # whether the memory of a run grows with its length


def regret_readable(*arguments: Any, **halt: Any) -> Array:
    """Return rows of `plays.PLAY_COLUMNS`."""
    return plays.figures(play_readable(*arguments, **halt))


def regret_compiled(
    population: Population,
    agent: AlgorithmAgent,
    seeds: Sequence[int],
    horizon: int,
    told: int | None,
    halt: Array | None = None,
) -> Array:
    """Return the rows of `regret_readable` from compiled code; see `compiled.run_compiled`."""
    rows = np.zeros((len(seeds), len(plays.PLAY_COLUMNS)))
    for part, play in plays_compiled(population, agent, seeds, horizon, told, halt):
        rows[part] = plays.figures(play)
    return rows


def regret_in_step(*arguments: Any, **halt: Any) -> Array:
    """Return the rows of `regret_readable` from the vector environment."""
    return plays.figures(play_in_step(*arguments, **halt))


def quickest_play() -> Callable[..., plays.Play]:
    """Return what lets an agent with an algorithm record play: compiled, where there is a compiler.

    It is called as `readable.play_readable` is.
    """
    return play_compiled if can_compile() else play_readable


def bai_columns(agent: Agent, population: Population, rows: Array) -> dict[str, Array]:
    """Return the columns of runs of best-arm identification as the setting reports them."""
    of = dict(zip(RUN_COLUMNS, rows.T, strict=True))
    setting = population.setting
    private_draws = setting.private_draws * population.n_arms
    own = agent.algorithm.name if isinstance(agent, AlgorithmAgent) else name_of(agent)
    interactions = of["acceptances"] + of["rejections"]
    reported = private_draws if setting.counts_private_draws else 0
    rejected = private_draws if setting.reports_as_rejected(own) else 0
    return {
        "best_arm": of["best_arm"],
        "answer": of["answer"],
        "correct": of["answer"] == of["best_arm"],
        "censored": of["end"] == CENSORED,
        "left": of["end"] == LEFT,
        "stopping_time": interactions + reported,
        "interactions": interactions,
        "acceptances": of["acceptances"],
        "rejections": of["rejections"] + rejected,
    }


def regret_columns(agent: Agent, population: Population, rows: Array) -> dict[str, Array]:
    """Return the columns of runs over a horizon."""
    return dict(zip(plays.PLAY_COLUMNS, rows.T, strict=True))


PATHS = {
    paths.task: paths
    for paths in (
        Paths(
            BAI,
            run_readable,
            run_compiled,
            run_in_step,
            run_compiled,
            bai_columns,
            keeps_steps=False,
        ),
        Paths(
            REGRET,
            regret_readable,
            regret_compiled,
            regret_in_step,
            play_compiled,
            regret_columns,
            keeps_steps=True,
        ),
    )
}
"""By task, but for users who come one after another: how many there are says `members_paths`."""


def paths_of(task: Task, members: Members | None = None) -> Paths:
    """Return the paths of a task.

    Args:
        task: which it is.
        members: of the task "population", how many users come one after another.
    """
    return PATHS[task] if members is None else members_paths(members)


def members_paths(members: Members) -> Paths:
    """Return the paths of the task "population"."""
    return Paths(
        POPULATION,
        partial(members_readable, members),
        partial(members_compiled, members),
        partial(members_in_step, members),
        partial(members_tried, members),
        member_columns,
        keeps_steps=True,
    )
