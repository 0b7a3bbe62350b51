"""Generate the reference. Autodoc expects reStructuredText; our docstrings are Markdown (MyST)."""

import builtins
import functools
import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python._object import PyObject
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.pycode import ModuleAnalyzer
from sphinx.util import logging
from sphinx.util.inspect import object_description, signature, stringify_signature

from explorative_user_env.envs import ENTRIES
from extensions.places import fill

_log = logging.getLogger(__name__)

PACKAGE = "explorative_user_env"
POINTS = ("entry_point", "vector_entry_point")
PAGES = Path(__file__).parents[1] / "reference"
LONGEST_VALUE = 40
"""Most characters of a default or constant; longer ones are not shown."""

ENVIRONMENTS = {
    name: tuple(
        getattr(import_module(room), kind)
        for room, kind in (entry[point].split(":") for point in POINTS)
    )
    for name, entry in ENTRIES.items()
}
"""The single and the vector class of each environment id; each id has a page."""

_ROOM = re.compile(r"^```\{room\} (\S+)$", flags=re.MULTILINE)
_DISTINCT = re.compile(r"_|[a-z][A-Z]|[A-Z][A-Z]|^[A-Z][a-z]+$")
"""Matches names that cannot be ordinary words, and so may be linked anywhere."""


def public(module: Any) -> list[str]:
    """Return the public names of a module: `__all__`, or all documented names."""
    documented = {name for owner, name in _comments(module.__name__) if not owner}
    documented |= {
        name
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", "") == module.__name__ and getattr(thing, "__doc__", "")
    }
    names = getattr(module, "__all__", [name for name in documented if not name.startswith("_")])
    return sorted(names, key=str.lower)


def _parsed(place: str) -> tuple[str, list[str]]:
    """Return module and names of a placeholder: `module` (all its names) or `module:name,name`."""
    room, _, names = place.partition(":")
    return room, names.split(",") if names else public(import_module(room))


@functools.cache
def homes() -> dict[str, dict[str, Any]]:
    """Return the public names on each module's page; each object is documented on one page."""
    rooms = sorted(each for path in PAGES.glob("*.md") for each in _ROOM.findall(path.read_text()))
    seen: set[tuple[str, int]] = set()
    pages: dict[str, dict[str, Any]] = {}
    for room, names in (_parsed(each) for each in rooms):
        things = {name: getattr(import_module(room), name) for name in names}
        pages[room] = {name: x for name, x in things.items() if (name, id(x)) not in seen}
        seen |= {(name, id(thing)) for name, thing in things.items()}
    for thing in (each for pair in ENVIRONMENTS.values() for each in pair):
        if (thing.__name__, id(thing)) not in seen:
            pages.setdefault(room_of(thing), {})[thing.__name__] = thing
    return pages


def room_of(thing: Any) -> str:
    """Return the module from which readers import an environment class."""
    known = public(import_module(PACKAGE))
    return PACKAGE if thing.__name__ in known else str(thing.__module__)


@functools.cache
def addresses() -> dict[str, str]:
    """Return the link target of each public name: bare, and with each module that has it."""
    targets: dict[str, str] = {}
    for room, things in homes().items():
        for name, thing in things.items():
            places = {name, f"{room}.{name}", f"{_defined_in(name, thing)}.{name}"}
            targets |= dict.fromkeys(places, f"{room}.{name}")
    for room in homes():
        for name in getattr(import_module(room), "__all__", homes()[room]):
            targets.setdefault(f"{room}.{name}", targets.get(name, f"{room}.{name}"))
    return targets


def _defined_in(name: str, thing: Any) -> str:
    """Return the module that defines a public object, or documents a public constant."""
    if inspect.isclass(thing) or inspect.isfunction(thing):
        return str(thing.__module__)
    for module in sorted(each for each in sys.modules if each.startswith(f"{PACKAGE}.")):
        if getattr(sys.modules[module], name, None) is thing and ("", name) in _comments(module):
            return module
    return PACKAGE


@functools.cache
def _comments(module: str) -> dict[tuple[str, str], list[str]]:
    """Return the docstrings below a module's assignments, by class and name."""
    analyzer = ModuleAnalyzer.for_module(module)
    analyzer.analyze()
    return analyzer.attr_docs


def docstring(name: str, thing: Any, owner: Any = None) -> str:
    """Return the docstring of a function or class, or the string below a constant."""
    if inspect.isroutine(thing) or inspect.isclass(thing) or isinstance(thing, property):
        return inspect.getdoc(thing) or ""
    if isinstance(thing, functools.cached_property):
        return inspect.getdoc(thing.func) or ""
    home = owner.__module__ if owner else _defined_in(name, thing)
    key = (owner.__qualname__ if owner else "", name)
    return "\n".join(_comments(home).get(key, ())).strip()


def page(env: Any, docname: str, place: str) -> Iterator[str]:
    """Yield the lines of a module's page: its docstring, a table of its names, and the entries."""
    room, names = _parsed(place)
    module = import_module(room)
    yield from (
        f":::{{py:module}} {room}",
        ":::",
        "",
        f"`{room}`",
        "",
        inspect.getdoc(module) or "",
    )
    yield from ("", "| name | description |", "| :--- | :--- |")
    for name in names:
        first = docstring(name, getattr(module, name)).split("\n\n")[0]
        words = " ".join(first.split()).replace("|", "\\|")
        yield f"| {{py:obj}}`{name} <{addresses()[f'{room}.{name}']}>` | {words} |"
    with_pages = [each for pair in ENVIRONMENTS.values() for each in pair]
    for name, thing in homes()[room].items():
        if thing not in with_pages:
            yield from ("", *entry(room, name, thing))


