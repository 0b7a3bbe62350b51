"""Imports run one way, agents cannot see a user, and importing the package stays light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "explorative_user_env"

LEVELS = {
    "validation": 0,
    "protocol": 1,
    "many": 1,
    "seeding": 1,
    "files": 1,
    "tasks": 1,
    "display": 1,
    "users": 2,
    "loop": 2,
    "agents": 2,
    "settings": 3,
    "rendering": 3,
    "compiled": 3,
    "theory": 3,
    "results": 3,
    "envs": 4,
    "wrappers": 5,
    "monitors": 5,
    "evaluation": 6,
    "rl": 7,
    "studies": 7,
    "commands": 8,
    "cli": 9,
    "__main__": 10,
}


def room(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return "agents" if relative.parts[0] == "agents" else relative.with_suffix("").parts[1]


def imports(path: Path) -> Iterator[str]:
    """The rooms of our own that a file imports from, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            parts = node.module.split(".")
            if parts[0] == "explorative_user_env":
                yield from parts[1:2] or [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                if parts[0] == "explorative_user_env":
                    yield from parts[1:2]


FILES = sorted(
    path
    for path in [*PACKAGE.glob("*.py"), *PACKAGE.glob("[!a_]*/*.py"), *ROOT.glob("agents/*.py")]
    # tasks.py still makes environments; what does goes to wrappers/ next.
    if path not in (PACKAGE / "__init__.py", PACKAGE / "tasks.py")
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    here = room(path)
    for other in imports(path):
        assert other == here or LEVELS[other] < LEVELS[here], f"{here} imports {other}"


@pytest.mark.parametrize("path", sorted(ROOT.glob("agents/*.py")), ids=lambda path: path.name)
def test_an_agent_cannot_import_a_user(path: Path) -> None:
    assert set(imports(path)) <= {"protocol", "validation"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 300


HEAVY = (
    "numba",
    "llvmlite",
    "pandas",
    "scipy",
    "joblib",
    "matplotlib",
    "torch",
    "stable_baselines3",
    "sb3_contrib",
    "rich",
    "typer",
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
    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "[]"
