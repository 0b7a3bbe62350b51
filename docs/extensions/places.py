"""Placeholders in pages, which the build replaces by generated Markdown.

A placeholder consists of two lines, "```{kind} argument" and "```". It is not a directive, because
the table of contents would omit the headings in a directive.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from sphinx.application import Sphinx

Lines = Callable[[Any, str, str], Iterable[str]]
"""A function of the build environment, the page's name and the argument that yields lines."""


def fill(app: Sphinx, kind: str, lines: Lines) -> None:
    """Replace all placeholders of a kind; every build reads such pages again."""
    place = re.compile(rf"^```\{{{kind}\}}(?: (\S+))?\n```$", flags=re.MULTILINE)

    def replace(app: Sphinx, docname: str, text: list[str]) -> None:
        if place.search(text[0]):
            app.env.note_reread()
            text[0] = place.sub(lambda it: "\n".join(lines(app.env, docname, it[1] or "")), text[0])

    app.connect("source-read", replace)
