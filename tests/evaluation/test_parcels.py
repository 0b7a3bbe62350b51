"""Work that travels is opened by its equals alone."""

import sys
import threading
from pathlib import Path

import pytest

import explorative_user_env as eu
from explorative_user_env.evaluation import workers as parcels
from explorative_user_env.evaluation.workers import UnsendableError, packed, traits


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """What makes this process another one, which has compared nothing yet."""
    parcels._compare.cache_clear()
    return monkeypatch


def test_a_job_is_done_where_it_is_opened() -> None:
    assert packed(sum, shares_path=False)([1, 2, 3]) == 6


@pytest.mark.parametrize("what", [name for name, _ in traits()])
def test_a_worker_of_another_version_or_of_other_streams_is_refused_by_name(
    elsewhere: pytest.MonkeyPatch, what: str
) -> None:
    job = packed(sum, shares_path=False)
    wanted = dict(traits())[what]
    others = tuple((name, "0.0" if name == what else value) for name, value in traits())
    elsewhere.setattr(parcels, "traits", lambda: others)
    message = rf"^{what} of the worker .*:\d+ must be {wanted}, as where the work is"
    for _ in range(2):  # and again, if it is asked again
        with pytest.raises(eu.InvalidArgumentError, match=message):
            job([1, 2, 3])


def test_what_is_missing_there_is_refused_too(elsewhere: pytest.MonkeyPatch) -> None:
    job = packed(sum, shares_path=False)
    elsewhere.setattr(parcels, "traits", lambda: traits()[:-1])
    with pytest.raises(eu.InvalidArgumentError, match=r"^streams of the worker .* got None$"):
        job([1, 2, 3])


def test_versions_and_streams_are_compared_once_a_process(elsewhere: pytest.MonkeyPatch) -> None:
    looked = []

    def look() -> parcels.Traits:
        looked.append(1)
        return traits()

    job = packed(sum, shares_path=False)
    elsewhere.setattr(parcels, "traits", look)
    assert [job([1]), job([2])] == [1, 2]
    assert len(looked) == 1


def test_what_cannot_be_packed_or_opened_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(UnsendableError, match=r"^TypeError: cannot pickle '_thread.lock' object$"):
        packed(threading.Lock().acquire, shares_path=False)
    (tmp_path / "passing_by.py").write_text("def job(seeds):\n    return len(seeds)\n")
    monkeypatch.syspath_prepend(tmp_path)
    import passing_by  # type: ignore[import-not-found]

    job = packed(passing_by.job, shares_path=False)
    assert job([1, 2]) == 2
    monkeypatch.delitem(sys.modules, "passing_by")
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(UnsendableError, match=r"^ModuleNotFoundError: .* 'passing_by'"):
        job([1, 2])


def test_a_worker_of_ours_finds_modules_where_they_are_found_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hook = "__editable__.some_package.finder.__path_hook__"  # as installers leave it, no folder
    monkeypatch.setattr(sys, "path", [*sys.path, hook])
    job = packed(sum, shares_path=True)
    here = list(sys.path)
    monkeypatch.setattr(sys, "path", ["elsewhere"])
    assert job([1]) == 1
    assert sys.path == here
