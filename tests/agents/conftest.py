"""What the tests of the agents share: agents and scripted responses."""

from collections.abc import Callable

import numpy as np
import pytest

from explorative_user_env.agents import AGENTS, ALGORITHMS, CARRIERS, REFERENCES, AlgorithmAgent
from explorative_user_env.protocol import Agent

Respond = Callable[[int, int], bool]
"""The response to (step, arm)."""


@pytest.fixture(params=sorted(ALGORITHMS))
def make(request: pytest.FixtureRequest) -> Callable[..., AlgorithmAgent]:
    """What makes an agent, each of the package's in turn; SE is BAIR by another name."""
    return (AGENTS | REFERENCES | CARRIERS)[request.param]


def _drive(
    agent: Agent,
    n_arms: int,
    respond: Respond,
    n_steps: int = 10_000,
    seed: int = 0,
    horizon: int | None = None,
) -> list[int]:
    agent.reset(n_arms, np.random.default_rng(seed), horizon)
    arms: list[int] = []
    while len(arms) < n_steps:
        arm = agent.act()
        if arm is None:
            break
        agent.observe(arm, respond(len(arms), arm))
        arms.append(arm)
    return arms


@pytest.fixture(scope="session")
def drive() -> Callable[..., list[int]]:
    """Run an agent on scripted responses: the arms it recommended until it stopped."""
    return _drive
