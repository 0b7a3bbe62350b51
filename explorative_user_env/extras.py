"""What the optional parts of the package need, and the command that installs it."""

import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from explorative_user_env.validation import MissingExtraError

DISTRIBUTION = "explorative-user-env"
"""What the package is called where packages are installed."""

FOR_PYTHON = re.compile(r"""python_version (<|>=) ["'](\d+)\.(\d+)["']""")
"""How the package's metadata say which Python a library is for."""

CALLED = {"PIL": "pillow"}
"""What brings a module of another name."""


def how_to_get(extra: str) -> str:
    """Return the command that installs what an extra brings.

    It names the libraries themselves, as the package's metadata do: so it works in any folder, and
    though the package is on no index.
    """
    from importlib import metadata  # whose many modules only who lacks something needs

    marker = f'extra == "{extra}"'
    try:
        every = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:  # run from a folder that was not installed
        every = []
    brought = sorted(
        text.split(";")[0].strip() for text in every if marker in text and _is_for_this_python(text)
    )
    named = " ".join(f'"{text}"' for text in brought)
    return f"pip install {named}" if named else f'pip install ".[{extra}]"'


def _is_for_this_python(requirement: str) -> bool:
    """Return whether a requirement of the metadata is one of the Python that runs."""
    return all(
        (sys.version_info >= (int(major), int(minor))) == (sign == ">=")
        for sign, major, minor in FOR_PYTHON.findall(requirement)
    )


def is_found(module: str) -> bool:
    """Return whether a module is there, which is not imported for it."""
    try:
        return find_spec(module) is not None
    except ImportError:  # of who keeps it from being found
        return False


def missing_of(modules: Sequence[str]) -> list[str]:
    """Return those of some modules that are not there, as their distributions are called."""
    gone = (name for name in modules if not is_found(name))
    return [CALLED.get(name, name.replace("_", "-")) for name in gone]


def require(what: str, extra: str, modules: Sequence[str]) -> None:
    """Make sure that some modules are there.

    Args:
        what: what needs them, with its verb, as "pictures need".
        extra: the extra that brings them.
        modules: their names.

    Raises:
        MissingExtraError: naming what is missing and the command that installs it.
    """
    missing = missing_of(modules)
    if missing:
        raise MissingExtraError(f"{what} {' and '.join(missing)}: {how_to_get(extra)}")
