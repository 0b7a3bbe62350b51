"""Generate the notebooks of the course from their sources: with blanks, or solved."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from explorative_user_env.validation import InvalidArgumentError


class Lesson(NamedTuple):
    """A notebook of the course."""

    number: int  # place in the course, from 1
    topic: str  # last part of the file name
    title: str  # title of the notebook

    @property
    def name(self) -> str:
        """Name of the notebook's file, without its suffix."""
        return f"lesson_{self.number}_{self.topic}"


#: All lessons of the course, in order.
LESSONS = (
    Lesson(1, "best_arm", "Bandits and best-arm identification"),
    Lesson(2, "explorative_user", "The explorative user"),
    Lesson(3, "why_they_struggle", "Why UNI, EXP3 and Track-and-Stop struggle"),
    Lesson(4, "bair", "BAIR, step by step"),
    Lesson(5, "revealed_preference", "The price of revealed preference"),
    Lesson(6, "learning_agents", "Learning agents against BAIR"),
)

#: The folder of solved notebooks, and the file with the values of `{{...}}` expressions.
SOLUTIONS, FIGURES = "solutions", "figures.json"

METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}

#: A `{{...}}` expression in a markdown cell; the file `FIGURES` has its value.
FIGURE = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)

#: A note for authors, which notebooks leave out. The pattern includes the note's indentation, or
#: the next line would belong to the list item above.
GIVEN = re.compile(r"(?:^[ \t]*)?<!-- given: (.*?)-->\n?", re.DOTALL | re.MULTILINE)

_HEADER = re.compile(r"^# %%( \[markdown\])?(?: tags=(\[.*\]))?\n", re.MULTILINE)
_BEGIN, _END, _YOUR_TURN = "# BEGIN SOLUTION", "# END SOLUTION", "...  # your turn"
_ANSWER = re.compile(rf"^([ \t]*){_BEGIN}\n(.*?)^[ \t]*{_END}\n", re.DOTALL | re.MULTILINE)
#: A line inside a solution that students see instead of the solution.
_SHOWN_INSTEAD = re.compile(r"^([ \t]*)# ?\|( ?)(.*\n)", re.MULTILINE)

_HOMES = (Path(__file__).parent / "sources", Path(__file__).parents[2] / "examples/course/sources")


class Cell(NamedTuple):
    """A cell of a lesson's source."""

    kind: str  # "code" or "markdown"
    text: str
    tags: list[str]


def cells_of(source: str) -> list[Cell]:
    """Split the source of a lesson, a Python file, into cells at its lines `# %%`."""
    cells = []
    parts = _HEADER.split(source)[1:]
    for markdown, tags, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        text = text.strip("\n")
        if markdown:
            text = re.sub(r"^# ?", "", text, flags=re.MULTILINE)
        cells.append(Cell("markdown" if markdown else "code", text, json.loads(tags or "[]")))
    return cells


def notebook_of(source: str, figures: list[str], solved: bool) -> dict[str, Any]:
    """Return a notebook without outputs.

    Args:
        source: text of a lesson's source.
        figures: the values of the expressions `{{...}}` in the source, in order.
        solved: whether exercises contain solutions instead of blanks.
    """
    values = iter(figures)
    uses: dict[str, int] = {}
    cells = []
    for kind, text, tags in cells_of(source):
        if kind == "markdown":
            text = GIVEN.sub("", FIGURE.sub(lambda _: next(values), text)).strip()
        if "solution" in tags and not solved:
            continue
        text = with_answers(text, solved) if "exercise" in tags else text
        name = hashlib.sha256(text.encode()).hexdigest()[:8]
        uses[name] = uses.get(name, 0) + 1
        cell: dict[str, Any] = {"cell_type": kind, "metadata": {"tags": tags} if tags else {}}
        cell["id"] = name if uses[name] == 1 else f"{name}-{uses[name]}"
        cell["source"] = text
        cells.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    return {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}


def with_answers(text: str, solved: bool) -> str:
    """Return the code of an exercise with solutions, or with blanks for students.

    Raises:
        ValueError: if there is no solution, or a BEGIN or END mark has no partner.
    """

    def filled(answer: re.Match[str]) -> str:
        if solved:
            return _SHOWN_INSTEAD.sub("", answer[2])
        shown = [indent + line for indent, _, line in _SHOWN_INSTEAD.findall(answer[2])]
        return "".join(shown) or f"{answer[1]}{_YOUR_TURN}\n"

    code, n_answers = _ANSWER.subn(filled, f"{text}\n")
    if not n_answers or {text.count(_BEGIN), text.count(_END)} != {n_answers}:
        raise ValueError(f"the text needs a solution between a BEGIN and an END mark:\n{text}")
    return code.removesuffix("\n")


def read_source(name: str) -> str:
    """Return the text of a source file in `examples/course` (in a checkout) or in the package.

    Raises:
        InvalidArgumentError: if the file is not part of this installation.
    """
    for home in _HOMES:
        if (path := home / name).is_file():
            return path.read_text(encoding="utf-8")
    allowed = f"a file in {' or '.join(map(str, _HOMES))}"
    raise InvalidArgumentError("the notebook", name, allowed)


def notebook_files(solutions: bool = False) -> dict[str, bytes]:
    """Return the contents of the notebooks, by file name.

    Args:
        solutions: whether to add the solved notebooks, in the folder "solutions".

    Raises:
        InvalidArgumentError: if this installation contains no sources.
    """
    figures = json.loads(read_source(FIGURES))
    files = {}
    for folder in ("", f"{SOLUTIONS}/") if solutions else ("",):
        for lesson in LESSONS:
            source = read_source(f"{lesson.name}.py")
            notebook = notebook_of(source, figures[lesson.name], solved=bool(folder))
            text = json.dumps(notebook, indent=1, ensure_ascii=False)
            files[f"{folder}{lesson.name}.ipynb"] = f"{text}\n".encode()
    return files
