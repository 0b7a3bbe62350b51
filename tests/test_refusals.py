"""What is no option at all is refused by name wherever it is handed over."""

from typing import Any

import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env import theory
from explorative_user_env.agents import SuccessiveElimination, agent_named
from explorative_user_env.studies.lower_bound import overlap
from explorative_user_env.studies.suite import robustness
from explorative_user_env.studies.tuning import TunedAgent, tune_n1
from explorative_user_env.users.instances import InstanceLaw
from explorative_user_env.users.population import title_of

NO_TRUTH = np.array([1.0, 2.0])
"""Neither true nor false."""
NO_LIST = np.array(1)
"""It can be gone through, it says."""

RUN: dict[str, Any] = {"n_instances": 2, "max_steps": 9, "progress": False}


def failing(n_arms: int, rng: np.random.Generator) -> list[float]:
    raise LookupError("no")


def env() -> eu.ExplorativeUserEnv:
    return eu.ExplorativeUserEnv(n_arms=2)


CALLS: dict[str, Any] = {
    "agent must be one of": lambda: agent_named(3),  # type: ignore[arg-type]
    "m must be": lambda: SuccessiveElimination(m=NO_TRUTH).reset(2, np.random.default_rng(0)),
    "setting must be a Setting": lambda: title_of("printed"),  # type: ignore[arg-type]
    "within must be None or (least, largest)": lambda: InstanceLaw(2, within=(1.0, 0.0)),
    "means (failing) raised LookupError: no (when tried)": lambda: eu.ExplorativeUserEnv(
        reward_law="bernoulli", means=failing
    ),
    "trained_on must be None or a cell": lambda: TunedAgent(3, trained_on=[1]),  # type: ignore[arg-type]
    "name must be a str": lambda: eu.RewardLaw(3, print),  # type: ignore[arg-type]
    "options must be a dict": lambda: env().reset(options=NO_TRUTH),  # type: ignore[arg-type]
    "max_episode_steps must be": lambda: eu.ExplorativeUserVectorEnv(max_episode_steps=NO_TRUTH),  # type: ignore[arg-type]
    "max_episode_steps must be an integer of at least 1": lambda: eu.ExplorativeUserVectorEnv(
        max_episode_steps=0
    ),
    "compiled must be True or False": lambda: eu.evaluate(["BAIR"], compiled=NO_TRUTH, **RUN),  # type: ignore[arg-type]
    "progress must be True, False or a callable": lambda: eu.evaluate(["BAIR"], progress=NO_TRUTH),  # type: ignore[arg-type]
    "agents must be a list": lambda: eu.evaluate(NO_LIST, **RUN),  # type: ignore[arg-type]
    "deltas must be a list": lambda: eu.sweep(["BAIR"], deltas=NO_LIST, **RUN),  # type: ignore[arg-type]
    "n_arms must be a list of at least one": lambda: eu.sweep(["BAIR"], n_arms=[], **RUN),
    "commits must be True or False": lambda: eu.rollout(env(), "BAIR", 0, commits=NO_TRUTH),  # type: ignore[arg-type]
    "delta must be": lambda: eu.rollout(env(), "BAIR", 0, delta=NO_TRUTH),  # type: ignore[arg-type]
    "error must be at least": lambda: tune_n1(error=5e-324),
    "users must be a list": lambda: robustness(users=NO_LIST),  # type: ignore[arg-type]
    "users (each) must be a Variety": lambda: robustness(users=["paper"]),  # type: ignore[list-item]
    "n0s must be a list": lambda: overlap(NO_LIST),  # type: ignore[arg-type]
    "n0s must be at least one number": lambda: overlap([]),
    "alpha must be small enough": lambda: theory.elimination_bound(0.5, 9, 2, 0.1, alpha=1e308),
    "n1 must be small enough": lambda: theory.phase1_rejections_bound(1e308, 2, 0.1),
}


@pytest.mark.parametrize("told", CALLS)
def test_it_is_named_in_one_line(told: str) -> None:
    with pytest.raises(eu.InvalidArgumentError) as refused:
        CALLS[told]()
    assert str(refused.value).startswith(told)
    assert len(str(refused.value).splitlines()) == 1
