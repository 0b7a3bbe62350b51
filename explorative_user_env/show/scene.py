"""Draw scenes of a user at one moment, of a run, and of an agent's explanation.

A scene shows the hidden state only if the caller passes the hidden state.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from explorative_user_env.protocol import Against
from explorative_user_env.show import words
from explorative_user_env.show.shapes import (
    ArmRows,
    Disc,
    Line,
    Polygon,
    Rectangle,
    Scene,
    Shape,
    Text,
    fitted,
    width_of,
    wrapped,
)
from explorative_user_env.show.words import Explained, Grounds, Seen, brief, in_a_word, rounded
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.validation import InvalidArgumentError, count

SMALLEST_WIDTH, USUAL_WIDTH, LARGEST_WIDTH = 320, 720, 4096
MARGIN = 16.0
SPACING = 6.0  # between related shapes, in pixels
TINY, LITTLE, USUAL, LARGE = 10.0, 11.0, 13.0, 16.0  # font sizes
LINE = 1.5  # line height, in font sizes
LETTERS_DOWN = 0.35  # distance from the middle of a letter to its baseline, in font sizes
BAR = 0.55  # height of a bar, in row heights

Span = tuple[float, float]

LEAST_SPAN = 1e-6  # least relative span; the tick labels of a smaller span would be equal
SPACE = 0.04  # margin at each end of an axis, as a share of its span
ROUND_PARTS = 8  # the largest number of steps into which `rounded_out` divides a span
TICK_EVERY = 36.0  # approximate distance between two ticks, in pixels


class Axis(NamedTuple):
    """An axis from `low` to `high`, drawn from `left` to `right`, with ticks and their labels."""

    low: float
    high: float
    left: float
    right: float
    ticks: tuple[tuple[float, str], ...] = ()

    def place(self, value: float) -> float:
        """Return the position of a number in pixels; a number off the axis is at the nearer end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)


