"""A notebook that is not what its source gives is found, and rounding is no difference."""

from collections.abc import Callable
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")

from lesson_differences import alike, differences


def page(text: str = "success .95", shown: str = "0.30000000000000004 s", png: str = "abc") -> Any:
    """A notebook with a sentence, something printed and a picture."""
    new = nbformat.v4
    outputs = [
        new.new_output("stream", name="stdout", text=shown),
        new.new_output("display_data", data={"image/png": png, "text/plain": "<Figure>"}),
    ]
    code = new.new_code_cell("print(x)", outputs=outputs, id="code")
    return new.new_notebook(cells=[new.new_markdown_cell(text, id="text"), code])


def without_picture(made: Any) -> None:
    del made.cells[1].outputs[1]


def another_kind(made: Any) -> None:
    made.cells[1].outputs[1].data["image/svg+xml"] = "<svg/>"


def another_code(made: Any) -> None:
    made.cells[1].source = "print(y)"


def another_tag(made: Any) -> None:
    made.cells[1].metadata["tags"] = ["exercise"]


def one_cell(made: Any) -> None:
    del made.cells[1]


def test_rounding_and_how_a_picture_is_painted_are_no_difference() -> None:
    assert differences(page(), page(shown="0.3 s", png="def")) == []


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (page(text="success .96"), "it says 'success .95', the source gives 'success .96'"),
        (page(text="success .9"), "it says"),
        (page(shown="0.31 s"), "it shows '0.30000000000000004 s', run again '0.31 s'"),
        (page(shown="0.3 steps"), "run again '0.3 steps'"),
    ],
)
def test_other_words_and_other_figures_are(now: Any, words: str) -> None:
    (line,) = differences(page(), now)
    assert words in line


@pytest.mark.parametrize(
    "change", [without_picture, another_kind, another_code, another_tag, one_cell]
)
def test_other_cells_and_other_pictures_are(change: Callable[[Any], None]) -> None:
    now = page()
    change(now)
    assert len(differences(page(), now)) == 1


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("1 of 3", "1 of 3", True),
        ("1 of 3", "1 of 4", False),
        ("1 of 3", "1 of 3 .", False),
        ("1.0000000001e-05", "1e-05", True),
        ("-1.5", "1.5", False),
        ("a-1", "a-1", True),
    ],
)
def test_numbers_in_words_are_compared_up_to_rounding(text: str, other: str, same: bool) -> None:
    assert alike(text, other) == same
