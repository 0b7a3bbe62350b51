"""Records that check themselves when they are made, by the types of their fields."""

import functools
import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from collections.abc import Callable as AnyCallable
from dataclasses import fields
from importlib.util import find_spec
from numbers import Integral, Real
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

_Result = TypeVar("_Result")

PACKAGE = __name__.partition(".")[0]

LONGEST = 200
"""A value's text is cut to this length in a message, and so is an argument's name."""

LONGEST_RULE = 1000
"""What is allowed is cut to this length: it may list names, but no more than can be read."""


class InvalidArgumentError(ValueError):
    """An argument is outside what is allowed; the message is one line a person can act on."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        self.name = one_line(name)
        rule = one_line(allowed, LONGEST_RULE)
        super().__init__(f"{self.name} must be {rule}, got {_told_of(value)}")

    def __reduce__(self) -> tuple[Any, ...]:
        # The value may not pickle, the message does: on the way back from a worker it is enough.
        return _told, (type(self), str(self), vars(self))

    def spelled(self, spellings: Mapping[str, str]) -> str:
        """Return the message with the argument as it is spelled elsewhere, as on a command line."""
        return spellings.get(self.name, self.name) + str(self).removeprefix(self.name)


class CallableError(InvalidArgumentError):
    """Code that was handed in fails; the message says which, and with whom and when it was called.

    What it raised, or what is wrong with what it returned, is the error's `__cause__`.

    Args:
        told: what failed and how.
        where: with whom and when.
    """

    def __init__(self, told: str, where: str) -> None:
        ValueError.__init__(self, one_line(f"{told} ({where})", LONGEST_RULE))
        self.name, self.told = "", told  # no argument is to blame

    @classmethod
    def of(cls, what: str, error: Exception, where: str) -> "CallableError":
        """Return the error of the callable called `what`.

        Args:
            what: which callable.
            error: what it raised, or an `InvalidArgumentError` that says what it returned.
            where: with whom and when.
        """
        if isinstance(error, CallableError):
            return cls(error.told, where)  # who calls from further out knows more
        if isinstance(error, InvalidArgumentError):
            return cls(str(error), where)
        name, text = type(error).__name__, str(error)
        return cls(f"{what} raised {one_line(f'{name}: {text}' if text else name)}", where)


def handed_in(function: Any) -> bool:
    """Return whether a callable is none of the package's own."""
    return not str(getattr(function, "__module__", "")).startswith(f"{PACKAGE}.")


class MissingExtraError(ImportError):
    """A part of the package needs libraries that are not installed; the message says how."""


def _told(
    kind: type[InvalidArgumentError], message: str, rest: Mapping[str, Any]
) -> InvalidArgumentError:
    error = kind.__new__(kind)
    error.args = (message,)
    vars(error).update(rest)
    return error


def one_line(text: str, longest: int = LONGEST) -> str:
    """Return a text on one line, cut to this length if there is one."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[:longest] + "..."


def _told_of(value: object) -> str:
    """Return a value as it is written, or what it is where that cannot be: never an error."""
    try:
        return one_line(repr(value))
    except Exception:  # of an integer of thousands of digits, lists in lists in lists, own classes
        kind = type(value).__name__
        return f"a number of {value.bit_length()} bits" if isinstance(value, int) else f"a {kind}"


LARGEST_COUNT = 2**53
"""Of what is counted with: each whole number up to here is a float, and sums stay within arrays."""


def integer(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return `value` as an int in [least, most]; any NumPy integer will do, a bool will not."""
    if most is None:
        return count(name, value, least)
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    if number is None or not least <= number <= most:
        shown = value if number is None else number
        raise InvalidArgumentError(name, shown, f"an integer in {least}..{most}")
    return number


def count(name: str, value: Any, least: int, most: int = LARGEST_COUNT) -> int:
    """Return `value` as an int in [least, most]; only what passes `most` is told of it."""
    try:
        return integer(name, value, least, most)
    except InvalidArgumentError:
        if isinstance(value, Integral) and int(value) > most:
            raise
        raise InvalidArgumentError(name, value, f"an integer of at least {least}") from None


