"""An interrupt, as in a notebook that stays, leaves no run that goes on."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib
import pytest
from away import done_by, endless, gathered
from toy_agents import Wanderer, tireless

import explorative_user_env as eu
from explorative_user_env.agents import Uniform
from explorative_user_env.evaluation.workers import PROCESSES, THREADS

pytestmark = [
    pytest.mark.slow,  # processes have to start
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc"),
]


def children() -> set[str]:
    """The processes that this one has started and that do not only clear up, by their numbers."""
    found = set()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = (place / "stat").read_text().rsplit(")", 1)[1].split()[1]
            if int(parent) == os.getpid() and "tracker" not in (place / "cmdline").read_text():
                found.add(place.name)
        except OSError:  # it has ended
            continue
    return found


@contextmanager
def interrupted(after: float) -> Iterator[None]:
    """Interrupt the block, and look at whom it leaves behind when it has ended."""
    threads, processes = set(threading.enumerate()), children()
    ended = threading.Event()

    def press_ctrl_c() -> None:  # and again, as a person does where nothing happens
        time.sleep(after)
        while not ended.is_set():
            os.kill(os.getpid(), signal.SIGINT)
            ended.wait(20.0)

    timer = threading.Thread(target=press_ctrl_c)
    # Whoever was started in the background, as this may have been, hears no interrupt.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        ended.set()
        signal.signal(signal.SIGINT, usual)
    told = time.monotonic()
    timer.join()
    while time.monotonic() < told + 2.0:
        left = set(threading.enumerate()) - threads, children() - processes
        if not any(left):
            return
        time.sleep(0.01)
    raise AssertionError(f"still there: {left}")


@pytest.mark.parametrize("usual", [THREADS, PROCESSES])
def test_an_interrupt_leaves_no_worker_behind_and_the_next_call_works(
    usual: str, tmp_path: Path
) -> None:
    before = children()
    with interrupted(1.0):
        done_by(endless, usual, workers=2)
    gathered(tmp_path, usual, workers=2)
    assert len(children() - before) == (2 if usual == PROCESSES else 0)
    with interrupted(0.5):  # of workers that are there
        done_by(endless, usual, workers=2)
    assert children() <= before


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_nor_does_it_with_the_backend_of_a_parallel_config(backend: str, tmp_path: Path) -> None:
    with joblib.parallel_config(backend, n_jobs=2):
        with interrupted(2.0):
            done_by(endless, THREADS)
        assert len(gathered(tmp_path, THREADS)) == 2


AGENTS: dict[str, Any] = {
    # Sixty users take some seconds, so that a run that hears nothing fails and does not hang.
    "compiled": lambda: Uniform(horizon=10**7),
    "in step": lambda: Wanderer(stops=0.0),
    "readable": tireless,
}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", list(AGENTS))
def test_an_evaluation_ends_wherever_it_is(kind: str, workers: int) -> None:
    facts: dict[str, Any] = {"n_arms": 3, "n_instances": 60, "progress": False}
    facts |= {"max_steps": 10**9, "workers": workers}
    agent = AGENTS[kind]()
    eu.evaluate([agent], **facts | {"max_steps": 2})
    with interrupted(0.5):
        eu.evaluate([agent], **facts)
