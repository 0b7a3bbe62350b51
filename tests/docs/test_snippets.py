"""Every block of every page does what the page says, from top to bottom."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from snippets import blocks_of, follow
from typer import rich_utils

from explorative_user_env.users import confidence, others, reward_laws

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if "_build" not in page.parts
    and any(block.not_run is None for block in blocks_of(page.read_text("utf-8")))
]


def name_of_page(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture
def as_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A new folder and session; what is registered or imported there ends with it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(rich_utils, "FORCE_TERMINAL", None)
    for registry, name in (
        (others, "_BEHAVIOURS"),
        (confidence, "_SCHEDULES"),
        (reward_laws, "_REWARD_LAWS"),
    ):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        file = getattr(sys.modules[name], "__file__", None)
        if file and tmp_path in Path(file).parents:
            del sys.modules[name]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=name_of_page)
def test_a_page_does_what_it_says(
    page: Path, as_a_reader: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking = follow(page, as_a_reader, capsys)
    if lacking:
        pytest.skip("; ".join(lacking))
