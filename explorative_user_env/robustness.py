"""How agents fare with users who are not the paper's: success and stopping time, agents by users.

Only the user changes from one column to the next; each agent is told what it would be told of her
anyway (alpha, rho_0 and whether there is click noise), and nothing of her behaviour.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich import box
from rich.table import Table

from explorative_user_env.agents import (
    BAIR,
    EXP3,
    AlgorithmAgent,
    TrackAndStop,
    Uniform,
    agent_named,
)
from explorative_user_env.evaluation import evaluate
from explorative_user_env.evaluation.progress import OnProgress, portion, silent
from explorative_user_env.evaluation.tables import (
    markdown_table,
    percent,
    share,
    whole,
    with_error,
)
from explorative_user_env.plotting import new_figure
from explorative_user_env.protocol import Agent
from explorative_user_env.settings import Setting
from explorative_user_env.validation import InvalidArgumentError, integer, positive

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_STEPS = 20_000
"""Step cap of a run: about 25 times as long as the paper's user needs with five arms."""


@dataclass(frozen=True)
class Variety:
    """A kind of user.

    Args:
        name: what it is called.
        options: how it differs from the paper's, as arguments of `evaluate`.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


VARIETIES = (
    Variety("paper"),
    Variety("rho=1", {"rho": 1.0}),
    Variety("alpha=0.8", {"alpha": 0.8}),
    Variety("alpha=2", {"alpha": 2.0}),
    Variety("noise=0.1", {"noise": 0.1}),
    Variety("bernoulli", {"reward_law": "bernoulli"}),
    Variety("bounded", {"reward_law": "bounded"}),
    Variety("omniscient", {"behaviour": "omniscient"}),
    Variety("forgetful", {"behaviour": "forgetful"}),
    Variety("drifting", {"behaviour": "drifting"}),
    Variety("logistic", {"behaviour": "logistic"}),
)
"""The paper's user, four others of her model, two of its assumption on rewards, and four who break
it."""


@dataclass(frozen=True)
class UniformBelow:
    """The law of means Uniform(0, high).

    With it the best, moved by a gap of 1 - high, is a probability.
    """

    high: float

    def __call__(self, n_arms: int, rng: np.random.Generator) -> np.ndarray:
        """Return a mean for each arm."""
        return self.high * rng.random(n_arms)


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


def default_agents(max_steps: int = MAX_STEPS) -> list[AlgorithmAgent]:
    """Return the paper's four, and BAIR made for click noise whether there is any or not.

    "BAIR(m)" drops an arm at m = 2 log(K/delta) consecutive rejections.
    """
    # Which noise it is told does not matter for m, only that there is some.
    patient = {"m": "paper", "rejections": "consecutive", "noise": 0.1}
    return [
        BAIR(max_steps=max_steps),
        BAIR(**patient, name="BAIR(m)", max_steps=max_steps),  # type: ignore[arg-type]
        TrackAndStop(max_steps=max_steps),
        Uniform(),
        EXP3(),
    ]


def robustness(
    agents: Sequence[Agent | str] | None = None,
    users: Sequence[Variety] = VARIETIES,
    *,
    n_arms: int = 5,
    delta: float = 0.1,
    gap: float = 0.5,
    setting: Setting | str = "printed",
    n_instances: int = 1000,
    seed: int = 0,
    horizon: int | None = None,
    max_steps: int = MAX_STEPS,
    workers: int = 1,
    on_progress: OnProgress = silent,
) -> pd.DataFrame:
    """Let every agent meet every kind of user.

    Args:
        agents: as in `evaluate`; None is `default_agents`.
        users: the kinds of users, of different names.
        n_arms: K, at least 2.
        delta: allowed probability of a wrong answer, in (0, 1).
        gap: Delta_1 > 0; below 1 where rewards are Bernoulli, whose means are then drawn from
            Uniform(0, 1 - gap) if the variety has no law of its own. Means that drift begin so.
        setting: "printed", "released" or a `Setting`.
        n_instances: users of each kind, at least 1; the same seeds for all kinds.
        seed: what everything follows from, at least 0.
        horizon: T of the agents that need one; None is BAIR's mean stopping time with these users.
        max_steps: step cap of agents without one of their own; a run that reaches it is censored,
            and so no success.
        workers: how many runs go on at once; the result is the same for any number.
        on_progress: called with what is going on, how many pieces are done and how many there are.

    Returns:
        One row for each user and agent: `user`, `agent` and the other columns of
        `Results.summary`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    integer("max_steps", max_steps, 1)
    names = [variety.name for variety in users]
    if not names or len(set(names)) < len(names):
        raise InvalidArgumentError("users", names, "at least one, each of a name of its own")
    line_up = default_agents(max_steps) if agents is None else _made(agents, max_steps)
    columns = [options_of(variety, gap) for variety in users]  # all are checked before any runs
    frames = []
    for place, (variety, options) in enumerate(zip(users, columns, strict=True)):
        report = portion(on_progress, place, len(users))
        results = evaluate(
            line_up,
            n_arms=n_arms,
            delta=delta,
            gap=gap,
            setting=setting,
            n_instances=n_instances,
            seed=seed,
            horizon=horizon,
            max_steps=max_steps,
            workers=workers,
            progress=_named(report, variety.name),
            **options,
        )
        summary = results.summary()
        summary.insert(0, "user", variety.name)
        frames.append(summary)
    return pd.concat(frames, ignore_index=True)


