"""The columns of runs, each with its type: of tables in memory and of tables in a file."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.protocol import BAI, POPULATION, REGRET

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
"""By the name of a task; every row is one run, which is an episode of many users in the last."""

OF_A_PART = ("agent",)
"""Columns that are the same in all runs of an agent."""


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
