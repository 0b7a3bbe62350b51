"""Comparisons as tables a person can read."""

import math
from collections.abc import Mapping, Sequence

from rich.table import Table

from explorative_user_env.display.numbers import share
from explorative_user_env.display.tables import new_table
from explorative_user_env.results.paired import (
    AS_MEANS,
    AS_PROBABILITY,
    AS_SHARES,
    PairedDifference,
)

PAIRED_LEGEND = (
    "Same users; differences are first minus second. P: that the first has less with a user, ties "
    "count half. p: of means by the t-test behind their intervals, of shares and P by McNemar's "
    "exact test."
)

SIGNS = {AS_MEANS: "+.1f", AS_SHARES: "+.3f"}
"""How a difference of each kind is written."""


def comparison_table(
    first: str, second: str, differences: Sequence[PairedDifference], level: float
) -> Table:
    """Return a row a figure, both agents' beside each other.

    Args:
        first: the first agent's name.
        second: the second agent's.
        differences: the figures.
        level: of their intervals.
    """
    heading = f"difference [{100.0 * level:.3g}%]"
    table = new_table(("figure", first, second, heading, "p"), left=("figure",), padding=1)
    for each in differences:
        own = [_figure(each.kind, value) for value in (each.first, each.second)]
        name = each.figure if math.isnan(each.tau) else f"{each.figure}, up to {each.tau:.0f}"
        table.add_row(name, *own, _difference(each), _p_value(each.p_value))
    return table


def line_up_table(against: str, rows: Mapping[str, Sequence[PairedDifference]]) -> Table:
    """Return a row an agent, and beside each figure's difference its p-value.

    Args:
        against: the agent that all others are compared with.
        rows: the figures of each of the others.
    """
    figures = [each.figure for each in next(iter(rows.values()))]
    restricted = any(not math.isnan(each.tau) for row in rows.values() for each in row)
    lead = [f"minus {against}", *(["up to"] if restricted else [])]
    columns = [heading for figure in figures for heading in (f"{figure} [95%]", "p")]
    table = new_table([*lead, *columns], left=lead[:1], padding=1, leading=len(lead), beside=("p",))
    for agent, differences in rows.items():
        first = differences[0].tau
        until = ["" if math.isnan(first) else f"{first:.0f}"] if restricted else []
        cells = [(_difference(each), _p_value(each.p_value)) for each in differences]
        table.add_row(agent, *until, *(text for pair in cells for text in pair))
    return table


def lost_notes(
    first: str, second: str, censored: tuple[float, float], left: tuple[float, float]
) -> list[str]:
    """Return a note where runs of two agents ended before these stopped.

    Args:
        first: the first agent's name.
        second: the second agent's.
        censored: share of the runs of each that the step cap ended.
        left: share of those whose users left.
    """

    def of_both(shares: tuple[float, float]) -> str:
        told = zip(shares, (first, second), strict=True)
        return " and ".join(f"{share:.3f} of {name}'s" for share, name in told)

    notes = []
    if any(censored):
        notes.append(
            f"The step cap ended {of_both(censored)} runs: their stopping times are compared up to "
            "where it did, as restricted means."
        )
    if any(left):
        notes.append(f"Users left in {of_both(left)} runs, which end there.")
    return notes


def dominated_notes(first: str, second: str, differences: Sequence[PairedDifference]) -> list[str]:
    """Return a line for each mean that is one user's doing.

    Args:
        first: the first agent's name.
        second: the second agent's.
        differences: the figures.
    """
    return [
        f"* one user has most of the variance of {first} minus {second}: the difference of the "
        f"mean {each.figure} says little; P does not rest on it."
        for each in differences
        if each.dominated
    ]


def _figure(kind: str, value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.1f}" if kind == AS_MEANS else share(value)


def _difference(each: PairedDifference) -> str:
    if each.kind == AS_PROBABILITY:
        return f"{share(each.value)} [{share(each.low)}, {share(each.high)}]"
    value, low, high = (format(end, SIGNS[each.kind]) for end in (each.value, each.low, each.high))
    value += "*" if each.dominated else ""
    return value if math.isnan(each.low) else f"{value} [{low}, {high}]"


def _p_value(value: float) -> str:
    if math.isnan(value):
        return ""
    return "<.001" if value < 0.0005 else share(value)
