"""A user as pictures: at a moment, also as text, and a whole run; secrets only if asked for."""

import math
from collections.abc import Iterable, Iterator, Sequence
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
    TINY,
    USUAL,
    USUAL_WIDTH,
    ArmRows,
    Axis,
    Disc,
    Line,
    Polygon,
    Rectangle,
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
    ticked,
    width_of,
    with_legend,
    wrapped,
)
from explorative_user_env.show.words import Grounds, Seen, brief, in_a_word, rounded
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.validation import InvalidArgumentError, count

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


class _Moment(NamedTuple):
    """What is drawn of a user: `special` arms matter now, the most important first."""

    seen: Seen
    hidden: HiddenState | None
    grounds: Grounds | None
    now: int | None
    special: list[int]


class _Panel(NamedTuple):
    """A part of the picture: its heading, its rows, and the place of its bars or its axis."""

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
    grounds = words.grounds_of(seen, decided) if hidden is not None else None
    now = None if seen.last is None else seen.last[0]
    best = None if hidden is None else hidden.instance.best_arm
    matter = dict.fromkeys((now, None if grounds is None else grounds.witness, best))
    moment = _Moment(seen, hidden, grounds, now, [arm for arm in matter if arm is not None])
    n_arms = len(seen.accepted)
    arms: Sequence[int] = range(n_arms)
    if n_arms > MOST_ROWS:
        often = sorted(arms, key=lambda arm: -(seen.accepted[arm] + seen.rejected[arm]))
        arms = sorted([*dict.fromkeys([*moment.special, *often])][:MOST_ROWS])
    shapes, y = _written(_header(moment, width, title, note), width)
    panels = _panels(n_arms, tuple(arms), y + SPACING + USUAL, width, hidden is not None)
    for place, panel in enumerate(panels if seen.last is not None else ()):
        high, left = panel.rows.height, panel.left - SPACING
        name = f"arm {now}: {in_a_word(seen.last[1])} now" if seen.last is not None else ""
        y = panel.rows.middle(moment.special[0]) - high / 2
        wide = panel.right + SPACING - left
        shapes.append(Rectangle(f"now-{place}", left, y, wide, high, "recommended", name))
    shapes += _responses(moment, panels[0])
    bottom = panels[-1].rows.bottom
    if hidden is not None:
        axis = axis_of(span or rounded_out(span_of([hidden], arms)), *panels[1][-2:])
        shapes += _beliefs(moment, hidden, panels[1], axis)
        bottom += SPACING + LINE * LITTLE
    signs = RESPONSES if hidden is None else RESPONSES | BELIEFS
    name = words.spoken(seen, grounds)
    return with_legend(width, name, shapes, signs, bottom, panels[0].rows)


_Words = tuple[str, str, str, float, int]
"""The key, words, colour and size of a text above, and how many lines it has room for."""


def _written(header: Iterable[_Words], width: int) -> tuple[list[Shape], float]:
    """Return the texts above a picture, and where they end."""
    shapes: list[Shape] = []
    y = MARGIN
    for key, text, role, size, most in header:
        bold = size == LARGE
        lines = wrapped(text, size, width - 2 * MARGIN, most, bold) if text else []
        for place, line in enumerate(lines):
            stands = y + (place * LINE + 1) * size
            shapes.append(Text(f"{key}-{place}", MARGIN, stands, line, role, size, bold=bold))
        y += LINE * size * most
    return shapes, y


def _header(moment: _Moment, width: int, title: str, note: str) -> Iterator[_Words]:
    """Yield the texts above: their room does not depend on any number in them."""
    seen, hidden, grounds = moment[:3]
    room, n_arms = width - 2 * MARGIN, len(seen.accepted)
    if title:
        yield "title", title, "ink", LARGE, 1
    longest = words.longest_headline(n_arms) if hidden is not None else ""
    most = len(wrapped(longest, LARGE, room, 9, True))
    role = "quiet" if seen.last is None else in_a_word(seen.last[1])
    yield "headline", words.headline(seen, grounds), role, LARGE, most
    widest = "t = 888888 · n(t) = 888888 · Gamma = 8888.88 · rho_t = 8.88"
    some = f" · {MOST_ROWS} of {n_arms} arms" if n_arms > MOST_ROWS else ""
    most = min(2, len(wrapped(widest + some, USUAL, room, 9)))
    yield "facts", words.facts(seen, hidden) + some, "quiet", USUAL, most
    if hidden is not None:
        role = "quiet" if grounds is None or grounds.witness is None else "witness"
        yield "reason", "" if grounds is None else words.numbers_compared(grounds), role, USUAL, 1
    if note:
        yield "note", note, "ink", USUAL, 1 if width >= SIDE_BY_SIDE else 2


