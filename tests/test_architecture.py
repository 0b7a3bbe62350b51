"""Imports run one way, and the import stays light."""

import subprocess
import sys
from pathlib import Path

import pytest
from structure import FLOORS, all_imports, modules, room_of

ROOT = Path(__file__).parents[1]


def test_every_room_has_its_floor_and_imports_point_down():
    level = {room: number for number, floor in enumerate(FLOORS) for room in floor}
    assert {room_of(module) for module in modules(ROOT)} == level.keys()
    assert len(all_imports(ROOT)) > 400  # there are some to look at
    up = [
        f"{importer} imports {imported}"
        for importer, imported in all_imports(ROOT)
        if (here := room_of(importer)) != (there := room_of(imported))
        and level[there] >= level[here]
    ]
    assert up == []


def test_an_agent_cannot_import_a_user():
    rooms = {room_of(imported) for here, imported in all_imports(ROOT) if room_of(here) == "agents"}
    assert rooms - {"agents"} == {"protocol", "validation"}


HEAVY = (
    *("numba", "llvmlite", "pandas", "scipy", "joblib", "matplotlib", "PIL", "pygame", "torch"),
    *("stable_baselines3", "sb3_contrib", "rich", "typer"),
    # What only who draws, or lacks something, needs.
    *("explorative_user_env.show.shapes", "explorative_user_env.display.plots"),
    *("html", "importlib.metadata"),
)


STATISTICS = ("scipy.stats", "scipy.optimize", "scipy.special")


@pytest.mark.slow
def test_a_step_loads_nothing_heavy_and_runs_that_are_not_printed_no_statistics():
    script = f"""
import sys, gymnasium
before = set(sys.modules)
import explorative_user_env as eu
env = gymnasium.make(eu.ENV_ID)
env.reset(seed=0)
env.step(0)
print([name for name in {HEAVY} if name in set(sys.modules) - before])
eu.evaluate(['BAIR'], n_arms=2, n_instances=2, compiled=False, progress=False)
print([name for name in {STATISTICS} if name in sys.modules])
"""
    run = [sys.executable, "-c", script]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "[]\n[]\n"
