"""Lanes in compiled code, where they could differ from the plain ones of `test_vector`."""

from typing import Any

import numpy as np
import pytest
from failing import uncompilable_rule

pytest.importorskip("numba")


from explorative_user_env import ExplorativeUserVectorEnv, Schedule
from explorative_user_env.envs.compiled_lanes import CompiledLanes
from explorative_user_env.envs.lanes import Lanes, Step
from explorative_user_env.users.instances import InstanceLaw
from explorative_user_env.users.population import Population, Setting

N_LANES = 23
EVERY = np.arange(N_LANES)


def both(setting: Setting) -> tuple[Lanes, CompiledLanes]:
    population = Population(setting=setting, n_arms=5)
    first, second = ([np.random.default_rng(50 + lane) for lane in EVERY] for _ in range(2))
    return Lanes(population, "regret", first), CompiledLanes(population, "regret", second)


def step_in(lanes: Lanes, arms: Any) -> list[Any]:
    step = Step.blank(N_LANES)
    assert lanes.respond(None, arms, step)
    return [values.tolist() for values in step]


def left(lanes: Lanes) -> list[Any]:
    truths = [lanes.hidden_state(lane) for lane in range(N_LANES)]
    return [*truths, *(rng.bit_generator.state for rng in lanes.rngs)]


def test_compiled_lanes_are_the_plain_ones_beyond_the_ends_of_the_tables(setting: Setting) -> None:
    plain, compiled = both(setting)
    rows = compiled._rows
    short = {name: getattr(rows, name)[:20] for name in ("logarithms", "inverse_roots")}
    compiled._rows = rows._replace(**short)
    for lanes in (plain, compiled):
        lanes.begin(EVERY, InstanceLaw(5, "uniform", gap=0.1))
    for t in range(300):
        arms = np.full(N_LANES, t % 5)
        assert step_in(plain, arms) == step_in(compiled, arms)
    assert left(plain) == left(compiled)
    assert max(max(plain.hidden_state(lane).counts) for lane in range(N_LANES)) > 40


@pytest.mark.slow
def test_a_rule_that_does_not_compile_runs_plain_to_the_same_result() -> None:
    def played(compiled: bool) -> list[Any]:
        schedule = Schedule(uncompilable_rule, 1.0, 2.0)
        vector = ExplorativeUserVectorEnv(3, 9, compiled=compiled, n_arms=3, rho=schedule)
        vector.reset(seed=1)
        assert not vector.compiled
        rewards = [vector.step([t % 3, 0, 2])[1].tolist() for t in range(30)]
        return [rewards, vector.hidden_states()]

    with pytest.warns(UserWarning, match="the rule of rho_t does not compile: ") as warned:
        fallen_back = played(compiled=True)
    assert len(warned) == 1
    assert fallen_back == played(compiled=False)
