"""The site: built without a warning, with no link to nowhere and no answers of the course."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote

import pytest

from explorative_user_env.teach import LESSONS

ROOT = Path(__file__).parents[2]


class Page(HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self, path):
        super().__init__()
        self.ids = []
        self.links = []  # where readers may go
        self.parts = []  # what the page is made of: styles, scripts, pictures
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        known = {name: value or "" for name, value in attrs}
        self.ids += [known["id"]] if "id" in known else []
        if tag == "a" and "href" in known:
            self.links.append(known["href"])
        elif tag == "link" and known.get("rel") in ("stylesheet", "icon"):
            self.parts.append(known["href"])
        elif tag in ("img", "script", "iframe", "source") and "src" in known:
            self.parts.append(known["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built by the command that people are told."""
    for module in ("sphinx", "furo", "latex2mathml", "myst_nb", "sphinx_copybutton"):
        pytest.importorskip(module, reason="the site needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    command = (sys.executable, "-m", "sphinx", "-Wnq", "--keep-going", "--no-color", "docs", folder)
    finished = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    lines = filter(str.strip, finished.stderr.splitlines())
    # Kernels say something of their own.
    assert [line for line in lines if not re.search(r"IPKernelApp|traitlets", line)] == []
    assert finished.returncode == 0
    return folder


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


@pytest.mark.exhaustive
def test_public_names_have_docstrings_and_the_tables_of_the_paper_are_made(monkeypatch):
    pytest.importorskip("latex2mathml", reason="the site needs the extra docs")
    from extensions import pages, reference
    from extensions.formulas import FormulaError, markup

    told = []
    log = SimpleNamespace(warning=lambda *words: told.append(words))
    monkeypatch.setattr(reference, "_log", log)
    for page in reference.PAGES.glob("*.md"):
        for place in reference._ROOM.findall(page.read_text(encoding="utf-8")):
            assert len([*reference.page(None, "", place)]) > 5
    assert told == []
    assert len([*pages.theory(None, "", "")]) == 2 + len(pages.rows("theory"))
    assert "<msub>" in markup(r"\rho_t")
    with pytest.raises(FormulaError, match="is not understood"):
        markup(r"\nosuch")


@pytest.mark.exhaustive
def test_every_link_leads_somewhere_and_pages_are_read_without_a_network(pages):
    lost = []
    for path, page in pages.items():
        assert [part for part in page.parts if part.startswith(("http:", "https:", "//"))] == []
        for link in (*page.links, *page.parts):
            target, _, part = unquote(link).partition("#")
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            there = (path.parent / target.partition("?")[0]).resolve() if target else path
            there = there / "index.html" if there.is_dir() else there
            known = pages.get(there)
            if not there.is_file() or (part and known and part not in known.ids):
                lost.append(f"{path}: {link}")
    assert sum(len(page.links) for page in pages.values()) > 2000
    assert lost == []


@pytest.mark.exhaustive
def test_the_notebooks_come_with_their_pictures_and_without_their_answers(site, pages):
    for lesson in LESSONS:
        page = pages[site / "course" / "notebooks" / f"{lesson.name}.html"]
        assert any("_images/" in part for part in page.parts)
    assert not list(site.glob("course/solutions/*"))
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert '"4. BAIR, step by step, with answers"' not in index
