"""What a run of the suite found: scores by task and in all, and how tasks rank the agents."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from explorative_user_env.display.html import html_table, paragraphs
from explorative_user_env.display.tables import as_text
from explorative_user_env.results.fingerprint import stream_fingerprint
from explorative_user_env.results.provenance import versions_of
from explorative_user_env.results.records import record_of
from explorative_user_env.results.results import Results
from explorative_user_env.studies.suite.asked import SuiteTask
from explorative_user_env.studies.suite.entrants import entrant_of
from explorative_user_env.studies.suite.picture import score_map
from explorative_user_env.studies.suite.rankings import rankings_of
from explorative_user_env.studies.suite.records import (
    CENTRAL,
    SUITE_VERSION,
    SuiteRun,
    suite_digest,
)
from explorative_user_env.studies.suite.scoring import (
    Replicates,
    interquartile_mean_of,
    losses_of,
    mean_losses,
    mean_of,
    scores_in,
)
from explorative_user_env.studies.suite.tables import (
    notes_of_scores,
    scores_table,
    suite_page,
    totals_table,
)
from explorative_user_env.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class SuiteResults:
    """The runs of a suite and what they are worth.

    Printed, or as the last line of a notebook's cell, it is the tables.

    Attributes:
        run: which run of the suite it is; `run.title` is to be quoted.
        cells: the results of each task, by its name.
    """

    run: SuiteRun
    cells: Mapping[str, Results]

    @property
    def tasks(self) -> tuple[SuiteTask, ...]:
        """The tasks that have results."""
        return tuple(task for task in self.run.records() if task.name in self.cells)

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """Who took part, in the order in which they were given; the anchors last if they were not.

        Trainings of one model are one of them.
        """
        longest = sorted(self.cells.values(), key=lambda cell: -cell.runs["agent"].nunique())
        names = [str(name) for cell in longest for name in cell.runs["agent"].unique()]
        return tuple(dict.fromkeys(map(entrant_of, names)))

    @property
    def references(self) -> frozenset[str]:
        """Those that were told rewards, which no competitor is."""
        named = {name for cell in self.cells.values() for name in cell.references}
        return frozenset(map(entrant_of, named))

    @cached_property
    def losses(self) -> Mapping[str, Mapping[str, Replicates]]:
        """By task and agent the mean loss, with its replicates."""
        return {
            task.name: mean_losses(losses_of(self.cells[task.name]), task.seed)
            for task in self.tasks
        }

    @cached_property
    def _scores(self) -> Mapping[str, Mapping[str, Replicates]]:
        return {task.name: scores_in(task, self.losses[task.name]) for task in self.tasks}

    def scores(self) -> pd.DataFrame:
        """Return one row a task and agent that ran on it.

        `task`, `agent`, `score` with its 95% interval `low` to `high`, `loss` (the mean), `n`
        (users), `n_trainings` and `sees_rewards`.
        """
        rows = []
        for task in self.tasks:
            cell = self.cells[task.name]
            trainings = pd.Series(cell.runs["agent"].unique()).map(entrant_of).value_counts()
            for name in self.agents:
                if name not in (found := self._scores[task.name]):
                    continue
                low, high = found[name].interval()
                row = {"task": task.name, "agent": name, "score": found[name].value}
                row |= {"low": low, "high": high, "loss": self.losses[task.name][name].value}
                row |= {"n": task.n_instances, "n_trainings": int(trainings[name])}
                rows.append(row | {"sees_rewards": name in self.references})
        return pd.DataFrame(rows)

    def totals(self) -> pd.DataFrame:
        """Return one row an agent: what its scores are in all, with 95% intervals.

        `mean` over the `n_tasks` tasks it ran on, and the interquartile mean `iqm`. `rank` is by
        the mean, of those that ran on all tasks and were not told rewards; others have none.
        """
        rows = []
        for name in self.agents:
            own = [found[name] for found in self._scores.values() if name in found]
            row: dict[str, Any] = {"agent": name, "n_tasks": len(own)}
            for figure, over in (("mean", mean_of), ("iqm", interquartile_mean_of)):
                low, high = (total := over(own)).interval()
                row |= {figure: total.value, f"{figure}_low": low, f"{figure}_high": high}
            rows.append(row | {"sees_rewards": name in self.references})
        totals = pd.DataFrame(rows)
        competes = ~totals["sees_rewards"] & (totals["n_tasks"] == len(self.tasks))
        ranks = totals["mean"].where(competes).rank(method="min", ascending=False)
        totals = totals.assign(rank=ranks.astype("Int64"))
        return totals.sort_values("mean", ascending=False, ignore_index=True)

    def rankings(self, against: str = CENTRAL) -> pd.DataFrame:
        """Return how each task ranks the agents, against another one; see `rankings_of`.

        Args:
            against: the other task's name.
        """
        return rankings_of(self.losses, self.references, against)

    def record(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        told: dict[str, Any] = {"title": self.run.title, "version": SUITE_VERSION}
        told |= {"digest": suite_digest(), "versions": versions_of()}
        told |= {"streams": stream_fingerprint(), "tasks": [vars(task) for task in self.tasks]}
        told |= {"scores": self.scores(), "totals": self.totals(), "rankings": self.rankings()}
        return {
            name: frame_record(value) if isinstance(value, pd.DataFrame) else record_of(value)
            for name, value in told.items()
        }

    def page(self) -> str:
        """Return everything as a page of Markdown."""
        figures = (self.scores(), self.totals(), self.rankings())
        return suite_page(self.run.title, self.tasks, self.notes(), *figures)

    def tables(self) -> list[Table]:
        """Return the scores in all and by task as Rich tables."""
        totals = self.totals()
        by_task = scores_table(self.scores(), totals, self.rankings())
        return [totals_table(totals, self.run.title), by_task]

    def notes(self) -> tuple[str, ...]:
        """Return what has to be known to read the tables, and how to quote them."""
        package = f"explorative-user-env {__version__}"
        quoted = f"To quote: {self.run.title} (tasks {suite_digest()}), {package}"
        return (*notes_of_scores(self.totals(), self.rankings()), quoted)

    def plot(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the scores as a heat map, agents by tasks, and return Matplotlib's axes.

        Args:
            axes: where it is drawn; None is a new figure.
        """
        return score_map(self.scores(), self.totals(), self.run.title, axes)

    def __str__(self) -> str:
        notes = [as_text(Text(note)) for note in self.notes()]
        return "\n\n".join(map(as_text, self.tables())) + "\n" + "\n".join(notes)

    def __repr__(self) -> str:
        return f"SuiteResults({self.run.title!r}, agents={list(self.agents)})"

    def _repr_html_(self) -> str:
        return "".join(map(html_table, self.tables())) + paragraphs(self.notes())


def frame_record(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as JSON can hold them, None where there is no number."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(name): record_of(value) for name, value in row.items()} for row in rows]
