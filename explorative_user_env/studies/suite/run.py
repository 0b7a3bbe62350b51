"""Agents meet the users of every task of the suite, and the runs that are kept are read again."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from explorative_user_env.display.progress import OnProgress, named, portion, shown
from explorative_user_env.evaluation import Results, Sweep, Workforce, evaluate, load
from explorative_user_env.evaluation.keeping import FEWEST_ARMS, agent_record
from explorative_user_env.protocol import Agent, name_of
from explorative_user_env.results.about import request_in
from explorative_user_env.results.finished import carries_finished
from explorative_user_env.results.store import Store
from explorative_user_env.studies.suite.asked import SuiteTask
from explorative_user_env.studies.suite.entrants import (
    ModelsByTask,
    Taking,
    check_fitting,
    line_up_for,
    model_name,
    taking_part,
)
from explorative_user_env.studies.suite.records import WORST, SuiteRun
from explorative_user_env.studies.suite.results import SuiteResults
from explorative_user_env.validation import InvalidArgumentError

COMMAND = "suite"
"""What a file of runs says that it is of."""


def run_suite(
    agents: Iterable[Taking] | None = None,
    *,
    tasks: Sequence[str] | None = None,
    quick: bool = False,
    seed: int | None = None,
    workers: int | Workforce = 1,
    progress: bool | OnProgress = True,
    store: Store | Path | str | None = None,
) -> SuiteResults:
    """Let agents meet the users of every task of the suite, and say what that is worth.

    Each task is run as `evaluate` alone would. UNI and the task's reference, whose scores are 0 and
    1, run along. A trained model runs on the tasks of its kind and its K.

    Args:
        agents: agents, names of the package's, or `ModelsByTask`; None is all of the package.
        tasks: names of tasks; None is all.
        quick: whether with a tenth of the users, which takes a tenth of the time.
        seed: other users than the suite's own. What is published has none.
        workers: as for `evaluate`; the result is the same.
        progress: as for `evaluate`.
        store: as for `evaluate`, one file for all tasks; `load_suite` has the results of it.

    Returns:
        The scores: printable, with `scores()`, `totals()` and each task's `Results` in `cells`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
        Exception: what `evaluate` raises; its `finished` holds the tasks that were done before.
    """
    run, entrants = SuiteRun(tasks, quick, seed), taking_part(agents)
    records, cells = run.records(), dict[str, Results]()
    check_fitting(entrants, records)
    with shown(progress) as report, _kept(store, run, entrants) as kept:
        for place, task in enumerate(records):
            with carries_finished(lambda: list(cells.values())):
                cells[task.name] = evaluate(
                    line_up_for(task, entrants),
                    workers=workers,
                    progress=named(portion(report, place, len(records)), f"{task.name}:"),
                    store=kept,
                    **task.arguments(),
                )
    return SuiteResults(run, cells)


def _kept(
    store: Store | Path | str | None, run: SuiteRun, entrants: Sequence[Agent | ModelsByTask]
) -> Any:
    """Return the store of a suite, if it has one."""
    if store is None or isinstance(store, Store):
        return nullcontext(store)
    records = {name: agent_record(agent, FEWEST_ARMS) for name, agent in who(entrants).items()}
    options = {"task": run.tasks, "quick": run.quick, "seed": run.seed, "agents": records}
    return Store(store, {"command": COMMAND, "options": options})


def who(entrants: Iterable[Agent | ModelsByTask]) -> dict[str, Agent]:
    """Return all agents that take part, by names of their own: models by their tasks as well."""
    found: dict[str, Agent] = {}
    for each in entrants:
        if isinstance(each, ModelsByTask):
            for task, models in each.models.items():
                found |= {model_name(name_of(model), task): model for model in models}
        else:
            found[name_of(each)] = each
    return found


def load_suite(path: Path | str, own: Sequence[Any] = ()) -> SuiteResults:
    """Return the results of a suite that a file of runs has, also while it is written.

    Of a run that was broken off they are of the agents that had met all users of a task, and of
    the tasks whose anchors are among them.

    Args:
        path: what `run_suite(..., store=)` or the command has written.
        own: as for `load`.

    Raises:
        InvalidArgumentError: if there is no such file, or it has no runs of a suite.
    """
    asked = request_in(Path(path))
    if asked.get("command") != COMMAND:
        allowed = f"a file of runs of {COMMAND} (it is of {asked.get('command')})"
        raise InvalidArgumentError("path", str(path), allowed)
    found = load(path, own)
    return kept_suite(asked["options"], found.cells if isinstance(found, Sweep) else [found])


def kept_suite(options: Mapping[str, Any], cells: Sequence[Results]) -> SuiteResults:
    """Return the results of a suite of which there are some; see `load_suite`.

    Args:
        options: what was asked for.
        cells: results of tasks as a file keeps them.

    Raises:
        InvalidArgumentError: if there are none with all users.
    """
    run = SuiteRun(options["task"], options["quick"], options["seed"])
    by_seed = {cell.cell["seed"]: cell for cell in cells}
    whole = {
        task.name: finished_of(by_seed[task.seed], task)
        for task in run.records()
        if task.seed in by_seed
    }
    done = {task: cell for task, cell in whole.items() if cell is not None}
    if not done:
        allowed = "one of which a task is done, with its anchors"
        raise InvalidArgumentError("suite", run.title, allowed)
    return SuiteResults(run, done)


def finished_of(cell: Results, task: SuiteTask) -> Results | None:
    """Return the results of the agents that have met all users; None without an anchor."""
    runs = cell.runs
    done = runs[runs.groupby("agent")["instance"].transform("size") == task.n_instances]
    if not {WORST, task.reference} <= set(done["agent"]):
        return None
    return replace(cell, runs=done.reset_index(drop=True))
