"""Results as text: tables beside the published figures, and how close they are."""

from collections.abc import Mapping, Sequence

import pandas as pd

from explorative_user_env.evaluation import Results
from explorative_user_env.results.tables import PUBLISHED, markdown, table_of

CELL = ["delta", "n_arms", "agent"]


def compared(results: Sequence[Results], published: pd.DataFrame | None) -> pd.DataFrame:
    """Return the summaries of all cells, with published figures and differences where there are.

    `stopping_time_difference` is relative to the published time, the other differences are
    absolute; positive where ours is larger.
    """
    summary = pd.concat([cell.summary() for cell in results], ignore_index=True)
    if published is None:
        return summary
    summary = summary.merge(published, on=CELL, how="left", validate="one_to_one")
    if summary[PUBLISHED["success"]].isna().all():
        return summary.drop(columns=list(PUBLISHED.values()))
    for figure, beside in PUBLISHED.items():
        difference = summary[figure] - summary[beside]
        if figure == "stopping_time":
            difference /= summary[beside]
        summary[f"{figure}_difference"] = difference
    return summary


def runs_of(results: Sequence[Results]) -> pd.DataFrame:
    """Return all runs, one row each, with the cell they belong to."""
    frames = [
        cell.runs.assign(**{name: cell.cell[name] for name in ("setting", "delta", "n_arms")})
        for cell in results
    ]
    return pd.concat(frames, ignore_index=True)


def as_markdown(title: str, sections: Mapping[str, pd.DataFrame], notes: Sequence[str]) -> str:
    """Return one Markdown page: a table for each section, then the notes."""
    parts = [f"# {title}"]
    for heading, summary in sections.items():
        parts += [f"## {heading}", markdown(table_of(summary))]
    parts += [f"- {note}" for note in notes]
    return "\n\n".join(parts) + "\n"
