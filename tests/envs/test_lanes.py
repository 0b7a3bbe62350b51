"""The lanes in compiled code are the plain ones, to the last bit."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from pairs import pairs

pytest.importorskip("numba")


from explorative_user_env import ExplorativeUserVectorEnv, InvalidArgumentError, Schedule
from explorative_user_env.envs.compiled_lanes import CompiledLanes
from explorative_user_env.envs.lanes import Lanes, Step
from explorative_user_env.envs.user import REWARDS
from explorative_user_env.kernels.words import row_of, user_rows
from explorative_user_env.users.instances import LAWS, InstanceLaw
from explorative_user_env.users.model import StateTuple, acceptance_rate_rule, blank_state
from explorative_user_env.users.population import PRINTED, SETTINGS, Population, Setting

N_LANES = 23
JUNK = -7
EVERY = np.arange(N_LANES)


def both(setting: Setting, reward: str = "regret", **user: Any) -> tuple[Lanes, CompiledLanes]:
    population = Population(setting=setting, **{"n_arms": 5} | user)
    first, second = ([np.random.default_rng(50 + lane) for lane in EVERY] for _ in range(2))
    return Lanes(population, reward, first), CompiledLanes(population, reward, second)


def scribbled() -> Step:
    return Step(*(np.full(N_LANES, JUNK, values.dtype) for values in Step.blank(N_LANES)))


def step_in(lanes: Lanes, which: Any, arms: Any) -> list[Any]:
    step = scribbled()
    assert lanes.respond(which, arms, step)
    return [values.tolist() for values in step]


def left(lanes: Lanes) -> list[Any]:
    truths = [lanes.hidden_state(lane) for lane in range(N_LANES)]
    return [*truths, *(rng.bit_generator.state for rng in lanes.rngs)]


@pairs(
    means=[*LAWS, [0.0, 2.0, 1.0, 2.0, 1.5]],
    noise=[0.0, 0.2],
    reward=REWARDS,
    setting=SETTINGS.values(),
)
def test_compiled_lanes_are_the_plain_ones(
    setting: Setting, reward: str, noise: float, means: Any
) -> None:
    plain, compiled = both(setting, reward, noise=noise)
    law, draws, heard = InstanceLaw(5, means, gap=0.3), np.random.default_rng(0), set()
    for lanes in (plain, compiled):
        lanes.begin(EVERY, law)
    for t in range(80):
        arms = draws.integers(5, size=N_LANES)
        some = np.flatnonzero(draws.random(N_LANES) < 0.6)
        which = None if t % 3 else some
        one = step_in(plain, which, arms)
        assert one == step_in(compiled, which, arms)
        heard |= {one[0][lane] for lane in (EVERY if t % 3 else some)}
        if t % 20 == 11:
            for lanes in (plain, compiled):
                lanes.reseed(some[2], np.random.default_rng(t))
                lanes.begin(some[:9], law)
    assert left(plain) == left(compiled)
    assert plain.instances() == compiled.instances()
    assert plain.best_arms(some).tolist() == compiled.best_arms(some).tolist()
    assert heard == {0, 1}


def test_it_is_so_beyond_the_ends_of_the_tables(setting: Setting) -> None:
    plain, compiled = both(setting)
    rows = compiled._rows
    short = {name: getattr(rows, name)[:20] for name in ("logarithms", "inverse_roots")}
    compiled._rows = rows._replace(**short)
    for lanes in (plain, compiled):
        lanes.begin(EVERY, InstanceLaw(5, "uniform", gap=0.1))
    for t in range(300):
        arms = np.full(N_LANES, t % 5)
        assert step_in(plain, None, arms) == step_in(compiled, None, arms)
    assert left(plain) == left(compiled)
    assert max(max(plain.hidden_state(lane).counts) for lane in range(N_LANES)) > 40


def test_a_gap_that_is_lost_in_rounding_is_told_alike() -> None:
    law = InstanceLaw(5, lambda n_arms, rng: rng.random(n_arms), gap=1e-30)
    told = set()
    for lanes in both(PRINTED):
        with pytest.raises(InvalidArgumentError, match="gap must be large enough") as caught:
            lanes.begin(EVERY[3:], law)
        told.add(str(caught.value))
    assert len(told) == 1


def test_every_number_of_every_user_has_a_place_of_its_own() -> None:
    user = Population(setting=PRINTED, n_arms=3).user
    rows, blank, names = user_rows(user, 2), blank_state(user), StateTuple._fields[:-2]
    expected, number = [], 1
    for lane in range(2):
        for name in names:
            values = getattr(row_of(rows, lane), name)
            assert values.size == len(getattr(blank, name))
            assert values.dtype.kind == "if"[isinstance(getattr(blank, name)[0], float)]
            expected.append(list(range(number, number + values.size)))
            values[:] = expected[-1]
            number += values.size
    found = [getattr(row_of(rows, lane), name).tolist() for lane in range(2) for name in names]
    assert found == expected


# Rules of rho_t


def through_fractions(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    return float(1 + Fraction(n, t))


@pytest.mark.slow
def test_a_rule_that_does_not_compile_runs_plain_to_the_same_result() -> None:
    def played(schedule: Schedule, compiled: bool) -> list[Any]:
        vector = ExplorativeUserVectorEnv(3, 9, compiled=compiled, n_arms=3, rho=schedule)
        vector.reset(seed=1)
        assert not vector.compiled
        rewards = [vector.step([t % 3, 0, 2])[1].tolist() for t in range(30)]
        return [rewards, vector.hidden_states()]

    schedule = Schedule(through_fractions, 1.0, 2.0)
    with pytest.warns(UserWarning, match="the rule of rho_t does not compile: ") as warned:
        fallen_back = played(schedule, compiled=True)
    assert len(warned) == 1
    assert "\n" not in str(warned[0].message)
    assert fallen_back == played(schedule, compiled=False)
    assert fallen_back == played(Schedule(acceptance_rate_rule, 1.0, 2.0), compiled=False)
