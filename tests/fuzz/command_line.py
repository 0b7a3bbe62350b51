"""Words on the command line, each run in this process: exit code 0 or 2, and one line of error."""

import contextlib
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from fuzz.fuzzing import Door

from explorative_user_env import commands as cli
from explorative_user_env.validation import InvalidArgumentError

CELL: dict[str, Sequence[str]] = {
    "n-arms": ("2", "3"),
    "alpha": ("1", "0.5"),
    "gap": ("0.5", "0.3"),
    "noise": ("0", "0.1"),
    "means": ("uniform_with_room",),
    "rho": ("acceptance_rate", "1.5"),
    "seed": ("0", "7"),
    "workers": ("1",),
    "n-instances": ("2", "3"),
}
ANY_USER = {**CELL, "setting": ("printed", "released"), "reward-law": ("gaussian", "bernoulli")}
BENCH: dict[str, Sequence[str]] = {
    **ANY_USER,
    **{"agent": ("bair", "tas", "se"), "task": ("bai",), "delta": ("0.1", "0.3")},
    **{"max-steps": ("20", "40"), "step-cost": ("0", "0.1")},
}
COSTS = {"tune-n1": 100}
SIZES = frozenset({"n-arms", "n-instances", "max-steps", "horizon", "baseline-time", "confirm"})

COMMANDS: dict[str, tuple[str, dict[str, Sequence[str]], tuple[str, ...]]] = {
    "bench": ("bench", BENCH, ("agent", "n-arms", "delta", "n-instances", "max-steps")),
    "regret": (
        "bench --task regret",
        {**CELL, "agent": ("uni", "ucb1"), "horizon": ("9", "30"), "delta": ("0.1",)},
        ("agent", "n-arms", "delta", "n-instances", "horizon"),
    ),
    "robustness": (
        "suite",
        {**CELL, "agent": ("bair", "se"), "user": ("paper", "rho=1"), "max-steps": ("20",)},
        ("agent", "user", "n-instances", "max-steps"),
    ),
    "tune-n1": (
        "tune-n1",
        {
            **CELL,
            **{"delta": ("0.4",), "confirm": ("0", "9"), "max-steps": ("400",), "gap": ("0.9",)},
            **{"error": ("0.3",), "n-instances": ("500",)},
        },
        ("n-instances", "confirm", "max-steps", "n-arms", "delta", "gap", "error"),
    ),
}
ODD_WORDS = (
    *(
        "",
        " ",
        "-1",
        "0",
        "1",
        "2",
        "-0",
        "1e3",
        "1e-300",
        "5e-324",
        "1e308",
        "1e400",
        "nan",
        "inf",
    ),
    *("-inf", "0x10", "1_0", "٣", "½", "∞", "9" * 5000, str(2**63), str(2**64), str(10**30)),
    *(
        "0.5",
        "1.0",
        "a",
        "None",
        "True",
        "bair",
        "BAIR",
        "T&S",
        "sb3:",
        "sb3:nowhere",
        "sb3:/dev/null",
    ),
    *(
        "bair-tuned:",
        "bair-tuned:-1",
        "bair-tuned:" + "9" * 5000,
        "bair-tuned:nowhere",
        "os:system",
    ),
    *(
        "nowhere:Mine",
        ":",
        "a:b:c",
        "json:JSONDecoder",
        "printed",
        "released",
        "rho=2",
        "[red]",
        "[/red]",
    ),
    *("a\nb", "\x1b[31m", "\udcff", "--", "--help", "-h", "x" * 10_000, "../..", "%s", "{0}", "|"),
)
ODD_PLACES = ("", "/dev/null", "/dev/null/a", "/proc/a", "x" * 300, "a/" * 3000, "a\nb", "[red]")


def of_commands(folder: Path) -> Iterator[Door]:
    """Return a door for each command; the files go into this folder."""
    for name, (words, usual, needed) in COMMANDS.items():

        def call(words: str = words, **given: str) -> None:
            options = [_spelled(option, value) for option, value in given.items()]
            with contextlib.chdir(folder):  # where what is no absolute path is written
                check(*run(*words.split(), *options))

        files = {"output": (*(60 * (str(folder / name),)), *ODD_PLACES), "overwrite": ("",)}
        yield Door(
            f"command {name}",
            call,
            usual | files,
            frozenset({*needed, *files}),
            SIZES,
            spared=frozenset(files),
            odd=ODD_WORDS,
            cost=COSTS.get(name, 10),
        )


def _spelled(option: str, value: str) -> str:
    return "--overwrite" if option == "overwrite" else f"--{option}={value}"


def run(*words: str) -> tuple[int, str, str]:
    """Run a command in this process and return its exit code, what it prints, and its errors."""
    before, output, errors = sys.argv, io.StringIO(), io.StringIO()
    sys.argv = ["explorative-user", *words]
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            cli.main()
    except SystemExit as end:
        return int(end.code or 0), output.getvalue(), errors.getvalue()
    finally:
        sys.argv = before
    raise AssertionError("it did not exit")


def check(code: int, shown: str, said: str) -> None:
    """Look that a command did what it was asked for, or said in one line why not."""
    lines = [line for line in said.splitlines() if line.startswith("error: ")]
    assert "Traceback" not in said + shown, said[-300:]
    assert code in (0, 1, 2), f"exit code {code}"
    assert len(lines) == (code > 0), f"{len(lines)} lines of error with exit code {code}: {said}"
    if code:
        raise InvalidArgumentError("command", code, lines[0])
