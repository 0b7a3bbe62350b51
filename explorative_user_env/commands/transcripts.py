"""The command `explorative-user transcripts`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from explorative_user_env.commands.asked import OverwriteOption
from explorative_user_env.commands.options import (
    DELTA_HELP,
    INSTANCES_HELP,
    STEP_CAP_HELP,
    TASK_OF_ONE_HELP,
    HorizonOption,
    SeedOption,
    takes_users,
)
from explorative_user_env.protocol import BAI, DELTA, N_TRANSCRIBED


@takes_users()
def transcripts(
    users: dict[str, Any],
    path: Annotated[Path, typer.Argument(help="File to write, as examples.jsonl.")],
    agent: Annotated[
        str, typer.Option(help="Whose steps: bair, an agent's name, sb3:DIR or module:Class.")
    ] = "bair",
    task: Annotated[str, typer.Option(help=TASK_OF_ONE_HELP)] = BAI.name,
    n_instances: Annotated[int, typer.Option(help=INSTANCES_HELP)] = N_TRANSCRIBED,
    seed: SeedOption = 0,
    delta: Annotated[float, typer.Option(help=DELTA_HELP)] = DELTA,
    horizon: HorizonOption = None,
    max_steps: Annotated[
        int | None, typer.Option(help=STEP_CAP_HELP, show_default="the agent's own")
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write what an agent does as questions and answers in words, to teach a language model."""
    from explorative_user_env.commands.agent_names import these_agents
    from explorative_user_env.commands.output import say
    from explorative_user_env.evaluation.transcripts import write_transcripts

    (who,) = these_agents([agent])
    n_lines = write_transcripts(
        path,
        who,
        task=task,
        n_instances=n_instances,
        seed=seed,
        delta=delta,
        horizon=horizon,
        max_steps=max_steps,
        overwrite=overwrite,
        **users,
    )
    say(f"{n_lines} examples: {path}")
