"""What holds of the numbers of every run: of rows that nobody can run again, too."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from explorative_user_env.protocol import Array
from explorative_user_env.results.columns import regrets_by_user
from explorative_user_env.verification.claims import CellClaim
from explorative_user_env.verification.findings import Finding
from explorative_user_env.verification.rows import EQUAL_WITHIN, members_in

MOST_TOLD_OF_AN_AGENT = 5


def broken_identities(claim: CellClaim, agent: str) -> Iterator[Finding]:
    """Yield which rows of an agent have numbers that contradict each other, the first of them."""
    runs = claim.runs(agent)
    if not len(runs):
        return
    broken: dict[int, str] = {}
    for words, holds in _identities(claim, runs):
        for instance in runs["instance"][~holds].tolist():
            broken.setdefault(instance, words)
    for instance, words in [*broken.items()][:MOST_TOLD_OF_AN_AGENT]:
        line = f"{claim.where(agent)}, instance {instance}: it does not hold that {words}"
        yield Finding("row", line, claim.cell, agent, instance)


def _identities(claim: CellClaim, runs: pd.DataFrame) -> Iterator[tuple[str, Array]]:
    """Yield what holds of runs, and of which it does; nothing that rests on a missing column."""
    results = claim.results
    assert results is not None
    setting = results.population.setting
    private = setting.private_draws * results.population.n_arms
    if {"stopping_time", "interactions"} <= {*runs}:
        reported = private if setting.counts_private_draws else 0
        same = runs["stopping_time"] == runs["interactions"] + reported
        yield "stopping_time is what interactions say", _of(same)
    if {"interactions", "acceptances", "rejections"} <= {*runs}:
        beyond = runs["acceptances"] + runs["rejections"] - runs["interactions"]
        yield "interactions are acceptances + rejections", _of(beyond.isin([0, private]))
    if {"correct", "answer", "best_arm"} <= {*runs}:
        right = runs["answer"] == runs["best_arm"]
        yield "correct says whether answer is best_arm", _of(runs["correct"] == right)
    if {"censored", "left"} <= {*runs}:
        yield "a run is censored or left", _of(~(runs["censored"] & runs["left"]))
    if {"acceptances", "interactions"} <= {*runs}:
        possible = runs["acceptances"].between(0, runs["interactions"])
        yield "acceptances are among interactions", _of(possible)
    members = members_in(claim.told)
    if members is not None and "regret_by_user" in runs:
        yield "regret is the sum of regret_by_user", _sums_held(runs, members.n_users)


def _of(column: pd.Series) -> Array:
    return np.asarray(column, bool)


def _sums_held(runs: pd.DataFrame, n_users: int) -> Array:
    """Return where an episode's regret is the sum of that with each of its users."""
    parts = [len(words.split()) for words in runs["regret_by_user"]]
    if set(parts) != {n_users}:
        return np.array([n_parts == n_users for n_parts in parts])
    sums = regrets_by_user(runs).sum(axis=1)
    close: Array = np.isclose(sums, runs["regret"], rtol=EQUAL_WITHIN, atol=EQUAL_WITHIN)
    return close
