"""Whether a submission has changed the package: what it was before, and what it is after."""

import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

from explorative_user_env.validation import PACKAGE

CONSTANTS = (bool, int, float, complex, str, bytes, tuple, frozenset, types.MappingProxyType)
"""Values of a module that nobody has a reason to replace."""

Named = Mapping[str, Any]


def seals_now() -> Named:
    """Return all functions, classes and constants of the package that are loaded, by their names.

    Of a function its code and its defaults as well: they can be replaced within it.
    """
    return dict(_all_of(_modules()))


def broken(before: Named, file: str) -> str:
    """Return the name of something that is not as it was, or is not the package's; else nothing.

    Args:
        before: what there was before, see `seals_now`.
        file: what the stranger's file is called.
    """
    now = dict(_all_of(_modules()))
    for name, was in before.items():
        if name not in now or now[name] is not was:
            return name
    for name, thing in now.items():
        if isinstance(thing, types.CodeType) and thing.co_filename.endswith(file):
            return name.removesuffix(".__code__")
    return ""


def _modules() -> dict[str, types.ModuleType]:
    return {
        name: module
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] == PACKAGE and isinstance(module, types.ModuleType)
    }


def _all_of(modules: Mapping[str, types.ModuleType]) -> Iterator[tuple[str, Any]]:
    for module_name, module in modules.items():
        for name, thing in list(vars(module).items()):
            yield from _parts(f"{module_name}.{name}", thing)
            if isinstance(thing, type) and thing.__module__ == module_name:
                for own, part in list(vars(thing).items()):
                    yield from _parts(f"{module_name}.{name}.{own}", part)


def _parts(name: str, thing: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(thing, staticmethod | classmethod):
        thing = thing.__func__
    if isinstance(thing, property):
        thing = thing.fget
    if isinstance(thing, types.FunctionType):
        yield name, thing
        yield f"{name}.__code__", thing.__code__
        yield f"{name}.__defaults__", thing.__defaults__
        yield f"{name}.__kwdefaults__", thing.__kwdefaults__
    elif isinstance(thing, type | types.BuiltinFunctionType) or (
        isinstance(thing, CONSTANTS) and not name.rpartition(".")[2].startswith("__")
    ):
        yield name, thing
