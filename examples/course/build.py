"""Compute the values of the `{{...}}` expressions in the text of the course's notebooks.

    python examples/course/build.py                # write sources/figures.json
    python examples/course/build.py --check        # print the values that changed

`explorative-user course notebooks` generates the notebooks from the sources. CONTRIBUTING.md
describes the format of a source.
"""

import argparse
import ast
import contextlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib import pyplot

from explorative_user_env.teach import LESSONS, Lesson
from explorative_user_env.teach.notebooks import (
    FIGURE,
    FIGURES,
    Cell,
    cells_of,
    read_source,
    with_answers,
)

PATH = Path(__file__).parent / "sources" / FIGURES


def run(lesson: Lesson, solved: bool) -> Iterator[tuple[Cell, Any]]:
    """Run a notebook in this process; yield each cell with its value, or a list for markdown."""
    space: dict[str, Any] = {"__name__": "__main__"}
    pyplot.switch_backend("agg")
    for cell in cells_of(read_source(f"{lesson.name}.py")):
        if "solution" in cell.tags and not solved:
            continue
        if cell.kind == "markdown":
            yield cell, [eval(f"f'''{{{each}}}'''", space) for each in FIGURE.findall(cell.text)]
            continue
        text = with_answers(cell.text, solved) if "exercise" in cell.tags else cell.text
        tree = ast.parse(text)
        body: list[Any] = tree.body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(tree, "<cell>", "exec"), space)
            code = compile(ast.Expression(last.value), "<cell>", "eval") if last else "None"
            yield cell, eval(code, space)
        pyplot.close("all")


def figures_of(lesson: Lesson) -> list[str]:
    """Return the values of the `{{...}}` expressions of a solved notebook, in order."""
    return [x for cell, values in run(lesson, True) if cell.kind == "markdown" for x in values]


def main() -> int:
    """Write or check figures.json, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="compare without writing")
    check = parser.parse_args().check
    figures = {lesson.name: figures_of(lesson) for lesson in LESSONS}
    if not check:
        text = json.dumps(figures, indent=0, ensure_ascii=False) + "\n"
        PATH.write_text(text, encoding="utf-8")
        return 0
    known = json.loads(PATH.read_text(encoding="utf-8"))
    changed = [name for name in figures if figures[name] != known.get(name)]
    print(*(f"{name}: was {known.get(name)}, is {figures[name]}" for name in changed), sep="\n")
    return int(bool(changed))


if __name__ == "__main__":
    sys.exit(main())
