"""BAIR's Phase 1 alone, and Phase 1 followed by another algorithm.

The paper asks whether its baselines do better if Phase 1 comes before them (experiments with shared
Phase 1). The baselines do not see the recommendations and responses of Phase 1.
"""

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Algorithm

from . import bair
from .adapter import AlgorithmAgent, agent_maker


def act_in_phase1(params: bair.Params, state: bair.State, rng: np.random.Generator) -> int:
    """Return the arm that BAIR recommends in Phase 1, or `STOP` after Phase 1."""
    return STOP if state.part[0] == bair.ELIMINATION else state.current[0]


#: BAIR's record with a run that ends after Phase 1.
PHASE1 = dataclasses.replace(bair.ALGORITHM, act=act_in_phase1)


@agent_maker(PHASE1, name="Phase 1", options=("n1", "phase1_counts", "first_sweep"))
def Phase1() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return BAIR's Phase 1 (Algorithm 1) alone. Its answer is the most accepted arm.

    Args:
        n1: as in `BAIR`.
        phase1_counts: "acceptances" or "steps", as in `BAIR`.
        first_sweep: "full" or "skipping", as in `BAIR`.
    """


class Params(NamedTuple):
    """The parameters of a run."""

    phase1: Any  # parameters of BAIR
    second: Any  # parameters of the algorithm that runs after Phase 1


class State(NamedTuple):
    """The state of BAIR, and of the algorithm after Phase 1."""

    phase1: Any
    second: Any
    prepared: list[int]  # [1 if Phase 1 is over, else 0]


def after_phase1(agent: AlgorithmAgent, **phase1: Any) -> AlgorithmAgent:
    """Return an agent that runs BAIR's Phase 1 and then `agent`, which does not see Phase 1.

    The stopping time includes Phase 1. To subtract Phase 1, run the agent `Phase1` with the same
    user: it makes the same recommendations.

    Args:
        agent: the agent that runs after Phase 1; the returned agent has the same step cap and name.
        **phase1: BAIR's options for Phase 1.

    Raises:
        InvalidArgumentError: if an option is out of range; the message names it.
    """
    explain_second = agent.algorithm.explain

    def explain(params: Params, state: State) -> Mapping[str, Any]:
        if state.prepared[0] == 0:
            return bair.explain(params.phase1, state.phase1)
        return {} if explain_second is None else explain_second(params.second, state.second)

    composed = dataclasses.replace(_composed(agent.algorithm), explain=explain)
    return AlgorithmAgent(composed, {**agent.options, **phase1}, agent.name, agent.max_steps)


@functools.cache
def _composed(algorithm: Algorithm) -> Algorithm:
    """Return the record of an algorithm that runs Phase 1 and then `algorithm`."""
    start_second, act_second = algorithm.start, algorithm.act
    observe_second, verdict_second = algorithm.observe, algorithm.verdict

    def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
        phase1 = bair.prepare(options, n_arms, None)
        return Params(phase1, algorithm.prepare(options, n_arms, horizon))

    def blank(params: Params) -> State:
        return State(bair.blank(params.phase1), algorithm.blank(params.second), [0])

    def start(params: Params, state: State, rng: np.random.Generator) -> None:
        bair.start(params.phase1, state.phase1, rng)
        start_second(params.second, state.second, rng)
        state.prepared[0] = 0

    def act(params: Params, state: State, rng: np.random.Generator) -> int:
        if state.prepared[0] == 0:
            arm = act_in_phase1(params.phase1, state.phase1, rng)
            if arm != STOP:
                return arm
            state.prepared[0] = 1
        return act_second(params.second, state.second, rng)

    def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
        if state.prepared[0] == 0:
            bair.observe(params.phase1, state.phase1, arm, accepted)
        else:
            observe_second(params.second, state.second, arm, accepted)

    def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
        return verdict_second(params.second, state.second, rng)

    return Algorithm(
        algorithm.name,
        *(prepare, blank, start, act, observe, verdict),
        defaults={**bair.ALGORITHM.defaults, **algorithm.defaults},
        stops_itself=algorithm.stops_itself,
    )
