"""The rooms of the package and what each module imports, for the tests and the site."""

import ast
import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

PACKAGE = "explorative_user_env"

FLOORS: Sequence[Sequence[str]] = (
    ("validation", "version"),
    ("protocol", "seeding", "files", "display"),
    ("agents", "users", "shipped"),
    ("theory", "optimum", "kernels", "show"),
    ("envs",),
    ("wrappers", "runs"),
    ("results",),
    ("evaluation",),
    ("rl", "studies", "teach"),
    ("play", "check"),
    ("commands",),
    ("cli", "__main__", "__init__"),
)
"""The rooms from the ground up. A new room gets a place here first."""


class Import(NamedTuple):
    """One module imports another, both by their dotted names."""

    importer: str
    imported: str


def modules(root: Path) -> dict[str, Path]:
    """Return every module of the package by its dotted name; agents live beside the package."""
    found = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if parts[1] != "agents":
            found[".".join(parts).removesuffix(".__init__")] = path
    for path in sorted((root / "agents").glob("*.py")):
        found[f"{PACKAGE}.agents.{path.stem}".removesuffix(".__init__")] = path
    return found


def room_of(module: str) -> str:
    """Return the room that a module stands in; the package itself is "__init__"."""
    return module.split(".")[1] if "." in module else "__init__"


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[Import]:
    """Yield what a module imports from the package, wherever in it and however it is written."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")
                above = above[: len(above) - node.level + 1]
                base = ".".join([*above, base]).rstrip(".")
            names = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        for imported in names:
            if imported.split(".")[0] == PACKAGE:
                module = imported if imported in known else imported.rpartition(".")[0]
                yield Import(name, module)


@functools.cache
def all_imports(root: Path) -> list[Import]:
    """Return every import from one module of the package to another."""
    known = modules(root)
    found = [each for name, path in known.items() for each in imports(name, path, known)]
    return [each for each in found if each.importer != each.imported]
