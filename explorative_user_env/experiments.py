"""The paper's experiments as records, and the grid of cells that runs any of them.

A cell is one pair (delta, K). The published figures are data files of this package, in the units
they were printed in; this is the one place that reads them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import pandas as pd

from explorative_user_env.evaluation import Results, evaluate
from explorative_user_env.evaluation.progress import OnProgress
from explorative_user_env.evaluation.tables import PUBLISHED
from explorative_user_env.instances import DEFAULT_GAP
from explorative_user_env.settings import Setting, as_setting
from explorative_user_env.validation import integer, risk

AGENTS = ("BAIR", "T&S", "UNI", "EXP3")
"""The paper's line-up; the last two get BAIR's mean stopping time as their horizon."""

BENCH_DELTAS = (0.1, 0.01)
BENCH_N_ARMS = (2, 5, 20)
"""The cells that a benchmark runs where no others are asked for."""


@dataclass(frozen=True)
class Experiment:
    """One table of the paper: what runs, on what, and where the published figures are.

    Attributes:
        name: what the command line calls it.
        title: what the paper calls it.
        data: file with the published figures.
        deltas: delta of each row.
        n_arms: K of each row.
        alpha: the users' willingness to explore.
        gap: Delta_1.
        noise: click noise p.
    """

    name: str
    title: str
    data: str
    deltas: tuple[float, ...]
    n_arms: tuple[int, ...]
    alpha: float = 1.0
    gap: float = DEFAULT_GAP
    noise: float = 0.0


TABLE2 = Experiment(
    name="table2",
    title="Table 2: BAIR and three baselines (alpha = 1)",
    data="table2_alpha1.csv",
    deltas=(0.1, 0.05, 0.02, 0.01, 0.005),
    n_arms=(2, 5, 20, 100),
)

PUBLISHED_CELLS = (
    TABLE2,
    Experiment(
        "table3", "Table 3", "table3_click_noise.csv", (0.1, 0.05), (2, 5, 20, 100), noise=0.1
    ),
    Experiment("table5", "Table 5", "table5_alpha2.csv", TABLE2.deltas, TABLE2.n_arms, alpha=2.0),
    Experiment("table6", "Table 6", "table6_alpha08.csv", TABLE2.deltas, (2, 5, 20), alpha=0.8),
)
"""Experiments with published figures for cells that a benchmark can meet."""

EXPERIMENTS = {experiment.name: experiment for experiment in (TABLE2,)}
"""What `explorative-user reproduce` knows."""


def published_figures(experiment: Experiment) -> pd.DataFrame:
    """Return the published figures, one row a cell and agent; NaN where the paper has none.

    Rates are shares, not percentages. UNI and EXP3 ran to BAIR's stopping time, which therefore
    stands for theirs.
    """
    file = resources.files("explorative_user_env") / "data" / experiment.data
    with resources.as_file(file) as path:
        printed = pd.read_csv(path)
    rows = []
    for row in printed.to_dict("records"):
        for agent in AGENTS:
            column = "TaS" if agent == "T&S" else agent
            time = row.get(f"stopping_time_{column}", row["stopping_time_BAIR"])
            rows.append(
                {
                    "delta": row["delta"],
                    "n_arms": row["K"],
                    "agent": agent,
                    PUBLISHED["stopping_time"]: float(time),
                    PUBLISHED["rejection_rate"]: row[f"rejection_pct_{column}"] / 100,
                    PUBLISHED["success"]: row[f"success_{column}"],
                }
            )
    return pd.DataFrame(rows)


def published_for(alpha: float, gap: float | None, noise: float) -> pd.DataFrame | None:
    """Return the published figures of the experiment with these users, None if there is none."""
    gap = DEFAULT_GAP if gap is None else gap
    for experiment in PUBLISHED_CELLS:
        if (experiment.alpha, experiment.gap, experiment.noise) == (alpha, gap, noise):
            return published_figures(experiment)
    return None


def run_cells(
    agents: Sequence[Any],
    deltas: Sequence[float],
    n_arms: Sequence[int],
    *,
    horizons: Callable[[float, int], int | str | None] = lambda delta, arms: None,
    on_progress: OnProgress,
    **options: Any,
) -> list[Results]:
    """Evaluate `agents` in every cell (delta, K), each as `evaluate` alone would.

    Args:
        agents: as for `evaluate`.
        deltas: delta of each row of the grid; all are checked before anything runs.
        n_arms: K of each column.
        horizons: T of the agents that need one, by cell; as for `evaluate`.
        on_progress: told the cell and the agent, and the share done over all cells.
        options: passed on to `evaluate`.
    """
    cells = [
        (risk("delta", delta), integer("n_arms", arms, 2)) for delta in deltas for arms in n_arms
    ]
    found = []
    for position, (delta, arms) in enumerate(cells):

        def report(
            what: str,
            done: int,
            total: int,
            place: tuple[int, float, int] = (position, delta, arms),
        ) -> None:
            cell = f"delta={place[1]:g} K={place[2]} {what}"
            on_progress(cell, place[0] * total + done, len(cells) * total)

        found.append(
            evaluate(
                agents,
                delta=delta,
                n_arms=arms,
                horizon=horizons(delta, arms),
                progress=report,
                **options,
            )
        )
    return found


def run_experiment(
    experiment: Experiment,
    setting: Setting | str,
    *,
    on_progress: OnProgress,
    agents: Sequence[str] = AGENTS,
    **options: Any,
) -> list[Results]:
    """Run all cells of `experiment` under `setting`.

    UNI and EXP3 get T = BAIR's mean time as measured under `printed`. Under a setting that counts
    private draws, as the published tables do, they get the published time of BAIR: the published
    columns of UNI and EXP3 rest on it, also in the cells where BAIR's time cannot be had again.
    """
    choices = as_setting(setting)
    published = published_figures(experiment)
    times = published[published["agent"] == "BAIR"].set_index(["delta", "n_arms"])

    def horizon(delta: float, arms: int) -> int | str:
        if not choices.counts_private_draws:
            return "BAIR"
        printed = int(times.loc[(delta, arms), PUBLISHED["stopping_time"]])
        return max(1, printed - choices.private_draws * arms)

    return run_cells(
        agents,
        experiment.deltas,
        experiment.n_arms,
        horizons=horizon,
        on_progress=on_progress,
        setting=choices,
        alpha=experiment.alpha,
        gap=experiment.gap,
        noise=experiment.noise,
        **options,
    )
