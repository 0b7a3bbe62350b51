"""A grid of cells (delta, K): every experiment and every benchmark runs on one."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from explorative_user_env.display.progress import OnProgress, named, portion
from explorative_user_env.evaluation.runner import evaluate
from explorative_user_env.protocol import needs_horizon
from explorative_user_env.results.results import Results
from explorative_user_env.validation import integer, risk

Agents = Sequence[Any]


def run_cells(
    agents: Agents | Callable[[float, int], Agents],
    deltas: Sequence[float],
    n_arms: Sequence[int],
    *,
    per_cell: Callable[[float, int], Mapping[str, Any]] = lambda delta, arms: {},
    progress: OnProgress,
    **options: Any,
) -> list[Results]:
    """Evaluate `agents` in every cell (delta, K), each as `evaluate` alone would.

    Args:
        agents: as for `evaluate`, or what returns them for a cell.
        deltas: delta of each row of the grid; all are checked before anything runs.
        n_arms: K of each column.
        per_cell: what `evaluate` is called with besides, by cell.
        progress: told the cell and the agent, and the share done over all cells.
        options: passed on to `evaluate`.
    """
    cells = [
        (risk("delta", delta), integer("n_arms", arms, 2)) for delta in deltas for arms in n_arms
    ]
    found = []
    for position, (delta, arms) in enumerate(cells):
        report = portion(progress, position, len(cells))
        found.append(
            evaluate(
                agents(delta, arms) if callable(agents) else agents,
                delta=delta,
                n_arms=arms,
                progress=named(report, f"delta={delta:g} K={arms}"),
                **per_cell(delta, arms),
                **options,
            )
        )
    return found


def times_for(agents: Agents, baseline_time: int | str | None) -> dict[str, Any]:
    """Return the T that `evaluate` is given for these agents: none, where none of them needs it."""
    return {"baseline_time": baseline_time} if any(map(needs_horizon, agents)) else {}
