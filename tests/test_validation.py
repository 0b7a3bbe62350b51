"""Arguments are checked alike everywhere: what is allowed passes, the rest is one line."""

import math
import pickle
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env import validation
from explorative_user_env.validation import LARGEST_COUNT, LEAST_RISK, InvalidArgumentError


def is_real(value):
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def is_count(value):
    return type(value) is int and 0 <= value <= LARGEST_COUNT


def is_pair(value):
    return type(value) is list and len(value) == 2 and all(map(is_real, value))


CHECKS = {
    "an integer of at least 0": (validation.integer, [0], is_count),
    "an integer in 0..9": (validation.integer, [0, 9], lambda x: is_count(x) and x < 10),
    "a finite number above 0": (validation.positive, [], lambda x: is_real(x) and x > 0),
    "a finite number of at least 0": (validation.not_negative, [], lambda x: is_real(x) and x >= 0),
    "a number in [0, 1]": (validation.probability, [], lambda x: is_real(x) and 0 <= x <= 1),
    "a number in (0, 1)": (validation.risk, [], lambda x: is_real(x) and LEAST_RISK <= x < 1),
    "2 finite numbers": (validation.finite_vector, [2], is_pair),
    "one of a, b": (validation.choice, [("b", "a")], lambda x: type(x) is str and x in {"a", "b"}),
    "True or False": (validation.flag, [], lambda x: x is True or x is False),
}
"""By what is allowed: the check, its arguments, and which of the values below pass."""

words = st.text("ab1 .\n\r\t\x1c\x85\u2028é", max_size=5)  # all that could break a line
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-1, 11),
    st.sampled_from([10**400, -(10**400), math.nan, math.inf, -math.inf, 1j]),
    st.floats(),
    words,
    st.sampled_from([b"a", np.bool_(True), np.array(1.0), np.array(True), np.zeros((2, 2))]),
)
anything = scalars | st.lists(scalars, max_size=3) | st.dictionaries(words, scalars, max_size=3)


def assert_passes_or_is_refused(allowed, value):
    check, limits, passes = CHECKS[allowed]
    if passes(value):
        assert check("x", value, *limits) == value
        return
    with pytest.raises(InvalidArgumentError, match=r"^x must be .*, got ") as caught:
        check("x", value, *limits)
    assert len(str(caught.value).splitlines()) == 1
    numbers = {f"an integer in 0..{LARGEST_COUNT}", f"at least {LEAST_RISK:g}"}
    assert caught.value.allowed in {allowed, *numbers}


@given(value=anything)
@pytest.mark.parametrize("allowed", CHECKS)
def test_an_allowed_value_passes_and_any_other_is_refused_in_one_line(allowed, value):
    assert_passes_or_is_refused(allowed, value)


ENDS = [-1, 0, 9, 10, LARGEST_COUNT, 2 * LARGEST_COUNT]
ENDS += [0.0, 5e-324, -5e-324, 1e-301, LEAST_RISK, 0.9999999, 1.0, 1.0000001]
ENDS += [[1.0], [1.0, 2.0], [1.0, math.nan], [1.0, math.inf], [1.0, 2.0, 3.0], "12"]


@pytest.mark.parametrize("allowed", CHECKS)
def test_the_ends_of_a_range_are_in_it_or_not(allowed):
    for value in ENDS:
        assert_passes_or_is_refused(allowed, value)


def test_numbers_of_other_types_become_plain_ones():
    for whole in (3, np.int64(3), np.int8(3), np.uint8(3)):
        assert validation.integer("x", whole, 3, 3) == 3
        assert type(validation.integer("x", whole, 0)) is int
    for real in (2, np.float32(2.0), np.int64(2), Fraction(2)):
        assert validation.positive("x", real) == 2.0
        assert type(validation.positive("x", real)) is float
    for row in ([1, 2], (1.0, 2.0), range(1, 3), np.array([1, 2]), np.array([1.0, 2.0])):
        vector = validation.finite_vector("x", row, 2)
        assert vector == [1.0, 2.0]
        assert {type(value) for value in vector} == {float}
    for row in ([1.0, math.nan], [1.0, math.inf], [1.0], [[1.0, 2.0]], 1.0):
        with pytest.raises(InvalidArgumentError, match=r"^x must be 2 finite numbers, got"):
            validation.finite_vector("x", np.array(row), 2)


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
