"""Functions that validate arguments; errors state the argument, what is allowed and the value."""

import copyreg
import difflib
import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from importlib.util import find_spec
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

_Result = TypeVar("_Result")

PACKAGE = __name__.partition(".")[0]

#: Most characters of a value, and of the allowed values, in a message.
LONGEST, LONGEST_RULE = 200, 1000


class InvalidArgumentError(ValueError):
    """An argument has a value that is not allowed; the message is one line."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        self.name = one_line(name)
        rule = one_line(allowed, LONGEST_RULE)
        super().__init__(f"{self.name} must be {rule}, got {_text_of(value)}")

    def __reduce__(self) -> tuple[Any, ...]:
        # Worker processes pickle errors. Pickle the message, as pickling the value may fail.
        return copyreg.__newobj__, (type(self), str(self)), vars(self)  # type: ignore[attr-defined]

    def spelled(self, spellings: Mapping[str, str]) -> str:
        """Return the message with the argument's name replaced by a spelling such as `--n-arms`."""
        return spellings.get(self.name, self.name) + str(self).removeprefix(self.name)

    @property
    def allowed(self) -> str:
        """The part of the message that states the allowed values."""
        return str(self).removeprefix(f"{self.name} must be ").rpartition(", got ")[0]


class CallableError(InvalidArgumentError):
    """A custom callable failed; the message names the callable, the run and the step.

    `__cause__` is the exception of the callable, or the error about the value it returned.

    Args:
        failure: text that names the callable and states its error.
        where: the run and the step of the call, in words.
    """

    def __init__(self, failure: str, where: str) -> None:
        ValueError.__init__(self, one_line(f"{failure} ({where})", LONGEST_RULE))
        self.name, self.failure = "", failure  # the error does not concern an argument

    @classmethod
    def of(cls, what: str, error: Exception, where: str) -> "CallableError":
        """Return the error of a callable.

        Args:
            what: name of the callable.
            error: the exception it raised, or an `InvalidArgumentError` about its return value.
            where: the run and the step of the call, in words.
        """
        if isinstance(error, CallableError):
            return cls(error.failure, where)  # this `where` is more precise than that of `error`
        if isinstance(error, InvalidArgumentError):
            return cls(str(error), where)
        name, text = type(error).__name__, str(error)
        return cls(f"{what} raised {one_line(f'{name}: {text}' if text else name)}", where)


class MissingExtraError(ImportError):
    """Optional libraries are missing; the message has the command that installs them."""


def is_external(function: Any) -> bool:
    """Return whether the module of a callable is outside this package."""
    return not str(getattr(function, "__module__", "")).startswith(f"{PACKAGE}.")


def one_line(text: str, longest: int = LONGEST) -> str:
    """Return a text on one line, cut to `longest` characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[:longest] + "..."


def is_name(value: object) -> bool:
    """Return whether a value is a nonempty string without NUL and surrogates."""
    is_text = isinstance(value, str) and bool(value) and "\0" not in value
    return is_text and not any("\ud800" <= letter <= "\udfff" for letter in str(value))


def _text_of(value: object) -> str:
    try:
        return one_line(repr(value))
    except Exception:  # an integer of thousands of digits, or a class whose repr fails
        kind = type(value).__name__
        return f"a number of {value.bit_length()} bits" if isinstance(value, int) else f"a {kind}"


#: The largest count: floats represent all integers up to it exactly.
LARGEST_COUNT = 2**53

#: The smallest delta: small multiples of K / delta must not overflow.
LEAST_RISK = 1e-300


def integer(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return `value` as an int in [least, most]; accepts NumPy integers, rejects bools."""
    largest = LARGEST_COUNT if most is None else most
    integral = isinstance(value, Integral) and not isinstance(value, bool)
    value = int(value) if integral else value
    if not integral or not least <= value <= largest:
        both = most is not None or (integral and value > largest)
        allowed = f"in {least}..{largest}" if both else f"of at least {least}"
        raise InvalidArgumentError(name, value, f"an integer {allowed}")
    return value  # type: ignore[no-any-return]


def count(name: str, value: Any, least: int, most: int = LARGEST_COUNT) -> int:
    """Return `value` as an int in [least, most]. Only errors for larger values state `most`."""
    passed = isinstance(value, Integral) and int(value) > most
    return integer(name, value, least, most if passed else None)


