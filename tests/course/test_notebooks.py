"""Notebooks are made from sources, run from top to bottom, and quote what they compute."""

import functools
import json
import math
import re
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from build import run
from explorative_user_env.teach import LESSONS, exercises_of
from explorative_user_env.teach.notebooks import (
    FIGURES,
    notebook_files,
    notebook_of,
    read_source,
    with_answers,
)

FUNCTION = """def square(x):
    # BEGIN SOLUTION
    # | half = None  # what half of it is
    # | for _ in range(2):
    # |     ...
    return x * x
    # END SOLUTION
print(square(3))"""
SOLVED = "def square(x):\n    return x * x\nprint(square(3))"
BLANK = """def square(x):
    half = None  # what half of it is
    for _ in range(2):
        ...
print(square(3))"""
ONE = "# BEGIN SOLUTION\na = 1\n# END SOLUTION"
TURN = "...  # your turn"


def test_teachers_see_the_answer_and_students_what_is_written_for_them():
    assert with_answers(FUNCTION, solved=True) == SOLVED
    assert with_answers(FUNCTION, solved=False) == BLANK
    assert with_answers(f"{ONE}\nb = 2\n{ONE}", solved=False) == f"{TURN}\nb = 2\n{TURN}"
    begin, answer, end = ONE.split("\n")
    for lines in ([begin, answer], [answer, end], [begin, begin, answer, end], [answer]):
        with pytest.raises(ValueError, match=r"^the text needs a solution"):
            with_answers("\n".join(lines), solved=True)


SOURCE = f"""# %% [markdown]
# <!-- given: 2022 (year) -->
# # 9. Small
#
# - In 2022, of {{{{2 ** 3}}}}.
#   <!-- given: 11 (chapter) -->
# - Chapter 11.

# %% tags=["exercise"]
{ONE}

# %%
print(1)

# %%
print(1)

# %% [markdown] tags=["solution"]
# The answer.
"""


def test_a_notebook_has_the_same_cells_each_time_and_answers_for_teachers_alone():
    student, teacher = (notebook_of(SOURCE, ["8"], solved)["cells"] for solved in (False, True))
    assert student == notebook_of(SOURCE, ["8"], solved=False)["cells"]
    text = "# 9. Small\n\n- In 2022, of 8.\n- Chapter 11."
    assert [cell["source"] for cell in student] == [text, TURN, "print(1)", "print(1)"]
    solved = [text, "a = 1", "print(1)", "print(1)", "The answer."]
    assert [cell["source"] for cell in teacher] == solved
    ids = [cell["id"] for cell in teacher]
    assert len(set(ids)) == len(ids)
    assert [cell["id"] for cell in student][2:] == ids[2:4]
    assert student[1]["id"] != ids[1]


@pytest.mark.slow
def test_notebooks_are_those_of_the_format_and_import_what_the_extra_brings():
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")  # slow to import
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    brought = [*project["dependencies"], *project["optional-dependencies"]["course"]]
    libraries = {re.split("[>=<;]", each)[0].replace("-", "_") for each in brought}
    known = {"explorative_user_env", *libraries, *sys.stdlib_module_names}
    files = notebook_files(solutions=True)
    assert len(files) == 2 * len(LESSONS)
    for content in files.values():
        notebook = json.loads(content)
        nbformat.validate(nbformat.from_dict(notebook))
        code = "\n".join(c["source"] for c in notebook["cells"] if c["cell_type"] == "code")
        assert {*re.findall(r"(?m)^\s*(?:import|from) (\w+)", code)} <= known


@functools.cache
def ran(lesson, solved):
    from matplotlib import pyplot

    with pyplot.rc_context():
        return [*run(lesson, solved)]


def figures(lesson, solved):
    pages = [found for cell, found in ran(lesson, solved) if cell.kind == "markdown"]
    return [each for found in pages for each in found]


def said(lesson, solved, call):
    """What follows a call at the beginning of a line, and what is said of it."""
    for cell, value in ran(lesson, solved):
        if cell.kind == "code" and (match := re.search(rf"(?m)^{call}(?s:(...))", cell.text)):
            yield match[1], str(value)


def alike(text, other):
    """Whether two texts are the same, their numbers up to rounding."""
    number = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
    numbers = (map(float, re.findall(number, each.replace(",", ""))) for each in (text, other))
    return re.sub(number, "0", text) == re.sub(number, "0", other) and all(
        math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) for a, b in zip(*numbers, strict=True)
    )


FIRST, *OTHERS = LESSONS


@pytest.mark.slow
@pytest.mark.parametrize(
    "lesson",
    [FIRST, *(pytest.param(each, marks=pytest.mark.exhaustive) for each in OTHERS)],
    ids=lambda lesson: lesson.name,
)
def test_its_figures_are_as_computed_and_its_solutions_are_right(lesson):
    pairs = zip(figures(lesson, True), json.loads(read_source(FIGURES))[lesson.name], strict=True)
    assert [pair for pair in pairs if not alike(*pair)] == []
    # No sentence of a blank notebook rests on an answer.
    assert {*figures(lesson, False)} <= {*figures(lesson, True)}
    solved, blank = (dict(said(lesson, each, r'check_exercise\("')) for each in (True, False))
    for one in exercises_of(lesson.number):
        assert solved[one.number] == f"{one.number} is right: {one.shows}"
        assert blank[one.number].startswith(f"{one.number} not yet: ")
        assert one.asks in blank[one.number] or "blank" in blank[one.number]
    guesses = [[words for _, words in said(lesson, each, r"reveal\(")] for each in (True, False)]
    assert guesses[0]
    for told, asked in zip(*guesses, strict=True):
        assert re.match("your prediction is (right|wrong): ", told)
        assert asked.startswith("your prediction is missing: ")
