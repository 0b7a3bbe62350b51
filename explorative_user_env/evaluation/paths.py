"""How the runs of each task are had, by every path, and the frame that they become."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.evaluation import plays
from explorative_user_env.evaluation.compiled import play_compiled, plays_compiled, run_compiled
from explorative_user_env.evaluation.in_step import play_in_step, run_in_step
from explorative_user_env.evaluation.readable import RUN_COLUMNS, play_readable, run_readable
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, Array, name_of
from explorative_user_env.tasks import BAI, REGRET


class Paths(NamedTuple):
    """The paths of a task; each is called with (population, agent, seeds, cap, horizon)."""

    readable: Callable[..., Array]
    compiled: Callable[..., Array]
    in_step: Callable[..., Array]
    tried: Callable[..., Any]  # what is compiled
    frame: Callable[[Agent, Population, Sequence[int], Array], pd.DataFrame]
    keeps_steps: bool  # whether the memory of a run grows with its length


def regret_readable(*arguments: Any) -> Array:
    """Return rows of `plays.PLAY_COLUMNS`."""
    return plays.figures(play_readable(*arguments))


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


def regret_in_step(*arguments: Any) -> Array:
    """Return the rows of `regret_readable` from the vector environment."""
    return plays.figures(play_in_step(*arguments))


def bai_frame(
    agent: Agent, population: Population, seeds: Sequence[int], rows: Array
) -> pd.DataFrame:
    """Return the runs of best-arm identification as the setting reports them."""
    of = dict(zip(RUN_COLUMNS, rows.T, strict=True))
    setting = population.setting
    private_draws = setting.private_draws * population.n_arms
    own = agent.algorithm.name if isinstance(agent, AlgorithmAgent) else name_of(agent)
    interactions = of["acceptances"] + of["rejections"]
    reported = private_draws if setting.counts_private_draws else 0
    rejected = private_draws if setting.reports_as_rejected(own) else 0
    return pd.DataFrame(
        {
            "instance": range(len(seeds)),
            "user_seed": list(seeds),
            "agent": name_of(agent),
            "best_arm": of["best_arm"],
            "answer": of["answer"],
            "correct": of["answer"] == of["best_arm"],
            "censored": of["censored"].astype(bool),
            "stopping_time": interactions + reported,
            "interactions": interactions,
            "acceptances": of["acceptances"],
            "rejections": of["rejections"] + rejected,
        }
    )


def regret_frame(
    agent: Agent, population: Population, seeds: Sequence[int], rows: Array
) -> pd.DataFrame:
    """Return the runs over a horizon."""
    frame = pd.DataFrame(rows, columns=list(plays.PLAY_COLUMNS))
    whole = [name for name in plays.PLAY_COLUMNS if name not in plays.FRACTIONAL]
    frame = frame.astype(dict.fromkeys(whole, int))
    frame.insert(0, "instance", range(len(seeds)))
    frame.insert(1, "user_seed", list(seeds))
    frame.insert(2, "agent", name_of(agent))
    return frame


PATHS = {
    BAI: Paths(run_readable, run_compiled, run_in_step, run_compiled, bai_frame, keeps_steps=False),
    REGRET: Paths(
        regret_readable,
        regret_compiled,
        regret_in_step,
        play_compiled,
        regret_frame,
        keeps_steps=True,
    ),
}
"""By task."""
