"""A whole run in one picture: her intervals over time, and below each arm its responses."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from explorative_user_env.show.scene import LETTERS_DOWN, span_of
from explorative_user_env.show.shapes import (
    LARGE,
    LARGEST_WIDTH,
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
    Rectangle,
    Scene,
    Shape,
    Sign,
    Text,
    axis_of,
    fitted,
    legend,
    legend_lines,
    response,
    rounded_out,
    ticked,
    width_of,
    wrapped,
)
from explorative_user_env.show.words import brief
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.validation import InvalidArgumentError, count

MOVED = 0.5  # pixels: less is not drawn
ROOM_OF_A_MARK = 6.0
THIN = 0.75  # half of a line's width


class Stretch(NamedTuple):
    """Where the steps of a run stand: `n_steps` of them from `left` to `right`."""

    n_steps: int
    left: float
    right: float

    @property
    def unit(self) -> float:
        """How far a step is."""
        return (self.right - self.left) / max(self.n_steps, 1)

    def place(self, step: float) -> float:
        """Return where a number of steps is over."""
        return self.left + step * self.unit

    def columns(self) -> list[int]:
        """Return the steps to look at: every one, or one a pixel, the last among them."""
        n_columns = max(int(self.right - self.left), 1)
        if self.n_steps <= n_columns:
            return list(range(self.n_steps))
        last = self.n_steps - 1
        return [round(column * last / (n_columns - 1)) for column in range(n_columns)]


def ribbon(
    key: str,
    xs: Sequence[float],
    tops: Sequence[float],
    bottoms: Sequence[float],
    role: str,
    name: str,
) -> Polygon:
    """Return the band between two lines that stay as they are from place to place."""
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


def belief_ribbons(
    arm: int, truths: Sequence[HiddenState], steps: Stretch, axis: Axis
) -> Iterator[Shape]:
    """Return how the interval, the empirical and the true mean of an arm moved.

    Args:
        arm: the arm.
        truths: the truth after each step.
        steps: where the steps stand.
        axis: of rewards, from the bottom upward.
    """
    looked_at = steps.columns()
    xs = [steps.place(step + 1) for step in looked_at]
    xs[0] = steps.left
    known = [truths[step] for step in looked_at]
    highs = [axis.place(truth.upper_bounds[arm]) for truth in known]
    lows = [axis.place(truth.lower_bounds[arm]) for truth in known]
    key = f"arm-{arm}"
    yield ribbon(f"{key}-interval", xs, highs, lows, "interval", f"arm {arm}: her interval")
    means = [axis.place(truth.instance.means[arm]) for truth in known]
    yield _line(f"{key}-truth", xs, means, "truth", f"arm {arm}: true mean")
    first = next((at for at, truth in enumerate(known) if truth.counts[arm] > 0), None)
    if first is not None and first < len(xs) - 1:
        estimates = [axis.place(truth.estimates[arm]) for truth in known[first:]]
        yield _line(f"{key}-estimate", xs[first:], estimates, "estimate", f"arm {arm}: mean so far")


def _line(key: str, xs: Sequence[float], ys: Sequence[float], role: str, name: str) -> Polygon:
    tops, bottoms = [y - THIN for y in ys], [y + THIN for y in ys]
    return ribbon(key, xs, tops, bottoms, role, name)


def response_marks(
    arm: int, arms: Sequence[int], accepted: Sequence[bool], steps: Stretch, y: float, size: float
) -> Iterator[Shape]:
    """Return the responses to an arm: strokes above a line and crosses below it.

    Where a run is too long for them, they are the teeth of a comb, one for all that touch.

    Args:
        arm: the arm.
        arms: the arm of each step.
        accepted: the response of each step.
        steps: where the steps stand.
        y: where the line is.
        size: how far marks reach from it.
    """
    marked = steps.unit >= ROOM_OF_A_MARK
    for said, role, middle in ((True, "accepted", y - size / 2), (False, "rejected", y + size / 2)):
        mine = [step for step, each in enumerate(arms) if each == arm and accepted[step] is said]
        key = f"arm-{arm}-{role}"
        if marked:
            for step in mine:
                x, half = steps.place(step + 0.5), min(size / 2, 0.4 * ROOM_OF_A_MARK) - 0.3
                name = f"arm {arm}: {role} at t = {step + 1}"
                yield from response(f"{key}-{step}", said, x, middle, half, name)
            continue
        if mine:
            end = y - size if said else y + size
            yield _comb(key, _touching(mine, steps), steps, (y, end), (role, f"arm {arm}: {role}"))


def _comb(
    key: str,
    teeth: Sequence[tuple[int, int]],
    steps: Stretch,
    ends: tuple[float, float],
    role_and_name: tuple[str, str],
) -> Polygon:
    """Return teeth from one of two heights to the other, each over some steps."""
    foot, tip = ends
    points: list[tuple[float, float]] = []
    for first, last in teeth:
        wide = max(steps.place(last + 1) - steps.place(first), 1.0)
        left = min(steps.place(first), steps.right - wide)
        points += [(left, foot), (left, tip), (left + wide, tip), (left + wide, foot)]
    return Polygon(key, tuple(points), *role_and_name)


def _touching(mine: Sequence[int], steps: Stretch) -> list[tuple[int, int]]:
    """Return the first and the last of the steps that stand less than a pixel apart."""
    groups: list[tuple[int, int]] = []
    for step in mine:
        if groups and (step - groups[-1][1] - 1) * steps.unit < 1.0:
            groups[-1] = groups[-1][0], step
        else:
            groups.append((step, step))
    return groups


MOST_STRIPS = 25
FEW_STRIPS, TALL, LOW = 8, 58.0, 30.0  # heights of what she believes of an arm
REACH = 6.0  # how far responses reach from their line
NUMBERED = 48.0  # from this height on rewards are numbered
EARLY = 4  # of the first quarter of a run not all of a wide interval is shown

RUN_RESPONSES = (Sign("yes", "yes, above a line"), Sign("no", "no, below it"))
RUN_BELIEFS = (
    Sign("interval", "her interval"),
    Sign("estimate-line", "mean so far"),
    Sign("truth-line", "true mean"),
)


class _Plan(NamedTuple):
    """Where the strips stand: one for each of `shown`, `row` high, `tall` of it her belief."""

    shown: list[int]
    steps: Stretch
    top: float
    row: float
    tall: float

    @property
    def bottom(self) -> float:
        return self.top + self.row * len(self.shown)


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
    """Return what is drawn of a whole run.

    At most 25 arms are shown, those that were recommended most.

    Args:
        n_arms: K.
        arms: the arm of each step.
        accepted: the response of each step.
        truths: the truth after each step; None keeps it secret.
        span: the ends of the axis of rewards; None is what there is to see after the beginning.
        width: in pixels, in 320..4096.
        title: a line above, "" for none.

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
    header = list(_header(n_arms, arms, accepted, width, title))
    top = max(text.y for text in header) + LINE * LITTLE
    plan = _plan(n_arms, arms, best, width, top)
    signs = RUN_RESPONSES + (RUN_BELIEFS if truths else ())
    foot = plan.bottom + SPACING + 2 * LINE * LITTLE + SPACING
    lines = legend_lines(signs, MARGIN, width - MARGIN)
    height = 2 * math.ceil((foot + lines * LINE * LITTLE + MARGIN) / 2)
    shapes: list[Shape] = [Rectangle("page", 0, 0, width, height, "page"), *header]
    shapes += _frame(plan, best)
    if truths:
        shapes += _beliefs(plan, truths, span)
    for row, arm in enumerate(plan.shown):
        y = plan.top + row * plan.row + plan.tall + REACH
        shapes += response_marks(arm, arms, accepted, plan.steps, y, REACH)
    shapes += legend(signs, MARGIN, width - MARGIN, foot + LITTLE)
    return Scene(width, height, _spoken(arms, accepted, best), tuple(shapes))


