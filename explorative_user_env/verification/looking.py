"""Every agent in every cell, looked at: a part of its rows is run again, and judged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from explorative_user_env.agents import AlgorithmAgent, agent_named
from explorative_user_env.display.progress import OnProgress, named, portion
from explorative_user_env.envs.meeting import informed
from explorative_user_env.evaluation.runner import agent_record
from explorative_user_env.evaluation.workers import Workforce
from explorative_user_env.files import differences
from explorative_user_env.protocol import Agent, trained_on
from explorative_user_env.results.records import KIND
from explorative_user_env.validation import InvalidArgumentError, one_line
from explorative_user_env.verification.claims import MODEL, CellClaim, FileClaims, tells_of
from explorative_user_env.verification.consistency import (
    contradictions_in,
    missing_in,
    seeds_in,
)
from explorative_user_env.verification.findings import (
    NOT_CHECKED,
    OTHER_ROWS,
    SAME_MEANS,
    SAME_ROWS,
    Finding,
    RowsChecked,
)
from explorative_user_env.verification.identities import broken_identities
from explorative_user_env.verification.rounding import how_means_move, may_be_rounding
from explorative_user_env.verification.rows import TELLING_ROWS, Other, SecondRun, drawn, others_in

SUSPICIOUS = 4
"""Where more than one row in so many came out otherwise, the rows may be another agent's."""


@dataclass
class Looking:
    """What is found, cell by cell and agent by agent.

    Attributes:
        workforce: who runs rows again.
        compiled: whether algorithm records run compiled.
        share: the share of the rows to run again.
        rng: what they are drawn with.
        chosen: the cells and agents whose rows are run again.
        findings: in what the file contradicts what comes out.
        checked: what came of the rows of each agent and cell.
        notes: what else is to be known.
    """

    workforce: Workforce
    compiled: bool
    share: float
    rng: np.random.Generator
    chosen: frozenset[tuple[str, str]]
    findings: list[Finding] = field(default_factory=list)
    checked: list[RowsChecked] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def look_at(self, claims: FileClaims, progress: OnProgress) -> None:
        """Look at every agent in every cell."""
        pieces = [(claim, agent) for claim in claims.cells for agent in claim.agents]
        for place, (claim, agent) in enumerate(pieces):
            if agent == claim.agents[0]:
                self.findings += missing_in(claim)
            if claim.results is None:
                continue
            if agent == claim.agents[0]:
                self.findings += [*seeds_in(claim), *contradictions_in(claim)]
                if claim.results.checks is not None:
                    self.notes.append("checks of the theory are not made again")
            report = named(portion(progress, place, len(pieces)), claim.cell)
            if (claim.cell, agent) in self.chosen:
                self.checked.append(self._of_agent(claim, agent, report))
            self.findings += self._not_told(broken_identities(claim, agent))

    def _not_told(self, found: Iterable[Finding]) -> list[Finding]:
        """Return findings of rows of which nothing is told yet."""
        told = {(each.cell, each.agent, each.instance) for each in self.findings}
        return [each for each in found if (each.cell, each.agent, each.instance) not in told]

    def _of_agent(self, claim: CellClaim, agent: str, progress: OnProgress) -> RowsChecked:
        """Run a part of an agent's rows again."""
        rows = claim.runs(agent)
        if not len(rows):
            return RowsChecked(claim.cell, agent, 0, 0, 0, NOT_CHECKED, "no rows")
        places = drawn(len(rows), self._share(claim, agent), self.rng)
        who = claim.who(agent)
        if who is None:
            why = _needed(claim, agent)
            return RowsChecked(claim.cell, agent, len(rows), 0, 0, NOT_CHECKED, why)
        again = SecondRun(claim, self.workforce, self.compiled)
        part = rows.iloc[places].reset_index(drop=True)
        try:
            here = again.runs(who, agent, part, progress)
        except InvalidArgumentError as error:
            why = f"it cannot be run as the file says: {error}"
            return RowsChecked(claim.cell, agent, len(rows), 0, 0, NOT_CHECKED, why)
        self.notes += [*_other_code(claim, agent, who), *_unusual_options(claim, agent, who)]
        others = others_in(part, here)
        n_others = len({each.instance for each in others})
        verdict, why = SAME_ROWS, ""
        if others:
            verdict, why = self._judged(again, who, agent, part, here, others, progress)
        return RowsChecked(claim.cell, agent, len(rows), len(part), n_others, verdict, why)

    def _share(self, claim: CellClaim, agent: str) -> float:
        """Return the share of the rows to run again: all, where one is known to be another."""
        known = ("digest", claim.cell, agent) in [
            (each.kind, each.cell, each.agent) for each in self.findings
        ]
        return 1.0 if known else self.share

    def _judged(
        self,
        again: SecondRun,
        who: Agent,
        agent: str,
        part: pd.DataFrame,
        here: pd.DataFrame,
        others: Sequence[Other],
        progress: OnProgress,
    ) -> tuple[str, str]:
        """Take in rows that came out otherwise, and return what that makes of the agent's."""
        claim = again.claim
        told = (part, here, claim.told)
        if trained_on(who) and may_be_rounding(*told, others):
            return SAME_MEANS, f"rounding may do that on another processor; {how_means_move(*told)}"
        looked = self._looked_at(claim, agent)
        now = again.runs(who, agent, looked, progress)
        n_others = len({each.instance for each in others_in(looked, now)})
        if n_others > len(looked) / SUSPICIOUS:
            swapped = _swapped(again, agent, looked, now, progress)
            if swapped.here is not None or 2 * n_others > len(looked):
                self.findings.append(swapped)
                return OTHER_ROWS, ""
        self.findings += (_of_row(claim, agent, each) for each in others)
        return OTHER_ROWS, ""

    def _looked_at(self, claim: CellClaim, agent: str) -> pd.DataFrame:
        """Return rows by which to tell whose they are."""
        rows = claim.runs(agent)
        return rows.iloc[drawn(len(rows), TELLING_ROWS / len(rows), self.rng)].reset_index(
            drop=True
        )


