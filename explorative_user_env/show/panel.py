"""What an agent thinks, drawn beside a user: words and numbers, and columns of what is by arm.

Its rows are the user's, or stand below her with labels of their own.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from explorative_user_env.protocol import Against
from explorative_user_env.show.explanations import ByArm, Explained, is_by_arm, is_flags
from explorative_user_env.show.scene import BAR, LETTERS_DOWN
from explorative_user_env.show.shapes import (
    LARGE,
    LINE,
    LITTLE,
    MARGIN,
    SPACING,
    TINY,
    USUAL,
    Disc,
    Line,
    Polygon,
    Rectangle,
    Scene,
    Shape,
    Text,
    box_of,
    fitted,
    width_of,
    wrapped,
)
from explorative_user_env.show.words import rounded


class Form(StrEnum):
    """How something that is said is shown."""

    LINE = "line"  # a number or a word
    GAUGE = "gauge"  # a number against another
    FLAGS = "flags"  # K truth values
    BARS = "bars"  # K numbers, alone or against K others


class Slot(NamedTuple):
    """The place of what is said under one name.

    Attributes:
        name: what it is called.
        form: how it is shown.
        low: the least number that is shown there, at most 0.
        high: the largest, above `low`.
    """

    name: str
    form: Form
    low: float
    high: float

    def share(self, number: float) -> float:
        """Return where a number stands between the least and the largest, in [0, 1]."""
        if math.isnan(number):
            return self.share(0.0)
        # The distance of two numbers may be no number any more, that of their halves is one.
        part = 0.5 if math.isinf(self.high - self.low) else 1.0
        low, high = part * self.low, part * self.high
        return (min(max(part * number, low), high) - low) / (high - low)

    def holds(self, value: Explained | None) -> bool:
        """Return whether this is of the kind that is shown here."""
        return value is not None and _kind_of(value) == (self.form in (Form.FLAGS, Form.BARS))


def slots_of(said: Iterable[Mapping[str, Explained]]) -> list[Slot]:
    """Return a slot for all that is ever said, in the order in which it is said first.

    What is said as one number and then as K has two.
    """
    seen: dict[tuple[str, bool], list[Explained]] = {}
    for each in said:
        for name, value in each.items():
            seen.setdefault((name, _kind_of(value)), []).append(value)
    return [_slot(name, by_arm, values) for (name, by_arm), values in seen.items()]


def sides(value: Explained) -> tuple[ByArm, ByArm | None]:
    """Return K numbers and, of an `Against`, their K targets."""
    if isinstance(value, Against):
        return value.value, value.target
    assert is_by_arm(value)
    return value, None


def _kind_of(value: Explained) -> bool:
    """Return whether there is a number for each arm."""
    return is_by_arm(value.value if isinstance(value, Against) else value)


def _slot(name: str, by_arm: bool, values: list[Explained]) -> Slot:
    numbers = [number for value in values for number in _numbers(value)]
    finite = [number for number in numbers if math.isfinite(number)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    high = high if high > low else low + 1.0
    against = any(isinstance(value, Against) for value in values)
    if by_arm:
        form = Form.FLAGS if all(map(is_flags, values)) else Form.BARS
    else:
        form = Form.GAUGE if against else Form.LINE
    return Slot(name, form, low, high)


def _numbers(value: Explained) -> list[float]:
    if isinstance(value, Against):
        return [*_numbers(value.value), *_numbers(value.target)]
    if isinstance(value, str):
        return []
    return [*value] if isinstance(value, tuple) else [value]


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


def beside(scenes: Sequence[Scene]) -> Scene:
    """Return pictures side by side, as one as high as the highest."""
    places, x = [], 0
    for scene in scenes:
        places.append((x, 0))
        x += scene.width
    return _together(scenes, places, x, max(scene.height for scene in scenes))


def in_a_column(scenes: Sequence[Scene]) -> Scene:
    """Return pictures one above the other, as one as wide as the widest."""
    places, y = [], 0
    for scene in scenes:
        places.append((0, y))
        y += scene.height
    return _together(scenes, places, max(scene.width for scene in scenes), y)


def _together(
    scenes: Sequence[Scene], places: Sequence[tuple[int, int]], width: int, height: int
) -> Scene:
    """Return pictures at places in one; of keys it is said from which picture they are."""
    shapes: list[Shape] = [Rectangle("page", 0, 0, width, height, "page")]
    for number, (scene, (x, y)) in enumerate(zip(scenes, places, strict=True)):
        shapes += [
            moved(shape, x, y)._replace(key=f"{number}/{shape.key}") for shape in scene.shapes
        ]
    names = [scene.name for scene in scenes if scene.name]
    return Scene(width, height, "; ".join(dict.fromkeys(names)), tuple(shapes))


def moved(shape: Shape, right: float, down: float) -> Shape:
    """Return a shape at another place."""
    match shape:
        case Line():
            one, other = (shape.x1 + right, shape.y1 + down), (shape.x2 + right, shape.y2 + down)
            return shape._replace(x1=one[0], y1=one[1], x2=other[0], y2=other[1])
        case Polygon():
            return shape._replace(points=tuple((x + right, y + down) for x, y in shape.points))
        case Rectangle() | Disc() | Text():
            return shape._replace(x=shape.x + right, y=shape.y + down)


def rows_in(scene: Scene) -> ArmRows:
    """Return the rows of the arms in a picture of a user."""
    centres: dict[int, float] = {}
    for shape in scene.shapes:
        if shape.key.startswith("arm-") and shape.key.endswith("-accepted"):
            box = box_of(shape)
            centres[int(shape.key.split("-")[1])] = (box.top + box.bottom) / 2
    arms = tuple(sorted(centres))
    ys = [centres[arm] for arm in arms]
    height = (ys[-1] - ys[0]) / (len(ys) - 1)
    return ArmRows(arms, ys[0] - height / 2, height)


LEAST_GAUGE = 0.18
"""Of the width, for the bar of a number that is held against another."""
GAUGE_HIGH = 8.0
DOT, SMALL_DOT = 5.0, 2.0
THIN_ROW = 20.0
"""ArmRows thinner than this have no words in them."""


def panel_of(
    said: Mapping[str, Explained], board: Board, title: str, now: int | None = None
) -> Scene:
    """Return what an agent thinks as a picture.

    Args:
        said: what it says of itself.
        board: the places of everything.
        title: the agent's name.
        now: the arm that was recommended last.
    """
    name = fitted(title, LARGE, board.width - 2 * MARGIN, True)
    shapes: list[Shape] = [
        Rectangle("page", 0, 0, board.width, board.height, "page"),
        Text("title", MARGIN, MARGIN + LARGE, name, "agent", LARGE, bold=True),
    ]
    if now in board.rows.arms and board.columns:
        rows, x = board.rows, MARGIN - SPACING
        y = rows.top + rows.arms.index(now) * rows.height
        shapes.append(Rectangle("now", x, y, board.width - 2 * x, rows.height, "recommended"))
    for place, (slot, y) in enumerate(board.facts.items()):
        value = said.get(slot.name)
        shapes += _fact(f"fact-{place}", slot, value, board, y) if slot.holds(value) else []
    if board.labelled and board.columns:
        shapes += _labels(board)
    for place, (slot, ends) in enumerate(board.columns.items()):
        shapes += _heading(f"column-{place}", slot, board, ends)
        value = said.get(slot.name)
        shapes += _column(f"column-{place}", slot, value, board, ends) if slot.holds(value) else []
    return Scene(board.width, board.height, f"What {title} thinks", tuple(shapes))


def number_in_words(value: float) -> str:
    """Return a number in few letters, a whole one without a fraction."""
    return "0" if value == 0.0 else rounded(value).removesuffix(".00")


def _fact(key: str, slot: Slot, value: Explained | None, board: Board, y: float) -> Iterator[Shape]:
    """Return a line of words and, where a number is held against another, a bar beside it."""
    room = board.width - 2 * MARGIN
    if isinstance(value, Against):
        now, target = value
        words = f"{slot.name}: {number_in_words(now)} / {number_in_words(target)}"
        ends = max(map(rounded, (slot.low, slot.high)), key=len)
        long = room - SPACING - width_of(f"{slot.name}: {ends} / {ends}", USUAL)
        long = max(LEAST_GAUGE * room, long)
        left, top = board.width - MARGIN - long, y - LETTERS_DOWN * USUAL - GAUGE_HIGH / 2
        yield Rectangle(f"{key}-room", left, top, long, GAUGE_HIGH, "grid")
        yield Rectangle(f"{key}-now", left, top, long * slot.share(now), GAUGE_HIGH, "agent", words)
        mark = left + long * slot.share(target)
        yield Line(f"{key}-target", mark, top - 3, mark, top + GAUGE_HIGH + 3, "ink", 2.0)
        room -= long + SPACING
    else:
        assert isinstance(value, str | float)
        words = f"{slot.name}: {value if isinstance(value, str) else number_in_words(value)}"
    yield Text(key, MARGIN, y, fitted(words, USUAL, room), "ink", USUAL)


def _heading(key: str, slot: Slot, board: Board, ends: tuple[float, float]) -> Iterator[Shape]:
    """Return the name of a column, in two lines at most."""
    lines = wrapped(slot.name, LITTLE, ends[1] - ends[0], 2, bold=True)
    for place, line in enumerate(lines):
        y = board.rows.top - SPACING - LINE * LITTLE * (len(lines) - 1 - place)
        yield Text(f"{key}-name-{place}", ends[0], y, line, "quiet", LITTLE, bold=True)


def _labels(board: Board) -> Iterator[Shape]:
    """Return the numbers of the arms; where rows are thin, of some of them."""
    rows = board.rows
    thin = rows.height < THIN_ROW
    size = TINY if thin else USUAL
    every = 1 if not thin else -(-int(LINE * TINY) // int(rows.height)) if rows.height else 1
    for place, arm in enumerate(rows.arms):
        if place % every == 0:
            y = rows.top + (place + 0.5) * rows.height + LETTERS_DOWN * size
            x = MARGIN + label_room(rows) - SPACING
            yield Text(f"arm-{arm}", x, y, f"arm {arm}", "quiet", size, "end")


def _column(
    key: str, slot: Slot, value: Explained | None, board: Board, ends: tuple[float, float]
) -> Iterator[Shape]:
    """Return a column of dots or bars."""
    assert value is not None
    values, targets = sides(value)
    rows = board.rows
    for place, arm in enumerate(rows.arms):
        y = rows.top + (place + 0.5) * rows.height
        if slot.form == Form.FLAGS:
            yield _dot(f"{key}-{arm}", slot, arm, values[arm], ends[0] + DOT, y, rows.height)
        else:
            target = None if targets is None else targets[arm]
            yield from _bar(f"{key}-{arm}", slot, arm, (values[arm], target), ends, y, rows.height)


def _dot(key: str, slot: Slot, arm: int, value: float, x: float, y: float, height: float) -> Disc:
    role, size = ("agent", DOT) if value else ("grid", SMALL_DOT)
    named = f"arm {arm}: {slot.name} {number_in_words(value)}"
    return Disc(key, x, y, min(size, 0.4 * height), role, named)


def _bar(
    key: str,
    slot: Slot,
    arm: int,
    numbers: tuple[float, float | None],
    ends: tuple[float, float],
    y: float,
    height: float,
) -> Iterator[Shape]:
    """Return a bar from 0, a mark where it should be, and the number behind."""
    value, target = numbers
    thin = height < THIN_ROW
    room = 0.0 if thin else width_of("888.88", LITTLE) + SPACING
    long = ends[1] - ends[0] - room
    zero, end = (ends[0] + long * slot.share(each) for each in (0.0, value))
    high = BAR * height
    words = number_in_words(value)
    named = f"arm {arm}: {slot.name} {words}"
    yield Rectangle(key, min(zero, end), y - high / 2, abs(end - zero), high, "agent", named)
    right = max(zero, end)
    if target is not None:
        mark = ends[0] + long * slot.share(target)
        yield Line(f"{key}-target", mark, y - 0.4 * height, mark, y + 0.4 * height, "ink", 2.0)
        right = max(right, mark + 1.0)
    if not thin:
        stands = y + LETTERS_DOWN * LITTLE
        yield Text(f"{key}-words", right + SPACING / 2, stands, words, "ink", LITTLE)
