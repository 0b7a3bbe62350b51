"""What surrounds a run and is to be nothing to it: everybody's streams, the clock, the process."""

import pickle
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from gymnasium.vector.utils import CloudpickleWrapper

LATER = 3661.7
"""Seconds by which the clocks are ahead in other surroundings, times their seed."""

_CLOCKS = ("time", "monotonic", "perf_counter", "process_time")


def shared_streams() -> dict[str, Any]:
    """Return where everybody's streams stand, by the modules they are in."""
    streams: dict[str, Any] = {
        "random": random.getstate(),
        "numpy.random": repr(np.random.get_state(legacy=False)),  # noqa: NPY002 - looked at only
    }
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        streams["torch"] = torch.random.get_rng_state().numpy().tobytes()
    return streams


@contextmanager
def other_surroundings(seed: int) -> Iterator[None]:
    """Run the block with everybody's streams seeded anew and the clocks hours ahead.

    Args:
        seed: what these follow from, above 0.
    """
    torch: Any = sys.modules.get("torch")
    before = random.getstate(), np.random.get_state()  # noqa: NPY002 - put back as they were
    torchs = torch.random.get_rng_state() if torch is not None else None
    clocks = {name: getattr(time, name) for name in _clock_names()}
    try:
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - for those who draw from it
        if torch is not None:
            torch.random.manual_seed(seed)
        for name, clock in clocks.items():
            setattr(time, name, _ahead(clock, seed * LATER * (1e9 if name.endswith("_ns") else 1)))
        yield
    finally:
        for name, clock in clocks.items():
            setattr(time, name, clock)
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002
        if torch is not None:
            torch.random.set_rng_state(torchs)


def travelled(thing: Any) -> Any:
    """Return what arrives of a thing that is sent to another process, as workers are sent theirs.

    By value, where it is of a class that no other process can import.
    """
    return pickle.loads(pickle.dumps(CloudpickleWrapper(thing))).fn


def _clock_names() -> list[str]:
    return [name + unit for name in _CLOCKS for unit in ("", "_ns")]


def _ahead(clock: Any, by: float) -> Any:
    def later() -> Any:
        now = clock()
        return now + type(now)(by)

    return later
