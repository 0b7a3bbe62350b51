"""What goes into compiled code as one hash: where anything differs, the hash does.

Functions count with their bytecode, their file and all that they refer to, numbers to the bit,
arrays with kind, shape and bytes, and the compiler with its versions and settings. What is of a
kind that no rule here describes whole has no hash, and what it goes into is not kept.
"""

import hashlib
import inspect
import platform
import struct
import sys
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from pathlib import Path
from types import CodeType, EllipsisType, FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

from explorative_user_env.compiled.callees import is_of_compiler, references

NOT_OF_CODE = ("CACHE_", "COLOR_", "CUDA_", "DUMP_", "GDB_", "NUMBA_")
"""How settings of numba begin that change nothing in compiled code; the last are of threads."""


class UndescribedError(Exception):
    """Something goes into a loop that cannot be told from others like it."""


def fingerprint(loop: Any, options: Mapping[str, Any]) -> str:
    """Return a hash of `loop`, of all that goes into it, and of what compiles it.

    Args:
        loop: a plain function.
        options: those of the compiler.

    Raises:
        UndescribedError: if something goes in that cannot be described whole.
    """
    description = _Description()
    whole = _joined(_compiler(), description.of_items(options), description.of(loop))
    return hashlib.sha256(whole).hexdigest()


def fingerprint_of_types(types: Iterable[Any], processor: tuple[str, ...]) -> str:
    """Return a hash of what a loop is compiled for: types, in numba's words, and a processor.

    Raises:
        UndescribedError: if one cannot be described whole.
    """
    description = _Description()
    return hashlib.sha256(description.of((*types, processor))).hexdigest()


def _joined(*parts: bytes | str) -> bytes:
    """Return the parts as one; no other parts give the same."""
    told = [part if isinstance(part, bytes) else _encoded(part) for part in parts]
    return b"".join(len(part).to_bytes(8, "big") + part for part in told)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _compiler() -> bytes:
    """Return what compiles: versions, and numba's settings that are in force."""
    import llvmlite
    import numba

    settings = vars(numba.config)
    names = [name for name in settings if name.isupper() and not name.startswith(NOT_OF_CODE)]
    python = (platform.python_version(), str(sys.implementation.cache_tag))
    versions = [str(library.__version__) for library in (numba, llvmlite, np)]
    in_force = [f"{name}={settings[name]!r}" for name in sorted(names)]
    return _joined(*python, getattr(sys, "abiflags", ""), *versions, *in_force)


_PLAIN: dict[type, Callable[[Any], bytes | str]] = {
    NoneType: repr,
    EllipsisType: repr,
    bool: repr,
    int: hex,
    float: lambda value: struct.pack("<d", value),
    complex: lambda value: struct.pack("<dd", value.real, value.imag),
    str: _encoded,
    bytes: bytes,
}