def _header(
    n_arms: int, arms: Sequence[int], accepted: Sequence[bool], width: int, title: str
) -> Iterator[Text]:
    """Return the words above."""
    room, y = width - 2 * MARGIN, MARGIN
    if title:
        y += LARGE
        yield Text("title", MARGIN, y, fitted(title, LARGE, room, True), "ink", LARGE, bold=True)
        y += (LINE - 1) * LARGE
    yes = sum(accepted)
    told = f"{brief(len(arms))} recommendations · {brief(yes)} accepted"
    told += f" · {brief(len(arms) - yes)} rejected"
    if n_arms > MOST_STRIPS:
        told += f" · {MOST_STRIPS} of {n_arms} arms"
    for place, line in enumerate(wrapped(told, USUAL, room, 3)):
        yield Text(f"facts-{place}", MARGIN, y + USUAL + place * LINE * USUAL, line, "quiet", USUAL)


def _plan(n_arms: int, arms: Sequence[int], best: int | None, width: int, top: float) -> _Plan:
    """Return where the strips stand, and of which arms they are."""
    often = [0] * n_arms
    for arm in arms:
        often[arm] += 1
    first = [] if best is None else [best]
    order = sorted(range(n_arms), key=lambda arm: -often[arm])
    shown = sorted(list(dict.fromkeys([*first, *order]))[:MOST_STRIPS])
    tall = 0.0 if best is None else TALL if len(shown) <= FEW_STRIPS else LOW
    label = width_of(f"arm {'8' * len(str(n_arms - 1))}", USUAL, True)
    numbers = width_of("-888.8", TINY) + SPACING if tall >= NUMBERED else 0.0
    steps = Stretch(len(arms), MARGIN + label + 2 * SPACING, width - MARGIN - numbers)
    return _Plan(shown, steps, top, tall + 2 * REACH + 2 * SPACING, tall)


