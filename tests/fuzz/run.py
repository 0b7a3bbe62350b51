"""Fuzz every door and the disk at length, and print what came of it.

python tests/fuzz/run.py [CALLS [SEED [WORDS OF A DOOR'S NAME]]]; a minute for every 200 calls.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import tiny_commands
from fuzz.disk import faults
from fuzz.doors import ROOMS
from fuzz.fuzzing import Tally, fuzz


def main(calls: int = 1000, seed: int = 1, only: str = "") -> None:
    place = Path(tempfile.mkdtemp())
    os.chdir(place)
    everything: list[Tally] = []
    for door in (door for doors in ROOMS.values() for door in doors(place)):
        if only in door.name:
            started = time.perf_counter()
            everything.append(fuzz(door, calls, seed))
            tell(door.name, everything[-1:], time.perf_counter() - started)
    tell("all doors", everything)
    for name in tiny_commands.WORDS:
        if name != "train" and only in f"disk {name}":
            found = list(faults(name, Path(tempfile.mkdtemp())))
            print(f"disk {name:35} {len(found):7} faults", *filter(None, found), sep="\n    ")


def tell(name: str, tallies: list[Tally], seconds: float = 0.0) -> None:
    """Print how many calls were answered, refused and neither, and an example of the last."""
    counts = (
        sum(tally.answered for tally in tallies),
        sum(tally.refused for tally in tallies),
        sum(sum(tally.failed.values()) for tally in tallies),
    )
    print(f"{name:40}", *(f"{count:7}" for count in counts), f"{seconds:8.1f} s", flush=True)
    for text, count in tallies[0].failed.most_common() if len(tallies) == 1 else ():
        print(f"    {count}x {text}\n        {tallies[0].examples[text]}")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(*map(int, arguments[:2]), *arguments[2:])  # type: ignore[arg-type]