def round_step(least: float) -> float:
    """Return the smallest step of the form 1, 2 or 5 times 10^n that is at least `least`."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= least)


def _is_flat(low: float, high: float) -> bool:
    return high - low <= LEAST_SPAN * max(abs(low), abs(high), 1.0)


def rounded_out(span: Span) -> Span:
    """Widen a span so that its ends are round numbers, which rarely change within a film."""
    low, high = span
    if _is_flat(low, high):
        return span
    step = round_step((high - low) / ROUND_PARTS)
    return step * math.floor(low / step), step * math.ceil(high / step)


def axis_of(span: Span, left: float, right: float) -> Axis:
    """Return an axis that covers a span."""
    low, high = span
    wide = high - low
    if _is_flat(low, high):
        wide = 2 * LEAST_SPAN * max(abs(low), abs(high)) + 1.0
        low, high = (span[0] + span[1] - wide) / 2, (span[0] + span[1] + wide) / 2
    return ticked(Axis(low - SPACE * wide, high + SPACE * wide, left, right))


def ticked(axis: Axis, least: float = 0.0, overhang: float = 0.0) -> Axis:
    """Return the axis with ticks at round numbers whose labels do not overlap.

    Args:
        axis: the axis.
        least: smallest difference between two ticks.
        overhang: space for labels beyond each end, in pixels.
    """
    wide = axis.high - axis.low
    step = round_step(max(wide * TICK_EVERY / max(axis.right - axis.left, TICK_EVERY), least))
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks: list[tuple[float, str]] = []
    free = axis.left - overhang
    for number in range(math.ceil(axis.low / step), math.floor(axis.high / step) + 1):
        value = number * step
        text = f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.4g}"
        x, half = axis.place(value), width_of(text, LITTLE) / 2
        if x - half >= free and x + half <= axis.right + overhang:
            ticks.append((x, text))
            free = x + half + SPACING
    return axis._replace(ticks=tuple(ticks))


def span_of(states: Sequence[HiddenState], arms: Sequence[int]) -> Span:
    """Return the least and the largest number among the means and finite bounds of `arms`."""
    values = [
        numbers[arm]
        for hidden in states
        for numbers in (hidden.lower_bounds, hidden.upper_bounds, hidden.instance.means)
        for arm in arms
        if math.isfinite(numbers[arm])
    ]
    return min(values), max(values)


SIGN = 5.0  # half the largest size of a marker
STROKE = 2.0  # width of a line
SIGN_ROOM = 18.0  # width of a marker in the legend
# The legends: markers and their meanings.
RESPONSES = {"yes": "last: yes", "no": "no"}
BELIEFS = {
    "interval": "her interval",
    "open": "goes on",
    "estimate": "mean so far",
    "truth": "true mean",
    "witness": "decides",
}
RUN_RESPONSES = {"yes": "yes, above a line", "no": "no, below it"}
RUN_BELIEFS = {
    "interval": "her interval",
    "estimate-line": "mean so far",
    "truth-line": "true mean",
}


def _response(key: str, accepted: bool, x: float, y: float, size: float, name: str) -> list[Shape]:
    """Return the marker of a response: a stroke for an acceptance, a cross for a rejection."""
    if accepted:
        return [Line(f"{key}-yes", x, y - size, x, y + size, "accepted", 1.5 * STROKE, name)]
    return [
        Line(f"{key}-no-1", x - size, y - size, x + size, y + size, "rejected", STROKE, name),
        Line(f"{key}-no-2", x - size, y + size, x + size, y - size, "rejected", STROKE),
    ]


def _diamond(key: str, x: float, y: float, size: float, name: str = "") -> Polygon:
    points = ((x, y - size), (x + size, y), (x, y + size), (x - size, y))
    return Polygon(key, points, "truth", name)


def _arrow(key: str, tip: float, y: float, size: float) -> Polygon:
    """Return an arrowhead to the right; to the left if `size` is negative."""
    half, back = abs(size), tip - 1.5 * size
    return Polygon(key, ((tip, y), (back, y - half), (back, y + half)), "quiet")


def _label_room(last: int, thin: bool) -> float:
    """Return the width of a column with the labels of the arms 0 to `last`."""
    label = str(last) if thin else f"arm {max(last, 10)}"
    return width_of(label.replace("1", "8"), TINY if thin else USUAL, True) + SPACING


# The arms that get a label even if other arms do not. The first is the recommended arm, or None.
Special = Sequence[int | None]


def _labels(
    rows: ArmRows, x: float, where: str, now: int | None, special: Special = ()
) -> Iterator[Text]:
    """Yield right-aligned labels of the arms; if the rows are thin, label only some."""
    size = TINY if rows.thin else USUAL
    some = [arm for arm in special if arm is not None]
    some += rows.arms[:: 5 if len(rows.arms) <= 50 else 10]
    taken: list[float] = []
    for arm in some if rows.thin else rows.arms:
        y = rows.middle(arm) + LETTERS_DOWN * size
        if not any(abs(y - other) < 1.1 * TINY for other in taken):
            taken.append(y)
            label = str(arm) if rows.thin else f"arm {arm}"
            role = "ink" if arm == now or (rows.thin and arm in special) else "quiet"
            yield Text(f"{where}arm-{arm}", x, y, label, role, size, "end", arm == now)


class _Page:
    """A scene under construction: its shapes from back to front, and `y` of the next text."""

    def __init__(self, width: int, title: str) -> None:
        self.width = count("width", width, SMALLEST_WIDTH, LARGEST_WIDTH)
        self.room = width - 2 * MARGIN
        self.shapes: list[Shape] = []
        self.y = MARGIN
        if title:
            self.write("title", title, "ink", LARGE, 1)

    def write(self, key: str, text: str, role: str, size: float, most: int) -> None:
        """Write a text below the last text, and reserve the height of `most` lines for it."""
        bold = size == LARGE
        for place, line in enumerate(wrapped(text, size, self.room, most, bold) if text else ()):
            y = self.y + (place * LINE + 1) * size
            self.shapes.append(Text(f"{key}-{place}", MARGIN, y, line, role, size, bold=bold))
        self.y += LINE * size * most

    def scene(self, name: str, signs: dict[str, str], bottom: float, rows: ArmRows) -> Scene:
        """Return the finished scene; below `y` = `bottom`, a legend explains `signs`."""
        left, end, half = MARGIN, bottom + 2 * SPACING + LITTLE, 0.8 * SIGN
        for kind, meaning in signs.items():
            room = SIGN_ROOM + width_of(meaning, LITTLE) + 2 * SPACING
            if left > MARGIN and left + room > self.width - MARGIN:
                left, end = MARGIN, end + LINE * LITTLE
            key, x, y = f"legend-{kind}", left + SIGN_ROOM / 2 - SPACING / 2, end - 0.35 * LITTLE
            level = (x - 1.4 * half, y, x + 1.4 * half, y)
            sign: dict[str, Shape] = {
                "interval": Rectangle(key, level[0], y - half, 2.8 * half, 2 * half, kind),
                "open": _arrow(key, x + half, y, half),
                "estimate": Disc(key, x, y, half, kind),
                "truth": _diamond(key, x, y, 1.2 * half),
                "witness": Line(key, x, y - 1.3 * half, x, y + 1.3 * half, kind, STROKE),
                "estimate-line": Line(key, *level, "estimate", STROKE),
                "truth-line": Line(key, *level, "truth", STROKE),
            }
            yes_or_no = _response(key, kind == "yes", x, y, half, "")
            self.shapes += [sign[kind]] if kind in sign else yes_or_no
            words_at = left + SIGN_ROOM
            self.shapes.append(Text(f"{key}-words", words_at, end, meaning, "quiet", LITTLE))
            left += room
        height = 2 * math.ceil((end + MARGIN) / 2)  # even, for the video codec
        page = Rectangle("page", 0, 0, self.width, height, "page")
        return Scene(self.width, height, name, (page, *self.shapes), rows)


SIDE_BY_SIDE = 640  # in a narrower scene, the beliefs stand below the responses
# The responses take SHARE_SEEN of the width. GUTTER pixels separate the responses and the beliefs.
SHARE_SEEN, GUTTER = 0.42, 24.0
# A scene shows at most MOST_ROWS arms. If it has at most MOST_LABELLED arms, all have labels.
MOST_LABELLED, MOST_ROWS = 25, 100
BAND = 0.5  # height of an interval, in row heights
LEAST_SCALE = 10  # the scale of the bars reaches at least this count


class _Panel(NamedTuple):
    """A part of a scene for the responses or the beliefs, with an axis from `start` to `end`."""

    left: float
    right: float
    heading: float
    rows: ArmRows
    start: float
    end: float


def scene_of_user(
    seen: Seen,
    hidden: HiddenState | None = None,
    decided: HiddenState | None = None,
    *,
    span: Span | None = None,
    width: int = USUAL_WIDTH,
    title: str = "",
    note: str = "",
) -> Scene:
    """Return the scene of a user at one moment.

    The size of a scene depends only on K, `width` and which arguments are given. With more than a
    hundred arms, a scene shows the last recommended arm, the best arm, the arm that caused a
    rejection, and the arms recommended most.

    Args:
        seen: the responses so far.
        hidden: the hidden state now; None keeps it secret.
        decided: the hidden state before her last response; it explains the response.
        span: the ends of the axis of rewards; None is the range of her intervals and means.
        width: in pixels, in 320..4096.
        title: a line at the top.
        note: a line below the other texts.

    Raises:
        InvalidArgumentError: for a width out of range.
    """
    page = _Page(width, title)
    grounds = words.grounds_of(seen, decided) if hidden is not None else None
    now, accepted = seen.last or (None, False)
    special = (now, grounds and grounds.witness, hidden and hidden.instance.best_arm)
    n_arms = len(seen.accepted)
    arms: Sequence[int] = range(n_arms)
    some = f" · {MOST_ROWS} of {n_arms} arms" if n_arms > MOST_ROWS else ""
    if some:
        often = sorted(arms, key=lambda arm: -(seen.accepted[arm] + seen.rejected[arm]))
        matter = [arm for arm in special if arm is not None]
        arms = sorted([*dict.fromkeys([*matter, *often])][:MOST_ROWS])
    # Every text gets the height of its longest form, so a film does not jump.
    last = "8" * len(str(n_arms - 1))
    longest = f"Arm {last}: rejected, because arm {last} is clearly better" if hidden else ""
    role = "quiet" if now is None else in_a_word(accepted)
    most = len(wrapped(longest, LARGE, page.room, 9, True))
    page.write("headline", words.headline(seen, grounds), role, LARGE, most)
    widest = f"t = 888888 · n(t) = 888888 · Gamma = 8888.88 · rho_t = 8.88{some}"
    most = min(2, len(wrapped(widest, USUAL, page.room, 9)))
    page.write("facts", words.facts(seen, hidden) + some, "quiet", USUAL, most)
    if hidden is not None:
        role = "quiet" if grounds is None or grounds.witness is None else "witness"
        reason = "" if grounds is None else words.numbers_compared(grounds)
        page.write("reason", reason, role, USUAL, 1)
    if note:
        page.write("note", note, "ink", USUAL, 1 if width >= SIDE_BY_SIDE else 2)
    heading, high = page.y + SPACING + USUAL, 34.0 if n_arms <= 8 else 26.0  # to a baseline
    if n_arms > MOST_LABELLED:
        high = float(int(min(max(800.0 / len(arms), 8.0), 16.0)))
    rows = ArmRows(tuple(arms), heading + LINE * LITTLE + SPACING, high)
    left, right, side_by_side = MARGIN, width - MARGIN, width >= SIDE_BY_SIDE
    end = left + SHARE_SEEN * (right - left) if hidden is not None and side_by_side else right
    start = left + _label_room(n_arms - 1, rows.thin)
    panels = [_Panel(left, end, heading, rows, start + 2 * (SIGN + SPACING), end)]
    if hidden is not None:
        if side_by_side:
            left = start = end + GUTTER
        else:
            heading = rows.bottom + GUTTER + USUAL
            rows = rows._replace(top=heading + SPACING)
        room = right - sum(_columns(n_arms, rows))
        panels.append(_Panel(left, right, heading, rows, start, room))
    if now is not None:
        name = f"arm {now}: {in_a_word(accepted)} now"
        for place, panel in enumerate(panels):
            x, y = panel.left - SPACING, panel.rows.middle(now) - high / 2
            size = (panel.right + SPACING - x, high)
            page.shapes.append(Rectangle(f"now-{place}", x, y, *size, "recommended", name))
    page.shapes += _responses(seen, special, panels[0])
    bottom, signs = rows.bottom, RESPONSES
    if hidden is not None:
        axis = axis_of(span or rounded_out(span_of([hidden], arms)), *panels[1][-2:])
        page.shapes += _beliefs(hidden, grounds, special, panels[1], axis)
        bottom, signs = bottom + SPACING + LINE * LITTLE, RESPONSES | BELIEFS
    return page.scene(words.spoken(seen, grounds), signs, bottom, panels[0].rows)


def _columns(n_arms: int, rows: ArmRows) -> list[float]:
    """Return the widths of the columns with the words "best" and "witness" beside an arm."""
    number = " " + "8" * len(str(n_arms - 1)) if rows.thin else ""
    return [width_of(word + number, LITTLE) + SPACING for word in ("best", "witness")]


def _responses(seen: Seen, special: Special, panel: _Panel) -> Iterator[Shape]:
    """Yield, for each arm, her last response and the counts of acceptances and rejections."""
    left, _, heading, rows, start, end = panel
    middle, stands = (start + end) / 2, rows.top - SPACING
    yield Text("seen", left, heading, "what we see", "ink", LITTLE, bold=True)
    yield Text("no", middle - SPACING, stands, "rejected", "rejected", LITTLE, "end")
    yield Text("yes", middle + SPACING, stands, "accepted", "accepted", LITTLE)
    yield from _labels(rows, start - 3 * SPACING - 2 * SIGN, "seen-", special[0], special)
    yield Line("bars", middle, rows.top, middle, rows.bottom, "grid")
    longest = (end - start) / 2
    longest -= 0.0 if rows.thin else width_of("888888", LITTLE) + SPACING
    largest = max(max(seen.accepted[arm], seen.rejected[arm]) for arm in rows.arms)
    unit = longest / round_step(max(largest, LEAST_SCALE))
    high = BAR * rows.height
    for arm, y in rows.middles():
        latest = seen.latest[arm]
        if latest is not None:
            name, size = f"arm {arm}: {in_a_word(latest)}", min(SIGN, 0.4 * rows.height)
            yield from _response(f"arm-{arm}-last", latest, start - SIGN - SPACING, y, size, name)
        for counts, side, role in ((seen.accepted, 1, "accepted"), (seen.rejected, -1, "rejected")):
            key, n = f"arm-{arm}-{role}", counts[arm]
            long = n * unit
            x = middle if side > 0 else middle - long
            yield Rectangle(key, x, y - high / 2, long, high, role, f"arm {arm}: {n} {role}")
            if not rows.thin:
                x, stands = middle + side * (long + SPACING / 2), y + LETTERS_DOWN * LITTLE
                anchor: Any = "start" if side > 0 else "end"
                colour = "ink" if n else "quiet"
                yield Text(f"{key}-count", x, stands, brief(n), colour, LITTLE, anchor)


def _beliefs(
    hidden: HiddenState, grounds: Grounds | None, special: Special, panel: _Panel, axis: Axis
) -> Iterator[Shape]:
    """Yield each arm's interval and means; if she rejected, also the ucb of the rejected arm."""
    rows, size, heading = panel.rows, min(SIGN, 0.4 * panel.rows.height), "what she believes"
    yield Text("believed", panel.left, panel.heading, heading, "ink", LITTLE, bold=True)
    for place, (x, number) in enumerate(axis.ticks):
        yield Line(f"tick-{place}", x, rows.top, x, rows.bottom, "grid")
        y = rows.bottom + SPACING + LITTLE
        yield Text(f"tick-{place}-words", x, y, number, "quiet", LITTLE, "middle")
    if panel.start > panel.left:
        yield from _labels(rows, panel.start - SPACING, "believed-", special[0], special)
    for arm, y in rows.middles():
        low, high = hidden.lower_bounds[arm], hidden.upper_bounds[arm]
        left, right, half = axis.place(low), axis.place(high), BAND * rows.height / 2
        range_ = "no reward of it yet" if low == -math.inf else f"{rounded(low)} to {rounded(high)}"
        key, name = f"arm-{arm}-interval", f"arm {arm}: {range_}"
        yield Rectangle(key, left, y - half, right - left, 2 * half, "interval", name)
        ends = (("low", left, low < axis.low, -size), ("high", right, high > axis.high, size))
        for end, x, beyond, tip in ends:
            if beyond:
                yield _arrow(f"{key}-{end}-on", x, y, tip)
            else:
                yield Line(f"{key}-{end}", x, y - half, x, y + half, "quiet", STROKE / 2)
    column = panel.end + SPACING
    tags = [("best", "best", hidden.instance.best_arm, "truth", column)]
    if grounds is not None and grounds.witness is not None:
        x, half = axis.place(grounds.bound), 0.5 * rows.height
        first, last = sorted((rows.middle(grounds.arm), rows.middle(grounds.witness)))
        name = f"ucb of arm {grounds.arm}: {rounded(grounds.bound)}"
        yield Line("witness", x, first - half, x, last + half, "witness", STROKE, name)
        column += _columns(len(hidden.counts), rows)[0]
        tags.append(("decides", "witness", grounds.witness, "witness", column))
    for arm, y in rows.middles():
        mean, estimate = hidden.instance.means[arm], hidden.estimates[arm]
        if axis.low <= mean <= axis.high:
            name = f"arm {arm}: true mean {rounded(mean)}"
            yield _diamond(f"arm-{arm}-truth", axis.place(mean), y, 1.2 * size, name)
        if hidden.counts[arm] > 0 and axis.low <= estimate <= axis.high:
            name, x = f"arm {arm}: mean so far {rounded(estimate)}", axis.place(estimate)
            yield Disc(f"arm-{arm}-estimate", x, y, 0.7 * size, "estimate", name)
    for key, word, arm, role, x in tags:
        y = rows.middle(arm) + LETTERS_DOWN * LITTLE
        yield Text(key, x, y, f"{word} {arm}" if rows.thin else word, role, LITTLE)


