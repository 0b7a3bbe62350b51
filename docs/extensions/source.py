"""Public names as they stand in the source: nothing is imported, so that no extra is needed."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import structure

ROOT = Path(__file__).parents[2]

Node = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


class Definition(NamedTuple):
    """A public name and where it is defined.

    Attributes:
        name: what it is called.
        module: the dotted name of the module that defines it.
        node: how it is defined there.
        docstring: what is said of it; empty if nothing is.
    """

    name: str
    module: str
    node: Node
    docstring: str


class UndefinedNameError(LookupError):
    """A room exports a name that is defined nowhere in the package."""


modules = functools.cache(structure.modules)
"""Every module of the package by its dotted name; what stands there is read once."""


@functools.cache
def rooms(root: Path = ROOT) -> dict[str, list[str]]:
    """Return the public names of each room or file that says which they are, by its name."""
    found = {}
    for module, path in modules(root).items():
        for node in structure.tree_of(path).body:
            if isinstance(node, ast.Assign) and _assigns(node, "__all__"):
                found[module] = list(ast.literal_eval(node.value))
    return found


@functools.cache
def definition(module: str, name: str, root: Path = ROOT) -> Definition:
    """Return where a name that a module has is defined, however often it was handed on.

    Raises:
        UndefinedNameError: if that is nowhere in the package.
    """
    known = modules(root)
    if module not in known:
        raise UndefinedNameError(f"{name} comes from {module}, outside of the package")
    path = known[module]
    tree = structure.tree_of(path)
    for place, node in reversed([*enumerate(tree.body)]):
        if _defines(node, name):
            return Definition(name, module, node, _said(tree.body, place))  # type: ignore[arg-type]
    for line in (each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)):
        for alias in line.names:
            if (alias.asname or alias.name) == name:
                return definition(_base(line, module, path), alias.name, root)
    raise UndefinedNameError(f"{module} has no {name}")


@functools.cache
def homes(root: Path = ROOT) -> dict[str, list[Definition]]:
    """Return by room the names that it is the home of: each name of the package is there once.

    What the package itself exports is at home there; of the others, the first room has it.
    """
    seen = set()
    found: dict[str, list[Definition]] = {}
    for room, names in sorted(rooms(root).items()):
        found[room] = []
        for name in sorted(names, key=str.lower):
            made = definition(room, name, root)
            if (made.module, made.name) not in seen:
                seen.add((made.module, made.name))
                found[room].append(made)
    return found


def undocumented(root: Path = ROOT) -> list[str]:
    """Return the public names that nobody explains, and of classes the methods."""
    found = []
    for room, names in homes(root).items():
        for made in names:
            if not made.docstring:
                found.append(f"{room}.{made.name}")
            if isinstance(made.node, ast.ClassDef):
                members = {each.name: each.docstring for each in members_of(made)}
                found += [
                    f"{room}.{made.name}.{name}" for name, said in members.items() if not said
                ]
    return sorted(found)


def members_of(made: Definition) -> Iterator[Definition]:
    """Yield the public methods and properties that a class defines, and attributes explained."""
    assert isinstance(made.node, ast.ClassDef)
    for place, node in enumerate(made.node.body):
        said = _said(made.node.body, place)
        if isinstance(node, ast.FunctionDef) and not _is_overload(node):
            if not node.name.startswith("_"):
                yield Definition(node.name, made.module, node, said)
        elif isinstance(node, ast.AnnAssign) and said and isinstance(node.target, ast.Name):
            yield Definition(node.target.id, made.module, node, said)


def member(made: Definition, name: str) -> ast.stmt:
    """Return where a class defines a member.

    Raises:
        UndefinedNameError: if it does not.
    """
    for node in getattr(made.node, "body", ()):
        if _defines(node, name):
            return node  # type: ignore[no-any-return]
    raise UndefinedNameError(f"{made.module}.{made.name} has no {name}")


def _is_overload(node: ast.FunctionDef) -> bool:
    return any("overload" in ast.unparse(mark) for mark in node.decorator_list)


def _assigns(node: ast.stmt, name: str) -> bool:
    if isinstance(node, ast.AnnAssign):
        return isinstance(node.target, ast.Name) and node.target.id == name
    if not isinstance(node, ast.Assign):
        return False
    return any(isinstance(each, ast.Name) and each.id == name for each in node.targets)


def _defines(node: ast.stmt, name: str) -> bool:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name == name
    return _assigns(node, name)


def _said(body: list[ast.stmt], place: int) -> str:
    """Return what is said of a statement: its docstring, or the string below an assignment."""
    node = body[place]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return ast.get_docstring(node) or ""
    after = body[place + 1] if place + 1 < len(body) else None
    constant = after.value if isinstance(after, ast.Expr) else None
    words = constant.value if isinstance(constant, ast.Constant) else None
    return words.strip() if isinstance(words, str) else ""


def _base(node: ast.ImportFrom, module: str, path: Path) -> str:
    """Return the module that a line imports from."""
    if not node.level:
        return node.module or ""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    above = package.split(".")
    return ".".join([*above[: len(above) - node.level + 1], node.module or ""]).rstrip(".")


def room_docstring(room: str, root: Path = ROOT) -> str:
    """Return what is said of a room."""
    return ast.get_docstring(structure.tree_of(modules(root)[room])) or ""


@functools.cache
def addresses() -> dict[str, str]:
    """Return where each public name is explained, by all that it may be called.

    Those are the name alone, and the name after any room that has it.
    """
    explained = {
        (made.module, made.name): f"{room}.{made.name}"
        for room, names in homes().items()
        for made in names
    }
    found: dict[str, str] = {}
    for room, names in rooms().items():
        for name in names:
            made = definition(room, name)
            address = explained[made.module, made.name]
            found |= dict.fromkeys((name, f"{room}.{name}"), address)
            found[f"{made.module}.{made.name}"] = address
    return found
