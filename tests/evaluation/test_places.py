"""Runs are the same wherever they are done; who is lost or interrupted leaves nothing behind."""

import os
import signal
import sys
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import joblib
import pandas as pd
import pytest
from away import Deadly, done_by, gathered, spawned
from toy_agents import Wanderer, spy, tireless

import explorative_user_env as eu
from explorative_user_env import validation
from explorative_user_env.agents import Uniform
from explorative_user_env.evaluation import workers as parcels
from explorative_user_env.evaluation.workers import (
    HERE,
    PROCESSES,
    THREADS,
    Packed,
    dask_executor,
    traits,
)
from explorative_user_env.validation import CallableError

pytestmark = pytest.mark.slow  # processes have to start


@pytest.fixture(scope="module")
def cluster():
    """A dask scheduler with two worker processes, which come again when they are lost."""
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    few = {"distributed.scheduler.allowed-failures": 1}
    facts = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        dask.config.set(few),
        distributed.LocalCluster(processes=True, silence_logs=50, **facts) as cluster,
    ):
        yield cluster


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


LATER = pytest.mark.exhaustive


@pytest.mark.parametrize(
    "where", ["ours", pytest.param("dask", marks=LATER), pytest.param("executor", marks=LATER)]
)
def test_a_lost_worker_ends_the_runs_in_a_line_and_the_next_call_works(where, tmp_path, request):
    how, crew = "TerminatedWorkerError", dict[str, Any](workers=2)
    block = nullcontext()
    if where == "dask":
        block = dask_executor(request.getfixturevalue("cluster").scheduler_address)
        how = "KilledWorker"
    elif where == "executor":
        block, how = spawned(), "BrokenProcessPool"
    message = rf"^str lost its worker: {how}: .* \(finished runs are in the store, if .*\)$"
    with block as executor:
        crew = {"executor": executor} if executor else crew
        with pytest.raises(CallableError, match=message):
            done_by(Deadly([5]), PROCESSES, **crew)
        if where != "executor":  # which is broken, and its owner's
            assert len(gathered(tmp_path, PROCESSES, **crew)) == 2


NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def children():
    """The processes that this one has started and that do not only clear up."""
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
def interrupted(after):
    """Interrupt the block, which leaves no thread and no process behind."""
    threads, processes = set(threading.enumerate()), children()
    ended = threading.Event()

    def press_ctrl_c():  # and again, as a person does where nothing happens
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


AGENTS = {
    "compiled": lambda: Uniform(horizon=10**7),
    "in step": lambda: Wanderer(stops=0.0),
    "readable": tireless,
}


@NEEDS_PROC
@pytest.mark.parametrize(
    ("kind", "workers"),
    [
        ("compiled", 2),
        ("readable", 2),
        pytest.param("in step", 1, marks=LATER),
        pytest.param("readable", 1, marks=LATER),
    ],
)
def test_an_evaluation_ends_wherever_it_is(kind, workers):
    facts = {"n_arms": 3, "n_instances": 60, "progress": False}
    facts |= {"max_steps": 10**9, "workers": workers}
    agent = AGENTS[kind]()
    eu.evaluate([agent], **facts | {"max_steps": 2})
    with interrupted(0.5):
        eu.evaluate([agent], **facts)
    assert len(eu.evaluate([agent], **facts | {"max_steps": 2}).runs) == 60


def test_a_worker_of_another_version_or_of_other_streams_is_refused_by_name(monkeypatch):
    job, ours = Packed(sum), traits()
    assert job([1, 2, 3]) == 6
    for what, wanted in ours.items():
        monkeypatch.setattr(parcels, "traits", lambda what=what: ours | {what: "0.0"})
        message = rf"^{what} of the worker .*:\d+ must be {wanted}, as in the calling process"
        with pytest.raises(eu.InvalidArgumentError, match=message):
            job([1, 2, 3])


FACTS = {"n_arms": 3, "n_instances": 25, "seed": 3, "progress": False}
TASKS = {
    "regret": {"task": "regret", "horizon": 60},
    "bai": {"max_steps": 400, "check_theory": True},
    "population": {"task": "population", "horizon": 30, "n_users": 3},
}


def runs_of_all(task, **options):
    over = FACTS | TASKS[task] | options
    fast = eu.evaluate(["BAIR", "UNI", "EXP3", Wanderer(), spy()], **over)
    slow = eu.evaluate(["BAIR"], compiled=False, **over)
    return [
        each for found in (fast, slow) for each in (found.runs, found.checks) if each is not None
    ]


@pytest.fixture(scope="module")
def expected():
    return cache(runs_of_all)


def assert_same(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        pd.testing.assert_frame_equal(ours, theirs, check_exact=True)


@contextmanager
def dask_in_threads():
    distributed = pytest.importorskip("distributed")
    facts = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(processes=False, **facts) as cluster,
        dask_executor(cluster.scheduler_address) as executor,
    ):
        yield executor


PLACES = {
    "workers": lambda: nullcontext({"workers": 2}),
    "threads": lambda: ThreadPoolExecutor(2),
    "dask": dask_in_threads,
    "spawned": spawned,
    **{
        backend: lambda backend=backend: joblib.parallel_config(backend, n_jobs=2)
        for backend in ("threading", "loky", "multiprocessing")
    },
}


@pytest.mark.parametrize(
    ("task", "place"),
    [
        ("bai", "workers"),
        ("regret", "threads"),
        ("bai", "dask"),
        pytest.param("population", "threading", marks=LATER),
        pytest.param("regret", "loky", marks=LATER),
        pytest.param("bai", "spawned", marks=LATER),
        pytest.param("population", "workers", marks=LATER),
        pytest.param("bai", "multiprocessing", marks=LATER),
    ],
)
def test_rows_are_the_same_wherever_they_are_made(task, place, expected):
    with PLACES[place]() as given:
        crew = {"executor": given} if isinstance(given, Executor) else given
        found = runs_of_all(task, **crew if place == "workers" or "executor" in crew else {})
    assert_same(found, expected(task))


@LATER
def test_rows_are_the_same_on_dask_with_a_worker_killed_midway(expected, cluster):
    killed = []

    def kill_one(what, n_done, n_all):
        if n_done and not killed:  # at the first rows: the others are on their way
            with cluster.get_client() as client:
                killed.append(min(client.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)

    with dask_executor(cluster.scheduler_address) as executor:
        assert_same(runs_of_all("bai", executor=executor, progress=kill_one), expected("bai"))
    assert killed
    with cluster.get_client(), joblib.parallel_config("dask"):
        assert_same(runs_of_all("regret"), expected("regret"))


def test_who_cannot_do_the_runs_is_told_of_in_a_line(monkeypatch):
    agent = spy()
    agent.name, agent.lock = "locked", threading.Lock()
    assert len(eu.evaluate([agent], **FACTS).runs) == 25  # here there is no need to send it
    executor = ThreadPoolExecutor(1)
    for crew in ({"executor": executor}, {"workers": 2}):
        with pytest.raises(eu.InvalidArgumentError, match="agent must be one that can be sent to"):
            eu.evaluate([agent], **FACTS, **crew)
    executor.shutdown()
    module = ModuleType("nowhere")  # known here, and to no worker
    exec("class Agent:\n    reset = act = observe = answer = lambda *given: None", module.__dict__)
    monkeypatch.setitem(sys.modules, "nowhere", module)
    with pytest.raises(eu.InvalidArgumentError, match="agent must be one that can be sent to"):
        eu.evaluate([module.Agent()], workers=2, **FACTS)
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
