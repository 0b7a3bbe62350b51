"""The runs of one agent: by the fastest path it can take, in portions, as one row a user."""

from collections.abc import Callable, Sequence
from pickle import PicklingError
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display.progress import OnProgress
from explorative_user_env.evaluation import in_step, play
from explorative_user_env.evaluation.study import Study, compiles, run_compiled, run_readable
from explorative_user_env.protocol import Agent, Array, ManyUserAgent, name_of
from explorative_user_env.validation import InvalidArgumentError

CHUNK = 10
"""Users that a worker takes at a time, at least: few, so that the bar moves and workers end
together."""

LARGEST_CHUNK = 1000
CHUNKS = 50
"""How many times a worker comes for more in a study of ordinary size."""

LONGEST_PLAY = 5_000_000
"""Steps of all users of a portion together where every step is kept."""


class Paths(NamedTuple):
    """How the runs of a task are had; each is called with (study, agent, seeds, cap, horizon)."""

    readable: Callable[..., Array]
    compiled: Callable[..., Array]
    in_step: Callable[..., Array]
    tried: Callable[..., Any]  # what is compiled
    frame: Callable[[Agent, Study, Sequence[int], Array], pd.DataFrame]
    keeps_steps: bool  # whether the memory of a run grows with its length


def runs_of(
    paths: Paths,
    agent: Agent,
    study: Study,
    seeds: Sequence[int],
    *,
    cap: int,
    horizon: int | None,
    workers: int,
    compiled: bool,
    report: OnProgress,
) -> pd.DataFrame:
    """Return the runs of one agent with the users of these seeds, one row a user."""
    name = name_of(agent)
    report(name, 0, len(seeds))
    most = max(1, LONGEST_PLAY // cap) if paths.keeps_steps else len(seeds)
    if compiled and isinstance(agent, ManyUserAgent):
        rows = []
        size = min(in_step.USERS, most)
        for first in range(0, len(seeds), size):
            part = seeds[first : first + size]
            rows.append(paths.in_step(study, agent, part, cap, horizon))
            report(name, first + len(part), len(seeds))
        return paths.frame(agent, study, seeds, np.concatenate(rows))

    size = min(max(CHUNK, len(seeds) // CHUNKS), LARGEST_CHUNK, most)
    chunks = [seeds[first : first + size] for first in range(0, len(seeds), size)]
    fast = compiled and compiles(study, agent, seeds[0], horizon, paths.tried)
    work = paths.compiled if fast else paths.readable
    parallel = Parallel(
        n_jobs=min(workers, len(chunks)),
        backend="threading" if fast else "loky",
        return_as="generator",
    )
    rows = []
    n_done = 0
    try:
        for part in parallel(delayed(work)(study, agent, chunk, cap, horizon) for chunk in chunks):
            rows.append(part)
            n_done += len(part)
            report(name, n_done, len(seeds))
    except (BrokenProcessPool, PicklingError) as error:
        if isinstance(error, TerminatedWorkerError):
            raise
        allowed = f"1 for {name}, which cannot be sent to another process"
        raise InvalidArgumentError("workers", workers, allowed) from error
    return paths.frame(agent, study, seeds, np.concatenate(rows))


def bai_readable(*arguments: Any) -> Array:
    """Return rows of (best arm, acceptances, rejections, answer, censored)."""
    return np.array([(best_arm, *outcome) for best_arm, outcome in run_readable(*arguments)])


def bai_compiled(*arguments: Any) -> Array:
    """Return the rows of `bai_readable` from compiled code."""
    return np.array([(best_arm, *outcome) for best_arm, outcome in run_compiled(*arguments)])


def regret_readable(*arguments: Any) -> Array:
    """Return rows of `play.COLUMNS`."""
    return play.figures(play.play_readable(*arguments))


def regret_compiled(*arguments: Any) -> Array:
    """Return the rows of `regret_readable` from compiled code."""
    return play.figures(play.play_compiled(*arguments))


def regret_in_step(*arguments: Any) -> Array:
    """Return the rows of `regret_readable` from the vector environment."""
    return play.figures(in_step.play_in_step(*arguments))


def bai_frame(agent: Agent, study: Study, seeds: Sequence[int], rows: Array) -> pd.DataFrame:
    """Return the runs of best-arm identification as the setting reports them."""
    best_arms, acceptances, rejections, answers, censored = rows.T
    setting = study.setting
    private_draws = setting.private_draws * study.n_arms
    own = agent.algorithm.name if isinstance(agent, AlgorithmAgent) else name_of(agent)
    interactions = acceptances + rejections
    reported = private_draws if setting.counts_private_draws else 0
    rejected = private_draws if own in setting.private_draws_rejected else 0
    return pd.DataFrame(
        {
            "instance": range(len(seeds)),
            "user_seed": list(seeds),
            "agent": name_of(agent),
            "best_arm": best_arms,
            "answer": answers,
            "correct": answers == best_arms,
            "censored": censored.astype(bool),
            "stopping_time": interactions + reported,
            "interactions": interactions,
            "acceptances": acceptances,
            "rejections": rejections + rejected,
        }
    )


def regret_frame(agent: Agent, study: Study, seeds: Sequence[int], rows: Array) -> pd.DataFrame:
    """Return the runs over a horizon."""
    frame = pd.DataFrame(rows, columns=list(play.COLUMNS))
    whole = [name for name in play.COLUMNS if name not in ("regret", "utility")]
    frame = frame.astype(dict.fromkeys(whole, int))
    frame.insert(0, "instance", range(len(seeds)))
    frame.insert(1, "user_seed", list(seeds))
    frame.insert(2, "agent", name_of(agent))
    return frame


BAI_PATHS = Paths(
    bai_readable, bai_compiled, in_step.run_in_step, run_compiled, bai_frame, keeps_steps=False
)
REGRET_PATHS = Paths(
    regret_readable,
    regret_compiled,
    regret_in_step,
    play.play_compiled,
    regret_frame,
    keeps_steps=True,
)
