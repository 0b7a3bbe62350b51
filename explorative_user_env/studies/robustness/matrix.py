"""Every agent meets every kind of user."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import pandas as pd

from explorative_user_env.agents import (
    BAIR,
    EXP3,
    AlgorithmAgent,
    TrackAndStop,
    Uniform,
)
from explorative_user_env.display.progress import OnProgress, named, portion, silent
from explorative_user_env.evaluation import Results, Workforce, evaluate
from explorative_user_env.old_names import renamed
from explorative_user_env.population import (
    Population,
    UserOptions,
    lists_user_options,
    population_of,
)
from explorative_user_env.protocol import Agent
from explorative_user_env.results.store import Store
from explorative_user_env.studies.robustness.varieties import VARIETIES, Variety
from explorative_user_env.validation import InvalidArgumentError, of_class, sequence

MAX_STEPS = 20_000
"""Step cap of a run: about 25 times as long as the paper's user needs with five arms."""


def default_agents() -> list[AlgorithmAgent]:
    """Return the paper's four, and BAIR made for click noise whether there is any or not.

    "BAIR(m)" drops an arm at m = 2 log(K/delta) consecutive rejections.
    """
    # Which noise it is told does not matter for m, only that there is some.
    patient = {"m": "paper", "rejections": "consecutive", "noise": 0.1}
    return [
        BAIR(),
        BAIR(**patient, name="BAIR(m)"),  # type: ignore[arg-type]
        TrackAndStop(),
        Uniform(),
        EXP3(),
    ]


@renamed(on_progress="progress", horizon="baseline_time")
@lists_user_options()
def robustness(
    agents: Sequence[Agent | str] | None = None,
    users: Sequence[Variety] = VARIETIES,
    *,
    delta: float = 0.1,
    n_instances: int = 1000,
    seed: int = 0,
    baseline_time: int | str | None = None,
    max_steps: int = MAX_STEPS,
    workers: int | Workforce = 1,
    progress: OnProgress = silent,
    store: Store | None = None,
    population: Population | None = None,
    **user: Unpack[UserOptions],
) -> pd.DataFrame:
    """Let every agent meet every kind of user.

    Args:
        agents: as in `evaluate`; None is `default_agents`.
        users: the kinds of users, of different names.
        delta: allowed probability of a wrong answer, in (0, 1).
        n_instances: users of each kind, at least 1; the same seeds for all kinds.
        seed: what everything follows from, at least 0.
        baseline_time: T of the agents that do not stop by themselves, as in `evaluate`: None is
            BAIR's mean stopping time with these users.
        max_steps: step cap of all agents, as in `evaluate`; a run that reaches it is censored, and
            so no success.
        workers: how many runs go on at once, or who does them; the result is the same.
        progress: called with what is going on, how many pieces are done and how many there are.
        store: what keeps the runs, if anything does.
        population: what all kinds share, as a record; or give its options:
        **user: the options of `Population`. A gap must be below 1 where rewards are Bernoulli,
            whose means are then drawn from Uniform(0, 1 - gap) if the variety has no law of its
            own. Means that drift begin so.

    Returns:
        One row for each user and agent: `user`, `agent` and the other columns of
        `Results.summary`; its `attrs["cells"]` say what made them, as `Results.cell` does.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    users = [of_class("users (each)", each, Variety) for each in sequence("users", users)]
    names = [variety.name for variety in users]
    if not names or len(set(names)) < len(names):
        raise InvalidArgumentError("users", names, "at least one, each of a name of its own")
    line_up = default_agents() if agents is None else agents
    shared = population_of(population, user)
    columns = [replace(shared, **variety.options) for variety in users]  # checked before any runs
    found = []
    for place, (variety, column) in enumerate(zip(users, columns, strict=True)):
        results = evaluate(
            line_up,
            population=column,
            delta=delta,
            n_instances=n_instances,
            seed=seed,
            baseline_time=baseline_time,
            max_steps=max_steps,
            workers=workers,
            store=store,
            progress=named(portion(progress, place, len(users)), f"{variety.name}:"),
        )
        found.append((variety.name, results))
    return matrix_of(found)


def matrix_of(found: Sequence[tuple[str, Results]]) -> pd.DataFrame:
    """Return the rows of `robustness` for the results with each kind of user, by her name."""
    frames, cells = [], []
    for name, results in found:
        summary = results.summary()
        summary.insert(0, "user", name)
        frames.append(summary)
        cells.append({**results.cell, "user": name})
    matrix = pd.concat(frames, ignore_index=True)
    matrix.attrs["cells"] = cells
    return matrix


def kept_matrix(
    cells: Sequence[Results], population: Population, users: Sequence[Variety]
) -> pd.DataFrame:
    """Return the rows of `robustness` for the kinds of users whose results there are.

    Args:
        cells: results as a file keeps them.
        population: what all kinds share.
        users: the kinds of users that were asked for.

    Raises:
        InvalidArgumentError: if there are no results with any of them.
    """
    by_users = [(variety.name, replace(population, **variety.options)) for variety in users]
    found = [
        (name, results)
        for name, column in by_users
        for results in cells
        if results.population == column
    ]
    if not found:
        names = [variety.name for variety in users]
        raise InvalidArgumentError("users", names, "kinds of which there are results")
    return matrix_of(found)
