"""A whole run in one picture: her intervals over time, and below each arm its responses."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from explorative_user_env.rendering.axis import Axis, axis_of, rounded_out, ticked
from explorative_user_env.rendering.beliefs import span_of
from explorative_user_env.rendering.layout import (
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
    fitted,
    wrapped,
)
from explorative_user_env.rendering.marks import Sign, legend, legend_lines
from explorative_user_env.rendering.responses import LETTERS_DOWN
from explorative_user_env.rendering.shapes import Line, Rectangle, Scene, Shape, Text, width_of
from explorative_user_env.rendering.strips import Stretch, belief_ribbons, response_marks
from explorative_user_env.rendering.words import brief
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.validation import InvalidArgumentError, count

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
