"""Compiled loops kept on the disk, so that a later process need not compile them again.

A loop compiled for some types is a file of its own in the user's cache folder, named by the hash of
everything that goes into it (see `fingerprint`): whatever changes, the name does. Only what nobody
else can have put there is read (see `private_folder`), as it is run. Whatever fails here, the loop
is compiled in memory; a warning says so once where nothing can be kept.
"""

import pickle
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import platformdirs

from explorative_user_env.compiled.fingerprint import (
    UndescribedError,
    fingerprint,
    fingerprint_of_types,
)
from explorative_user_env.compiled.private_folder import PrivateFolder

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
