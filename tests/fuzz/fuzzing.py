"""Calls with odd arguments, each of which must succeed or be refused in one line."""

import math
import random
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from _pytest._io.saferepr import saferepr

from explorative_user_env.users import model as confidence
from explorative_user_env.users.population import RELEASED
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError

NAMES = ("BAIR", "T&S", "UNI", "EXP3", "UCB1", "Thompson", "SE", "Full-information")

USERS = {
    **{"setting": ("printed", "released", RELEASED), "n_arms": (2, 3, 4), "alpha": (1.0, 0.5, 2)},
    **{"gap": (None, 0.1, 0.9), "noise": (0.0, 0.1, 1), "means": (None, "uniform_with_room")},
    "rho": (None, 1.5, "acceptance_rate", confidence.constant(1.2)),
    "reward_law": ("gaussian", "bounded"),
    "behaviour": ("explorative", "omniscient", "forgetful", "logistic"),
}

# What says how much is done.
SIZES = {"n_arms", "n_instances", "max_steps", "horizon", "baseline_time", "num_envs", "n_envs"}
SIZES |= {"workers", "n0", "n1", "max_episode_steps", "m"}


class Colour(IntEnum):
    RED = 1


def failing(*_, **__):
    raise LookupError("not here")


WORDS = (
    *("", " ", "a", "nan", "inf", "1", "0.5", "-1", "--help", "T&S", "BAIR", "9" * 5000, "\0"),
    *("x" * 100_000, "[/red]", "a\n|b", "\x1b[31m", "\ud800", "∞ δ", "../..", "/", "~"),
)
ODD = (
    *(None, True, False, ..., NotImplemented, *WORDS, b"1"),
    *(0, 1, 2, 3, 7, -1, -2, Colour.RED, 2**31, 2**53, 2**63 - 1, 2**63, 2**64, -(2**63) - 1),
    *(10**30, -(10**30), 10**400),
    *(0.0, -0.0, 0.1, 0.5, 1.0, 2.0, -0.5, 1.5, 1e-300, 5e-324, -5e-324, 1e17, 1e150, 1e300, 1e308),
    *(math.nan, math.inf, -math.inf, 1 + 2j, Fraction(1, 3), Decimal("0.3"), Decimal("NaN")),
    *([], (), {}, set(), [1], [0.5, 0.5], (1.0, 2.0, 3.0), [math.nan] * 3, [[1.0]]),
    *({"a": 1}, {1, 2}, range(3), iter(()), slice(1), Exception("x")),
    *(print, failing, int, object()),
    *(np.int8(-1), np.int64(2), np.uint8(200), np.uint64(2**63), np.float16(0.3), np.float32(0.5)),
    *(np.bool_(True), np.str_("a"), np.array(1), np.array(0.5), np.array([1, 2]), np.zeros((2, 2))),
    *(np.array([]), np.array([None]), np.array(["a"]), np.array([math.nan, 1.0]), np.empty((0, 3))),
    *(np.datetime64("NaT", "s"), np.ma.masked, pd.NA, pd.NaT, pd.Series([1.0, 2.0])),
    *(pd.DataFrame(), np.random.default_rng(0)),
)


def takes_long(size):
    try:
        return int(size) in range(50, 2**53 + 1)
    except Exception:
        return False


@dataclass(frozen=True)
class Door:
    """Something that takes arguments from outside, by keyword."""

    name: str
    call: Callable[..., Any]
    usual: dict[str, Any]  # values that are right, by argument
    needed: frozenset[str] = frozenset()  # what is always given
    look: Callable[..., None] = lambda found, given: None  # fails if what was found is wrong
    spared: frozenset[str] = frozenset()  # what others look at before us, and is never odd
    cost: int = 1  # a call takes so many times longer than most, so that fewer are made
    refusals: tuple[type[Exception], ...] = ()  # other answers, as Gymnasium's errors


def fuzz(door, calls, seed):
    """Return how many calls were answered, and what those did that were not refused in a line."""
    refusals = (InvalidArgumentError, MissingExtraError, *door.refusals)
    rng, answered, failed = random.Random(f"{door.name} {seed}"), 0, []
    for _ in range(-(-calls // door.cost)):
        given = _arguments(door, rng)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", RuntimeWarning)  # a number was not as it should be
                door.look(door.call(**given), given)
            answered += 1
        except Exception as error:
            told = str(error)
            if not (isinstance(error, refusals) and "\n" not in told and len(told) < 1500):
                place = traceback.extract_tb(error.__traceback__)[-1]
                failed.append((place, saferepr(error), saferepr(given, maxsize=2000)))
    return answered, failed


def _arguments(door, rng):
    """Return arguments of which two, at most, are odd; else one would hide another."""
    names = [name for name in door.usual if name in door.needed or rng.random() < 0.4]
    given = {name: rng.choice(door.usual[name]) for name in names}
    open_to_all = [name for name in names if name not in door.spared]
    for name in rng.sample(open_to_all, min(len(open_to_all), rng.choice((0, 0, 1, 1, 1, 2)))):
        value = rng.choice(ODD)
        if not (name in SIZES and takes_long(value)):
            given[name] = value
    return given
