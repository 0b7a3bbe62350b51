"""Notebooks that run: their outputs, and the figures in their sentences."""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from lesson_sources import FIGURE, notebook_of
from nbclient import NotebookClient

from explorative_user_env.teach import Lesson

LONGEST_CELL = 120
"""Seconds that a cell may take; whole notebooks take a tenth of it."""

ROOT = Path(__file__).parents[2]
FIGURES = "figures"
EMPTY = {"text/plain": "", "text/html": ""}
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}
"""What a notebook says of what it runs in, the same wherever it was built."""


def run(lesson: Lesson, solved: bool) -> Any:
    """Return a notebook that has run in a kernel of this Python, with its figures put in.

    Args:
        lesson: which one.
        solved: whether it has the solutions, or places for them.

    Raises:
        CellExecutionError: if a cell fails.
        ValueError: if a cell warns, or shows where something is in memory.
    """
    notebook = notebook_of(lesson, solved)
    notebook.cells = [each for cell in notebook.cells for each in _after_its_figures(cell)]
    with tempfile.TemporaryDirectory() as folder:
        _execute(notebook, Path(folder))
    notebook.cells = _with_figures(notebook.cells)
    for number, cell in enumerate(_code(notebook.cells), 1):
        cell.execution_count = number
        cell.outputs = steady(cell, number)
    notebook.metadata = METADATA
    return notebook


def text_of(notebook: Any) -> str:
    """Return a notebook as its file holds it."""
    return f"{nbformat.writes(notebook).strip()}\n"


def _execute(notebook: Any, folder: Path) -> None:
    """Run a notebook in a folder of its own, away from whatever else this person's Jupyter does."""
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=LONGEST_CELL,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    spec: Any = client.create_kernel_manager().kernel_spec
    spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    environment |= {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    environment |= {"IPYTHONDIR": str(folder / "ipython")}
    client.execute(env=environment)


def _code(cells: list[Any]) -> list[Any]:
    return [cell for cell in cells if cell.cell_type == "code"]


def _after_its_figures(cell: Any) -> list[Any]:
    """Return a cell, and before it the code that computes the figures of its sentences."""
    if cell.cell_type != "markdown" or not (found := FIGURE.findall(cell.source)):
        return [cell]
    spelled = ", ".join(f"f'''{{{expression}}}'''" for expression in found)
    code: Any = nbformat.v4.new_code_cell(f"print(__import__('json').dumps([{spelled}]))")
    code.metadata = {"tags": [FIGURES]}
    return [code, cell]


def _with_figures(cells: list[Any]) -> list[Any]:
    """Return cells with the figures put in that the code before them has computed."""
    found: list[str] = []
    kept = []
    for cell in cells:
        if cell.metadata.get("tags") == [FIGURES]:
            found = json.loads(cell.outputs[0].text)
            continue
        if cell.cell_type == "markdown" and found:
            figures = iter(found)
            cell.source = FIGURE.sub(lambda _: next(figures), cell.source)  # noqa: B023
            found = []
        kept.append(cell)
    return kept


def steady(cell: Any, number: int) -> list[Any]:
    """Return those outputs of a cell that are the same each time, and fail for others.

    What is said to who waits goes, and so do bars that have done their work.
    """
    kept = []
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            if "Warning" in output.text:
                raise ValueError(f"this cell warns: {output.text}\n{cell.source}")
            continue
        if dict(output.get("data", {})) == EMPTY:
            continue
        if " at 0x" in json.dumps(output):
            raise ValueError(f"this cell shows where something is in memory:\n{cell.source}")
        if output.output_type == "execute_result":
            output.execution_count = number
        kept.append(output)
    return kept
