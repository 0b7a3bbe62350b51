"""Table 4: all agents meet users who have been through BAIR's Phase 1, which is not counted."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.agents.shared_phase1 import Phase1, after_phase1
from explorative_user_env.display.progress import OnProgress, portion
from explorative_user_env.evaluation import Results
from explorative_user_env.evaluation.grid import times_for
from explorative_user_env.settings import Setting

PHASE1_NAME = Phase1().name
COUNTS = ("interactions", "acceptances")

RunCells = Callable[..., list[Results]]


def prepared(agents: Sequence[AlgorithmAgent], setting: Setting, n_arms: int) -> list[Any]:
    """Return `agents`, each behind the Phase 1 that BAIR has under `setting`."""
    bair = setting.agent_options("BAIR", n_arms)
    phase1 = {name: bair[name] for name in ("n1", "phase1_counts", "first_sweep")}
    return [after_phase1(agent, **phase1) for agent in agents]


def without_phase1(runs: pd.DataFrame, phase1: pd.DataFrame) -> pd.DataFrame:
    """Return `runs` with the steps of Phase 1 taken off, and no private draws counted.

    Args:
        runs: of any agents, as in `Results.runs`.
        phase1: of Phase 1 alone, with the same users.
    """
    before = phase1.set_index("user_seed")[list(COUNTS)].loc[runs["user_seed"]].to_numpy()
    counts = runs[list(COUNTS)] - before
    steps = counts["interactions"]
    own = {"stopping_time": steps, "rejections": steps - counts["acceptances"]}
    return runs.assign(**{name: counts[name] for name in COUNTS}, **own)


def run_shared_phase1(
    entrants: Sequence[Callable[[float, int], AlgorithmAgent]],
    setting: Setting,
    run: RunCells,
    published_time: Callable[[float, int], int | None],
    progress: OnProgress,
) -> list[Results]:
    """Run all cells: the first entrant, which is BAIR, as ever, and the others after its Phase 1.

    Args:
        entrants: what makes an agent for a cell (delta, K).
        setting: whose Phase 1 it is.
        run: `run_cells`, but for the agents and their times.
        published_time: T of those that need one, None for BAIR's mean time in Phase 2.
        progress: as for `run_cells`.
    """
    bair, *others = entrants
    firsts = run(
        lambda delta, arms: [bair(delta, arms), Phase1()], progress=portion(progress, 0, 2)
    )
    phase1, found = {}, {}
    for cell in firsts:
        place = _place(cell)
        alone = cell.runs["agent"] == PHASE1_NAME
        phase1[place] = cell.runs[alone]
        found[place] = without_phase1(cell.runs[~alone], cell.runs[alone])

    if not others:
        return [replace(cell, runs=found[_place(cell)]) for cell in firsts]

    def measured(delta: float, arms: int) -> int:
        return max(1, round(float(found[delta, arms]["interactions"].mean())))

    def line_up(delta: float, arms: int) -> list[Any]:
        return prepared([make(delta, arms) for make in others], setting, arms)

    def times(delta: float, arms: int) -> dict[str, Any]:
        time = published_time(delta, arms) or measured(delta, arms)
        return times_for(line_up(delta, arms), time)

    seconds = run(line_up, per_cell=times, progress=portion(progress, 1, 2))
    results = []
    for cell in seconds:
        place = _place(cell)
        own = without_phase1(cell.runs, phase1[place])
        results.append(replace(cell, runs=pd.concat([found[place], own], ignore_index=True)))
    return results


def _place(cell: Results) -> tuple[float, int]:
    return cell.cell["delta"], cell.cell["n_arms"]
