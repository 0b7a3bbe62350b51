"""Compiled loops kept on the disk, so that a later process need not compile them again.

Numba's own cache does not notice a change in a function that a loop calls from another file, and it
never finds loops that are closures. Here the file of a loop is named by a hash of the code of all
functions in the loop, of all values these refer to, and of the versions of what compiles it. The
files are run as code, so they are read only from a folder that nobody else can write to. If
anything fails here, the loop is compiled in memory.
"""

import dis
import errno
import functools
import hashlib
import os
import pickle
import platform
import stat
import struct
import sys
import warnings
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from types import CodeType, EllipsisType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np
import platformdirs

#: Libraries that numba compiles in its own way; functions inside them are not followed.
COMPILERS = ("numpy", "numba", "llvmlite")

#: Before the name of a module that a function imports in its body.
IMPORT = "import "


class Callees(NamedTuple):
    """All functions that go into a loop.

    Attributes:
        plain: Python functions, each after those that it calls; the loop itself is the last.
        compiled: functions that numba has compiled already, as they were in Python.
    """

    plain: list[FunctionType]
    compiled: list[FunctionType]


def callees_of(loop: Any) -> Callees:
    """Return all functions that go into `loop`, which is one of them."""
    found = Callees([], [])
    seen: set[int] = set()

    def visit(value: Any) -> None:
        inner = getattr(value, "py_func", None)  # of a function that numba has compiled
        function = inner if isinstance(inner, FunctionType) else value
        if not isinstance(function, FunctionType) or id(function) in seen or is_of_compiler(value):
            return
        seen.add(id(function))
        for other in references(function).values():
            visit(other)
        (found.plain if function is value else found.compiled).append(function)

    visit(loop)
    return found


def references(function: FunctionType) -> dict[str, Any]:
    """Return the values that `function` refers to, by the names it uses for them.

    These are globals, enclosed and imported values, and the members of referenced modules under any
    attribute name in the function.
    """
    names: set[str] = set()
    attributes: set[str] = set()
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes.extend(value for value in code.co_consts if isinstance(value, CodeType))
        for instruction in dis.get_instructions(code):
            kind, name = instruction.opname, instruction.argval
            if kind in ("LOAD_GLOBAL", "LOAD_NAME"):
                names.add(name)
            elif kind in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
                attributes.add(name)
            elif kind == "IMPORT_NAME":
                names.add(f"{IMPORT}{name}")
    found = {name: function.__globals__[name] for name in names if name in function.__globals__}
    for name in names:
        if name.startswith(IMPORT):
            found[name] = sys.modules.get(name.removeprefix(IMPORT))
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found |= {name: cell.cell_contents for name, cell in cells}
    modules = [(name, value) for name, value in found.items() if isinstance(value, ModuleType)]
    seen = {id(module) for _, module in modules}
    while modules:
        name, module = modules.pop()
        for attribute in attributes & vars(module).keys() if not is_of_compiler(module) else ():
            value = found[f"{name}.{attribute}"] = vars(module)[attribute]
            if isinstance(value, ModuleType) and id(value) not in seen:
                seen.add(id(value))
                modules.append((f"{name}.{attribute}", value))
    return found


def is_of_compiler(value: Any) -> bool:
    """Whether a function, class or module belongs to one of the `COMPILERS`."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return str(name).partition(".")[0] in COMPILERS


class UndescribedError(Exception):
    """A value in a loop cannot be described such that any other value has another description."""


def fingerprint(loop: Any, options: Mapping[str, Any]) -> str:
    """Return a hash of `loop`, of all that it refers to, and of the compiler.

    Args:
        loop: a plain function, or another value.
        options: those of the compiler.

    Raises:
        UndescribedError: if a value in the loop cannot be described completely.
    """
    seen: dict[FunctionType, int] = {}
    return _hash((_compiler(), _described(sorted_items(options), seen), _described(loop, seen)))


def sorted_items(values: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return names and values, sorted by name."""
    return tuple((name, values[name]) for name in sorted(values))


def _hash(description: Any) -> str:
    return hashlib.sha256(repr(description).encode("utf-8", "surrogatepass")).hexdigest()


