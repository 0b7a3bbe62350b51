"""The tables that lead from the paper to the code."""

import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the tables are pages of the site")

from extensions.pages import PACKAGE, names, rows

ROOT = Path(__file__).parents[2]

ROWS = [*rows("symbols"), *rows("theory")]
EVERY = sorted({name for row in ROWS for name in names(row)})


def member(thing: object, name: str) -> object:
    """Return what a thing has by a name; a field of a record without a value has none."""
    if name in getattr(thing, "__annotations__", {}) and not hasattr(thing, name):
        return None
    return getattr(thing, name)


@pytest.mark.parametrize("name", EVERY)
def test_every_name_can_be_imported(name: str) -> None:
    parts = f"{PACKAGE}.{name}".split(".")
    home = next(
        ".".join(parts[:n])
        for n in range(len(parts) - 1, 0, -1)
        if (ROOT / "/".join(parts[:n])).is_dir() or (ROOT / f"{'/'.join(parts[:n])}.py").is_file()
    )
    inside = parts[home.count(".") + 1 :]
    start: object = import_module(home)
    reduce(member, inside, start)


def test_every_row_has_a_name_or_says_why_not() -> None:
    for row in rows("theory"):
        assert names(row) or row["note"].startswith("not in code, because "), row["label"]
    assert all(map(names, rows("symbols")))


def test_every_label_stands_once() -> None:
    labels = [row["label"] for row in rows("theory")]
    assert len(labels) == len(set(labels))
    kinds = {"thm", "lm", "alg", "eq", "tb", "fig", "appendix"}
    assert {label.split(":")[0] for label in labels} == kinds


def test_every_label_that_the_code_names_is_in_the_table() -> None:
    labels = {row["label"] for row in rows("theory")}
    named = set()
    for folder in (ROOT / PACKAGE, ROOT / "agents"):
        for path in folder.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            named |= set(re.findall(r"\b(?:thm|lm|eq|alg):\w+", text))
    assert len(named) > 10
    assert named <= labels