BAR_WIDTH = 36


def text_of_user(seen: Seen, hidden: HiddenState | None = None) -> str:
    """Return a table of the arms as text.

    Args:
        seen: the responses so far.
        hidden: the hidden state, whose intervals the table shows; None keeps the intervals secret.
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
    ending = f"last: arm {seen.last[0]} {in_a_word(seen.last[1])}" if seen.last else ""
    return "\n".join([*lines, ending or "no recommendation yet"])


MOST_STRIPS = 25
FEW_STRIPS, TALL, LOW = 8, 58.0, 30.0  # strips of up to 8 arms are TALL pixels high, else LOW
REACH = 6.0  # height of the mark of a response
NUMBERED = 48.0  # strips of at least this height show numbers at the ends of their axis
EARLY = 4  # the axis need not hold the wide intervals of the first quarter of a run
# In pixels: MOVED is the least change that is drawn, THIN is half the width of a line.
MOVED, THIN = 0.5, 0.75
ROOM_OF_A_MARK = 6.0


def timeline(
    n_arms: int,
    arms: Sequence[int],
    accepted: Sequence[bool],
    truths: Sequence[HiddenState] | None = None,
    *,
    span: Span | None = None,
    width: int = USUAL_WIDTH,
    title: str = "",
) -> Scene:
    """Return the scene of a run. The scene shows the 25 arms recommended most.

    Args:
        n_arms: K.
        arms: the arm of each step.
        accepted: the response of each step.
        truths: the hidden state after each step; None keeps it secret.
        span: the ends of the axis of rewards; None is the range after the first quarter of the run.
        width: in pixels, in 320..4096.
        title: a line at the top.

    Raises:
        InvalidArgumentError: for a width out of range, or sequences of different lengths.
    """
    page = _Page(width, title)
    for name, given in (("accepted", accepted), ("truths", truths)):
        if given is not None and len(given) != len(arms):
            raise InvalidArgumentError(name, len(given), f"{len(arms)} values, one for each step")
    best = truths[-1].instance.best_arm if truths else None
    n, n_yes = len(arms), sum(accepted)
    facts = f"{brief(n)} recommendations · {brief(n_yes)} accepted · {brief(n - n_yes)} rejected"
    facts += f" · {MOST_STRIPS} of {n_arms} arms" if n_arms > MOST_STRIPS else ""
    page.write("facts", facts, "quiet", USUAL, len(wrapped(facts, USUAL, page.room, 3)))
    often = Counter(arms)
    order = sorted(range(n_arms), key=lambda arm: (arm != best, -often[arm]))
    shown = tuple(sorted(order[:MOST_STRIPS]))
    tall = 0.0 if best is None else TALL if len(shown) <= FEW_STRIPS else LOW
    rows = ArmRows(shown, page.y + 2 * SPACING, tall + 2 * REACH + 2 * SPACING)
    left = MARGIN + width_of(f"arm {'8' * len(str(n_arms - 1))}", USUAL, True) + 2 * SPACING
    numbers = width_of("-888.8", TINY) + SPACING if tall >= NUMBERED else 0.0
    steps = Axis(0.0, float(max(n, 1)), left, width - MARGIN - numbers)
    if truths:
        span = span or rounded_out(span_of(truths[n // EARLY :], shown))
    draw = page.shapes.append
    for arm, middle in rows.middles():
        top = middle - rows.height / 2
        line = top + tall + REACH
        y = ((top + line) / 2 if tall else line) + LETTERS_DOWN * USUAL
        role, x = "truth" if arm == best else "ink", left - SPACING
        draw(Text(f"label-{arm}", x, y, f"arm {arm}", role, USUAL, "end", arm == best))
        if arm == best:
            draw(Text("best", x, y + LINE * TINY, "best", "truth", TINY, "end"))
        draw(Line(f"line-{arm}", left, line, steps.right, line, "grid"))
        if truths and span:
            axis = axis_of(span, top + tall, top)
            page.shapes += _ribbons(arm, truths, steps, axis)
            for place, value in enumerate(span if tall >= NUMBERED else ()):
                key, x, y = f"reward-{arm}-{place}", steps.right, axis.place(value)
                draw(Line(key, left, y, x, y, "grid", 0.5))
                x, y = x + SPACING, y + LETTERS_DOWN * TINY
                draw(Text(f"{key}-words", x, y, f"{value:.4g}", "quiet", TINY))
        page.shapes += _marks(arm, arms, accepted, steps, line)
    y = rows.bottom + SPACING + LITTLE
    draw(Text("time", MARGIN, y, "t", "quiet", LITTLE))
    for place, (x, number) in enumerate(ticked(steps, 1.0, MARGIN).ticks if n else ()):
        draw(Text(f"step-{place}", x, y, number, "quiet", LITTLE, "middle"))
    name = f"A run of {n} recommendations, {n_yes} of them accepted"
    name += "" if best is None else f"; arm {best} is the best"
    signs = RUN_RESPONSES | (RUN_BELIEFS if truths else {})
    return page.scene(name, signs, rows.bottom + 2 * LINE * LITTLE, rows)


def _ribbons(arm: int, truths: Sequence[HiddenState], steps: Axis, axis: Axis) -> Iterator[Polygon]:
    """Yield an arm's interval, true mean and empirical mean over time; `axis` is vertical."""
    n, n_columns = len(truths), max(int(steps.right - steps.left), 1)
    sampled: Sequence[int] = range(n)  # a run with more steps than pixels draws one step a pixel
    if n > n_columns:
        sampled = [round(at * (n - 1) / (n_columns - 1)) for at in range(n_columns)]
    xs = [steps.left, *(steps.place(step + 1) for step in sampled[1:])]
    known = [truths[step] for step in sampled]
    first = next((at for at, truth in enumerate(known) if truth.counts[arm] > 0), n)
    for role, name, band in (
        ("interval", "her interval", [(t.upper_bounds[arm], t.lower_bounds[arm]) for t in known]),
        ("truth", "true mean", [(t.instance.means[arm],) * 2 for t in known]),
        ("estimate", "mean so far", [(t.estimates[arm],) * 2 for t in known[first:]]),
    ):
        if role == "estimate" and len(band) < 2:
            continue
        half, start = 0.0 if role == "interval" else THIN, len(xs) - len(band)
        edges = [(axis.place(high) - half, axis.place(low) + half) for high, low in band]
        corners = [0]  # the steps at which an edge of the band moves
        for here in range(1, len(edges)):
            last = corners[-1]
            if any(abs(a - b) > MOVED for a, b in zip(edges[here], edges[last], strict=True)):
                corners += [here - 1, here] if last < here - 1 else [here]
        if corners[-1] < len(edges) - 1:
            corners.append(len(edges) - 1)
        above = [(xs[start + here], edges[here][0]) for here in corners]
        below = [(xs[start + here], edges[here][1]) for here in reversed(corners)]
        yield Polygon(f"arm-{arm}-{role}", (*above, *below), role, f"arm {arm}: {name}")


