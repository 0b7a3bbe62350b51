"""Docstrings as the package has them, Markdown with Google's sections, for a page in MyST."""

import re
import textwrap

_FIELDS = {"Args": "param", "Attributes": "ivar", "Raises": "raises"}
_WHOLE = {"Returns": "returns", "Yields": "yields"}
_SECTION = re.compile(rf"^({'|'.join([*_FIELDS, *_WHOLE])}):$", flags=re.MULTILINE)
_ITEM = re.compile(r"^(\*{0,2}[\w.]+): ?(.*)$", flags=re.DOTALL)


class DocstringError(ValueError):
    """A section of a docstring that is not of the form it should have."""


def as_markdown(docstring: str) -> str:
    """Return a docstring whose sections are lists of fields, as directives of Sphinx take them.

    Args:
        docstring: the text, without the indentation of its place.

    Raises:
        DocstringError: for a section whose items are not of the form `name: text`.
    """
    before, *sections = _SECTION.split(docstring)
    parts = [before.strip()]
    for title, text in zip(sections[::2], sections[1::2], strict=True):
        body, after = _body(text)
        parts.append(_field_list(title, body))
        parts.append(after)
    return "\n\n".join(filter(None, parts)) + "\n"


def first_sentence(docstring: str) -> str:
    """Return the first sentence of a docstring, which says what the thing is."""
    return " ".join(docstring.split("\n\n")[0].split())


def _body(text: str) -> tuple[str, str]:
    """Return the indented lines that a section has, and what comes after them."""
    lines = text.strip("\n").split("\n")
    end = next((n for n, line in enumerate(lines) if line[:1].strip()), len(lines))
    return textwrap.dedent("\n".join(lines[:end])).strip(), "\n".join(lines[end:]).strip()


def _field_list(title: str, body: str) -> str:
    if title in _WHOLE:
        return f":{_WHOLE[title]}: {_indented(body)}"
    items = re.split(r"\n(?=\S)", body)
    return "\n".join(_field(title, item) for item in items)


def _field(title: str, item: str) -> str:
    found = _ITEM.match(item)
    if found is None:
        raise DocstringError(f"{title}: an item is `name: text`, not {item!r}")
    name, text = found.groups()
    return f":{_FIELDS[title]} {name}: {_indented(textwrap.dedent(text))}"


def _indented(text: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *(f"    {line.strip()}" if line.strip() else "" for line in rest)])
