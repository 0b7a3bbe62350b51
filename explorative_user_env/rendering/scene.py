"""What is drawn of a user at a moment: what was seen of her and, only if asked for, the truth."""

from collections.abc import Iterator, Sequence

from explorative_user_env.rendering.beliefs import beliefs
from explorative_user_env.rendering.layout import (
    LARGE,
    LARGEST_WIDTH,
    LINE,
    MARGIN,
    MOST_ROWS,
    SIDE_BY_SIDE,
    SMALLEST_WIDTH,
    SPACING,
    USUAL,
    USUAL_WIDTH,
    Layout,
    Shown,
    layout_of,
    wrapped,
)
from explorative_user_env.rendering.marks import BELIEFS, RESPONSES, legend, legend_lines
from explorative_user_env.rendering.responses import responses
from explorative_user_env.rendering.shapes import Rectangle, Scene, Shape, Text
from explorative_user_env.rendering.words import (
    Grounds,
    Seen,
    facts,
    grounds_of,
    headline,
    in_a_word,
    longest_reason,
    reason,
    spoken,
)
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.validation import count

FACT_LINES, NOTE_LINES = 2, 2  # of words, where a narrow picture needs more than one


def scene_of_user(
    seen: Seen,
    hidden: HiddenState | None = None,
    decided: HiddenState | None = None,
    *,
    span: tuple[float, float] | None = None,
    width: int = USUAL_WIDTH,
    title: str = "",
    note: str = "",
) -> Scene:
    """Return what is drawn of a user at a moment.

    Its size follows from K, the width and from what is given, not from any number in it. At most
    a hundred arms are shown: those that matter now, and those that were recommended most.

    Args:
        seen: what the system has seen.
        hidden: the truth now; None keeps it secret.
        decided: the truth when she decided on the last recommendation, which says why.
        span: the ends of the axis of rewards, so that it stays in a film; None is what is shown.
        width: in pixels, in 320..4096.
        title: a line above, "" for none.
        note: a line below the others, "" for none.

    Raises:
        InvalidArgumentError: for a width out of range.
    """
    count("width", width, SMALLEST_WIDTH, LARGEST_WIDTH)
    n_arms = len(seen.accepted)
    grounds = grounds_of(seen, decided) if hidden is not None else None
    lines = _header(seen, hidden, grounds, width, title, note)
    signs = RESPONSES if hidden is None else RESPONSES + BELIEFS
    high = sum(LINE * size * most for _, _, size, most in lines)
    room = legend_lines(signs, MARGIN, width - MARGIN)
    layout = layout_of(n_arms, width, hidden is not None, high, room)
    shown = _shown(seen, hidden, grounds)
    shapes: list[Shape] = [Rectangle("page", 0, 0, width, layout.height, "page")]
    shapes += _words_above(lines, layout)
    if seen.last is not None:
        shapes += _highlight(seen.last, layout, shown.arms)
    shapes += responses(seen, layout, shown)
    if hidden is not None:
        shapes += beliefs(hidden, layout, shown, grounds, span)
    shapes += legend(signs, MARGIN, width - MARGIN, layout.legend)
    return Scene(width, layout.height, spoken(seen, grounds), tuple(shapes))


HeaderLine = tuple[str, tuple[str, str], float, int]
"""The key of some words; they and their colour; their size; the lines that are kept for them."""


def _header(
    seen: Seen,
    hidden: HiddenState | None,
    grounds: Grounds | None,
    width: int,
    title: str,
    note: str,
) -> list[HeaderLine]:
    """Return the words above, whose room does not depend on what they are."""
    room, n_arms = width - 2 * MARGIN, len(seen.accepted)
    role = "quiet" if seen.last is None else in_a_word(seen.last[1])
    lines: list[HeaderLine] = [("title", (title, "ink"), LARGE, 1)] if title else []
    lines.append(("headline", (headline(seen), role), LARGE, 1))
    widest = "t = 888888 · n(t) = 888888 · Gamma = 8888.88 · rho_t = 8.88"
    some = f" · {MOST_ROWS} of {n_arms} arms" if n_arms > MOST_ROWS else ""
    most = 1 if len(wrapped(widest + some, USUAL, room, 9)) == 1 else FACT_LINES
    lines.append(("facts", (facts(seen, hidden) + some, "quiet"), USUAL, most))
    if hidden is not None:
        most = len(wrapped(longest_reason(n_arms), USUAL, room, 9))
        why = "" if grounds is None else reason(grounds)
        deciding = grounds is not None and grounds.witness is not None
        lines.append(("reason", (why, "witness" if deciding else "quiet"), USUAL, most))
    if note:
        most = 1 if width >= SIDE_BY_SIDE else NOTE_LINES
        lines.append(("note", (note, "ink"), USUAL, most))
    return lines


def _words_above(lines: Sequence[HeaderLine], layout: Layout) -> Iterator[Shape]:
    """Return the words above, each in the lines that are kept for it."""
    y, room = layout.header, layout.width - 2 * MARGIN
    for key, (words, role), size, most in lines:
        bold = size == LARGE
        parts = wrapped(words, size, room, most, bold) if words else []
        for place, part in enumerate(parts):
            stands = y + place * LINE * size + size
            yield Text(f"{key}-{place}", MARGIN, stands, part, role, size, bold=bold)
        y += LINE * size * most


def _highlight(last: tuple[int, bool], layout: Layout, arms: Sequence[int]) -> Iterator[Shape]:
    """Return a band behind the arm that was recommended last."""
    arm, accepted = last
    name = f"arm {arm}: {in_a_word(accepted)} now"
    for place, panel in enumerate((layout.seen, layout.believed)):
        if panel is not None:
            y = panel.top + arms.index(arm) * layout.row
            left, wide = panel.left - SPACING, panel.right - panel.left + 2 * SPACING
            yield Rectangle(f"now-{place}", left, y, wide, layout.row, "recommended", name)


def _shown(seen: Seen, hidden: HiddenState | None, grounds: Grounds | None) -> Shown:
    """Return the arms that have a row: all, or those that matter most.

    The recommended one matters, its witness, the best, and those that were recommended most.
    """
    recommended = None if seen.last is None else seen.last[0]
    special = [] if recommended is None else [recommended]
    if grounds is not None and grounds.witness is not None:
        special.append(grounds.witness)
    if hidden is not None:
        special.append(hidden.instance.best_arm)
    n_arms = len(seen.accepted)
    arms = [*range(n_arms)]
    if n_arms > MOST_ROWS:
        often = sorted(arms, key=lambda arm: -(seen.accepted[arm] + seen.rejected[arm]))
        arms = sorted([*dict.fromkeys([*special, *often])][:MOST_ROWS])
    return Shown(arms, [*dict.fromkeys(special)], recommended)
