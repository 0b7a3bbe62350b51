"""The command line, `explorative-user`."""

import sys
from typing import Any

import typer

from explorative_user_env.commands.bench import bench
from explorative_user_env.commands.lower_bound import lower_bound
from explorative_user_env.commands.reproduce import reproduce
from explorative_user_env.commands.robustness import robustness
from explorative_user_env.commands.train import train
from explorative_user_env.commands.tune_n1 import tune_n1
from explorative_user_env.display.streams import unfailing_output
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Recommend to users who are still learning what they like, and compare who does it best.",
)
for command in (bench, reproduce, robustness, tune_n1, lower_bound, train):
    app.command()(command)

INTERRUPTED = 130
"""The exit code of a program that was interrupted, as shells have it."""


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
    # Typer has click's exceptions under a name of its own: this is the base of all usage errors.
    usage_error: Any = next(
        kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError"
    )
    try:
        code = app(standalone_mode=False) or 0
    except (InvalidArgumentError, MissingExtraError) as error:
        return _failed(str(error), 2)
    except usage_error as error:
        return _failed(error.format_message(), 2)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:  # newer Typer turns an interrupt into this code itself
        return _failed("interrupted; no file was written", code)
    return int(code)


def _failed(message: str, code: int) -> int:
    if message:
        print("error: " + " ".join(message.split()), file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
