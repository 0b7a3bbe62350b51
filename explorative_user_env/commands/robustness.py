"""The command `explorative-user robustness`."""

from pathlib import Path
from typing import Annotated

import typer

from explorative_user_env.commands.options import (
    N_INSTANCES,
    QUICK_N_INSTANCES,
    GapOption,
    InstancesOption,
    SeedOption,
    SettingOption,
    WorkersOption,
    shared_options,
)


def robustness(
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="As for bench; repeat for more.",
            show_default="bair, bair(m) for click noise, tas, uni, exp3",
        ),
    ] = None,
    user: Annotated[
        list[str] | None,
        typer.Option(
            help="paper, rho=1, alpha=0.8, alpha=2, noise=0.1, bernoulli, bounded, omniscient, "
            "forgetful, drifting or logistic; repeat for more.",
            show_default="all",
        ),
    ] = None,
    n_arms: Annotated[int, typer.Option(help="Number of arms K, at least 2.")] = 5,
    delta: Annotated[
        float, typer.Option(help="Allowed probability of a wrong answer, in (0, 1).")
    ] = 0.1,
    gap: GapOption = 0.5,
    setting: SettingOption = "printed",
    n_instances: InstancesOption = N_INSTANCES,
    quick: Annotated[
        bool,
        typer.Option("--quick", help=f"{QUICK_N_INSTANCES} users; by default --n-instances."),
    ] = False,
    horizon: Annotated[
        int | None,
        typer.Option(help="T of agents that do not stop, at least 1.", show_default="BAIR's mean"),
    ] = None,
    max_steps: Annotated[
        int, typer.Option(help="Step cap of a run, at least 1; one that reaches it is cut off.")
    ] = 20_000,
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    output: Annotated[Path, typer.Option("--output", "--out", help="Folder for the files.")] = Path(
        "results/robustness"
    ),
) -> None:
    """Compare agents on users who are not the paper's: success and stopping time of each pair."""
    from explorative_user_env.commands.agent_names import line_up_of
    from explorative_user_env.commands.output import (
        table_file,
        terminal,
        text_file,
        write_and_say,
    )
    from explorative_user_env.display.progress import progress_bar
    from explorative_user_env.files import Folder
    from explorative_user_env.studies import robustness as room

    options = shared_options(setting, QUICK_N_INSTANCES if quick else n_instances, seed, workers)
    users = room.varieties_named(user)
    agents = line_up_of(agent, max_steps) if agent else None
    folder = Folder(output)
    with progress_bar() as report:
        matrix = room.robustness(
            agents,
            users,
            n_arms=n_arms,
            delta=delta,
            gap=gap,
            horizon=horizon,
            max_steps=max_steps,
            on_progress=report,
            **options,
        )
    title = (
        f"Robustness, {setting}: {options['n_instances']} users a cell, K={n_arms}, "
        f"delta={delta:g}, gap={gap:g}, at most {max_steps} steps"
    )
    console = terminal()
    console.print(title, *room.tables_of(matrix), sep="\n")
    for note in room.NOTES:
        console.print(note, style="dim", soft_wrap=True)
    files = {
        "table.md": text_file(room.as_markdown(matrix, title)),
        "summary.csv": table_file(matrix),
    }
    write_and_say(folder, files, {"heat_map.png": lambda: room.heat_map(matrix)})
