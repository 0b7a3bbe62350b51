"""An environment as text: what the system has seen and, only if asked for, what she thinks."""

import math
from collections.abc import Iterator, Sequence

from explorative_user_env.show.shapes import (
    BELIEFS,
    COUNT_DIGITS,
    LARGE,
    LARGEST_WIDTH,
    LINE,
    LITTLE,
    MARGIN,
    MARK,
    MOST_ROWS,
    RESPONSES,
    SIDE_BY_SIDE,
    SMALLEST_WIDTH,
    SPACING,
    STROKE,
    TINY,
    USUAL,
    USUAL_WIDTH,
    Anchor,
    Axis,
    Disc,
    Layout,
    Line,
    Panel,
    Rectangle,
    Scene,
    Shape,
    Shown,
    Text,
    arrow,
    axis_of,
    diamond,
    layout_of,
    legend,
    legend_lines,
    response,
    rounded_out,
    width_of,
    words_beside,
    wrapped,
)
from explorative_user_env.show.words import (
    Grounds,
    Seen,
    brief,
    facts,
    grounds_of,
    headline,
    in_a_word,
    longest_reason,
    reason,
    rounded,
    spoken,
)
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.validation import count

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
        for responses, side, role in (
            (seen.accepted[arm], 1, "accepted"),
            (seen.rejected[arm], -1, "rejected"),
        ):
            key, long = f"arm-{arm}-{role}", responses * unit
            left, high = middle if side > 0 else middle - long, BAR * layout.row
            name = f"arm {arm}: {responses} {role}"
            yield Rectangle(key, left, y - high / 2, long, high, role, name)
            if not layout.dense:
                x, stands = middle + side * (long + SPACING / 2), y + LETTERS_DOWN * LITTLE
                anchor: Anchor = "start" if side > 0 else "end"
                role = "ink" if responses else "quiet"
                yield Text(f"{key}-count", x, stands, brief(responses), role, LITTLE, anchor)


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


BAND = 0.5  # height of an interval, in rows
LARGEST_SIGN = 5.0


def beliefs(
    hidden: HiddenState,
    layout: Layout,
    shown: Shown,
    grounds: Grounds | None,
    span: tuple[float, float] | None,
) -> Iterator[Shape]:
    """Return her interval, empirical and true mean of each arm, and what decided.

    Args:
        hidden: the truth now.
        layout: the places.
        shown: the arms that are shown.
        grounds: why she said what she said, if that is known.
        span: the ends of the axis; None is what there is to show.
    """
    panel = layout.believed
    assert panel is not None
    arms = shown.arms
    heading = "what she believes"
    yield Text("believed", panel.left, panel.heading, heading, "ink", LITTLE, bold=True)
    axis = axis_of(
        span or rounded_out(span_of([hidden], arms)), panel.inner_left, panel.inner_right
    )
    yield from _ticks(axis, layout)
    if panel.inner_left > panel.left:
        yield from labels(layout, panel, shown, "believed")
    for row, arm in enumerate(arms):
        y = panel.top + (row + 0.5) * layout.row
        yield from _interval(hidden, arm, axis, y, layout.row)
    if grounds is not None and grounds.witness is not None:
        yield from _witness(grounds, grounds.witness, axis, layout, arms)
    for row, arm in enumerate(arms):
        y = panel.top + (row + 0.5) * layout.row
        yield from _means(hidden, arm, axis, y, layout.row)
    yield from _words(hidden, layout, arms, grounds)


def span_of(states: Sequence[HiddenState], arms: Sequence[int]) -> tuple[float, float]:
    """Return the least and the largest reward that is to be seen of some arms."""
    values = [
        value
        for hidden in states
        for numbers in (hidden.lower_bounds, hidden.upper_bounds, hidden.instance.means)
        for value in (numbers[arm] for arm in arms)
        if math.isfinite(value)
    ]
    return min(values), max(values)


def _ticks(axis: Axis, layout: Layout) -> Iterator[Shape]:
    """Return lines at round rewards, with their numbers below."""
    panel = layout.believed
    assert panel is not None
    bottom = panel.top + layout.bottom
    for place, (x, words) in enumerate(axis.ticks):
        yield Line(f"tick-{place}", x, panel.top, x, bottom, "grid")
        stands = bottom + SPACING + LITTLE
        yield Text(f"tick-{place}-words", x, stands, words, "quiet", LITTLE, "middle")


