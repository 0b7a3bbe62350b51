"""Runs are the same wherever they are done; who is lost or interrupted leaves nothing behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from functools import cache, partial
from pathlib import Path
from types import ModuleType

import joblib
import pandas as pd
import pytest
from away import Deadly, done_by, gathered, spawned
from toy_agents import Wanderer, spy, tireless

import explorative_user_env as eu
from explorative_user_env import validation
from explorative_user_env.agents import Uniform
from explorative_user_env.evaluation import workers as crews
from explorative_user_env.evaluation.workers import HERE, PROCESSES, THREADS, dask_executor
from explorative_user_env.validation import CallableError

pytestmark = pytest.mark.slow  # processes have to start
LATER = pytest.mark.exhaustive


@contextmanager
def dask(processes):
    """An executor of a dask cluster of two workers."""
    distributed = pytest.importorskip("distributed")
    facts = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(processes=processes, silence_logs=50, **facts) as cluster,
        dask_executor(cluster.scheduler_address) as executor,
    ):
        yield executor


def test_no_backend_of_ours_overrides_an_outer_one(tmp_path):
    rows = [
        *((usual, {"backend": "threading"}, 1, 2) for usual in (HERE, PROCESSES)),
        (THREADS, {"backend": "loky"}, 2, 2),
        *((usual, {}, 1, 1) for usual in (HERE, THREADS, PROCESSES)),
    ]
    for usual, config, processes, n_workers in rows:
        with joblib.parallel_config(n_jobs=2, **config):
            found = gathered(tmp_path, usual, n_workers=n_workers)
        assert len({process for process, _ in found}) == processes
        assert len(found) == n_workers


@pytest.mark.parametrize(
    ("place", "how"),
    [
        (nullcontext, "TerminatedWorkerError"),
        pytest.param(partial(dask, processes=True), "KilledWorker", marks=LATER),
        pytest.param(spawned, "BrokenProcessPool", marks=LATER),
    ],
)
def test_a_lost_worker_ends_the_runs_in_a_line_and_the_next_call_works(place, how, tmp_path):
    message = rf"^str lost its worker: {how}: .* \(finished runs are in the store, if .*\)$"
    with place() as executor:
        crew = {"executor": executor} if executor else {"workers": 2}
        with pytest.raises(CallableError, match=message):
            done_by(Deadly([5]), PROCESSES, **crew)
        if place is not spawned:  # which is broken, and its owner's
            assert len(gathered(tmp_path, PROCESSES, **crew)) == 2


def children():
    """The processes that this one has started and that do not only clear up."""
    found = set()
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            parent = (place / "stat").read_text().rsplit(")", 1)[1].split()[1]
            if int(parent) == os.getpid() and "tracker" not in (place / "cmdline").read_text():
                found.add(place.name)
    return found


@contextmanager
def interrupted(after):
    """Interrupt the block, which leaves no thread and no process behind."""
    threads, processes = set(threading.enumerate()), children()
    ended = threading.Event()

    def press_ctrl_c():  # and again, as a person does where nothing happens
        wait = after
        while not ended.wait(wait):
            os.kill(os.getpid(), signal.SIGINT)
            wait = 20.0

    # Whoever was started in the background, as this may have been, hears no interrupt.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    presses = threading.Thread(target=press_ctrl_c)
    presses.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        ended.set()
        signal.signal(signal.SIGINT, usual)
    presses.join()
    end = time.monotonic() + 2.0
    while set(threading.enumerate()) - threads or children() - processes:
        assert time.monotonic() < end, "a thread or a process is still there"
        time.sleep(0.01)


FACTS = {"n_arms": 3, "n_instances": 25, "seed": 3, "progress": False}
LONG = partial(Uniform, horizon=10**7)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    ("make", "workers"),
    [
        *((LONG, 2), (tireless, 2)),
        *(pytest.param(make, 1, marks=LATER) for make in (tireless, partial(Wanderer, stops=0.0))),
    ],
)
def test_an_evaluation_ends_wherever_it_is(make, workers):
    agent, facts = make(), FACTS | {"workers": workers}
    eu.evaluate([agent], max_steps=2, **facts)
    with interrupted(0.5):
        eu.evaluate([agent], max_steps=10**9, **facts)
    assert len(eu.evaluate([agent], max_steps=2, **facts).runs) == 25


def test_a_worker_of_another_version_or_of_other_streams_is_refused_by_name(monkeypatch):
    job, ours = crews.Packed(sum), crews.traits()
    assert job([1, 2, 3]) == 6
    for what, wanted in ours.items():
        monkeypatch.setattr(crews, "traits", lambda what=what: ours | {what: "0.0"})
        message = rf"^{what} of the worker .*:\d+ must be {wanted}, as in the calling process"
        with pytest.raises(eu.InvalidArgumentError, match=message):
            job([1, 2, 3])


TASKS = {
    "regret": {"task": "regret", "horizon": 60},
    "bai": {"max_steps": 400, "check_theory": True},
    "population": {"task": "population", "horizon": 30, "n_users": 3},
}


def runs_of_all(task, **options):
    over = FACTS | TASKS[task] | options
    fast = eu.evaluate(["BAIR", "UNI", "EXP3", Wanderer(), spy()], **over)
    slow = eu.evaluate(["BAIR"], compiled=False, **over)
    return [fast.runs, fast.checks, slow.runs, slow.checks]


expected = cache(runs_of_all)
PLACES = {
    "workers": nullcontext,
    "threads": lambda: ThreadPoolExecutor(2),
    "dask": partial(dask, processes=False),
    "spawned": spawned,
}


@pytest.mark.parametrize(
    ("task", "place"),
    [
        *(("bai", "workers"), ("regret", "threads"), ("bai", "dask")),
        pytest.param("population", "threading", marks=LATER),
        pytest.param("regret", "loky", marks=LATER),
        pytest.param("bai", "spawned", marks=LATER),
        pytest.param("population", "workers", marks=LATER),
    ],
)
def test_rows_are_the_same_wherever_they_are_made(task, place):
    with PLACES.get(place, partial(joblib.parallel_config, place, n_jobs=2))() as given:
        crew = {"executor": given} if isinstance(given, Executor) else {}
        found = runs_of_all(task, **crew or ({"workers": 2} if place == "workers" else {}))
    for ours, theirs in zip(found, expected(task), strict=True):
        if ours is not None:
            pd.testing.assert_frame_equal(ours, theirs, check_exact=True)


def test_who_cannot_do_the_runs_is_told_of_in_a_line(monkeypatch):
    agent = spy()
    agent.name, agent.lock = "locked", threading.Lock()
    assert len(eu.evaluate([agent], **FACTS).runs) == 25  # here there is no need to send it
    module = ModuleType("nowhere")  # known here, and to no worker
    exec("class Agent:\n    reset = act = observe = answer = lambda *given: None", module.__dict__)
    monkeypatch.setitem(sys.modules, "nowhere", module)
    with ThreadPoolExecutor(1) as executor:
        rows = [(agent, {"executor": executor}), (agent, {"workers": 2})]
        for each, crew in [*rows, (module.Agent(), {"workers": 2})]:
            with pytest.raises(
                eu.InvalidArgumentError, match="agent must be one that can be pickled"
            ):
                eu.evaluate([each], **FACTS, **crew)
    with pytest.raises(CallableError, match=r"^str lost its worker: BrokenExecutor: cannot sch"):
        done_by(sum, PROCESSES, executor=executor)
    pytest.importorskip("distributed")
    message = r"^dask must be the address of a dask scheduler that answers"
    with pytest.raises(eu.InvalidArgumentError, match=message), dask_executor("nowhere"):
        pass
    monkeypatch.setattr(validation, "find_spec", lambda name: None)
    message = r"^a dask cluster needs distributed: pip install"
    with pytest.raises(validation.MissingExtraError, match=message), dask_executor("nowhere"):
        pass


def test_a_wrong_address_of_dask_does_not_delay_the_end_of_the_program():
    pytest.importorskip("distributed")
    words = [sys.executable, "-m", "explorative_user_env", "bench", "--dask", "nowhere"]
    told = subprocess.run(words, capture_output=True, text=True, timeout=30)  # it took a minute
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