def _marks(
    arm: int, arms: Sequence[int], accepted: Sequence[bool], steps: Axis, y: float
) -> Iterator[Shape]:
    """Yield the responses to an arm: acceptances above the line at `y`, rejections below it.

    In a long run, adjacent responses are drawn as one rectangle.
    """
    unit = (steps.right - steps.left) / steps.high
    for response, role, side in ((True, "accepted", -1), (False, "rejected", 1)):
        mine = [n for n, each in enumerate(arms) if each == arm and accepted[n] is response]
        key, tip = f"arm-{arm}-{role}", y + side * REACH
        if unit >= ROOM_OF_A_MARK:
            for step in mine:
                x, half = steps.place(step + 0.5), min(REACH / 2, 0.4 * ROOM_OF_A_MARK) - 0.3
                name = f"arm {arm}: {role} at t = {step + 1}"
                yield from _response(f"{key}-{step}", response, x, (y + tip) / 2, half, name)
        elif mine:
            gaps = np.flatnonzero((np.diff(mine) - 1) * unit >= 1.0) + 1
            points: list[tuple[float, float]] = []
            for adjacent in np.split(np.array(mine), gaps):
                start = steps.place(adjacent[0])
                wide = max(steps.place(adjacent[-1] + 1) - start, 1.0)
                left = min(start, steps.right - wide)
                points += [(left, y), (left, tip), (left + wide, tip), (left + wide, y)]
            yield Polygon(key, tuple(points), role, f"arm {arm}: {role}")


