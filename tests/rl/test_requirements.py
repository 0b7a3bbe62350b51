"""Without Stable-Baselines3 all else works, and what needs it says how to get it."""

import json

import pytest
from processes import python

from explorative_user_env.validation import how_to_get

COMMANDS = [
    ["train", "--output", "model"],
    ["bench", "--agent", "bair", "--agent", "sb3:x", "--output", "found"],
    ["train", "--help"],
]

PROGRAM = f"""
import contextlib, io, json, sys
from importlib.machinery import PathFinder

MISSING = ("stable_baselines3", "sb3_contrib")
find = PathFinder.find_spec

def find_spec(name, path=None, target=None):
    return None if name.split(".")[0] in MISSING else find(name, path, target)

PathFinder.find_spec = find_spec
import explorative_user_env as eu
from explorative_user_env import commands as cli

agent = eu.PolicyAgent(lambda observation: 0)
results = eu.evaluate([agent, "UCB1"], task="regret", horizon=20, n_instances=3, compiled=False)
found = [len(results.runs), [name for name in (*MISSING, "torch") if name in sys.modules]]
try:
    import explorative_user_env.rl
except ImportError as error:
    found += [[type(error).__name__, str(error)]]

def run(arguments):
    sys.argv = ["explorative-user", *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main()
        except SystemExit as stop:
            return [stop.code, out.getvalue(), err.getvalue()]

print(json.dumps([*found, *(run(arguments) for arguments in {COMMANDS!r})]))
"""


@pytest.mark.slow
def test_without_stable_baselines3_all_else_works_and_one_line_says_how_to_get_it(tmp_path):
    finished = python("-c", PROGRAM, folder=tmp_path)
    assert finished.returncode == 0, finished.stderr
    *found, told = json.loads(finished.stdout)
    line = f"reinforcement learning needs stable-baselines3 and sb3-contrib: {how_to_get('rl')}"
    refused = [2, "", f"error: {line}\n"]
    assert found == [6, [], ["MissingExtraError", line], refused, refused]
    assert list(tmp_path.iterdir()) == []
    assert (told[0], told[2]) == (0, "")
    assert "recurrent-ppo" in told[1]
