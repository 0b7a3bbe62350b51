"""Who needs a compiler hears from one place whether there is one, and what follows where not."""

import logging
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from no_compiler import GONE, Hider

import explorative_user_env as eu
from explorative_user_env.check.agents import expect_compiled
from explorative_user_env.check.checks import NotAskedError
from explorative_user_env.display.progress import notice
from explorative_user_env.kernels.compiler import (
    TIMES_SLOWER,
    can_compile,
    is_installed,
    require_compiler,
    why_no_compiler,
)
from explorative_user_env.results.records import versions_of
from explorative_user_env.validation import MissingExtraError

FEW: dict[str, Any] = {"n_arms": 2, "n_instances": 3, "seed": 1, "progress": False}


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """Lines that are said to who waits, each of them once more though it was said before."""
    lines: list[str] = []

    class Hearing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    handler, logger = Hearing(), logging.getLogger(eu.__name__)
    notice.cache_clear()
    logger.addHandler(handler)
    yield lines
    logger.removeHandler(handler)
    notice.cache_clear()


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As where numba is not, however many loops were compiled and recorded before."""
    versions_of()
    for name in [name for name in sys.modules if name.partition(".")[0] in GONE]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Hider(GONE), *sys.meta_path])
    why_no_compiler.cache_clear()
    yield
    why_no_compiler.cache_clear()


@pytest.mark.usefixtures("without")
def test_where_it_is_not_runs_are_readable_and_one_line_says_so(heard: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = [eu.evaluate(["BAIR", "UNI"], delta=delta, **FEW) for delta in (0.1, 0.2)]
    assert [len(each.runs) for each in results] == [6, 6]
    without = "without numba (it is not installed) all runs in plain Python"
    assert heard == [f"{without}, {TIMES_SLOWER}, with the same results"]
    assert "numba" not in results[0].cell["versions"]


@pytest.mark.usefixtures("without")
def test_compiled_users_that_are_asked_for_are_refused_at_the_first_reset() -> None:
    plain = eu.ExplorativeUserVectorEnv(64)
    plain.reset(seed=1)
    assert not plain.compiled  # as nobody asks
    eu.ExplorativeUserVectorEnv(64, compiled=True, behaviour="forgetful").reset(seed=1)
    many = eu.ExplorativeUserVectorEnv(3, compiled=True)
    message = "compiled=True needs numba, but it is not installed: pip install numba"
    with pytest.raises(MissingExtraError, match=message):
        many.reset(seed=1)


@pytest.mark.usefixtures("without")
def test_a_check_of_compiled_code_is_not_asked() -> None:
    with pytest.raises(NotAskedError, match="it takes numba, but it is not installed"):
        expect_compiled(eu.Population(), 0)


def test_a_compiler_that_does_not_load_is_told_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, heard: list[str], tmp_path: Any
) -> None:
    (tmp_path / "numba.py").write_text("raise ImportError('Numba needs NumPy 9.9\\nor less')\n")
    for name in [name for name in sys.modules if name.partition(".")[0] == "numba"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    why_no_compiler.cache_clear()
    try:
        assert is_installed()
        assert not can_compile()
        with pytest.raises(MissingExtraError) as refused:
            require_compiler("this needs")
    finally:
        why_no_compiler.cache_clear()
    reason = "it cannot be imported (Numba needs NumPy 9.9 or less)"
    assert str(refused.value) == f"this needs numba, but {reason}: pip install numba"
    assert heard == [
        f"without numba ({reason}) all runs in plain Python, {TIMES_SLOWER}, with the same results"
    ]
