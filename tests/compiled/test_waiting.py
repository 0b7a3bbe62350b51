"""Whoever waits for the compiler is told, and is let go when they ask."""

import ctypes
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import pytest

from explorative_user_env.agents import Uniform
from explorative_user_env.evaluation import evaluate
from explorative_user_env.kernels import compiler as waiting
from explorative_user_env.kernels.compiler import compiling_told, interrupts_heard
from explorative_user_env.users.model import Rule, Schedule

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


def lose_an_interrupt_and_wait() -> None:
    """Lose an interrupt, which is raised at the end of the block."""
    with interrupts_heard():
        out_of_c(KeyboardInterrupt)


def unheard_of() -> Rule:
    """A rule that is another one whenever it is asked for."""

    def flat(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
        return 1.0

    return flat


def new_users() -> Any:
    return gym.make_vec("ExplorativeUser-v0", 64, rho=Schedule(unheard_of(), 1.0, 1.0, ()))


def test_an_interrupt_that_was_lost_comes_again() -> None:
    usual = sys.unraisablehook
    with pytest.raises(KeyboardInterrupt):
        lose_an_interrupt_and_wait()
    assert sys.unraisablehook is usual


def test_an_interrupt_that_made_something_fail_is_what_is_raised() -> None:
    with pytest.raises(KeyboardInterrupt), interrupts_heard():
        fail_for_what_was_lost()


def fail_for_what_was_lost() -> None:
    out_of_c(KeyboardInterrupt)
    raise RuntimeError("nothing was handed over")


@pytest.fixture
def in_compiler() -> Iterator[Callable[[Callable[[], object]], None]]:
    """What has something done whenever the compiler begins with a function."""
    from numba.core import event

    events: Any = event  # whose functions have no annotations

    class Doing(event.Listener):
        do: Callable[[], object]

        def on_start(self, event: Any) -> None:
            self.do()

        def on_end(self, event: Any) -> None:
            """Nothing."""

    doing, held = Doing(), []

    def done(do: Callable[[], object]) -> None:
        doing.do = do
        held.append(doing)
        events.register("numba:compile", doing)

    yield done
    for each in held:
        events.unregister("numba:compile", each)


@pytest.mark.slow
def test_an_interrupt_of_compiling_ends_it_even_if_it_is_lost(
    in_compiler: Callable[[Callable[[], object]], None],
) -> None:
    new_users().reset(seed=1)  # the listener of this package is there, and comes first
    lost: list[bool] = []

    def lose_it() -> None:
        if not lost:
            lost.append(True)
            out_of_c(KeyboardInterrupt)

    in_compiler(lose_it)
    rho = Schedule(unheard_of(), 1.0, 1.0, ())
    with pytest.raises(KeyboardInterrupt):
        evaluate([Uniform()], n_instances=2, baseline_time=20, rho=rho, progress=False)
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
    monkeypatch.setattr(waiting, "notice", said.append)
    told: list[bool] = []
    with compiling_told(told.append):
        new_users().reset(seed=1)
    assert said == []
    assert told
    assert told == [True, False] * (len(told) // 2)
