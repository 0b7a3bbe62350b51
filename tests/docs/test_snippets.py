"""Every block of every page does what the page says, from top to bottom."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from snippets import blocks_of, follow
from typer import rich_utils

from explorative_user_env.users import behaviours as others
from explorative_user_env.users import model as confidence
from explorative_user_env.users import model as reward_laws

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
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path.parent / "jupyter"))
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


def written(folder: Path, *lines: str) -> Path:
    page = folder / "page.md"
    page.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return page


PRINTING = ["```python", "print('one')", "print('two')", "print('three')", "```", "", "```text"]


def test_what_a_page_shows_is_held_against_what_is_printed(
    as_a_reader: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert follow(written(as_a_reader, *PRINTING, "one", "...", "```"), as_a_reader, capsys) == []
    for shown in (["one"], ["one", "two"], ["one", "...", "two"], ["...", "four"]):
        with pytest.raises(AssertionError, match=r"page.md:\d+ shows"):
            follow(written(as_a_reader, *PRINTING, *shown, "```"), as_a_reader, capsys)


def test_a_file_of_a_page_is_there_for_its_commands(
    as_a_reader: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = ["```python", "# nobody.py", "class Nobody:", "    pass", "```"]
    check = ["```sh", "explorative-user check nobody:Nobody", "```"]
    with pytest.raises(AssertionError, match="nobody:Nobody"):
        follow(written(as_a_reader, *agent, *check), as_a_reader, capsys)
    assert (as_a_reader / "nobody.py").exists()


def test_a_block_is_run_unless_the_page_says_why_not(
    as_a_reader: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failing = ["```python", "raise ValueError('it was run')", "```"]
    with pytest.raises(ValueError, match="it was run"):
        follow(written(as_a_reader, *failing), as_a_reader, capsys)
    follow(written(as_a_reader, "<!-- not run: it fails -->", *failing), as_a_reader, capsys)
    with pytest.raises(AssertionError, match="no reason"):
        follow(written(as_a_reader, "```python no-run", *failing[1:]), as_a_reader, capsys)
    with pytest.raises(AssertionError, match="say why make is not run"):
        follow(written(as_a_reader, "```sh", "make", "```"), as_a_reader, capsys)


def test_what_is_shown_may_begin_with_a_space(
    as_a_reader: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printing = ["```python", "print('  a  b')", "```", "", "```text"]
    assert follow(written(as_a_reader, *printing, "  a  b", "```"), as_a_reader, capsys) == []


def test_a_block_within_a_list_is_run_as_well(
    as_a_reader: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = written(as_a_reader, "- a point:", "", "  ```python", "  raise KeyError(1)", "  ```")
    with pytest.raises(KeyError):
        follow(page, as_a_reader, capsys)


def test_what_is_optional_may_be_missing_and_is_said(
    as_a_reader: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    page = written(as_a_reader, "```python", "import torch", "```")
    (lacking,) = follow(page, as_a_reader, capsys)
    assert "torch" in lacking
