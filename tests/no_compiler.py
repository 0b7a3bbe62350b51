"""Python as it is where numba is not: the option `--without-numba`, and what skips there."""

import sys
from importlib.abc import MetaPathFinder

import pytest

from explorative_user_env.kernels.compiler import COMPILER, why_no_compiler

OPTION, MARK = "--without-numba", "compiler"
GONE = ("numba", "llvmlite")


class Hider(MetaPathFinder):
    """Finds that modules of these names, and what is inside them, are not there."""

    def __init__(self, names):
        self._names = names

    def find_spec(self, fullname, path, target=None):
        if fullname.partition(".")[0] in self._names:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None


def hide(names=GONE):
    """Let nothing in this process find modules of these names from now on."""
    loaded = [name for name in sys.modules if name.partition(".")[0] in names]
    assert not loaded, f"too late: {loaded[0]} is there already"
    sys.meta_path.insert(0, Hider(names))


def skip_without_compiler(item):
    """Skip what needs a compiler, by its mark or as the `compiled` of two, where there is none."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    needs_one = item.get_closest_marker(MARK) is not None or parameters.get("compiled") is True
    if needs_one and (reason := why_no_compiler()) is not None:
        pytest.skip(f"it takes {COMPILER}, but {reason}")
