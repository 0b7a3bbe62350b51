"""Agents with users who are not the paper's: success and stopping time, agents by users.

Only the user changes from one column to the next. Each agent is told what it is told of the paper's
user (alpha, rho_0 and whether there is click noise), and nothing of her behaviour.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd
from rich.table import Table

from explorative_user_env.agents import BAIR, EXP3, AlgorithmAgent, TrackAndStop, Uniform
from explorative_user_env.display import progress as reports
from explorative_user_env.display.progress import OnProgress, portion, silent
from explorative_user_env.display.tables import Column, markdown, table
from explorative_user_env.display.text import percent, share, whole, with_error
from explorative_user_env.evaluation import Results, evaluate
from explorative_user_env.protocol import Agent
from explorative_user_env.results.store import Store
from explorative_user_env.results.tables import MEANS_LEGEND, marked, references_of
from explorative_user_env.studies.suite import draw_heat_map
from explorative_user_env.studies.suite_tasks import named
from explorative_user_env.users.model import ROOMY
from explorative_user_env.users.population import (
    Population,
    UserOptions,
    lists_user_options,
    population_of,
)
from explorative_user_env.validation import InvalidArgumentError, check_fields, of_class, sequence

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Variety:
    """A kind of user.

    Args:
        name: its name in tables.
        options: how it differs from the paper's user, as options of `Population`.

    Raises:
        InvalidArgumentError: for a name or options of another class.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self)


#: The paper's user, four others of her model, two of its assumption on rewards, four who break it,
#: and users of her model of whom each has numbers of her own.
VARIETIES = (
    Variety("paper"),
    Variety("rho=1", {"rho": 1.0}),
    Variety("alpha=0.8", {"alpha": 0.8}),
    Variety("alpha=2", {"alpha": 2.0}),
    Variety("noise=0.1", {"noise": 0.1}),
    Variety("bernoulli", {"reward_law": "bernoulli", "means": ROOMY}),
    Variety("bounded", {"reward_law": "bounded"}),
    *(
        Variety(name, {"behaviour": name})
        for name in ("omniscient", "forgetful", "drifting", "logistic", "varied")
    ),
)


def varieties_named(names: Sequence[str] | None) -> tuple[Variety, ...]:
    """Return the varieties of these names, all of them for None.

    Raises:
        InvalidArgumentError: for an unknown name.
    """
    return named("user", names, VARIETIES)


#: Step cap of a run: about 25 times as long as the paper's user needs with five arms.
MAX_STEPS = 20_000


