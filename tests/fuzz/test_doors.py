"""A short form of `run.py`, and that what is not right is found."""

from pathlib import Path
from typing import Any

import pytest
from fuzz import fuzzing
from fuzz.doors import ROOMS
from fuzz.fuzzing import Door, fuzz

from explorative_user_env.validation import InvalidArgumentError

CALLS = 60
SLOW = ("environments", "vectors", "evaluations", "studies", "learning", "files", "commands")


@pytest.mark.parametrize(
    "room", [pytest.param(room, marks=[pytest.mark.slow] * (room in SLOW)) for room in ROOMS]
)
def test_whatever_is_handed_in_is_answered_or_refused_in_one_line(
    room: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for door in ROOMS[room](tmp_path):
        tally = fuzz(door, CALLS, seed=0)
        assert not tally.failed, f"{door.name}: {tally.examples}"
        assert tally.inputs == -(-CALLS // door.cost)


def test_every_door_is_opened_by_what_is_right(tmp_path: Path) -> None:
    """Else what is odd would only be refused beside what is wrong."""
    for room in ("theory", "agents", "records"):
        for door in ROOMS[room](tmp_path):
            assert fuzz(door, 100, seed=1).answered > 10, door.name


def two_lines(**_: Any) -> None:
    error = InvalidArgumentError("a", 1, "b")
    error.args = ("one\ntwo",)
    raise error


def asleep(**_: Any) -> None:
    while True:
        pass


def breaks(**_: Any) -> None:
    raise RuntimeError("no")


def overflows(**_: Any) -> Any:
    import numpy as np

    return np.exp(np.array(1e9))


def notices(found: Any, given: Any) -> None:
    raise AssertionError("not so")


@pytest.mark.parametrize(
    ("door", "kind"),
    [
        (Door("lines", two_lines, {}), "no line"),
        (Door("breaks", breaks, {}), "RuntimeError"),
        (Door("warns", overflows, {}), "RuntimeWarning"),
        (Door("wrong", lambda: 1, {}, look=notices), "AssertionError"),
        (Door("sleeps", asleep, {}), "HangError"),
    ],
)
def test_what_is_not_right_is_found(door: Door, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "SECONDS", 1)
    tally = fuzz(door, 1, seed=0)
    (told,) = tally.failed
    assert told.startswith(f"{kind} at ")
    assert tally.inputs == 1
