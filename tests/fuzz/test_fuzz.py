"""Whatever is handed in at a door is answered or refused in a line; at length with `exhaustive`."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from fuzz.environments import of_environments, of_learning, of_vectors
from fuzz.evaluations import of_evaluations, of_own_code, of_runs
from fuzz.files import of_files
from fuzz.fuzzing import Door, fuzz
from fuzz.records import of_agents, of_records, of_theory

FAST: dict[str, Callable[[], Iterable[Door]]] = {
    "theory": of_theory,
    "agents": of_agents,
    "records": of_records,
    "own code": of_own_code,
}
"""What makes the doors of a room."""

READABLE: dict[str, Callable[[], Iterable[Door]]] = FAST | {
    "environments": of_environments,
    "runs": of_runs,
    "learning": of_learning,
    "files": lambda: of_files(Path.cwd()),
    "vectors in plain Python": lambda: of_vectors([False]),
    "evaluations in plain Python": lambda: of_evaluations([False]),
}
ROOMS = READABLE | {"vectors": of_vectors, "evaluations": of_evaluations}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("room", "calls"),
    [
        *((room, 40) for room in READABLE),
        *(pytest.param(room, 1000, marks=pytest.mark.exhaustive) for room in ROOMS),
    ],
)
def test_whatever_is_handed_in_is_answered_or_refused_in_one_line(
    room: str, calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for door in ROOMS[room]():
        tally = fuzz(door, calls, seed=calls // 40)
        assert tally.failed == [], door.name
        assert tally.answered + tally.refused == -(-calls // door.cost)
        # Else what is odd would only be refused beside what is wrong.
        assert tally.answered > calls // 20 or room not in FAST, door.name
