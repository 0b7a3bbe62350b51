"""The pages of the reference: every public name of a room, from its source."""

import ast
import builtins
import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python._object import PyObject
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from explorative_user_env.envs.registration import ENTRIES
from extensions import source
from extensions.docstrings import as_markdown, first_sentence
from extensions.signatures import annotation, of_method, signature, value
from extensions.source import Definition

_log = logging.getLogger(__name__)

ON_PAGES_OF_THEIR_OWN = {name for each in ENTRIES.values() for name in (each.one, each.many)}
"""What makes the environments: their pages say all of it."""


_DISTINCT = re.compile(r"_|[a-z][A-Z]|[A-Z][A-Z]|^[A-Z][a-z]+$")
"""What makes a name one that no sentence has otherwise."""


class Room(SphinxDirective):
    """`{room} NAME`: what a room is for, a table of its names, and each with all that is said."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the page's content, or say which of the names nobody explains."""
        room = self.arguments[0]
        for path in source.modules(source.ROOT).values():
            self.env.note_dependency(path)
        for name in source.undocumented():
            if name.startswith(f"{room}.") and name.count(".") <= room.count(".") + 2:
                _log.warning("%s is public, and nobody explains it", name)
        rooms_told_of(self.env).add(room)
        return self.parse_text_to_nodes("\n".join(page(room)))


def rooms_told_of(env: Any) -> set[str]:
    """Return the rooms that pages tell of, which the build remembers."""
    if not hasattr(env, "reference_rooms"):
        env.reference_rooms = set()
    return env.reference_rooms  # type: ignore[no-any-return]


def page(room: str) -> Iterator[str]:
    """Yield the lines of a room's page, in MyST."""
    yield from (f":::{{py:module}} {room}", ":::", "", f"`{room}`", "")
    yield source.room_docstring(room)
    yield from ("", "| name | what it is |", "| :--- | :--- |")
    names = sorted(source.rooms()[room], key=str.lower)
    for name in names:
        made = source.definition(room, name)
        said = first_sentence(made.docstring).replace("|", "\\|")
        yield f"| {{py:obj}}`{name} <{source.addresses()[f'{room}.{name}']}>` | {said} |"
    for made in source.homes()[room]:
        if made.name not in ON_PAGES_OF_THEIR_OWN:
            yield ""
            yield from entry(room, made)


def entry(room: str, made: Definition, said: str | None = None) -> Iterator[str]:
    """Yield the lines of one name, in MyST.

    Args:
        room: where it is imported from.
        made: its definition.
        said: what is said of it, where that is not its docstring.
    """
    yield f":::::{{py:{_kind(made)}}} {made.name}{signature(made)}"
    yield f":module: {room}"
    if made.module not in source.rooms():  # whose names stand in a table of their own
        yield f":canonical: {made.module}.{made.name}"
    if value(made):
        yield f":value: {value(made)}"
    yield ""
    yield as_markdown(made.docstring) if said is None else said
    if isinstance(made.node, ast.ClassDef):
        for member in source.members_of(made):
            yield from _member(member)
    yield ":::::"


def _kind(made: Definition) -> str:
    if isinstance(made.node, ast.FunctionDef):
        return "function"
    if isinstance(made.node, ast.ClassDef):
        return "exception" if made.name.endswith("Error") else "class"
    return "data"


def _member(made: Definition) -> Iterator[str]:
    node = made.node
    options = []
    if isinstance(node, ast.FunctionDef):
        marks = {ast.unparse(mark) for mark in node.decorator_list}
        kind, called = "method", of_method(node)
        if "property" in marks or "functools.cached_property" in marks:
            kind, called = "property", ""
            options = [f":type: {annotation(node.returns)}"] if node.returns else []
        options += [f":{mark}:" for mark in ("classmethod", "staticmethod") if mark in marks]
    else:
        assert isinstance(node, ast.AnnAssign)
        kind, called = "attribute", ""
        options = [f":type: {annotation(node.annotation)}"]
    yield ""
    yield f"::::{{py:{kind}}} {made.name}{called}"
    yield from options
    yield from ("", as_markdown(made.docstring), "::::")


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: nodes.Element
) -> nodes.Element | None:
    """Resolve a public name by itself or from any room that has it; types of others stay text."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    address = source.addresses().get(target)
    if address is not None and address != target:
        domain: Any = env.get_domain("py")
        found = domain.resolve_xref(
            env, node.get("refdoc", env.docname), app.builder, "obj", address, node, shown
        )
        return found
    generated = "refwarn" not in node  # from a signature or a list of fields, which mypy has read
    return shown if generated or hasattr(builtins, target) else None


def dashes(app: Sphinx, doctree: nodes.document) -> None:
    """Put a dash between an argument and what is said of it, where Sphinx has two hyphens."""
    for text in [each for each in doctree.findall(nodes.Text) if each == " -- "]:
        text.parent.replace(text, nodes.Text(" – "))


def links(app: Sphinx, doctree: nodes.document) -> None:
    """Let a public name in code lead to what is said of it, unless it is a word as well."""
    known = source.addresses()
    for code in [*doctree.findall(nodes.literal)]:
        name = code.astext().removesuffix("()")
        linked = isinstance(code.parent, nodes.reference | nodes.title | pending_xref)
        if name in known and _DISTINCT.search(name) and not linked:
            wanted = pending_xref("", refdomain="py", reftype="obj", reftarget=known[name])
            code.replace_self(wanted)
            wanted += code


def every_room_has_a_page(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of rooms whose public names stand on no page."""
    for room in sorted({*source.rooms()} - rooms_told_of(env)):
        _log.warning("no page has the public names of %s", room)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive, and the resolver of names."""
    app.add_directive("room", Room)
    for kind in PyObject.doc_field_types:
        if kind.name == "variable":
            kind.label = "Attributes"
    app.connect("missing-reference", resolve)
    app.connect("doctree-read", dashes)
    app.connect("doctree-read", links)
    app.connect("env-check-consistency", every_room_has_a_page)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