class _Description:
    """Values as bytes; a function that comes again is told by when it came first."""

    def __init__(self) -> None:
        self._seen: dict[FunctionType, str] = {}

    def of(self, value: Any) -> bytes:
        """Return all that there is to tell of `value`.

        Raises:
            UndescribedError: if no rule tells all.
        """
        kind = type(value)
        if kind in _PLAIN:
            return _joined(kind.__name__, _PLAIN[kind](value))
        for kinds, describe in self._rules():
            if isinstance(value, kinds):
                return _joined(kind.__name__, describe(value))
        return _joined("library", _place_in_library(value))

    def _rules(self) -> list[tuple[Any, Callable[[Any], bytes]]]:
        from numba.core.dispatcher import Dispatcher
        from numba.core.extending import _Intrinsic
        from numba.core.types import Type

        return [
            (Enum, lambda member: _joined(self.of(type(member)), member.name)),
            ((np.generic, np.ndarray), _described_array),
            (np.dtype, lambda dtype: _encoded(repr(dtype))),
            (tuple, self._tuple),
            ((set, frozenset), lambda values: _joined(*sorted(map(self.of, values)))),
            (CodeType, self._code),
            (FunctionType, self._function),
            (ModuleType, lambda module: _encoded(module.__name__)),  # what is used of it comes too
            (type, self._class),
            (Dispatcher, self._dispatcher),
            (_Intrinsic, lambda word: _joined(word._name, self.of(word._defn))),
            (Type, self._type_of_numba),
        ]

    def of_items(self, values: Mapping[str, Any]) -> bytes:
        """Return all that there is to tell of options or names."""
        return _joined(*(_joined(name, self.of(values[name])) for name in sorted(values)))

    def _all(self, values: Iterable[Any]) -> bytes:
        return _joined(*map(self.of, values))

    def _tuple(self, values: Any) -> bytes:
        kind = b"" if type(values) is tuple else self._class(type(values))
        return _joined(kind, self._all(values))

    def _code(self, code: CodeType) -> bytes:
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        raw = (code.co_name, code.co_code, code.co_exceptiontable)
        return self._all((counts, names, raw, code.co_consts))

    def _function(self, function: FunctionType) -> bytes:
        if is_of_compiler(function):
            return _encoded(_place_in_library(function))
        if function in self._seen:
            return _encoded(self._seen[function])
        if function.__module__ == "__main__":
            raise UndescribedError("a function of a script is another one in another process")
        self._seen[function] = f"again {len(self._seen)}"
        try:
            file = Path(inspect.getfile(function)).read_bytes()
        except OSError as error:
            raise UndescribedError(f"the file of {function.__name__} cannot be read") from error
        defaults = (function.__defaults__, *sorted((function.__kwdefaults__ or {}).items()))
        place = _joined(function.__module__, function.__qualname__, hashlib.sha256(file).digest())
        return _joined(
            place,
            self._code(function.__code__),
            self._all(defaults),
            self.of_items(references(function)),
        )

    def _class(self, kind: type) -> bytes:
        if not _is_importable(kind):
            raise UndescribedError(f"{kind.__name__} is another class in another process")
        place = _joined(kind.__module__, kind.__qualname__)
        if issubclass(kind, Enum):
            return _joined(place, self.of_items({m.name: m.value for m in kind}))
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return _joined(place, *kind._fields)
        if issubclass(kind, BaseException):
            return place  # raised by name, made by Python
        return _encoded(_place_in_library(kind))

    def _dispatcher(self, compiled: Any) -> bytes:
        if "<locals>" in compiled.py_func.__qualname__:
            raise UndescribedError("several compiled functions may have the same name")
        options = self.of_items(compiled.targetoptions), self.of_items(compiled.locals)
        return _joined(*options, self.of(compiled.py_func))

    def _type_of_numba(self, kind: Any) -> bytes:
        from numba.core import types

        if isinstance(kind, types.BaseNamedTuple):
            named: Any = kind
            return _joined(self._class(named.instance_class), self._all(named.types))
        if isinstance(kind, types.BaseTuple):
            return self._all(tuple(kind))  # type: ignore[arg-type]
        if isinstance(kind, types.Array):
            return _joined(str(kind), str((kind.mutable, kind.aligned)), self.of(kind.dtype))
        if isinstance(kind, types.Number | types.Boolean | types.NoneType | types.UnicodeType):
            return _encoded(str(kind))
        raise UndescribedError(f"the type {kind} is of no kind that is kept")


def _described_array(values: Any) -> bytes:
    if type(values).__module__ != "numpy" or values.dtype.hasobject:
        raise UndescribedError(f"{type(values).__name__} may hold anything")
    layout = (values.shape, values.flags.c_contiguous, values.flags.f_contiguous)
    return _joined(repr(values.dtype), repr(layout), values.tobytes(order="C"))


def _place_in_library(value: Any) -> str:
    """Return where in the compiler's or Python's own modules a class or C function stands."""
    if isinstance(value, np.ufunc):  # older ones do not say where they stand
        return f"numpy.{value.__name__}"
    root = str(getattr(value, "__module__", None)).partition(".")[0]
    if _is_importable(value) and (is_of_compiler(value) or root in sys.stdlib_module_names):
        return f"{value.__module__}.{value.__qualname__}"
    raise UndescribedError(f"{type(value).__name__} is of no kind that is kept")


def _is_importable(value: Any) -> bool:
    """Whether another process finds this very object by its module and name."""
    module = getattr(value, "__module__", None)
    found: Any = None if module == "__main__" else sys.modules.get(str(module))
    for name in str(getattr(value, "__qualname__", "")).split("."):
        found = getattr(found, name, None)
    return found is value
