"""A whole run in one picture: her intervals over time, and below each arm its responses."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from explorative_user_env.show.scene import span_of
from explorative_user_env.show.shapes import (
    LARGE,
    LARGEST_WIDTH,
    LETTERS_DOWN,
    LINE,
    LITTLE,
    MARGIN,
    SMALLEST_WIDTH,
    SPACING,
    TINY,
    USUAL,
    USUAL_WIDTH,
    Axis,
    Line,
    Polygon,
    Rows,
    Scene,
    Shape,
    Text,
    axis_of,
    fitted,
    response,
    rounded_out,
    ticked,
    width_of,
    with_legend,
    wrapped,
)
from explorative_user_env.show.words import brief
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.validation import InvalidArgumentError, count

MOVED = 0.5  # pixels: a smaller move is not drawn
ROOM_OF_A_MARK = 6.0
THIN = 0.75  # half of a line's width
MOST_STRIPS = 25
FEW_STRIPS, TALL, LOW = 8, 58.0, 30.0  # heights of what she believes of an arm
REACH = 6.0  # how far responses reach from their line
NUMBERED = 48.0  # from this height on rewards are numbered
EARLY = 4  # wide intervals of the first quarter of a run are cut off
RUN_RESPONSES = {"yes": "yes, above a line", "no": "no, below it"}
RUN_BELIEFS = {
    "interval": "her interval",
    "estimate-line": "mean so far",
    "truth-line": "true mean",
}


class _Steps(NamedTuple):
    """Where the steps of a run stand: `n` of them from `left` to `right`."""

    n: int
    left: float
    right: float

    @property
    def unit(self) -> float:
        return (self.right - self.left) / max(self.n, 1)

    def place(self, step: float) -> float:
        """Return the place at which a number of steps is over."""
        return self.left + step * self.unit


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
    truths = truths or None  # before the first step there is nothing to reveal
    best = truths[-1].instance.best_arm if truths else None
    shapes: list[Shape] = []
    room, y, n_yes = width - 2 * MARGIN, MARGIN, sum(accepted)
    if title:
        words = fitted(title, LARGE, room, True)
        shapes.append(Text("title", MARGIN, y + LARGE, words, "ink", LARGE, bold=True))
        y += LINE * LARGE
    told = f"{brief(len(arms))} recommendations · {brief(n_yes)} accepted"
    told += f" · {brief(len(arms) - n_yes)} rejected"
    told += f" · {MOST_STRIPS} of {n_arms} arms" if n_arms > MOST_STRIPS else ""
    for place, line in enumerate(wrapped(told, USUAL, room, 3)):
        y += USUAL if place == 0 else LINE * USUAL
        shapes.append(Text(f"facts-{place}", MARGIN, y, line, "quiet", USUAL))
    often = [0] * n_arms
    for arm in arms:
        often[arm] += 1
    order = sorted(range(n_arms), key=lambda arm: (arm != best, -often[arm]))
    shown = tuple(sorted(order[:MOST_STRIPS]))
    tall = 0.0 if best is None else TALL if len(shown) <= FEW_STRIPS else LOW
    rows = Rows(shown, y + LINE * LITTLE, tall + 2 * REACH + 2 * SPACING)
    label = width_of(f"arm {'8' * len(str(n_arms - 1))}", USUAL, True)
    numbers = width_of("-888.8", TINY) + SPACING if tall >= NUMBERED else 0.0
    steps = _Steps(len(arms), MARGIN + label + 2 * SPACING, width - MARGIN - numbers)
    shapes += _frame(rows, steps, tall, best)
    if truths:
        ends = span or rounded_out(span_of(truths[len(truths) // EARLY :], shown))
        for arm, middle in rows.middles():
            top = middle - rows.height / 2
            shapes += _beliefs(arm, truths, steps, axis_of(ends, top + tall, top), ends)
    for arm, middle in rows.middles():
        y = middle - rows.height / 2 + tall + REACH
        shapes += _responses(arm, arms, accepted, steps, y)
    name = f"A run of {len(arms)} recommendations, {n_yes} of them accepted"
    name += "" if best is None else f"; arm {best} is the best"
    signs = RUN_RESPONSES | (RUN_BELIEFS if truths else {})
    return with_legend(width, name, shapes, signs, rows.bottom + 2 * LINE * LITTLE, rows)


def _frame(rows: Rows, steps: _Steps, tall: float, best: int | None) -> Iterator[Shape]:
    """Yield the arms' names, the lines of the responses, and the numbers of steps below."""
    for arm, middle in rows.middles():
        top = middle - rows.height / 2
        y = top + tall + REACH
        x, stands = steps.left - SPACING, ((top + y) / 2 if tall else y) + LETTERS_DOWN * USUAL
        role = "truth" if arm == best else "ink"
        yield Text(f"label-{arm}", x, stands, f"arm {arm}", role, USUAL, "end", arm == best)
        if arm == best and tall:
            yield Text("best", x, stands + LINE * TINY, "best", "truth", TINY, "end")
        yield Line(f"line-{arm}", steps.left, y, steps.right, y, "grid")
    stands = rows.bottom + SPACING + LITTLE
    yield Text("time", MARGIN, stands, "t", "quiet", LITTLE)
    if steps.n:
        axis = ticked(Axis(0.0, float(steps.n), steps.left, steps.right), 1.0, MARGIN)
        for place, (x, number) in enumerate(axis.ticks):
            yield Text(f"step-{place}", x, stands, number, "quiet", LITTLE, "middle")


