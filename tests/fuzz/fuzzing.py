"""Calls with odd arguments, each of which must succeed or be refused in one line."""

import random
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.values import ODD, takes_long

from explorative_user_env.validation import InvalidArgumentError, MissingExtraError

LONGEST_LINE = 1500
REFUSALS: tuple[type[Exception], ...] = (InvalidArgumentError, MissingExtraError)


@dataclass(frozen=True)
class Door:
    """Something that takes arguments from outside.

    Attributes:
        name: of the door.
        call: what is called, with keywords.
        usual: values that are right, by argument; those in `needed` are always given.
        sizes: arguments that say how much is done.
        look: raises AssertionError where what was returned is not right, given the keywords.
        spared: arguments that are never odd, as whoever stands before us does not look at them.
        cost: how many times longer a call takes than most others'; so many times fewer are made.
        refusals: other errors that are an answer, as Gymnasium's own.
    """

    name: str
    call: Callable[..., Any]
    usual: Mapping[str, Sequence[Any]]
    needed: frozenset[str] = frozenset()
    sizes: frozenset[str] = frozenset()
    look: Callable[[Any, Mapping[str, Any]], None] = lambda found, given: None
    spared: frozenset[str] = frozenset()
    cost: int = 1
    refusals: tuple[type[Exception], ...] = ()


@dataclass
class Tally:
    """How many calls were answered and refused in a line, and what the others did."""

    answered: int = 0
    refused: int = 0
    failed: list[str] = field(default_factory=list)


def fuzz(door: Door, calls: int, seed: int) -> Tally:
    """Call a door so many times, less what it costs, with arguments that follow from the seed."""
    rng, tally = random.Random(f"{door.name} {seed}"), Tally()
    for _ in range(-(-calls // door.cost)):
        given = _arguments(door, rng)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", RuntimeWarning)  # a number was not as it should be
                door.look(door.call(**given), given)
            tally.answered += 1
        except (*REFUSALS, *door.refusals) as error:
            if 0 < len(text := str(error)) < LONGEST_LINE and len(text.splitlines()) == 1:
                tally.refused += 1
            else:
                tally.failed.append(f"no line: {_told(error, given)}")
        except Exception as error:
            tally.failed.append(_told(error, given))
    return tally


def _arguments(door: Door, rng: random.Random) -> dict[str, Any]:
    """Return arguments of which few, at most, are odd; else one odd one would hide another."""
    names = [name for name in door.usual if name in door.needed or rng.random() < 0.4]
    given = {name: rng.choice(door.usual[name]) for name in names}
    open_to_all = [name for name in names if name not in door.spared]
    for name in rng.sample(open_to_all, min(len(open_to_all), rng.choice((0, 0, 1, 1, 1, 2)))):
        value = rng.choice(ODD)
        if not (name in door.sizes and takes_long(value)):
            given[name] = value
    return given


def _told(error: BaseException, given: Mapping[str, Any]) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
    return f"{place}: {str(error)[:150]!r} of {[f'{k}={_shown(v)}' for k, v in given.items()]}"


def _shown(value: Any) -> str:
    try:
        return repr(value)[:120]
    except Exception:
        return f"a {type(value).__name__}"
