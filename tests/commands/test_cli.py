"""The command line as a whole: its help, and what a shell sees."""

import os
import re
import subprocess
import sys

import pytest
from processes import PACKAGE, python

from explorative_user_env import commands as cli
from explorative_user_env.version import __version__


@pytest.mark.slow
def test_help_explains_each_option_with_its_default_in_both_forms(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    first = [word for words in cli.WORDS.values() for word in words]
    commands = [words for word in first for words in cli.functions_of(word)]
    assert len(commands) == 15
    for command in commands:
        code, printed, _ = run(command, "--help")
        assert code == 0
        told = re.findall(r"^\W*(--.*<.*>.*)$", printed, flags=re.MULTILINE)  # others are flags
        assert [each for each in told if "default" not in each or " None " in each] == [], command
    assert printed == run(command, "-h").out
    assert run("--version").out == f"explorative-user {__version__}\n"


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
@pytest.mark.parametrize(
    "redirected", ["| head -1 > first", pytest.param(">&- 2>&-", marks=pytest.mark.exhaustive)]
)
def test_a_shell_sees_neither_an_error_nor_a_word(redirected, tmp_path):
    bench = "bench --n-instances 4 --workers 1 --agent bair --n-arms 2 --output out"
    line = f"set -o pipefail; '{sys.executable}' -m explorative_user_env {bench} {redirected}"
    environment = os.environ | {"PYTHONPATH": str(PACKAGE)}
    finished = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, b"", b"")
    assert "BAIR" in (tmp_path / "out" / "table.md").read_text(encoding="utf-8")
