"""Imports run one way, every name has one home, files stay small, and the import stays light."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import structure
from structure import FLOORS

ROOT = Path(__file__).parents[1]


def test_every_room_has_its_floor() -> None:
    assert structure.strangers(ROOT, FLOORS) == []


def test_imports_point_down() -> None:
    assert len(structure.all_imports(ROOT)) > 400  # there are some to look at
    assert structure.arrows_up(ROOT, FLOORS) == []


def test_no_module_comes_back_to_itself() -> None:
    assert structure.circles(ROOT) == []


def test_an_agent_cannot_import_a_user() -> None:
    known = {
        structure.room_of(imported)
        for importer, imported in structure.all_imports(ROOT)
        if structure.room_of(importer) == "agents"
    }
    assert known - {"agents"} == {"protocol", "validation"}


def test_every_room_and_public_name_is_explained() -> None:
    assert structure.without_docstring(ROOT) == []


@pytest.fixture
def house(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Build a small package; each file has a first line unless it has a text of its own."""

    def build(texts: dict[str, str]) -> Path:
        usual = {f"{structure.PACKAGE}/{room}/__init__.py": "" for room in ("low", "high")}
        usual |= {f"{structure.PACKAGE}/__init__.py": "", "agents/__init__.py": ""}
        for name, text in {**usual, **texts}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text or '"""What it is."""\n')
        return tmp_path

    return build


SMALL = (("low",), ("high", "agents"), ("__init__",))
House = Callable[[dict[str, str]], Path]
LOW, HIGH = (f"{structure.PACKAGE}/{room}" for room in ("low", "high"))


def test_nothing_is_wrong_with_a_small_house(house: House) -> None:
    root = house({f"{HIGH}/a.py": f'"""A."""\n\nfrom {structure.PACKAGE}.low import __doc__\n'})
    assert structure.strangers(root, SMALL) == []
    assert structure.arrows_up(root, SMALL) == structure.circles(root) == []
    assert structure.without_docstring(root) == []


@pytest.mark.parametrize(
    "line",
    [
        "from explorative_user_env.high import a",
        "from explorative_user_env.high.a import thing",
        "import explorative_user_env.high.a",
        "from explorative_user_env import high",
        "from ..high.a import thing",
        "from .. import high",
        "def later():\n    from explorative_user_env.high.deep.b import thing",
        "if TYPE_CHECKING:\n    from ...high import a",
    ],
)
@pytest.mark.parametrize("place", ["a.py", "deep/b.py"])
def test_an_arrow_up_is_found_however_it_is_written(house: House, line: str, place: str) -> None:
    if place == "deep/b.py":
        line = line.replace("from ..", "from ...") if "TYPE" not in line else line
    elif "TYPE" in line:
        line = line.replace("from ...", "from ..")
    texts = {f"{HIGH}/a.py": "", f"{HIGH}/deep/b.py": "", f"{HIGH}/deep/__init__.py": ""}
    root = house(
        {**texts, f"{LOW}/deep/__init__.py": "", f"{LOW}/{place}": f'"""A."""\n\n{line}\n'}
    )
    assert len(structure.arrows_up(root, SMALL)) == 1


def test_agents_are_read_where_they_live(house: House) -> None:
    root = house({"agents/one.py": '"""One."""\n\nfrom explorative_user_env.high import a\n'})
    assert structure.arrows_up(root, SMALL) == [
        "explorative_user_env.agents.one imports explorative_user_env.high"
    ]


def test_a_circle_is_found_over_several_files(house: House) -> None:
    ring = {"a": "b", "b": "c", "c": "a"}
    root = house(
        {
            f"{LOW}/{here}.py": f'"""A."""\n\nfrom {structure.PACKAGE}.low.{there} import x\n'
            for here, there in ring.items()
        }
    )
    assert structure.circles(root) == [f"{structure.PACKAGE}.low.{name}" for name in "abc"]


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("x = 1\n", "first line"),
        ('"""No sentence"""\n', "first line"),
        ('"""A."""\n\ndef thing():\n    pass\n', "thing"),
        ('"""A."""\n\nclass Thing:\n    """B."""\n\n    def part(self):\n        pass\n', "part"),
    ],
)
def test_what_nobody_explains_is_found(house: House, text: str, missing: str) -> None:
    root = house({f"{LOW}/a.py": text})
    assert structure.without_docstring(root) == [f"{structure.PACKAGE}.low.a: {missing}"]


def test_a_room_without_a_floor_is_found(house: House) -> None:
    root = house({f"{structure.PACKAGE}/new/__init__.py": ""})
    assert structure.strangers(root, SMALL) == ["new"]
    assert structure.strangers(root, (*SMALL, ("new", "gone"))) == ["gone"]


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
