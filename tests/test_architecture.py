"""Imports run one way, and the import stays light."""

import subprocess
import sys
from pathlib import Path

import pytest
import structure

ROOT = Path(__file__).parents[1]


def test_every_room_has_its_floor() -> None:
    assert structure.strangers(ROOT) == []


def test_imports_point_down() -> None:
    assert len(structure.all_imports(ROOT)) > 400  # there are some to look at
    assert structure.arrows_up(ROOT) == []


def test_no_module_comes_back_to_itself() -> None:
    assert structure.circles(ROOT) == []


def test_an_agent_cannot_import_a_user() -> None:
    known = {
        structure.room_of(imported)
        for importer, imported in structure.all_imports(ROOT)
        if structure.room_of(importer) == "agents"
    }
    assert known - {"agents"} == {"protocol", "validation"}


HEAVY = (
    "numba",
    "llvmlite",
    "pandas",
    "scipy",
    "joblib",
    "matplotlib",
    "PIL",
    "pygame",
    "torch",
    "stable_baselines3",
    "sb3_contrib",
    "rich",
    "typer",
    # What only who draws, or lacks something, needs.
    "explorative_user_env.show.shapes",
    "explorative_user_env.display.plots",
    "html",
    "importlib.metadata",
)

STEP_OF_AN_ENVIRONMENT = """
env = gymnasium.make(explorative_user_env.ENV_ID)
env.reset(seed=0)
env.step(0)
"""


@pytest.mark.parametrize("use", ["", STEP_OF_AN_ENVIRONMENT], ids=["import", "step"])
def test_importing_the_package_and_a_step_load_nothing_heavy(use: str) -> None:
    script = (
        "import sys, gymnasium; before = set(sys.modules); import explorative_user_env\n"
        f"{use}\n"
        f"print([name for name in {HEAVY} if name in set(sys.modules) - before])"
    )
    assert _printed(script) == "[]"


def test_runs_that_are_not_printed_load_no_statistics() -> None:
    script = (
        "import sys; from explorative_user_env import evaluate\n"
        "evaluate(['BAIR'], n_arms=2, n_instances=2, progress=False)\n"
        "names = ['scipy.' + room for room in ('stats', 'optimize', 'special')]\n"
        "print([name for name in names if name in sys.modules])"
    )
    assert _printed(script) == "[]"


def _printed(script: str) -> str:
    run = [sys.executable, "-c", script]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip()
