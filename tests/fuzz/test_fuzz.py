"""Whatever is handed in at a door is answered or refused in a line; at length with `exhaustive`."""

from pathlib import Path

import pytest
from fuzz import doors
from fuzz.files import of_files
from fuzz.fuzzing import fuzz

FAST = {"theory": doors.of_theory, "agents": doors.of_agents}
FAST |= {"records": doors.of_records, "own code": doors.of_own_code}
READABLE = FAST | {
    "environments": doors.of_environments,
    "files": lambda: of_files(Path.cwd()),
    "vectors in plain Python": lambda: doors.of_vectors([False]),
    "evaluations in plain Python": lambda: doors.of_evaluations([False]),
}
ROOMS = READABLE | {"vectors": doors.of_vectors, "evaluations": doors.of_evaluations}
LONG = [pytest.param(room, 1000, marks=pytest.mark.exhaustive) for room in ROOMS]


@pytest.mark.slow
@pytest.mark.parametrize(("room", "calls"), [*((room, 40) for room in READABLE), *LONG])
def test_whatever_is_handed_in_is_answered_or_refused_in_one_line(
    room, calls, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for door in ROOMS[room]():
        answered, failed = fuzz(door, calls, seed=calls // 40)
        assert failed == [], door.name
        # Else what is odd would only be refused beside what is wrong.
        assert answered > calls // 20 or room not in FAST, door.name
