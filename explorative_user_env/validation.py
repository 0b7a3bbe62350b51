"""Checks of arguments: each names the argument, the value it got and what is allowed."""

import math
from collections.abc import Collection, Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np


class InvalidArgumentError(ValueError):
    """An argument is outside what is allowed; the message is one line a person can act on."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(f"{name} must be {allowed}, got {value!r}")


def integer(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return `value` as an int in [least, most]; any NumPy integer will do, a bool will not."""
    allowed = (
        f"an integer of at least {least}" if most is None else f"an integer in {least}..{most}"
    )
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InvalidArgumentError(name, value, allowed)
    number = int(value)
    if number < least or (most is not None and number > most):
        raise InvalidArgumentError(name, number, allowed)
    return number


def _real(name: str, value: Any, allowed: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(float(value)):
        raise InvalidArgumentError(name, value, allowed)
    return float(value)


def positive(name: str, value: Any) -> float:
    """Return `value` as a finite float above 0."""
    number = _real(name, value, "a finite number above 0")
    if number <= 0.0:
        raise InvalidArgumentError(name, value, "a finite number above 0")
    return number


def probability(name: str, value: Any) -> float:
    """Return `value` as a float in [0, 1]."""
    number = _real(name, value, "a number in [0, 1]")
    if not 0.0 <= number <= 1.0:
        raise InvalidArgumentError(name, value, "a number in [0, 1]")
    return number


def risk(name: str, value: Any) -> float:
    """Return `value` as a float strictly between 0 and 1, as a confidence parameter is."""
    number = _real(name, value, "a number in (0, 1)")
    if not 0.0 < number < 1.0:
        raise InvalidArgumentError(name, value, "a number in (0, 1)")
    return number


def finite_vector(name: str, values: Any, length: int) -> list[float]:
    """Return `values` as a list of `length` finite floats."""
    allowed = f"{length} finite numbers"
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidArgumentError(name, values, allowed)
    vector = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if len(vector) != length:
        raise InvalidArgumentError(name, vector, f"{allowed} (one for each arm)")
    for value in vector:
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            raise InvalidArgumentError(name, vector, allowed)
    return [float(value) for value in vector]


def choice(name: str, value: Any, allowed: Collection[str]) -> str:
    """Return `value` if it is one of the `allowed` words."""
    if not isinstance(value, str) or value not in allowed:
        raise InvalidArgumentError(name, value, "one of " + ", ".join(sorted(allowed)))
    return value
