"""Notebooks as tests look at them: as they are handed out, and run in this process."""

import ast
import functools
import json
import math
import re
from typing import Any

from build import run

from explorative_user_env.teach import Lesson
from explorative_user_env.teach.notebooks import (
    FIGURE,
    FIGURES,
    GIVEN,
    Cell,
    notebook_of,
    read_source,
)

CHECKS = re.compile(r"^check_exercise\(\"(\d\.\d)\"", re.MULTILINE)
REVEALS = re.compile(r"^reveal\(", re.MULTILINE)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
NOT_QUOTED = (
    r"```.*?```|`[^`]*`",  # code
    r"\$\$.*?\$\$|\$[^$]*\$",  # mathematics
    r"^#[^\n]*$",  # headings
    r"!?\[[^\]]*\]\([^)]*\)|<https?:[^>]*>",  # links and pictures
    r"<!--.*?-->",
    r"[Ee]xercises? \d\.\d",
)
"""What of a text may have numbers that nothing computes."""


def figures_of(lesson: Lesson) -> list[str]:
    """The committed numbers of a lesson's sentences."""
    figures: list[str] = json.loads(read_source(FIGURES))[lesson.name]
    return figures


def cells(lesson: Lesson, solved: bool) -> list[Any]:
    """The cells of a notebook as it is handed out."""
    source = read_source(f"{lesson.name}.py")
    made: list[Any] = notebook_of(source, figures_of(lesson), solved)["cells"]
    return made


def code(lesson: Lesson, solved: bool) -> list[str]:
    """The cells that run."""
    return [each["source"] for each in cells(lesson, solved) if each["cell_type"] == "code"]


def prose(lesson: Lesson, solved: bool) -> str:
    """The text of a notebook, cell after cell."""
    texts = (each["source"] for each in cells(lesson, solved) if each["cell_type"] == "markdown")
    return "\n\n".join(texts)


@functools.cache
def ran(lesson: Lesson, solved: bool) -> list[tuple[Cell, Any]]:
    """A notebook's cells with the value or the figures of each, run once."""
    return [*run(lesson, solved)]


def remarks(lesson: Lesson, solved: bool) -> dict[str, str]:
    """What is said of each exercise, by its number."""
    return {
        match[1]: str(value)
        for cell, value in ran(lesson, solved)
        if cell.kind == "code" and (match := CHECKS.search(cell.text))
    }


def guesses(lesson: Lesson, solved: bool) -> list[str]:
    """What is said of each guess."""
    pairs = ran(lesson, solved)
    return [
        str(value) for cell, value in pairs if cell.kind == "code" and REVEALS.search(cell.text)
    ]


def alike(text: str, other: str) -> bool:
    """Whether two texts are the same, their numbers up to rounding."""
    numbers = (map(float, NUMBER.findall(each.replace(",", ""))) for each in (text, other))
    return NUMBER.sub("0", text) == NUMBER.sub("0", other) and all(
        math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) for a, b in zip(*numbers, strict=True)
    )


def bare_numbers(text: str) -> list[str]:
    """The numbers of a Markdown cell's sentences that nothing computes.

    Those of one digit are words. So is what the cell says is given, if it is there.
    """
    number = re.compile(r"\d+(?:\.\d+)?")
    given = number.findall(" ".join(GIVEN.findall(text)))
    for pattern in (FIGURE.pattern, *NOT_QUOTED):
        text = re.sub(pattern, " ", text, flags=re.DOTALL | re.MULTILINE)
    bare = [each for each in number.findall(text) if len(each) > 1]
    unused = [each for each in given if each not in bare]
    return [each for each in bare if each not in given] + [f"{each} (given)" for each in unused]


def imported(codes: list[str]) -> set[str]:
    """The top-level modules that cells import, wherever in them."""
    found = set()
    for text in codes:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").split(".")[0])
    return found
