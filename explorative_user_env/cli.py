"""The command line, `explorative-user`."""

import signal
import sys
from collections.abc import Collection, Iterator
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from explorative_user_env.display.text import unfailing_output
from explorative_user_env.kernels.presence import ends_heard, interrupts_heard
from explorative_user_env.validation import (
    LONGEST_RULE,
    InvalidArgumentError,
    MissingExtraError,
    one_line,
)
from explorative_user_env.version import __version__


class Word(NamedTuple):
    """A first word of the command line.

    Attributes:
        about: its line in the list of commands.
        panel: the group of commands that it is listed in.
        inner: for a group, its commands by their functions; the module has the word's name.
    """

    about: str
    panel: str
    inner: dict[str, str] | None = None


COMPARE, MEET, LATER = "Compare agents", "Meet a user", "Papers, results and courses"

WORDS = {
    "bench": Word("Compare agents on explorative users, beside the paper's figures.", COMPARE),
    "suite": Word("Score agents on the tasks of the suite.", COMPARE),
    "train": Word("Train a model with Stable-Baselines3.", COMPARE),
    "check": Word("Check that your agent, environment or user is sound.", COMPARE),
    "watch": Word("Watch a user and an agent step by step.", MEET),
    "play": Word("Recommend to a user yourself.", MEET),
    "paper": Word(
        "The paper: its tables and figures, its lower bound, its open question.",
        LATER,
        {"tables": "tables", "tune-n1": "tune_n1", "lower-bound": "lower_bound"},
    ),
    "results": Word(
        "What a run has: show, plot, export or verify it.",
        LATER,
        {"show": "show_run", "plot": "plot", "export": "export", "verify": "verify"},
    ),
    "course": Word(
        "A course: its notebooks, and the grading of students' agents.",
        LATER,
        {"notebooks": "notebooks", "grade": "grade"},
    ),
}
"""All commands, in the order of help."""


def _without_type(option: Any) -> Any:
    """Return the option --help without a type beside it, as it is a flag."""
    if option is not None:
        option.metavar = ""
    return option


class _Command(TyperCommand):
    def get_help_option(self, ctx: Any) -> Any:
        return _without_type(super().get_help_option(ctx))


class _Group(TyperGroup):
    def get_help_option(self, ctx: Any) -> Any:
        return _without_type(super().get_help_option(ctx))


def _new_app(**options: Any) -> typer.Typer:
    return typer.Typer(
        cls=_Group,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
        **options,
    )


def app(words: Collection[str] | None = None) -> typer.Typer:
    """Return the command line; a command whose name is not among `words` is not imported.

    Args:
        words: the words of a command line; None imports all commands.
    """
    whole = _new_app()
    whole.callback()(explorative_user)
    for word, (about, panel, inner) in WORDS.items():
        if words is not None and word not in words:
            whole.command(word, help=about, rich_help_panel=panel)(_not_imported)
            continue
        module = import_module(f"explorative_user_env.commands.{word}")
        if inner is None:
            function = getattr(module, word)
            whole.command(word, cls=_Command, short_help=about, rich_help_panel=panel)(function)
            continue
        group = _new_app(help=about, rich_help_panel=panel)
        for name, function in inner.items():
            group.command(name, cls=_Command)(getattr(module, function))
        whole.add_typer(group, name=word)
    return whole


def _not_imported() -> None:
    """Stand in the list of commands."""


def commands_of(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the commands of a group, and of the groups in it, with the words that call each."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands_of(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _say_version(asked: bool) -> None:
    if asked:
        print(f"explorative-user {__version__}")
        raise typer.Exit


def explorative_user(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_say_version,
            is_eager=True,
            metavar="",
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    """Recommend to users who are still learning what they like, and compare who does it best.

    Example: explorative-user bench
    """


SIGNALLED = 128
"""What shells add to the number of a signal that ended a program."""

INTERRUPTED = SIGNALLED + signal.SIGINT
"""The exit code of a program that was interrupted."""


def main() -> None:
    """Run the command line; an error is one line on standard error and exit code 2.

    Text that cannot be printed does not end a command: its files count. If text was lost, the last
    line says so, and the exit code is 1.
    """
    with unfailing_output() as output:
        code = _run()
        output.flush()
        if output.lost is not None and not code:
            code = _failed(f"what was printed is not complete: {output.lost}", 1)
    sys.exit(code)


def _run() -> int:
    command_line: Any = None
    with ends_heard() as ended:
        try:
            with interrupts_heard():
                command_line = typer.main.get_command(app(sys.argv[1:2]))
                code = command_line(standalone_mode=False) or 0
        except (KeyboardInterrupt, typer.Abort):
            code = INTERRUPTED
        except Exception as error:
            if not ended:
                if (line := _line_for(error, command_line)) is None:
                    raise
                return _failed("; ".join(filter(None, (line, _where_it_is_kept()))), 2)
            code = INTERRUPTED  # an interrupted command may fail in its own way
    if code == INTERRUPTED:  # newer Typer turns an interrupt into this code itself
        exec("")  # otherwise Python ends by SIGINT, if it was interrupted in an exec
        left = _where_it_is_kept() or "no file was written"
        return _failed(f"interrupted; {left}", SIGNALLED + ended[0] if ended else code)
    return int(code)


def _where_it_is_kept() -> str:
    """Return where an interrupted run is kept; empty if the command keeps none."""
    run = sys.modules.get("explorative_user_env.commands.run")
    return "" if run is None else str(run.where_it_is_kept())


def _line_for(error: Exception, command_line: Any) -> str | None:
    """Return the line for an error that a command expects; None for any other error."""
    # Typer vendors click under a private name: the base of its usage errors is found from outside.
    usage_error: Any = next(
        kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError"
    )
    if isinstance(error, InvalidArgumentError):
        return error.spelled(_spellings(command_line))
    if isinstance(error, MissingExtraError):
        return str(error)
    if isinstance(error, usage_error):
        return one_line(error.format_message(), LONGEST_RULE)
    return None


def _spellings(command_line: Any) -> dict[str, str]:
    """Return how the command that was called spells its options, by their names."""
    for words, command in commands_of(command_line) if command_line is not None else ():
        if sys.argv[1:][: len(words.split())] == words.split():
            options = [each for each in command.params if each.opts[0].startswith("-")]
            return {each.name: each.opts[0] for each in options}
    return {}


def _failed(message: str, code: int) -> int:
    if message:
        print("error: " + " ".join(message.split()), file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
