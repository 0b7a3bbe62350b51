"""The scores of a suite as tables and as a page."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from rich.table import Table

from explorative_user_env.display.plain_text import in_markdown
from explorative_user_env.display.tables import markdown, new_table
from explorative_user_env.results.tables import marked, references_of
from explorative_user_env.studies.suite.asked import SuiteTask
from explorative_user_env.studies.suite.records import CENTRAL, WORST

NO_SCORE = "-"
"""Of an agent that does not run on a task."""

LEGEND_OF_SCORES = (
    f"score: (loss of {WORST} - loss) / (loss of {WORST} - loss of the reference), which has 1; "
    "the loss is the regret, or the cost c T + error. ± is the longer side of a 95% interval over "
    "users, and over trainings where a model was trained more than once.",
    "mean: over the tasks an agent ran on. IQM: their interquartile mean. Ranked are those that "
    "ran on all.",
)
"""What has to be known to read the tables."""

LEGEND_OF_TAU = (
    f"τ: Kendall's rank correlation of the agents' order with that of {CENTRAL}, the paper's "
    "central cell.",
)
"""What the column says that is there where that cell was run."""


def notes_of_scores(totals: pd.DataFrame, ranked: pd.DataFrame) -> tuple[str, ...]:
    """Return what the tables say, and what the sign of a reference.

    Args:
        totals: see `SuiteResults.totals`.
        ranked: see `rankings_of`.
    """
    legend = LEGEND_OF_SCORES + (() if ranked.empty else LEGEND_OF_TAU)
    return legend + references_of(totals)


def totals_table(totals: pd.DataFrame, title: str | None = None) -> Table:
    """Return what scores are in all (see `SuiteResults.totals`) as a Rich table."""
    names = ("rank", "agent", "mean [95%]", "IQM [95%]", "tasks")
    table = new_table(names, left=("agent",), title=title, padding=1, leading=2)
    for row in marked(totals).to_dict("records"):
        rank = NO_SCORE if pd.isna(row["rank"]) else str(int(row["rank"]))
        cells = [_with_interval(row, name) for name in ("mean", "iqm")]
        table.add_row(rank, str(row["agent"]), *cells, str(row["n_tasks"]))
    return table


def scores_table(scores: pd.DataFrame, totals: pd.DataFrame, ranked: pd.DataFrame) -> Table:
    """Return scores as a Rich table, a row a task and a column an agent, the best first.

    Args:
        scores: see `SuiteResults.scores`.
        totals: see `SuiteResults.totals`.
        ranked: see `rankings_of`.
    """
    agents = marked(totals)["agent"].tolist()
    taus = ranked.set_index("task")["tau"].to_dict()
    names = ("task", *(["τ"] if taus else []), *agents)
    table = new_table(names, left=("task",), leading=len(names) - len(agents))
    for task, rows in marked(scores).groupby("task", sort=False):
        own = rows.set_index("agent").to_dict("index")
        cells = [_score(own[name]) if name in own else NO_SCORE for name in agents]
        table.add_row(str(task), *([_tau(taus[task])] if taus else []), *cells)
    return table


def _tau(tau: float) -> str:
    """Return a rank correlation, a dash where too few agents run on both tasks."""
    return NO_SCORE if math.isnan(tau) else f"{tau:.2f}"


def _with_interval(row: Mapping[Any, Any], name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return f"{row[name]:.2f} [{low:.2f}, {high:.2f}]"


def _score(row: Mapping[Any, Any]) -> str:
    """Return a score and its interval's longer side, which those of the anchors have not."""
    error = max(row["high"] - row["score"], row["score"] - row["low"])
    if error == 0.0:
        return f"{row['score']:g}"
    return NO_SCORE if math.isnan(row["score"]) else f"{row['score']:.2f} ± {error:.2f}"


def suite_page(
    title: str,
    tasks: Sequence[SuiteTask],
    notes: Sequence[str],
    scores: pd.DataFrame,
    totals: pd.DataFrame,
    ranked: pd.DataFrame,
) -> str:
    """Return everything as one page of Markdown.

    Args:
        title: which run of the suite it is.
        tasks: its tasks.
        notes: what has to be known to read the tables.
        scores: see `SuiteResults.scores`.
        totals: see `SuiteResults.totals`.
        ranked: see `rankings_of`.
    """
    parts = [f"# Scores, {title}", markdown(totals_table(totals))]
    parts += ["## By task", markdown(scores_table(scores, totals, ranked))]
    parts += [f"- {in_markdown(note)}" for note in notes]
    parts += ["## Tasks", markdown(tasks_table(tasks))]
    parts += [in_markdown(f"- {line}") for line in reference_reasons(tasks)]
    others = [row for row in ranked.to_dict("records") if row["task"] != CENTRAL]
    if others:
        parts += [f"## Pairs of which another is the better than in {CENTRAL}, with certainty"]
        pairs = [(row, ", ".join(row["reversed"]) or "none") for row in others]
        parts += [in_markdown(f"- {row['task']}: {named}") for row, named in pairs]
    return "\n\n".join(parts) + "\n"


def reference_reasons(tasks: Sequence[SuiteTask]) -> list[str]:
    """Return why the references are these, each reason with the tasks that it is for."""
    named: dict[tuple[str, str], list[str]] = {}
    for task in tasks:
        named.setdefault((task.reference, task.why), []).append(task.name)
    return [
        f"{reference} has 1 in {', '.join(names)}: {why}."
        for (reference, why), names in named.items()
    ]


def tasks_table(tasks: Sequence[SuiteTask]) -> Table:
    """Return what tasks are as a Rich table."""
    table = new_table(
        ("task", "for", "asks for", "users", "seed", "1 is"), left=("task", "for", "asks for")
    )
    for task in tasks:
        said = {**task.options, **task.numbers()}
        words = ", ".join(f"{name}={value}" for name, value in said.items())
        numbers = (str(task.n_instances), str(task.seed))
        table.add_row(task.name, task.about, f"{task.task}: {words}", *numbers, task.reference)
    return table
