import re
import sys

import pytest

from explorative_user_env import validation as extras
from explorative_user_env.display import plots as plotting
from explorative_user_env.validation import MissingExtraError, how_to_get

PNG = b"\x89PNG\r\n"


def windows() -> list[int]:
    """The figures that Matplotlib keeps for a screen; other tests may have some."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    return pyplot.get_fignums() if pyplot else []


def test_a_figure_is_a_png_without_a_screen_or_a_global_state() -> None:
    pytest.importorskip("matplotlib")
    before = windows()
    figure = plotting.new_figure(2.0, 1.0)
    figure.subplots().plot([1, 2])
    assert plotting.as_png(figure).startswith(PNG)
    assert windows() == before


def test_without_matplotlib_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert not plotting.can_plot()
    with pytest.raises(MissingExtraError, match=re.escape(how_to_get("plot"))):
        plotting.new_figure(1.0, 1.0)


def test_a_picture_of_axes_is_that_of_their_figure() -> None:
    pytest.importorskip("matplotlib")
    axes = plotting.new_figure(2.0, 1.0).subplots()
    assert plotting.as_png(axes) == plotting.as_png(axes.figure)


def test_an_svg_has_a_title_letters_as_paths_and_the_same_bytes_at_any_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matplotlib = pytest.importorskip("matplotlib")

    def drawn() -> bytes:
        axes = plotting.new_figure(2.0, 1.0).subplots()
        axes.plot([1, 2])
        axes.fill_between([1, 2], [0, 1], [2, 3])
        axes.set_title("some words")
        return plotting.as_svg(axes, "a plot <of> δ")

    before = dict(matplotlib.rcParams)
    first = drawn()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert drawn() == first
    assert dict(matplotlib.rcParams) == before  # nobody else's figures change
    text = first.decode("utf-8")
    assert "<title>a plot &lt;of&gt; δ</title>" in text
    assert "<text" not in text
    assert "date" not in text.lower().replace("metadata", "")
