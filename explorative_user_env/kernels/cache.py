"""A disk cache of compiled loops, so that a later process need not compile them again.

Numba has a cache too, but it does not notice changes in functions from other files. It also cannot
store closures, and every loop is a closure. This cache stores each loop in a file whose name is a
hash of the code of all functions in the loop, of all values to which these functions refer, and of
the versions of the compiler. Loading a file runs code, so other accounts must not be able to write
to the folder. If the cache fails, numba compiles the loop in memory.
"""

import dis
import errno
import functools
import hashlib
import os
import pickle
import platform
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from types import CodeType, EllipsisType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np
import platformdirs

#: Libraries that numba compiles by special rules; the cache does not hash their functions.
COMPILERS = ("numpy", "numba", "llvmlite")


class Callees(NamedTuple):
    """The loop and all functions that it calls, directly or indirectly.

    Attributes:
        plain: Python functions, each after the functions that it calls; the loop is the last.
        compiled: functions that numba has already compiled, as plain Python functions.
    """

    plain: list[FunctionType]
    compiled: list[FunctionType]


def callees_of(loop: Any) -> Callees:
    """Return `loop` and all functions that it calls, directly or indirectly."""
    callees = Callees([], [])
    seen: set[int] = set()

    def visit(value: Any) -> None:
        inner = getattr(value, "py_func", None)  # set on a function compiled by numba
        function = inner if isinstance(inner, FunctionType) else value
        if not isinstance(function, FunctionType) or id(function) in seen or in_compiler(value):
            return
        seen.add(id(function))
        for other in references(function).values():
            visit(other)
        (callees.plain if function is value else callees.compiled).append(function)

    visit(loop)
    return callees


def references(function: FunctionType) -> dict[str, Any]:
    """Return the values to which `function` refers, by their names in its code.

    These values are its globals, closure values and imports. If one of them is a module, the result
    also has the members of this module that the code reads as attributes.
    """
    values: dict[str, Any] = {}
    attributes: set[str] = set()
    codes = [function.__code__]
    for code in codes:
        codes += [value for value in code.co_consts if isinstance(value, CodeType)]
        for instruction in dis.get_instructions(code):
            kind, name = instruction.opname, instruction.argval
            if kind in ("LOAD_GLOBAL", "LOAD_NAME") and name in function.__globals__:
                values[name] = function.__globals__[name]
            elif kind in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
                attributes.add(name)
            elif kind == "IMPORT_NAME":
                values[f"import {name}"] = sys.modules.get(name)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    values |= {name: cell.cell_contents for name, cell in cells}
    modules = [(name, value) for name, value in values.items() if isinstance(value, ModuleType)]
    seen = {id(module) for _, module in modules}
    for name, module in modules:
        for attribute in attributes & vars(module).keys() if not in_compiler(module) else ():
            value = values[f"{name}.{attribute}"] = vars(module)[attribute]
            if isinstance(value, ModuleType) and id(value) not in seen:
                seen.add(id(value))
                modules.append((f"{name}.{attribute}", value))
    return values


def in_compiler(value: Any) -> bool:
    """Return whether a function, class or module belongs to a library in `COMPILERS`."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return str(name).partition(".")[0] in COMPILERS


class UndescribedError(Exception):
    """A value in a loop has no unique description, so that the loop has no cache key."""


#: Prefixes of numba's settings that do not change compiled code; "NUMBA_" starts thread settings.
IGNORED = ("CACHE_", "COLOR_", "CUDA_", "DUMP_", "GDB_", "NUMBA_")


def fingerprint(loop: Any, options: Mapping[str, Any]) -> str:
    """Return a hash of `loop`, of all values to which it refers, and of the compiler.

    Args:
        loop: a Python function, or another value.
        options: options of the compiler.

    Raises:
        UndescribedError: if a value in the loop has no unique description.
    """
    import llvmlite
    import numba

    settings = {
        name: repr(value)
        for name, value in vars(numba.config).items()
        if name.isupper() and not name.startswith(IGNORED)
    }
    versions = [str(library.__version__) for library in (numba, llvmlite, np)]
    python = (platform.python_version(), sys.implementation.cache_tag)
    compiler = (python, versions, sorted_items(settings))
    seen: dict[FunctionType, int] = {}
    return _hash((compiler, _describe(sorted_items(options), seen), _describe(loop, seen)))


def sorted_items(values: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return names and values, sorted by name."""
    return tuple((name, values[name]) for name in sorted(values))


def _hash(description: Any) -> str:
    return hashlib.sha256(repr(description).encode("utf-8", "surrogatepass")).hexdigest()


#: Types whose values have unique `repr`s.
PLAIN = (type(None), bool, int, float, complex, str, bytes, EllipsisType)


