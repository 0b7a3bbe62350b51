"""Fuzz every door at length and print what came of it: python tests/fuzz/run.py [CALLS] [SEED]."""

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.doors import ROOMS
from fuzz.fuzzing import fuzz


def main(calls: int = 1000, seed: int = 1, only: str = "") -> None:
    total = [0, 0, 0]
    place = Path(tempfile.mkdtemp())
    os.chdir(place)
    for door in (door for doors in ROOMS.values() for door in doors(place)):
        if only not in door.name:
            continue
        started = time.perf_counter()
        tally = fuzz(door, calls, seed)
        n_failed = sum(tally.failed.values())
        counts = (tally.answered, tally.refused, n_failed)
        total = [a + b for a, b in zip(total, counts, strict=True)]
        seconds = time.perf_counter() - started
        print(
            f"{door.name:40}", *(f"{count:7}" for count in counts), f"{seconds:8.1f} s", flush=True
        )
        for text, count in tally.failed.most_common():
            print(f"    {count}x {text}\n        {tally.examples[text]}")
    print(f"{'all':40}", *(f"{count:7}" for count in total))


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(int(arguments[0]), int(arguments[1]), *arguments[2:])
