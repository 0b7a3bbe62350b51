"""What a page tells its reader to import is promised to stay: the reference explains it."""

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the reference is part of the site")

from extensions.reference import homes
from snippets import blocks_of

ROOT = Path(__file__).parents[2]
PACKAGE = "explorative_user_env"
PAGES = [
    ROOT / "README.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts),
]


def imported_by(page: str) -> Iterator[tuple[str, str]]:
    """Yield what the blocks of a page import from the package, as a module and a name of it."""
    for block in blocks_of(page):
        if block.kind == "python" and not block.text.lstrip().startswith("%"):
            for node in ast.walk(ast.parse(block.text)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                    yield from ((str(node.module), alias.name) for alias in node.names)


def unexplained(module: str, name: str) -> bool:
    """Return whether the reference neither explains a name nor, if it is a module, what it has."""
    rooms = homes()
    home = import_module(module)
    known = {*getattr(home, "__all__", ()), *rooms.get(module, ())}
    inner = getattr(home, name, None) or import_module(f"{module}.{name}")
    return name not in known and getattr(inner, "__name__", "") not in rooms


def test_pages_import_only_what_the_reference_explains() -> None:
    imports = {each for page in PAGES for each in imported_by(page.read_text(encoding="utf-8"))}
    if find_spec("sb3_contrib") is None:
        imports = {(module, name) for module, name in imports if not module.endswith(".rl")}
    assert len(imports) > 15
    assert [each for each in sorted(imports) if unexplained(*each)] == []


def test_a_name_that_may_change_is_found() -> None:
    lines = (
        f"from {PACKAGE}.evaluation import evaluate\nfrom {PACKAGE}.validation import one_line\n"
    )
    imports = [*imported_by(f"```python\n{lines}```\n")]
    assert [name for module, name in imports if unexplained(module, name)] == ["one_line"]