def entry(room: str, name: str, thing: Any, words: str | None = None) -> Iterator[str]:
    """Yield the lines of one entry; `words` replaces the docstring."""
    kind, options = "function", [f":module: {room}"]
    if inspect.isclass(thing):
        kind = "exception" if issubclass(thing, Exception) else "class"
    elif not inspect.isfunction(thing):
        kind = "data"
        if len(value := object_description(thing)) <= LONGEST_VALUE:
            options.append(f":value: {value}")
    if (home := _defined_in(name, thing)) not in homes() and kind != "data":
        options.append(f":canonical: {home}.{name}")
    words = docstring(name, thing) if words is None else words
    if not words:
        _log.warning("%s.%s is public, and has no docstring", room, name)
    yield from (f":::::{{py:{kind}}} {name}{_called(thing)}", *options, "", _fields(words))
    if inspect.isclass(thing):
        for each, member in vars(thing).items():
            if inspect.isclass(member):
                continue  # a class has an entry of its own
            yield from _member(thing, each, member)
        for each in sorted({each for of, each in _comments(home) if of == thing.__qualname__}):
            if each not in vars(thing):
                yield from _member(thing, each, None)
    yield ":::::"


def _member(owner: Any, name: str, member: Any) -> Iterator[str]:
    static = isinstance(member, staticmethod | classmethod)
    function = member.__func__ if static else member
    words = docstring(name, function, owner)
    if name.startswith("_"):
        return
    if inspect.isfunction(function):
        kind, called = "method", _called(function, bound=not isinstance(member, staticmethod))
        options = [f":{type(member).__name__}:"] if static else []
        if not words:
            _log.warning("%s.%s is public, and has no docstring", owner.__qualname__, name)
    elif words:
        is_property = isinstance(member, property | functools.cached_property)
        kind, called, options = "property" if is_property else "attribute", "", []
    else:
        return
    yield from ("", f"::::{{py:{kind}}} {name}{called}", *options, "", _fields(words), "::::")


class _Omitted:
    """A default that is too long to show."""

    def __repr__(self) -> str:
        return "..."


def _called(thing: Any, bound: bool = False) -> str:
    """Return the signature of a function or class with parentheses; "" for a constant."""
    if not callable(thing) or (inspect.isclass(thing) and issubclass(thing, Exception)):
        return ""
    try:
        known = signature(thing, bound_method=bound)
    except (TypeError, ValueError):
        return ""
    parameters = [
        each.replace(default=_Omitted())
        if each.default is not each.empty and len(object_description(each.default)) > LONGEST_VALUE
        else each
        for each in known.parameters.values()
    ]
    known = known.replace(parameters=parameters)
    returns = not inspect.isclass(thing)
    return stringify_signature(known, show_return_annotation=returns, unqualified_typehints=True)


def _fields(words: str) -> str:
    """Return a docstring with its sections converted to field lists."""
    config: Any = Config(napoleon_use_ivar=True, napoleon_use_rtype=False)
    text = "\n".join(GoogleDocstring(words, config).lines())
    # Napoleon reads words before a colon as a type and escapes stars for reStructuredText.
    text = re.sub(r"^(:returns: )\*?(.+?)\*? -- ", r"\1\2: ", text, flags=re.MULTILINE)
    return re.sub(r"^:.*$", lambda it: it[0].replace("\\*", "*"), text, flags=re.MULTILINE)


def resolve(
    app: Sphinx, env: Any, node: pending_xref, shown: nodes.Element
) -> nodes.Element | None:
    """Resolve a bare public name or a name with any module that has it; other types stay text."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    address = addresses().get(target)
    if address is not None and address != target:
        docname = node.get("refdoc", env.docname)
        domain: Any = env.get_domain("py")
        link: nodes.Element | None = domain.resolve_xref(
            env, docname, app.builder, "obj", address, node, shown
        )
        return link
    return shown if "refwarn" not in node or hasattr(builtins, target) else None


def finish(app: Sphinx, doctree: nodes.document) -> None:
    """Replace " -- " by dashes and link public names in code to their entries."""
    for text in [each for each in doctree.findall(nodes.Text) if each == " -- "]:
        text.parent.replace(text, nodes.Text(" – "))
    for code in [*doctree.findall(nodes.literal)]:
        name = code.astext().removesuffix("()")
        linked = isinstance(code.parent, nodes.reference | nodes.title | pending_xref)
        if name in addresses() and _DISTINCT.search(name) and not linked:
            reference = pending_xref("", refdomain="py", reftype="obj", reftarget=addresses()[name])
            code.replace_self(reference)
            reference += code


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the placeholder and the resolver of names."""
    for kind in PyObject.doc_field_types:
        if kind.name == "variable":
            kind.label = "Attributes"
    fill(app, "room", page)
    app.connect("missing-reference", resolve)
    app.connect("doctree-read", finish)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
