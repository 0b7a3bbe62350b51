"""What we see of a user: each arm's acceptances and rejections, and its last response."""

from collections.abc import Iterator

from explorative_user_env.rendering.layout import (
    COUNT_DIGITS,
    LITTLE,
    MARK,
    SPACING,
    TINY,
    USUAL,
    Layout,
    Panel,
    Shown,
)
from explorative_user_env.rendering.marks import response
from explorative_user_env.rendering.shapes import Anchor, Line, Rectangle, Shape, Text, width_of
from explorative_user_env.rendering.words import Seen, brief, in_a_word

BAR = 0.55  # height of a bar, in rows
LEAST_SCALE = 10  # counts below this do not fill a bar
LETTERS_DOWN = 0.35  # from the middle of letters to where they stand, in their size


def responses(seen: Seen, layout: Layout, shown: Shown) -> Iterator[Shape]:
    """Return what we see of each arm.

    Args:
        seen: what there is to see.
        layout: the places.
        shown: the arms that are shown.
    """
    panel = layout.seen
    middle = (panel.inner_left + panel.inner_right) / 2
    yield from _headings(panel, middle)
    yield from labels(layout, panel, shown, "seen")
    yield Line("bars", middle, panel.top, middle, panel.top + layout.bottom, "grid")
    room = 0.0 if layout.dense else width_of(COUNT_DIGITS, LITTLE) + SPACING
    longest = (panel.inner_right - panel.inner_left) / 2 - room
    largest = max(max(seen.accepted[arm], seen.rejected[arm]) for arm in shown.arms)
    unit = longest / _rounded_up(max(largest, LEAST_SCALE))
    mark_x = panel.inner_left - MARK - SPACING
    for row, arm in enumerate(shown.arms):
        y = panel.top + (row + 0.5) * layout.row
        latest = seen.latest[arm]
        if latest is not None:
            said = in_a_word(latest)
            size = min(MARK, 0.4 * layout.row)
            yield from response(f"arm-{arm}-last", latest, mark_x, y, size, f"arm {arm}: {said}")
        for count, side, role in (
            (seen.accepted[arm], 1, "accepted"),
            (seen.rejected[arm], -1, "rejected"),
        ):
            key, long = f"arm-{arm}-{role}", count * unit
            left, high = middle if side > 0 else middle - long, BAR * layout.row
            name = f"arm {arm}: {count} {role}"
            yield Rectangle(key, left, y - high / 2, long, high, role, name)
            if not layout.dense:
                x, stands = middle + side * (long + SPACING / 2), y + LETTERS_DOWN * LITTLE
                anchor: Anchor = "start" if side > 0 else "end"
                role = "ink" if count else "quiet"
                yield Text(f"{key}-count", x, stands, brief(count), role, LITTLE, anchor)


def _headings(panel: Panel, middle: float) -> Iterator[Shape]:
    """Return what the two sides are."""
    stands = panel.top - SPACING
    yield Text("seen", panel.left, panel.heading, "what we see", "ink", LITTLE, bold=True)
    yield Text("no", middle - SPACING, stands, "rejected", "rejected", LITTLE, "end")
    yield Text("yes", middle + SPACING, stands, "accepted", "accepted", LITTLE)


def labels(layout: Layout, panel: Panel, shown: Shown, where: str) -> Iterator[Shape]:
    """Return the arms' numbers at the left of a panel; where rows are thin, of some of them."""
    x = panel.inner_left - SPACING - (2 * (MARK + SPACING) if where == "seen" else 0.0)
    if not layout.dense:
        for row, arm in enumerate(shown.arms):
            y = panel.top + (row + 0.5) * layout.row + LETTERS_DOWN * USUAL
            role, bold = ("ink", True) if arm == shown.recommended else ("quiet", False)
            yield Text(f"{where}-arm-{arm}", x, y, f"arm {arm}", role, USUAL, "end", bold)
        return
    every = 5 if len(shown.arms) <= 50 else 10
    regular = shown.arms[::every]
    taken: list[float] = []
    for arm in [*shown.special, *regular]:
        y = panel.top + (shown.arms.index(arm) + 0.5) * layout.row + LETTERS_DOWN * TINY
        if any(abs(y - other) < 1.1 * TINY for other in taken):
            continue
        taken.append(y)
        role, bold = "ink" if arm in shown.special else "quiet", arm == shown.recommended
        yield Text(f"{where}-arm-{arm}", x, y, str(arm), role, TINY, "end", bold)


def _rounded_up(count: int) -> int:
    """Return 1, 2 or 5 times a power of ten: a scale that seldom changes in a film."""
    power = int(10 ** (len(str(count)) - 1))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= count)
