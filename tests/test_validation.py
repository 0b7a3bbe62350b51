import math
import pickle
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.validation import (
    LARGEST_COUNT,
    LEAST_RISK,
    InvalidArgumentError,
    choice,
    finite_vector,
    flag,
    integer,
    not_negative,
    number_or_word,
    positive,
    probability,
    risk,
)

CHECKS: dict[str, Callable[[Any], Any]] = {
    "integer": lambda value: integer("x", value, 0),
    "bounded integer": lambda value: integer("x", value, 0, 9),
    "positive": lambda value: positive("x", value),
    "not negative": lambda value: not_negative("x", value),
    "probability": lambda value: probability("x", value),
    "risk": lambda value: risk("x", value),
    "finite_vector": lambda value: finite_vector("x", value, 2),
    "choice": lambda value: choice("x", value, ("a", "b")),
    "flag": lambda value: flag("x", value),
}


def is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


ALLOWED: dict[str, Callable[[Any], bool]] = {
    "integer": lambda value: type(value) is int and 0 <= value <= LARGEST_COUNT,
    "bounded integer": lambda value: type(value) is int and value in range(10),
    "positive": lambda value: is_number(value) and value > 0,
    "not negative": lambda value: is_number(value) and value >= 0,
    "probability": lambda value: is_number(value) and 0 <= value <= 1,
    "risk": lambda value: is_number(value) and LEAST_RISK <= value < 1,
    "finite_vector": lambda value: (
        type(value) is list and len(value) == 2 and all(map(is_number, value))
    ),
    "choice": lambda value: type(value) is str and value in {"a", "b"},
    "flag": lambda value: value is True or value is False,
}
"""What passes of the values below."""

words = st.text("ab1 .\n\r\t\x1c\x85\u2028é", max_size=5)  # all that could break a line
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-1, 11),
    st.sampled_from([10**400, -(10**400), math.nan, math.inf, -math.inf, 0.0, 1.0, 5e-324]),
    st.floats(),
    st.floats(-0.5, 1.5),
    st.complex_numbers(),
    words,
    words.map(str.encode),
    st.sampled_from([np.bool_(True), np.array(1.0), np.array(True), np.zeros((2, 2)), object]),
)
anything = scalars | st.lists(scalars, max_size=3) | st.dictionaries(words, scalars, max_size=3)


@given(value=anything)
@pytest.mark.parametrize("check", CHECKS)
def test_a_value_that_is_allowed_passes_and_any_other_is_refused_in_one_line(
    check: str, value: Any
) -> None:
    if ALLOWED[check](value):
        assert CHECKS[check](value) == value
        return
    with pytest.raises(InvalidArgumentError, match=r"^x must be .*, got ") as caught:
        CHECKS[check](value)
    assert len(str(caught.value).splitlines()) == 1


@given(pair=st.lists(st.floats(LEAST_RISK, 1, exclude_max=True), min_size=2, max_size=2))
def test_numbers_that_are_allowed_are_kept_to_the_bit(pair: list[float]) -> None:
    assert finite_vector("x", pair, 2) == pair
    for check in (positive, not_negative, probability, risk):
        assert [check("x", number) for number in pair] == pair


def test_the_text_of_a_long_value_is_cut() -> None:
    error = InvalidArgumentError("x", list(range(1000)), "short")
    assert str(error).startswith("x must be short, got [0, 1, 2, 3, ")
    assert str(error).endswith("...")
    assert len(str(error)) < 250


@pytest.mark.parametrize("value", [3, np.int64(3), np.int8(3), np.uint8(3)])
def test_any_integer_becomes_an_int(value: Any) -> None:
    assert type(integer("x", value, 0, 3)) is int
    assert integer("x", value, 3) == 3


@pytest.mark.parametrize("value", [True, np.True_, 1.0, np.float64(1.0), "1", None, [1]])
def test_what_is_not_an_integer_is_refused(value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"x must be an integer in 0\.\.4, got"):
        integer("x", value, 0, 4)


@pytest.mark.parametrize(
    ("value", "most"),
    [(-1, 4), (5, 4), (-1, 2**53), (10**30, 2**53)],
)
def test_an_integer_out_of_range_is_refused(value: int, most: int) -> None:
    with pytest.raises(InvalidArgumentError, match=f"x must be an integer .*, got {value}"):
        integer("x", value, 0, most)


