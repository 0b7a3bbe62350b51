"""The teachers' page says what the lessons are, and its agent is one that can be graded."""

import re
from pathlib import Path

import pytest

from explorative_user_env.teach import LESSONS, exercises_of
from explorative_user_env.teach.grade import Assignment, Key, grade
from explorative_user_env.teach.submission import GradingOutcome, Submission

COURSE = Path(__file__).parents[1] / "examples" / "course"
PAGE = (COURSE / "TEACHING.md").read_text(encoding="utf-8")
SOURCES = {
    int(path.name.split("_")[1]): path for path in sorted(COURSE.glob("sources/lesson_*.py"))
}
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| \d\. ", line)
]
LESSON_HEADINGS = [f"{each.number}. {each.title}" for each in LESSONS]
PLANS, EXAMS = ROWS[:6], ROWS[6:]


def minutes_of(source: str) -> int:
    """Return how long a lesson says it takes: in words, or as the sum of its plan."""
    if said := re.search(r"\*\*Time\*\* \((\d+) minutes\)", source):
        return int(said[1])
    plan = source.partition("| part | minutes |")[2].partition("# %%")[0]
    return sum(int(minutes) for minutes in re.findall(r"\| (\d+) \|$", plan, re.MULTILINE))


@pytest.mark.parametrize("lesson", SOURCES)
def test_what_it_says_of_a_lesson_is_so(lesson: int) -> None:
    source = SOURCES[lesson].read_text(encoding="utf-8")
    title, minutes, n_exercises, _ = PLANS[lesson - 1]
    assert title == LESSON_HEADINGS[lesson - 1]
    assert int(minutes) == minutes_of(source)
    assert int(n_exercises) == len(exercises_of(lesson))
    question = re.split(r"# ## (?:An exam|Exam) question\n", source)[1]
    assert EXAMS[lesson - 1][0] == title
    assert re.search(rf"\b{EXAMS[lesson - 1][1]}\b", question)


@pytest.mark.slow
def test_the_agent_that_it_shows_is_graded(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    path = tmp_path / "shown.py"
    path.write_text(shown)
    board = grade([Submission("shown", path)], Assignment(n_instances=20), Key("a key"))
    assert board.graded[0].outcome == GradingOutcome.GRADED
    bair = {name: points.value for name, points, _ in board.references}["BAIR"]
    assert board.graded[0].points.value < 55 < bair < 75, "as it says: a poor one, and some 65"
