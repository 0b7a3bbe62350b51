"""The command `explorative-user course`."""

from pathlib import Path
from typing import Annotated

import typer

OPENS = ("jupyterlab", "ipykernel", "matplotlib")
"""What opens the notebooks and runs them."""


def course(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder for the notebooks, made if not there.")
    ],
    solutions: Annotated[
        bool,
        typer.Option("--solutions", help="Those with the answers as well; by default without."),
    ] = False,
) -> None:
    """Write the notebooks of the course into a folder, and never over what is there."""
    import shlex

    from explorative_user_env.commands.output import say
    from explorative_user_env.files import add_files
    from explorative_user_env.teach.notebooks import notebook_files
    from explorative_user_env.validation import how_to_get, missing_of

    added = add_files("folder", folder, notebook_files(solutions))
    say(*(f"new: {name}" for name in added.new))
    say(*(f"there already: {name}" for name in added.same), style="dim")
    say(*(f"kept as it is, with what was changed in it: {name}" for name in added.kept))
    command = shlex.join(["jupyter", "lab", str(folder)])
    if missing_of(OPENS):
        command = f"{how_to_get('course')} && {command}"
    say(f"To open them: {command}")
