"""An environment as text: what the system has seen and, only if asked for, what she thinks."""

import math
from collections.abc import Sequence

from explorative_user_env.users.hidden_state import HiddenState

BAR_WIDTH = 36


def text_of_user(
    history: Sequence[Sequence[int]],
    last: tuple[int, bool] | None,
    hidden: HiddenState | None,
) -> str:
    """Return a table of the arms.

    Args:
        history: [acceptances, rejections] of each arm.
        last: the last recommendation and whether it was accepted, None before the first.
        hidden: the user's intervals to draw, None to keep them secret.
    """
    lines = ["arm  accepted  rejected" + ("" if hidden is None else "  " + _axis_title(hidden))]
    for arm, (accepted, rejected) in enumerate(history):
        line = f"{arm:>3}  {accepted:>8}  {rejected:>8}"
        if hidden is not None:
            line += f"  {_interval(hidden, arm)}"
        lines.append(line)
    if last is None:
        lines.append("no recommendation yet")
    else:
        lines.append(f"last: arm {last[0]} {'accepted' if last[1] else 'rejected'}")
    return "\n".join(lines)


def _range(hidden: HiddenState) -> tuple[float, float]:
    """The stretch of rewards to draw: all finite bounds and true means."""
    bounds = [*hidden.lower_bounds, *hidden.upper_bounds, *hidden.instance.means]
    finite = [bound for bound in bounds if math.isfinite(bound)]
    low, high = min(finite), max(finite)
    return low, high if high > low else low + 1.0


def _axis_title(hidden: HiddenState) -> str:
    low, high = _range(hidden)
    return f"interval from {low:.2f} to {high:.2f} (o estimate, * true mean)"


def _interval(hidden: HiddenState, arm: int) -> str:
    low, high = _range(hidden)

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
