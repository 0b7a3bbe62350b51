"""The command `explorative-user bench`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from explorative_user_env.commands.asked import Asked, keeps_what_was_asked
from explorative_user_env.commands.options import (
    ABOUT,
    DELTAS_HELP,
    STEP_CAP_HELP,
    TASK_HELP,
    AnyHorizonOption,
    BaselineTimeOption,
    DaskOption,
    DeviationOption,
    FewUsersOption,
    NumberOfUsersOption,
    OutputOption,
    QuickInstancesOption,
    SeedOption,
    StepCostOption,
    UntilWidthOption,
    WorkersOption,
    setting_named,
    shared_options,
    takes_users,
    users_a_cell,
)
from explorative_user_env.protocol import POPULATION, STEP_CAP
from explorative_user_env.validation import InvalidArgumentError


@takes_users(without=("setting", "n_arms"))
@keeps_what_was_asked
def bench(
    users: dict[str, Any],
    asked: Asked,
    setting: Annotated[
        str | None,
        typer.Option(
            help=ABOUT["setting"], show_default="released, or a model's; population printed"
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="bair, tas, uni, exp3, se, se-transfer, ucb1, thompson, full-information, "
            "sb3:DIR, bair-tuned:DIR or module:Class.",
            show_default="first four; with --task all",
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help=TASK_HELP,
            show_default="bai, or a model's",
        ),
    ] = None,
    delta: Annotated[
        list[float] | None,
        typer.Option(
            help=DELTAS_HELP,
            show_default="0.1 0.01; beside a model, or for regret, 0.1; or as tuned",
        ),
    ] = None,
    n_arms: Annotated[
        list[int] | None,
        typer.Option(
            help=f"{ABOUT['n_arms']} Repeat for more.", show_default="2 5 20, or a model's"
        ),
    ] = None,
    horizon: AnyHorizonOption = None,
    n_users: NumberOfUsersOption = None,
    deviation: DeviationOption = None,
    baseline_time: BaselineTimeOption = None,
    step_cost: StepCostOption = None,
    n_instances: QuickInstancesOption = None,
    until_width: UntilWidthOption = None,
    quick: FewUsersOption = False,
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    dask: DaskOption = None,
    max_steps: Annotated[
        int | None,
        typer.Option(
            help=STEP_CAP_HELP,
            show_default=f"{STEP_CAP}; T&S the setting's",
        ),
    ] = None,
    output: OutputOption = Path("results/bench"),
) -> None:
    """Compare agents on explorative users, beside the paper's figures where it has them."""
    from explorative_user_env.commands.agent_names import agents_called, bench_defaults
    from explorative_user_env.evaluation.runner import number_asked

    line_up = agents_called(agent, max_steps, task)
    usual = bench_defaults(line_up, task, setting, delta, n_arms)
    if horizon is not None and not usual.over_horizon:
        raise InvalidArgumentError("horizon", horizon, "left out for the task bai")
    fixed = quick or until_width is None
    n_runs = users_a_cell(n_instances, quick) if fixed else n_instances
    options = shared_options(number_asked(n_runs, until_width), seed, workers, dask)
    options |= {"task": usual.task, "step_cost": step_cost, "max_steps": max_steps}
    options |= {"until_width": until_width}
    options |= {"horizon": horizon, "baseline_time": baseline_time}
    options |= {"n_users": n_users, "deviation": deviation}
    users |= {"setting": setting_named(usual.setting)}
    _run(line_up, usual, users, options, asked, output)


def _run(
    line_up: list[Any],
    usual: Any,
    users: dict[str, Any],
    options: dict[str, Any],
    asked: Asked,
    output: Path,
) -> None:
    """Run all cells, show the table and write the files."""
    from explorative_user_env.commands.agent_names import elsewhere
    from explorative_user_env.commands.kept import kept_run
    from explorative_user_env.commands.output import write_and_show_cells
    from explorative_user_env.display.progress import progress_bar
    from explorative_user_env.evaluation import runner as grid
    from explorative_user_env.results.records import details_of
    from explorative_user_env.studies.paper import compared, published_for
    from explorative_user_env.users.population import Population

    population = Population(**users)
    with kept_run(asked, output, line_up) as (folder, store):
        with progress_bar() as report:
            results = grid.run_cells(
                line_up,
                usual.deltas,
                usual.n_arms,
                progress=report,
                store=store,
                **users,
                **options,
            )
        summary = compared(results, published_for(population) if usual.papers else None)
        words = population.words()
        cell = ", ".join(f"{name}={words[name]:g}" for name in ("alpha", "gap", "noise"))
        until = "" if options["until_width"] is None else "up to "
        whom = "users"
        if usual.task == POPULATION.name:
            whom, shared = "episodes", results[0].cell
            cell += f", n_users={shared['n_users']}, deviation={shared['deviation']:g}"
        title = f"{words['setting']}: {until}{options['n_instances']} {whom} a cell, {cell}"
        notes = elsewhere(line_up, usual, population)
        folder.note(**details_of([result.cell for result in results]))
        write_and_show_cells(title, {usual.setting: summary}, results, folder, notes)
