"""NumPy's small integers, which begin anew after 255, are numbers like any other."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.doors import ROOMS
from fuzz.fuzzing import Door

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.evaluation import Results, Sweep
from explorative_user_env.validation import InvalidArgumentError


def small(value: Any) -> Any:
    """Return a value with the integers in it as small as they can be."""
    if isinstance(value, tuple | list):
        return type(value)(map(small, value))
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 255:
        return value
    return np.uint8(value)


def comparable(found: Any) -> Any:
    if isinstance(found, Results):
        return found.runs.to_csv(), str(found.cell)
    if isinstance(found, Sweep):
        return found.runs.to_csv()
    if isinstance(found, AlgorithmAgent):
        return found.options, found.max_steps
    return found.tolist() if isinstance(found, np.ndarray) else found


def outcome(door: Door, given: dict[str, Any]) -> Any:
    """Return what a call gives, or what the refusal says besides the value."""
    try:
        return comparable(door.call(**given))
    except InvalidArgumentError as error:
        return str(error).partition(", got ")[0]


def usual_call(door: Door, seed: int) -> dict[str, Any]:
    rng = random.Random(f"{door.name} {seed}")
    return {name: rng.choice(values) for name, values in door.usual.items()}


@pytest.mark.parametrize(
    "room", ["theory", "agents", pytest.param("evaluations", marks=pytest.mark.slow)]
)
def test_small_integers_give_what_plain_ones_do(room: str, tmp_path: Path) -> None:
    for door in ROOMS[room](tmp_path):
        if door.name == "replay":  # a row may be a record, of which this makes none
            continue
        for seed in range(20 if door.cost == 1 else 2):
            given = usual_call(door, seed)
            others = {name: small(value) for name, value in given.items()}
            with np.errstate(all="raise"):
                assert outcome(door, others) == outcome(door, given), (door.name, given)
