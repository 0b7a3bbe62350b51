"""Calls with odd arguments, each of which must succeed or be refused in one line."""

import random
import signal
import threading
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.odd_values import ODD, takes_long

from explorative_user_env.validation import InvalidArgumentError, MissingExtraError

LONGEST_LINE = 1500
SECONDS = 300
"""After which a call has not returned; a loop that compiles on a busy machine takes a while."""


REFUSALS: tuple[type[Exception], ...] = (InvalidArgumentError, MissingExtraError)


class HangError(BaseException):
    """A call does not return."""


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
        odd: what else may be handed over.
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
    odd: Sequence[Any] = ODD
    cost: int = 1
    refusals: tuple[type[Exception], ...] = ()


@dataclass
class Tally:
    """What came of calls.

    Attributes:
        answered: how many succeeded.
        refused: how many were refused in one line.
        failed: how many did neither, with an example of each kind of failure.
    """

    answered: int = 0
    refused: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    @property
    def inputs(self) -> int:
        return self.answered + self.refused + sum(self.failed.values())


def fuzz(door: Door, calls: int, seed: int) -> Tally:
    """Call a door so many times, less what it costs, with arguments that follow from the seed."""
    rng, tally = random.Random(f"{door.name} {seed}"), Tally()
    for _ in range(-(-calls // door.cost)):
        given = _arguments(door, rng)
        try:
            with _alarm(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", RuntimeWarning)  # a number was not as it should be
                door.look(door.call(**given), given)
            tally.answered += 1
        except REFUSALS + door.refusals as error:
            if _is_a_line(error):
                tally.refused += 1
            else:
                _note(tally, "no line", error, given)
        except (Exception, HangError) as error:
            _note(tally, type(error).__name__, error, given)
    return tally


def _arguments(door: Door, rng: random.Random) -> dict[str, Any]:
    """Return arguments of which few, at most, are odd; else one odd one would hide another."""
    names = [name for name in door.usual if name in door.needed or rng.random() < 0.4]
    given = {name: rng.choice(door.usual[name]) for name in names}
    open_to_all = [name for name in names if name not in door.spared]
    for name in rng.sample(open_to_all, min(len(open_to_all), rng.choice((0, 0, 1, 1, 1, 2)))):
        value = rng.choice(door.odd)
        if not (name in door.sizes and takes_long(value)):
            given[name] = value
    return given


def _is_a_line(error: BaseException) -> bool:
    text = str(error)
    return 0 < len(text) < LONGEST_LINE and len(text.splitlines()) == 1


def _note(tally: Tally, kind: str, error: BaseException, given: Mapping[str, Any]) -> None:
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = "/".join(Path(where.filename).parts[-2:])
    text = f"{kind} at {place}:{where.lineno}"
    tally.failed[text] += 1
    example = f"{str(error)[:150]!r} of " + ", ".join(f"{k}={_shown(v)}" for k, v in given.items())
    tally.examples.setdefault(text, example)


def _shown(value: Any) -> str:
    try:
        return repr(value)[:120]
    except Exception:
        return f"a {type(value).__name__}"


@contextmanager
def _alarm() -> Iterator[None]:
    """Interrupt what does not return, where there is such a thing as an alarm."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: Any) -> None:
        raise HangError(f"not within {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
