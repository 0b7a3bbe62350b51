"""The best hand-written agent for a task after tuning its options on other users.

A trained policy is fitted to the users of its task, so a fair comparison needs agents that are,
too. This module lists the options that an engineer would try, and selects the best.
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
"""m of SE: rejections that eliminate an arm."""

N1S = (10, 25, 50, 100, 200)
"""N_1 of BAIR: acceptances of Phase 1, set directly instead of by delta."""

EXPLORATIONS = (0.001, 0.003, 0.005, 0.01, 0.015, 0.02, 0.03, 0.1, 0.3, 1.0)
PRIORS = (
    *((1.0, 0.1), (1.0, 0.3), (0.3, 0.1), (2.0, 0.5), (3.0, 1.0)),
    *((5.0, 1.0), (10.0, 1.0), (10.0, 0.3), (30.0, 1.0), (1.0, 2.0)),
)
CAUTIONS = (0.0, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0)


def candidates(task: str) -> list[AlgorithmAgent]:
    """Return agents with many values of their options, which their names state."""
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


def best_agent(seed: int, **options: Any) -> AlgorithmAgent:
    """Return the agent of `candidates` with the least regret; its name states its options.

    Args:
        seed: seed of the study; tuning uses other users than the study.
        options: task and users, as arguments of `evaluate`.
    """
    agents = {agent.name: agent for agent in candidates(options["task"])}
    results = eu.evaluate(list(agents.values()), seed=tuning_seed(seed), progress=False, **options)
    means = results.runs.groupby("agent", sort=False)["regret"].mean()
    best = agents[str(means.idxmin())]
    return AlgorithmAgent(best.algorithm, best.options, f"tuned: {best.name}")
