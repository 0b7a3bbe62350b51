"""Where numba is not, and in a browser, where no thread and no process starts: the same to the bit.

One process without them does what readers of the course do; it is compared with compiled runs here.
"""

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from in_a_browser import steps_of_many
from processes import TESTS, python

import explorative_user_env as eu
from explorative_user_env.agents import AGENTS, REFERENCES
from explorative_user_env.kernels import compiler as presence

pytestmark = pytest.mark.slow

SHARED: dict[str, Any] = {"n_arms": 3, "n_instances": 8, "seed": 3}
MODES = ["NextStep", "SameStep", "Disabled"]
LINE_UP = [*AGENTS, *REFERENCES]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of everything, by what it is, in a process that is as a browser's Python."""
    folder = tmp_path_factory.mktemp("browser")
    asked = json.dumps({"shared": SHARED, "line_up": LINE_UP, "modes": MODES})
    done = python(str(TESTS / "in_a_browser.py"), asked, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads((folder / "found.json").read_text())
    return found | {"folder": folder, "stderr": done.stderr}


@pytest.mark.compiler
@pytest.mark.parametrize("task", ["bai", "regret"])
def test_runs_are_the_compiled_ones_to_the_last_bit(browser: dict[str, Any], task: str) -> None:
    options = SHARED | ({} if task == "bai" else {"task": task, "horizon": 60})
    results = eu.evaluate(LINE_UP, progress=False, **options)
    assert browser[task] == results.runs.map(repr).to_numpy().tolist()


@pytest.mark.compiler
@pytest.mark.parametrize("mode", MODES)
def test_users_in_step_are_the_compiled_ones(browser: dict[str, Any], mode: str) -> None:
    assert browser[mode] == steps_of_many(mode)
    many: Any = gym.make_vec("ExplorativeUser-v0", 70)
    many.reset(seed=1)
    assert many.unwrapped.compiled  # here


def test_nobody_is_said_to_have_compiled(browser: dict[str, Any]) -> None:
    assert set(browser["versions"]) == {"explorative-user-env", "python", "gymnasium", "numpy"}


def test_that_it_is_slower_is_said_once_with_the_reason(browser: dict[str, Any]) -> None:
    line = f"without numba ({presence.NONE_THERE}) all runs in plain Python"
    assert browser["notices"] == [
        f"{line}, {presence.TIMES_SLOWER}, with the same results",
        "this Python, as one in a browser, starts no other workers, so runs are done one after "
        "the other",
    ]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("compiled users", "compiled=True needs numba, but there is none for a browser"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    browser: dict[str, Any], asked: str, words: str
) -> None:
    assert words in browser[asked]
    assert "\n" not in browser[asked]


@pytest.mark.parametrize(
    "what",
    [
        "rollout",
        "a policy of many users",
        "checks of the theory",
        "theory",
        "pictures",
        "a plot",
        "a file of runs",
        "a sweep",
        "two workers",
        "a bar",
        "the checks of an agent",
        "the hard pair",
        "a game",
        "bench --quick",
        "an exercise",
    ],
)
def test_it_works(browser: dict[str, Any], what: str) -> None:
    assert browser[what] is True


def test_a_bench_without_numba_leaves_the_files_of_any_other(browser: dict[str, Any]) -> None:
    folder: Path = browser["folder"] / "bench"
    assert {"runs.csv", "table.md"} <= {path.name for path in folder.iterdir()}
