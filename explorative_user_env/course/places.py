"""Where the notebooks of the course are: beside the package in a checkout, inside it in a wheel."""

from pathlib import Path

from explorative_user_env.course.lessons import LESSONS
from explorative_user_env.validation import InvalidArgumentError

NOTEBOOKS, SOLUTIONS = "notebooks", "solutions"
"""What the folders are called, of the students' notebooks and of those with the answers."""

_HOMES = (Path(__file__).parent, Path(__file__).parents[2] / "examples" / "course")


def notebook_files(solutions: bool = False) -> dict[str, bytes]:
    """Return what is in the notebooks, by the names that they have in a student's folder.

    Args:
        solutions: whether those with the answers are there as well, in a folder inside.

    Raises:
        InvalidArgumentError: if this installation has no notebooks.
    """
    found = {}
    for folder, inside in {NOTEBOOKS: "", SOLUTIONS: f"{SOLUTIONS}/"}.items():
        if folder == NOTEBOOKS or solutions:
            for lesson in LESSONS:
                name = f"{lesson.name}.ipynb"
                found[inside + name] = _read(folder, name)
    return found


def _read(folder: str, name: str) -> bytes:
    for home in _HOMES:
        if (path := home / folder / name).is_file():
            return path.read_bytes()
    allowed = f"part of this installation, which has none in {' or '.join(map(str, _HOMES))}"
    raise InvalidArgumentError("the notebook", name, allowed)
