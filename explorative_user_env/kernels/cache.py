"""Compiled loops kept on the disk, so that a later process need not compile them again.

A loop compiled for some types is a file of its own in the user's cache folder, named by the hash of
everything that goes into it (see `fingerprint`): whatever changes, the name does. Only what nobody
else can have put there is read (see `private_folder`), as it is run. Whatever fails here, the loop
is compiled in memory; a warning says so once where nothing can be kept.
"""

import dis
import errno
import hashlib
import inspect
import os
import pickle
import platform
import stat
import struct
import sys
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from types import CodeType, EllipsisType, FunctionType, ModuleType, NoneType
from typing import Any, NamedTuple

import numpy as np
import platformdirs

from explorative_user_env.files import is_left_behind

COMPILERS = ("numpy", "numba", "llvmlite")
"""Libraries that compiled code has words of its own for; nothing inside them is looked at."""

IMPORT = "import "
"""Before the name of a module that is imported inside a function."""


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
    """Return what `function` refers to by the names it has for it.

    That is what stands in its module, what it encloses or imports, and what stands in modules it
    refers to, under any name of an attribute in the function: which are the module's is not told.
    """
    names, attributes = _names_in(function.__code__)
    known = {name: function.__globals__[name] for name in names if name in function.__globals__}
    imports = (name.removeprefix(IMPORT) for name in names if name.startswith(IMPORT))
    known |= {f"{IMPORT}{name}": sys.modules.get(name) for name in imports}
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    known |= {name: cell.cell_contents for name, cell in cells}
    for name, value in list(known.items()):
        if isinstance(value, ModuleType):
            known |= _inside(name, value, attributes)
    return known


def is_of_compiler(value: Any) -> bool:
    """Whether a function, class or module is one of the `COMPILERS`."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return str(name).partition(".")[0] in COMPILERS


def _inside(name: str, module: ModuleType, attributes: list[str]) -> dict[str, Any]:
    """Return what stands in a module, and in modules inside it, by dotted names."""
    found: dict[str, Any] = {}
    modules, seen = [(name, module)], {id(module)}
    while modules:
        name, module = modules.pop()
        if is_of_compiler(module):
            continue
        for attribute in attributes:
            if attribute not in vars(module):
                continue
            value = found[f"{name}.{attribute}"] = vars(module)[attribute]
            if isinstance(value, ModuleType) and id(value) not in seen:
                seen.add(id(value))
                modules.append((f"{name}.{attribute}", value))
    return found


def _names_in(code: CodeType) -> tuple[list[str], list[str]]:
    """Return the global names and the attributes in `code` and in the functions it makes."""
    names: set[str] = set()
    attributes: set[str] = set()
    codes = [code]
    while codes:
        current = codes.pop()
        codes.extend(value for value in current.co_consts if isinstance(value, CodeType))
        for instruction in dis.get_instructions(current):
            kind, name = instruction.opname, instruction.argval
            if kind in ("LOAD_GLOBAL", "LOAD_NAME"):
                names.add(name)
            elif kind in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
                attributes.add(name)
            elif kind == "IMPORT_NAME":
                names.add(f"{IMPORT}{name}")
    return sorted(names), sorted(attributes)


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


BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH

UNFINISHED = ".unfinished"

HASH_BYTES = hashlib.sha256().digest_size

_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY: int = getattr(os, "O_BINARY", 0)


class PrivateFolder:
    """Files by name, read and written whole.

    Args:
        path: the folder; it is made, for its owner only, when something is first written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str) -> bytes | None:
        """Return what was written under `name`; None, and nothing is left of it, if it is not that.

        Raises:
            OSError: if the folder cannot be trusted, or read.
        """
        with suppress(FileNotFoundError), self._opened() as folder:
            with suppress(OSError):
                data = self._content(name, folder)
                if hashlib.sha256(data[HASH_BYTES:]).digest() == data[:HASH_BYTES]:
                    return data[HASH_BYTES:]
            self._remove(name, folder)
        return None

    def write(self, name: str, data: bytes) -> None:
        """Write a file whole, or leave all as it was.

        Raises:
            OSError: if the folder cannot be trusted, or the disk refuses.
        """
        self._make()
        unfinished = f"{name}.{uuid.uuid4().hex}{UNFINISHED}"
        with self._opened() as folder:
            self._sweep(folder)
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _BINARY
                handle = os.open(self._in(folder, unfinished), flags, 0o600, dir_fd=folder)
                with os.fdopen(handle, "wb") as file:
                    file.write(hashlib.sha256(data).digest() + data)
                    file.flush()
                    os.fsync(file.fileno())
                before, after = self._in(folder, unfinished), self._in(folder, name)
                os.replace(before, after, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                self._remove(unfinished, folder)
                raise

    def remove(self, name: str) -> None:
        """Leave nothing of a file, if that can be."""
        with suppress(OSError), self._opened() as folder:
            self._remove(name, folder)

    def _make(self) -> None:
        if not self.path.is_absolute():  # "~/...", where nobody knows whose home that is
            raise FileNotFoundError(errno.ENOENT, "there is no home folder")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            self.path.mkdir(mode=stat.S_IRWXU)

    @contextmanager
    def _opened(self) -> Iterator[int | None]:
        """Open the folder if it can be trusted; None where files are opened by their whole path."""
        if os.open not in os.supports_dir_fd:
            _check(os.lstat(self.path))
            yield None
            return
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK)
        try:
            _check(os.fstat(folder))
            yield folder
        finally:
            os.close(folder)

    def _in(self, folder: int | None, name: str) -> str:
        return str(self.path / name) if folder is None else name

    def _content(self, name: str, folder: int | None) -> bytes:
        handle = os.open(self._in(folder, name), os.O_RDONLY | _NO_LINK | _BINARY, dir_fd=folder)
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            _check(status)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "it is no file")
            return file.read()

    def _sweep(self, folder: int | None) -> None:
        """Remove what those have left who were killed while they wrote."""
        with suppress(OSError):
            for name in os.listdir(self.path if folder is None else folder):
                if not name.endswith(UNFINISHED):
                    continue
                if is_left_behind(os.lstat(self._in(folder, name), dir_fd=folder)):
                    self._remove(name, folder)

    def _remove(self, name: str, folder: int | None) -> None:
        with suppress(OSError):
            os.unlink(self._in(folder, name), dir_fd=folder)


