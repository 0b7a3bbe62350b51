"""The tables that lead from the paper to the code: of its symbols, and of what it proves."""

import ast
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import structure
from sphinx.application import Sphinx

from extensions import source
from extensions.places import fill

FOLDER = source.ROOT / "docs" / "paper"
PACKAGE = structure.PACKAGE


def rows(table: str) -> list[dict[str, str]]:
    """Return the rows of a table, by the name of its file."""
    with (FOLDER / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def names(row: dict[str, str]) -> list[str]:
    """Return the names of a row, with dots, below the package."""
    return [name for name in row["names"].split("; ") if name]


def place_of(name: str) -> tuple[str, Path, int]:
    """Return the module of a name, its file and the line where it is defined.

    Args:
        name: with dots, below the package; after the module a name, or a class and a member.

    Raises:
        UndefinedNameError: if there is none.
    """
    known = source.modules(source.ROOT)
    module, parts = f"{PACKAGE}.{name}", list[str]()
    while module not in known and module != PACKAGE:
        module, _, last = module.rpartition(".")
        parts.insert(0, last)
    if not parts:
        return module, known[module], 1
    made = source.definition(module, parts[0])
    node: ast.stmt = made.node
    for part in parts[1:]:
        node = source.member(made, part)
    return made.module, known[made.module], node.lineno


def _linked(name: str) -> str:
    """Return what a name is called in its file, as code, with a link where the reference has it."""
    module = place_of(name)[0]
    short = f"{PACKAGE}.{name}".removeprefix(f"{module}.")
    if short == f"{PACKAGE}.{name}":  # it is handed on by a package, or is a module
        short = name.rpartition(".")[2]
    address = source.addresses().get(f"{module}.{short.partition('.')[0]}")
    return f"{{py:obj}}`{short} <{address}>`" if address else f"`{short}`"


def _file(name: str) -> str:
    path = place_of(name)[1].relative_to(source.ROOT).as_posix()
    return f"`{path.removeprefix(f'{PACKAGE}/')}`"


def symbols(env: Any, docname: str, what: str) -> Iterator[str]:
    """Yield the table of the symbols, with each name's file beside it."""
    yield "| in the paper | what it is | name in code | file |"
    yield "| :--- | :--- | :--- | :--- |"
    for row in rows("symbols"):
        linked, files = (map(shown, names(row)) for shown in (_linked, _file))
        cells = (row["symbol"], row["what it is"], "<br>".join(linked), "<br>".join(files))
        yield f"| {' | '.join(cells)} |"


def theory(env: Any, docname: str, what: str) -> Iterator[str]:
    """Yield the table of what the paper proves, runs and shows, with the files below the names."""
    yield "| in the paper | what it is | name in code, and file |"
    yield "| :--- | :--- | :--- |"
    for row in rows("theory"):
        about = "; ".join(filter(None, (row["what it is"], row["note"])))
        by_file: dict[str, list[str]] = {}
        for name in names(row):
            by_file.setdefault(_file(name), []).append(_linked(name))
        places = (f"{'<br>'.join(found)} in<br>{file}" for file, found in by_file.items())
        yield f"| {row['kind']}<br>`{row['label']}` | {about} | {'<br>'.join(places)} |"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the places."""
    for table, lines in (("symbols", symbols), ("theory", theory)):
        fill(app, f"{table}-table", lines, _sources)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _sources() -> list[Path]:
    return [*source.modules(source.ROOT).values(), *FOLDER.glob("*.csv")]
