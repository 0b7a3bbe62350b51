"""Every page of words leads somewhere, says what it is for, and is found."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
WRITTEN = sorted([*(DOCS / "tutorials").glob("*.md"), *(DOCS / "how_to").glob("*.md")])
WRITTEN = [
    page
    for page in WRITTEN
    # A page that shows a file of the repository is written there.
    if page.name != "index.md" and "```{from-repository}" not in page.read_text("utf-8")
]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(ROOT.glob("examples/*.md")),
    *sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts),
]


def name_of_page(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def links_of(page: Path) -> list[str]:
    """Where the links and pictures of a page lead, but for those to other sites."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r"\]\(([^)\s]+)\)", prose)
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


@pytest.mark.parametrize("page", PAGES, ids=name_of_page)
def test_links_lead_to_files_as_a_code_host_follows_them(page: Path) -> None:
    files = [target.partition("#")[0] for target in links_of(page)]
    assert [file for file in files if file and not (page.parent / file).exists()] == []


@pytest.mark.parametrize("page", WRITTEN, ids=name_of_page)
def test_a_page_has_one_title_and_says_first_what_it_is_for(page: Path) -> None:
    title, blank, first, *_ = page.read_text("utf-8").splitlines()
    assert title.startswith("# ")
    assert blank == ""
    assert re.match(r"[A-Z]", first), first
    prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert len(re.findall(r"^# ", prose, flags=re.MULTILINE)) == 1


def test_from_the_readme_every_written_page_can_be_reached() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        waiting += [
            (page.parent / target.partition("#")[0]).resolve()
            for target in links_of(page)
            if target.partition("#")[0]
        ]
    own = {*WRITTEN, *(DOCS / f"{name}.md" for name in ("glossary", "cite", "speed", "why"))}
    assert own - reached == set()
