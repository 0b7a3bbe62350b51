"""A source that runs: its figures are put in, and what would differ tomorrow is refused."""

from pathlib import Path
from typing import Any

import pytest

for needed in ("ipykernel", "jupytext", "nbclient", "nbformat"):
    pytest.importorskip(needed, reason=f"{needed} is not installed")

import lesson_sources
import nbformat
from lesson_runs import METADATA, run, steady, text_of

from explorative_user_env.teach import Lesson

SOURCE = """# %% [markdown]
# # 9. Small

# %%
import os, sys
table = {"a": [1, 2.5], 'b': 7}
print(os.listdir(), file=sys.stderr)
table["b"]

# %% [markdown]
# It is {{table["a"][1]:.2f}}, and {{table['b'] + 1}} of {{len(table)}}; $x^{2}$ is left alone.

# %%
table = {"a": [0, 0], "b": 0}
print(open("new", "w").name)

# %% [markdown]
# Now it is {{table["b"]}}.
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # what Jupyter's tools make of each other
def test_figures_are_those_of_the_cells_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson_sources, "HERE", tmp_path)
    monkeypatch.chdir(tmp_path)
    lesson = Lesson(9, "small", "Small")
    lesson_sources.source_of(lesson).parent.mkdir()
    lesson_sources.source_of(lesson).write_text(SOURCE)
    notebook = run(lesson, solved=True)
    _, first, sentence, second, last = notebook.cells
    assert sentence.source == "It is 2.50, and 8 of 2; $x^{2}$ is left alone."
    assert last.source == "Now it is 0."
    assert [first.execution_count, second.execution_count] == [1, 2]
    (shown,) = first.outputs  # what is said to who waits is no output
    assert (shown.data["text/plain"], shown.execution_count) == ("7", 1)
    assert notebook.metadata == METADATA
    assert nbformat.reads(text_of(notebook), as_version=4).cells[2].source == sentence.source
    assert not (tmp_path / "new").exists()  # notebooks run in a folder of their own


def cell_with(*outputs: Any) -> Any:
    return nbformat.v4.new_code_cell("f()", outputs=list(outputs))


def test_a_cell_that_warns_is_refused() -> None:
    told = nbformat.v4.new_output("stream", name="stderr", text="a.py:1: FutureWarning: soon")
    with pytest.raises(ValueError, match="this cell warns"):
        steady(cell_with(told), 1)


def test_a_place_in_memory_is_refused() -> None:
    data = {"text/plain": "<function f at 0x7f3a>"}
    with pytest.raises(ValueError, match="in memory:\nf"):
        steady(cell_with(nbformat.v4.new_output("execute_result", data=data)), 1)


def test_bars_that_have_done_their_work_go() -> None:
    bar = {"text/plain": "", "text/html": ""}
    kept = nbformat.v4.new_output("stream", name="stdout", text="0x12 is a number")
    shown = nbformat.v4.new_output("display_data", data=bar)
    assert steady(cell_with(shown, kept), 1) == [kept]