def _interval(hidden: HiddenState, arm: int, axis: Axis, y: float, row: float) -> Iterator[Shape]:
    """Return an interval; an arrow where it goes on beyond the picture."""
    low, high = hidden.lower_bounds[arm], hidden.upper_bounds[arm]
    left, right = axis.place(low), axis.place(high)
    tall = BAND * row
    said = "no reward of it yet" if low == -math.inf else f"{rounded(low)} to {rounded(high)}"
    name = f"arm {arm}: {said}"
    key = f"arm-{arm}-interval"
    yield Rectangle(key, left, y - tall / 2, right - left, tall, "interval", name)
    size = min(LARGEST_SIGN, 0.4 * row)
    for end, x, beyond, tip in (
        ("low", left, low < axis.low, -size),
        ("high", right, high > axis.high, size),
    ):
        if beyond:
            yield arrow(f"{key}-{end}-on", x, y, tip, "quiet")
        else:
            yield Line(f"{key}-{end}", x, y - tall / 2, x, y + tall / 2, "quiet", STROKE / 2)


def _means(hidden: HiddenState, arm: int, axis: Axis, y: float, row: float) -> Iterator[Shape]:
    """Return the empirical mean of an arm that she has seen, and the true one."""
    size = min(LARGEST_SIGN, 0.4 * row)
    truth, estimate = hidden.instance.means[arm], hidden.estimates[arm]
    if axis.low <= truth <= axis.high:
        name = f"arm {arm}: true mean {rounded(truth)}"
        yield diamond(f"arm-{arm}-truth", axis.place(truth), y, 1.2 * size, "truth", name)
    if hidden.counts[arm] > 0 and axis.low <= estimate <= axis.high:
        name = f"arm {arm}: mean so far {rounded(estimate)}"
        yield Disc(f"arm-{arm}-estimate", axis.place(estimate), y, 0.7 * size, "estimate", name)


def _witness(
    grounds: Grounds, witness: int, axis: Axis, layout: Layout, arms: Sequence[int]
) -> Iterator[Shape]:
    """Return the line at ucb of the arm, which no part of the better one's interval reaches."""
    panel = layout.believed
    assert panel is not None
    x, half = axis.place(grounds.bound), 0.5 * layout.row
    ends = sorted(
        panel.top + (arms.index(arm) + 0.5) * layout.row for arm in (grounds.arm, witness)
    )
    name = f"ucb of arm {grounds.arm}: {rounded(grounds.bound)}"
    yield Line("witness", x, ends[0] - half, x, ends[1] + half, "witness", STROKE, name)


def _words(
    hidden: HiddenState, layout: Layout, arms: Sequence[int], grounds: Grounds | None
) -> Iterator[Shape]:
    """Return which arm is the best and which one decided, in columns of their own."""
    panel = layout.believed
    assert panel is not None
    best_words, _ = words_beside(layout.n_arms, layout.dense)
    x = panel.inner_right + SPACING
    told = [("best", "best", hidden.instance.best_arm, "truth", x)]
    if grounds is not None and grounds.witness is not None:
        column = x + width_of(best_words, LITTLE) + SPACING
        told.append(("decides", "witness", grounds.witness, "witness", column))
    for key, word, arm, role, left in told:
        y = panel.top + (arms.index(arm) + 0.5) * layout.row + LETTERS_DOWN * LITTLE
        words = f"{word} {arm}" if layout.dense else word
        yield Text(key, left, y, words, role, LITTLE)


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


BAR_WIDTH = 36


def text_of_user(seen: Seen, hidden: HiddenState | None = None) -> str:
    """Return a table of the arms.

    Args:
        seen: what the system has seen.
        hidden: the user's intervals to draw, None to keep them secret.
    """
    title, ends = "arm  accepted  rejected", (0.0, 1.0)
    if hidden is not None:
        ends = _ends(hidden)
        title += f"  interval from {ends[0]:.2f} to {ends[1]:.2f} (o estimate, * true mean)"
    lines = [title]
    for arm, (accepted, rejected) in enumerate(zip(seen.accepted, seen.rejected, strict=True)):
        line = f"{arm:>3}  {accepted:>8}  {rejected:>8}"
        if hidden is not None:
            line += f"  {_interval_text(hidden, arm, ends)}"
        lines.append(line)
    if seen.last is None:
        lines.append("no recommendation yet")
    else:
        arm, yes = seen.last
        lines.append(f"last: arm {arm} {in_a_word(yes)}")
    return "\n".join(lines)


def _ends(hidden: HiddenState) -> tuple[float, float]:
    """Return the least and the largest reward to draw, which differ."""
    low, high = span_of([hidden], range(len(hidden.counts)))
    return low, high if high > low else low + 1.0


def _interval_text(hidden: HiddenState, arm: int, ends: tuple[float, float]) -> str:
    low, high = ends

    def place(value: float) -> int:
        share = (min(max(value, low), high) - low) / (high - low)
        return round(share * (BAR_WIDTH - 1))

    cells = [" "] * BAR_WIDTH
    for cell in range(place(hidden.lower_bounds[arm]), place(hidden.upper_bounds[arm]) + 1):
        cells[cell] = "-"
    if hidden.counts[arm] > 0:
        cells[place(hidden.estimates[arm])] = "o"
    cells[place(hidden.instance.means[arm])] = "*"
    return "|" + "".join(cells) + "|"
