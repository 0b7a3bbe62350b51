"""Everything that can be reached from an object, and the secrets of users that must not be."""

import types
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import gymnasium as gym
import numpy as np

from explorative_user_env.envs.lanes import Lanes
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.model import UserState

DEPTH = 9
#: Whoever holds one of these has her truth.
TRUTHS: tuple[Any, ...] = (Instance, HiddenState, UserState, Lanes, gym.Env, gym.vector.VectorEnv)

# What anyone can import is handed over by nobody.
_IMPORTED = (types.ModuleType, type)
_PLAIN = (int, float, complex, str, bytes, bytearray, bool, type(None), np.generic)
_LOOKED_UP = ["__self__", "__func__", "__wrapped__", "__defaults__", "__kwdefaults__", "func"]
_LOOKED_UP += ["args", "keywords", "base", "bit_generator", "seed_seq", "state", "entropy"]
_LOOKED_UP += ["spawn_key", "gi_frame", "gi_yieldfrom", "cr_frame", "ag_frame", "f_back", "obj"]
_LOOKED_UP += ["f_locals", "tb_frame", "tb_next", "__traceback__", "__cause__", "__context__"]


def reached(root: Any, depth: int = DEPTH) -> Iterator[tuple[str, Any]]:
    """Yield each object within `depth` steps of this one, and how it is reached."""
    seen: dict[int, Any] = {id(root): root}  # kept, so that no id is used again
    front = [("", root)]
    yield from front
    for _ in range(depth):
        further = []
        for path, thing in front:
            for step, next_thing in _next_to(thing):
                if id(next_thing) not in seen and not isinstance(next_thing, _IMPORTED):
                    seen[id(next_thing)] = next_thing
                    further.append((path + step, next_thing))
        yield from further
        front = further


def _next_to(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yield what is one step away: attributes, items, closures, frames."""
    if isinstance(thing, _PLAIN):
        return
    if isinstance(thing, Mapping):
        for key, value in list(thing.items()):
            yield f".keys({key!r})", key
            yield f"[{key!r}]", value
    elif isinstance(thing, list | tuple | Set):
        yield from ((f"[{place}]", value) for place, value in enumerate(list(thing)))
    elif isinstance(thing, np.ndarray) and thing.dtype == object:
        yield from ((f"[{place}]", value) for place, value in enumerate(thing.ravel()))
    for place, cell in enumerate(getattr(thing, "__closure__", None) or ()):
        yield f".__closure__[{place}]", cell.cell_contents
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    for name in {*getattr(thing, "__dict__", {}), *slots, *_LOOKED_UP}:
        try:
            yield f".{name}", getattr(thing, name)
        except Exception:
            continue


class Secrets:
    """What nobody may reach of some users: numbers by value, streams by what they are seeded with.

    Args:
        seeds: the users'.
        numbers: means, rewards, bounds, estimates: whatever is theirs alone.
        truths: classes whose objects are secret, whatever their numbers.
    """

    def __init__(
        self,
        seeds: Iterable[int],
        numbers: Iterable[float],
        truths: tuple[Any, ...] = TRUTHS,
    ) -> None:
        self.truths = truths
        self.seeds = {int(seed) for seed in seeds}
        streams = [np.random.PCG64(np.random.SeedSequence(seed)) for seed in self.seeds]
        self.increments = {stream.state["state"]["inc"] for stream in streams}
        # Whole numbers are everywhere, as 0 and 1 are; what is drawn is none.
        own = np.array([number for number in set(numbers) if number % 1.0 != 0.0], float)
        own = own[np.isfinite(own)]
        self.numbers = np.unique(np.concatenate([own, own.astype(np.float32), -own]))

    def are(self, thing: Any) -> bool:
        """Return whether an object is one of them or holds one as a number."""
        if isinstance(thing, self.truths):
            return True
        if isinstance(thing, np.random.BitGenerator):
            return bool(thing.state["state"].get("inc") in self.increments)
        if isinstance(thing, bool | np.bool_):
            return False
        if isinstance(thing, int | np.integer):
            return int(thing) in self.seeds | self.increments
        if isinstance(thing, float | np.floating):
            return bool(np.isin(float(thing), self.numbers))
        if isinstance(thing, np.ndarray) and thing.dtype.kind == "f":
            return bool(np.isin(thing.astype(float), self.numbers).any())
        if isinstance(thing, np.ndarray) and thing.dtype.kind in "iu":
            return bool(np.isin(thing, np.array([*self.seeds], np.uint64)).any())
        return False

    def ways_from(self, handed_over: Any) -> Iterator[str]:
        """Yield the ways that lead from what is handed over to a secret."""
        return (path for path, thing in reached(handed_over) if self.are(thing))

    def found_in(self, handed_over: Any) -> list[str]:
        """Return all these ways."""
        return list(self.ways_from(handed_over))


def numbers_of(truth: HiddenState) -> list[float]:
    """Return the numbers of a user's truth."""
    bounds = (truth.lower_bounds, truth.upper_bounds, truth.estimates)
    own = [*truth.instance.means, truth.gamma]
    return [*own, *(number for part in bounds for number in part)]
