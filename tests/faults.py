"""Put small faults into a copy of the package, one at a time: near tests must catch each.

`python tests/faults.py` tries all of `faults.toml`, `python tests/faults.py WORD` those whose file
or new text holds the word. Exits with 1 if a fault is caught by no test.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Fault(NamedTuple):
    """A small fault in a file of the package.

    Attributes:
        file: its path from the root.
        old: text that stands there once.
        new: what replaces it.
        tests: the near tests, as pytest takes them.
    """

    file: str
    old: str
    new: str
    tests: list[str]

    def content(self, root):
        """Return the file with the fault; the old text must stand there once."""
        text = (root / self.file).read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} holds {text.count(self.old)} times {self.old!r}")
        return text.replace(self.old, self.new)


def faults(kind="fault"):
    """Return all faults, or all changes that are "equivalent", which no test can catch."""
    rows = tomllib.loads((ROOT / "tests" / "faults.toml").read_text(encoding="utf-8"))[kind]
    return [Fault(**row) for row in rows]


def copy_of_the_tree(folder):
    """Copy what git keeps, and what is new and not ignored, into a folder."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(listing, cwd=ROOT, text=True).splitlines():
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    return folder


def is_caught(fault, tree):
    """Return whether the near tests fail with the fault in a copy of the tree."""
    file = tree / fault.file
    sound = file.read_text(encoding="utf-8")
    file.write_text(fault.content(tree), encoding="utf-8")
    try:
        command = [sys.executable, "-B", "-m", "pytest", "-qx", "-n0", "-p", "no:cacheprovider"]
        # The editable install leads to the sound package.
        env = os.environ | {"PYTHONPATH": str(tree)}
        run = subprocess.run([*command, *fault.tests], cwd=tree, env=env, capture_output=True)
        return run.returncode in (1, 2)  # a test failed, or a module of tests could not be read
    finally:
        file.write_text(sound, encoding="utf-8")


def survivors(tried):
    """Return the faults that no test catches, and print each as it is tried."""
    survived = []
    with TemporaryDirectory() as folder:
        tree = copy_of_the_tree(Path(folder))
        for fault in tried:
            caught = is_caught(fault, tree)
            survived += [] if caught else [fault]
            print("caught  " if caught else "SURVIVED", fault.file, repr(fault.new), flush=True)
    return survived


if __name__ == "__main__":
    word = (*sys.argv[1:], "")[0]
    sys.exit(bool(survivors(each for each in faults() if word in each.file + each.new)))
