"""Whoever waits for the compiler is told, and is let go when they ask."""

import ctypes
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from explorative_user_env.agents import Uniform
from explorative_user_env.evaluation import evaluate
from explorative_user_env.kernels import compiler as waiting
from explorative_user_env.kernels.compiler import compiling_told, interrupts_heard
from explorative_user_env.users.model import Rule, Schedule
from explorative_user_env.validation import MissingExtraError

pytestmark = pytest.mark.usefixtures("nothing_kept")


@pytest.fixture(autouse=True)
def _an_interrupt_is_an_error() -> Iterator[None]:
    """As it is in a program that was not started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def out_of_c(raised: type[BaseException]) -> None:
    """Raise an error where C has called Python, which can only forget it."""

    def called() -> None:
        raise raised

    ctypes.CFUNCTYPE(None)(called)()


def lose_an_interrupt(failure: Exception | None = None) -> None:
    """Lose an interrupt, which is raised at the end of the block."""
    with interrupts_heard():
        out_of_c(KeyboardInterrupt)
        if failure is not None:
            raise failure


def unheard_of() -> Rule:
    """A rule that is another one whenever it is asked for."""

    def flat(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
        return 1.0

    return flat


def new_users() -> Any:
    return gym.make_vec("ExplorativeUser-v0", 64, rho=Schedule(unheard_of(), 1.0, 1.0, ()))


def test_an_interrupt_that_was_lost_comes_again_whatever_it_made_fail() -> None:
    usual = sys.unraisablehook
    with pytest.raises(KeyboardInterrupt):
        lose_an_interrupt(RuntimeError("nothing was handed over"))
    with pytest.raises(KeyboardInterrupt):
        lose_an_interrupt()
    assert sys.unraisablehook is usual


@pytest.mark.slow
def test_an_interrupt_of_compiling_ends_it_even_if_it_is_lost() -> None:
    from numba.core import event

    events: Any = event  # whose functions have no annotations
    lost: list[bool] = []

    class Losing(event.Listener):
        def on_start(self, event: Any) -> None:
            if not lost:
                lost.append(True)
                out_of_c(KeyboardInterrupt)

        def on_end(self, event: Any) -> None:
            """Nothing."""

    new_users().reset(seed=1)  # the listener of this package is there, and comes first
    losing = Losing()
    events.register("numba:compile", losing)
    try:
        rho = Schedule(unheard_of(), 1.0, 1.0, ())
        with pytest.raises(KeyboardInterrupt):
            evaluate([Uniform()], n_instances=2, baseline_time=20, rho=rho, progress=False)
    finally:
        events.unregister("numba:compile", losing)
    assert lost


@pytest.mark.slow
def test_many_users_say_that_they_compile_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(waiting, "notice", said.append)
    envs = new_users()
    assert said == []
    envs.reset(seed=1)
    assert set(said) == {waiting.COMPILING}
    said.clear()
    envs.reset(seed=2)
    envs.step(envs.action_space.sample())
    assert said == []


@pytest.mark.slow
def test_who_is_told_of_compiling_is_told_in_place_of_the_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    told: list[bool] = []
    monkeypatch.setattr(waiting, "notice", said.append)
    with compiling_told(told.append):
        new_users().reset(seed=1)
    assert said == []
    assert told
    assert told == [True, False] * (len(told) // 2)


def test_a_compiler_that_does_not_load_is_told_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said: list[str] = []
    monkeypatch.setattr(waiting, "notice", said.append)
    (tmp_path / "numba.py").write_text("raise ImportError('Numba needs NumPy 9.9\\nor less')\n")
    for name in [name for name in sys.modules if name.partition(".")[0] == "numba"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    waiting.why_no_compiler.cache_clear()
    try:
        assert waiting.is_installed()
        assert not waiting.can_compile()
        with pytest.raises(MissingExtraError) as refused:
            waiting.require_compiler("this needs")
    finally:
        waiting.why_no_compiler.cache_clear()
    reason = "it cannot be imported (Numba needs NumPy 9.9 or less)"
    assert str(refused.value) == f"this needs numba, but {reason}: pip install numba"
    (line,) = said
    assert line.startswith(f"without numba ({reason}) all runs in plain Python")
