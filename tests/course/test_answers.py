"""What a student hands in may be anything: a grader says so in a line, and never fails itself."""

from typing import Any

import numpy as np
import pytest

from explorative_user_env.course.exercises import equal


class Odd:
    """What fails when it is compared."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("given", [np.ones(3), Odd(), [np.ones(2), np.ones(3)], None, 1, {}, "b"])
@pytest.mark.parametrize("expected", ["a", ("a", 2), 3.0, (1.0, 2.0), np.zeros(3), {"a": 1}])
def test_what_cannot_be_compared_is_not_the_same(given: Any, expected: Any) -> None:
    assert not equal(given, expected)


def test_numbers_are_the_same_up_to_rounding() -> None:
    assert equal(0.1 + 0.2, 0.3)
    assert equal([1, 2], (1.0, 2.0))
    assert not equal([1], 1)
    assert not equal(0.3001, 0.3)
