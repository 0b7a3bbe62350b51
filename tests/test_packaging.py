"""The built wheel, beside another package with a top-level `agents`, and what it needs."""

import json
import re
import shutil
import stat
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from processes import python

from explorative_user_env.teach import LESSONS
from explorative_user_env.teach.notebooks import FIGURES
from explorative_user_env.validation import how_to_get
from explorative_user_env.version import __version__

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "explorative_user_env"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
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


def test_the_wheel_has_all_of_the_package_and_its_agents_and_nothing_beside_it(wheel):
    names = wheel.namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"explorative_user_env"}
    assert not any(stat.S_ISLNK(file.external_attr >> 16) for file in wheel.infolist())
    kinds = {".csv", ".json", ".zip", ".css", ".html", ".js", ".svg", ".py"}
    files = [path for path in PACKAGE.rglob("*") if path.suffix in kinds]
    assert {path.suffix for path in files} == kinds
    wanted = {path.relative_to(ROOT).as_posix() for path in (*files, PACKAGE / "py.typed")}
    wanted |= {f"explorative_user_env/agents/{path.name}" for path in ROOT.glob("agents/*.py")}
    folder = f"{PACKAGE.name}/teach/sources/"
    wanted |= {
        folder + name for name in (FIGURES, "hints.json", *(f"{each.name}.py" for each in LESSONS))
    }
    assert wanted - {*names} == set()


def test_the_wheel_needs_no_numba_in_a_browser_and_installs_the_command(wheel):
    names = [name for name in wheel.namelist() if ".dist-info/" in name]
    about = {Path(name).name: wheel.read(name).decode() for name in names}
    told = re.findall("^Requires-Dist: (.+)$", about["METADATA"], flags=re.MULTILINE)
    needed = [each for each in map(Requirement, told) if "extra ==" not in str(each.marker)]
    assert "numba" in {each.name for each in needed}
    for place, missing in (("linux", set()), ("emscripten", {"numba"})):
        here = {"sys_platform": place}
        gone = {each.name for each in needed if each.marker and not each.marker.evaluate(here)}
        assert gone == missing
    command = "[console_scripts] explorative-user = explorative_user_env.commands:main"
    assert about["entry_points.txt"].split() == command.split()


def test_a_checkout_without_links_finds_the_agents_beside_the_package(tmp_path):
    # As Git leaves it on some Windows: a file with the link's target in the link's place.
    shutil.copytree(PACKAGE, tmp_path / PACKAGE.name, ignore=lambda *_: ["agents", "__pycache__"])
    (tmp_path / PACKAGE.name / "agents").write_text("../agents")
    shutil.copytree(ROOT / "agents", tmp_path / "agents")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import explorative_user_env as eu"
    finished = python("-c", f"{code}; print(eu.__file__, eu.agents.BAIR())", folder=tmp_path)
    assert finished.stdout == f"{tmp_path / PACKAGE.name / '__init__.py'} BAIR()\n", finished.stderr


def test_the_version_of_the_citation_and_the_changelog_is_the_package_s():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", citation, flags=re.MULTILINE) == [__version__]
    news = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", news, flags=re.MULTILINE)[0] == __version__


# Prints what is found without the libraries, then the code and the output of each command.
PROGRAM = """
import contextlib, io, json, sys

sys.modules.update(stable_baselines3=None, sb3_contrib=None)  # as where they are not installed
import explorative_user_env as eu
from explorative_user_env import commands

agents = [eu.PolicyAgent(lambda observation: 0), "UCB1"]
results = eu.evaluate(agents, task="regret", horizon=20, n_instances=3, compiled=False)
found = [len(results.runs), "torch" in sys.modules]
try:
    import explorative_user_env.rl
except ImportError as error:
    found.append(str(error))
for words in ("train --output model", "bench --agent sb3:x --output found", "train --help"):
    sys.argv = ["explorative-user", *words.split()]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            commands.main()
        except SystemExit as stop:
            found.append([stop.code, out.getvalue(), err.getvalue()])
print(json.dumps(found))
"""


def test_without_stable_baselines3_all_else_works_and_one_line_says_how_to_get_it(tmp_path):
    finished = python("-c", PROGRAM, folder=tmp_path)
    assert finished.returncode == 0, finished.stderr
    *found, (code, told, refused) = json.loads(finished.stdout)
    line = f"reinforcement learning needs stable-baselines3 and sb3-contrib: {how_to_get('rl')}"
    assert found == [6, False, line, [2, "", f"error: {line}\n"], [2, "", f"error: {line}\n"]]
    assert list(tmp_path.iterdir()) == []
    assert (code, refused) == (0, "")
    assert "recurrent-ppo" in told
