"""The command that checks what is somebody's own."""

import sys

import gymnasium as gym
import pytest

from explorative_user_env import ENV_ID
from explorative_user_env.check import checks_of

MODULE = """
from specimens import *
from gymnasium import register

wide = LAWS["has_variance_at_most_one"]
ready = Honest()
wanting = lambda needed: Honest()
register("Mine-v0", "explorative_user_env:ExplorativeUserEnv", max_episode_steps=9)
"""


@pytest.fixture(autouse=True)
def _working_folder(tmp_path, monkeypatch):
    (tmp_path / "own_checked.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("own_checked", None)
    gym.registry.pop("Mine-v0", None)


def test_a_target_is_told_by_its_kind_or_the_one_that_is_asked_for(run, subtests):
    for target, kind, subjects in (
        ("own_checked:Honest", [], ["Honest (agent)"]),
        ("own_checked:ready", [], ["Honest (agent)"]),
        ("bair-tuned:200", [], ["BAIR-tuned (agent)"]),
        (ENV_ID, [], [f"{ENV_ID} (environment)", f"{ENV_ID} (vector environment)"]),
        (ENV_ID, ["--kind=vector environment"], [f"{ENV_ID} (vector environment)"]),
        ("own_checked:Mine-v0", [], ["Mine-v0 (environment)"]),
        ("own_checked:wide", [], ["wide (reward law)"]),
        ("own_checked:overflowing_law", ["--kind=reward law"], ["overflowing_law (reward law)"]),
    ):
        with subtests.test(target, kind=kind):
            code, printed, _ = run("check", target, "--explain", *kind)
            assert code == 0
            assert [line for line in printed.splitlines() if line.endswith(")")] == subjects
            if "agent" in subjects[0]:
                assert all(f"{one.name}: {one.asks}" in printed for one in checks_of("agent"))
    for target in ("overflowing_law", "wanting"):
        ended = run("check", f"own_checked:{target}")
        told = "error: target must be an agent, an environment, a Behaviour, "
        assert (ended.code, ended.err.startswith(told)) == (2, True)


def test_a_known_fault_is_expected_and_no_failure(run):
    name = "has_variance_at_most_one"
    words = f"check own_checked:wide --only {name}"
    code, printed, _ = run(words)
    (row,) = [line.split() for line in printed.splitlines() if line.split()[:1] == [name]]
    assert (code, row[1], len(row) > 4) == (1, "failed", True)
    code, printed, _ = run(words, "--expect", f"{name}=wide on purpose")
    assert (code, "wide on purpose" in printed, "1 check: 1 expected" in printed) == (0, True, True)
    name = "recommends_arms"
    code, printed, _ = run(f"check own_checked:Honest --only {name} --seed 5")
    assert (code, "1 check: 1 passed" in printed) == (0, True)
    code, printed, _ = run(f"check uni --only {name} --expect {name}=x")
    assert (code, "it passed, though expected to fail: x" in printed) == (1, True)