#: Prefixes of numba's settings that do not change compiled code; the last are of threads.
NOT_OF_CODE = ("CACHE_", "COLOR_", "CUDA_", "DUMP_", "GDB_", "NUMBA_")


def _compiler() -> tuple[Any, ...]:
    """Return the versions of Python and the compilers, and numba's settings."""
    import llvmlite
    import numba

    settings = {
        name: repr(value)
        for name, value in vars(numba.config).items()
        if name.isupper() and not name.startswith(NOT_OF_CODE)
    }
    versions = [str(library.__version__) for library in (numba, llvmlite, np)]
    python = (platform.python_version(), sys.implementation.cache_tag)
    return python, versions, sorted_items(settings)


def _described(value: Any, seen: dict[FunctionType, int]) -> Any:
    """Return a description of `value` in tuples and literals; equal ones mean equal values."""
    from numba.core.dispatcher import Dispatcher
    from numba.core.extending import _Intrinsic
    from numba.core.types import Type

    kind = type(value).__name__
    if value is None or type(value) in (bool, int, str, bytes, EllipsisType):
        return kind, repr(value)
    if type(value) in (float, complex):
        return kind, struct.pack("<dd", value.real, value.imag)  # the sign of 0, and any NaN
    if isinstance(value, Enum):
        return kind, _described(type(value), seen), value.name
    if isinstance(value, np.generic | np.ndarray):
        if type(value).__module__ != "numpy" or value.dtype.hasobject:
            raise UndescribedError(f"{kind} may hold anything")
        order = value.flags.c_contiguous, value.flags.f_contiguous
        return kind, repr(value.dtype), value.shape, order, value.tobytes(order="C")
    if isinstance(value, np.dtype | Type):
        return kind, repr(value)
    if isinstance(value, tuple):
        named = None if type(value) is tuple else _described(type(value), seen)
        return kind, named, [_described(each, seen) for each in value]
    if isinstance(value, set | frozenset):
        return kind, sorted(repr(_described(each, seen)) for each in value)
    if isinstance(value, CodeType):
        counts = value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount
        names = value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars
        code = value.co_name, value.co_flags, value.co_code, value.co_exceptiontable
        return kind, counts, names, code, _described(value.co_consts, seen)
    if isinstance(value, FunctionType) and not is_of_compiler(value):
        return kind, _described_function(value, seen)
    if isinstance(value, ModuleType):
        return kind, value.__name__  # the members in use are described as references
    if isinstance(value, type) and _is_importable(value):
        place = value.__module__, value.__qualname__
        if issubclass(value, Enum):
            members = {member.name: member.value for member in value}
            return kind, place, _described(sorted_items(members), seen)
        if issubclass(value, tuple) and hasattr(value, "_fields"):
            return kind, place, value._fields
        if issubclass(value, BaseException):
            return kind, place
    if isinstance(value, Dispatcher):
        if "<locals>" in value.py_func.__qualname__:
            raise UndescribedError("several compiled functions may have the same name")
        options = sorted_items(value.targetoptions), sorted_items(value.locals)
        return kind, _described(options, seen), _described(value.py_func, seen)
    if isinstance(value, _Intrinsic):
        return kind, value._name, _described(value._defn, seen)
    if isinstance(value, np.ufunc):
        return kind, value.__name__
    root = str(getattr(value, "__module__", None)).partition(".")[0]
    if _is_importable(value) and (is_of_compiler(value) or root in sys.stdlib_module_names):
        return kind, value.__module__, value.__qualname__
    raise UndescribedError(f"{kind} is of an unknown kind")


def _described_function(function: FunctionType, seen: dict[FunctionType, int]) -> Any:
    if function in seen:
        return seen[function]
    if function.__module__ == "__main__":
        raise UndescribedError("a function of a script is another one in another process")
    seen[function] = len(seen)
    values = (function.__defaults__, sorted_items(function.__kwdefaults__ or {}))
    inside = (function.__code__, values, sorted_items(references(function)))
    return function.__module__, function.__qualname__, _described(inside, seen)


def _is_importable(value: Any) -> bool:
    """Whether another process finds this object by its module and name."""
    module = getattr(value, "__module__", None)
    found: Any = None if module == "__main__" else sys.modules.get(str(module))
    for name in str(getattr(value, "__qualname__", "")).split("."):
        found = getattr(found, name, None)
    return found is value


