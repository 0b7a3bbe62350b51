"""Names that arguments had before."""

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def renamed(
    **spellings: str,
) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """Let a function be called by old names of its arguments; each tells the new one in a line.

    Args:
        **spellings: the new name of each old one.
    """

    def decorate(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        @functools.wraps(function)
        def called(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
            for old in spellings.keys() & kwargs.keys():
                message = f"{old} is called {spellings[old]} now"
                warnings.warn(message, DeprecationWarning, stacklevel=2)
                kwargs[spellings[old]] = kwargs.pop(old)
            return function(*args, **kwargs)

        return called

    return decorate