# An agent's explanation

HEADINGS_HIGH = 2 * LINE * LITTLE + SPACING  # height of the column headings
FLAG_COLUMN, WIDEST_FLAG_COLUMN, LEAST_COLUMN = 64.0, 120.0, 84.0
# The bar of a gauge has at least LEAST_GAUGE of the width, and is GAUGE_HIGH pixels high.
LEAST_GAUGE, GAUGE_HIGH = 0.18, 8.0
DOT, SMALL_DOT = 5.0, 2.0


# A line shows a number or a word. A gauge shows a number and its target. Flags show K booleans.
# Bars show K numbers, with or without targets.
Form = Literal["line", "gauge", "flags", "bars"]


class Slot(NamedTuple):
    """How an agent's panel draws one value of `explain`: as a line or bars, and on which scale."""

    name: str  # of the value
    form: Form  # how the value is drawn
    low: float  # least number of the scale, at most 0
    high: float  # largest number of the scale, above `low`

    def share(self, number: float) -> float:
        """Return the position of a number between `low` and `high`, in [0, 1]."""
        # high - low may overflow to infinity, but high / 2 - low / 2 cannot.
        part = 0.5 if math.isinf(self.high - self.low) else 1.0
        low, high = part * self.low, part * self.high
        number = 0.0 if math.isnan(number) else part * number
        return (min(max(number, low), high) - low) / (high - low)

    @property
    def by_arm(self) -> bool:
        """Whether the value has a number for each arm."""
        return self.form in ("flags", "bars")

    def value_in(self, explanation: Mapping[str, Explained]) -> Explained | None:
        """Return the value `name` of an explanation; None if it is absent or of another length."""
        value = explanation.get(self.name)
        return value if value is not None and words.is_by_arm(value) == self.by_arm else None


