"""Notebooks as tests look at them: committed, run again by Jupyter, or here in this process."""

import ast
import contextlib
import io
import re
from typing import Any

import nbformat
from lesson_sources import committed

from explorative_user_env.teach import Lesson

CHECKS = re.compile(r"^check_exercise\(\"(\d\.\d)\"", re.MULTILINE)
REVEALS = re.compile(r"^reveal\(", re.MULTILINE)


def read(lesson: Lesson, solved: bool) -> Any:
    """A notebook as it is committed."""
    text = committed(lesson, solved).read_text(encoding="utf-8")
    return nbformat.reads(text, as_version=4)


def code_cells(notebook: Any) -> list[Any]:
    """The cells that run."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose(notebook: Any) -> str:
    """The text of a notebook, cell after cell."""
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def remark_of(cell: Any) -> str:
    """What is said at the end of a cell of an answer or a guess, in plain words."""
    return str(cell.outputs[-1].data["text/plain"])


def remarks(notebook: Any) -> dict[str, str]:
    """What is said of each exercise, by its number."""
    return {
        match[1]: remark_of(cell)
        for cell in code_cells(notebook)
        if (match := CHECKS.search(cell.source))
    }


def guesses(notebook: Any) -> list[str]:
    """What is said of each guess."""
    return [remark_of(cell) for cell in code_cells(notebook) if REVEALS.search(cell.source)]


def values_of(notebook: Any) -> list[Any]:
    """Run a notebook's cells in this process, and return what each ends with.

    Jupyter and its kernels take longer to start than most notebooks run.
    """
    space: dict[str, Any] = {"__name__": "__main__"}
    values = []
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in code_cells(notebook):
            tree = ast.parse(cell.source)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, "<cell>", "exec"), space)
            ending = ast.Expression(last.value) if last else None
            values.append(eval(compile(ending, "<cell>", "eval"), space) if ending else None)
    return values


def imported(notebook: Any) -> set[str]:
    """The top-level modules that a notebook imports, wherever in it."""
    found = set()
    for cell in code_cells(notebook):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").split(".")[0])
    return found
