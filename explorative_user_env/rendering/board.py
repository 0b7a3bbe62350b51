"""Where everything stands on the panel that shows what an agent thinks."""

from collections.abc import Sequence
from typing import NamedTuple

from explorative_user_env.rendering.layout import LARGE, LINE, LITTLE, MARGIN, SPACING, USUAL
from explorative_user_env.rendering.shapes import width_of
from explorative_user_env.rendering.slots import Form, Slot

HEADINGS_HIGH = 2 * LINE * LITTLE + SPACING
"""The room of the columns' names, above the rows."""
FLAG_COLUMN, WIDEST_FLAG_COLUMN = 64.0, 120.0
LEAST_COLUMN = 84.0


class ArmRows(NamedTuple):
    """The rows of the arms.

    Attributes:
        arms: the arms that have one, from top to bottom.
        top: where the first begins.
        height: of each.
    """

    arms: tuple[int, ...]
    top: float
    height: float

    @property
    def bottom(self) -> float:
        """Where the last ends."""
        return self.top + self.height * len(self.arms)


class Board(NamedTuple):
    """The places of everything on a panel.

    Attributes:
        width: of the panel.
        height: of the panel.
        facts: of each slot that is a line or a gauge, where its words stand.
        columns: of each slot by arm, where it begins and ends.
        rows: the rows of the arms.
        labelled: whether the arms' numbers stand at the left.
    """

    width: int
    height: int
    facts: dict[Slot, float]
    columns: dict[Slot, tuple[float, float]]
    rows: ArmRows
    labelled: bool


def board_of(
    slots: Sequence[Slot], rows: ArmRows, width: int, height: int = 0, labelled: bool = False
) -> Board:
    """Return the places of everything.

    Args:
        slots: what is to have a place.
        rows: the user's rows; of a panel with labels the place of the first is its own.
        width: of the panel.
        height: at least.
        labelled: whether the panel stands alone, with labels of the arms.
    """
    first = MARGIN + LARGE + LINE * LARGE
    step = LINE * USUAL
    facts = [slot for slot in slots if slot.form in (Form.LINE, Form.GAUGE)]
    by_arm = [slot for slot in slots if slot not in facts]
    if labelled:
        rows = rows._replace(top=first + step * len(facts) + (HEADINGS_HIGH if by_arm else 0.0))
    above = max(0, int((rows.top - HEADINGS_HIGH - first) / step + 1.01))
    below = rows.bottom + LINE * USUAL + SPACING
    if not by_arm:  # nothing stands in the rows
        above, rows = len(facts), rows._replace(arms=()) if labelled else rows
    places = {
        slot: first + step * place if place < above else below + step * (place - above)
        for place, slot in enumerate(facts)
    }
    left = MARGIN + (label_room(rows) if labelled else 0.0)
    bottom = max([rows.bottom, *places.values()]) + MARGIN
    columns = _columns(by_arm, left, width - MARGIN)
    return Board(width, max(height, round(bottom)), places, columns, rows, labelled)


def label_room(rows: ArmRows) -> float:
    """Return how wide the labels of the arms are."""
    return width_of(f"arm {max(rows.arms, default=0)}", USUAL, True) + SPACING


def _flag_column(slot: Slot) -> float:
    """Return how wide a column of dots is, for the longest word in its name."""
    longest = max((width_of(word, LITTLE, True) for word in slot.name.split()), default=0.0)
    return min(max(FLAG_COLUMN, longest + 3 * SPACING), WIDEST_FLAG_COLUMN)


def _columns(slots: Sequence[Slot], left: float, right: float) -> dict[Slot, tuple[float, float]]:
    """Return where each column begins and ends; those for which there is no room have no place."""
    flags = [slot for slot in slots if slot.form == Form.FLAGS]
    bars = [slot for slot in slots if slot.form == Form.BARS]
    widths = {slot: _flag_column(slot) for slot in flags}
    room = right - left - sum(widths.values())
    bars = bars[: max(1, int(room / LEAST_COLUMN))]
    wide = room / max(1, len(bars))
    places: dict[Slot, tuple[float, float]] = {}
    x = left
    for slot in slots:
        end = x + widths.get(slot, wide)
        if (slot in flags or slot in bars) and end <= right + 1.0:
            places[slot] = (x, end - 2 * SPACING)
            x = end
    return places
