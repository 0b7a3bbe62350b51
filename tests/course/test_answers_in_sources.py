"""In every source each exercise is asked, its solution is right, its blank is told what to do."""

import re

import pytest
from lesson_answers import answers_in

pytest.importorskip("jupytext", reason="jupytext is not installed")
pytest.importorskip("nbformat", reason="nbformat is not installed")

from lesson_sources import cells_of, written

from explorative_user_env.course import Lesson, check_exercise, exercises_of

CHECKED = re.compile(r"check_exercise\(\"(\d\.\d)\", (\w+)\)")

each_lesson = pytest.mark.parametrize("lesson", written(), ids=[each.topic for each in written()])


def asked_in(lesson: Lesson) -> dict[str, str]:
    """Return what the answer to each exercise is called."""
    code = "\n".join(cell.source for cell in cells_of(lesson) if cell.cell_type == "code")
    return dict(CHECKED.findall(code))


@each_lesson
def test_every_exercise_is_asked_once_in_its_order(lesson: Lesson) -> None:
    assert [*asked_in(lesson)] == [each.number for each in exercises_of(lesson.number)]


@each_lesson
def test_its_solutions_are_right(lesson: Lesson) -> None:
    answers = answers_in(lesson.number, solved=True)
    for number, name in asked_in(lesson).items():
        remark = check_exercise(number, answers[name])
        assert remark.right, remark


@each_lesson
def test_its_blanks_are_told_what_to_do(lesson: Lesson) -> None:
    answers = answers_in(lesson.number, solved=False)
    asks = {each.number: each.asks for each in exercises_of(lesson.number)}
    for number, name in asked_in(lesson).items():
        remark = check_exercise(number, answers[name])
        assert not remark.right
        assert asks[number] in remark.words or "blank" in remark.words
