"""A Generator's normals drawn a block at a time: the same numbers, at a tenth of the cost."""

from typing import Any

import numpy as np

NORMALS_AT_ONCE = 256


class DrawnAhead:
    """The standard normals of `rng`, in the order in which single draws would give them.

    `settle` puts `rng` where single draws would have left it. Nothing else should be drawn from
    `rng` in between; if something is, nothing is drawn twice.

    Args:
        rng: the Generator to draw from.

    Attributes:
        left: what is drawn and not used, the next one last. Fill it with `draw` when it is empty.
        standard_normal: takes the next one.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.left: list[float] = []
        self._before: Any = None
        self._after: Any = None
        self._take_from_left()

    def _take_from_left(self) -> None:
        self.random = self.rng.random
        self.standard_normal = self.left.pop

    def draw(self) -> None:
        """Draw the next block."""
        self._before = self.rng.bit_generator.state
        self.left.extend(self.rng.standard_normal(NORMALS_AT_ONCE)[::-1].tolist())
        self._after = self.rng.bit_generator.state

    def settle(self) -> None:
        """Give back what was drawn ahead."""
        if self.left and _same(self.rng.bit_generator.state, self._after):
            self.rng.bit_generator.state = self._before
            self.rng.standard_normal(NORMALS_AT_ONCE - len(self.left))
        self.left.clear()

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"random": None, "standard_normal": None}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Let a copy take from what is left to the copy."""
        vars(self).update(kept)
        self._take_from_left()


def _same(one: Any, other: Any) -> bool:
    """Whether two states of a bit generator are equal, whatever arrays they hold."""
    if isinstance(one, dict):
        return all(_same(one[name], other[name]) for name in one)
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else bool(one == other)