def _check(status: os.stat_result) -> None:
    """Raise where others own or may write what this is the status of, or it is a link."""
    if stat.S_ISLNK(status.st_mode):
        raise PermissionError(errno.EPERM, "it is a link")
    if hasattr(os, "geteuid"):
        if status.st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, "it belongs to somebody else")
        if status.st_mode & BY_OTHERS:
            raise PermissionError(errno.EPERM, "others may write to it")


APPLICATION = "explorative-user-env"
FOLDER = "kernels"
ENDING = ".kernel"

_told: set[Path] = set()
"""The folders that this process has warned of."""


def kept_kernel(loop: Callable[..., Any], options: Mapping[str, Any]) -> "KeptKernel | None":
    """Return where `loop`, compiled, is kept; None if something goes in that has no hash."""
    try:
        key = fingerprint(loop, options)
    except UndescribedError:
        return None
    return KeptKernel(PrivateFolder(_folder()), key)


def _folder() -> Path:
    """Return the folder of kept loops; it begins with "~" where nobody knows whose home that is."""
    try:
        caches = platformdirs.user_cache_dir(APPLICATION, appauthor=False)
    except RuntimeError:  # there is no home; older ones return what begins so
        caches = f"~/.cache/{APPLICATION}"
    return Path(caches) / FOLDER


class KeptKernel:
    """A loop's place on the disk, with the two methods that numba calls of its own cache.

    Args:
        folder: where its files are.
        key: the hash of what goes into it.
    """

    def __init__(self, folder: PrivateFolder, key: str) -> None:
        self._folder, self.key = folder, key
        self.cache_path = str(folder.path)

    def load_overload(self, types: Any, target: Any) -> Any | None:
        """Return the loop compiled for these argument types, None if it is not there."""
        target.refresh()
        name = self._name(types, target.codegen())
        if name is None:
            return None
        try:
            data = self._folder.read(name)
        except OSError as error:
            self._say_that_nothing_is_kept(error)
            return None
        compiled = None if data is None else _rebuilt(data, types, target)
        if data is not None and compiled is None:
            self._folder.remove(name)
        return compiled

    def save_overload(self, types: Any, compiled: Any) -> None:
        """Keep the loop as it was compiled for these argument types, if it can be."""
        from numba.core import serialize

        name = self._name(types, compiled.codegen)
        if name is None or compiled.lifted or compiled.library.has_dynamic_globals:
            return
        as_bytes: Any = serialize.dumps
        try:
            self._folder.write(name, as_bytes(compiled._reduce()))
        except OSError as error:
            self._say_that_nothing_is_kept(error)

    def _name(self, types: Any, codegen: Any) -> str | None:
        """Return the name of the file for these types and this processor; None if it has none."""
        try:
            return f"{self.key}-{fingerprint_of_types(types, codegen.magic_tuple())}{ENDING}"
        except UndescribedError:
            return None

    def _say_that_nothing_is_kept(self, error: OSError) -> None:
        """Warn, once a process and folder."""
        folder = self._folder.path
        if folder not in _told:
            _told.add(folder)
            warnings.warn(
                f"compiled code cannot be kept in {folder} ({error.strerror}), so each start "
                "compiles it again, for up to half a minute",
                stacklevel=2,
            )


def _rebuilt(data: bytes, types: Any, target: Any) -> Any | None:
    """Return compiled code out of what was written; None if it is not for these types."""
    from numba.core import compiler

    result: Any = compiler.CompileResult
    try:
        compiled = result._rebuild(target, *pickle.loads(data))
    except Exception:  # whatever is wrong with it, it can be compiled again
        return None
    return compiled if tuple(compiled.signature.args) == tuple(types) else None
