"""A user at a moment, as a picture and as text: what we see and, if asked, what she believes."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from explorative_user_env.show import words
from explorative_user_env.show.shapes import (
    BAR,
    LARGE,
    LARGEST_WIDTH,
    LETTERS_DOWN,
    LINE,
    LITTLE,
    MARGIN,
    MARK,
    SMALLEST_WIDTH,
    SPACING,
    STROKE,
    USUAL,
    USUAL_WIDTH,
    Axis,
    Disc,
    Line,
    Rectangle,
    Rows,
    Scene,
    Shape,
    Text,
    arrow,
    axis_of,
    diamond,
    label_room,
    labels,
    response,
    round_step,
    rounded_out,
    width_of,
    with_legend,
    wrapped,
)
from explorative_user_env.show.words import Grounds, Seen, rounded
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.validation import count

SIDE_BY_SIDE = 640
"""From this width on what she believes stands beside what we see, and else below it."""
SHARE_SEEN, GUTTER = 0.42, 24.0  # of the width, for what we see; between the two
MOST_LABELLED, MOST_ROWS = 25, 100
"""Arms whose rows have words in them, and arms that have a row at all."""
BAND = 0.5  # height of an interval, in rows
LARGEST_SIGN = 5.0
LEAST_SCALE = 10  # smaller counts do not fill a bar
RESPONSES = {"yes": "last: yes", "no": "no"}
BELIEFS = {
    "interval": "her interval",
    "open": "goes on",
    "estimate": "mean so far",
    "truth": "true mean",
    "witness": "decides",
}
"""The legend: signs and their meanings."""


class _Panel(NamedTuple):
    """A part of the picture: its heading, its rows, and the place of its bars or its axis."""

    left: float
    right: float
    heading: float
    rows: Rows
    start: float
    end: float


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
    """Return the picture of a user at a moment.

    Its size follows from K, the width and which arguments are given, not from any number in it.
    At most a hundred arms are shown: those that matter now, and those recommended most.

    Args:
        seen: what the system has seen.
        hidden: the truth now; None keeps it secret.
        decided: the truth when she decided on the last recommendation, which gives the reason.
        span: the ends of the axis of rewards, the same in all of a film; None fits the moment.
        width: in pixels, in 320..4096.
        title: a line above.
        note: a line below the others.

    Raises:
        InvalidArgumentError: for a width out of range.
    """
    count("width", width, SMALLEST_WIDTH, LARGEST_WIDTH)
    n_arms = len(seen.accepted)
    grounds = words.grounds_of(seen, decided) if hidden is not None else None
    now = None if seen.last is None else seen.last[0]
    matter = (
        now,
        None if grounds is None else grounds.witness,
        None if hidden is None else hidden.instance.best_arm,
    )
    special = [arm for arm in dict.fromkeys(matter) if arm is not None]
    arms: Sequence[int] = range(n_arms)
    if n_arms > MOST_ROWS:
        often = sorted(arms, key=lambda arm: -(seen.accepted[arm] + seen.rejected[arm]))
        arms = sorted([*dict.fromkeys([*special, *often])][:MOST_ROWS])
    shapes: list[Shape] = []
    heading = MARGIN + SPACING + USUAL
    for key, text, role, size, most in _header(seen, hidden, grounds, width, title, note):
        parts = wrapped(text, size, width - 2 * MARGIN, most, size == LARGE) if text else []
        for place, part in enumerate(parts):
            y = heading - SPACING - USUAL + (place * LINE + 1) * size
            shapes.append(Text(f"{key}-{place}", MARGIN, y, part, role, size, bold=size == LARGE))
        heading += LINE * size * most
    high = 34.0 if n_arms <= 8 else 26.0
    if n_arms > MOST_LABELLED:
        high = float(int(min(max(800.0 / len(arms), 8.0), 16.0)))
    rows = Rows(tuple(arms), heading + LINE * LITTLE + SPACING, high)
    left, right, beside = MARGIN, width - MARGIN, width >= SIDE_BY_SIDE
    end = left + SHARE_SEEN * (right - left) if hidden is not None and beside else right
    after_labels = left + label_room(n_arms - 1, rows.thin)
    panels = [_Panel(left, end, heading, rows, after_labels + 2 * (MARK + SPACING), end)]
    if hidden is not None:
        number = " " + "8" * len(str(n_arms - 1)) if rows.thin else ""
        columns = [width_of(word + number, LITTLE) + SPACING for word in ("best", "witness")]
        room = right - sum(columns)
        if beside:
            panels.append(_Panel(end + GUTTER, right, heading, rows, end + GUTTER, room))
        else:
            below = rows.bottom + GUTTER + USUAL
            lower = rows._replace(top=below + SPACING)
            panels.append(_Panel(left, right, below, lower, after_labels, room))
    if seen.last is not None:
        name = f"arm {now}: {words.in_a_word(seen.last[1])} now"
        for place, (start, stop, _, its_rows, *_) in enumerate(panels):
            y = its_rows.top + its_rows.arms.index(seen.last[0]) * high
            wide = stop - start + 2 * SPACING
            band = (start - SPACING, y, wide, high, "recommended", name)
            shapes.append(Rectangle(f"now-{place}", *band))
    shapes += _responses(seen, panels[0], now, special)
    bottom = rows.bottom
    if hidden is not None:
        axis = span or rounded_out(span_of([hidden], arms))
        shapes += _beliefs(hidden, panels[1], now, special, grounds, axis, columns[0])
        bottom = panels[1].rows.bottom + SPACING + LINE * LITTLE
    signs = RESPONSES if hidden is None else RESPONSES | BELIEFS
    return with_legend(width, words.spoken(seen, grounds), shapes, signs, bottom, rows)


def _header(
    seen: Seen,
    hidden: HiddenState | None,
    grounds: Grounds | None,
    width: int,
    title: str,
    note: str,
) -> Iterator[tuple[str, str, str, float, int]]:
    """Yield key, words, colour and size of each text above, and how many lines it has room for."""
    room, n_arms = width - 2 * MARGIN, len(seen.accepted)
    if title:
        yield "title", title, "ink", LARGE, 1
    role = "quiet" if seen.last is None else words.in_a_word(seen.last[1])
    yield "headline", words.headline(seen), role, LARGE, 1
    widest = "t = 888888 · n(t) = 888888 · Gamma = 8888.88 · rho_t = 8.88"
    some = f" · {MOST_ROWS} of {n_arms} arms" if n_arms > MOST_ROWS else ""
    most = min(2, len(wrapped(widest + some, USUAL, room, 9)))
    yield "facts", words.facts(seen, hidden) + some, "quiet", USUAL, most
    if hidden is not None:
        longest = words.reason(Grounds(0, True, 0.0, 10 ** len(str(n_arms)), 0.0))
        why = "" if grounds is None else words.reason(grounds)
        role = "quiet" if grounds is None or grounds.witness is None else "witness"
        yield "reason", why, role, USUAL, len(wrapped(longest, USUAL, room, 9))
    if note:
        yield "note", note, "ink", USUAL, 1 if width >= SIDE_BY_SIDE else 2


def _responses(
    seen: Seen, panel: _Panel, now: int | None, special: Sequence[int]
) -> Iterator[Shape]:
    """Yield what we see: of each arm its last response, acceptances and rejections."""
    rows, middle, stands = panel.rows, (panel.start + panel.end) / 2, panel.rows.top - SPACING
    yield Text("seen", panel.left, panel.heading, "what we see", "ink", LITTLE, bold=True)
    yield Text("no", middle - SPACING, stands, "rejected", "rejected", LITTLE, "end")
    yield Text("yes", middle + SPACING, stands, "accepted", "accepted", LITTLE)
    yield from labels(rows, panel.start - 3 * SPACING - 2 * MARK, "seen-", now, special)
    yield Line("bars", middle, rows.top, middle, rows.bottom, "grid")
    longest = (panel.end - panel.start) / 2
    longest -= 0.0 if rows.thin else width_of("888888", LITTLE) + SPACING
    largest = max(max(seen.accepted[arm], seen.rejected[arm]) for arm in rows.arms)
    unit = longest / round_step(max(largest, LEAST_SCALE))
    high = BAR * rows.height
    for arm, y in rows.middles():
        latest = seen.latest[arm]
        if latest is not None:
            name, size = f"arm {arm}: {words.in_a_word(latest)}", min(MARK, 0.4 * rows.height)
            x = panel.start - MARK - SPACING
            yield from response(f"arm-{arm}-last", latest, x, y, size, name)
        for counts, side, role in ((seen.accepted, 1, "accepted"), (seen.rejected, -1, "rejected")):
            key, n = f"arm-{arm}-{role}", counts[arm]
            long = n * unit
            left = middle if side > 0 else middle - long
            yield Rectangle(key, left, y - high / 2, long, high, role, f"arm {arm}: {n} {role}")
            if not rows.thin:
                x, y_words = middle + side * (long + SPACING / 2), y + LETTERS_DOWN * LITTLE
                role = "ink" if n else "quiet"
                anchor: Any = "start" if side > 0 else "end"
                yield Text(f"{key}-count", x, y_words, words.brief(n), role, LITTLE, anchor)


def _beliefs(
    hidden: HiddenState,
    panel: _Panel,
    now: int | None,
    special: Sequence[int],
    grounds: Grounds | None,
    span: tuple[float, float],
    column: float,
) -> Iterator[Shape]:
    """Yield what she believes: her interval and means of each arm, and what decided.

    `column` is the width of the column in which the best arm is named.
    """
    rows, best = panel.rows, hidden.instance.best_arm
    heading = "what she believes"
    yield Text("believed", panel.left, panel.heading, heading, "ink", LITTLE, bold=True)
    axis = axis_of(span, panel.start, panel.end)
    for place, (x, number) in enumerate(axis.ticks):
        yield Line(f"tick-{place}", x, rows.top, x, rows.bottom, "grid")
        y = rows.bottom + SPACING + LITTLE
        yield Text(f"tick-{place}-words", x, y, number, "quiet", LITTLE, "middle")
    if panel.start > panel.left:
        yield from labels(rows, panel.start - SPACING, "believed-", now, special)
    for arm, y in rows.middles():
        yield from _interval(hidden, arm, axis, y, rows.height)
    tags = [("best", "best", best, "truth", panel.end + SPACING)]
    if grounds is not None and grounds.witness is not None:
        x, half = axis.place(grounds.bound), 0.5 * rows.height
        ends = sorted((rows.middle(grounds.arm), rows.middle(grounds.witness)))
        name = f"ucb of arm {grounds.arm}: {rounded(grounds.bound)}"
        yield Line("witness", x, ends[0] - half, x, ends[1] + half, "witness", STROKE, name)
        left = panel.end + SPACING + column
        tags.append(("decides", "witness", grounds.witness, "witness", left))
    size = min(LARGEST_SIGN, 0.4 * rows.height)
    for arm, y in rows.middles():
        mean, estimate = hidden.instance.means[arm], hidden.estimates[arm]
        if axis.low <= mean <= axis.high:
            name, x = f"arm {arm}: true mean {rounded(mean)}", axis.place(mean)
            yield diamond(f"arm-{arm}-truth", x, y, 1.2 * size, "truth", name)
        if hidden.counts[arm] > 0 and axis.low <= estimate <= axis.high:
            name, x = f"arm {arm}: mean so far {rounded(estimate)}", axis.place(estimate)
            yield Disc(f"arm-{arm}-estimate", x, y, 0.7 * size, "estimate", name)
    for key, word, arm, role, left in tags:
        y = rows.middle(arm) + LETTERS_DOWN * LITTLE
        yield Text(key, left, y, f"{word} {arm}" if rows.thin else word, role, LITTLE)


def _interval(hidden: HiddenState, arm: int, axis: Axis, y: float, row: float) -> Iterator[Shape]:
    """Yield an interval, with an arrow at an end that is beyond the picture."""
    low, high = hidden.lower_bounds[arm], hidden.upper_bounds[arm]
    left, right, tall = axis.place(low), axis.place(high), BAND * row
    said = "no reward of it yet" if low == -math.inf else f"{rounded(low)} to {rounded(high)}"
    key, size = f"arm-{arm}-interval", min(LARGEST_SIGN, 0.4 * row)
    name = f"arm {arm}: {said}"
    yield Rectangle(key, left, y - tall / 2, right - left, tall, "interval", name)
    ends = (("low", left, low < axis.low, -size), ("high", right, high > axis.high, size))
    for end, x, beyond, tip in ends:
        if beyond:
            yield arrow(f"{key}-{end}-on", x, y, tip, "quiet")
        else:
            yield Line(f"{key}-{end}", x, y - tall / 2, x, y + tall / 2, "quiet", STROKE / 2)


def span_of(states: Sequence[HiddenState], arms: Sequence[int]) -> tuple[float, float]:
    """Return the least and the largest reward in these truths about some arms."""
    values = [
        value
        for hidden in states
        for numbers in (hidden.lower_bounds, hidden.upper_bounds, hidden.instance.means)
        for value in (numbers[arm] for arm in arms)
        if math.isfinite(value)
    ]
    return min(values), max(values)


BAR_WIDTH = 36


def text_of_user(seen: Seen, hidden: HiddenState | None = None) -> str:
    """Return a table of the arms.

    Args:
        seen: what the system has seen.
        hidden: the truth, which shows her intervals; None keeps it secret.
    """
    lines, low, high = ["arm  accepted  rejected"], 0.0, 1.0
    if hidden is not None:
        low, high = span_of([hidden], range(len(hidden.counts)))
        high = high if high > low else low + 1.0
        lines[0] += f"  interval from {low:.2f} to {high:.2f} (o estimate, * true mean)"
    axis = Axis(low, high, 0.0, BAR_WIDTH - 1.0)
    for arm, (accepted, rejected) in enumerate(zip(seen.accepted, seen.rejected, strict=True)):
        line = f"{arm:>3}  {accepted:>8}  {rejected:>8}"
        if hidden is not None:
            cells = [" "] * BAR_WIDTH
            ends = (hidden.lower_bounds[arm], hidden.upper_bounds[arm])
            first, last = (round(axis.place(end)) for end in ends)
            cells[first : last + 1] = "-" * (last + 1 - first)
            if hidden.counts[arm] > 0:
                cells[round(axis.place(hidden.estimates[arm]))] = "o"
            cells[round(axis.place(hidden.instance.means[arm]))] = "*"
            line += f"  |{''.join(cells)}|"
        lines.append(line)
    recommended = "" if seen.last is None else f"last: arm {seen.last[0]} "
    word = "no recommendation yet" if seen.last is None else words.in_a_word(seen.last[1])
    return "\n".join([*lines, recommended + word])