def _panels(
    n_arms: int, arms: tuple[int, ...], heading: float, width: int, revealed: bool
) -> list[_Panel]:
    """Return where we see and, beside it or below, where she believes; `heading` is a baseline."""
    high = 34.0 if n_arms <= 8 else 26.0
    if n_arms > MOST_LABELLED:
        high = float(int(min(max(800.0 / len(arms), 8.0), 16.0)))
    rows = ArmRows(arms, heading + LINE * LITTLE + SPACING, high)
    left, right, beside = MARGIN, width - MARGIN, width >= SIDE_BY_SIDE
    end = left + SHARE_SEEN * (right - left) if revealed and beside else right
    start = left + label_room(n_arms - 1, rows.thin)
    panels = [_Panel(left, end, heading, rows, start + 2 * (MARK + SPACING), end)]
    room = right - sum(_columns(n_arms, rows))
    if revealed and beside:
        panels.append(_Panel(end + GUTTER, right, heading, rows, end + GUTTER, room))
    elif revealed:
        below = rows.bottom + GUTTER + USUAL
        panels.append(_Panel(left, right, below, rows._replace(top=below + SPACING), start, room))
    return panels


def _columns(n_arms: int, rows: ArmRows) -> list[float]:
    """Return the widths of the columns that name the best arm and the witness."""
    number = " " + "8" * len(str(n_arms - 1)) if rows.thin else ""
    return [width_of(word + number, LITTLE) + SPACING for word in ("best", "witness")]


def _responses(moment: _Moment, panel: _Panel) -> Iterator[Shape]:
    """Yield what we see: of each arm its last response, acceptances and rejections."""
    seen, rows, middle = moment.seen, panel.rows, (panel.start + panel.end) / 2
    stands = rows.top - SPACING
    yield Text("seen", panel.left, panel.heading, "what we see", "ink", LITTLE, bold=True)
    yield Text("no", middle - SPACING, stands, "rejected", "rejected", LITTLE, "end")
    yield Text("yes", middle + SPACING, stands, "accepted", "accepted", LITTLE)
    x = panel.start - 3 * SPACING - 2 * MARK
    yield from labels(rows, x, "seen-", moment.now, moment.special)
    yield Line("bars", middle, rows.top, middle, rows.bottom, "grid")
    longest = (panel.end - panel.start) / 2
    longest -= 0.0 if rows.thin else width_of("888888", LITTLE) + SPACING
    largest = max(max(seen.accepted[arm], seen.rejected[arm]) for arm in rows.arms)
    unit = longest / round_step(max(largest, LEAST_SCALE))
    high = BAR * rows.height
    for arm, y in rows.middles():
        latest = seen.latest[arm]
        if latest is not None:
            name, size = f"arm {arm}: {in_a_word(latest)}", min(MARK, 0.4 * rows.height)
            x = panel.start - MARK - SPACING
            yield from response(f"arm-{arm}-last", latest, x, y, size, name)
        for counts, side, role in ((seen.accepted, 1, "accepted"), (seen.rejected, -1, "rejected")):
            key, n = f"arm-{arm}-{role}", counts[arm]
            long = n * unit
            left = middle if side > 0 else middle - long
            yield Rectangle(key, left, y - high / 2, long, high, role, f"arm {arm}: {n} {role}")
            if not rows.thin:
                x, stands = middle + side * (long + SPACING / 2), y + LETTERS_DOWN * LITTLE
                role = "ink" if n else "quiet"
                anchor: Any = "start" if side > 0 else "end"
                yield Text(f"{key}-count", x, stands, brief(n), role, LITTLE, anchor)


