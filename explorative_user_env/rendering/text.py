"""An environment as text: what the system has seen and, only if asked for, what she thinks."""

from explorative_user_env.rendering.beliefs import span_of
from explorative_user_env.rendering.words import Seen, in_a_word
from explorative_user_env.users.hidden_state import HiddenState

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
            line += f"  {_interval(hidden, arm, ends)}"
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


def _interval(hidden: HiddenState, arm: int, ends: tuple[float, float]) -> str:
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
