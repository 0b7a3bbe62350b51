"""A file of the suite: its tasks are frozen, so what each was asked for is known."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from explorative_user_env.evaluation.request import Request, line_up_of, request_record
from explorative_user_env.files import differences
from explorative_user_env.protocol import as_task
from explorative_user_env.results.records import KIND
from explorative_user_env.studies.suite import SUITE_VERSION, SuiteResults, SuiteRun, SuiteTask
from explorative_user_env.studies.suite_tasks import WORST, model_and_task
from explorative_user_env.validation import one_line
from explorative_user_env.verification.claims import CellClaim, FileClaims
from explorative_user_env.verification.findings import Finding

COMMAND_OF_SUITES = "suite"
"""What a file of runs says that it is of."""

OF_THE_PACKAGE = "agent"
"""What a record says of an agent that runs on every task."""


def suite_of(claims: FileClaims) -> SuiteRun | None:
    """Return which run of the suite a file says that it is; None of anything else."""
    if claims.request.get("command") != COMMAND_OF_SUITES:
        return None
    options = claims.request["options"]
    return SuiteRun(options["task"], options["quick"], options["seed"])


def named_by_tasks(claims: FileClaims, run: SuiteRun) -> FileClaims:
    """Return what a file says, its cells called like the tasks whose seeds they have."""
    names = {task.seed: task.name for task in run.records()}
    cells = [
        replace(each, cell=names.get(each.request.get("seed", -1), each.cell))
        for each in claims.cells
    ]
    return FileClaims(claims.request, cells)


def left_out_of_suite(claims: FileClaims, run: SuiteRun) -> Iterator[Finding]:
    """Yield which tasks and agents of the suite are not there, and what is none of a task."""
    known = {each.cell: each for each in claims.cells}
    for task in run.records():
        claim = known.pop(task.name, None)
        if claim is None:
            words = f"the whole task {task.name} is missing, which was asked for"
            yield Finding("missing", words, task.name)
            continue
        yield from _not_of_the_task(claim, task)
        for agent in _expected(claims.request, task):
            if agent not in claim.agents:
                words = f"{agent}, {task.name}: all runs are missing, and it was asked for"
                yield Finding("missing", words, task.name, agent)
    for name in known:
        yield Finding("request", f"{name or 'a cell'} is no task of this run of the suite", name)


def _expected(request: Mapping[str, Any], task: SuiteTask) -> list[str]:
    """Return who runs on a task, by what was asked for: on every one, or there alone."""
    records = request["options"].get("agents") or request.get("line-up", {}).get("agents", {})
    own = []
    for name, record in records.items():
        by_task = model_and_task(name)
        if by_task is not None:
            own += [by_task[0]] * (by_task[1] == task.name)
        elif record.get(KIND) == OF_THE_PACKAGE:
            own.append(name)
    return list(dict.fromkeys([*own, WORST, task.reference]))


def _not_of_the_task(claim: CellClaim, task: SuiteTask) -> Iterator[Finding]:
    """Yield in what a cell is not the frozen task that it passes for."""
    arguments = {**task.arguments(), "task": as_task(task.task)}
    names = ("horizon", "baseline_time", "max_steps", "step_cost", "until_width")
    open_ones = dict.fromkeys(names) | {"compiled": True, "check_theory": False}
    asked = Request(**{**open_ones, **arguments})
    anchors = request_record(asked, line_up_of([WORST, task.reference], asked))
    agents = {
        name: told for name, told in claim.request["agents"].items() if name in anchors["agents"]
    }
    here = json.loads(json.dumps(anchors))
    for name, was, now in differences(
        {"cell": {**claim.request, "agents": agents}}, {"cell": here}
    ):
        words = f"{task.name}: {name} is {one_line(str(was))} and {one_line(str(now))} in the suite"
        yield Finding("request", f"{words} {SUITE_VERSION}", task.name, there=was, here=now)


def results_of_suite(claims: FileClaims, run: SuiteRun) -> SuiteResults:
    """Return the results from which the tables beside a suite's file follow."""
    cells = {each.cell: each.results for each in claims.cells if each.results is not None}
    return SuiteResults(
        run, {task.name: cells[task.name] for task in run.records() if task.name in cells}
    )
