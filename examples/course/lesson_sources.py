"""The sources of the notebooks: what of them the student sees, and what a teacher."""

import hashlib
import re
from pathlib import Path
from typing import Any

import jupytext
import nbformat

from explorative_user_env.teach import LESSONS, Lesson
from explorative_user_env.teach.exercises import NOTEBOOKS, SOLUTIONS

HERE = Path(__file__).parent

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
YOUR_TURN = "...  # your turn"
SHOWN_INSTEAD = re.compile(r"^(\s*)# ?\|( ?)(.*)$")
"""A line of a solution that the student sees in its place."""

FIGURE = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)
GIVEN = re.compile(r"(?:^[ \t]*)?<!-- given: (.*?)-->\n?", re.DOTALL | re.MULTILINE)
"""Goes with what indents it: that would make the line below an item of the item above."""

NUMBER = re.compile(r"\d+(?:\.\d+)?")
NOT_QUOTED = (
    r"```.*?```|`[^`]*`",  # code
    r"\$\$.*?\$\$|\$[^$]*\$",  # mathematics
    r"^#[^\n]*$",  # headings
    r"!?\[[^\]]*\]\([^)]*\)|<https?:[^>]*>",  # links and pictures
    r"<!--.*?-->",
    r"[Ee]xercises? \d\.\d",
)
"""What of a text may have numbers that nothing computes."""


def source_of(lesson: Lesson) -> Path:
    """Return where the source of a notebook is."""
    return HERE / "sources" / f"{lesson.name}.py"


def committed(lesson: Lesson, solved: bool) -> Path:
    """Return where a notebook is, the student's or the one with the solutions."""
    return HERE / (SOLUTIONS if solved else NOTEBOOKS) / f"{lesson.name}.ipynb"


def written() -> list[Lesson]:
    """Return the lessons that have a source."""
    return [lesson for lesson in LESSONS if source_of(lesson).exists()]


def cells_of(lesson: Lesson) -> list[Any]:
    """Return the cells of a source as they are written."""
    text = source_of(lesson).read_text(encoding="utf-8")
    cells: list[Any] = jupytext.reads(text, fmt="py:percent").cells
    return cells


def has_tag(cell: Any, tag: str) -> bool:
    """Return whether a cell is tagged so."""
    return tag in cell.metadata.get("tags", [])


def notebook_of(lesson: Lesson, solved: bool) -> Any:
    """Return a notebook that has not run: figures in its sentences are still expressions.

    Args:
        lesson: which one.
        solved: whether it has the solutions, or places for them.
    """
    made: Any = nbformat.v4.new_notebook()
    taken: dict[str, int] = {}
    for cell in cells_of(lesson):
        if has_tag(cell, "solution") and not solved:
            continue
        text = cell.source
        text = GIVEN.sub("", text).strip() if cell.cell_type == "markdown" else text
        text = with_answers(text, solved) if has_tag(cell, "exercise") else text
        new = getattr(nbformat.v4, f"new_{cell.cell_type}_cell")(text)
        tags = cell.metadata.get("tags", [])
        new.metadata, new.id = {"tags": tags} if tags else {}, _id_of(text, taken)
        made.cells.append(new)
    return made


def _id_of(text: str, taken: dict[str, int]) -> str:
    """Return an id for a cell that is the same as long as its text is."""
    name = hashlib.sha256(text.encode()).hexdigest()[:8]
    taken[name] = taken.get(name, 0) + 1
    return name if taken[name] == 1 else f"{name}-{taken[name]}"


def with_answers(text: str, solved: bool) -> str:
    """Return an exercise with its answers, or with what the student sees in their place.

    Raises:
        ValueError: if the lines that enclose answers do not pair.
    """
    lines: list[str] = []
    answer: list[str] | None = None
    for line in text.splitlines():
        mark = line.strip()
        if mark not in (BEGIN, END):
            (lines if answer is None else answer).append(line)
        elif (mark == BEGIN) != (answer is None):
            raise ValueError(f"{mark} has no partner in:\n{text}")
        elif answer is None:
            answer = []
        else:
            indent = line[: len(line) - len(line.lstrip())]
            lines, answer = lines + (_solution if solved else _blank)(answer, indent), None
    if answer is not None or len(lines) == len(text.splitlines()):
        raise ValueError(f"no answer that ends is in:\n{text}")
    return "\n".join(lines)


def _solution(answer: list[str], indent: str) -> list[str]:
    return [line for line in answer if not SHOWN_INSTEAD.match(line)]


def _blank(answer: list[str], indent: str) -> list[str]:
    shown = [match for line in answer if (match := SHOWN_INSTEAD.match(line))]
    return [match[1] + match[3] for match in shown] or [indent + YOUR_TURN]


def bare_numbers(text: str) -> list[str]:
    """Return the numbers of a Markdown cell's sentences that nothing computes.

    Those of one digit are words. So is what the cell says is given, if it is there.
    """
    given = NUMBER.findall(" ".join(GIVEN.findall(text)))
    for pattern in (FIGURE.pattern, *NOT_QUOTED):
        text = re.sub(pattern, " ", text, flags=re.DOTALL | re.MULTILINE)
    bare = [each for each in NUMBER.findall(text) if len(each) > 1]
    unused = [each for each in given if each not in bare]
    return [each for each in bare if each not in given] + [f"{each} (given)" for each in unused]
