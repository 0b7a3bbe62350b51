"""What a command was asked for, which its folder keeps."""

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    from explorative_user_env.files import Folder

CHANGES_NO_NUMBER = ("output", "overwrite", "resume", "workers", "dask")
"""Options that may be others when the same is run again."""

OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Write over another run's files; by default refused.")
]
ResumeOption = Annotated[
    Path | None,
    typer.Option(
        help="File of a run that was broken off: go on with it, by its options.",
        show_default="none",
    ),
]


@dataclass(frozen=True)
class Asked:
    """What a command was asked for.

    Attributes:
        command: its name.
        options: all that its numbers follow from, by name.
        overwrite: whether another run's files may be written over.
        resume: the file of the run that is gone on with, if one is.
        says_output: whether it was said where the files go.
    """

    command: str
    options: Mapping[str, Any]
    overwrite: bool
    resume: Path | None = None
    says_output: bool = False

    def folder(self, path: Path) -> "Folder":
        """Return the folder for the command's files, which says what made them.

        Raises:
            InvalidArgumentError: if it cannot be written to, or has another run's files.
        """
        from explorative_user_env.files import Folder
        from explorative_user_env.results.records import versions_of

        made_by = {"command": self.command, "options": dict(self.options)}
        return Folder(path, made_by | {"versions": versions_of()}, self.overwrite)


def keeps_what_was_asked(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command --overwrite and --resume, and hand on all options as its argument `asked`.

    Where a run is gone on with, options that are not given are the run's.
    """
    name = command.__name__.replace("_", "-")

    @functools.wraps(command)
    def called(
        *, context: typer.Context, overwrite: bool = False, resume: Path | None = None, **given: Any
    ) -> None:
        users = given.get("users", {})
        if resume is not None:
            before = _options_of(resume, name)
            for options in (given, users):
                options |= {
                    each: before[each]
                    for each in options
                    if each in before and not _is_said(context, each)
                }
        told = {
            each: str(value) if isinstance(value, Path) else value
            for each, value in {**given, **users}.items()
            if each not in ("users", *CHANGES_NO_NUMBER)
        }
        asked = Asked(name, told, overwrite, resume, _is_said(context, "output"))
        command(asked=asked, **given)

    own = inspect.signature(command, eval_str=True).parameters
    kind = inspect.Parameter.KEYWORD_ONLY
    shown = [each.replace(kind=kind) for each in own.values() if each.name != "asked"]
    for more, annotation, default in (
        ("resume", ResumeOption, None),
        ("overwrite", OverwriteOption, False),
        ("context", typer.Context, inspect.Parameter.empty),
    ):
        shown.append(inspect.Parameter(more, kind, default=default, annotation=annotation))
    called.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return called


def _is_said(context: typer.Context, name: str) -> bool:
    """Return whether an option was given in words."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _options_of(resume: Path, name: str) -> dict[str, Any]:
    """Return the options of a run that is gone on with.

    Raises:
        InvalidArgumentError: if it is of another command.
    """
    from explorative_user_env.results.store import EmptyFileError, request_in

    try:
        request = request_in(resume, "resume")
    except EmptyFileError:  # its maker was killed at once
        return {}
    if request["command"] != name:
        allowed = f"a run of {name} (it is of {request['command']})"
        raise InvalidArgumentError("resume", str(resume), allowed)
    options: dict[str, Any] = request["options"]
    return options
