"""The command `explorative-user train`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from explorative_user_env.commands.asked import Asked, keeps_what_was_asked
from explorative_user_env.commands.options import (
    DeviationOption,
    NumberOfUsersOption,
    OptionalOutputOption,
    SeedOption,
    takes_users,
)


@takes_users()
@keeps_what_was_asked
def train(
    users: dict[str, Any],
    asked: Asked,
    algo: Annotated[
        str, typer.Option(help="ppo, maskable-ppo (for bai), dqn or recurrent-ppo.")
    ] = "ppo",
    task: Annotated[
        str,
        typer.Option(
            help="regret (over a horizon), bai (stop and name the best arm) or population (regret "
            "with users who come one after another)."
        ),
    ] = "regret",
    steps: Annotated[
        int, typer.Option(help="Steps of all users together, at least 1.")
    ] = 2_500_000,
    seed: SeedOption = 0,
    horizon: Annotated[
        int | None,
        typer.Option(
            help="Steps of an episode, or of each user of the task population, at least 1.",
            show_default="500; bai 2000; population 300",
        ),
    ] = None,
    observation: Annotated[
        str | None,
        typer.Option(
            help="response, counts, sorted-counts or last-step; for population also "
            "population-counts or sorted-population-counts.",
            show_default="the algorithm's",
        ),
    ] = None,
    n_users: NumberOfUsersOption = None,
    deviation: DeviationOption = None,
    tensorboard: Annotated[
        Path | None,
        typer.Option(help="Folder for TensorBoard, if that is installed.", show_default="none"),
    ] = None,
    output: OptionalOutputOption = None,
) -> None:
    """Train a model with Stable-Baselines3; `bench --agent sb3:DIR` then puts it in the table."""
    from explorative_user_env.commands.kept import kept_run
    from explorative_user_env.commands.output import say
    from explorative_user_env.display.progress import progress_bar
    from explorative_user_env.rl import train as train_model
    from explorative_user_env.rl.models import versions

    shared: dict[str, Any] = {"n_users": n_users, "deviation": deviation}
    usual = Path("models") / f"{task}-{algo}-k{users['n_arms']}-seed{seed}"
    with (
        kept_run(asked, output or usual, libraries=versions()) as (folder, store),
        progress_bar() as report,
    ):
        train_model(
            algo,
            task=task,
            steps=steps,
            seed=seed,
            horizon=horizon,
            observation=observation,
            tensorboard=tensorboard,
            output=folder,
            progress=report,
            store=store,
            **{name: value for name, value in shared.items() if value is not None},
            **users,
        )
    say(f"Model: {folder.path}", f"explorative-user bench --agent sb3:{folder.path}")