def _beliefs(
    arm: int,
    truths: Sequence[HiddenState],
    steps: _Steps,
    axis: Axis,
    ends: tuple[float, float],
) -> Iterator[Shape]:
    """Yield how the interval, the empirical and the true mean of an arm moved; `axis` is upward."""
    looked_at = list(range(steps.n))  # every step, or one a pixel
    n_columns = max(int(steps.right - steps.left), 1)
    if steps.n > n_columns:
        looked_at = [round(at * (steps.n - 1) / (n_columns - 1)) for at in range(n_columns)]
    xs = [steps.left, *(steps.place(step + 1) for step in looked_at[1:])]
    known = [truths[step] for step in looked_at]
    highs = [axis.place(truth.upper_bounds[arm]) for truth in known]
    lows = [axis.place(truth.lower_bounds[arm]) for truth in known]
    key, name = f"arm-{arm}", f"arm {arm}:"
    yield _ribbon(f"{key}-interval", xs, highs, lows, "interval", f"{name} her interval")
    ys = [axis.place(truth.instance.means[arm]) for truth in known]
    tops, bottoms = [y - THIN for y in ys], [y + THIN for y in ys]
    yield _ribbon(f"{key}-truth", xs, tops, bottoms, "truth", f"{name} true mean")
    first = next((at for at, truth in enumerate(known) if truth.counts[arm] > 0), len(xs))
    if first < len(xs) - 1:
        ys = [axis.place(truth.estimates[arm]) for truth in known[first:]]
        tops, bottoms = [y - THIN for y in ys], [y + THIN for y in ys]
        said = f"{name} mean so far"
        yield _ribbon(f"{key}-estimate", xs[first:], tops, bottoms, "estimate", said)
    if axis.left - axis.right >= NUMBERED:
        for place, value in enumerate(ends):
            y, x = axis.place(value), steps.right
            yield Line(f"reward-{arm}-{place}", steps.left, y, x, y, "grid", 0.5)
            stands, words = y + LETTERS_DOWN * TINY, f"{value:.4g}"
            yield Text(f"reward-{arm}-{place}-words", x + SPACING, stands, words, "quiet", TINY)


def _ribbon(
    key: str,
    xs: Sequence[float],
    tops: Sequence[float],
    bottoms: Sequence[float],
    role: str,
    name: str,
) -> Polygon:
    """Return the band between two lines that are level from place to place."""
    kept = [0]
    for here in range(1, len(xs)):
        last = kept[-1]
        if abs(tops[here] - tops[last]) > MOVED or abs(bottoms[here] - bottoms[last]) > MOVED:
            kept += [here - 1, here] if last < here - 1 else [here]
    if kept[-1] < len(xs) - 1:
        kept.append(len(xs) - 1)
    above = [(xs[here], tops[here]) for here in kept]
    below = [(xs[here], bottoms[here]) for here in reversed(kept)]
    return Polygon(key, (*above, *below), role, name)


def _responses(
    arm: int, arms: Sequence[int], accepted: Sequence[bool], steps: _Steps, y: float
) -> Iterator[Shape]:
    """Yield the responses to an arm: strokes above the line at `y` and crosses below it.

    In a run too long for signs they are the teeth of a comb, one for all that touch.
    """
    for said, role, side in ((True, "accepted", -1), (False, "rejected", 1)):
        mine = [step for step, each in enumerate(arms) if each == arm and accepted[step] is said]
        key, tip = f"arm-{arm}-{role}", y + side * REACH
        if steps.unit >= ROOM_OF_A_MARK:
            for step in mine:
                x, half = steps.place(step + 0.5), min(REACH / 2, 0.4 * ROOM_OF_A_MARK) - 0.3
                name = f"arm {arm}: {role} at t = {step + 1}"
                yield from response(f"{key}-{step}", said, x, (y + tip) / 2, half, name)
        elif mine:
            teeth: list[tuple[int, int]] = []
            for step in mine:
                touches = teeth and (step - teeth[-1][1] - 1) * steps.unit < 1.0
                first = teeth.pop()[0] if touches else step
                teeth.append((first, step))
            points: list[tuple[float, float]] = []
            for first, last in teeth:
                wide = max(steps.place(last + 1) - steps.place(first), 1.0)
                left = min(steps.place(first), steps.right - wide)
                points += [(left, y), (left, tip), (left + wide, tip), (left + wide, y)]
            yield Polygon(key, tuple(points), role, f"arm {arm}: {role}")
