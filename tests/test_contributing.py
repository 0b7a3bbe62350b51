"""What CONTRIBUTING and the files beside it say is so."""

import re
import tomllib
from pathlib import Path

from structure import FLOORS, PACKAGE

from explorative_user_env.version import __version__

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def test_the_map_has_every_room_from_the_ground_up() -> None:
    rows = PAGE.split("<!-- map -->")[1].split("<!-- /map -->")[0].strip().splitlines()[2:]
    rooms = [room for row in rows for room in re.findall(r"`(\w+)`", row.split("|")[1])]
    floors = {room: number for number, floor in enumerate(FLOORS) for room in floor}
    assert set(rooms) == set(floors) - {"__main__", "__init__"}
    assert [floors[room] for room in rooms] == sorted(floors[room] for room in rooms)


def test_every_file_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`([\w./]+/[\w.]*|\.?[\w/]+\.(?:py|toml|md))`", PAGE))
    named = {name for name in named if "NAME" not in name}
    assert len(named) > 10
    for name in named:
        assert any((folder / name).exists() for folder in (ROOT, ROOT / "explorative_user_env")), (
            name
        )


def test_a_list_that_a_step_names_is_in_its_file() -> None:
    steps = re.findall(r"^\d\. `([\w/]+\.py)`: (.*?)(?=^\d\. |^$)", PAGE, flags=re.M | re.S)
    lists = {(file, name) for file, words in steps for name in re.findall(r"`([A-Z_]+)`", words)}
    assert {("agents/__init__.py", "ALGORITHMS"), ("tests/other_users.py", "KINDS")} <= lists
    for file, name in lists:
        path = next(each for each in (ROOT / file, ROOT / PACKAGE / file) if each.exists())
        assert re.search(rf"^{name}\b.* =", path.read_text(encoding="utf-8"), flags=re.M), name


def test_the_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_the_version_of_the_citation_is_the_package_s() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", citation, flags=re.MULTILINE) == [__version__]
    news = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", news, flags=re.MULTILINE)[0] == __version__


def test_the_oldest_libraries_of_ci_are_those_that_are_promised() -> None:
    pinned = (ROOT / ".ci" / "oldest.txt").read_text(encoding="utf-8")
    oldest = dict(re.findall(r"^([\w-]+)==([\d.]+)\.\*$", pinned, flags=re.MULTILINE))
    needed = PROJECT["dependencies"]
    parts = ("course", "play", "plot", "render", "rl", "video")
    promised = {*needed, *(each for extra in parts for each in EXTRAS[extra])}
    # pygame-ce is pygame by another name, and cannot stand beside it.
    kept = (each for each in promised if not each.startswith("pygame-ce"))
    wanted = {re.split(">=|,|;", each)[0]: re.split(">=|,|;", each)[1] for each in kept}
    assert {name: oldest[name].removesuffix(".0") for name in wanted} == {
        name: version.removesuffix(".0") for name, version in wanted.items()
    }
