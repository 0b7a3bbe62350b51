"""What a notebook's exercises define, with the answers in them or with their blanks."""

import ast
from typing import Any

import pytest

from explorative_user_env.course import LESSONS

IMPORTS = (ast.Import, ast.ImportFrom)


def answers_in(lesson: int, solved: bool) -> dict[str, Any]:
    """Return the names that the exercises of a source define; it skips without jupytext."""
    pytest.importorskip("jupytext", reason="jupytext is not installed")
    from lesson_sources import has_tag, notebook_of

    code = [cell for cell in notebook_of(LESSONS[lesson - 1], solved).cells if _is_code(cell)]
    first, exercises = code[0].source, [cell for cell in code if has_tag(cell, "exercise")]
    names: dict[str, Any] = {}
    imports: list[ast.stmt] = [node for node in ast.parse(first).body if isinstance(node, IMPORTS)]
    exec(compile(ast.Module(imports, []), "imports", "exec"), names)
    for cell in exercises:
        exec(cell.source, names)
    return names


def _is_code(cell: Any) -> bool:
    return bool(cell.cell_type == "code")
