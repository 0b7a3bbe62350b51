"""The hand-written agent that options make best with the users of a task, chosen on other users.

A trained policy was fitted to its users; it would be no feat to beat agents that were not. Here is
what an engineer would try, as a list, and the best of it.
"""

from collections.abc import Iterator
from typing import Any

import explorative_user_env as eu
from explorative_user_env.agents import (
    BAIR,
    UCB1,
    AlgorithmAgent,
    SuccessiveElimination,
    Thompson,
    TransferElimination,
)
from explorative_user_env.protocol import POPULATION
from explorative_user_env.seeding import tuning_seed

MS = (1, 2, 3, 4, 5, 6, 8)
"""Rejections that eliminate an arm."""

N1S = (10, 25, 50, 100, 200)
"""Acceptances of BAIR's Phase 1, by whatever delta they come about."""

EXPLORATIONS = (0.001, 0.003, 0.005, 0.01, 0.015, 0.02, 0.03, 0.1, 0.3, 1.0)
PRIORS = (
    *((1.0, 0.1), (1.0, 0.3), (0.3, 0.1), (2.0, 0.5), (3.0, 1.0)),
    *((5.0, 1.0), (10.0, 1.0), (10.0, 0.3), (30.0, 1.0), (1.0, 2.0)),
)
CAUTIONS = (0.0, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0)


def ways(task: str) -> list[AlgorithmAgent]:
    """Return agents with many options, each by its name; "population" has some more."""
    return [*_eliminations(), *_references(), *(_carriers() if task == POPULATION.name else ())]


def _eliminations() -> Iterator[AlgorithmAgent]:
    for m in MS:
        for which in ("all", "consecutive") if m > 1 else ("all",):
            name = f"SE, m = {m}, {which}" if m > 1 else "SE, m = 1"
            yield SuccessiveElimination(m=m, rejections=which, name=name)
    for m in (1, 2, 3, 4):
        for n1 in N1S:
            yield BAIR(n1=n1, m=m, rejections="consecutive", name=f"BAIR, m = {m}, N_1 = {n1}")


def _references() -> Iterator[AlgorithmAgent]:
    for c in EXPLORATIONS:
        yield UCB1(exploration=c, name=f"UCB1, c = {c:g}")
    for a, b in PRIORS:
        yield Thompson(prior=(a, b), name=f"Thompson, a = {a:g}, b = {b:g}")


def _carriers() -> Iterator[AlgorithmAgent]:
    for caution in CAUTIONS:
        yield TransferElimination(caution=caution, name=f"SE-transfer, caution = {caution:g}")


def best_way(seed: int, **met: Any) -> AlgorithmAgent:
    """Return the agent with the least regret, of all `ways`; its name says how it was tuned.

    Args:
        seed: of the study whose users are to be others.
        met: whom they meet, as arguments of `evaluate`.
    """
    tried = {agent.name: agent for agent in ways(met["task"])}
    results = eu.evaluate(list(tried.values()), seed=tuning_seed(seed), progress=False, **met)
    means = results.runs.groupby("agent", sort=False)["regret"].mean()
    best = tried[str(means.idxmin())]
    return AlgorithmAgent(best.algorithm, best.options, f"tuned: {best.name}")