def sequence(name: str, values: Any, allowed: str = "a list") -> list[Any]:
    """Return `values` as a list; a text is none, nor is what cannot be gone through."""
    if isinstance(values, str | bytes | Set | Mapping) or not isinstance(values, Iterable):
        raise InvalidArgumentError(name, values, allowed)
    try:
        return list(values)
    except TypeError as error:  # an array without a dimension is Iterable, it says
        raise InvalidArgumentError(name, values, allowed) from error


def real(name: str, value: Any, allowed: str) -> float:
    """Return `value` as a finite float; `allowed` is what the message says is."""
    if not _is_finite(value):
        raise InvalidArgumentError(name, value, allowed)
    return float(value)


def is_real(value: Any) -> bool:
    """Return whether `value` is a real number; a truth value is none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    """Whether `value` is a real number that is finite as a float."""
    if not is_real(value):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def positive(name: str, value: Any) -> float:
    """Return `value` as a finite float above 0."""
    number = real(name, value, "a finite number above 0")
    if number <= 0.0:
        raise InvalidArgumentError(name, value, "a finite number above 0")
    return number


def not_negative(name: str, value: Any) -> float:
    """Return `value` as a finite float of at least 0."""
    number = real(name, value, "a finite number of at least 0")
    if number < 0.0:
        raise InvalidArgumentError(name, value, "a finite number of at least 0")
    return number


def probability(name: str, value: Any) -> float:
    """Return `value` as a float in [0, 1]."""
    number = real(name, value, "a number in [0, 1]")
    if not 0.0 <= number <= 1.0:
        raise InvalidArgumentError(name, value, "a number in [0, 1]")
    return number


LEAST_RISK = 1e-300
"""K/delta, and a few times that, is to be a float."""


def risk(name: str, value: Any) -> float:
    """Return `value` as a float strictly between 0 and 1, as a confidence parameter is."""
    number = real(name, value, "a number in (0, 1)")
    if not 0.0 < number < 1.0:
        raise InvalidArgumentError(name, value, "a number in (0, 1)")
    if number < LEAST_RISK:
        raise InvalidArgumentError(name, value, f"at least {LEAST_RISK:g}")
    return number


def finite_vector(name: str, values: Any, length: int) -> list[float]:
    """Return `values` as a list of `length` finite floats."""
    allowed = f"{length} finite numbers"
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InvalidArgumentError(name, values, allowed)
        if values.dtype == float and values.size == length and np.isfinite(values).all():
            return values.tolist()  # type: ignore[no-any-return]
        values = values.tolist()  # plain numbers, which are quicker to check
    vector = sequence(name, values, allowed)
    if len(vector) != length:
        raise InvalidArgumentError(name, vector, f"{allowed} (one for each arm)")
    if not all(_is_finite(value) for value in vector):
        raise InvalidArgumentError(name, vector, allowed)
    return [float(value) for value in vector]


def ends(name: str, value: Any) -> tuple[float, float]:
    """Return `value` as the two ends of an interval, of which either may be infinite."""
    two = isinstance(value, tuple) and len(value) == 2 and all(map(is_real, value))
    if not two or not value[0] < value[1]:
        allowed = "None or (least, largest), the least below the largest"
        raise InvalidArgumentError(name, value, allowed)
    return value[0], value[1]


def choice(name: str, value: Any, allowed: Collection[str]) -> str:
    """Return `value` if it is one of the `allowed` words."""
    if not isinstance(value, str) or value not in allowed:
        raise InvalidArgumentError(name, value, "one of " + ", ".join(sorted(allowed)))
    return value


def of_class(name: str, value: Any, kind: type[_Result]) -> _Result:
    """Return `value` if it is of this class."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise InvalidArgumentError(name, value, f"{article} {kind.__name__}")
    return value


def flag(name: str, value: Any) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, bool):
        raise InvalidArgumentError(name, value, "True or False")
    return value


def number_or_word(text: str) -> float | str:
    """Return what is written as a number as one, any other word as it is."""
    try:
        return float(text)
    except ValueError:
        return text


DISTRIBUTION = "explorative-user-env"
"""What the package is called where packages are installed."""

