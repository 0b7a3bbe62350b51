"""Lines that are compared differ in more than colour, and names are shown as they are."""

from itertools import pairwise
from typing import Any

import pytest

from explorative_user_env.display.plots import (
    dress,
    line_style,
    logarithmic,
    name_lines,
    plot_axes,
    spread_out,
    verbatim,
)

pytest.importorskip("matplotlib")


def labels_of(axes: Any, which: str) -> list[str]:
    axis = getattr(axes, f"{which}axis")
    low, high = axis.get_view_interval()
    places = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
    return [label.get_text() for place, label in places if low <= place <= high]


def test_no_two_of_many_lines_look_the_same_and_neighbours_differ_in_all() -> None:
    styles = [line_style(place) for place in range(280)]
    assert len({(style.colour, str(style.dashes), style.mark) for style in styles}) == 280
    for one, next_one in pairwise(styles):
        assert all(str(a) != str(b) for a, b in zip(one, next_one, strict=True))
    # Without colour, dashes and marks tell at least as many apart as there are colours.
    assert len({(str(style.dashes), style.mark) for style in styles[:35]}) == 35


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("BAIR", "BAIR"),
        ("costs $5 or $6", "costs $5 or $6"),
        (r"\alpha", r"\alpha"),
        ("two\nlines", "two lines"),
        ("_own", "_own"),
        ("n" * 40, "n" * 19 + "…"),
    ],
)
def test_a_name_is_drawn_as_it_is_and_no_formula(name: str, shown: str) -> None:
    axes = plot_axes(None)
    (line,) = axes.plot([1, 2])
    name_lines(axes, [(line, verbatim(name, 20))])
    legend: Any = axes.get_legend()
    (text,) = legend.get_texts()
    prepared, is_formula = text._preprocess_math(text.get_text())
    assert (prepared.strip(), is_formula) == (shown, False)


def test_titles_are_folded_between_words() -> None:
    axes = plot_axes(None)
    dress(axes, "users " * 30, "x", "y")
    lines = axes.get_title(loc="left").split("\n")
    assert len(lines) > 1
    assert set(" ".join(lines).split()) == {"users"}
    assert max(map(len, lines)) <= 62


def test_numbers_over_few_decades_are_written_out() -> None:
    axes = plot_axes(None)
    axes.plot([30, 1500], [1, 10**6])
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    assert labels_of(axes, "x") == ["50", "100", "200", "500", "1000"]
    assert "10^{4}" in "".join(labels_of(axes, "y"))


@pytest.mark.parametrize(
    ("least", "most", "is_so"), [(1, 19, False), (1, 21, True), (0, 1000, False), (-5, 1000, False)]
)
def test_what_spreads_over_more_than_twenty_times_is_seen_better_on_a_logarithmic_axis(
    least: float, most: float, is_so: bool
) -> None:
    assert spread_out(least, most) is is_so
