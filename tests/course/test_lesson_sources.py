"""A source gives the student's notebook and the teacher's, and quotes no number by hand."""

import re

import pytest
from notebooks import bare_numbers

from explorative_user_env.teach import LESSONS, Lesson
from explorative_user_env.teach.notebooks import (
    GIVEN,
    cells_of,
    notebook_of,
    read_source,
    with_answers,
)

FUNCTION = """def square(x):
    # BEGIN SOLUTION
    # | half = None  # what half of it is
    # | for _ in range(2):
    # |     ...
    half = x / 2
    return 4 * half * half
    # END SOLUTION
print(square(3))"""


def test_the_teacher_sees_the_answer_alone() -> None:
    assert with_answers(FUNCTION, solved=True) == (
        "def square(x):\n    half = x / 2\n    return 4 * half * half\nprint(square(3))"
    )


def test_the_student_sees_what_is_written_for_her() -> None:
    assert with_answers(FUNCTION, solved=False) == (
        "def square(x):\n    half = None  # what half of it is\n"
        "    for _ in range(2):\n        ...\nprint(square(3))"
    )


def test_where_nothing_is_written_for_her_it_is_her_turn() -> None:
    text = "def f():\n    # BEGIN SOLUTION\n    return 1\n    # END SOLUTION"
    assert with_answers(text, solved=False) == "def f():\n    ...  # your turn"


def test_there_may_be_several_answers_in_a_cell() -> None:
    one = "# BEGIN SOLUTION\na = 1\n# END SOLUTION"
    assert with_answers(f"{one}\nb = 2\n{one}", False).count("# your turn") == 2


@pytest.mark.parametrize(
    "text",
    [
        "# BEGIN SOLUTION\na = 1",
        "a = 1\n# END SOLUTION",
        "# BEGIN SOLUTION\n# BEGIN SOLUTION\na = 1\n# END SOLUTION",
        "a = 1",
    ],
)
def test_an_answer_that_has_no_end_or_no_beginning_is_no_exercise(text: str) -> None:
    with pytest.raises(ValueError, match=r"partner|no answer"):
        with_answers(text, solved=True)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("She is asked 478 times, and .5 or 3.5 a day.", ["478", "3.5"]),
        ("She is asked {{episode.stopping_time + 10:.2f}} times, by 5 arms.", []),
        ("# Lesson of 2022\n\nIn 2022.", ["2022"]),
        ("`x = 10`, $10$, $$\n20\n$$ and [page 30](a50.html), Exercise 2.1, <!-- 77 -->", []),
        ("```python\nx = 10\n```", []),
        ("<!-- given: 2022 (year), 16 (chapter) -->\nIn 2022, chapter 16, page 17.", ["17"]),
        ("<!-- given: 2022 (year) -->\nLast year.", ["2022 (given)"]),
    ],
)
def test_numbers_that_nothing_computes_are_found(text: str, bare: list[str]) -> None:
    assert bare_numbers(text) == bare


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("- One,\n  <!-- given: 11 (chapter) -->\n- two.", "- One,\n- two."),
        ("<!-- given: 11 (chapter) -->\n\nChapter 11.", "\nChapter 11."),
        ("In <!-- given: 11 (chapter) -->chapter 11.", "In chapter 11."),
    ],
)
def test_what_is_given_leaves_nothing_behind_that_indents_the_next_line(
    text: str, left: str
) -> None:
    assert GIVEN.sub("", text) == left


@pytest.mark.parametrize("lesson", LESSONS, ids=[each.name for each in LESSONS])
def test_no_line_within_a_paragraph_begins_as_a_list_does(lesson: Lesson) -> None:
    cells = cells_of(read_source(f"{lesson.name}.py"))
    texts = [cell.text for cell in cells if cell.kind == "markdown"]
    begun = re.compile(r"^(?![-*>|#\d ])[^\n]+\n(\d+[.)] [^\n]*)", re.MULTILINE)
    assert [found for text in texts for found in begun.findall(text)] == []


SOURCE = """# %% [markdown]
# <!-- given: 2022 (year) -->
# # 9. Small
#
# In 2022, of {{2 ** 3}}.

# %% tags=["exercise"]
# BEGIN SOLUTION
x = 1
# END SOLUTION

# %%
print(1)

# %%
print(1)

# %% [markdown] tags=["solution"]
# The answer.
"""


def test_a_notebook_has_the_same_cells_each_time_and_answers_for_teachers_alone() -> None:
    student, teacher = (notebook_of(SOURCE, ["8"], solved)["cells"] for solved in (False, True))
    assert student == notebook_of(SOURCE, ["8"], solved=False)["cells"]
    assert [cell["source"] for cell in student] == [
        "# 9. Small\n\nIn 2022, of 8.",
        "...  # your turn",
        "print(1)",
        "print(1)",
    ]
    assert [cell["source"] for cell in teacher[1:]] == [
        "x = 1",
        "print(1)",
        "print(1)",
        "The answer.",
    ]
    ids = [cell["id"] for cell in teacher]
    assert len(set(ids)) == len(ids)
    assert [cell["id"] for cell in student][2:] == ids[2:4]
    assert student[1]["id"] != ids[1]
