"""The command `explorative-user bench`."""

from pathlib import Path
from typing import Annotated

import typer

from explorative_user_env.commands.options import (
    SETTING_HELP,
    AlphaOption,
    GapOption,
    InstancesOption,
    NoiseOption,
    SeedOption,
    WorkersOption,
    shared_options,
)
from explorative_user_env.tasks import STEP_COST
from explorative_user_env.validation import InvalidArgumentError, not_negative, probability


def bench(
    setting: Annotated[
        str | None,
        typer.Option(
            help=SETTING_HELP,
            show_default="released, or a model's",
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="bair, tas, uni, exp3, se, ucb1, thompson, full-information, sb3:DIR (a model) "
            "or bair-tuned:DIR (of tune-n1).",
            show_default="first four; with --task all",
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help="bai (stop and name the best arm) or regret (over a horizon).",
            show_default="bai, or a model's",
        ),
    ] = None,
    delta: Annotated[
        list[float] | None,
        typer.Option(
            help="Allowed probability of a wrong answer, in (0, 1); repeat for more.",
            show_default="0.1 0.01; beside a model, or for regret, 0.1; or as tuned",
        ),
    ] = None,
    n_arms: Annotated[
        list[int] | None,
        typer.Option(
            help="Number of arms K, at least 2; repeat for more.",
            show_default="2 5 20, or a model's",
        ),
    ] = None,
    alpha: AlphaOption = 1.0,
    gap: GapOption = 0.5,
    noise: NoiseOption = 0.0,
    horizon: Annotated[
        int | None,
        typer.Option(help="Steps of the task regret, at least 1.", show_default="500"),
    ] = None,
    step_cost: Annotated[
        float, typer.Option(help="c of the cost c T + error, at least 0.")
    ] = STEP_COST,
    n_instances: InstancesOption = 1000,
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    max_steps: Annotated[
        int | None,
        typer.Option(
            help="Step cap of a run, at least 1; a run that reaches it is censored.",
            show_default="1000000; T&S the setting's",
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "--out", help="Folder for the files.")] = Path(
        "results/bench"
    ),
) -> None:
    """Compare agents on explorative users, beside the paper's figures where it has them."""
    from explorative_user_env.commands.agent_names import bench_defaults, elsewhere, line_up_of
    from explorative_user_env.commands.output import show_and_write
    from explorative_user_env.display.progress import progress_bar
    from explorative_user_env.files import Folder
    from explorative_user_env.studies.paper import published_for, run_cells
    from explorative_user_env.studies.report import compared
    from explorative_user_env.tasks import REGRET

    line_up = line_up_of(agent, max_steps, task)
    usual = bench_defaults(line_up, task, setting, delta, n_arms)
    options = shared_options(usual.setting, n_instances, seed, workers)
    options |= {"task": usual.task, "step_cost": not_negative("step_cost", step_cost)}
    if max_steps is not None:
        options["max_steps"] = max_steps
    probability("noise", noise)
    over_horizon = usual.task == REGRET.name
    if horizon is not None and not over_horizon:
        raise InvalidArgumentError("horizon", horizon, "left out, except for the task regret")
    folder = Folder(output)
    with progress_bar() as report:
        results = run_cells(
            line_up,
            usual.deltas,
            usual.n_arms,
            horizons=lambda delta, arms: horizon,
            on_progress=report,
            alpha=alpha,
            gap=gap,
            noise=noise,
            **options,
        )
    published = published_for(alpha, gap, noise) if usual.papers else None
    summary = compared(results, published)
    cell = f"alpha={alpha:g}, gap={gap:g}, noise={noise:g}"
    title = f"{usual.setting}: {n_instances} users a cell, {cell}"
    notes = elsewhere(line_up, usual, alpha=alpha, gap=gap, noise=noise)
    show_and_write(title, {usual.setting: summary}, results, folder, notes)
