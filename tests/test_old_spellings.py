"""Spellings that were in use before give one line that names the new one."""

import importlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import explorative_user_env as eu
from explorative_user_env import theory
from explorative_user_env.studies.lower_bound import overlap
from explorative_user_env.studies.robustness import VARIETIES, robustness
from explorative_user_env.users.confidence import constant_rule

# Type checkers know the new names only.
schedule: Any = eu.Schedule
hard_pair: Any = theory.hard_pair
matrix: Any = robustness
lower_bound: Any = overlap


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: schedule(constant_rule, low=1.0, rho_1=1.0), "low is called rho_0 now"),
        (lambda: schedule(constant_rule, 1.0, high=1.0), "high is called rho_1 now"),
        (lambda: hard_pair(0.1, 0.5, rho_high=1.5), "rho_high is called rho_1 now"),
        (lambda: hard_pair(0.1, 0.5, rho_low=1.5), "rho_low is called rho_0 now"),
        (
            lambda: matrix(["bair"], VARIETIES[:1], n_instances=1, on_progress=lambda *told: None),
            "on_progress is called progress now",
        ),
        (
            lambda: lower_bound([3], n_instances=2, n_paths=2, on_progress=lambda *told: None),
            "on_progress is called progress now",
        ),
        (
            lambda: eu.evaluate(["uni"], n_instances=1, horizon=5, progress=False),
            "in the task bai horizon is called baseline_time now",
        ),
    ],
)
def test_an_argument_says_what_it_is_called_now(call: Callable[[], Any], line: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"^{line}$"):
        call()


def test_the_module_of_the_hard_pair_is_the_theory_now() -> None:
    sys.modules.pop("explorative_user_env.hard_instances", None)
    with pytest.warns(DeprecationWarning, match=r"is in explorative_user_env\.theory now$"):
        module = importlib.import_module("explorative_user_env.hard_instances")
    assert module is theory
    assert {"hard_pair", "HardPair", "proof_conditions", "Condition"} <= set(theory.__all__)


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("tas", "T&S"),
        ("T&S", "T&S"),
        ("track-and-stop", "T&S"),
        ("uniform", "UNI"),
        ("bair", "BAIR"),
    ],
)
def test_every_spelling_of_an_agent_means_the_one_in_the_tables(spelling: str, name: str) -> None:
    results = eu.evaluate([spelling], n_instances=1, baseline_time=5, max_steps=50, progress=False)
    assert results.runs["agent"].tolist() == [name]


def test_a_line_of_the_old_module_on_a_command_line() -> None:
    code = "from explorative_user_env.hard_instances import hard_pair; print(hard_pair(0.1).n0)"
    finished = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True
    )
    assert finished.stdout.strip() == str(theory.hard_pair(0.1).n0)
    assert "explorative_user_env.hard_instances is in explorative_user_env.theory now" in (
        finished.stderr
    )
