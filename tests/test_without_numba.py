"""Where numba is not, and in a browser, where no thread and no process starts: the same to the bit.

One process without them does what readers of the course do; it is compared with compiled runs here.
"""

import json

import pytest
from in_a_browser import steps_of_many
from processes import TESTS, python

import explorative_user_env as eu
from explorative_user_env.kernels import compiler as presence

pytestmark = pytest.mark.slow

SHARED = {"n_arms": 3, "n_instances": 8, "seed": 3}
MODES = ["NextStep", "SameStep", "Disabled"]
LINE_UP = ["BAIR", "T&S", "UNI", "Full-information"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """What came of everything, by what it is, in a process that is as a browser's Python."""
    folder = tmp_path_factory.mktemp("browser")
    asked = json.dumps({"shared": SHARED, "line_up": LINE_UP, "modes": MODES})
    done = python(str(TESTS / "in_a_browser.py"), asked, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"runs.csv", "table.md"} <= {path.name for path in (folder / "bench").iterdir()}
    return json.loads((folder / "found.json").read_text())


@pytest.mark.compiler
@pytest.mark.parametrize("task", ["bai", "regret"])
def test_runs_are_the_compiled_ones_to_the_last_bit(browser, task):
    options = SHARED | ({} if task == "bai" else {"task": task, "horizon": 60})
    results = eu.evaluate(LINE_UP, progress=False, **options)
    assert browser[task] == results.runs.map(repr).to_numpy().tolist()


@pytest.mark.compiler
@pytest.mark.parametrize("mode", MODES)
def test_users_in_step_are_the_compiled_ones(browser, mode):
    assert browser[mode] == steps_of_many(mode)


def test_that_it_is_slower_is_said_once_and_compiled_users_are_refused(browser):
    assert set(browser["versions"]) == {"explorative-user-env", "python", "gymnasium", "numpy"}
    without, alone = browser["notices"]
    assert without.startswith(f"without numba ({presence.BROWSER_LACKS}) every")
    assert alone.startswith("this Python, as one in a browser, starts no other workers")
    words = "compiled=True needs numba, but there is no numba for browsers"
    assert words in browser["compiled users"]


def test_all_else_works(browser):
    assert [what for what, works in browser["works"].items() if works is not True] == []
    assert len(browser["works"]) == 14
