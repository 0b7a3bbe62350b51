"""Arguments are checked alike everywhere: what is allowed passes, the rest is one line."""

import math
import pickle
import sys
from fractions import Fraction
from functools import partial

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


def is_number(value):
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


CHECKS = {
    "an integer of at least 0": (
        *(integer, (0,)),
        lambda value: type(value) is int and 0 <= value <= LARGEST_COUNT,
    ),
    "an integer in 0..9": (
        *(integer, (0, 9)),
        lambda value: type(value) is int and value in range(10),
    ),
    "a finite number above 0": (positive, (), lambda value: is_number(value) and value > 0),
    "a finite number of at least 0": (
        *(not_negative, ()),
        lambda value: is_number(value) and value >= 0,
    ),
    "a number in [0, 1]": (probability, (), lambda value: is_number(value) and 0 <= value <= 1),
    "a number in (0, 1)": (risk, (), lambda value: is_number(value) and LEAST_RISK <= value < 1),
    "2 finite numbers": (
        *(finite_vector, (2,)),
        lambda value: type(value) is list and len(value) == 2 and all(map(is_number, value)),
    ),
    "one of a, b": (
        *(choice, (("b", "a"),)),
        lambda value: type(value) is str and value in {"a", "b"},
    ),
    "True or False": (flag, (), lambda value: value is True or value is False),
}
"""By what is allowed: the check, its arguments, and which of the values below pass."""

words = st.text("ab1 .\n\r\t\x1c\x85\u2028é", max_size=5)  # all that could break a line
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-1, 11),
    st.sampled_from([10**400, -(10**400), math.nan, math.inf, -math.inf, 0.0, 1.0, 5e-324, 1j]),
    st.floats(),
    st.floats(-0.5, 1.5),
    words,
    st.sampled_from([b"a", np.bool_(True), np.array(1.0), np.array(True), np.zeros((2, 2))]),
)
anything = scalars | st.lists(scalars, max_size=3) | st.dictionaries(words, scalars, max_size=3)


@given(value=anything)
@pytest.mark.parametrize("allowed", CHECKS)
def test_an_allowed_value_passes_and_any_other_is_refused_in_one_line(allowed, value):
    check, given, passes = CHECKS[allowed]
    if passes(value):
        assert check("x", value, *given) == value
        return
    with pytest.raises(InvalidArgumentError, match=r"^x must be .*, got ") as caught:
        check("x", value, *given)
    assert len(str(caught.value).splitlines()) == 1
    numbers = {f"an integer in 0..{LARGEST_COUNT}", f"at least {LEAST_RISK:g}"}
    assert caught.value.allowed in {allowed, *numbers}


@pytest.mark.parametrize(
    ("check", "inside", "outside"),
    [
        (partial(integer, least=1, most=4), [1, 4], [0, 5]),
        (partial(integer, least=0), [0, LARGEST_COUNT], [-1, LARGEST_COUNT + 1]),
        (positive, [5e-324], [0.0]),
        (not_negative, [0.0], [-5e-324]),
        (probability, [0.0, 1.0], [-5e-324, 1.0000001]),
        (risk, [LEAST_RISK, 0.9999999], [0.0, 1e-301, 1.0]),
    ],
)
def test_the_ends_of_a_range_are_in_it_or_not(check, inside, outside):
    assert [check("x", value) for value in inside] == inside
    for value in outside:
        with pytest.raises(InvalidArgumentError, match=r"^x must be "):
            check("x", value)


def test_numbers_of_other_types_become_plain_ones():
    for whole in (3, np.int64(3), np.int8(3), np.uint8(3)):
        assert integer("x", whole, 3, 3) == 3
        assert type(integer("x", whole, 0)) is int
    for real in (2, np.float32(2.0), np.int64(2), Fraction(2)):
        assert positive("x", real) == 2.0
        assert type(positive("x", real)) is float
    rows = [[1, 2], (1.0, 2.0), range(1, 3), np.array([1, 2]), np.array([1.0, 2.0])]
    for row in rows:
        vector = finite_vector("x", row, 2)
        assert vector == [1.0, 2.0]
        assert {type(value) for value in vector} == {float}


def test_a_row_that_is_not_of_two_finite_numbers_is_refused():
    arrays = [np.array(row) for row in ([1.0, math.nan], [1.0, math.inf], [1.0], [[1.0, 2.0]])]
    for row in (*arrays, np.array(1.0), (1.0, math.nan), {1.0, 2.0}, "12"):
        with pytest.raises(InvalidArgumentError, match=r"^x must be 2 finite numbers, got"):
            finite_vector("x", row, 2)


def test_an_error_is_short_and_survives_the_way_back_from_a_worker_with_its_argument():
    assert issubclass(InvalidArgumentError, ValueError)
    assert len(str(InvalidArgumentError("x", [*range(1000)], "short"))) < 250
    error = InvalidArgumentError("n_arms", 1, "at least 2, as n_arms is a number")
    for told in (error, pickle.loads(pickle.dumps(error))):
        assert type(told) is InvalidArgumentError
        assert str(told) == "n_arms must be at least 2, as n_arms is a number, got 1"
        spelled = "--n-arms must be at least 2, as n_arms is a number, got 1"
        assert told.spelled({"n_arms": "--n-arms"}) == spelled
        assert told.spelled({"gap": "--gap"}) == str(error)


def test_a_number_is_read_as_one_and_a_word_as_it_is():
    assert [number_or_word(text) for text in ("1.5", "1e-2", "fast")] == [1.5, 0.01, "fast"]
