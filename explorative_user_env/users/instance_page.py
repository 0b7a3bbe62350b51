"""An instance as a notebook shows it: a table of its arms."""

from collections.abc import Sequence

from explorative_user_env.display.html import html_table, paragraphs
from explorative_user_env.display.tables import new_table

ARMS_SHOWN = 100
"""Arms that have a row, at most; the best has one in any case."""


def instance_page(means: Sequence[float], best_arm: int) -> str:
    """Return a table of arms, their means and which is the best, in the colours of the page.

    Args:
        means: mu_i, one for each arm.
        best_arm: the index of the largest.
    """
    table = new_table(("arm", "mean", ""), left=("",))
    for arm in sorted({*range(min(len(means), ARMS_SHOWN)), best_arm}):
        table.add_row(str(arm), f"{means[arm]:.3f}", "best" if arm == best_arm else "")
    hidden = len(means) - table.row_count
    return html_table(table) + paragraphs([f"{hidden} more arms."] if hidden else [])
