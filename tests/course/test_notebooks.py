"""The notebooks that are committed are what their sources give when they run."""

from typing import Any

import pytest

for needed in ("ipykernel", "jupytext", "matplotlib", "nbclient", "nbformat"):
    pytest.importorskip(needed, reason=f"{needed} is not installed")

import notebooks
from lesson_differences import differences
from lesson_runs import run
from lesson_sources import notebook_of, written
from matplotlib import pyplot

from explorative_user_env.teach import Lesson, Remark

pytestmark = [
    pytest.mark.slow,
    # What the tools of notebooks make of each other and of this machine's network.
    pytest.mark.filterwarnings("default"),
]

each_lesson = pytest.mark.parametrize("lesson", written(), ids=[each.name for each in written()])


@each_lesson
def test_a_committed_notebook_is_what_its_source_gives(lesson: Lesson) -> None:
    # The student's has the same cells and outputs, but for the exercises: another test says so.
    assert differences(notebooks.read(lesson, solved=True), run(lesson, solved=True)) == []


@each_lesson
def test_a_blank_notebook_runs_from_top_to_bottom(
    lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyplot.switch_backend("agg")  # there may be no screen, or somebody at it
    monkeypatch.setattr(pyplot, "show", lambda: pyplot.close("all"))
    written: Any = notebooks.read(lesson, solved=False)
    sources = [cell.source for cell in notebooks.code_cells(notebook_of(lesson, solved=False))]
    assert [cell.source for cell in notebooks.code_cells(written)] == sources
    with pyplot.rc_context():
        values = notebooks.values_of(written)
    said = [str(value) for value in values if isinstance(value, Remark)]
    assert said == [
        notebooks.remark_of(cell)
        for cell in notebooks.code_cells(written)
        if notebooks.CHECKS.search(cell.source) or notebooks.REVEALS.search(cell.source)
    ]
    assert all(" not yet: " in line for line in said)
