"""Behaviours as words: "drifting(sigma=0.01)" is what `drifting(0.01)` returns."""

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any, ParamSpec

from explorative_user_env.users.behaviour import Behaviour
from explorative_user_env.validation import InvalidArgumentError

_Parameters = ParamSpec("_Parameters")

_FORM = re.compile(r"([^()]+)\(([^()]*)\)")
_NONE = str(None)


def worded(factory: Callable[_Parameters, Behaviour]) -> Callable[_Parameters, Behaviour]:
    """Let the behaviours of a factory be called by the words that ask for them.

    Args:
        factory: returns the behaviour of its name; its parameters are numbers, or None.

    Returns:
        The factory, whose behaviours are called "name" with the usual parameters, and else
        "name(parameter=number)", with those that are not usual.
    """
    signature = inspect.signature(factory)

    @functools.wraps(factory)
    def named(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Behaviour:
        behaviour = factory(*args, **kwargs)  # which refuses what is no parameter of its
        given = signature.bind(*args, **kwargs).arguments
        usual = signature.parameters
        told = {name: value for name, value in given.items() if value != usual[name].default}
        return replace(behaviour, name=_words(factory.__name__, told)) if told else behaviour

    return named


def behaviour_in_words(
    text: str, factories: Mapping[str, Callable[..., Behaviour]]
) -> Behaviour | None:
    """Return the behaviour written as "name(parameter=number, ...)"; None if it is none so written.

    Args:
        text: what is written, as `Behaviour.name` is.
        factories: what may be asked for, by name.

    Raises:
        InvalidArgumentError: naming what is written wrong, or the parameter that is out of range.
    """
    form = _FORM.fullmatch(text.strip())
    name = form[1].strip() if form else ""
    if form is None or name not in factories:
        return None
    factory = factories[name]
    given: dict[str, float | None] = {}
    for parameter, value in _pairs(text, form[2], factory):
        if parameter in given:
            raise InvalidArgumentError("behaviour", text, f"one that says {parameter} once")
        given[parameter] = value
    try:
        return factory(**given)
    except InvalidArgumentError as error:
        whose = f"{error.name} of behaviour {name!r}"
        error.args, error.name = (error.spelled({error.name: whose}),), whose
        raise


def form_of(factory: Callable[..., Behaviour]) -> str:
    """Return how the behaviours of a factory are written."""
    return _words(factory.__name__, dict.fromkeys(inspect.signature(factory).parameters, "..."))


def _pairs(
    text: str, inner: str, factory: Callable[..., Behaviour]
) -> Iterator[tuple[str, float | None]]:
    """Yield each parameter with what is written as its value."""
    name, known = factory.__name__, [*inspect.signature(factory).parameters]
    for part in inner.split(",") if inner.strip() else ():
        parameter, equals, value = (each.strip() for each in part.partition("="))
        if not equals:
            raise InvalidArgumentError("behaviour", text, f"written as {form_of(factory)}")
        if parameter not in known:
            allowed = f"one whose parameters are among {', '.join(known)}"
            raise InvalidArgumentError("behaviour", text, allowed)
        yield parameter, _value(f"{parameter} of behaviour {name!r}", value)


def _value(name: str, text: str) -> float | None:
    """Return what is written as a whole number as one, another number as such, None as None."""
    if text == _NONE:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    raise InvalidArgumentError(name, text, "a number or None")


def _words(name: str, told: Mapping[str, Any]) -> str:
    return f"{name}({', '.join(f'{each}={_word(value)}' for each, value in told.items())})"


def _word(value: Any) -> str:
    """Return a number as it is read back to the bit, anything else as it is."""
    if value is None or isinstance(value, Integral | str):
        return str(value)
    return repr(float(value)).removesuffix(".0")