FOR_PYTHON = re.compile(r"""python_version (<|>=) ["'](\d+)\.(\d+)["']""")
"""How the package's metadata say which Python a library is for."""

CALLED = {"PIL": "pillow"}
"""What brings a module of another name."""


def how_to_get(extra: str) -> str:
    """Return the command that installs what an extra brings.

    It names the libraries themselves, as the package's metadata do: so it works in any folder, and
    though the package is on no index.
    """
    from importlib import metadata  # whose many modules only who lacks something needs

    marker = f'extra == "{extra}"'
    try:
        every = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:  # run from a folder that was not installed
        every = []
    brought = sorted(
        text.split(";")[0].strip() for text in every if marker in text and _is_for_this_python(text)
    )
    named = " ".join(f'"{text}"' for text in brought)
    return f"pip install {named}" if named else f'pip install ".[{extra}]"'


def _is_for_this_python(requirement: str) -> bool:
    """Return whether a requirement of the metadata is one of the Python that runs."""
    return all(
        (sys.version_info >= (int(major), int(minor))) == (sign == ">=")
        for sign, major, minor in FOR_PYTHON.findall(requirement)
    )


def is_found(module: str) -> bool:
    """Return whether a module is there, which is not imported for it."""
    try:
        return find_spec(module) is not None
    except ImportError:  # of who keeps it from being found
        return False


def missing_of(modules: Sequence[str]) -> list[str]:
    """Return those of some modules that are not there, as their distributions are called."""
    gone = (name for name in modules if not is_found(name))
    return [CALLED.get(name, name.replace("_", "-")) for name in gone]


def require(what: str, extra: str, modules: Sequence[str]) -> None:
    """Make sure that some modules are there.

    Args:
        what: what needs them, with its verb, as "pictures need".
        extra: the extra that brings them.
        modules: their names.

    Raises:
        MissingExtraError: naming what is missing and the command that installs it.
    """
    missing = missing_of(modules)
    if missing:
        raise MissingExtraError(f"{what} {' and '.join(missing)}: {how_to_get(extra)}")


Check = Callable[[str, Any], object]

PLAIN: Mapping[Any, Check] = {
    bool: flag,
    int: lambda name, value: integer(name, value, 0),
    float: lambda name, value: real(name, value, "a finite number"),
}
"""What is asked of a field of a plain type where nothing else is said: counts are not negative."""


def check_fields(record: Any, **said: Check) -> None:
    """Make sure that every field of a new record holds what its type says.

    A `Literal` is one of its words, a bool True or False, an int at least 0, a float finite, a
    tuple holds what it is a tuple of, a function can be called, and the rest is of its class.

    Args:
        record: a dataclass, from its `__post_init__`.
        **said: what checks a field of which more is said than its type, called with its name and
            value.

    Raises:
        InvalidArgumentError: naming the field, its value and what is allowed.
    """
    kind: Any = type(record)
    for name, check in _checks(kind).items():
        said.get(name, check)(name, getattr(record, name))


@functools.cache
def _checks(kind: Any) -> Mapping[str, Check]:
    hints = get_type_hints(kind)
    return {field.name: _check_of(hints[field.name]) for field in fields(kind)}


def _check_of(kind: Any) -> Check:
    """Return what checks a value of this type."""
    if kind in PLAIN:
        return PLAIN[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return lambda name, value: choice(name, value, inner)
    if origin is AnyCallable:
        return _can_be_called
    if origin is tuple:
        return functools.partial(_check_tuple, _check_of(inner[0]))
    if origin in (Union, UnionType):
        (rest,) = [part for part in inner if part is not type(None)]
        check = _check_of(rest)
        return lambda name, value: value is None or check(name, value)
    return lambda name, value: of_class(name, value, object if kind is Any else origin or kind)


def _can_be_called(name: str, value: Any) -> None:
    if not callable(value):
        raise InvalidArgumentError(name, value, "a function")


def _check_tuple(each: Check, name: str, values: Any) -> None:
    if not isinstance(values, tuple):
        raise InvalidArgumentError(name, values, "a tuple")
    for value in values:
        each(f"{name} (each)", value)
