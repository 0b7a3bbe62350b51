"""What every notebook of the course has, as it is committed."""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

for needed in ("jupytext", "nbformat"):
    pytest.importorskip(needed, reason=f"{needed} is not installed")

import notebooks
from lesson_sources import bare_numbers, cells_of, committed, has_tag, source_of, written

from explorative_user_env.teach import LESSONS, Lesson, exercises_of

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LARGEST = 400_000
"""Bytes of a notebook: it is to be read where code is kept, and comes with the package."""

each_lesson = pytest.mark.parametrize("lesson", written(), ids=[each.name for each in written()])
each_notebook = pytest.mark.parametrize("solved", [False, True], ids=["blank", "solved"])


def outputs_of(cell: Any) -> list[Any]:
    return [dict(output, execution_count=None) for output in cell.outputs]


def test_every_lesson_of_the_table_of_contents_is_written_and_no_other() -> None:
    assert written() == [*LESSONS]
    wanted = {committed(lesson, solved) for lesson in LESSONS for solved in (True, False)}
    assert {*committed(LESSONS[0], True).parents[1].rglob("*.ipynb")} == wanted


@each_lesson
@each_notebook
def test_it_has_one_title_which_is_its_name_in_the_table_of_contents(
    lesson: Lesson, solved: bool
) -> None:
    titles = re.findall(r"^# (.+)$", notebooks.prose(notebooks.read(lesson, solved)), re.MULTILINE)
    assert titles == [lesson.heading]


@each_lesson
@each_notebook
def test_no_cell_is_empty(lesson: Lesson, solved: bool) -> None:
    assert all(cell.source.strip() for cell in notebooks.read(lesson, solved).cells)


@each_lesson
@each_notebook
def test_it_imports_what_the_extra_brings_and_no_more(lesson: Lesson, solved: bool) -> None:
    brought = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["course"]]
    libraries = {re.split("[>=<;]", each)[0].replace("-", "_") for each in brought}
    known = {"explorative_user_env", *libraries, *sys.stdlib_module_names}
    assert notebooks.imported(notebooks.read(lesson, solved)) - known == set()


@each_lesson
@each_notebook
def test_it_is_small_and_says_nothing_of_when_and_where_it_ran(
    lesson: Lesson, solved: bool
) -> None:
    assert committed(lesson, solved).stat().st_size < LARGEST
    notebook = notebooks.read(lesson, solved)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert "version" not in notebook.metadata.language_info
    counts = [cell.execution_count for cell in notebooks.code_cells(notebook)]
    assert counts == [*range(1, len(counts) + 1)]


@each_lesson
def test_every_figure_in_a_sentence_is_computed(lesson: Lesson) -> None:
    cells = [cell for cell in cells_of(lesson) if cell.cell_type == "markdown"]
    bare = {number: cell.source for cell in cells for number in bare_numbers(cell.source)}
    assert bare == {}
    assert source_of(lesson).read_text(encoding="utf-8").count("{{") >= 3
    assert "{{" not in notebooks.prose(notebooks.read(lesson, True))


@each_lesson
def test_it_has_what_a_class_needs(lesson: Lesson) -> None:
    notebook = notebooks.read(lesson, False)
    numbers = [one.number for one in exercises_of(lesson.number)]
    assert 3 <= len(numbers) <= 5
    assert list(notebooks.remarks(notebook)) == numbers
    assert len(notebooks.guesses(notebook)) >= 1
    words = notebooks.prose(notebook).lower()
    for needed in ("minutes", "exam question", "seed", "lattimore", "slivkins", "sutton"):
        assert needed in words, needed
    shown = [output for cell in notebook.cells[:4] for output in cell.get("outputs", [])]
    assert any({"image/png", "image/svg+xml", "text/html"} & {*each.data} for each in shown)


@each_lesson
def test_solutions_are_all_right_and_blanks_are_told_what_is_asked_for(lesson: Lesson) -> None:
    solved, blank = (notebooks.remarks(notebooks.read(lesson, each)) for each in (True, False))
    for one in exercises_of(lesson.number):
        assert solved[one.number] == f"{one.number} is right: {one.shows}"
        assert blank[one.number].startswith(f"{one.number} not yet: ")
        assert one.asks in blank[one.number] or "blank" in blank[one.number]
    guesses = [notebooks.guesses(notebooks.read(lesson, each)) for each in (True, False)]
    for told, asked in zip(*guesses, strict=True):
        assert re.match("your prediction is (right|wrong): ", told)
        assert asked.startswith("your prediction not yet: make it first: ")


@each_lesson
def test_what_is_no_exercise_is_the_same_for_students_and_teachers(lesson: Lesson) -> None:
    solved, blank = (notebooks.read(lesson, each) for each in (True, False))
    shared = {cell.id: cell for cell in solved.cells if not has_tag(cell, "solution")}
    for cell in blank.cells:
        if has_tag(cell, "exercise"):
            assert cell.id not in shared
        else:
            assert cell.source == shared[cell.id].source
    about_answers = (notebooks.CHECKS, notebooks.REVEALS)
    for cell in notebooks.code_cells(blank):
        if cell.id in shared and not any(kind.search(cell.source) for kind in about_answers):
            assert outputs_of(cell) == outputs_of(shared[cell.id]), cell.source


@each_lesson
def test_answers_and_hints_are_in_the_solutions_alone(lesson: Lesson) -> None:
    blank, solved = (notebooks.read(lesson, each) for each in (False, True))
    assert not any(has_tag(cell, "solution") for cell in blank.cells)
    assert any(has_tag(cell, "solution") for cell in solved.cells)
    assert "SOLUTION" not in "".join(cell.source for cell in [*blank.cells, *solved.cells])
