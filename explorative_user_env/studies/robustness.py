"""How agents fare with users who are not the paper's: success and stopping time, agents by users.

Only the user changes from one column to the next; each agent is told what it would be told of her
anyway (alpha, rho_0 and whether there is click noise), and nothing of her behaviour.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd
from rich.table import Table

from explorative_user_env.agents import BAIR, EXP3, AlgorithmAgent, TrackAndStop, Uniform
from explorative_user_env.display.plots import plot_axes
from explorative_user_env.display.progress import OnProgress, named, portion, silent
from explorative_user_env.display.tables import markdown_table, new_table
from explorative_user_env.display.text import percent, share, whole, with_error
from explorative_user_env.evaluation import Results, evaluate
from explorative_user_env.protocol import Agent
from explorative_user_env.results.store import Store
from explorative_user_env.results.tables import MEANS_LEGEND, marked, references_of
from explorative_user_env.users.laws import ROOMY
from explorative_user_env.users.population import (
    Population,
    UserOptions,
    lists_user_options,
    population_of,
)
from explorative_user_env.validation import InvalidArgumentError, check_fields, of_class, sequence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "MAX_STEPS",
    "NOTES",
    "VARIETIES",
    "Variety",
    "default_agents",
    "heat_map",
    "kept_matrix",
    "matrix_page",
    "matrix_table",
    "notes_of",
    "robustness",
    "title_of_matrix",
    "varieties_named",
]


@dataclass(frozen=True)
class Variety:
    """A kind of user.

    Args:
        name: what it is called.
        options: how it differs from the paper's, as arguments of `evaluate`.

    Raises:
        InvalidArgumentError: for a name or options that are none.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self)


VARIETIES = (
    Variety("paper"),
    Variety("rho=1", {"rho": 1.0}),
    Variety("alpha=0.8", {"alpha": 0.8}),
    Variety("alpha=2", {"alpha": 2.0}),
    Variety("noise=0.1", {"noise": 0.1}),
    Variety("bernoulli", {"reward_law": "bernoulli", "means": ROOMY}),
    Variety("bounded", {"reward_law": "bounded"}),
    Variety("omniscient", {"behaviour": "omniscient"}),
    Variety("forgetful", {"behaviour": "forgetful"}),
    Variety("drifting", {"behaviour": "drifting"}),
    Variety("logistic", {"behaviour": "logistic"}),
    Variety("varied", {"behaviour": "varied"}),
)
"""The paper's user, four others of her model, two of its assumption on rewards, four who break it,
and users of her model of whom each has numbers of her own."""


def varieties_named(names: Sequence[str] | None) -> tuple[Variety, ...]:
    """Return the varieties of these names, all of them for none.

    Raises:
        InvalidArgumentError: for a name that is not there.
    """
    known = {variety.name: variety for variety in VARIETIES}
    for name in names or ():
        if name not in known:
            raise InvalidArgumentError("user", name, "one of " + ", ".join(known))
    return tuple(known[name] for name in dict.fromkeys(names or known))


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
        workers: how many runs go on at once; the numbers do not depend on it.
        executor: as for `evaluate`.
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
            executor=executor,
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


NOTES = (
    f"first line: success [95% interval]. Second: stopping time, {MEANS_LEGEND}. cut: "
    "share of runs that the step cap ended, which are no successes; under printed their length "
    "counts in the time, under released not.",
    "UNI and EXP3 do not stop by themselves: their T is BAIR's with the same users, or "
    "--baseline-time.",
    "drifting: success is to name the arm that is the best when the agent answers.",
)
"""What has to be known to read the matrix."""


def notes_of(matrix: pd.DataFrame) -> tuple[str, ...]:
    """Return what the cells of the matrix say, and what the sign of a reference."""
    return NOTES + references_of(matrix)


def title_of_matrix(population: Population, delta: float, n_instances: int, max_steps: int) -> str:
    """Return what was run."""
    words = population.words()
    return (
        f"Robustness, {words['setting']}: {n_instances} users a cell, K={words['n_arms']}, "
        f"delta={delta:g}, gap={words['gap']:g}, at most {max_steps} steps"
    )


def matrix_table(matrix: pd.DataFrame) -> Table:
    """Return the rows of `robustness` as a Rich table, a row a user and a column an agent."""
    matrix = marked(matrix)
    agents = list(dict.fromkeys(matrix["agent"]))
    table = new_table(("user", *agents), left=("user",))
    for user, *cells in _rows(matrix, agents):
        table.add_row(user, *("\n".join(lines) for lines in cells))
    return table


def matrix_page(matrix: pd.DataFrame, title: str) -> str:
    """Return the rows of `robustness` as one page of Markdown."""
    notes = notes_of(matrix)
    matrix = marked(matrix)
    agents = list(dict.fromkeys(matrix["agent"]))
    rows = [[row[0], *("\n".join(cell) for cell in row[1:])] for row in _rows(matrix, agents)]
    table = markdown_table(["user", *agents], rows, [False, *[True] * len(agents)])
    return "\n\n".join([f"# {title}", table, *(f"- {note}" for note in notes)]) + "\n"


def _rows(matrix: pd.DataFrame, agents: Sequence[str]) -> list[list[Any]]:
    """Return a row a user: her name, and the lines of each agent's cell."""
    return [
        [user, *(_lines(rows.set_index("agent").loc[agent]) for agent in agents)]
        for user, rows in matrix.groupby("user", sort=False)
    ]


def _lines(row: "pd.Series[Any]") -> list[str]:
    """Return what a cell of the matrix says."""
    interval = f"[{share(row['success_low'])}–{share(row['success_high'])}]"
    lines = [
        f"{share(row['success'])} {interval}",
        with_error(row["stopping_time"], row["stopping_time_high"]) or "no run ended",
    ]
    return [*lines, f"{percent(row['censored'])}% cut"] if row["censored"] > 0.0 else lines


def heat_map(matrix: pd.DataFrame, axes: "Axes | None" = None) -> "Axes":
    """Draw the success of every agent (rows) with every user (columns), with times written in.

    Args:
        matrix: the rows of `robustness`.
        axes: where it is drawn; None is a new figure, as large as it needs to be.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    matrix = marked(matrix)
    agents, users = (list(dict.fromkeys(matrix[name])) for name in ("agent", "user"))
    cells = matrix.set_index(["agent", "user"])
    table = cells["success"].unstack("user").reindex(index=agents, columns=users)
    success = table.to_numpy(float)  # NaN where a run was broken off before
    axes = plot_axes(axes, 1.4 + 0.75 * len(agents), 1.5 + 0.95 * len(users))
    image = axes.imshow(success, vmin=0.0, vmax=1.0, cmap="viridis", aspect="auto")
    axes.set_xticks(range(len(users)), users, rotation=35, ha="right")
    axes.set_yticks(range(len(agents)), agents)
    for line, agent in enumerate(agents):
        for column, user in enumerate(users):
            if np.isnan(success[line, column]):
                continue
            row = cells.loc[(agent, user)]
            text = f"{share(row['success'])}\nT {whole(row['stopping_time'])}"
            if row["censored"] > 0.0:
                text += f"\n{percent(row['censored'])}% cut"
            shade = "black" if success[line, column] > 0.6 else "white"
            axes.text(column, line, text, ha="center", va="center", fontsize=8, color=shade)
    axes.figure.colorbar(image, ax=axes, label="success")
    return axes
