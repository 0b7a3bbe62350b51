"""What tests of the bounds share: instances, and how a bound should move."""

from collections.abc import Callable
from typing import Any

import pytest

from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError

TWO = Instance((2.0, 0.0), 0)
THREE = Instance((0.5, 1.0, 0.0), 1)

Bound = Callable[..., float]


def close(value: Any, rel: float = 1e-9) -> Any:
    return pytest.approx(value, rel=rel)


def assert_more_confidence_costs_more(bound: Bound) -> None:
    assert_rises(bound, (0.2, 0.1, 0.01, 1e-6))


def assert_more_arms_cost_more(bound: Bound) -> None:
    assert_rises(bound, (2, 3, 20, 1000))


def assert_a_wider_gap_costs_less(bound: Bound) -> None:
    assert_rises(bound, (0.6, 0.5, 0.1, 1e-3))


def assert_rises(bound: Bound, arguments: tuple[float, ...]) -> None:
    """Make sure that `bound` is larger at each of the arguments than at the one before."""
    values = [bound(argument) for argument in arguments]
    assert values == sorted(set(values))


def assert_refused(call: Callable[[], object], argument: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{argument} must be"):
        call()
