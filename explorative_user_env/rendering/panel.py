"""What an agent thinks, drawn beside a user: words and numbers, and columns of what is by arm.

Its rows are the user's, or stand below her with labels of their own.
"""

from collections.abc import Iterator, Mapping

from explorative_user_env.explanations import Explained
from explorative_user_env.protocol import Against
from explorative_user_env.rendering.board import Board, label_room
from explorative_user_env.rendering.layout import (
    LARGE,
    LINE,
    LITTLE,
    MARGIN,
    SPACING,
    TINY,
    USUAL,
    fitted,
    wrapped,
)
from explorative_user_env.rendering.responses import BAR, LETTERS_DOWN
from explorative_user_env.rendering.shapes import (
    Disc,
    Line,
    Rectangle,
    Scene,
    Shape,
    Text,
    width_of,
)
from explorative_user_env.rendering.slots import Form, Slot, sides
from explorative_user_env.rendering.words import rounded

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
