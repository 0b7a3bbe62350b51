"""Summaries as tables a person can read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from rich.table import Table

from explorative_user_env.display import text
from explorative_user_env.display.tables import Column, markdown, table

#: Columns that hold a published figure beside ours, where a cell has one.
PUBLISHED = {
    "stopping_time": "published_stopping_time",
    "rejection_rate": "published_rejection_rate",
    "success": "published_success",
}

#: What stands beside a mean, and what no n runs can say: all of them may lack what is so rare.
MEANS_LEGEND = "mean ± half a 95% interval, which knows of no runs rarer than 3 in n"

LEGEND = (
    f"stopping time: {MEANS_LEGEND}. wrong: stopped and named another arm. "
    "cens.: cut off by the step cap. (1-p)/δ: above 1 the confidence is missed.",
)
LEFT_LEGEND = ("left: the user left, which is no success.",)
DRAWS_LEGEND = (
    "rej. %: of T&S without, of the others with the K private draws, as in the paper's tables.",
)
COST_LEGEND = ("cost: c T + error, by which agents rank.",)

UNTIL_LEGEND = (
    "Intervals of success are of a confidence sequence (beta-binomial mixture): they hold whenever "
    "one stops meeting users; all others take the number of users as given."
)

#: Follows the name of an agent that is told rewards.
REFERENCE = "†"
REFERENCE_LEGEND = (
    f"{REFERENCE} a reference, told the rewards that no agent may see: not ranked.",
)


AGENT_COLUMN = Column("agent", "agent", left=True)
#: The share of users who left; a dash for users who cannot leave.
LEFT_COLUMN = Column("left", "left", lambda value: "-" if pd.isna(value) else text.share(value))


def mean(heading: str, name: str) -> Column:
    """Return a column of means, each with half of its interval."""

    def written(row: Mapping[str, Any]) -> str:
        mark = "*" if row.get(f"{name}_dominated", False) else ""
        return text.with_error(row[name], row[f"{name}_high"]) + mark

    return Column(heading, written)


def rate(heading: str, name: str) -> Column:
    """Return a column of probabilities, each with its interval."""
    return Column(heading, lambda row: text.share_with_interval(row, name))


def paper(name: str, form: Callable[[Any], str]) -> Column:
    """Return the column of published figures that stands beside ours."""
    return Column("paper", PUBLISHED[name], form, attached=True)


SUMMARY_COLUMNS = (
    Column("δ", "delta", "{:g}", once=True),
    Column("K", "n_arms", once=True),
    AGENT_COLUMN,
    mean("stopping time", "stopping_time"),
    paper("stopping_time", text.rounded),
    Column("rej. %", "rejection_rate", text.percent),
    paper("rejection_rate", text.percent),
    rate("success [95%]", "success"),
    paper("success", text.share),
    Column("wrong", "wrong", text.share),
    Column("cens.", "censored", text.share),
    LEFT_COLUMN,
    Column("(1-p)/δ", "failure_over_delta", "{:.2f}"),
)
RANK_COLUMNS = (
    Column("cost", "cost", text.cost),
    Column("rank", "rank", lambda rank: "-" if pd.isna(rank) else str(int(rank))),
)
REGRET_COLUMNS = (
    Column("K", "n_arms"),
    Column("T", "horizon"),
    AGENT_COLUMN,
    mean("regret", "regret"),
    mean("utility", "utility"),
    Column("acc. %", "acceptance_rate", text.percent),
    rate("last best", "last_is_best"),
    rate("most acc. best", "most_accepted_is_best"),
    LEFT_COLUMN,
)
MEMBERS_COLUMNS = (
    Column("K", "n_arms"),
    Column("users x T", lambda row: f"{row['n_users']} x {row['horizon']}"),
    AGENT_COLUMN,
    mean("regret", "regret"),
    mean("first", "regret_of_first"),
    mean("last", "regret_of_last"),
    Column("acc. %", "acceptance_rate", text.percent),
    rate("most acc. best", "most_accepted_is_best"),
)


def marked(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the names of their agents as tables and pictures show them.

    Args:
        frame: with the columns `agent` and `sees_rewards`; without the latter nobody is marked.
    """
    if "sees_rewards" not in frame:
        return frame
    shown = frame["agent"].where(~frame["sees_rewards"], frame["agent"] + REFERENCE)
    return frame.assign(agent=shown)