def _beliefs(moment: _Moment, hidden: HiddenState, panel: _Panel, axis: Axis) -> Iterator[Shape]:
    """Yield what she believes: her interval and means of each arm, and what decided."""
    rows, grounds = panel.rows, moment.grounds
    heading, size = "what she believes", min(LARGEST_SIGN, 0.4 * rows.height)
    yield Text("believed", panel.left, panel.heading, heading, "ink", LITTLE, bold=True)
    for place, (x, number) in enumerate(axis.ticks):
        yield Line(f"tick-{place}", x, rows.top, x, rows.bottom, "grid")
        y = rows.bottom + SPACING + LITTLE
        yield Text(f"tick-{place}-words", x, y, number, "quiet", LITTLE, "middle")
    if panel.start > panel.left:
        yield from labels(rows, panel.start - SPACING, "believed-", moment.now, moment.special)
    for arm, y in rows.middles():
        low, high = hidden.lower_bounds[arm], hidden.upper_bounds[arm]
        left, right, half = axis.place(low), axis.place(high), BAND * rows.height / 2
        said = "no reward of it yet" if low == -math.inf else f"{rounded(low)} to {rounded(high)}"
        key, name = f"arm-{arm}-interval", f"arm {arm}: {said}"
        yield Rectangle(key, left, y - half, right - left, 2 * half, "interval", name)
        ends = (("low", left, low < axis.low, -size), ("high", right, high > axis.high, size))
        for end, x, beyond, tip in ends:
            if beyond:
                yield arrow(f"{key}-{end}-on", x, y, tip, "quiet")
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
            name, x = f"arm {arm}: true mean {rounded(mean)}", axis.place(mean)
            yield diamond(f"arm-{arm}-truth", x, y, 1.2 * size, "truth", name)
        if hidden.counts[arm] > 0 and axis.low <= estimate <= axis.high:
            name, x = f"arm {arm}: mean so far {rounded(estimate)}", axis.place(estimate)
            yield Disc(f"arm-{arm}-estimate", x, y, 0.7 * size, "estimate", name)
    for key, word, arm, role, x in tags:
        y = rows.middle(arm) + LETTERS_DOWN * LITTLE
        yield Text(key, x, y, f"{word} {arm}" if rows.thin else word, role, LITTLE)


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
    word = "no recommendation yet" if seen.last is None else in_a_word(seen.last[1])
    return "\n".join([*lines, recommended + word])


MOST_STRIPS = 25
FEW_STRIPS, TALL, LOW = 8, 58.0, 30.0  # heights of what she believes of an arm
REACH = 6.0  # how far responses reach from their line
NUMBERED = 48.0  # from this height on rewards are numbered
EARLY = 4  # wide intervals of the first quarter of a run are cut off
MOVED, THIN = 0.5, 0.75  # pixels: a smaller move is not drawn; half of a line's width
ROOM_OF_A_MARK = 6.0
RUN_RESPONSES = {"yes": "yes, above a line", "no": "no, below it"}
RUN_BELIEFS = {
    "interval": "her interval",
    "estimate-line": "mean so far",
    "truth-line": "true mean",
}