def _describe(value: Any, seen: dict[FunctionType, int]) -> Any:
    """Return tuples and literals that describe `value`, different for different values."""
    from numba.core.dispatcher import Dispatcher
    from numba.core.extending import _Intrinsic
    from numba.core.types import Type

    kind = type(value).__name__
    if type(value) in PLAIN or isinstance(value, np.dtype | Type):
        return kind, repr(value)
    if isinstance(value, Enum):
        return kind, _describe(type(value), seen), value.name
    if isinstance(value, np.generic | np.ndarray):
        if type(value).__module__ != "numpy" or value.dtype.hasobject:
            raise UndescribedError(f"a value of type {kind} may hold arbitrary Python objects")
        order = value.flags.c_contiguous, value.flags.f_contiguous
        return kind, repr(value.dtype), value.shape, order, value.tobytes(order="C")
    if isinstance(value, tuple):
        named = None if type(value) is tuple else _describe(type(value), seen)
        return kind, named, [_describe(each, seen) for each in value]
    if isinstance(value, set | frozenset):
        return kind, sorted(repr(_describe(each, seen)) for each in value)
    if isinstance(value, CodeType):
        counts = value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount
        names = value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars
        code = value.co_name, value.co_flags, value.co_code, value.co_exceptiontable
        return kind, counts, names, code, _describe(value.co_consts, seen)
    if isinstance(value, FunctionType) and not in_compiler(value):
        if value in seen:
            return kind, seen[value]
        if value.__module__ == "__main__":
            raise UndescribedError("a function of another script may have the same name")
        seen[value] = len(seen)
        defaults = (value.__defaults__, sorted_items(value.__kwdefaults__ or {}))
        parts = (value.__code__, defaults, sorted_items(references(value)))
        return kind, value.__module__, value.__qualname__, _describe(parts, seen)
    if isinstance(value, ModuleType | np.ufunc):
        return kind, value.__name__  # `references` finds the members of a module
    if isinstance(value, Dispatcher):
        if "<locals>" in value.py_func.__qualname__:
            raise UndescribedError("another local function may have the same name")
        options = sorted_items(value.targetoptions), sorted_items(value.locals)
        return kind, _describe(options, seen), _describe(value.py_func, seen)
    if isinstance(value, _Intrinsic):
        return kind, value._name, _describe(value._defn, seen)
    # Describe any other value by its import path. Importing the path must give the value.
    module, place = str(getattr(value, "__module__", None)), getattr(value, "__qualname__", "")
    imported: Any = None if module == "__main__" else sys.modules.get(module)
    for name in str(place).split("."):
        imported = getattr(imported, name, None)
    members: tuple[Any, ...] = ()
    if isinstance(value, type) and issubclass(value, Enum):
        members = sorted_items({member.name: member.value for member in value})
    elif isinstance(value, type) and issubclass(value, tuple | BaseException):
        members = getattr(value, "_fields", ())
    elif not in_compiler(value) and module.partition(".")[0] not in sys.stdlib_module_names:
        raise UndescribedError(f"the type {kind} is unknown to the cache")
    if imported is not value:
        raise UndescribedError(f"a value of type {kind} has no import path")
    return kind, module, place, _describe(members, seen)


APPLICATION, FOLDER, ENDING = "explorative-user-env", "kernels", ".loop"


def _folder() -> Path:
    try:
        caches = platformdirs.user_cache_dir(APPLICATION, appauthor=False)
    except RuntimeError:  # no home folder: use a relative path, as older platformdirs do
        caches = f"~/.cache/{APPLICATION}"
    return Path(caches) / FOLDER


class CachedKernel:
    """The disk file of a compiled loop. Numba calls the methods to read and write the file.

    Args:
        key: the fingerprint of the loop.
    """

    def __init__(self, key: str) -> None:
        self._folder, self.key = _folder(), key
        self.cache_path = str(self._folder)

    def load_overload(self, types: Any, target: Any) -> Any | None:
        """Return the loop compiled for these argument types, or None if there is no valid file."""
        from numba.core import compiler

        target.refresh()
        result: Any = compiler.CompileResult
        try:
            path = self._path(types, target.codegen())
            _check_private(self._folder)
            _check_private(path)
            compiled = result._rebuild(target, *pickle.loads(path.read_bytes()))
        except Exception:  # a damaged file may raise any exception; numba compiles again
            return None
        return compiled if tuple(compiled.signature.args) == tuple(types) else None

    def save_overload(self, types: Any, compiled: Any) -> None:
        """Write the loop compiled for these argument types to the disk."""
        from numba.core import serialize

        if compiled.lifted or compiled.library.has_dynamic_globals:
            return
        as_bytes: Any = serialize.dumps
        data = as_bytes(compiled._reduce())
        try:
            if not self._folder.is_absolute():  # "~/..." without a home folder
                raise FileNotFoundError(errno.ENOENT, "this account has no home folder")
            self._folder.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
            _check_private(self._folder)
            with tempfile.TemporaryDirectory(dir=self._folder) as temporary:
                unfinished = Path(temporary, "loop")
                unfinished.touch(stat.S_IRUSR | stat.S_IWUSR)
                unfinished.write_bytes(data)
                os.replace(unfinished, self._path(types, compiled.codegen))
        except OSError as error:
            _warn(str(self._folder), str(error.strerror))

    def _path(self, types: Iterable[Any], codegen: Any) -> Path:
        types_key = fingerprint_of_types(types, codegen.magic_tuple())
        return self._folder / f"{self.key}-{types_key}{ENDING}"


def fingerprint_of_types(types: Iterable[Any], processor: tuple[str, ...]) -> str:
    """Return a hash of the numba types of a loop's arguments, and of the processor."""

    def fields_of(kind: Any) -> Any:
        named = getattr(getattr(kind, "instance_class", None), "_fields", ())
        return named, [fields_of(part) for part in getattr(kind, "types", ())]

    return _hash(([(kind, fields_of(kind)) for kind in types], processor))


def _check_private(path: Path) -> None:
    """Raise an error for a link, or a path that another account owns or can write to."""
    status = path.lstat()
    foreign = hasattr(os, "geteuid") and status.st_uid != os.geteuid()
    writable = hasattr(os, "geteuid") and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if foreign or writable or stat.S_ISLNK(status.st_mode):
        raise PermissionError(errno.EPERM, "other accounts can write to this path")


@functools.cache
def _warn(folder: str, why: str) -> None:
    """Warn that compiled loops cannot be stored, only once for each folder and cause."""
    warnings.warn(
        f"compiled code cannot be stored in {folder} ({why}); every process compiles the "
        "code again, which takes up to half a minute",
        stacklevel=2,
    )