def test_the_message_has_the_argument_what_is_allowed_and_the_value() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^x must be an integer in 0\.\.4, got 7$"):
        integer("x", np.int64(7), 0, 4)
    assert issubclass(InvalidArgumentError, ValueError)


def test_the_error_survives_the_way_back_from_a_worker_process() -> None:
    error = InvalidArgumentError("alpha", -1.0, "a finite number above 0")
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is InvalidArgumentError
    assert str(copied) == str(error) == "alpha must be a finite number above 0, got -1.0"


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2.0), np.int64(2), Fraction(2)])
def test_any_real_number_becomes_a_float(value: Any) -> None:
    assert positive("x", value) == 2.0
    assert type(positive("x", value)) is float


@pytest.mark.parametrize("value", [0, 0.0, -1.0, math.nan, math.inf, True, "1", None, 1j])
def test_positive_refuses_the_rest(value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="x must be a finite number above 0, got"):
        positive("x", value)


def test_a_probability_may_be_zero_or_one_and_a_risk_may_not() -> None:
    for value in (0.0, 1.0):
        assert probability("x", value) == value
        with pytest.raises(InvalidArgumentError, match=r"x must be a number in \(0, 1\), got"):
            risk("x", value)
    assert probability("x", 0.25) == risk("x", 0.25) == 0.25
    with pytest.raises(InvalidArgumentError, match=r"^x must be at least 1e-300, got 1e-301$"):
        risk("x", 1e-301)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, "0.5", None, False])
def test_a_probability_out_of_range_is_refused(value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"x must be a number in \[0, 1\], got"):
        probability("x", value)
    with pytest.raises(InvalidArgumentError, match=r"x must be a number in \(0, 1\), got"):
        risk("x", value)


@pytest.mark.parametrize("values", [[1, 2], (1.0, 2.0), range(1, 3), np.array([1, 2])])
def test_a_row_of_numbers_becomes_a_list_of_floats(values: Any) -> None:
    vector = finite_vector("x", values, 2)
    assert vector == [1.0, 2.0]
    assert {type(value) for value in vector} == {float}


@pytest.mark.parametrize("values", [[1.0], (1.0, 2.0, 3.0), [], np.array([1.0])])
def test_a_row_of_the_wrong_length_is_refused(values: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"x must be 2 finite numbers"):
        finite_vector("x", values, 2)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("row", [list, tuple, np.array, lambda row: np.array(row, np.float32)])
def test_every_number_of_a_row_must_be_finite(row: Callable[[Any], Any], number: float) -> None:
    for values in ([1.0, number], [number, 1.0]):
        with pytest.raises(InvalidArgumentError, match="x must be 2 finite numbers, got"):
            finite_vector("x", row(values), 2)


@pytest.mark.parametrize("values", [np.array([[1.0, 2.0]]), np.array(1.0), {1.0, 2.0}, "12", 5])
def test_what_is_not_a_row_of_numbers_is_refused(values: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="x must be 2 finite numbers, got"):
        finite_vector("x", values, 2)


def test_a_choice_is_one_of_the_words() -> None:
    assert choice("x", "b", ("b", "a")) == "b"
    with pytest.raises(InvalidArgumentError, match=r"^x must be one of a, b, got 'c'$"):
        choice("x", "c", ("b", "a"))


@pytest.mark.parametrize(("text", "read"), [("1.5", 1.5), ("1e-2", 0.01), ("fast", "fast")])
def test_a_number_is_read_as_one_and_a_word_as_it_is(text: str, read: object) -> None:
    assert number_or_word(text) == read


def test_an_argument_can_be_spelled_as_elsewhere_also_on_the_way_back_from_a_worker() -> None:
    error = InvalidArgumentError("n_arms", 1, "at least 2, as n_arms is a number")
    for told in (error, pickle.loads(pickle.dumps(error))):
        spelled = "--n-arms must be at least 2, as n_arms is a number, got 1"
        assert told.spelled({"n_arms": "--n-arms"}) == spelled
        assert told.spelled({"gap": "--gap"}) == str(error)
