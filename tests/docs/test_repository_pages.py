"""Pages of the repository in the site: their links lead where they led."""

from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the pages are part of the site")

from extensions.pages import relinked
from extensions.pages import shown as pages

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("a/page.md", "a/other.md", "a/code.py", "docs/shown.md", "docs/other.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("[it](other.md)", "[it](other.md)"),  # the site shows it
        ("[it](other.md#part)", "[it](other.md#part)"),
        ("[`it`](code.py)", "[`it`](../a/code.py)"),  # it does not
        ("![of [it]](code.py)", "![of [it]](../a/code.py)"),
        ("[all](../a)", "all"),  # a site has no folders
        ("[far](https://example.org/a.md)", "[far](https://example.org/a.md)"),
        ("[here](#part)", "[here](#part)"),
        ("`[no](code.py)` and `a[0](x)`", "`[no](code.py)` and `a[0](x)`"),
        ("```text\n[no](code.py)\n```", "```text\n[no](code.py)\n```"),
    ],
)
def test_links_lead_where_they_led(place: Path, text: str, there: str) -> None:
    known = {place / "a/other.md": place / "docs/other.md"}
    assert relinked(text, place / "a/page.md", place / "docs/shown.md", known) == there


def test_the_site_shows_what_the_repository_has_measured() -> None:
    listed = {path.relative_to(ROOT).as_posix() for path in pages()}
    own = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("examples/*.md")}
    assert own | {"CHANGELOG.md", "CONTRIBUTING.md", "examples/reproduction/report.md"} <= listed
