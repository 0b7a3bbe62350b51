"""The built wheel, which must live beside another package that has a top-level `agents`."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names in a wheel built from a copy of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "explorative_user_env", "agents"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, symlinks=True)
        else:
            shutil.copy(ROOT / name, source / name)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, source],
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    return zipfile.ZipFile(wheel).namelist()


def test_the_wheel_has_no_top_level_agents(wheel_names: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel_names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"explorative_user_env"}


def test_the_wheel_has_the_agents_the_data_and_the_type_marker(wheel_names: list[str]) -> None:
    for name in ("agents/bair.py", "agents/divergence.py", "data/table2_alpha1.csv", "py.typed"):
        assert f"explorative_user_env/{name}" in wheel_names


def test_the_wheel_has_every_module_of_the_checkout(wheel_names: list[str]) -> None:
    package = ROOT / "explorative_user_env"
    modules = {
        *(path.relative_to(package) for path in package.glob("**/*.py")),
        *(path.relative_to(ROOT) for path in ROOT.glob("agents/*.py")),
    }
    missing = {f"explorative_user_env/{module.as_posix()}" for module in modules} - set(wheel_names)
    assert missing == set()


def test_no_file_of_the_wheel_is_a_link(wheel_names: list[str]) -> None:
    assert not any(name.rstrip("/").endswith("explorative_user_env/agents") for name in wheel_names)
