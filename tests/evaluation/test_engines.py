"""The window over an executor: chunks in their order, few at once, none lost, none left over."""

from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from typing import Any

import pytest

from explorative_user_env.evaluation import workers as engines
from explorative_user_env.evaluation.workers import ELSEWHERE, RETRIES, Submitting
from explorative_user_env.validation import CallableError

CHUNKS = [[first, first + 1] for first in range(0, 40, 2)]


class ByHand(Executor):
    """Does what it has when asked to, the latest first; loses all it has over some chunks."""

    def __init__(self, loses: dict[int, int] | None = None) -> None:
        self.loses = loses or {}
        self.futures: list[tuple[Future[Any], Any, Any]] = []
        self.broken = False
        self.most = self.renewals = 0
        self.done: list[int] = []

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.broken:
            raise BrokenExecutor("broken")
        future: Future[Any] = Future()
        self.futures.append((future, function, args[0]))
        self.most = max(self.most, len(self.futures))
        return future

    def work(self) -> None:
        for future, function, chunk in reversed(self.futures):
            if self.loses.get(chunk[0], 0) > 0:
                self.loses[chunk[0]] -= 1
                self.broken = True
                break
            if future.set_running_or_notify_cancel():
                self.done.append(chunk[0])
                future.set_result(function(chunk))
        if self.broken:
            for future, _, _ in self.futures:
                if not future.done():
                    future.set_exception(BrokenExecutor("broken"))
        self.futures = []

    def renew(self) -> None:
        self.broken, self.renewals = False, self.renewals + 1


@pytest.fixture
def at_work(monkeypatch: pytest.MonkeyPatch) -> Callable[[ByHand], None]:
    """Have an executor work whenever somebody waits for what it has."""

    def works(executor: ByHand) -> None:
        def waits(futures: Any, timeout: float) -> Any:
            if not all(future.done() for future in futures):
                executor.work()
            return wait(futures, timeout)

        monkeypatch.setattr(engines, "wait", waits)

    return works


def test_results_come_in_order_and_few_chunks_are_under_way(
    at_work: Callable[[ByHand], None],
) -> None:
    executor = ByHand()
    at_work(executor)
    taken = iter(CHUNKS)
    results = Submitting(executor, ELSEWHERE, 6).results(sum, taken, "mine")
    assert next(results) == 1
    assert len(list(taken)) == len(CHUNKS) - 6  # no more is read than is handed in
    assert list(results) == [sum(chunk) for chunk in CHUNKS[1:6]]
    assert executor.done[:6] == [10, 8, 6, 4, 2, 0]
    assert executor.most == 6


def test_what_is_closed_cancels_what_has_not_begun(at_work: Callable[[ByHand], None]) -> None:
    executor = ByHand()
    at_work(executor)
    results: Iterator[Any] = Submitting(executor, ELSEWHERE, 3).results(sum, CHUNKS, "mine")
    assert [next(results) for _ in range(2)] == [1, 5]
    (waiting,) = [future for future, _, _ in executor.futures]
    results.close()  # type: ignore[attr-defined]
    executor.work()
    assert waiting.cancelled()
    assert sorted(executor.done) == [0, 2, 4]


def test_chunks_of_a_lost_worker_are_done_again_and_their_neighbours_are_not_blamed(
    at_work: Callable[[ByHand], None],
) -> None:
    executor = ByHand({4: 1, 12: RETRIES})  # one more, and it would be the chunk's doing
    at_work(executor)
    engine = Submitting(executor, ELSEWHERE, 6, renew=executor.renew)
    assert list(engine.results(sum, CHUNKS, "mine")) == [sum(chunk) for chunk in CHUNKS]
    assert sorted(executor.done) == [chunk[0] for chunk in CHUNKS]  # each once
    assert executor.renewals == 1 + RETRIES


@pytest.mark.parametrize("guilty", [0, 12, 38])
def test_a_chunk_that_loses_every_worker_is_told_of_when_all_before_it_are_done(
    at_work: Callable[[ByHand], None], guilty: int
) -> None:
    executor = ByHand({guilty: 100})
    at_work(executor)
    engine = Submitting(executor, ELSEWHERE, 6, renew=executor.renew)
    results = engine.results(sum, CHUNKS, "mine")
    before = [sum(chunk) for chunk in CHUNKS if chunk[0] < guilty]
    assert [next(results) for _ in before] == before
    message = (
        rf"^mine lost its worker {RETRIES + 1} times: BrokenExecutor: broken \(with 2 of "
        rf"the users, that of seed {guilty} first\)$"
    )
    with pytest.raises(CallableError, match=message):
        next(results)


def test_an_executor_that_is_shut_down_is_told_of_in_a_line() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(CallableError, match=r"^mine lost its worker: .* after shutdown \(with 2 "):
        list(Submitting(executor, ELSEWHERE, 6).results(sum, CHUNKS, "mine"))


def test_what_a_job_raises_is_raised_here() -> None:
    def fails(chunk: list[int]) -> int:
        raise RuntimeError(f"with {chunk}")

    with ThreadPoolExecutor(2) as executor:
        results = Submitting(executor, ELSEWHERE, 2).results(fails, CHUNKS, "mine")
        with pytest.raises(RuntimeError, match=r"^with \[0, 1\]$"):
            next(results)
