"""Spellings that were in use before mean what they meant, and one line names the new one."""

import importlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env import theory
from explorative_user_env.studies.lower_bound import overlap, success
from explorative_user_env.studies.robustness import VARIETIES, robustness
from explorative_user_env.users.laws import constant_rule

# Type checkers know the new names only.
schedule: Any = eu.Schedule
hard_pair: Any = theory.hard_pair
growth: Any = overlap
comparison: Any = success
matrix: Any = robustness


class FiveSteps:
    """An agent that is quick and not compiled."""

    name = "five"

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.left = 5

    def act(self) -> int | None:
        return 0 if self.left else None

    def observe(self, arm: int, accepted: bool) -> None:
        self.left -= 1

    def answer(self) -> int:
        return 0


def evaluated(agent: Any, **options: Any) -> list[Any]:
    runs = eu.evaluate([agent], n_instances=3, compiled=False, progress=False, **options).runs
    return list(runs.itertuples(index=False))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            lambda: schedule(constant_rule, low=1.5, rho_1=2.5),
            lambda: schedule(constant_rule, rho_0=1.5, rho_1=2.5),
            "low is called rho_0 now",
        ),
        (
            lambda: schedule(constant_rule, 1.5, high=2.5),
            lambda: schedule(constant_rule, 1.5, rho_1=2.5),
            "high is called rho_1 now",
        ),
        (
            lambda: hard_pair(0.1, 0.5, rho_high=1.5),
            lambda: hard_pair(0.1, 0.5, rho_1=1.5),
            "rho_high is called rho_1 now",
        ),
        (
            lambda: hard_pair(0.1, 0.5, rho_low=0.5),
            lambda: hard_pair(0.1, 0.5, rho_0=0.5),
            "rho_low is called rho_0 now",
        ),
        (
            lambda: evaluated("uni", horizon=7),
            lambda: evaluated("uni", baseline_time=7),
            "in the task bai horizon is called baseline_time now",
        ),
    ],
)
def test_an_old_argument_means_the_new_one_and_says_what_it_is_called_now(
    old: Callable[[], Any], new: Callable[[], Any], line: str
) -> None:
    with pytest.warns(DeprecationWarning, match=f"^{line}$"):
        meant = old()
    assert meant == new()


class Told(Exception):  # noqa: N818 - no error: it ends the work once progress is told
    pass


def tell(*progress: Any) -> None:
    raise Told


@pytest.mark.parametrize(
    "call",
    [
        lambda: matrix([FiveSteps()], VARIETIES[:1], n_instances=1, on_progress=tell),
        lambda: growth([3], n_instances=1, n_paths=2, on_progress=tell),
        lambda: comparison(theory.hard_pair(0.1), [3], n_instances=1, on_progress=tell),
    ],
)
def test_who_is_told_of_progress_by_the_old_name_is_told(call: Callable[[], Any]) -> None:
    with (
        pytest.warns(DeprecationWarning, match=r"^on_progress is called progress now$"),
        pytest.raises((Told, eu.CallableError)) as caught,
    ):
        call()
    assert isinstance(caught.value, Told) or isinstance(caught.value.__cause__, Told)


def test_the_horizon_of_the_studies_is_a_baseline_time_now() -> None:
    with (
        pytest.warns(DeprecationWarning, match=r"^horizon is called baseline_time now$"),
        pytest.raises(eu.InvalidArgumentError, match=r"baseline_time must be .*, got 0"),
    ):
        matrix([FiveSteps()], VARIETIES[:1], n_instances=1, horizon=0)


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
    time = {"baseline_time": 5} if name == "UNI" else {}
    runs = evaluated(spelling, max_steps=50, **time)
    assert [run.agent for run in runs] == [name] * 3


@pytest.mark.slow
def test_a_line_of_the_old_module_on_a_command_line() -> None:
    code = "from explorative_user_env.hard_instances import hard_pair; print(hard_pair(0.1).n0)"
    finished = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True
    )
    assert finished.stdout.strip() == str(theory.hard_pair(0.1).n0)
    assert "explorative_user_env.hard_instances is in explorative_user_env.theory now" in (
        finished.stderr
    )
