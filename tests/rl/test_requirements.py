"""Without Stable-Baselines3 all else works, and what needs it says how to get it."""

import subprocess
import sys
from pathlib import Path

import pytest

from explorative_user_env.extras import how_to_get

BLOCKER = """
import sys
from importlib.machinery import PathFinder

find = PathFinder.find_spec

def find_spec(name, path=None, target=None):
    return None if name.split(".")[0] in {missing!r} else find(name, path, target)

PathFinder.find_spec = find_spec
"""

BOTH = ("stable_baselines3", "sb3_contrib")

LINE = f"reinforcement learning needs stable-baselines3 and sb3-contrib: {how_to_get('rl')}"


def run(
    code: str, *arguments: str, missing: tuple[str, ...] = BOTH, folder: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run code where these packages are not installed."""
    return subprocess.run(
        [sys.executable, "-c", BLOCKER.format(missing=missing) + code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


def test_the_blocker_of_these_tests_blocks() -> None:
    finished = run("""
for name in ("stable_baselines3", "sb3_contrib"):
    try:
        __import__(name)
    except ModuleNotFoundError:
        print("missing")
""")
    assert finished.stdout == "missing\n" * 2, finished.stderr


def test_the_package_and_its_harness_work_without_stable_baselines3() -> None:
    finished = run("""
import explorative_user_env as eu
from explorative_user_env import cli
from explorative_user_env.commands import agent_names as line_up
from explorative_user_env.commands import train

agent = eu.PolicyAgent(lambda observation: 0)
results = eu.evaluate([agent, "UCB1"], task="regret", horizon=20, n_instances=3, compiled=False)
assert len(results.runs) == 6
assert not {"stable_baselines3", "sb3_contrib", "torch"} & set(sys.modules)
print("works")
""")
    assert finished.stdout == "works\n", finished.stderr


IMPORT = """
try:
    import explorative_user_env.rl
except ImportError as error:
    print(type(error).__name__)
    print(error)
"""


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        (BOTH, "stable-baselines3 and sb3-contrib"),
        (BOTH[:1], "stable-baselines3"),
        (BOTH[1:], "sb3-contrib"),
    ],
)
def test_the_import_says_in_one_line_what_is_missing_and_how_to_get_it(
    missing: tuple[str, ...], named: str
) -> None:
    finished = run(IMPORT, missing=missing)
    assert finished.stdout.splitlines() == [
        "MissingExtraError",
        f"reinforcement learning needs {named}: {how_to_get('rl')}",
    ], finished.stderr


COMMANDS = [
    ["train", "--output", "model"],
    ["bench", "--agent", "sb3:x"],
    ["bench", "--agent", "bair", "--agent", "sb3:x", "--output", "found"],
    ["bench", "--agent", "sb3:"],
]

RUN_ALL = f"""
from explorative_user_env import cli

for arguments in {COMMANDS!r}:
    sys.argv = ["explorative-user", *arguments]
    try:
        cli.main()
    except SystemExit as stop:
        print(stop.code)
"""


def test_commands_that_need_it_say_so_in_one_line_and_exit_with_2(tmp_path: Path) -> None:
    finished = run(RUN_ALL, folder=tmp_path)
    assert finished.stderr == f"error: {LINE}\n" * len(COMMANDS)
    assert finished.stdout == "2\n" * len(COMMANDS)
    assert list(tmp_path.iterdir()) == []


def test_help_for_training_needs_nothing(tmp_path: Path) -> None:
    code = "from explorative_user_env import cli; cli.main()"
    finished = run(code, "train", "--help", folder=tmp_path)
    assert finished.returncode == 0
    assert "recurrent-ppo" in finished.stdout