REGRET_LEGEND = (
    f"regret: sum of mu_* - mu_a over T recommendations, {MEANS_LEGEND}. utility: sum "
    "of mu_a over the accepted ones. last best: the last recommendation is the best arm [95%]. "
    "most acc. best: the most accepted arm is; one of n tied arms counts 1/n.",
)
LEFT_REGRET_LEGEND = ("left: the user left; each step she missed counts max mu - min mu.",)


MEMBERS_LEGEND = (
    "regret: sum of mu_* - mu_a over an episode, in which each of the users is there for T "
    f"recommendations, {MEANS_LEGEND}. first, last: the regret with the first and with the last "
    "user of an episode. most acc. best: with how many users the most accepted arm is the best "
    "[95%]; one of n tied arms counts 1/n.",
)


def table_of(summary: pd.DataFrame, title: str | None = None) -> Table:
    """Return the rows of a summary (see `Results.summary`) as the table of their task.

    Published figures stand beside ours when the frame has them, and else the cost and the rank.
    """
    columns: Sequence[Column]
    if "regret_of_first" in summary:
        columns = MEMBERS_COLUMNS
    elif "regret" in summary:
        columns = REGRET_COLUMNS
    else:
        columns = SUMMARY_COLUMNS + (() if PUBLISHED["success"] in summary else RANK_COLUMNS)
    shown = [each for each in columns if callable(each.of) or each.of in summary]
    return table(marked(summary), shown, title, leading=3, sections=True)


def legend_of(summary: pd.DataFrame) -> tuple[str, ...]:
    """Return what the columns of the table mean."""
    if "regret_of_first" in summary:
        return MEMBERS_LEGEND + warnings_of(summary)
    if "regret" in summary:
        legend = REGRET_LEGEND + (LEFT_REGRET_LEGEND if "left" in summary else ())
        return legend + warnings_of(summary)
    legend = LEGEND + (LEFT_LEGEND if "left" in summary else ())
    if PUBLISHED["success"] not in summary:
        legend += COST_LEGEND
    if summary["agent"].eq("T&S").any() and summary["setting"].str.startswith("released").any():
        legend += DRAWS_LEGEND
    return legend + warnings_of(summary)


def warnings_of(summary: pd.DataFrame) -> tuple[str, ...]:
    """Return what must be said below any table: who is no competitor, which means say little.

    A line for each cell that has met users until success was known well enough, and for each agent
    whose mean stopping time is one run's doing.
    """
    medians = tuple(
        f"* one run of {row['agent']} (δ={row['delta']:g}, K={row['n_arms']}) has most of the "
        f"variance: its mean says little; median {row['stopping_time_median']:.0f} "
        f"[{row['stopping_time_median_low']:.0f}, {row['stopping_time_median_high']:.0f}]."
        for row in marked(summary).to_dict("records")
        if row.get("stopping_time_dominated", False)
    )
    return references_of(summary) + _until(summary) + medians


def references_of(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return what the sign means, where an agent has it."""
    return REFERENCE_LEGEND if "sees_rewards" in frame and frame["sees_rewards"].any() else ()


def _until(summary: pd.DataFrame) -> tuple[str, ...]:
    """Return how many users were met where that was left open, and what their intervals are."""
    if "until_width" not in summary:
        return ()
    lines = []
    for (delta, n_arms), cell in summary.groupby(["delta", "n_arms"], sort=False):
        asked, n_users = cell["until_width"].iloc[0], cell["n_runs"].max()
        widest = (cell["success_high"] - cell["success_low"]).max()
        ended = (
            f"known to within {asked:g} with {n_users} users"
            if widest <= asked
            else f"known to within {widest:.3g}, not {asked:g}, with {n_users} users, the most"
        )
        lines.append(f"success (δ={delta:g}, K={n_arms}): {ended}.")
    return (*lines, UNTIL_LEGEND)


def summary_page(title: str, sections: Mapping[str, pd.DataFrame], notes: Sequence[str]) -> str:
    """Return one Markdown page: a table for each section, then the notes."""
    parts = [f"# {title}"]
    for heading, summary in sections.items():
        parts += [f"## {heading}", markdown(table_of(summary))]
    parts += [f"- {text.in_markdown(note)}" for note in notes]
    return "\n\n".join(parts) + "\n"
