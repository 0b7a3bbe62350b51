"""The command line, `explorative-user`."""

import signal
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from explorative_user_env.commands.bench import bench
from explorative_user_env.commands.check import check
from explorative_user_env.commands.course import course
from explorative_user_env.commands.export import export
from explorative_user_env.commands.grade import grade
from explorative_user_env.commands.kept import what_is_kept
from explorative_user_env.commands.lower_bound import lower_bound
from explorative_user_env.commands.play import play
from explorative_user_env.commands.plot import plot
from explorative_user_env.commands.reproduce import reproduce
from explorative_user_env.commands.robustness import robustness
from explorative_user_env.commands.show import show_run
from explorative_user_env.commands.suite import suite
from explorative_user_env.commands.train import train
from explorative_user_env.commands.transcripts import transcripts
from explorative_user_env.commands.tune_n1 import tune_n1
from explorative_user_env.commands.verify import verify
from explorative_user_env.commands.watch import watch
from explorative_user_env.display.text import unfailing_output
from explorative_user_env.kernels.presence import ends_heard, interrupts_heard
from explorative_user_env.validation import (
    LONGEST_RULE,
    InvalidArgumentError,
    MissingExtraError,
    one_line,
)
from explorative_user_env.version import __version__

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)

for command in (
    bench,
    reproduce,
    robustness,
    suite,
    tune_n1,
    lower_bound,
    train,
    check,
    watch,
    play,
    plot,
    export,
    verify,
    transcripts,
    course,
    grade,
):
    app.command()(command)
app.command("show")(show_run)


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


SIGNALLED = 128
"""What shells add to the number of a signal that ended a program."""

INTERRUPTED = SIGNALLED + signal.SIGINT
"""The exit code of a program that was interrupted."""


def main() -> None:
    """Run the command line; an error is one line on standard error and exit code 2.

    What cannot be printed is no reason to stop: the files are what counts. Only where standard
    output was to be kept, and could not be, the end says so.
    """
    with unfailing_output() as output:
        code = _run()
        output.flush()
        if output.lost is not None and not code:
            code = _failed(f"what was printed is not complete: {output.lost}", 1)
    sys.exit(code)


def _run() -> int:
    """Run the command and return the exit code."""
    with ends_heard() as ended:
        try:
            with interrupts_heard():
                code = app(standalone_mode=False) or 0
        except (KeyboardInterrupt, typer.Abort):
            code = INTERRUPTED
        except Exception as error:
            if not ended:
                if (line := _line_for(error)) is None:
                    raise
                return _failed("; ".join(filter(None, (line, what_is_kept()))), 2)
            code = INTERRUPTED  # what is broken off may fail in a way of its own
    if code == INTERRUPTED:  # newer Typer turns an interrupt into this code itself
        exec("")  # or Python ends by SIGINT in place of a code, if what was broken off was an exec
        left = what_is_kept() or "no file was written"
        return _failed(f"interrupted; {left}", SIGNALLED + ended[0] if ended else code)
    return int(code)


def _line_for(error: Exception) -> str | None:
    """Return what is said of an error that a command expects, None of any other."""
    # Typer has click's exceptions under a name of its own: this is the base of all usage errors.
    usage_error: Any = next(
        kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError"
    )
    if isinstance(error, InvalidArgumentError):
        return error.spelled(_options(sys.argv[1:]))
    if isinstance(error, MissingExtraError):
        return str(error)
    if isinstance(error, usage_error):
        return one_line(error.format_message(), LONGEST_RULE)
    return None


def _options(arguments: Sequence[str]) -> dict[str, str]:
    """Return how the command that is called spells each of its options, by its name."""
    known: Any = typer.main.get_command(app)
    called = [known.commands[word] for word in arguments if word in known.commands]
    shown = called[0].params if called else []
    return {each.name: each.opts[0] for each in shown if each.opts[0].startswith("-")}


def _failed(message: str, code: int) -> int:
    if message:
        print("error: " + " ".join(message.split()), file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
