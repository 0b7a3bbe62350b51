"""Whatever is handed in at a door is answered or refused in a line; at length with `exhaustive`."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from fuzz.environments import of_environments, of_learning, of_vectors
from fuzz.evaluations import of_evaluations, of_own_code
from fuzz.files import of_files
from fuzz.fuzzing import Door, fuzz
from fuzz.records import of_agents, of_records, of_theory

ROOMS: dict[str, Callable[[Path], Iterable[Door]]] = {
    "theory": lambda place: of_theory(),
    "agents": lambda place: of_agents(),
    "records": lambda place: of_records(),
    "environments": lambda place: of_environments(),
    "vectors": lambda place: of_vectors(),
    "evaluations": lambda place: of_evaluations(),
    "own code": lambda place: of_own_code(),
    "learning": lambda place: of_learning(),
    "files": of_files,
}
"""What makes the doors of a room, with a folder for files."""

FAST = ("theory", "agents", "records", "own code")


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("calls", [40, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_whatever_is_handed_in_is_answered_or_refused_in_one_line(
    room: str, calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for door in ROOMS[room](tmp_path):
        tally = fuzz(door, calls, seed=calls // 40)
        assert tally.failed == [], door.name
        assert tally.answered + tally.refused == -(-calls // door.cost)
        # Else what is odd would only be refused beside what is wrong.
        assert tally.answered > calls // 20 or room not in FAST, door.name
