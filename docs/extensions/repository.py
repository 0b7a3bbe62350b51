"""Pages that stand elsewhere in the repository, put into the site as they are, with their links."""

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

from extensions import source
from extensions.places import fill

_log = logging.getLogger(__name__)

DOCS = source.ROOT / "docs"

KIND = "from-repository"

_ASKED = re.compile(rf"^```\{{{KIND}\}} (\S+)\n```$", flags=re.MULTILINE)
_WORDS = r"(?:[^\[\]`]|`[^`]*`|\[[^\]]*\])*"
_LINK = re.compile(rf"(?P<code>`+[^`]+`+)|(!?)\[({_WORDS})\]\(([^)\s]+)\)")
"""A link, or code, within which nothing is one."""

_BLOCK = re.compile(r"(^```.*?^```$)", flags=re.MULTILINE | re.DOTALL)


@functools.cache
def pages() -> dict[Path, Path]:
    """Return the page of the site for each file that one shows whole."""
    found = {source.ROOT / "README.md": DOCS / "index.md"}
    for page in sorted(DOCS.rglob("*.md")):
        for place in _ASKED.finditer(page.read_text(encoding="utf-8")):
            found[source.ROOT / place[1]] = page
    return found


def relinked(text: str, file: Path, page: Path, known: dict[Path, Path] | None = None) -> str:
    """Return Markdown of a file with links that lead from a page to where they led from the file.

    Args:
        text: what stands in the file.
        file: where it stands.
        page: where it is shown.
        known: by file, the pages of the site; others are what is to be downloaded.
    """
    shown = pages() if known is None else known

    def leads(link: re.Match[str]) -> str:
        if link["code"]:
            return link[0]
        picture, words, target = link.groups()[1:]
        path, _, part = target.partition("#")
        if not path or re.match(r"[a-z][a-z0-9+.-]*:", path):
            return link[0]
        meant = Path(os.path.normpath(file.parent / path))
        if meant.is_dir():
            return words  # a site has no folders to look at
        if not meant.exists():
            _log.warning("%s leads to %s, which is not there", file, target)
        to = os.path.relpath(shown.get(meant, meant), page.parent)
        return f"{picture}[{words}]({Path(to).as_posix()}{'#' + part if part else ''})"

    parts = _BLOCK.split(text)  # every second one is code
    return "".join(part if n % 2 else _LINK.sub(leads, part) for n, part in enumerate(parts))


def without_gap(text: str) -> str:
    """Return Markdown whose headings, if they leave out the second level, are one higher."""
    parts = _BLOCK.split(text)
    if any(re.search(r"^## ", part, flags=re.MULTILINE) for part in parts[::2]):
        return text
    raised = (re.sub(r"^##(#+ )", r"#\1", part, flags=re.MULTILINE) for part in parts[::2])
    parts[::2] = raised
    return "".join(parts)


def page(env: Any, docname: str, name: str) -> Iterator[str]:
    """Yield what stands in a file of the repository."""
    file = source.ROOT / name
    text = without_gap(file.read_text(encoding="utf-8"))
    yield relinked(text, file, DOCS / f"{docname}.md")


def relink(app: Sphinx, docname: str, text: list[str]) -> None:
    """Let a page that leads to a file lead to the page of the site that shows it, if one does."""
    page = app.env.doc2path(docname)
    if page.suffix == ".md":
        text[0] = relinked(text[0], Path(page), Path(page))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the place, and what is done to links."""
    app.connect("source-read", relink, priority=100)  # before anything is put into a page
    fill(app, KIND, page, lambda: pages())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
