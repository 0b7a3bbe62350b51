"""Every way into the package that takes what somebody else has made up, by its room."""

from collections.abc import Callable, Iterable
from pathlib import Path

from fuzz.command_line import of_commands
from fuzz.environments import of_environments, of_vectors
from fuzz.evaluations import of_evaluations, of_own_code, of_studies
from fuzz.files import of_files
from fuzz.fuzzing import Door
from fuzz.learning import of_learning
from fuzz.records import of_agents, of_records, of_theory

ROOMS: dict[str, Callable[[Path], Iterable[Door]]] = {
    "theory": lambda place: of_theory(),
    "agents": lambda place: of_agents(),
    "records": lambda place: of_records(),
    "environments": lambda place: of_environments(),
    "vectors": lambda place: of_vectors(),
    "evaluations": lambda place: of_evaluations(),
    "own code": lambda place: of_own_code(),
    "studies": lambda place: of_studies(),
    "learning": lambda place: of_learning(),
    "files": of_files,
    "commands": of_commands,
}
"""What makes the doors of a room, with a folder for files."""
