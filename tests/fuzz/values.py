"""What is right, of users and of how much is done, and what somebody may hand over by mistake."""

import math
from collections.abc import Sequence
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.users import model as confidence
from explorative_user_env.users.population import RELEASED

NAMES = ("BAIR", "T&S", "UNI", "EXP3", "UCB1", "Thompson", "SE", "Full-information")

USERS: dict[str, Sequence[Any]] = {
    **{"setting": ("printed", "released", RELEASED), "n_arms": (2, 3, 4), "alpha": (1.0, 0.5, 2)},
    **{"gap": (None, 0.1, 0.9), "noise": (0.0, 0.1, 1), "means": (None, "uniform_with_room")},
    "rho": (None, 1.5, "acceptance_rate", confidence.constant(1.2)),
    "reward_law": ("gaussian", "bounded"),
    "behaviour": ("explorative", "omniscient", "forgetful", "logistic"),
}
"""Right values of what is said of users."""

SIZES = frozenset(
    {"n_arms", "n_instances", "max_steps", "horizon", "baseline_time", "num_envs", "n_envs"}
    | {"workers", "n0", "n1", "confirm", "n_paths", "max_episode_steps", "m"}
)
"""What says how much is done."""


class Colour(IntEnum):
    RED = 1


class Rude:
    """Fails at whatever it is asked."""

    def _refuse(self, *_: Any) -> Any:
        raise ZeroDivisionError("asked")

    __repr__ = __str__ = __bool__ = __len__ = __index__ = __float__ = _refuse


class Texts(str):
    """A word that is no plain one."""


def nothing(*_: Any, **__: Any) -> None:
    """Returns nothing, whatever it is called with."""


def failing(*_: Any, **__: Any) -> Any:
    raise LookupError("not here")


WORDS = (
    *("", " ", "a", "nan", "inf", "1", "0.5", "-1", "--help", "T&S", "BAIR", "9" * 5000, "\0"),
    *("x" * 100_000, "[/red]", "a\n|b", "\x1b[31m", "\ud800", "∞ δ", "../..", "/", "~"),
)
ODD: tuple[Any, ...] = (
    *(None, True, False, ..., NotImplemented, *WORDS, Texts("BAIR"), b"1"),
    *(0, 1, 2, 3, 7, -1, -2, Colour.RED, 2**31, 2**53, 2**63 - 1, 2**63, 2**64, -(2**63) - 1),
    *(10**30, -(10**30), 10**400),
    *(0.0, -0.0, 0.1, 0.5, 1.0, 2.0, -0.5, 1.5, 1e-300, 5e-324, -5e-324, 1e17, 1e150, 1e300, 1e308),
    *(math.nan, math.inf, -math.inf, 1 + 2j, Fraction(1, 3), Decimal("0.3"), Decimal("NaN")),
    *([], (), {}, set(), [1], [0.5, 0.5], (1.0, 2.0, 3.0), [math.nan] * 3, [[1.0]]),
    *({"a": 1}, {1, 2}, range(3), iter(()), slice(1), Exception("x")),
    *(print, nothing, failing, int, object(), Rude()),
    *(np.int8(-1), np.int64(2), np.uint8(200), np.uint64(2**63), np.float16(0.3), np.float32(0.5)),
    *(np.bool_(True), np.str_("a"), np.array(1), np.array(0.5), np.array([1, 2]), np.zeros((2, 2))),
    *(np.array([]), np.array([None]), np.array(["a"]), np.array([math.nan, 1.0]), np.empty((0, 3))),
    *(np.datetime64("NaT", "s"), np.ma.masked, pd.NA, pd.NaT, pd.Series([1.0, 2.0])),
    *(pd.DataFrame(), np.random.default_rng(0)),
)

LONG = range(50, 2**53 + 1)
"""Sizes that are allowed and take long, or much memory."""


def takes_long(value: Any) -> bool:
    """Whether a value may be such a size."""
    try:
        return int(value) in LONG
    except Exception:
        return False
