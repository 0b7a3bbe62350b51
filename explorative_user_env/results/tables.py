"""Print summaries as tables, with legends and warnings."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from rich.table import Table

from explorative_user_env.display import text
from explorative_user_env.display.tables import Column, markdown, table

#: Column of the published figure for each metric of a summary.
PUBLISHED = {
    "stopping_time": "published_stopping_time",
    "rejection_rate": "published_rejection_rate",
    "success": "published_success",
}

#: Legend of a mean; n runs may miss values rarer than 3 in n (rule of three).
MEANS_LEGEND = "mean ± half-width of a 95% interval; it ignores values rarer than 3 in n"

LEGEND = (
    f"stopping time: {MEANS_LEGEND}. wrong: answered another arm. "
    "cens.: ended by the step cap. (1-p)/δ: above 1 the error exceeds δ.",
)
LEFT_LEGEND = ("left: the user left; counts as a failure.",)
DRAWS_LEGEND = (
    "rej. %: T&S without, other agents with the K private draws, as in the paper's tables.",
)
COST_LEGEND = ("cost: c T + error; agents rank by it.",)

UNTIL_LEGEND = (
    "Intervals of success form a confidence sequence (beta-binomial mixture): they hold for every "
    "number of users at once; all other intervals assume a fixed number."
)

#: Mark after the name of a reference agent, which sees rewards.
REFERENCE = "†"
REFERENCE_LEGEND = (
    f"{REFERENCE} a reference agent: it sees rewards or knows the best arm, so it is not ranked.",
)


AGENT_COLUMN = Column("agent", "agent", left=True)
#: Share of runs whose user left; a dash if users cannot leave.
LEFT_COLUMN = Column("left", "left", lambda value: "-" if pd.isna(value) else text.share(value))


def mean(heading: str, name: str) -> Column:
    """Return a column of means with the half-width of their intervals."""

    def written(row: Mapping[str, Any]) -> str:
        mark = "*" if row.get(f"{name}_dominated", False) else ""
        return text.with_error(row[name], row[f"{name}_high"]) + mark

    return Column(heading, written)


def rate(heading: str, name: str) -> Column:
    """Return a column of probabilities with their intervals."""
    return Column(heading, lambda row: text.share_with_interval(row, name))


def paper(name: str, form: Callable[[Any], str]) -> Column:
    """Return the column of a published figure; tables print it next to the simulated figure."""
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
    """Return `frame` with a mark after the names of agents that see rewards.

    Args:
        frame: table with the column `agent`. Without a column `sees_rewards`, no name is marked.
    """
    if "sees_rewards" not in frame:
        return frame
    shown = frame["agent"].where(~frame["sees_rewards"], frame["agent"] + REFERENCE)
    return frame.assign(agent=shown)


REGRET_LEGEND = (
    f"regret: sum of mu_* - mu_a over T recommendations, {MEANS_LEGEND}. utility: sum "
    "of mu_a over acceptances. last best: share of runs whose last recommendation is the best arm "
    "[95%]. most acc. best: share whose most accepted arm is the best; one of n tied counts 1/n.",
)
LEFT_REGRET_LEGEND = ("left: the user left; each step after that counts max mu - min mu.",)


MEMBERS_LEGEND = (
    "regret: sum of mu_* - mu_a over an episode, T recommendations for each user, "
    f"{MEANS_LEGEND}. first, last: regret with the first and the last user of an episode. "
    "most acc. best: share of users whose most accepted arm is the best [95%]; one of n tied arms "
    "counts 1/n.",
)


def table_of(summary: pd.DataFrame, title: str | None = None) -> Table:
    """Return `Results.summary` as a Rich table; the task determines the columns.

    The table shows published figures if the summary has any; otherwise it shows cost and rank.
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
    """Return the notes below a summary table: the legend of its columns and the warnings."""
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
    """Return the notes that do not depend on the columns of the table.

    A note names the agents that see rewards. If `until_width` was given, a note for each K and
    delta states the width of the interval of success. A note names each agent whose stopping times
    have more than half of their variance from one run.
    """
    medians = tuple(
        f"* one run of {row['agent']} (δ={row['delta']:g}, K={row['n_arms']}) has most of the "
        f"variance: its mean is unreliable; median {row['stopping_time_median']:.0f} "
        f"[{row['stopping_time_median_low']:.0f}, {row['stopping_time_median_high']:.0f}]."
        for row in marked(summary).to_dict("records")
        if row.get("stopping_time_dominated", False)
    )
    return references_of(summary) + _until(summary) + medians


def references_of(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the note about agents that see rewards if the frame has such an agent."""
    return REFERENCE_LEGEND if "sees_rewards" in frame and frame["sees_rewards"].any() else ()


def _until(summary: pd.DataFrame) -> tuple[str, ...]:
    """Return the number of users and the interval width for each K and delta with `until_width`."""
    if "until_width" not in summary:
        return ()
    lines = []
    for (delta, n_arms), cell in summary.groupby(["delta", "n_arms"], sort=False):
        requested, n_users = cell["until_width"].iloc[0], cell["n_runs"].max()
        widest = (cell["success_high"] - cell["success_low"]).max()
        ended = (
            f"known to within {requested:g} with {n_users} users"
            if widest <= requested
            else f"known to within {widest:.3g}, not {requested:g}, with {n_users} users, the limit"
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
