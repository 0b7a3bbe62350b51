"""Options of the commands, each spelled and explained once."""

import functools
import inspect
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated, Any

import click
import typer

from explorative_user_env.protocol import (
    DEVIATION,
    MOST_WORKERS,
    N_INSTANCES,
    N_USERS,
    POPULATION,
    REGRET,
    STEP_COST,
)
from explorative_user_env.seeding import number_of_users, seed_number
from explorative_user_env.users.population import OPTIONS
from explorative_user_env.validation import InvalidArgumentError, choice, count

QUICK_N_INSTANCES = 100
"""Users a cell with --quick."""

ABOUT = {each.name: each.metadata["about"] for each in OPTIONS}
"""What is said of each option of the users."""

INSTANCES_HELP = "Users in each cell, at least 1."
OUTPUT_HELP = "Folder for files and runs, or X.sqlite for the runs and X for the files."
DELTA_HELP = "Allowed probability of a wrong answer, in (0, 1)."
DELTAS_HELP = f"{DELTA_HELP} Repeat for more."
TASK_OF_ONE_HELP = "bai (stop and name the best arm) or regret (over a horizon)."
TASK_HELP = (
    "bai (stop and name the best arm), regret (over a horizon) or population (regret with users "
    "who come one after another)."
)
STEP_CAP_HELP = "Step cap of a run of the task bai, at least 1; one that reaches it is censored."


def time_or_agent(text: str) -> int | str:
    """Return what is written as a whole number as one, any other word as it is."""
    try:
        return int(text)
    except ValueError:
        return text


def _time_option(*spellings: str) -> Any:
    return typer.Option(
        "--baseline-time",
        *spellings,
        help="T of agents that do not stop by themselves, at least 1, or whose mean time it is.",
        show_default="BAIR's mean",
        parser=time_or_agent,
        metavar="<int or agent>",
    )


BaselineTimeOption = Annotated[Any, _time_option()]
OldBaselineTimeOption = Annotated[Any, _time_option("--horizon")]
DeltaOption = Annotated[float, typer.Option(help=DELTA_HELP)]
HorizonOption = Annotated[
    int | None,
    typer.Option(help="Steps of the task regret, at least 1.", show_default=f"{REGRET.horizon}"),
]
AnyHorizonOption = Annotated[
    int | None,
    typer.Option(
        help="Steps of the task regret, or of each user of the task population, at least 1.",
        show_default=f"{REGRET.horizon}; {POPULATION.horizon} in population",
    ),
]
NumberOfUsersOption = Annotated[
    int | None,
    typer.Option(
        "--n-users",
        help="Users of an episode of the task population, at least 1.",
        show_default=f"{N_USERS}",
    ),
]
DeviationOption = Annotated[
    float | None,
    typer.Option(
        help="Deviation of the means of a user of the task population from what is popular, at "
        "least 0.",
        show_default=f"{DEVIATION:g}",
    ),
]
StepCostOption = Annotated[
    float | None,
    typer.Option(
        help="c of the cost c T + error of the task bai, at least 0.", show_default=f"{STEP_COST:g}"
    ),
]
InstancesOption = Annotated[int, typer.Option(help=INSTANCES_HELP)]
MaxStepsOption = Annotated[
    int, typer.Option(help="Step cap of a run, at least 1; one that reaches it is no success.")
]
OutputOption = Annotated[Path, typer.Option("--output", "--out", help=OUTPUT_HELP)]
OptionalOutputOption = Annotated[
    Path | None,
    typer.Option("--output", "--out", help=OUTPUT_HELP, show_default="by its kind"),
]
QuickOption = Annotated[
    bool,
    typer.Option(
        "--quick",
        help=f"{QUICK_N_INSTANCES} users a cell and up to 20 arms; by default the paper's cells.",
    ),
]
FewUsersOption = Annotated[
    bool,
    typer.Option("--quick", help=f"{QUICK_N_INSTANCES} users a cell; by default {N_INSTANCES}."),
]
QuickInstancesOption = Annotated[
    int | None,
    typer.Option(
        help=INSTANCES_HELP, show_default=f"{N_INSTANCES}; {QUICK_N_INSTANCES} with --quick"
    ),
]
UntilWidthOption = Annotated[
    float | None,
    typer.Option(
        help="Add users until the success interval of every agent is at most so wide, in (0, 1). "
        "--n-instances is then the most, by default a million.",
        show_default="a fixed number of users",
    ),
]
SeedOption = Annotated[int, typer.Option(help="Seed of everything, at least 0.")]
WorkersOption = Annotated[
    int, typer.Option(help="Runs at once; the numbers do not depend on it.", show_default="cores")
]
DaskOption = Annotated[
    str | None,
    typer.Option(
        help="Address of a dask scheduler whose workers do the runs, as tcp://host:8786.",
        show_default="none",
    ),
]


