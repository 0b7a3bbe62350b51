"""What an agent thinks, drawn beside a user or below her: words, numbers, and columns by arm."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from explorative_user_env.protocol import Against
from explorative_user_env.show.explanations import Explained, is_by_arm, is_flags, sides
from explorative_user_env.show.shapes import (
    BAR,
    LARGE,
    LETTERS_DOWN,
    LINE,
    LITTLE,
    MARGIN,
    SPACING,
    USUAL,
    ArmRows,
    Disc,
    Line,
    Rectangle,
    Scene,
    Shape,
    Text,
    fitted,
    label_room,
    labels,
    width_of,
    wrapped,
)
from explorative_user_env.show.words import number_in_words, rounded

HEADINGS_HIGH = 2 * LINE * LITTLE + SPACING  # the names of the columns, above the rows
FLAG_COLUMN, WIDEST_FLAG_COLUMN, LEAST_COLUMN = 64.0, 120.0, 84.0
LEAST_GAUGE, GAUGE_HIGH = 0.18, 8.0  # the bar of a gauge: its least share of the width; its height
DOT, SMALL_DOT = 5.0, 2.0


class Form(StrEnum):
    """How a value is shown."""

    LINE = "line"  # a number or a word
    GAUGE = "gauge"  # a number compared with another
    FLAGS = "flags"  # K truth values
    BARS = "bars"  # K numbers, alone or compared with K others


class Slot(NamedTuple):
    """The place of the values of one name.

    Attributes:
        name: their name.
        form: how they are shown.
        low: the least number that is shown, at most 0.
        high: the largest, above `low`.
    """

    name: str
    form: Form
    low: float
    high: float

    def share(self, number: float) -> float:
        """Return where a number stands between the least and the largest, in [0, 1]."""
        # The distance of two numbers may be infinite, and that of their halves never is.
        part = 0.5 if math.isinf(self.high - self.low) else 1.0
        low, high = part * self.low, part * self.high
        number = 0.0 if math.isnan(number) else part * number
        return (min(max(number, low), high) - low) / (high - low)

    @property
    def by_arm(self) -> bool:
        """Whether there is a value for each arm."""
        return self.form in (Form.FLAGS, Form.BARS)

    def value_in(self, said: Mapping[str, Explained]) -> Explained | None:
        """Return the value that is shown here, None without one of this kind."""
        value = said.get(self.name)
        return value if value is not None and is_by_arm(value) == self.by_arm else None


def slots_of(said: Iterable[Mapping[str, Explained]]) -> list[Slot]:
    """Return a slot for each name, in the order in which the names come up.

    A name whose value is one number and later K numbers has two slots.
    """
    seen: dict[tuple[str, bool], list[Explained]] = {}
    for each in said:
        for name, value in each.items():
            seen.setdefault((name, is_by_arm(value)), []).append(value)
    slots = []
    for (name, by_arm), values in seen.items():
        parts = [side for value in values for side in sides(value) if not isinstance(side, str)]
        numbers = [n for side in parts for n in (side if by_arm else (side,)) if math.isfinite(n)]
        low, high = min([0.0, *numbers]), max([0.0, *numbers])
        form = Form.GAUGE if any(isinstance(v, Against) for v in values) else Form.LINE
        if by_arm:
            form = Form.FLAGS if all(map(is_flags, values)) else Form.BARS
        slots.append(Slot(name, form, low, high if high > low else low + 1.0))
    return slots


class Board(NamedTuple):
    """The places of everything on a panel, the same in all of a film.

    Attributes:
        width: of the panel.
        height: of the panel.
        facts: the baseline of each slot that is a line or a gauge.
        columns: the two ends of each slot by arm.
        rows: the rows of the arms.
        labels_end: where the labels of the arms end, None without labels.
    """

    width: int
    height: int
    facts: dict[Slot, float]
    columns: dict[Slot, tuple[float, float]]
    rows: ArmRows
    labels_end: float | None


def board_of(
    slots: Sequence[Slot], rows: ArmRows, width: int, height: int = 0, labelled: bool = False
) -> Board:
    """Return the places of everything; a slot by arm for which there is no room has none.

    Args:
        slots: what is to be shown.
        rows: the rows of the user's picture; a panel with labels has its own.
        width: of the panel.
        height: at least.
        labelled: whether the panel stands alone, with labels of the arms.
    """
    first, step = MARGIN + LARGE + LINE * LARGE, LINE * USUAL
    facts = [slot for slot in slots if not slot.by_arm]
    by_arm = [slot for slot in slots if slot.by_arm]
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
    x, right = MARGIN, width - MARGIN
    if labelled:
        x += label_room(max(rows.arms, default=0), rows.thin)
    labels_end = x - SPACING if labelled and by_arm else None
    widths: dict[Slot, float] = {}
    for slot in by_arm:
        if slot.form == Form.FLAGS:
            longest = max((width_of(word, LITTLE, True) for word in slot.name.split()), default=0)
            widths[slot] = min(max(FLAG_COLUMN, longest + 3 * SPACING), WIDEST_FLAG_COLUMN)
    room = right - x - sum(widths.values())
    bars = [slot for slot in by_arm if slot.form == Form.BARS][: max(1, int(room / LEAST_COLUMN))]
    widths |= dict.fromkeys(bars, room / max(1, len(bars)))
    columns = {}
    for slot in by_arm:
        if slot in widths and x + widths[slot] <= right + 1.0:
            columns[slot] = (x, x + widths[slot] - 2 * SPACING)
            x += widths[slot]
    bottom = max([rows.bottom, *places.values()]) + MARGIN
    return Board(width, max(height, round(bottom)), places, columns, rows, labels_end)


def panel_of(
    said: Mapping[str, Explained], board: Board, title: str, now: int | None = None
) -> Scene:
    """Return what an agent thinks as a picture.

    Args:
        said: what it says.
        board: the places of everything.
        title: the agent's name.
        now: the arm that was recommended last.
    """
    rows, room = board.rows, board.width - 2 * MARGIN
    name = fitted(title, LARGE, room, True)
    shapes: list[Shape] = [
        Rectangle("page", 0, 0, board.width, board.height, "page"),
        Text("title", MARGIN, MARGIN + LARGE, name, "agent", LARGE, bold=True),
    ]
    if now in rows.arms and board.columns:
        y, x = rows.top + rows.arms.index(now) * rows.height, MARGIN - SPACING
        shapes.append(Rectangle("now", x, y, board.width - 2 * x, rows.height, "recommended"))
    for place, (slot, y) in enumerate(board.facts.items()):
        value = slot.value_in(said)
        if value is not None:
            shapes += _fact(f"fact-{place}", slot, value, room, y)
    if board.labels_end is not None:
        shapes += labels(rows, board.labels_end, "", now)
    for place, (slot, ends) in enumerate(board.columns.items()):
        key, value = f"column-{place}", slot.value_in(said)
        lines = wrapped(slot.name, LITTLE, ends[1] - ends[0], 2, bold=True)
        for number, line in enumerate(lines):
            y = rows.top - SPACING - LINE * LITTLE * (len(lines) - 1 - number)
            name = f"{key}-name-{number}"
            shapes.append(Text(name, ends[0], y, line, "quiet", LITTLE, bold=True))
        if value is not None:
            shapes += _column(key, slot, value, rows, ends)
    return Scene(board.width, board.height, f"What {title} thinks", tuple(shapes))


def _fact(key: str, slot: Slot, value: Explained, room: float, y: float) -> Iterator[Shape]:
    """Yield a line of words and, of a number that is compared with another, a bar beside it."""
    if isinstance(value, Against):
        now, target = value
        words = f"{slot.name}: {number_in_words(now)} / {number_in_words(target)}"
        ends = max(map(rounded, (slot.low, slot.high)), key=len)
        long = room - SPACING - width_of(f"{slot.name}: {ends} / {ends}", USUAL)
        long = max(LEAST_GAUGE * room, long)
        left, top = MARGIN + room - long, y - LETTERS_DOWN * USUAL - GAUGE_HIGH / 2
        yield Rectangle(f"{key}-room", left, top, long, GAUGE_HIGH, "grid")
        yield Rectangle(f"{key}-now", left, top, long * slot.share(now), GAUGE_HIGH, "agent", words)
        mark = left + long * slot.share(target)
        yield Line(f"{key}-target", mark, top - 3, mark, top + GAUGE_HIGH + 3, "ink", 2.0)
        room -= long + SPACING
    else:
        words = f"{slot.name}: {number_in_words(value) if isinstance(value, float) else value}"
    yield Text(key, MARGIN, y, fitted(words, USUAL, room), "ink", USUAL)


def _column(
    key: str, slot: Slot, value: Explained, rows: ArmRows, ends: tuple[float, float]
) -> Iterator[Shape]:
    """Yield a column of dots, or of bars: each with a mark at its target and its number behind."""
    values, targets = (*sides(value), None)[:2]
    high = BAR * rows.height
    long = ends[1] - ends[0] - (0.0 if rows.thin else width_of("888.88", LITTLE) + SPACING)
    zero = ends[0] + long * slot.share(0.0)
    for arm, y in rows.middles():
        here, number, words = f"{key}-{arm}", values[arm], number_in_words(values[arm])
        name = f"arm {arm}: {slot.name} {words}"
        if slot.form == Form.FLAGS:
            role, size = ("agent", DOT) if number else ("grid", SMALL_DOT)
            yield Disc(here, ends[0] + DOT, y, min(size, 0.4 * rows.height), role, name)
            continue
        end = ends[0] + long * slot.share(number)
        left, right = min(zero, end), max(zero, end)
        yield Rectangle(here, left, y - high / 2, right - left, high, "agent", name)
        if targets is not None:
            x, reach = ends[0] + long * slot.share(targets[arm]), 0.4 * rows.height
            yield Line(f"{here}-target", x, y - reach, x, y + reach, "ink", 2.0)
            right = max(right, x + 1.0)
        if not rows.thin:
            y += LETTERS_DOWN * LITTLE
            yield Text(f"{here}-words", right + SPACING / 2, y, words, "ink", LITTLE)
