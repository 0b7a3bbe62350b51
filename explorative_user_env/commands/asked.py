"""What a command was asked for, which its folder keeps."""

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from explorative_user_env.files import Folder

CHANGES_NO_NUMBER = ("output", "overwrite", "workers", "backend", "scheduler")
"""Options that may be others when the same is run again."""

OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Write over another run's files; by default refused.")
]


@dataclass(frozen=True)
class Asked:
    """What a command was asked for.

    Attributes:
        command: its name.
        options: all that its numbers follow from, by name.
        overwrite: whether another run's files may be written over.
    """

    command: str
    options: Mapping[str, Any]
    overwrite: bool

    def folder(self, path: Path) -> "Folder":
        """Return the folder for the command's files, which says what made them.

        Raises:
            InvalidArgumentError: if it cannot be written to, or has another run's files.
        """
        from explorative_user_env.files import Folder
        from explorative_user_env.results.provenance import versions_of

        made_by = {"command": self.command, "options": dict(self.options)}
        return Folder(path, made_by | {"versions": versions_of()}, self.overwrite)


def keeps_what_was_asked(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option --overwrite, and hand on all options as its argument `asked`."""

    @functools.wraps(command)
    def called(*, overwrite: bool = False, **given: Any) -> None:
        options = {**given, **given.get("users", {})}
        told = {
            name: str(value) if isinstance(value, Path) else value
            for name, value in options.items()
            if name not in ("users", *CHANGES_NO_NUMBER)
        }
        name = command.__name__.replace("_", "-")
        command(asked=Asked(name, told, overwrite), **given)

    own = inspect.signature(command, eval_str=True).parameters
    kind = inspect.Parameter.KEYWORD_ONLY
    shown = [each.replace(kind=kind) for name, each in own.items() if name != "asked"]
    shown.append(inspect.Parameter("overwrite", kind, default=False, annotation=OverwriteOption))
    called.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return called
