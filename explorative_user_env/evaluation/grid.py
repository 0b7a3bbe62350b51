"""A grid of cells (delta, K): every experiment and every benchmark runs on one."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from explorative_user_env.display.progress import OnProgress, named, portion, shown
from explorative_user_env.evaluation.keeping import agent_record
from explorative_user_env.evaluation.runner import evaluate
from explorative_user_env.protocol import needs_horizon
from explorative_user_env.results.finished import carries_finished
from explorative_user_env.results.records import record_of
from explorative_user_env.results.results import Results
from explorative_user_env.results.store import Store
from explorative_user_env.results.sweep import Sweep
from explorative_user_env.users.state import number_of_arms
from explorative_user_env.validation import InvalidArgumentError, risk, sequence

Agents = Sequence[Any]

CHANGES_NO_ROW = ("workers", "backend", "scheduler", "executor", "compiled")
"""Options of `evaluate` that may be others when the same is run again."""


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
        deltas: delta of each row of the grid.
        n_arms: K of each column; all cells are checked before anything runs.
        per_cell: what `evaluate` is called with besides, by cell.
        progress: told the cell and the agent, and the share done over all cells.
        options: passed on to `evaluate`.

    Raises:
        Exception: what `evaluate` raises; its `finished` holds the cells that were done before.
    """
    cells = _checked(deltas, n_arms)
    found: list[Results] = []
    for position, (delta, arms) in enumerate(cells):
        report = portion(progress, position, len(cells))
        with carries_finished(lambda: found):
            results = evaluate(
                agents(delta, arms) if callable(agents) else agents,
                delta=delta,
                n_arms=arms,
                progress=named(report, f"delta={delta:g} K={arms}"),
                **per_cell(delta, arms),
                **options,
            )
        found.append(results)
    return found


def _checked(deltas: Sequence[float], n_arms: Sequence[int]) -> list[tuple[float, int]]:
    """Return the cells of a grid, if they can all be."""
    return [(risk("delta", delta), number_of_arms(arms)) for delta in deltas for arms in n_arms]


def sweep(
    agents: Agents | Callable[[float, int], Agents],
    deltas: Sequence[float] = (0.1,),
    n_arms: Sequence[int] = (5,),
    *,
    progress: bool | OnProgress = True,
    store: Path | str | None = None,
    **options: Any,
) -> Sweep:
    """Run the same agents in every cell of a grid of delta and K, each as `evaluate` alone would.

    An agent with a delta of its own keeps it in every cell: leave it open, or give a function.

    Args:
        agents: as for `evaluate`, or a function of a cell's delta and K that returns them.
        deltas: delta of each row of the grid, in (0, 1); all are checked before anything runs.
        n_arms: K of each column, in 2..1000000, checked as well.
        progress: as for `evaluate`.
        store: as for `evaluate`, one file for all cells.
        **options: all other options of `evaluate`, the same in every cell.

    Returns:
        All cells as one: printable, with `runs`, `summary()` and each cell's `Results` in `cells`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    allowed = "a list of at least one number"
    rows, columns = sequence("deltas", deltas, allowed), sequence("n_arms", n_arms, allowed)
    for name, values in (("deltas", rows), ("n_arms", columns)):
        if not values:
            raise InvalidArgumentError(name, values, allowed)
    with shown(progress) as report, _kept(store, agents, rows, columns, options) as kept:
        return Sweep(run_cells(agents, rows, columns, progress=report, store=kept, **options))


def _kept(
    store: Path | str | None,
    agents: Agents | Callable[[float, int], Agents],
    rows: Sequence[float],
    columns: Sequence[int],
    options: Mapping[str, Any],
) -> AbstractContextManager[Store | None]:
    """Return the store of a sweep, if it has one."""
    if store is None:
        return nullcontext()
    cells = _checked(rows, columns)
    line_ups = [agents(*cell) if callable(agents) else agents for cell in cells]
    told = {
        f"delta={delta:g} K={arms}": [agent_record(agent, arms) for agent in line_up]
        for (delta, arms), line_up in zip(cells, line_ups, strict=True)
    }
    rest = {name: value for name, value in options.items() if name not in CHANGES_NO_ROW}
    options = record_of({"deltas": rows, "n_arms": columns, **rest, "agents": told})
    return Store(store, {"command": "sweep", "options": options})


def times_for(agents: Agents, baseline_time: int | str | None) -> dict[str, Any]:
    """Return the T that `evaluate` is given for these agents: none, where none of them needs it."""
    return {"baseline_time": baseline_time} if any(map(needs_horizon, agents)) else {}
