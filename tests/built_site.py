"""The documentation site as it is built, and what its pages hold."""

import functools
import re
import subprocess
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = "explorative_user_env"

NEEDS = ("sphinx", "furo", "latex2mathml", "myst_nb", "sphinx_copybutton")
"""What the extra `docs` brings."""


class Built(NamedTuple):
    """A site, or what is there of one that could not be built.

    Attributes:
        folder: where its pages are.
        code: the exit code of the build.
        warnings: what it warned of, a line each.
    """

    folder: Path
    code: int
    warnings: list[str]

    def page(self, name: str) -> "Page":
        """Return a page by its name, without ending."""
        return page_of(self.folder / f"{name}.html")

    def pages(self) -> dict[Path, "Page"]:
        """Return every page by its file."""
        return {path: page_of(path) for path in sorted(self.folder.rglob("*.html"))}

    def lost_links(self) -> list[str]:
        """Return the links and parts within the site that are not there, with their pages."""
        pages, lost = self.pages(), []
        for path, page in pages.items():
            for link in [*page.links, *page.parts]:
                target, _, part = unquote(link).partition("#")
                if re.match(r"[a-z][a-z0-9+.-]*:", target):
                    continue
                there = (path.parent / target.partition("?")[0]).resolve() if target else path
                there = there / "index.html" if there.is_dir() else there
                known = pages.get(there)
                if not there.is_file() or (part and known and part not in known.ids):
                    lost.append(f"{path.relative_to(self.folder)}: {link}")
        return lost


def build(docs: Path, folder: Path, packages: Path = ROOT) -> Built:
    """Build a site by the command that people are told, without the colours it has under CI."""
    for module in NEEDS:
        pytest.importorskip(module, reason="the site needs the extra docs")
    command = (sys.executable, *["-m", "sphinx", "-W", "-n", "--keep-going", "-q", "--no-color"])
    finished = subprocess.run(
        [*command, docs, folder],
        capture_output=True,
        text=True,
        check=False,
        cwd=packages,
    )
    lines = filter(str.strip, finished.stderr.splitlines())
    own = [line for line in lines if not re.search(r"IPKernelApp|traitlets", line)]  # of kernels
    return Built(folder, finished.returncode, own)


class Page(HTMLParser):
    """What a page links to, what can be linked to in it, and its words."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []  # where readers may go
        self.parts: list[str] = []  # what the page is made of: styles, scripts, pictures
        self.words: list[str] = []
        self.n_formulas = 0

    @property
    def text(self) -> str:
        """The words of the page, one space between them."""
        return " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take in an element."""
        known = {name: value or "" for name, value in attrs}
        self.ids += [known["id"]] if "id" in known else []
        self.n_formulas += tag == "math"
        if tag == "a" and "href" in known:
            self.links.append(known["href"])
        elif tag == "link" and known.get("rel") in ("stylesheet", "icon"):
            self.parts.append(known["href"])
        elif tag in ("img", "script", "iframe", "source") and "src" in known:
            self.parts.append(known["src"])

    def handle_data(self, data: str) -> None:
        """Take in words."""
        self.words.append(data)


@functools.cache
def page_of(path: Path) -> Page:
    """Return what stands in a file, which is read once."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def inventory(folder: Path) -> dict[str, list[str]]:
    """Return the kinds and addresses of every name that a site explains, by the name."""
    content = (folder / "objects.inv").read_bytes().split(b"\n", 4)[4]
    found: dict[str, list[str]] = {}
    for line in zlib.decompress(content).decode().splitlines():
        name, kind, _, address, _ = line.split(" ", 4)
        if kind.startswith("py:"):
            found.setdefault(name, []).append(f"{kind} {address}")
    return found