def _made(agents: Sequence[Agent | str], max_steps: int) -> list[Agent]:
    """Return the agents, those made that are only named, so that the cap is not their setting's."""
    return [
        agent_named(agent, max_steps=max_steps) if isinstance(agent, str) else agent
        for agent in agents
    ]


def options_of(variety: Variety, gap: float) -> dict[str, Any]:
    """Return a variety's arguments of `evaluate`; Bernoulli means leave room for the gap.

    Raises:
        InvalidArgumentError: for Bernoulli rewards and a gap of 1 or more.
    """
    options = dict(variety.options)
    if options.get("reward_law") == "bernoulli" and "means" not in options:
        if positive("gap", gap) >= 1.0:
            raise InvalidArgumentError("gap", gap, f"below 1 for the user {variety.name}")
        options["means"] = UniformBelow(1.0 - gap)
    return options


def _named(report: OnProgress, name: str) -> OnProgress:
    def named(what: str, done: int, total: int) -> None:
        report(f"{name}: {what}", done, total)

    return named


AGENTS_IN_A_TABLE = 5
"""As many as fit beside each other in 100 columns."""

NOTES = (
    "first line: success [95% interval]. Second: mean stopping time ± half a 95% interval. cut: "
    "share of runs that the step cap ended, which are no successes; under printed their length "
    "counts in the time, under released not.",
    "UNI and EXP3 do not stop by themselves: their T is BAIR's with the same users, or --horizon.",
    "drifting: success is to name the arm that is the best when the agent answers.",
)


def tables_of(matrix: pd.DataFrame) -> list[Table]:
    """Return the rows of `robustness` as Rich tables, a row a user, a few agents in each table."""
    agents = list(dict.fromkeys(matrix["agent"]))
    tables = []
    for first in range(0, len(agents), AGENTS_IN_A_TABLE):
        shown = agents[first : first + AGENTS_IN_A_TABLE]
        table = Table(box=box.SIMPLE_HEAD, padding=0)
        table.add_column("user", no_wrap=True)
        for agent in shown:
            table.add_column(agent, justify="right", no_wrap=True)
        for row in _cells(matrix, shown):
            table.add_row(row[0], *("\n".join(lines) for lines in row[1:]))
        tables.append(table)
    return tables


def as_markdown(matrix: pd.DataFrame, title: str) -> str:
    """Return the rows of `robustness` as one page of Markdown."""
    agents = list(dict.fromkeys(matrix["agent"]))
    rows = [[row[0], *("<br>".join(cell) for cell in row[1:])] for row in _cells(matrix, agents)]
    table = markdown_table(["user", *agents], rows, [False, *[True] * len(agents)])
    return "\n\n".join([f"# {title}", table, *(f"- {note}" for note in NOTES)]) + "\n"


def _cells(matrix: pd.DataFrame, agents: Sequence[str]) -> list[list[Any]]:
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


def heat_map(matrix: pd.DataFrame) -> "Figure":
    """Return the success of every agent (rows) with every user (columns), with times written in.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    agents, users = (list(dict.fromkeys(matrix[name])) for name in ("agent", "user"))
    cells = matrix.set_index(["agent", "user"])
    success = np.array([[cells.loc[(a, u), "success"] for u in users] for a in agents], float)
    figure = new_figure(1.5 + 0.95 * len(users), 1.4 + 0.75 * len(agents))
    axes = figure.subplots()
    image = axes.imshow(success, vmin=0.0, vmax=1.0, cmap="viridis", aspect="auto")
    axes.set_xticks(range(len(users)), users, rotation=35, ha="right")
    axes.set_yticks(range(len(agents)), agents)
    for line, agent in enumerate(agents):
        for column, user in enumerate(users):
            row = cells.loc[(agent, user)]
            text = f"{share(row['success'])}\nT {whole(row['stopping_time'])}"
            if row["censored"] > 0.0:
                text += f"\n{percent(row['censored'])}% cut"
            shade = "black" if success[line, column] > 0.6 else "white"
            axes.text(column, line, text, ha="center", va="center", fontsize=8, color=shade)
    figure.colorbar(image, ax=axes, label="success")
    return figure
