"""Whatever is wrong with the folder of compiled code, an evaluation ends and says so once."""

import os
import re
from pathlib import Path

import pytest
from processes import python

from explorative_user_env.agents import Uniform
from explorative_user_env.evaluation import evaluate

needs_modes = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")

EVALUATION = """
import os, pwd, sys
{first}
from explorative_user_env import evaluate
from explorative_user_env.agents import Uniform
runs = evaluate([Uniform(horizon=9)], n_instances=3, seed=1, progress=False).runs
print(runs["acceptances"].tolist())
"""

NO_HOME = """
for name in ("HOME", "XDG_CACHE_HOME"):
    os.environ.pop(name, None)
def nobody(number):
    raise KeyError(number)
pwd.getpwuid = nobody
"""
DISABLED = "os.environ['NUMBA_DISABLE_JIT'] = '1'"

FAULTS = {
    "no home": (NO_HOME, "cannot be kept in ~.*there is no home folder"),
    "compiles nothing": (DISABLED, "UNI does not compile.*by NUMBA_DISABLE_JIT"),
}
"""What is done first in another process, and what is said of it."""


@needs_modes
@pytest.mark.slow
@pytest.mark.parametrize(("first", "told"), FAULTS.values(), ids=FAULTS.keys())
def test_an_evaluation_ends_whatever_is_wrong_with_the_folder_and_says_so_once(
    tmp_path: Path, first: str, told: str
) -> None:
    done = python("-c", EVALUATION.format(first=first), folder=tmp_path)
    runs = evaluate([Uniform(horizon=9)], n_instances=3, seed=1, compiled=False).runs
    assert (done.returncode, done.stdout) == (0, f"{runs['acceptances'].tolist()}\n")
    assert re.search(told, done.stderr, re.DOTALL)
    assert done.stderr.count("Warning:") == 1
    assert list(tmp_path.iterdir()) == []
