"""Insert generated Markdown into pages; the table of contents would miss a directive's.

A place is a block of two lines, "```{kind} word" and "```".
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from sphinx.application import Sphinx

Lines = Callable[[Any, str, str], Iterable[str]]
"""Called with the build, the page's name and the word of the place; returns its lines."""


def fill(app: Sphinx, kind: str, lines: Lines) -> None:
    """Insert lines into every place of a kind; pages with one are read again in every build."""
    place = re.compile(rf"^```\{{{kind}\}}(?: (\S+))?\n```$", flags=re.MULTILINE)

    def put_in(app: Sphinx, docname: str, text: list[str]) -> None:
        if place.search(text[0]):
            app.env.note_reread()
            text[0] = place.sub(lambda it: "\n".join(lines(app.env, docname, it[1] or "")), text[0])

    app.connect("source-read", put_in)
