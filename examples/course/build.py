"""Build the notebooks of the course from their sources, with their outputs.

    python examples/course/build.py                # all of them
    python examples/course/build.py lesson_2       # those whose name begins so
    python examples/course/build.py --check        # say what is not as the sources give it

A source gives two notebooks of its name: in `notebooks/`, for students, with blanks, and in
`solutions/` with the answers. What a source may hold is said in CONTRIBUTING.md.
"""

import argparse
import sys
from pathlib import Path

import nbformat
from lesson_differences import differences
from lesson_runs import run, text_of
from lesson_sources import committed, written

from explorative_user_env.commands.output import text_file
from explorative_user_env.files import write_whole


def main() -> int:
    """Build or check the notebooks that are asked for, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", help="which ones, by how their names begin")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    asked = parser.parse_args()
    wanted = tuple(Path(name).stem for name in asked.names)
    lessons = [each for each in written() if not wanted or each.name.startswith(wanted)]
    if not lessons:
        parser.error(f"no lesson begins with {', '.join(wanted)}")
    wrong = 0
    for lesson in lessons:
        for solved in (True, False):
            path = committed(lesson, solved)
            made = run(lesson, solved)
            if not asked.check:
                text = text_of(made)
                write_whole("path", path, text_file(text), overwrite=True)
                print(f"{path}: {len(text) // 1000} kB")
                continue
            found = differences(nbformat.read(path, as_version=4), made) if path.exists() else None
            for line in ["it is not there"] if found is None else found:
                print(f"{path.name}{' (solved)' if solved else ''}: {line}")
                wrong += 1
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