def timeline(
    n_arms: int,
    arms: Sequence[int],
    accepted: Sequence[bool],
    truths: Sequence[HiddenState] | None = None,
    *,
    span: tuple[float, float] | None = None,
    width: int = USUAL_WIDTH,
    title: str = "",
) -> Scene:
    """Return the picture of a whole run.

    At most 25 arms are shown, those that were recommended most.

    Args:
        n_arms: K.
        arms: the arm of each step.
        accepted: the response of each step.
        truths: the truth after each step; None keeps it secret.
        span: the ends of the axis of rewards; None fits what follows the beginning.
        width: in pixels, in 320..4096.
        title: a line above.

    Raises:
        InvalidArgumentError: for a width out of range, or for steps that do not fit together.
    """
    count("width", width, SMALLEST_WIDTH, LARGEST_WIDTH)
    for name, given in (("accepted", accepted), ("truths", truths)):
        if given is not None and len(given) != len(arms):
            allowed = f"one for each of {len(arms)} steps"
            raise InvalidArgumentError(name, f"{len(given)} of them", allowed)
    best = truths[-1].instance.best_arm if truths else None
    n, n_yes = len(arms), sum(accepted)
    told = f"{brief(n)} recommendations · {brief(n_yes)} accepted · {brief(n - n_yes)} rejected"
    told += f" · {MOST_STRIPS} of {n_arms} arms" if n_arms > MOST_STRIPS else ""
    header = [("title", title, "ink", LARGE, 1)] if title else []
    lines = len(wrapped(told, USUAL, width - 2 * MARGIN, 3))
    shapes, y = _written([*header, ("facts", told, "quiet", USUAL, lines)], width)
    often = [0] * n_arms
    for arm in arms:
        often[arm] += 1
    order = sorted(range(n_arms), key=lambda arm: (arm != best, -often[arm]))
    shown = tuple(sorted(order[:MOST_STRIPS]))
    tall = 0.0 if best is None else TALL if len(shown) <= FEW_STRIPS else LOW
    rows = ArmRows(shown, y + 2 * SPACING, tall + 2 * REACH + 2 * SPACING)
    left = MARGIN + width_of(f"arm {'8' * len(str(n_arms - 1))}", USUAL, True) + 2 * SPACING
    numbers = width_of("-888.8", TINY) + SPACING if tall >= NUMBERED else 0.0
    steps = Axis(0.0, float(max(n, 1)), left, width - MARGIN - numbers)
    if truths:
        span = span or rounded_out(span_of(truths[n // EARLY :], shown))
    for arm, middle in rows.middles():
        top = middle - rows.height / 2
        line = top + tall + REACH
        y = ((top + line) / 2 if tall else line) + LETTERS_DOWN * USUAL
        role, x = "truth" if arm == best else "ink", left - SPACING
        shapes.append(Text(f"label-{arm}", x, y, f"arm {arm}", role, USUAL, "end", arm == best))
        if arm == best:
            shapes.append(Text("best", x, y + LINE * TINY, "best", "truth", TINY, "end"))
        shapes.append(Line(f"line-{arm}", left, line, steps.right, line, "grid"))
        if truths and span:
            axis = axis_of(span, top + tall, top)
            shapes += _ribbons(arm, truths, steps, axis)
            for place, value in enumerate(span if tall >= NUMBERED else ()):
                key, x, y = f"reward-{arm}-{place}", steps.right, axis.place(value)
                number, stands = f"{value:.4g}", y + LETTERS_DOWN * TINY
                shapes.append(Line(key, left, y, x, y, "grid", 0.5))
                words_key = f"{key}-words"
                shapes.append(Text(words_key, x + SPACING, stands, number, "quiet", TINY))
        shapes += _marks(arm, arms, accepted, steps, line)
    y = rows.bottom + SPACING + LITTLE
    shapes.append(Text("time", MARGIN, y, "t", "quiet", LITTLE))
    for place, (x, number) in enumerate(ticked(steps, 1.0, MARGIN).ticks if n else ()):
        shapes.append(Text(f"step-{place}", x, y, number, "quiet", LITTLE, "middle"))
    name = f"A run of {n} recommendations, {n_yes} of them accepted"
    name += "" if best is None else f"; arm {best} is the best"
    signs = RUN_RESPONSES | (RUN_BELIEFS if truths else {})
    return with_legend(width, name, shapes, signs, rows.bottom + 2 * LINE * LITTLE, rows)


def _ribbons(arm: int, truths: Sequence[HiddenState], steps: Axis, axis: Axis) -> Iterator[Polygon]:
    """Yield how the interval, the true and the empirical mean of an arm moved; `axis` is upward."""
    n, n_columns = len(truths), max(int(steps.right - steps.left), 1)
    looked_at: Sequence[int] = range(n)  # every step, or one a pixel
    if n > n_columns:
        looked_at = [round(at * (n - 1) / (n_columns - 1)) for at in range(n_columns)]
    xs = [steps.left, *(steps.place(step + 1) for step in looked_at[1:])]
    known = [truths[step] for step in looked_at]
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
        kept = [0]  # places between which the edges are level
        for here in range(1, len(edges)):
            last = kept[-1]
            if any(abs(a - b) > MOVED for a, b in zip(edges[here], edges[last], strict=True)):
                kept += [here - 1, here] if last < here - 1 else [here]
        if kept[-1] < len(edges) - 1:
            kept.append(len(edges) - 1)
        above = [(xs[start + here], edges[here][0]) for here in kept]
        below = [(xs[start + here], edges[here][1]) for here in reversed(kept)]
        yield Polygon(f"arm-{arm}-{role}", (*above, *below), role, f"arm {arm}: {name}")


def _marks(
    arm: int, arms: Sequence[int], accepted: Sequence[bool], steps: Axis, y: float
) -> Iterator[Shape]:
    """Yield the responses to an arm: strokes above the line at `y` and crosses below it.

    In a run too long for signs they are the teeth of a comb, one for all that touch.
    """
    unit = (steps.right - steps.left) / steps.high
    for said, role, side in ((True, "accepted", -1), (False, "rejected", 1)):
        mine = [step for step, each in enumerate(arms) if each == arm and accepted[step] is said]
        key, tip = f"arm-{arm}-{role}", y + side * REACH
        if unit >= ROOM_OF_A_MARK:
            for step in mine:
                x, half = steps.place(step + 0.5), min(REACH / 2, 0.4 * ROOM_OF_A_MARK) - 0.3
                name = f"arm {arm}: {role} at t = {step + 1}"
                yield from response(f"{key}-{step}", said, x, (y + tip) / 2, half, name)
        elif mine:
            teeth: list[tuple[int, int]] = []
            for step in mine:
                touches = teeth and (step - teeth[-1][1] - 1) * unit < 1.0
                teeth.append((teeth.pop()[0] if touches else step, step))
            points: list[tuple[float, float]] = []
            for first, last in teeth:
                wide = max(steps.place(last + 1) - steps.place(first), 1.0)
                left = min(steps.place(first), steps.right - wide)
                points += [(left, y), (left, tip), (left + wide, tip), (left + wide, y)]
            yield Polygon(key, tuple(points), role, f"arm {arm}: {role}")