def _frame(plan: _Plan, best: int | None) -> Iterator[Shape]:
    """Return the arms' names, the lines of the responses, and the steps below."""
    for row, arm in enumerate(plan.shown):
        top = plan.top + row * plan.row
        y = top + plan.tall + REACH
        middle = (top + y) / 2 if plan.tall else y
        stands = middle + LETTERS_DOWN * USUAL
        x = plan.steps.left - SPACING
        role = "truth" if arm == best else "ink"
        yield Text(f"label-{arm}", x, stands, f"arm {arm}", role, USUAL, "end", arm == best)
        if arm == best and plan.tall:
            words = stands + LINE * TINY
            yield Text("best", x, words, "best", "truth", TINY, "end")
        yield Line(f"line-{arm}", plan.steps.left, y, plan.steps.right, y, "grid")
    stands = plan.bottom + SPACING + LITTLE
    yield Text("time", MARGIN, stands, "t", "quiet", LITTLE)
    steps = plan.steps
    if steps.n_steps:
        axis = Axis(0.0, float(steps.n_steps), steps.left, steps.right, ())
        for place, (over, number) in enumerate(ticked(axis, 1.0, MARGIN).ticks):
            yield Text(f"step-{place}", over, stands, number, "quiet", LITTLE, "middle")


def _beliefs(
    plan: _Plan, truths: Sequence[HiddenState], span: tuple[float, float] | None
) -> Iterator[Shape]:
    """Return what she believed of each arm, all on the same rewards."""
    ends = span or rounded_out(span_of(truths[len(truths) // EARLY :], plan.shown))
    numbered = plan.tall >= NUMBERED
    for row, arm in enumerate(plan.shown):
        top = plan.top + row * plan.row
        axis = axis_of(ends, top + plan.tall, top)
        yield from belief_ribbons(arm, truths, plan.steps, axis)
        if numbered:
            yield from _numbers(plan, axis, ends, arm)


def _numbers(plan: _Plan, axis: Axis, ends: tuple[float, float], arm: int) -> Iterator[Shape]:
    """Return the least and the largest reward beside a strip."""
    for place, value in enumerate(ends):
        y = axis.place(value)
        text = f"{value:.4g}"
        x = plan.steps.right
        yield Line(f"reward-{arm}-{place}", plan.steps.left, y, x, y, "grid", 0.5)
        stands = y + LETTERS_DOWN * TINY
        yield Text(f"reward-{arm}-{place}-words", x + SPACING, stands, text, "quiet", TINY)


def _spoken(arms: Sequence[int], accepted: Sequence[bool], best: int | None) -> str:
    """Return what somebody hears who does not see the picture."""
    said = f"A run of {len(arms)} recommendations, {sum(accepted)} of them accepted"
    return said if best is None else f"{said}; arm {best} is the best"