def slots_of(explanations: Iterable[Mapping[str, Explained]]) -> list[Slot]:
    """Return a `Slot` for each named value of an agent's explanations, in order of appearance.

    A value that is one number in some explanations and K numbers in others gets two slots.
    """
    by_name: dict[tuple[str, bool], list[Explained]] = {}
    for each in explanations:
        for name, value in each.items():
            by_name.setdefault((name, words.is_by_arm(value)), []).append(value)
    slots = []
    for (name, by_arm), values in by_name.items():
        parts = [
            side for value in values for side in words.sides(value) if not isinstance(side, str)
        ]
        numbers = [n for side in parts for n in (side if by_arm else (side,)) if math.isfinite(n)]
        low, high = min([0.0, *numbers]), max([0.0, *numbers])
        form: Form = "gauge" if any(isinstance(v, Against) for v in values) else "line"
        if by_arm:
            form = "flags" if all(map(words.is_flags, values)) else "bars"
        slots.append(Slot(name, form, low, high if high > low else low + 1.0))
    return slots


class Board(NamedTuple):
    """The layout of an agent's panel, the same in all frames of a film."""

    width: int  # of the panel
    height: int  # of the panel
    facts: dict[Slot, float]  # `y` of the baseline of each line or gauge
    columns: dict[Slot, tuple[float, float]]  # left and right end of each `by_arm` slot
    rows: ArmRows  # the rows of the arms
    labels_end: float | None  # right end of the arms' labels; None without labels


