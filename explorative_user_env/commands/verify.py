"""The command `explorative-user verify`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorative_user_env.commands.options import DaskOption, WorkersOption
from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    from explorative_user_env.check.verify import Verification

MOST_FINDINGS_TOLD = 20
"""Findings that are told one by one."""

DIFFERENT, NOT_ASKED_OF_ALL = 1, 2
"""Exit codes: something is not what comes out; rows could not be run again."""


def verify(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="RESULTS",
            help="File of runs, as run.sqlite or run.sqlite.xz, the folder of a command, or rows "
            "as export writes them (.csv, .json).",
        ),
    ],
    share: Annotated[
        float | None,
        typer.Option(
            help="Share of the rows to run again, in (0, 1].",
            show_default="all in about a second, or 0.05",
        ),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(help="Rows to run again at least, in place of a share.", show_default="none"),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Run all rows again; by default a share.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed that draws the rows, at least 0.", show_default="new, and told"),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="Agent that the rows rest on and the package has not: module:Class or sb3:DIR. "
            "Repeat for more.",
            show_default="none",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Run rows of this agent or cell alone again, as they are called in the table. "
            "Repeat for more.",
            show_default="all",
        ),
    ] = None,
    workers: WorkersOption = 0,
    dask: DaskOption = None,
) -> None:
    """Run a random part of somebody's rows again and say which differ.

    The exit code is 0 if all is as the file says, 1 if not, 2 if not all of it could be asked.
    """
    from explorative_user_env.check.verify import verify as verified
    from explorative_user_env.commands.options import workers_asked
    from explorative_user_env.commands.suite_agents import entrants_called
    from explorative_user_env.display.progress import progress_bar

    if every and (share is not None or rows is not None):
        raise InvalidArgumentError("every", True, "left out beside --share or --rows")
    own = entrants_called(agent or [])
    who = workers_asked(workers, dask)
    with progress_bar() as report:
        found = verified(
            path,
            own,
            share=1.0 if every else share,
            rows=rows,
            seed=seed,
            only=only or (),
            progress=report,
            **who,
        )
    _tell(found)
    if not found.equal:
        raise typer.Exit(DIFFERENT if found.differs else NOT_ASKED_OF_ALL)


def _tell(found: "Verification") -> None:
    """Print what was found."""
    from explorative_user_env.commands.output import say, show

    say(*found.notes, style="dim")
    if (table := found.table()).row_count:
        show(table)
    say(*found.reasons())
    say(*(each.words for each in found.findings[:MOST_FINDINGS_TOLD]))
    if rest := len(found.findings[MOST_FINDINGS_TOLD:]):
        say(f"and {rest} more")
    say(*found.in_short())
