"""What is to be cited stands in CITATION.cff, and the page says the same."""

import re
from pathlib import Path

from explorative_user_env.version import __version__

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")
PAPER = (ROOT / "CITATION.cff").read_text(encoding="utf-8").split("preferred-citation:")[1]


def stated(name: str) -> str:
    found = re.search(rf'^ *{name}: "?([^"\n]+)"?$', PAPER, flags=re.MULTILINE)
    assert found is not None, name
    return found[1]


def test_the_bibtex_entry_is_the_citation() -> None:
    entry = dict(re.findall(r"(\w+) += \{(.*)\}", PAGE))
    names = {"title": "title", "booktitle": "collection-title", "volume": "volume"}
    names |= {"number": "issue", "year": "year", "doi": "doi"}
    assert {name: entry[name] for name in names} == {
        name: stated(place) for name, place in names.items()
    }
    assert entry["pages"] == f"{stated('start')}--{stated('end')}"
    family, given = (re.findall(rf"{kind}-names: (\S+)", PAPER) for kind in ("family", "given"))
    authors = [f"{last}, {first}" for last, first in zip(family, given, strict=True)]
    assert entry["author"] == " and ".join(authors)


def test_pages_name_this_version() -> None:
    for page in ("cite.md", "how_to/publish_a_number.md"):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        assert re.findall(r"explorative-user-env (\d\S*\d)", text) == [__version__], page
