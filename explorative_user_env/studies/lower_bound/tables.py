"""What the lower bound's experiments found, as tables a person can read."""

import math

import pandas as pd
from rich.table import Table

from explorative_user_env.display.numbers import cost, whole
from explorative_user_env.display.tables import new_table
from explorative_user_env.results.tables import marked, references_of
from explorative_user_env.theory.hard_instances import HardPair
from explorative_user_env.theory.proof_conditions import proof_conditions

FOOTNOTES = (
    "history: the responses that ν and ν' share (arm 2 always accepted, every other arm once), as "
    "UNI meets it; 95% intervals. any agent ≥: its least probability under ν'.",
    "success: least of the two instances. N: UNI, EXP3 and Full-information run to it, T&S is cut "
    "off at it and guesses, BAIR has it as N_1 (and takes longer).",
    "needed: mean interactions at the least N of the grid from which on success is 1 - δ; 'any "
    "agent' in acceptances, a bound; 'standard bandit' sees rewards and may pull any arm, exact.",
)


def footnotes_of(success: pd.DataFrame) -> tuple[str, ...]:
    """Return what the tables' columns mean, and the sign of a reference."""
    return FOOTNOTES + references_of(success)


def sections_of(
    pair: HardPair, overlap: pd.DataFrame, success: pd.DataFrame, needed: pd.DataFrame
) -> dict[str, Table]:
    """Return all tables, by their headings."""
    users = f"α = {pair.alpha:g}, K = {pair.n_arms}"
    runs = f"{success['n_runs'].iloc[0]} users of each instance"
    hard = f"N_0 = {pair.n0}, δ = {pair.delta:g}, gap {pair.epsilon:g}, d = {pair.d:.2f}"
    return {
        f"How often the history is the same for ν and ν' ({users})": overlap_table(overlap),
        f"Success on the worse of ν and ν' ({users}, {hard}, {runs})": success_table(success),
        f"Interactions needed for success 1 - δ ({users})": needed_table(needed),
        f"What the proof takes for granted ({hard})": conditions_table(pair),
    }


def conditions_table(pair: HardPair) -> Table:
    """Return which conditions of the proof hold for the pair."""
    table = new_table(
        ("equation", "condition", "left", "right", "holds"), left=("equation", "condition")
    )
    for row in proof_conditions(pair):
        sides = f"{row.left:.3g}", f"{row.right:.3g}"
        table.add_row(row.where, row.says, *sides, "yes" if row.holds else "no")
    return table


def overlap_table(frame: pd.DataFrame) -> Table:
    """Return what `growth.overlap` found."""
    table = new_table(
        ("N_0", "d", "any agent ≥", "history under ν'", "under ν", "2^(1-K) P[B']", "2δ"),
        left=("N_0",),
    )
    for row in frame.to_dict("records"):
        low, high = row["nu_prime_low"], row["nu_prime_high"]
        table.add_row(
            str(row["n0"]),
            f"{row['d']:.2f}",
            f"{row['overlap']:.2e}",
            f"{row['nu_prime']:.4f} [{low:.4f}, {high:.4f}]",
            f"{row['nu']:.3f}",
            f"{row['overlap_bound']:.2e}",
            f"{row['twice_delta']:.2e}",
        )
    return table


def success_table(frame: pd.DataFrame) -> Table:
    """Return the success of each agent on the worse of the two instances."""
    worse = marked(frame).groupby(["agent", "n"], sort=False)["success"].min().unstack("n")
    table = new_table(("agent", *(f"N={n}" for n in worse.columns)), left=("agent",))
    for agent, row in worse.iterrows():
        table.add_row(str(agent), *(cost(value) for value in row))
    return table


def needed_table(frame: pd.DataFrame) -> Table:
    """Return the interactions that each needs."""
    times = marked(frame).pivot_table(
        index="agent", columns="delta", values="interactions", sort=False, dropna=False
    )
    table = new_table(("agent", *(f"δ={delta:g}" for delta in times.columns)), left=("agent",))
    for agent, row in times.iterrows():
        table.add_row(str(agent), *("-" if math.isnan(value) else whole(value) for value in row))
    return table
