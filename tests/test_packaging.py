"""The built wheel, which must live beside another package that has a top-level `agents`."""

import shutil
import stat
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from processes import python

from explorative_user_env.teach import LESSONS
from explorative_user_env.teach.notebooks import FIGURES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "explorative_user_env"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """A wheel built from a copy of the checkout, with the setuptools of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("explorative_user_env", "agents", "examples/course"):
        shutil.copytree(ROOT / name, source / name, symlinks=True)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    options = ["--wheel", "--no-isolation", "--outdir", str(folder)]
    finished = python("-m", "build", *options, str(source), folder=folder)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built)


def test_all_that_it_needs_but_numba_it_needs_in_a_browser_too(wheel: zipfile.ZipFile) -> None:
    (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    lines = wheel.read(metadata).decode().splitlines()
    told = [line.partition(": ")[2] for line in lines if line.startswith("Requires-Dist: ")]
    needed = [each for each in map(Requirement, told) if "extra ==" not in str(each.marker)]
    assert "numba" in {each.name for each in needed}
    for place, missing in (("linux", set()), ("emscripten", {"numba"})):
        here = {"sys_platform": place}
        gone = {each.name for each in needed if each.marker and not each.marker.evaluate(here)}
        assert gone == missing


def test_the_wheel_has_no_top_level_agents(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"explorative_user_env"}


def test_the_wheel_has_the_agents_the_data_and_the_type_marker(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    for name in (
        "agents/bair.py",
        "agents/optimal_weights.py",
        "data/table2_alpha1.csv",
        "py.typed",
    ):
        assert f"explorative_user_env/{name}" in names
    kinds = {".csv", ".json", ".zip"}
    data = [path for path in (PACKAGE / "data").rglob("*") if path.suffix in kinds]
    assert {path.suffix for path in data} == kinds
    missing = {path.relative_to(ROOT).as_posix() for path in data} - {*names}
    assert missing == set()


def test_the_wheel_has_what_pages_are_made_of(wheel: zipfile.ZipFile) -> None:
    kinds = {".css", ".html", ".js", ".svg"}
    parts = [path for path in PACKAGE.rglob("*") if path.suffix in kinds]
    assert {path.suffix for path in parts} == kinds
    missing = {path.relative_to(ROOT).as_posix() for path in parts} - {*wheel.namelist()}
    assert missing == set()


def test_the_wheel_has_the_sources_of_the_notebooks(wheel: zipfile.ZipFile) -> None:
    folder = f"{PACKAGE.name}/teach/sources/"
    files = {name.removeprefix(folder) for name in wheel.namelist() if name.startswith(folder)}
    assert files == {FIGURES, *(f"{lesson.name}.py" for lesson in LESSONS)}


def test_the_wheel_has_every_module_of_the_checkout(wheel: zipfile.ZipFile) -> None:
    modules = {
        *(path.relative_to(PACKAGE) for path in PACKAGE.glob("**/*.py")),
        *(path.relative_to(ROOT) for path in ROOT.glob("agents/*.py")),
    }
    assert len(modules) > 100
    names = {f"explorative_user_env/{module.as_posix()}" for module in modules}
    assert names - {*wheel.namelist()} == set()


def test_no_file_of_the_wheel_is_a_link(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert not any(name.rstrip("/").endswith("explorative_user_env/agents") for name in names)
    assert not any(stat.S_ISLNK(file.external_attr >> 16) for file in wheel.infolist())


def test_the_wheel_installs_the_command(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    lines = wheel.read(name).decode().split()
    assert lines == [
        "[console_scripts]",
        "explorative-user",
        "=",
        "explorative_user_env.commands:main",
    ]


def test_a_checkout_without_links_finds_the_agents_beside_the_package(tmp_path: Path) -> None:
    # As Git leaves it on some Windows: a file with the link's target in the link's place.
    shutil.copytree(PACKAGE, tmp_path / PACKAGE.name, ignore=lambda *_: ["agents", "__pycache__"])
    (tmp_path / PACKAGE.name / "agents").write_text("../agents")
    shutil.copytree(ROOT / "agents", tmp_path / "agents")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import explorative_user_env as eu"
    finished = python("-c", f"{code}; print(eu.__file__, eu.agents.BAIR())", folder=tmp_path)
    assert finished.stdout == f"{tmp_path / PACKAGE.name / '__init__.py'} BAIR()\n", finished.stderr