def is_real(value: Any) -> bool:
    """Return whether `value` is a real number and not a bool."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    try:
        return is_real(value) and math.isfinite(value)
    except OverflowError:
        return False


def real(name: str, value: Any, allowed: str, holds: Callable[..., bool] = lambda x: True) -> float:
    """Return `value` as a finite float that satisfies `holds`. `allowed` is text for the error."""
    if not _is_finite(value) or not holds(float(value)):
        raise InvalidArgumentError(name, value, allowed)
    return float(value)


def positive(name: str, value: Any) -> float:
    """Return `value` as a finite float above 0."""
    return real(name, value, "a finite number above 0", lambda number: number > 0.0)


def not_negative(name: str, value: Any) -> float:
    """Return `value` as a finite float of at least 0."""
    return real(name, value, "a finite number of at least 0", lambda number: number >= 0.0)


def probability(name: str, value: Any) -> float:
    """Return `value` as a float in [0, 1]."""
    return real(name, value, "a number in [0, 1]", lambda number: 0.0 <= number <= 1.0)


def risk(name: str, value: Any) -> float:
    """Return `value`, such as delta, as a float in [LEAST_RISK, 1)."""
    number = real(name, value, "a number in (0, 1)", lambda number: 0.0 < number < 1.0)
    if number < LEAST_RISK:
        raise InvalidArgumentError(name, value, f"at least {LEAST_RISK:g}")
    return number


def sequence(name: str, values: Any, allowed: str = "a list") -> list[Any]:
    """Return `values` as a list; rejects strings, sets and mappings."""
    if isinstance(values, str | bytes | Set | Mapping) or not isinstance(values, Iterable):
        raise InvalidArgumentError(name, values, allowed)
    try:
        return list(values)
    except TypeError as error:  # `values` is an array of dimension 0
        raise InvalidArgumentError(name, values, allowed) from error


def finite_vector(name: str, values: Any, length: int) -> list[float]:
    """Return `values` as a list of `length` finite floats."""
    allowed = f"{length} finite numbers"
    if isinstance(values, np.ndarray) and values.ndim == 1:
        if values.dtype == float and values.size == length and np.isfinite(values).all():
            return values.tolist()  # type: ignore[no-any-return]
        values = values.tolist()  # plain numbers are quicker to check
    vector = sequence(name, values, allowed)
    if len(vector) != length or not all(map(_is_finite, vector)):
        raise InvalidArgumentError(name, vector, allowed)
    return [float(value) for value in vector]


def ends(name: str, value: Any) -> tuple[float, float]:
    """Return `value`, a pair (low, high) with low < high; low and high may be infinite."""
    two = isinstance(value, tuple) and len(value) == 2 and all(map(is_real, value))
    if not two or not value[0] < value[1]:
        allowed = "None or a pair (low, high) with low < high"
        raise InvalidArgumentError(name, value, allowed)
    return value[0], value[1]


def choice(name: str, value: Any, allowed: Collection[str]) -> str:
    """Return `value` if it is one of the `allowed` strings."""
    if not isinstance(value, str) or value not in allowed:
        raise InvalidArgumentError(name, value, f"one of {', '.join(sorted(allowed))}")
    return value


def of_class(name: str, value: Any, kind: type[_Result]) -> _Result:
    """Return `value` if it is an instance of `kind`."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise InvalidArgumentError(name, value, f"{article} {kind.__name__}")
    return value


def flag(name: str, value: Any) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, bool):
        raise InvalidArgumentError(name, value, "True or False")
    return value


def known_names(given: Iterable[str], known: Iterable[str], what: str = "allowed") -> None:
    """Raise a TypeError with the nearest known name if a name in `given` is not in `known`."""
    known = [*known]
    for name in given:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, 1)
            hint = f"; the nearest is {nearest[0]!r}" if nearest else ""
            words = f"unexpected keyword argument {name!r}{hint} ({what}: {', '.join(known)})"
            raise TypeError(words)


def number_or_word(text: str) -> float | str:
    """Return `text` as a float if it is a number, else unchanged."""
    try:
        return float(text)
    except ValueError:
        return text


#: Name of the distribution.
DISTRIBUTION = "explorative-user-env"

#: Python version marker of a requirement.
FOR_PYTHON = re.compile(r"""python_version (<|>=) ["'](\d+)\.(\d+)["']""")


def how_to_get(extra: str) -> str:
    """Return the command that installs the libraries of an extra.

    The package is not on PyPI, so the command lists the libraries instead of the extra.
    """
    from importlib import metadata  # slow to import, and rarely needed

    try:
        required = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:  # run from a folder, without installation
        required = []
    libraries = set()
    for text in (each for each in required if f'extra == "{extra}"' in each):
        for sign, major, minor in FOR_PYTHON.findall(text):
            if (sys.version_info >= (int(major), int(minor))) != (sign == ">="):
                break
        else:
            libraries.add(f'"{text.split(";")[0].strip()}"')
    return "pip install " + (" ".join(sorted(libraries)) or f'".[{extra}]"')


def is_importable(module: str) -> bool:
    """Return whether a module can be imported, without importing it."""
    try:
        return find_spec(module) is not None
    except ImportError:  # an import finder may raise ImportError to hide a module
        return False


def missing_of(modules: Sequence[str]) -> list[str]:
    """Return the distribution names of the modules that are not installed."""
    missing = [name for name in modules if not is_importable(name)]
    return ["pillow" if name == "PIL" else name.replace("_", "-") for name in missing]


def require(what: str, extra: str, modules: Sequence[str]) -> None:
    """Raise an error unless all modules are installed.

    Args:
        what: subject and verb of the message, such as "pictures need".
        extra: the extra of the package that installs the modules.
        modules: names of the modules.

    Raises:
        MissingExtraError: if a module is missing; the message has the command that installs it.
    """
    if missing := missing_of(modules):
        raise MissingExtraError(f"{what} {' and '.join(missing)}: {how_to_get(extra)}")
