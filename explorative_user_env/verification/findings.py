"""What was found of somebody's results, and the page that a person reads."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rich.table import Table

from explorative_user_env.display.tables import as_text, html_table, new_table, paragraphs
from explorative_user_env.validation import one_line

FindingKind = Literal["row", "missing", "agent", "seed", "streams", "request", "digest", "file"]
"""In what a file contradicts what comes out: a row; runs that are not there, or that nobody asked
for; whose rows they are; the users' seeds; the random streams; what it says was asked for; what it
says tells its rows from any others; a file that stands beside it."""

SAME_ROWS, SAME_MEANS, OTHER_ROWS, NOT_CHECKED = "equal", "alike", "differs", "not checked"
"""What is said of an agent's rows in a cell. "alike": a few rows of a trained policy are others, as
rounding makes them on another processor, and the means are not."""

MISSED_CHANCE = 0.05
"""The chance that so many different rows are all missed."""

MOST_SHOWN = 24
"""Agents in cells up to which each is shown, also if there is nothing to be said of it."""

LONGEST_VERDICT = 300


class Finding(NamedTuple):
    """Something in which results are not what comes out.

    Attributes:
        kind: in what.
        words: what it is, in a line.
        cell: in which cell; "" where there is one alone, or it is of the whole file.
        agent: whose rows, where it is of one agent's.
        instance: of which run.
        column: of which number of it.
        there: what the file says.
        here: what comes out.
    """

    kind: FindingKind
    words: str
    cell: str = ""
    agent: str = ""
    instance: int | None = None
    column: str | None = None
    there: Any = None
    here: Any = None


class RowsChecked(NamedTuple):
    """What came of the rows of an agent in a cell.

    Attributes:
        cell: the cell.
        agent: the agent.
        n_rows: how many there are.
        n_again: how many were run again.
        n_differing: how many of these came out otherwise.
        verdict: one of the words above.
        why: why they were not checked, or what is to be said of them.
    """

    cell: str
    agent: str
    n_rows: int
    n_again: int
    n_differing: int
    verdict: str
    why: str = ""


@dataclass(frozen=True)
class Verification:
    """What was found of somebody's results; printed, it is a page.

    Attributes:
        path: where they are.
        seed: what the rows to run again were drawn with.
        share: which share of the rows of every agent and cell was asked for.
        checked: one record an agent and cell.
        findings: in what the file contradicts what comes out; empty if in nothing.
        notes: what else is to be known, as other versions of libraries.
        only: the agents or cells whose rows alone were run again; empty is all.
    """

    path: str
    seed: int
    share: float
    checked: Sequence[RowsChecked]
    findings: Sequence[Finding]
    notes: Sequence[str] = ()
    only: Sequence[str] = ()

    @property
    def differs(self) -> bool:
        """Whether something is not what comes out."""
        return bool(self.findings)

    @property
    def whole(self) -> bool:
        """Whether rows of every agent and cell could be run again."""
        return bool(self.checked) and all(each.verdict != NOT_CHECKED for each in self.checked)

    @property
    def equal(self) -> bool:
        """Whether all that was asked for is there and all that was run again came out the same."""
        return self.whole and not self.differs

    def table(self) -> Table:
        """Return a row for each agent and cell; of many rows those alone that are not equal."""
        shown = list(self.checked)
        if len(shown) > MOST_SHOWN:
            shown = [each for each in shown if each.verdict != SAME_ROWS]
        columns = ["agent", "rows", "again", "differ", "verdict"]
        names = ["cell", *columns] if any(each.cell for each in self.checked) else columns
        left = ("cell", "agent", "verdict")
        table = new_table(names, left=left, padding=1, leading=len(names) - len(columns) + 1)
        for each in shown:
            row = {"cell": each.cell, "agent": each.agent, "rows": f"{each.n_rows}"}
            row |= {"again": f"{each.n_again}", "differ": f"{each.n_differing}"}
            row |= {"verdict": each.verdict}
            table.add_row(*(row.get(name, "") for name in names))
        return table

    def reasons(self) -> list[str]:
        """Return why rows were not checked, or what is to be said of them: once, in which cells."""
        cells: dict[tuple[str, str], list[str]] = {}
        for each in self.checked:
            if each.why:
                cells.setdefault((each.agent, each.why), []).append(each.cell)
        told = []
        for (agent, why), named in cells.items():
            where = f" ({', '.join(named)})" if any(named) else ""
            told.append(f"{agent}{where}: {one_line(why, LONGEST_VERDICT)}")
        return told

    def in_short(self) -> list[str]:
        """Return the verdict of all, what was asked and what that could have missed, in lines."""
        asked = [each for each in self.checked if each.verdict != NOT_CHECKED]
        rows, again = sum(each.n_rows for each in asked), sum(each.n_again for each in asked)
        verdicts = [each.verdict for each in self.checked]
        counts = [f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts)]
        lines = [f"{again} of {rows} rows run again, drawn with seed {self.seed}"]
        if again and not any(each.n_differing for each in asked):
            lines[0] += f"; {self._missed(rows, again)}"
        if self.only:
            lines.append(f"as asked, of {', '.join(self.only)} alone")
        left_out = sum(each.n_rows for each in self.checked) - rows
        if left_out:
            lines.append(f"{left_out} rows were not checked, and are not said to be right")
        word = "differs" if self.differs else "equal" if self.equal else "not checked in full"
        told = f" (agents in cells: {', '.join(counts)})" if counts else ""
        return [*lines, f"{self.path}: {word}{told}"]

    def _missed(self, n_rows: int, n_again: int) -> str:
        """Return how many rows may be others all the same, where none of those asked for was."""
        if n_again == n_rows:
            return "none was left out"
        most = 1 + most_missed(self.share)
        share = min(1.0, most / n_rows)
        level = f"{1 - MISSED_CHANCE:.0%} confidence"
        one = f"one that is another is found with probability {self.share:.2g}"
        return f"fewer than {most} rows ({share:.1%}) are others, with {level}; {one}"

    def __str__(self) -> str:
        table = [as_text(self.table())] if self.table().row_count else []
        return "\n".join([*self.notes, *table, *self._lines()])

    def _repr_html_(self) -> str:
        table = html_table(self.table()) if self.table().row_count else ""
        return paragraphs(self.notes) + table + paragraphs(self._lines())

    def _lines(self) -> list[str]:
        return [*self.reasons(), *(each.words for each in self.findings), *self.in_short()]


def most_missed(share: float) -> int:
    """Return how many rows can be others and are all missed with a chance of at least 5%.

    A part of at least `share` of every agent's rows in a cell misses D rows, wherever they are,
    with a chance of at most (1 - share)^D.

    Args:
        share: the share of the rows that is run again, in (0, 1).
    """
    return math.floor(math.log(MISSED_CHANCE) / math.log1p(-share))