def takes_users(
    *,
    only: Collection[str] | None = None,
    without: Collection[str] = (),
    **defaults: Any,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of `Population`, and hand them on as its argument `users`.

    Args:
        only: which of them; None is all.
        without: which of them not, because the command has a form of its own.
        **defaults: the value of an option where it is another here.
    """
    options = [
        each for each in OPTIONS if (only is None or each.name in only) and each.name not in without
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        shown = [_as_parameter(option, defaults) for option in options]
        usual_values = {parameter.name: parameter.default for parameter in shown}

        @functools.wraps(command)
        def called(**given: Any) -> None:
            users = {name: given.pop(name, usual) for name, usual in usual_values.items()}
            command(users=users, **given)

        own = [
            parameter
            for name, parameter in inspect.signature(command, eval_str=True).parameters.items()
            if name != "users"
        ]
        parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in [*own, *shown]]
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return called

    return decorate


def _as_parameter(option: Any, defaults: dict[str, Any]) -> inspect.Parameter:
    """Return an option of `Population` as one of a command line."""
    kind, about = option.metadata["kind"], option.metadata["about"]
    default = defaults.get(option.name, option.default)
    name = getattr(default, "name", default)  # records are called by their names here
    details: dict[str, Any] = {"help": about}
    if name is None:
        details["show_default"] = option.metadata["if_open"]
    if not isinstance(kind, type):
        details |= {"parser": kind, "metavar": "<str>"}
        kind = str
    annotation = Annotated[kind, typer.Option(**details)]  # type: ignore[valid-type]
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=name, annotation=annotation
    )


def users_a_cell(n_instances: int | None, quick: bool) -> int:
    """Return how many users a cell has: as many as were asked for, or else the usual."""
    usual = QUICK_N_INSTANCES if quick else N_INSTANCES
    return usual if n_instances is None else n_instances


def shared_options(n_instances: int, seed: int, workers: int, dask: str | None) -> dict[str, Any]:
    """Check the options that every command has, and return them as `evaluate` takes them."""
    options = {"n_instances": number_of_users(n_instances), "seed": seed_number(seed)}
    return options | workers_asked(workers, dask)


def workers_asked(workers: int, dask: str | None) -> dict[str, Any]:
    """Return who does the runs, as `evaluate` takes it; a cluster is open until the command ends.

    Raises:
        InvalidArgumentError: for workers beside a cluster, or a cluster that does not answer.
    """
    asked = count("workers", workers, 0, MOST_WORKERS)
    if dask is None:
        return {"workers": asked or cores()}
    if asked:
        raise InvalidArgumentError("workers", asked, "left out beside dask, which has its own")
    from explorative_user_env.evaluation.workers import dask_executor

    return {"executor": click.get_current_context().with_resource(dask_executor(dask))}


def setting_named(setting: str) -> str:
    """Return the name of a setting, if there is one.

    Raises:
        InvalidArgumentError: if there is none.
    """
    from explorative_user_env.users.settings import SETTINGS

    return choice("setting", setting, SETTINGS)


def cores() -> int:
    """Return how many processors this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
