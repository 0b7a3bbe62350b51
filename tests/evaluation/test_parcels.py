"""Work that travels is opened by its equals alone."""

import importlib
import shutil
import sys
import threading
from pathlib import Path

import pytest

import explorative_user_env as eu
from explorative_user_env.evaluation import workers as parcels
from explorative_user_env.evaluation.workers import Packed, UnsendableError, traits


def test_a_job_is_done_where_it_is_opened() -> None:
    assert Packed(sum)([1, 2, 3]) == 6


@pytest.mark.parametrize("what", [*traits()])
def test_a_worker_of_another_version_or_of_other_streams_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    job = Packed(sum)
    wanted = traits()[what]
    others = traits() | {what: "0.0"}
    monkeypatch.setattr(parcels, "traits", lambda: others)
    message = rf"^{what} of the worker .*:\d+ must be {wanted}, as where the work is"
    for _ in range(2):  # and again, if it is asked again
        with pytest.raises(eu.InvalidArgumentError, match=message):
            job([1, 2, 3])


def test_what_is_missing_there_is_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Packed(sum)
    others = {name: value for name, value in traits().items() if name != "streams"}
    monkeypatch.setattr(parcels, "traits", lambda: others)
    with pytest.raises(eu.InvalidArgumentError, match=r"^streams of the worker .* got None$"):
        job([1, 2, 3])


def test_what_cannot_be_packed_or_opened_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(UnsendableError, match=r"^TypeError: cannot pickle '_thread.lock' object$"):
        Packed(threading.Lock().acquire)
    (tmp_path / "passing_by.py").write_text("def job(seeds):\n    return len(seeds)\n")
    monkeypatch.syspath_prepend(tmp_path)
    import passing_by  # type: ignore[import-not-found]

    job = Packed(passing_by.job)
    assert job([1, 2]) == 2
    monkeypatch.delitem(sys.modules, "passing_by")
    (tmp_path / "passing_by.py").unlink()
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    importlib.invalidate_caches()
    with pytest.raises(UnsendableError, match=r"^ModuleNotFoundError: .* 'passing_by'"):
        job([1, 2])
