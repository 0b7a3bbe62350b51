"""The notebooks run from top to bottom, and their sentences quote what they compute."""

import re
from collections.abc import Iterator

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

import notebooks

from explorative_user_env.teach import LESSONS, Lesson, exercises_of

pytestmark = pytest.mark.slow

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=[each.name for each in LESSONS])


@pytest.fixture(autouse=True)
def _a_page_of_its_own() -> Iterator[None]:
    from matplotlib import pyplot

    with pyplot.rc_context():
        yield


@each_lesson
@pytest.mark.parametrize("solved", [True, False], ids=["solved", "blank"])
def test_the_figures_of_its_sentences_are_those_that_it_computes(
    lesson: Lesson, solved: bool
) -> None:
    committed = iter(notebooks.figures_of(lesson))
    if solved:
        pairs = [(found, next(committed)) for found in figures(lesson, True)]
        assert next(committed, None) is None
        assert [pair for pair in pairs if not notebooks.alike(*pair)] == []
    else:  # no sentence of a blank notebook rests on an answer
        assert {*figures(lesson, False)} <= {*figures(lesson, True)}


def figures(lesson: Lesson, solved: bool) -> list[str]:
    ran = notebooks.ran(lesson, solved)
    return [each for cell, found in ran if cell.kind == "markdown" for each in found]


@each_lesson
def test_solutions_are_all_right_and_blanks_are_told_what_is_asked_for(lesson: Lesson) -> None:
    solved, blank = (notebooks.remarks(lesson, each) for each in (True, False))
    for one in exercises_of(lesson.number):
        assert solved[one.number] == f"{one.number} is right: {one.shows}"
        assert blank[one.number].startswith(f"{one.number} not yet: ")
        assert one.asks in blank[one.number] or "blank" in blank[one.number]
    guesses = [notebooks.guesses(lesson, each) for each in (True, False)]
    assert guesses[0]
    for told, asked in zip(*guesses, strict=True):
        assert re.match("your prediction is (right|wrong): ", told)
        assert asked.startswith("your prediction not yet: make it first: ")
