"""Places in pages where the build puts text, with headings and all, that nobody has to write.

A place is a block of three lines, "```{kind} what", and "```" with nothing between them. It is no
directive of Sphinx, as what those bring has no headings that contents could list.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

Lines = Callable[[Any, str, str], Iterable[str]]
"""Of the build, the page's name and what is asked for: the lines that come there."""

_PLACE = re.compile(r"^```\{([a-z-]+)\}(?: (\S+))?\n```$", flags=re.MULTILINE)


def fill(app: Sphinx, kind: str, lines: Lines, sources: Callable[[], Iterable[Path]]) -> None:
    """Put lines into every place of a kind.

    Args:
        app: the build.
        kind: what the place is called.
        lines: what comes there.
        sources: the files that it is made of: pages are made anew when one changes.
    """

    def put_in(app: Sphinx, docname: str, text: list[str]) -> None:
        def told(place: re.Match[str]) -> str:
            if place[1] != kind:
                return place[0]
            for path in sources():
                app.env.note_dependency(str(path), docname=docname)
            return "\n".join(lines(app.env, docname, place[2] or ""))

        text[0] = _PLACE.sub(told, text[0])

    app.connect("source-read", put_in)