def board_of(
    slots: Sequence[Slot], rows: ArmRows, width: int, height: int = 0, labelled: bool = False
) -> Board:
    """Return the layout of a panel; columns that do not fit into the width are left out.

    Args:
        slots: the slots to draw.
        rows: the rows of the arms in the user's scene, at whose heights the panel draws the arms. A
            labelled panel instead draws the arms below its own lines.
        width: width of the panel, in pixels.
        height: least height of the panel, in pixels.
        labelled: whether the panel stands alone and labels the arms.
    """
    first, step = MARGIN + LARGE + LINE * LARGE, LINE * USUAL
    facts = [slot for slot in slots if not slot.by_arm]
    by_arm = [slot for slot in slots if slot.by_arm]
    if labelled:
        rows = rows._replace(top=first + step * len(facts) + (HEADINGS_HIGH if by_arm else 0.0))
    above = max(0, int((rows.top - HEADINGS_HIGH - first) / step + 1.01))
    below = rows.bottom + LINE * USUAL + SPACING
    if not by_arm:  # no value has a number for each arm
        above, rows = len(facts), rows._replace(arms=()) if labelled else rows
    places = {
        slot: first + step * place if place < above else below + step * (place - above)
        for place, slot in enumerate(facts)
    }
    x, right = MARGIN, width - MARGIN
    if labelled:
        x += _label_room(max(rows.arms, default=0), rows.thin)
    labels_end = x - SPACING if labelled and by_arm else None
    widths: dict[Slot, float] = {}
    for slot in by_arm:
        if slot.form == "flags":
            longest = max((width_of(word, LITTLE, True) for word in slot.name.split()), default=0)
            widths[slot] = min(max(FLAG_COLUMN, longest + 3 * SPACING), WIDEST_FLAG_COLUMN)
    room = right - x - sum(widths.values())
    bars = [slot for slot in by_arm if slot.form == "bars"][: max(1, int(room / LEAST_COLUMN))]
    widths |= dict.fromkeys(bars, room / max(1, len(bars)))
    columns = {}
    for slot in by_arm:
        if slot in widths and x + widths[slot] <= right + 1.0:
            columns[slot] = (x, x + widths[slot] - 2 * SPACING)
            x += widths[slot]
    bottom = max([rows.bottom, *places.values()]) + MARGIN
    return Board(width, max(height, round(bottom)), places, columns, rows, labels_end)


