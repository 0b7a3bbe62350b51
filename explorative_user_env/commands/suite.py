"""The command `explorative-user suite`."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from explorative_user_env.commands import agents as line_ups
from explorative_user_env.commands.options import command, users_a_cell
from explorative_user_env.commands.run import OTHERS, Run, write_and_show
from explorative_user_env.display.progress import progress_bar
from explorative_user_env.shipped import SETTINGS_FILE
from explorative_user_env.studies import suite as study
from explorative_user_env.studies import suite_tasks
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError


@command(
    "suite",
    "studies.suite.run_suite",
    "studies.suite.robustness",
    options="quick seed delta baseline_time max_steps",
    first="agent task user quick seed",
    users={},
    keeps="results/suite",
    parallel=True,
)
def suite(
    run: Run,
    agent: list[str] | None = None,
    task: list[str] | None = None,
    user: list[str] | None = None,
    n_instances: int | None = None,
) -> None:
    """Score agents on the suite's tasks. UNI scores 0, and the task's reference agent scores 1.

    Example: explorative-user suite --agent my_module:MyAgent --quick

    Options:
        agent: Agent, as for bench; repeat for more. In sb3:DIR, the folder DIR may contain one
            folder of models for each task. None is all agents; with --user, bair, bair(m), tas, uni
            and exp3.
        task: Run only this task, such as bai-k5; repeat for more. None is all.
        user: Run agents on this kind of user instead of on the tasks, and print success and
            stopping time: all, paper, rho=1, alpha=0.8, alpha=2, noise=0.1, bernoulli, bounded,
            omniscient, forgetful, drifting, logistic or varied; repeat for more. None is the tasks.
        quick: Run a tenth of the users. Published scores use all users.
    """
    only = ("n_instances", "delta", "baseline_time", "max_steps", *run.users)
    if user and "task" in run.written:
        raise InvalidArgumentError("task", task, "left out if --user is given")
    for name in [each for each in only if each in run.written and not user]:
        raise InvalidArgumentError(name, run.values[name], "left out unless --user is given")
    if user:
        _run_others(replace(run, command=OTHERS), agent, user, n_instances)
        return
    how = {each: run.options[each] for each in ("quick", "seed")}
    chosen = suite_tasks.SuiteRun(task or None, **how)
    entrants = suite_tasks.as_entrants(entrants_called(agent) if agent else None)
    with run.opened(suite_tasks.agents_by_name(entrants)) as (folder, store):
        with progress_bar() as report:
            how |= {"progress": report, "store": store, **run.workers}
            scores = study.run_suite(entrants, tasks=chosen.tasks, **how)
        contents = {
            "scores.md": scores.page(),
            "scores.csv": scores.scores(),
            "totals.csv": scores.totals(),
            "scores.json": json.dumps(scores.record(), indent=2) + "\n",
            "heat_map.png": scores.plot,
        }
        cells = [cell.cell for cell in scores.cells.values()]
        write_and_show(folder, contents, scores.tables(), notes=scores.notes(), cells=cells)


def _run_others(run: Run, agent: list[str] | None, user: list[str], n_users: int | None) -> None:
    """Run agents on the kinds of users that `user` names; write and show the results."""
    options = dict(run.options)
    options["n_instances"] = users_a_cell(n_users, options.pop("quick"))
    options["seed"] = options["seed"] or 0
    varieties = study.varieties_named(None if user == ["all"] else user)
    agents = line_ups.agents_called(agent, options["max_steps"]) if agent else None
    population = Population(**run.users)
    with run.opened(agents or (), usual="results/robustness") as (folder, store):
        with progress_bar() as report:
            how: dict[str, Any] = {"progress": report, "store": store, **options, **run.workers}
            matrix = study.robustness(agents, varieties, population=population, **how)
        numbers = [options[each] for each in ("delta", "n_instances", "max_steps")]
        title = study.title_of_matrix(population, *numbers)
        contents = {
            "table.md": study.matrix_page(matrix, title),
            "summary.csv": matrix,
            "heat_map.png": lambda: study.heat_map(matrix),
        }
        sections: list[Any] = [title, study.matrix_table(matrix)]
        cells = matrix.attrs["cells"]
        write_and_show(folder, contents, sections, notes=study.notes_of(matrix), cells=cells)


def entrants_called(names: Sequence[str]) -> list[Any]:
    """Return the agents with these names, in this order.

    In "sb3:DIR", the folder DIR may contain one folder for each task, with one or more trained
    models. "module:name" may name a `ModelsByTask`, which has one agent for each task.
    """
    known: dict[str, Any] = {}
    for name in names:
        if name.startswith(line_ups.MODEL_PREFIX):
            folder = Path(name.removeprefix(line_ups.MODEL_PREFIX))
            models: dict[str, Any] = {}
            for task, places in models_in(folder).items():
                from explorative_user_env.rl import load_agent

                title = folder.resolve().name
                several = len(places) > 1
                models[task] = [
                    load_agent(each, name=suite_tasks.training_name(title, i) if several else title)
                    for i, each in enumerate(places)
                ]
                known[name] = suite_tasks.ModelsByTask(title, models)
        elif name.lower() in suite_tasks.OTHERS:
            known[name] = suite_tasks.entrant_named(name)
        elif ":" in name and not name.startswith(line_ups.PREFIXES):
            known[name] = line_ups.agent_at(name, suite_tasks.ModelsByTask)
    others = [name for name in names if name not in known]
    known |= dict(zip(others, line_ups.these_agents(others), strict=True))
    return [known[name] for name in names]


def models_in(folder: Path) -> dict[str, list[Path]]:
    """Return the folders of the models inside a folder, by task name.

    The result is empty if the folder itself is a model.
    """
    models: dict[str, list[Path]] = {}
    if (folder / SETTINGS_FILE).exists():
        return models
    for place in (folder / task.name for task in suite_tasks.SUITE):
        if place.is_dir():
            trainings = [each.parent for each in place.glob(f"*/{SETTINGS_FILE}")]
            trainings.sort(key=lambda each: (len(each.name), each.name))  # seed-2 before seed-10
            models[place.name] = [place] if (place / SETTINGS_FILE).exists() else trainings
            if not models[place.name]:
                raise InvalidArgumentError(
                    "agent", str(folder), f"a folder of models ({place} has no model)"
                )
    return models
