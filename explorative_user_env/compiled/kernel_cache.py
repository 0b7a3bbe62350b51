"""Compiled loops kept on the disk, so that a later process need not compile them again.

A loop becomes a module of its own in the user's cache folder, named by a hash of every source that
goes into it and of the versions of what compiles it: whatever changes, the name does. Where
nothing can be written, the loop is compiled in memory and a warning says so.
"""

import functools
import hashlib
import importlib.util
import inspect
import os
import platform
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import platformdirs

from explorative_user_env.compiled.callees import Callees

APPLICATION = "explorative-user-env"


def compiled(
    loops: Sequence[Callable[..., Any]],
    names: Mapping[str, Any],
    callees: Callees,
    options: Mapping[str, Any],
) -> Any | None:
    """Return the last loop compiled by numba, from the disk if there; None if it cannot be kept.

    Args:
        loops: the functions to compile; each may call those before it.
        names: the other functions and numbers that they refer to, by name.
        callees: all that goes into them, for the hash.
        options: numba's.
    """
    imports = []
    for name, value in names.items():
        if isinstance(value, int):
            imports.append(f"{name} = {value}")
        elif _importable(value):
            imports.append(f"from {value.__module__} import {value.__name__} as {name}")
        else:
            return None
    source = "\n".join(["from __future__ import annotations", "import numba", *imports])
    for loop in loops:
        source += f"\n@numba.njit(cache=True, **{dict(options)!r})\n"
        source += textwrap.dedent(inspect.getsource(loop))
    folder = Path(platformdirs.user_cache_dir(APPLICATION, appauthor=False))
    try:
        path = _file(folder, source, _digest(source, callees, _files_of(names.values())))
    except OSError as error:
        _say_that_nothing_is_kept(folder, str(error.strerror))
        return None
    return getattr(_module(path), loops[-1].__name__)


@functools.cache
def _say_that_nothing_is_kept(folder: Path, why: str) -> None:
    """Warn, once a process and folder."""
    warnings.warn(
        f"compiled code cannot be kept in {folder} ({why}), so each start compiles it again, for "
        "up to half a minute",
        stacklevel=2,
    )


def _module(path: Path) -> ModuleType:
    """Run the file as a module of its name, under which numba looks for it again."""
    name = path.stem
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def _importable(value: Any) -> bool:
    """Whether another process finds this very function or class by its module and name."""
    module = getattr(value, "__module__", None)
    name = getattr(value, "__name__", None)
    if module in (None, "__main__") or name is None:
        return False
    return getattr(sys.modules.get(module), name, None) is value


def _files_of(values: Iterable[Any]) -> set[str]:
    """Return the files of functions that numba knows under names of their own."""
    modules = [sys.modules[value.__module__] for value in values if not isinstance(value, int)]
    return {module.__file__ for module in modules if module.__file__ is not None}


def _digest(source: str, callees: Callees, files: set[str]) -> str:
    """Return a hash of the loop, of all that goes into it, and of the compiler.

    That is the files of all functions it calls, also of ones that are compiled already, and the
    values of the constants they use, which may come from yet other files.
    """
    import llvmlite
    import numba

    parts = [source, platform.python_version()]
    parts += [library.__version__ for library in (numba, llvmlite, np)]
    kinds = (int, float, complex, str, bytes, tuple, np.ndarray)
    parts += [repr(value) for value in callees.constants if isinstance(value, kinds)]
    digest = hashlib.sha256("\n".join(parts).encode())
    functions = [*callees.plain, *callees.compiled]
    for file in sorted(files | {inspect.getfile(function) for function in functions}):
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()[:20]


def _file(folder: Path, source: str, digest: str) -> Path:
    """Return the loop's own file, written whole and never changed; its folder can be written to."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass
    path = folder / f"explorative_user_env_loop_{digest}.py"
    if not path.exists():
        handle, unfinished = tempfile.mkstemp(dir=folder, suffix=".py")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(source)
        # Numba compares times: the same for whichever of several first starts comes last.
        os.utime(unfinished, (0, 0))
        os.replace(unfinished, path)
    return path
