"""What an agent says over a whole film, in slots: a place for each name, with one scale."""

import math
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from explorative_user_env.explanations import ByArm, Explained, is_by_arm, is_flags
from explorative_user_env.protocol import Against


class Form(StrEnum):
    """How something that is said is shown."""

    LINE = "line"  # a number or a word
    GAUGE = "gauge"  # a number against another
    FLAGS = "flags"  # K truth values
    BARS = "bars"  # K numbers, alone or against K others


class Slot(NamedTuple):
    """The place of what is said under one name.

    Attributes:
        name: what it is called.
        form: how it is shown.
        low: the least number that is shown there, at most 0.
        high: the largest, above `low`.
    """

    name: str
    form: Form
    low: float
    high: float

    def share(self, number: float) -> float:
        """Return where a number stands between the least and the largest, in [0, 1]."""
        if math.isnan(number):
            return self.share(0.0)
        # The distance of two numbers may be no number any more, that of their halves is one.
        part = 0.5 if math.isinf(self.high - self.low) else 1.0
        low, high = part * self.low, part * self.high
        return (min(max(part * number, low), high) - low) / (high - low)

    def holds(self, value: Explained | None) -> bool:
        """Return whether this is of the kind that is shown here."""
        return value is not None and _kind_of(value) == (self.form in (Form.FLAGS, Form.BARS))


def slots_of(said: Iterable[Mapping[str, Explained]]) -> list[Slot]:
    """Return a slot for all that is ever said, in the order in which it is said first.

    What is said as one number and then as K has two.
    """
    seen: dict[tuple[str, bool], list[Explained]] = {}
    for each in said:
        for name, value in each.items():
            seen.setdefault((name, _kind_of(value)), []).append(value)
    return [_slot(name, by_arm, values) for (name, by_arm), values in seen.items()]


def sides(value: Explained) -> tuple[ByArm, ByArm | None]:
    """Return K numbers and, of an `Against`, their K targets."""
    if isinstance(value, Against):
        return value.value, value.target
    assert is_by_arm(value)
    return value, None


def _kind_of(value: Explained) -> bool:
    """Return whether there is a number for each arm."""
    return is_by_arm(value.value if isinstance(value, Against) else value)


def _slot(name: str, by_arm: bool, values: list[Explained]) -> Slot:
    numbers = [number for value in values for number in _numbers(value)]
    finite = [number for number in numbers if math.isfinite(number)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    high = high if high > low else low + 1.0
    against = any(isinstance(value, Against) for value in values)
    if by_arm:
        form = Form.FLAGS if all(map(is_flags, values)) else Form.BARS
    else:
        form = Form.GAUGE if against else Form.LINE
    return Slot(name, form, low, high)


def _numbers(value: Explained) -> list[float]:
    if isinstance(value, Against):
        return [*_numbers(value.value), *_numbers(value.target)]
    if isinstance(value, str):
        return []
    return [*value] if isinstance(value, tuple) else [value]