def _swapped(
    again: SecondRun, agent: str, rows: pd.DataFrame, here: pd.DataFrame, progress: OnProgress
) -> Finding:
    """Return that rows are another agent's, and whose; or those of other users."""
    claim = again.claim
    words = f"{claim.where(agent)}: the rows are not {agent}'s"
    whose = again.whose(agent, rows, progress)
    if whose is not None:
        return Finding(
            "agent", f"{words}; they are those of {whose}", claim.cell, agent, here=whose
        )
    of_others = (rows["best_arm"] != here["best_arm"]).mean() if "best_arm" in rows else 0.0
    if 2 * of_others > 1:
        words += ", nor with these users: even the best arms are others, as of another seed"
    else:
        words += " with the options that the file says, nor another's that is known here"
    return Finding("agent", words, claim.cell, agent)


def _of_row(claim: CellClaim, agent: str, other: Other) -> Finding:
    """Return that a number of a row is another."""
    words = f"{claim.where(agent)}, instance {other.instance}: {other.column} is "
    words += f"{other.there} there and {other.here} here"
    return Finding("row", words, claim.cell, agent, *other)


def _needed(claim: CellClaim, agent: str) -> str:
    """Return what it takes to run an agent again that is not known here."""
    record = claim.request["agents"].get(agent)
    kind = record.get(KIND) if isinstance(record, Mapping) else None
    if kind == MODEL:
        return "a trained model: its weights have to be given"
    if isinstance(kind, str):
        return f"code of somebody's own, {kind}: it has to be given"
    return "no agent of the package, and none that was given"


def _other_code(claim: CellClaim, agent: str, who: Agent) -> Iterator[str]:
    """Yield that an agent that was handed in is not to the letter the one of the file."""
    record = claim.request["agents"].get(agent)
    if record is not None and not tells_of(record, agent_record(who, claim.told["n_arms"])):
        yield (
            f"{claim.where(agent)}: the agent that was given has other code, options or weights "
            "than the file's; its rows are compared all the same"
        )


def _unusual_options(claim: CellClaim, agent: str, who: Agent) -> Iterator[str]:
    """Yield in what an agent by the name of one of the package's is another than that one."""
    try:
        known = agent_named(agent)
    except InvalidArgumentError:
        return
    results, of_whom = claim.results, f"the package's {agent} as it usually is"
    assert results is not None
    usual = informed(known, results.population, results.cell["delta"])
    if not (isinstance(who, AlgorithmAgent) and isinstance(usual, AlgorithmAgent)):
        yield f"{claim.where(agent)}: it is code of somebody's own, and not {of_whom}"
        return
    for name, was, now in differences({"": who.options}, {"": usual.options}):
        there, here = (one_line(str(value)) for value in (was, now))
        yield f"{claim.where(agent)}: {name} is {there} there and {here} of {of_whom}"
