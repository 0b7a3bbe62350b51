"""The command line as a whole: its help, its options that are numbers, and what a shell sees."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from processes import PACKAGE, python

from explorative_user_env import commands as cli
from explorative_user_env.validation import missing_of
from explorative_user_env.version import __version__


def functions() -> dict[str, Any]:
    """The function of every command, by the words that call it."""
    first = [word for words in cli.WORDS.values() for word in words]
    return {words: each for word in first for words, each in cli.functions_of(word).items()}


def test_help_explains_each_option_with_its_default_in_both_forms(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert len(functions()) == 15
    for command in functions():
        code, printed, _ = run(command, "--help")
        assert (code, printed) == (0, run(command, "-h").out)
        told = re.findall(r"^\W*(--.*<.*>.*)$", printed, flags=re.MULTILINE)  # others are flags
        assert [each for each in told if "default" not in each or " None " in each] == [], command
    assert run("--version").out == f"explorative-user {__version__}\n"


NUMBERS = {
    **{"2^53 + 1": str(2**53 + 1), "2^64": str(2**64), "10^9": str(10**9), "10^30": str(10**30)},
    **{"-1": "-1", "0": "0", "1e12": "1e12", "inf": "inf", "nan": "nan", "true": "True"},
    **{"5000 digits": "9" * 5000, "empty": ""},
}
"""What is given, by a name for it."""

WORK = (
    *("evaluation.runner.done", "studies.lower_bound.histories"),
    *("studies.lower_bound.rejected_below", "rl.models.Recipe.untrained"),
)
"""Where the work of the commands begins: the numbers may be legal and take for ever."""

NEEDED = {
    "paper tables": ["table2"],
    "bench": ["--agent", "uni", "--agent", "bair"],
    "course grade": [__file__, "--key", "a-key-of-16-letters"],
}
"""What a command needs besides."""


def options() -> list[tuple[str, str]]:
    """Every option that is a whole number, with its command, and what N_1 may be written in."""
    found = [("bench", "--agent=bair-tuned:"), ("suite", "--agent=bair-tuned:")]
    for command, function in functions().items():
        for name, parameter in inspect.signature(function).parameters.items():
            kind, told = (*get_args(parameter.annotation)[:2], None, None)[:2]
            if told is not None and re.search(r"\bint\b", f"{kind} {told.metavar}"):
                found.append((command, f"--{name.replace('_', '-')}"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("command", "option"), options())
def test_whatever_number_is_given_work_begins_or_one_line_says_why_not(
    command: str, option: str, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    trains = not missing_of(("stable_baselines3", "sb3_contrib"))
    if command == "train" and not trains:
        pytest.skip("needs Stable-Baselines3")
    for where in WORK[: 3 + trains]:
        monkeypatch.setattr(f"explorative_user_env.{where}", begin)
    needed = NEEDED.get(command, [])
    if option == "--horizon" and command in ("bench", "course grade"):
        needed = [*needed, "--task", "regret"]
    codes = []
    for shown, number in NUMBERS.items():
        given = [option + number] if option.endswith(":") else [option, number]
        code, printed, said = run(command, *needed, *given, "--output", tmp_path / shown)
        assert (code in (2, 130), printed) == (True, ""), shown
        (line,) = said.splitlines()
        assert (line.startswith("error: "), len(line) < 1500) == (True, True), shown
        assert not list(tmp_path.rglob("*.*")), shown
        codes.append(code)
    assert 2 in codes


@pytest.mark.slow
def test_the_module_runs_as_the_command_does_and_its_list_needs_nothing_heavy(
    tmp_path: Path,
) -> None:
    finished = python("-m", "explorative_user_env", "bench", "--n-arms", "1", folder=tmp_path)
    told = "error: --n-arms must be an integer of at least 2, got 1\n"
    assert (finished.returncode, finished.stdout, finished.stderr) == (2, "", told)
    code = (
        "import sys; from explorative_user_env import commands as cli; cli.app(['--help']);"
        "print([name for name in ('numba', 'pandas', 'scipy') if name in sys.modules])"
    )
    assert python("-c", code).stdout == "[]\n"


@pytest.mark.slow
@pytest.mark.parametrize("redirected", ["| head -1 > first-line", ">&- 2>&-", "> page"])
def test_a_shell_sees_neither_an_error_nor_a_word(redirected: str, tmp_path: Path) -> None:
    bench = "bench --n-instances 4 --workers 1 --agent bair --n-arms 2 --output out"
    line = f"set -o pipefail; '{sys.executable}' -m explorative_user_env {bench} {redirected}"
    environment = os.environ | {"PYTHONPATH": str(PACKAGE)}
    if redirected == "> page":
        environment["PYTHONIOENCODING"] = "ascii"
    finished = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, b"", b"")
    assert "BAIR" in (tmp_path / "out" / "table.md").read_text(encoding="utf-8")
    if redirected == "> page":
        assert b"?" in (tmp_path / "page").read_bytes()
