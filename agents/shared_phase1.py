"""BAIR's Phase 1 alone, and before any algorithm, which then meets a prepared user.

The paper asks whether its baselines do better with a user who has been through Phase 1 (experiments
with shared Phase 1). They are told nothing of it: neither what was recommended nor the responses.
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
    """Return BAIR's arm; `STOP` when Phase 1 is over."""
    return STOP if state.part[0] == bair.ELIMINATION else state.current[0]


#: BAIR's record, which ends with Phase 1.
PHASE1 = dataclasses.replace(bair.ALGORITHM, act=act_in_phase1)


@agent_maker(PHASE1, name="Phase 1", options=("n1", "phase1_counts", "first_sweep"))
def Phase1() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return BAIR's Phase 1 (Algorithm 1) alone; its answer is the most accepted arm.

    Args:
        n1: as in `BAIR`, like the other options.
        phase1_counts: what is compared with N_1.
        first_sweep: "full" or "skipping".
    """


class Params(NamedTuple):
    """The numbers of a run."""

    phase1: Any  # BAIR's
    own: Any  # the algorithm's


class State(NamedTuple):
    """What is remembered, by each for itself."""

    phase1: Any
    own: Any
    prepared: list[int]  # [1 once Phase 1 is over]


def after_phase1(agent: AlgorithmAgent, **phase1: Any) -> AlgorithmAgent:
    """Return an agent that runs BAIR's Phase 1 and then `agent`, which knows nothing of it.

    Its steps count from the first of Phase 1; those of `Phase1` with the same user are the same and
    can be taken off.

    Args:
        agent: the agent that meets the prepared user; its step cap and name stay.
        **phase1: BAIR's options for Phase 1.

    Raises:
        InvalidArgumentError: naming the option that is out of range.
    """
    explain_own = agent.algorithm.explain

    def explain(params: Params, state: State) -> Mapping[str, Any]:
        if state.prepared[0] == 0:
            return bair.explain(params.phase1, state.phase1)
        return {} if explain_own is None else explain_own(params.own, state.own)

    whole = dataclasses.replace(_composed(agent.algorithm), explain=explain)
    return AlgorithmAgent(whole, {**agent.options, **phase1}, agent.name, agent.max_steps)


@functools.cache
def _composed(algorithm: Algorithm) -> Algorithm:
    """Return Phase 1 followed by `algorithm`, as one record."""
    start_own, act_own = algorithm.start, algorithm.act
    observe_own, verdict_own = algorithm.observe, algorithm.verdict

    def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
        phase1 = bair.prepare(options, n_arms, None)
        return Params(phase1, algorithm.prepare(options, n_arms, horizon))

    def blank(params: Params) -> State:
        return State(bair.blank(params.phase1), algorithm.blank(params.own), [0])

    def start(params: Params, state: State, rng: np.random.Generator) -> None:
        bair.start(params.phase1, state.phase1, rng)
        start_own(params.own, state.own, rng)
        state.prepared[0] = 0

    def act(params: Params, state: State, rng: np.random.Generator) -> int:
        if state.prepared[0] == 0:
            arm = act_in_phase1(params.phase1, state.phase1, rng)
            if arm != STOP:
                return arm
            state.prepared[0] = 1
        return act_own(params.own, state.own, rng)

    def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
        if state.prepared[0] == 0:
            bair.observe(params.phase1, state.phase1, arm, accepted)
        else:
            observe_own(params.own, state.own, arm, accepted)

    def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
        return verdict_own(params.own, state.own, rng)

    return Algorithm(
        algorithm.name,
        *(prepare, blank, start, act, observe, verdict),
        defaults={**bair.ALGORITHM.defaults, **algorithm.defaults},
        stops_itself=algorithm.stops_itself,
    )
