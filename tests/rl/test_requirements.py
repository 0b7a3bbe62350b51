"""Without Stable-Baselines3 all else works, and what needs it says how to get it."""

import json
from importlib import reload
from pathlib import Path
from typing import Any

import pytest
from processes import python

from explorative_user_env import validation as extras
from explorative_user_env.validation import MissingExtraError, how_to_get

pytestmark = pytest.mark.slow

COMMANDS = [
    ["train", "--output", "model"],
    ["bench", "--agent", "sb3:x"],
    ["bench", "--agent", "bair", "--agent", "sb3:x", "--output", "found"],
    ["bench", "--agent", "sb3:"],
]

PROGRAM = f"""
import contextlib, io, json, sys
from importlib.machinery import PathFinder

MISSING = ("stable_baselines3", "sb3_contrib")
find = PathFinder.find_spec

def find_spec(name, path=None, target=None):
    return None if name.split(".")[0] in MISSING else find(name, path, target)

PathFinder.find_spec = find_spec
found = {{"blocked": [], "commands": []}}
for name in MISSING:
    try:
        __import__(name)
    except ModuleNotFoundError:
        found["blocked"].append(name)

import explorative_user_env as eu
from explorative_user_env import commands as cli
from explorative_user_env.commands import agents, bench

agent = eu.PolicyAgent(lambda observation: 0)
results = eu.evaluate([agent, "UCB1"], task="regret", horizon=20, n_instances=3, compiled=False)
found["runs"] = len(results.runs)
found["loaded"] = [name for name in (*MISSING, "torch") if name in sys.modules]

try:
    import explorative_user_env.rl
except ImportError as error:
    found["import"] = [type(error).__name__, str(error)]

def run(arguments):
    sys.argv = ["explorative-user", *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main()
        except SystemExit as stop:
            return [stop.code, out.getvalue(), err.getvalue()]

found["commands"] = [run(arguments) for arguments in {COMMANDS!r}]
found["help"] = run(["train", "--help"])
print(json.dumps(found))
"""

LINE = f"reinforcement learning needs stable-baselines3 and sb3-contrib: {how_to_get('rl')}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("empty")


@pytest.fixture(scope="module")
def found(folder: Path) -> dict[str, Any]:
    """What a program finds where these packages are not installed."""
    finished = python("-c", PROGRAM, folder=folder)
    assert finished.returncode == 0, finished.stderr
    return dict(json.loads(finished.stdout))


def test_the_blocker_of_these_tests_blocks(found: dict[str, Any]) -> None:
    assert found["blocked"] == ["stable_baselines3", "sb3_contrib"]


def test_the_package_and_its_harness_work_without_stable_baselines3(found: dict[str, Any]) -> None:
    assert found["runs"] == 6
    assert found["loaded"] == []


def test_the_import_says_in_one_line_what_is_missing_and_how_to_get_it(
    found: dict[str, Any],
) -> None:
    assert found["import"] == ["MissingExtraError", LINE]


@pytest.mark.parametrize("missing", ["stable_baselines3", "sb3_contrib"])
def test_only_what_is_missing_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("stable_baselines3", reason="else the room cannot be entered")
    pytest.importorskip("sb3_contrib", reason="else the room cannot be entered")
    from explorative_user_env import rl

    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == missing else "there")
    with pytest.raises(MissingExtraError) as error:
        reload(rl)
    named = missing.replace("_", "-")
    assert str(error.value) == f"reinforcement learning needs {named}: {how_to_get('rl')}"


def test_commands_that_need_it_say_so_in_one_line_and_exit_with_2(
    found: dict[str, Any], folder: Path
) -> None:
    assert found["commands"] == [[2, "", f"error: {LINE}\n"]] * len(COMMANDS)
    assert list(folder.iterdir()) == []


def test_help_for_training_needs_nothing(found: dict[str, Any]) -> None:
    code, printed, error = found["help"]
    assert (code, error) == (0, "")
    assert "recurrent-ppo" in printed