def default_agents() -> list[AlgorithmAgent]:
    """Return the paper's four agents, and BAIR(m) with any user.

    "BAIR(m)" drops an arm at m = 2 log(K/delta) consecutive rejections. Its m does not depend on
    the amount of noise.
    """
    patient = BAIR(m="paper", rejections="consecutive", noise=0.1, name="BAIR(m)")
    return [BAIR(), patient, TrackAndStop(), Uniform(), EXP3()]


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
    workers: int = 1,
    executor: Executor | None = None,
    progress: OnProgress = silent,
    store: Store | None = None,
    population: Population | None = None,
    **user: Unpack[UserOptions],
) -> pd.DataFrame:
    """Evaluate every agent with every kind of user.

    Args:
        agents: as in `evaluate`; None is `default_agents`.
        users: the kinds of users, with different names.
        delta: allowed probability of a wrong answer, in (0, 1).
        n_instances: users of each kind, at least 1; the same seeds for all kinds.
        seed: the seed of everything, at least 0.
        baseline_time: T of the agents that do not stop by themselves, as in `evaluate`. None is
            BAIR's mean stopping time with these users.
        max_steps: step cap of all agents, as in `evaluate`; a run that reaches it is censored, and
            so no success.
        workers: as in `evaluate`; the result is the same.
        executor: as in `evaluate`.
        progress: called with what runs, how many pieces are done and how many there are.
        store: as in `evaluate`.
        population: what all kinds share, as a record; or give its options:
        **user: the options of `Population`. A gap must be below 1 where rewards are Bernoulli,
            whose means are then drawn from Uniform(0, 1 - gap) if the variety has no law of its
            own. Means that drift begin so.

    Returns:
        One row for each user and agent: `user`, `agent` and the other columns of
        `Results.summary`; its `attrs["cells"]` hold `Results.cell` of each user.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    users = [of_class("users (each)", each, Variety) for each in sequence("users", users)]
    names = [variety.name for variety in users]
    if not names or len(set(names)) < len(names):
        raise InvalidArgumentError("users", names, "at least one, each of a name of its own")
    columns = _columns(population_of(population, user), users)  # checked before any runs
    found = {}
    for place, (name, column) in enumerate(columns.items()):
        found[name] = evaluate(
            default_agents() if agents is None else agents,
            population=column,
            delta=delta,
            n_instances=n_instances,
            seed=seed,
            baseline_time=baseline_time,
            max_steps=max_steps,
            workers=workers,
            executor=executor,
            store=store,
            progress=reports.named(portion(progress, place, len(users)), f"{name}:"),
        )
    return _matrix_of(found)


def _columns(shared: Population, users: Sequence[Variety]) -> dict[str, Population]:
    return {variety.name: replace(shared, **variety.options) for variety in users}


def _matrix_of(found: Mapping[str, Results]) -> pd.DataFrame:
    """Return the rows of `robustness` for the results with each kind of user, by its name."""
    frames = [results.summary().assign(user=name) for name, results in found.items()]
    matrix = pd.concat(frames, ignore_index=True)
    matrix.insert(0, "user", matrix.pop("user"))
    matrix.attrs["cells"] = [{**results.cell, "user": name} for name, results in found.items()]
    return matrix


def kept_matrix(
    cells: Sequence[Results], population: Population, users: Sequence[Variety]
) -> pd.DataFrame:
    """Return the rows of `robustness` for the kinds of users among some results.

    Args:
        cells: results as a file keeps them.
        population: what all kinds share.
        users: the kinds of users of the run.

    Raises:
        InvalidArgumentError: if there are no results with any of them.
    """
    found = {
        name: results
        for name, column in _columns(population, users).items()
        for results in cells
        if results.population == column
    }
    if not found:
        names = [variety.name for variety in users]
        raise InvalidArgumentError("users", names, "kinds of which there are results")
    return _matrix_of(found)


#: The notes below the matrix.
NOTES = (
    f"first line: success [95% interval]. Second: stopping time, {MEANS_LEGEND}. cut: "
    "share of runs that the step cap ended, which are no successes; under printed their length "
    "counts in the time, under released not.",
    "UNI and EXP3 do not stop by themselves: their T is BAIR's with the same users, or "
    "--baseline-time.",
    "drifting: success is to name the arm that is the best when the agent answers.",
)


def notes_of(matrix: pd.DataFrame) -> tuple[str, ...]:
    """Return the notes below the matrix."""
    return NOTES + references_of(matrix)


def title_of_matrix(population: Population, delta: float, n_instances: int, max_steps: int) -> str:
    """Return the title of a matrix: the setting, the cell and the number of users."""
    words = population.words()
    return (
        f"Robustness, {words['setting']}: {n_instances} users a cell, K={words['n_arms']}, "
        f"delta={delta:g}, gap={words['gap']:g}, at most {max_steps} steps"
    )


def matrix_table(matrix: pd.DataFrame) -> Table:
    """Return the rows of `robustness` as a Rich table, a row a user and a column an agent."""
    matrix = marked(matrix)
    rows: dict[str, dict[str, str]] = {}
    for row in matrix.to_dict("records"):
        low, high = share(row["success_low"]), share(row["success_high"])
        time = with_error(row["stopping_time"], row["stopping_time_high"]) or "no run ended"
        cell = f"{share(row['success'])} [{low}–{high}]\n{time}{_cut(row)}"
        rows.setdefault(row["user"], {"user": row["user"]})[row["agent"]] = cell
    return table(rows.values(), [Column("user", left=True), *map(Column, matrix["agent"].unique())])


def _cut(row: Mapping[str, Any]) -> str:
    return f"\n{percent(row['censored'])}% cut" if row["censored"] > 0.0 else ""


def matrix_page(matrix: pd.DataFrame, title: str) -> str:
    """Return the rows of `robustness` as one page of Markdown."""
    notes = (f"- {note}" for note in notes_of(matrix))
    return "\n\n".join([f"# {title}", markdown(matrix_table(matrix)), *notes]) + "\n"


def heat_map(matrix: pd.DataFrame, axes: "Axes | None" = None) -> "Axes":
    """Draw the success of every agent (rows) with every user (columns), with stopping times.

    Args:
        matrix: the rows of `robustness`.
        axes: where it is drawn, and what is returned; None is a new figure.
    """
    matrix = marked(matrix)
    agents, users = (matrix[name].unique().tolist() for name in ("agent", "user"))
    text = dict.fromkeys(product(agents, users), "")
    for row in matrix.to_dict("records"):
        cell = f"{share(row['success'])}\nT {whole(row['stopping_time'])}{_cut(row)}"
        text[row["agent"], row["user"]] = cell
    success = matrix.pivot(index="agent", columns="user", values="success")
    values = success.reindex(index=agents, columns=users).to_numpy(float)
    words = [[text[agent, user] for user in users] for agent in agents]
    return draw_heat_map(values, agents, users, words, label="success", axes=axes)
