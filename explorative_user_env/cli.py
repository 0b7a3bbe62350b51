"""The command line, `explorative-user`."""

import signal
import sys
from collections.abc import Collection, Iterator
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from explorative_user_env.display.text import unfailing_output
from explorative_user_env.kernels.compiler import ends_heard, interrupts_heard
from explorative_user_env.validation import (
    LONGEST_RULE,
    InvalidArgumentError,
    MissingExtraError,
    one_line,
)
from explorative_user_env.version import __version__

#: The first words of all commands, in the groups and the order of help.
WORDS = {
    "Compare agents": {
        "bench": "Compare agents on explorative users, beside the paper's figures.",
        "suite": "Score agents on the tasks of the suite, or on users of other kinds.",
        "train": "Train a model with Stable-Baselines3.",
        "check": "Check that your agent, environment or user is sound.",
    },
    "Meet a user": {
        "watch": "Watch a user and an agent step by step.",
        "play": "Recommend to a user yourself.",
    },
    "Papers, results and courses": {
        "paper": "The paper: its tables and figures, its lower bound, its open question.",
        "results": "What a run has: show, plot, export or verify it.",
        "course": "A course: its notebooks, and the grading of students' agents.",
    },
}


class _PlainHelp:
    """Shows no type beside --help, which is a flag."""

    def get_help_option(self, ctx: Any) -> Any:
        option: Any = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.metavar = ""
        return option


class _Command(_PlainHelp, TyperCommand):
    pass


class _Group(_PlainHelp, TyperGroup):
    pass


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
    """Return the command line; a command whose first word is not among `words` is not imported.

    Args:
        words: words of a command line; None imports all commands.
    """
    whole = _new_app()
    whole.callback()(explorative_user)
    rows = [(panel, *row) for panel, rows in WORDS.items() for row in rows.items()]
    for panel, word, about in rows:
        shown: dict[str, Any] = {"rich_help_panel": panel}
        left_out = {word: lambda: None}  # only a line in the list of commands
        functions = left_out if words is not None and word not in words else functions_of(word)
        if word in functions:
            shown |= {"cls": _Command, "short_help": about}
            whole.command(word, **shown)(functions[word])
            continue
        group = _new_app(help=about, **shown)
        for called, function in functions.items():
            group.command(called.removeprefix(f"{word} "), cls=_Command)(function)
        whole.add_typer(group, name=word)
    return whole


def functions_of(word: str) -> dict[str, Any]:
    """Return the functions of the commands that begin with a word, by all words that call each."""
    module = import_module(f"explorative_user_env.commands.{word}")
    return {each.called_by: each for each in vars(module).values() if hasattr(each, "called_by")}


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


#: What shells add to the number of a signal that ended a program.
SIGNALLED = 128


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
    interrupted = SIGNALLED + signal.SIGINT
    with ends_heard() as ended:
        try:
            with interrupts_heard():
                command_line = typer.main.get_command(app(sys.argv[1:2]))
                code = command_line(standalone_mode=False) or 0
        except (KeyboardInterrupt, typer.Abort):
            code = interrupted
        except Exception as error:
            if not ended:
                if (line := _line_for(error, command_line)) is None:
                    raise
                return _failed("; ".join(filter(None, (line, _where_it_is_kept()))), 2)
            code = interrupted  # an interrupted command may fail in its own way
    if code == interrupted:  # newer Typer turns an interrupt into this code itself
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
    usage_error: Any = typer.BadParameter.__base__
    if isinstance(error, usage_error):
        return one_line(error.format_message(), LONGEST_RULE)
    if not isinstance(error, InvalidArgumentError):
        return str(error) if isinstance(error, MissingExtraError) else None
    spellings = {}
    for words, command in commands_of(command_line) if command_line is not None else ():
        if sys.argv[1:][: len(words.split())] == words.split():
            spellings = {each.name: each.opts[0] for each in command.params}
            spellings = {name: each for name, each in spellings.items() if each.startswith("-")}
    return error.spelled(spellings)


def _failed(message: str, code: int) -> int:
    if message:
        print("error: " + " ".join(message.split()), file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