def panel_of(
    explanation: Mapping[str, Any], board: Board, title: str, now: int | None = None
) -> Scene:
    """Return the scene of an agent's explanation: lines, gauges, and a row for each arm.

    Args:
        explanation: the agent's explanation.
        board: the layout.
        title: the agent's name.
        now: the last recommended arm.
    """
    rows, room = board.rows, board.width - 2 * MARGIN
    name = fitted(title, LARGE, room, True)
    shapes: list[Shape] = [
        Rectangle("page", 0, 0, board.width, board.height, "page"),
        Text("title", MARGIN, MARGIN + LARGE, name, "agent", LARGE, bold=True),
    ]
    draw = shapes.append
    if now in rows.arms and board.columns:
        y, x = rows.top + rows.arms.index(now) * rows.height, MARGIN - SPACING
        draw(Rectangle("now", x, y, board.width - 2 * x, rows.height, "recommended"))
    for place, (slot, y) in enumerate(board.facts.items()):
        key, value, free = f"fact-{place}", slot.value_in(explanation), room
        if value is None:
            continue
        parts = (
            words.number_in_words(n) if isinstance(n, float) else n for n in words.sides(value)
        )
        text = f"{slot.name}: {' / '.join(parts)}"
        if isinstance(value, Against):
            longest = max(map(rounded, (slot.low, slot.high)), key=len)
            long = room - SPACING - width_of(f"{slot.name}: {longest} / {longest}", USUAL)
            long = max(LEAST_GAUGE * room, long)
            left, top = MARGIN + room - long, y - LETTERS_DOWN * USUAL - GAUGE_HIGH / 2
            full, mark = long * slot.share(value.value), left + long * slot.share(value.target)
            draw(Rectangle(f"{key}-room", left, top, long, GAUGE_HIGH, "grid"))
            draw(Rectangle(f"{key}-now", left, top, full, GAUGE_HIGH, "agent", text))
            draw(Line(f"{key}-target", mark, top - 3, mark, top + GAUGE_HIGH + 3, "ink", 2.0))
            free -= long + SPACING
        draw(Text(key, MARGIN, y, fitted(text, USUAL, free), "ink", USUAL))
    if board.labels_end is not None:
        shapes += _labels(rows, board.labels_end, "", now)
    for place, (slot, ends) in enumerate(board.columns.items()):
        key, value = f"column-{place}", slot.value_in(explanation)
        lines = wrapped(slot.name, LITTLE, ends[1] - ends[0], 2, bold=True)
        for n, line in enumerate(lines):
            y = rows.top - SPACING - LINE * LITTLE * (len(lines) - 1 - n)
            draw(Text(f"{key}-name-{n}", ends[0], y, line, "quiet", LITTLE, bold=True))
        if value is None:
            continue
        # Draw dots, or bars. A bar has a mark at its target, and its number on the right.
        values, targets = (*words.sides(value), None)[:2]
        reach, high = 0.4 * rows.height, BAR * rows.height
        long = ends[1] - ends[0] - (0.0 if rows.thin else width_of("888.88", LITTLE) + SPACING)
        zero = ends[0] + long * slot.share(0.0)
        for arm, y in rows.middles():
            here, number, text = f"{key}-{arm}", values[arm], words.number_in_words(values[arm])
            name = f"arm {arm}: {slot.name} {text}"
            if slot.form == "flags":
                role, size = ("agent", DOT) if number else ("grid", SMALL_DOT)
                draw(Disc(here, ends[0] + DOT, y, min(size, reach), role, name))
                continue
            end = ends[0] + long * slot.share(number)
            left, right = min(zero, end), max(zero, end)
            draw(Rectangle(here, left, y - high / 2, right - left, high, "agent", name))
            if targets is not None:
                x = ends[0] + long * slot.share(targets[arm])
                draw(Line(f"{here}-target", x, y - reach, x, y + reach, "ink", 2.0))
                right = max(right, x + 1.0)
            if not rows.thin:
                x, y = right + SPACING / 2, y + LETTERS_DOWN * LITTLE
                draw(Text(f"{here}-words", x, y, text, "ink", LITTLE))
    return Scene(board.width, board.height, f"What {title} thinks", tuple(shapes))