APPLICATION, FOLDER, ENDING = "explorative-user-env", "kernels", ".kernel"
HASH_BYTES = hashlib.sha256().digest_size


def kept_kernel(loop: Any, options: Mapping[str, Any]) -> "KeptKernel | None":
    """Return the place of a compiled `loop` on the disk; None if it has no fingerprint."""
    try:
        key = fingerprint(loop, options)
    except UndescribedError:
        return None
    return KeptKernel(_folder(), key)


def _folder() -> Path:
    try:
        caches = platformdirs.user_cache_dir(APPLICATION, appauthor=False)
    except RuntimeError:  # no home; older releases return a path that begins with "~"
        caches = f"~/.cache/{APPLICATION}"
    return Path(caches) / FOLDER


class KeptKernel:
    """The place of a loop on the disk, with the two methods that numba calls of its own cache.

    Args:
        folder: where the files are.
        key: the fingerprint of the loop.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self._folder, self.key, self.cache_path = folder, key, str(folder)

    def load_overload(self, types: Any, target: Any) -> Any | None:
        """Return the loop compiled for these argument types; None if it is not there."""
        from numba.core import compiler

        target.refresh()
        result: Any = compiler.CompileResult
        try:
            data = _read(self._path(types, target.codegen()))
            compiled = result._rebuild(target, *pickle.loads(data))
        except Exception:  # whatever is wrong with the file, the loop can be compiled again
            return None
        return compiled if tuple(compiled.signature.args) == tuple(types) else None

    def save_overload(self, types: Any, compiled: Any) -> None:
        """Keep the loop as it was compiled for these argument types."""
        from numba.core import serialize

        if compiled.lifted or compiled.library.has_dynamic_globals:
            return
        as_bytes: Any = serialize.dumps
        data = as_bytes(compiled._reduce())
        path = self._path(types, compiled.codegen)
        unfinished = path.with_suffix(f".{os.getpid()}.unfinished")
        try:
            if not path.is_absolute():  # "~/...", where there is no home
                raise FileNotFoundError(errno.ENOENT, "there is no home folder")
            self._folder.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
            _check_private(self._folder.lstat())
            try:
                unfinished.write_bytes(hashlib.sha256(data).digest() + data)
                unfinished.chmod(stat.S_IRUSR | stat.S_IWUSR)
                os.replace(unfinished, path)
            finally:
                unfinished.unlink(missing_ok=True)
        except OSError as error:
            _warn(str(self._folder), str(error.strerror))

    def _path(self, types: Iterable[Any], codegen: Any) -> Path:
        types_key = fingerprint_of_types(types, codegen.magic_tuple())
        return self._folder / f"{self.key}-{types_key}{ENDING}"


def fingerprint_of_types(types: Iterable[Any], processor: tuple[str, ...]) -> str:
    """Return a hash of the argument types of a loop, in numba's terms, and of the processor."""

    def fields_of(kind: Any) -> Any:
        named = getattr(getattr(kind, "instance_class", None), "_fields", ())
        return named, [fields_of(part) for part in getattr(kind, "types", ())]

    return _hash(([(kind, fields_of(kind)) for kind in types], processor))


def _read(path: Path) -> bytes:
    """Return a file that only this user can have written, and that is complete."""
    _check_private(path.parent.lstat())
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
        _check_private(os.fstat(file.fileno()))
        data = file.read()
    if hashlib.sha256(data[HASH_BYTES:]).digest() != data[:HASH_BYTES]:
        raise ValueError("the file is damaged")
    return data[HASH_BYTES:]


def _check_private(status: os.stat_result) -> None:
    """Refuse a link, and what another user owns or may write to."""
    theirs = hasattr(os, "geteuid") and status.st_uid != os.geteuid()
    writable = hasattr(os, "geteuid") and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if theirs or writable or not (stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)):
        raise PermissionError(errno.EPERM, "others may write to it")


@functools.cache
def _warn(folder: str, why: str) -> None:
    """Warn once in a process that compiled loops cannot be kept."""
    warnings.warn(
        f"compiled code cannot be kept in {folder} ({why}); each start compiles it again, for up "
        "to half a minute",
        stacklevel=2,
    )
