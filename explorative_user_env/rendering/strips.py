"""One arm of a whole run: how her interval moved, and each response."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from explorative_user_env.rendering.axis import Axis
from explorative_user_env.rendering.marks import response
from explorative_user_env.rendering.shapes import Polygon, Shape
from explorative_user_env.users.hidden_state import HiddenState

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
