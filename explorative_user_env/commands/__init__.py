"""The command line `explorative-user`. Calling a command imports its module."""

import signal
import sys
from collections.abc import Collection, Iterator
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from explorative_user_env import validation
from explorative_user_env.display.text import unfailing_output
from explorative_user_env.kernels.compiler import resends_interrupts, signals_as_interrupts
from explorative_user_env.version import __version__

#: The commands, in the groups and the order of `--help`.
WORDS = {
    "Compare agents": {
        "bench": "Compare agents on explorative users with the paper's figures.",
        "suite": "Score agents on the suite's tasks, or on other users.",
        "train": "Train a model with Stable-Baselines3.",
        "check": "Check an agent, environment or user for conformance.",
        "watch": "Watch an agent and a user step by step.",
        "play": "Recommend to a user yourself.",
    },
    "Papers, results and courses": {
        "paper": "Reproduce the paper's tables and figures, and its lower bound.",
        "results": "Show, plot, export or verify the results of a run.",
        "course": "Write the course's notebooks, and grade students' agents.",
    },
}

#: The module of each command that shares the module of another command.
MODULES = {"train": "bench", "watch": "play"}

#: Where the unfinished run is stored, and the command that continues it.
unfinished: list[str] = []


def _plain(kind: Any) -> Any:
    """Return a subclass of the command class `kind` that prints no type after --help."""

    class Plain(kind):  # type: ignore[misc]
        def get_help_option(self, ctx: Any) -> Any:
            option = super().get_help_option(ctx)
            if option is not None:
                option.metavar = ""
            return option

    return Plain


_COMMAND, _GROUP = _plain(TyperCommand), _plain(TyperGroup)


def _new_app(**options: Any) -> typer.Typer:
    return typer.Typer(
        cls=_GROUP,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
        **options,
    )


def app(words: Collection[str] | None = None) -> typer.Typer:
    """Return the application, and import only the modules of the commands in `words`.

    Args:
        words: the words after `explorative-user`; None imports the modules of all commands.
    """
    root = _new_app()
    root.callback()(explorative_user)
    for panel, rows in WORDS.items():
        for word, about in rows.items():
            listed = {word: lambda: None}  # only to list the command in the help
            functions = listed if words is not None and word not in words else functions_of(word)
            shown: dict[str, Any] = {"rich_help_panel": panel}
            if word in functions:
                root.command(word, cls=_COMMAND, short_help=about, **shown)(functions[word])
                continue
            group = _new_app(help=about, **shown)
            for key, function in functions.items():
                group.command(key.removeprefix(f"{word} "), cls=_COMMAND)(function)
            root.add_typer(group, name=word)
    return root


def functions_of(word: str) -> dict[str, Any]:
    """Return the functions of the commands that begin with `word`: full name -> function."""
    module = import_module(f"{__name__}.{MODULES.get(word, word)}")
    called = {getattr(each, "called_by", ""): each for each in vars(module).values()}
    return {words: each for words, each in called.items() if words.split()[:1] == [word]}


def commands_of(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each command of a group and of its subgroups, with its full name."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands_of(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _say_version(is_given: bool) -> None:
    if is_given:
        print(f"explorative-user {__version__}")
        raise typer.Exit


_VERSION: Any = typer.Option(
    "--version", callback=_say_version, is_eager=True, metavar="", help="Show the version and exit."
)


def explorative_user(version: Annotated[bool, _VERSION] = False) -> None:
    """Test systems that face a user who is still learning. Begin with the command bench."""


#: A program that a signal ended has this exit code plus the number of the signal.
SIGNALLED = 128


def main() -> None:
    """Run the command line; print an error as one line on standard error, with exit code 2.

    If a line cannot be printed, the command still runs to its end, because it may write files. Then
    an error says that the printed text is incomplete, and the exit code is 1.
    """
    with unfailing_output() as output:
        message, code = _run()
        _complain(message)
        output.flush()
        if output.lost is not None and not code:
            _complain(f"the printed text is incomplete: {output.lost}")
            code = 1
    sys.exit(code)


def _complain(message: str) -> None:
    if message:
        print("error: " + " ".join(message.split()), file=sys.stderr)


def _run() -> tuple[str, int]:
    """Run the command; return its error message ("" without an error) and its exit code."""
    group: Any = None
    interrupted = SIGNALLED + signal.SIGINT
    unfinished.clear()
    with signals_as_interrupts() as ended:
        try:
            with resends_interrupts():
                group = typer.main.get_command(app(sys.argv[1:2]))
                code = group(standalone_mode=False) or 0
        except (KeyboardInterrupt, typer.Abort):
            code = interrupted
        except Exception as error:
            if not ended:
                if (line := _line_for(error, group)) is None:
                    raise
                return "; ".join(filter(None, (line, *unfinished))), 2
            code = interrupted  # the interrupt may have caused the error
    if code != interrupted:  # newer Typer itself returns `interrupted` after Ctrl-C
        return "", int(code)
    exec("")  # without this call, Python would send itself SIGINT at its exit
    left = unfinished or ["no file was written"]
    return f"interrupted; {left[0]}", SIGNALLED + ended[0] if ended else code


def _line_for(error: Exception, group: Any) -> str | None:
    """Return the line to print for a wrong option or a missing package; None for other errors."""
    # Typer keeps click's UsageError in a private module; BadParameter is its public subclass.
    usage_error: Any = typer.BadParameter.__base__
    if isinstance(error, usage_error):
        wrong: Any = getattr(error.__cause__, "errors", list)()  # newer Typer parses with pydantic
        if wrong:
            kind = "an integer" if "int" in wrong[0]["type"] else "a number"
            option = error.param.opts[0]
            return str(validation.InvalidArgumentError(option, wrong[0]["input"], kind))
        return validation.one_line(error.format_message(), validation.LONGEST_RULE)
    if not isinstance(error, validation.InvalidArgumentError):
        return str(error) if isinstance(error, validation.MissingExtraError) else None
    spellings = {}
    for words, command in commands_of(group) if group is not None else ():
        if sys.argv[1:][: len(words.split())] == words.split():
            spelled = {each.name: each.opts[0] for each in command.params}
            spellings = {name: each for name, each in spelled.items() if each.startswith("-")}
    return error.spelled(spellings)
