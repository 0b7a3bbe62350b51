"""What every notebook of the course has, before it runs."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")

import notebooks

from explorative_user_env.teach import LESSONS, Lesson, exercises_of
from explorative_user_env.teach.notebooks import cells_of, notebook_files, read_source

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "examples" / "course" / "sources"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=[each.name for each in LESSONS])
each_notebook = pytest.mark.parametrize("solved", [False, True], ids=["blank", "solved"])


def test_every_lesson_of_the_table_of_contents_has_a_source_and_no_other() -> None:
    assert {path.stem for path in SOURCES.glob("*.py")} == {each.name for each in LESSONS}


def test_notebooks_are_those_of_the_format() -> None:
    files = notebook_files(solutions=True)
    assert len(files) == 2 * len(LESSONS)
    for content in files.values():
        nbformat.validate(nbformat.from_dict(json.loads(content)))


@each_lesson
@each_notebook
def test_it_has_one_title_which_is_its_name_in_the_table_of_contents(
    lesson: Lesson, solved: bool
) -> None:
    titles = re.findall(r"^# (.+)$", notebooks.prose(lesson, solved), re.MULTILINE)
    assert titles == [f"{lesson.number}. {lesson.title}"]


@each_lesson
@each_notebook
def test_no_cell_is_empty(lesson: Lesson, solved: bool) -> None:
    assert all(cell["source"].strip() for cell in notebooks.cells(lesson, solved))


@each_lesson
@each_notebook
def test_it_imports_what_the_extra_brings_and_no_more(lesson: Lesson, solved: bool) -> None:
    brought = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["course"]]
    libraries = {re.split("[>=<;]", each)[0].replace("-", "_") for each in brought}
    known = {"explorative_user_env", *libraries, *sys.stdlib_module_names}
    assert notebooks.imported(notebooks.code(lesson, solved)) - known == set()


@each_lesson
def test_every_figure_in_a_sentence_is_computed(lesson: Lesson) -> None:
    source = read_source(f"{lesson.name}.py")
    texts = [cell.text for cell in cells_of(source) if cell.kind == "markdown"]
    assert {number: text for text in texts for number in notebooks.bare_numbers(text)} == {}
    assert source.count("{{") == len(notebooks.figures_of(lesson)) >= 3
    assert "{{" not in notebooks.prose(lesson, True)


@each_lesson
def test_it_has_what_a_class_needs(lesson: Lesson) -> None:
    codes = "\n\n".join(notebooks.code(lesson, False))
    numbers = [one.number for one in exercises_of(lesson.number)]
    assert 3 <= len(numbers) <= 5
    assert notebooks.CHECKS.findall(codes) == numbers
    assert notebooks.REVEALS.search(codes)
    words = notebooks.prose(lesson, False).lower()
    for needed in ("minutes", "exam question", "seed", "lattimore", "slivkins", "sutton"):
        assert needed in words, needed


@each_lesson
def test_what_is_no_exercise_is_the_same_for_students_and_teachers(lesson: Lesson) -> None:
    solved, blank = (notebooks.cells(lesson, each) for each in (True, False))
    shared = {cell["id"]: cell for cell in solved if "solution" not in tags_of(cell)}
    for cell in blank:
        if "exercise" in tags_of(cell):
            assert cell["id"] not in shared
        else:
            assert cell["source"] == shared[cell["id"]]["source"]


@each_lesson
def test_answers_and_hints_are_in_the_solutions_alone(lesson: Lesson) -> None:
    blank, solved = (notebooks.cells(lesson, each) for each in (False, True))
    assert not any("solution" in tags_of(cell) for cell in blank)
    assert any("solution" in tags_of(cell) for cell in solved)
    assert "SOLUTION" not in "".join(cell["source"] for cell in [*blank, *solved])


def tags_of(cell: dict[str, dict[str, list[str]]]) -> list[str]:
    return cell["metadata"].get("tags", [])
