"""The command line, `explorative-user`."""

import sys
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer

from explorative_user_env.commands.bench import bench
from explorative_user_env.commands.lower_bound import lower_bound
from explorative_user_env.commands.reproduce import reproduce
from explorative_user_env.commands.robustness import robustness
from explorative_user_env.commands.train import train
from explorative_user_env.commands.tune_n1 import tune_n1
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError
from explorative_user_env.version import __version__

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
for command in (bench, reproduce, robustness, tune_n1, lower_bound, train):
    app.command()(command)


def _say_version(asked: bool) -> None:
    if asked:
        print(f"explorative-user {__version__}")
        raise typer.Exit


@app.callback()
def explorative_user(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_say_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Recommend to users who are still learning what they like, and compare who does it best."""


INTERRUPTED = 130
"""The exit code of a program that was interrupted, as shells have it."""


def main() -> None:
    """Run the command line; an error is one line on standard error and exit code 2."""
    # Typer has click's exceptions under a name of its own: this is the base of all usage errors.
    usage_error: Any = next(
        kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError"
    )
    try:
        code = app(standalone_mode=False) or 0
    except InvalidArgumentError as error:
        _fail(error.spelled(_options(sys.argv[1:])), 2)
    except MissingExtraError as error:
        _fail(str(error), 2)
    except usage_error as error:
        _fail(error.format_message(), 2)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:  # newer Typer turns an interrupt into this code itself
        _fail("interrupted; no file was written", code)
    sys.exit(code)


def _options(arguments: Sequence[str]) -> dict[str, str]:
    """Return how the command that is called spells each of its options, by its name."""
    known: Any = typer.main.get_command(app)
    called = [known.commands[word] for word in arguments if word in known.commands]
    shown = called[0].params if called else []
    return {each.name: each.opts[0] for each in shown if each.opts[0].startswith("-")}


def _fail(message: str, code: int) -> NoReturn:
    if message:
        print("error: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
