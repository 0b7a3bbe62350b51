"""What a user believes: her interval of each arm and the truth, on one axis of rewards."""

import math
from collections.abc import Iterator, Sequence

from explorative_user_env.rendering.axis import Axis, axis_of, rounded_out
from explorative_user_env.rendering.layout import LITTLE, SPACING, Layout, Shown, words_beside
from explorative_user_env.rendering.marks import STROKE, arrow, diamond
from explorative_user_env.rendering.responses import LETTERS_DOWN, labels
from explorative_user_env.rendering.shapes import Disc, Line, Rectangle, Shape, Text, width_of
from explorative_user_env.rendering.words import Grounds, rounded
from explorative_user_env.users.hidden_state import HiddenState

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
