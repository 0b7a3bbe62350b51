"""A process that was forked after an evaluation on workers evaluates on workers of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os

import explorative_user_env as eu


def total():
    facts = {"n_instances": 40, "baseline_time": 5, "progress": False, "compiled": False}
    return int(eu.evaluate(["UNI"], workers=2, **facts).runs["acceptances"].sum())


if __name__ == "__main__":
    before = total()
    child = os.fork()
    if child == 0:
        os._exit(0 if total() == before else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert total() == before
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_a_forked_child_evaluates_on_workers_as_its_parent_did(tmp_path: Path) -> None:
    script = tmp_path / "forks.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-W", "ignore", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
