import importlib
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import platformdirs
import pytest

from explorative_user_env.compiled.compiler import compile_loop
from explorative_user_env.compiled.kernel_cache import APPLICATION

Answer = Callable[..., int]

FILES = {
    "rule_of_theirs": """
from number_of_theirs import NUMBER
from plain_of_theirs import plain
from compiled_of_theirs import compiled
def rule(x):
    return x + {own} + NUMBER + plain() + compiled()
""",
    "number_of_theirs": "NUMBER = {number}",
    "plain_of_theirs": """
def plain():
    return {plain}
""",
    "compiled_of_theirs": """
import numba
@numba.njit
def compiled():
    return {compiled}
""",
    "word_of_theirs": """
from numba.core import types
from numba.extending import intrinsic
@intrinsic
def rule(typing_context, x):
    def generate(context, builder, signature, arguments):
        return builder.add(arguments[0], context.get_constant(types.int64, {word}))
    return types.int64(types.int64), generate
""",
}
"""Everything that may go into a loop, each in a file of its own."""


def make_loop(rule: Answer) -> Answer:
    def loop(x: int) -> int:
        return rule(x)

    return loop


def make_twice(loop: Answer) -> Answer:
    def twice(x: int) -> int:
        return loop(loop(x))

    return twice


def a_rule(x: int) -> int:
    return x + 1


def set_folder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Keep loops in `folder`, whatever variable says so on this system."""
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name, **_: str(folder / name))


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for loops, in force, and nothing left of it afterwards."""
    set_folder(monkeypatch, tmp_path / "cache")
    before = set(sys.modules)
    yield tmp_path / "cache" / APPLICATION
    for name in set(sys.modules) - before:
        if "explorative_user_env_loop_" in name:
            del sys.modules[name]


def kept_loops(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.py")}


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Answer]]:
    """What writes somebody's files, with some numbers in them, and compiles a loop of theirs."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(module: str = "rule_of_theirs", **numbers: int) -> Answer:
        usual = dict.fromkeys(("own", "number", "plain", "compiled", "word"), 0)
        for name, text in FILES.items():
            (tmp_path / f"{name}.py").write_text(text.format(**usual | numbers))
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        loop: Answer = compile_loop(make_loop(importlib.import_module(module).rule))
        return loop

    yield write
    for name in FILES:
        sys.modules.pop(name, None)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["own", "number", "plain", "compiled"])
def test_a_loop_kept_on_disk_is_not_taken_for_a_changed_one(
    kept: Path, theirs: Callable[..., Answer], part: str
) -> None:
    # What another file says goes into the compiled loop as well as the rule's own file.
    assert [theirs(**{part: number})(0) for number in (0, 1)] == [0, 1]
    assert len(kept_loops(kept)) == 2


def test_a_loop_is_compiled_anew_for_a_changed_word_of_compiled_code(
    kept: Path, theirs: Callable[..., Answer]
) -> None:
    assert [theirs("word_of_theirs", word=number)(0) for number in (0, 1)] == [0, 1]
    assert len(kept_loops(kept)) == 2


def test_a_loop_that_is_the_same_is_kept_once_and_not_compiled_again(
    kept: Path, theirs: Callable[..., Any]
) -> None:
    first = theirs(plain=5)
    assert first(1) == 6
    assert (first.stats.cache_misses.total(), first.stats.cache_hits.total()) == (1, 0)
    (name,) = kept_loops(kept)
    del sys.modules[name.removesuffix(".py")]  # as in another process
    again = theirs(plain=5)
    assert again(1) == 6
    assert (again.stats.cache_misses.total(), again.stats.cache_hits.total()) == (0, 1)
    assert kept_loops(kept) == {name}


@pytest.mark.parametrize(
    ("of", "name", "value"),
    [
        (numba, "__version__", "0.1"),
        (llvmlite, "__version__", "0.1"),
        (np, "__version__", "0.1"),
        (platform, "python_version", lambda: "3.0.0"),
    ],
    ids=["numba", "llvmlite", "numpy", "python"],
)
def test_what_another_version_compiled_is_not_taken(
    kept: Path, monkeypatch: pytest.MonkeyPatch, of: Any, name: str, value: Any
) -> None:
    compile_loop(make_loop(a_rule))
    monkeypatch.setattr(of, name, value)
    compile_loop(make_loop(a_rule))
    assert len(kept_loops(kept)) == 2


@pytest.mark.slow
def test_a_loop_around_a_loop_is_kept_with_it(kept: Path) -> None:
    assert compile_loop(make_loop(a_rule), make_twice)(5) == 7
    assert compile_loop(make_loop(a_rule))(5) == 6
    assert len(kept_loops(kept)) == 2


@pytest.mark.parametrize("around", [None, make_twice])
def test_where_nothing_can_be_written_a_loop_is_compiled_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, around: Any
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    set_folder(monkeypatch, in_the_way)
    told = "compiled code cannot be kept in .*file.* so each start compiles it again"
    with pytest.warns(UserWarning, match=told):
        assert compile_loop(make_loop(a_rule), around)(5) == (6 if around is None else 7)
    assert in_the_way.read_text() == ""


def test_what_another_process_cannot_import_is_compiled_in_memory(kept: Path) -> None:
    def local_rule(x: int) -> int:
        return 3 * x

    assert compile_loop(make_loop(local_rule))(5) == 15
    assert kept_loops(kept) == set()


def test_what_stands_in_a_script_is_compiled_in_memory(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In another process, "__main__" is another script.
    def scripted_rule(x: int) -> int:
        return 3 * x

    monkeypatch.setattr(scripted_rule, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "scripted_rule", scripted_rule, raising=False)
    assert compile_loop(make_loop(scripted_rule))(5) == 15
    assert kept_loops(kept) == set()
