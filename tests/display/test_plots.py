"""Figures need no screen; lines differ in more than colour, and names are no formulas."""

from itertools import pairwise

import pytest

from explorative_user_env.display import plots

matplotlib = pytest.importorskip("matplotlib")

PNG = b"\x89PNG\r\n"


def test_a_figure_is_a_png_without_a_screen_or_a_global_state():
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    figure = plots.new_figure(2.0, 1.0)
    axes = figure.subplots()
    axes.plot([1, 2])
    assert plots.as_png(figure).startswith(PNG)
    assert plots.as_png(axes) == plots.as_png(figure)
    assert pyplot.get_fignums() == before


def test_an_svg_has_a_title_letters_as_paths_and_the_same_bytes_at_any_time(monkeypatch):
    def drawn():
        axes = plots.new_figure(2.0, 1.0).subplots()
        axes.plot([1, 2])
        axes.fill_between([1, 2], [0, 1], [2, 3])
        axes.set_title("some words")
        return plots.as_svg(axes, "a plot <of> δ")

    before = dict(matplotlib.rcParams)
    first = drawn()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert drawn() == first
    assert dict(matplotlib.rcParams) == before  # nobody else's figures change
    text = first.decode("utf-8")
    assert "<title>a plot &lt;of&gt; δ</title>" in text
    assert "<text" not in text
    assert "date" not in text.lower().replace("metadata", "")


def test_an_axis_is_logarithmic_where_values_spread_over_more_than_twenty_times():
    assert plots.spread_out(1, 21)
    assert not any(plots.spread_out(*ends) for ends in ((1, 19), (0, 1000), (-5, 1000)))


def test_no_two_of_many_lines_look_the_same_and_neighbours_differ_in_all():
    styles = [plots.line_style(place) for place in range(280)]
    assert len({(style.colour, str(style.dashes), style.mark) for style in styles}) == 280
    for one, next_one in pairwise(styles):
        assert all(str(a) != str(b) for a, b in zip(one, next_one, strict=True))
    # Without colour, dashes and marks tell at least as many apart as there are colours.
    assert len({(str(style.dashes), style.mark) for style in styles[:35]}) == 35


def test_a_name_is_drawn_as_it_is_and_no_formula():
    names = ("costs $5 or $6", r"\alpha", "_own", "two\nlines", "n" * 40)
    shown = (*names[:3], "two lines", "n" * 19 + "…")
    axes = plots.plot_axes(None)
    lines = [(axes.plot([1, 2])[0], plots.verbatim(name, 20)) for name in names]
    plots.name_lines(axes, lines)
    for text, name in zip(axes.get_legend().get_texts(), shown, strict=True):
        prepared, is_formula = text._preprocess_math(text.get_text())
        assert (prepared.strip(), is_formula) == (name, False)
