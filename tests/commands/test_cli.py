"""The command line as a whole: its help, its options that are numbers, and what a shell sees."""

import inspect
import os
import re
import subprocess
import sys
from typing import get_args

import pytest
from processes import PACKAGE, python

from explorative_user_env import commands as cli
from explorative_user_env.validation import missing_of
from explorative_user_env.version import __version__

FIRST = [word for words in cli.WORDS.values() for word in words]
FUNCTIONS = {words: each for word in FIRST for words, each in cli.functions_of(word).items()}


def test_help_explains_each_option_with_its_default_in_both_forms(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    assert len(FUNCTIONS) == 15
    for command in FUNCTIONS:
        code, printed, _ = run(command, "--help")
        assert code == 0
        told = re.findall(r"^\W*(--.*<.*>.*)$", printed, flags=re.MULTILINE)  # others are flags
        assert [each for each in told if "default" not in each or " None " in each] == [], command
    assert printed == run(command, "-h").out
    assert run("--version").out == f"explorative-user {__version__}\n"


NUMBERS = [str(2**53 + 1), "1" + "0" * 30, "-1", "1e12", "nan", "9" * 5000, ""]
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


def options_of(command):
    """Every option of a command that is a whole number, and what N_1 may be written in."""
    found = ["--agent=bair-tuned:"] * (command == "bench")
    for name, parameter in inspect.signature(FUNCTIONS[command]).parameters.items():
        kind, told = (*get_args(parameter.annotation)[:2], None, None)[:2]
        if told is not None and re.search(r"\bint\b", f"{kind} {told.metavar}"):
            found.append(f"--{name.replace('_', '-')}")
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [pytest.param(one, marks=[pytest.mark.exhaustive] * (one != "suite")) for one in FUNCTIONS],
)
def test_whatever_number_is_given_work_begins_or_one_line_says_why_not(
    command, run, tmp_path, monkeypatch
):
    def begin(*arguments, **options):
        raise KeyboardInterrupt

    trains = not missing_of(("stable_baselines3", "sb3_contrib"))
    if command == "train" and not trains:
        pytest.skip("needs Stable-Baselines3")
    for where in WORK[: 3 + trains]:
        monkeypatch.setattr(f"explorative_user_env.{where}", begin)
    for option in options_of(command):
        needed = NEEDED.get(command, [])
        if option == "--horizon" and command in ("bench", "course grade"):
            needed = [*needed, "--task", "regret"]
        codes = []
        for place, number in enumerate(NUMBERS):
            given = [option + number] if option.endswith(":") else [option, number]
            output = tmp_path / f"{option}{place}".replace(":", "")
            code, printed, said = run(command, *needed, *given, "--output", output)
            assert (code in (2, 130), printed) == (True, ""), given[-1][:40]
            (line,) = said.splitlines()
            assert (line.startswith("error: "), len(line) < 1500) == (True, True)
            codes.append(code)
        assert 2 in codes
    assert not list(tmp_path.rglob("*.*"))


@pytest.mark.slow
def test_the_module_runs_as_the_command_does_and_its_list_needs_nothing_heavy(tmp_path):
    finished = python("-m", "explorative_user_env", "bench", "--n-arms", "1", folder=tmp_path)
    told = "error: --n-arms must be an integer of at least 2, got 1\n"
    assert (finished.returncode, finished.stdout, finished.stderr) == (2, "", told)
    code = (
        "import sys; from explorative_user_env import commands as cli; cli.app(['--help']);"
        "print([name for name in ('numba', 'pandas', 'scipy') if name in sys.modules])"
    )
    assert python("-c", code).stdout == "[]\n"


@pytest.mark.slow
@pytest.mark.parametrize("redirected", ["| head -1 > first-line", ">&- 2>&-"])
def test_a_shell_sees_neither_an_error_nor_a_word(redirected, tmp_path):
    bench = "bench --n-instances 4 --workers 1 --agent bair --n-arms 2 --output out"
    line = f"set -o pipefail; '{sys.executable}' -m explorative_user_env {bench} {redirected}"
    environment = os.environ | {"PYTHONPATH": str(PACKAGE)}
    finished = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, b"", b"")
    assert "BAIR" in (tmp_path / "out" / "table.md").read_text(encoding="utf-8")
