"""Round numbers along an axis."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.show.scene import LITTLE, axis_of, rounded_out
from explorative_user_env.show.shapes import width_of

ENDS = st.floats(-1e9, 1e9)


@given(ENDS, st.floats(0.0, 1e6), st.floats(100, 1000))
def test_ticks_stand_where_their_words_say_and_apart(low: float, wide: float, room: float) -> None:
    axis = axis_of((low, low + wide), 10.0, 10.0 + room)
    assert axis.low < low <= low + wide < axis.high
    free = axis.left
    for x, words in axis.ticks:
        half = width_of(words, LITTLE) / 2
        assert free <= x - half
        assert x + half <= axis.right
        free = x + half
        written = abs(float(words) - (axis.low + (x - axis.left) / room * (axis.high - axis.low)))
        assert written <= 0.01 * (axis.high - axis.low) + 5e-4 * abs(float(words))


@pytest.mark.parametrize(
    ("span", "words"),
    [
        ((0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ((-1e-3, 1e-3), ["-0.0005", "0.0000", "0.0005"]),
        ((-990.0, 1010.0), ["-500", "0", "500"]),
        ((5.0, 5.0), ["4.6", "4.8", "5.0", "5.2", "5.4"]),
    ],
)
def test_ticks_are_round(span: tuple[float, float], words: list[str]) -> None:
    assert [text for _, text in axis_of(span, 0.0, 260.0).ticks] == words


def test_a_place_beyond_an_end_is_at_that_end() -> None:
    axis = axis_of((0.0, 1.0), 0.0, 108.0)
    assert [axis.place(x) for x in (-float("inf"), -9.0, 0.0, 0.5, 1.0, float("inf"))] == (
        pytest.approx([0.0, 0.0, 4.0, 54.0, 104.0, 108.0])
    )


@given(ENDS, st.floats(0.0, 1e6))
def test_a_span_with_round_ends_holds_the_span_and_not_much_more(low: float, wide: float) -> None:
    high = low + wide
    least, largest = rounded_out((low, high))
    slack = 1e-9 * max(abs(low), abs(high))
    assert least - slack <= low <= high <= largest + slack
    assert largest - least <= 1.7 * (high - low) + slack


def test_a_span_with_round_ends_stays_as_intervals_shrink() -> None:
    spans = {rounded_out((-1.0 - 0.01 * step, 2.0 + 0.01 * step)) for step in range(1, 50)}
    assert spans == {(-1.5, 2.5)}
