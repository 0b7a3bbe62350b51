"""Many users in step are the single environments in step, to the last bit and the last key."""

import copy
import pickle
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest
from begun import LEAVING, begun, everything
from failing import uncompilable_rule
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from in_step import COUNTS, KINDS, MODES, played
from other_users import low_means
from pairs import pairs

import explorative_user_env as eu
from explorative_user_env.check.environments import exact
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.counts_envs import ExplorativeUserCountsVectorEnv
from explorative_user_env.envs.user import REWARDS
from explorative_user_env.kernels.compiler import can_compile
from explorative_user_env.users.model import acceptance_rate_rule
from explorative_user_env.users.population import PRINTED, SETTINGS


@pytest.mark.slow
@pairs(
    reward=REWARDS, noise=[0.0, 0.2], compiled=[False, True], mode=MODES, setting=sorted(SETTINGS)
)
def test_it_is_gymnasiums_own_vector_of_single_environments(mode, compiled, setting, noise, reward):
    name = eu.ENV_ID if setting == "printed" else COUNTS[eu.ENV_ID]
    n_arms = 2 if reward in ("utility", "none") else 7
    info_level = "full" if reward in ("utility", "realized") else "counts"
    kwargs = {"n_arms": n_arms, "info_level": info_level, "noise": noise}
    kwargs |= {"reward": reward, "setting": setting}
    seen = played(name, mode, compiled, 11, **kwargs)
    assert min(seen["some"] - 3, seen["yes"], seen["no"]) > 0
    assert seen["terminated"] == 0


@pairs(
    mode=MODES,
    compiled=[False, True],
    limit=[None, 6, 13],
    name=[eu.BAI_ENV_ID, COUNTS[eu.BAI_ENV_ID]],
)
def test_users_of_the_task_bai_are_alike_in_both(mode, compiled, limit, name):
    seen = played(name, mode, compiled, limit, noise=0.6)
    assert min(seen["answered"], seen["some"]) > 10
    assert seen["legal"] > 5
    assert (seen["terminated"] > seen["answered"]) == (limit != 6)
    assert (seen["truncated"] > 0) == (limit is not None)


@pairs(
    mode=MODES,
    compiled=[False, True],
    limit=[None, 7, 10],
    name=[eu.POPULATION_ENV_ID, COUNTS[eu.POPULATION_ENV_ID]],
)
def test_users_of_a_population_are_alike_in_both(mode, compiled, limit, name):
    seen = played(name, mode, compiled, limit)
    assert min(seen["new"] - 30, seen["some"] - 3) > 0
    assert limit is not None or seen["terminated"] > 0
    assert (seen["truncated"] > 20) == (limit is not None)


PICTURED = {"render_mode": "ansi", "render_intervals": True}
VARIANTS = [
    (eu.ENV_ID, {"means": low_means, "setting": "released", "gap": 0.1, "alpha": 0.3}),
    (eu.ENV_ID, {"means": "uniform", "gap": 2.0, "rho": 1.5, "reward": "realized"}),
    (eu.ENV_ID, {"rho": eu.Schedule(acceptance_rate_rule, 0.5, 3.0, (0.3, 0.7)), "noise": 1}),
    (eu.ENV_ID, {"setting": replace(PRINTED, private_draws=2, rho_refresh="acceptance")}),
    (eu.ENV_ID, LEAVING | {"render_mode": "ansi", "noise": 0.1}),
    (eu.BAI_ENV_ID, {"info_level": "full", "setting": "released", "alpha": 0.5, "gap": 2.0}),
    (eu.BAI_ENV_ID, PICTURED | {"noise": 0.6}),
    (eu.BAI_ENV_ID, LEAVING | {"render_mode": "svg"}),
    (eu.POPULATION_ENV_ID, {"info_level": "full", "setting": "released", "reward": "realized"}),
    # Rejected by chance, so that a picture of a new user would show the decision of the last.
    (eu.POPULATION_ENV_ID, PICTURED | {"horizon": 8, "noise": 1.0, "gap": 9.0, "alpha": 0.1}),
    (eu.POPULATION_ENV_ID, {"horizon": 1, "n_users": 2, "noise": 0.0, "reward_law": "bounded"}),
    (eu.POPULATION_ENV_ID, {"n_users": 1, "deviation": 0.0, "gap": 1.0, "behaviour": "logistic"}),
]


@pytest.mark.slow
@pairs(variant=VARIANTS, compiled=[False, True], mode=MODES)
def test_all_kinds_of_users_are_alike_in_both(variant, compiled, mode):
    name, kwargs = variant
    seen = played(name, mode, compiled, 11 if name == eu.ENV_ID else None, **kwargs)
    assert name != eu.ENV_ID or seen["some"] > 3
    assert name != eu.BAI_ENV_ID or seen["answered"] > 3
    assert (seen["terminated"] > 5) == (name != eu.ENV_ID or "impatient" in str(kwargs))
    assert (seen["new"] > 0) == (name == eu.POPULATION_ENV_ID and kwargs.get("n_users") != 1)


@pytest.mark.compiler
@pytest.mark.parametrize("name", [*COUNTS, *COUNTS.values()])
def test_gymnasium_makes_it_by_the_id_compiled_from_64_on_and_its_own_still_the_same(name):
    given = {"n_arms": 3, "noise": 0.2}
    given |= {"n_users": 2, "horizon": 3} if "Population" in name else {"horizon": 7}
    limit = {"max_episode_steps": 5} if name in (eu.ENV_ID, *COUNTS.values()) else {}
    many = gym.make_vec(name, 64, **limit, **given)
    sync = gym.make_vec(name, 64, vectorization_mode="sync", **limit, **given)
    assert isinstance(sync, SyncVectorEnv)
    assert type(many.unwrapped) is KINDS[name]
    assert gym.vector.VectorEnv in type(many.unwrapped).__bases__
    assert (many.num_envs, many.spec.id, many.closed) == (64, name, False)
    assert many.unwrapped.max_episode_steps == limit.get("max_episode_steps")
    assert exact(many.reset(seed=1)) == exact(sync.reset(seed=1))
    assert many.unwrapped.compiled == can_compile()
    for actions in np.random.default_rng(0).integers(many.single_action_space.n, size=(12, 64)):
        assert exact(many.step(actions)) == exact(sync.step(actions))
    few = gym.make_vec(name, 63, **given)
    few.reset(seed=0)
    assert not few.unwrapped.compiled


def test_a_lane_ends_after_1000_steps_and_without_a_time_limit_never():
    assert gym.make_vec(eu.ENV_ID, 2).unwrapped.max_episode_steps == 1000
    vector = gym.make_vec(eu.ENV_ID, 2, max_episode_steps=-1)  # as for `gym.make`
    vector.reset(seed=0)
    assert not any(vector.step([0, 1])[3].any() for _ in range(1001))


@pytest.mark.parametrize("seed", [None, 8, (8, 9, 10), np.array([8, 9, 10]), [8, None, 10]])
def test_seeds_are_a_number_or_one_each_or_none_for_a_stream_that_goes_on(seed):
    vector, fresh = begun(False), eu.ExplorativeUserVectorEnv(3, n_arms=4, noise=0.1)
    fresh.reset()
    assert len({*fresh.instances(), *vector.instances()}) == 6
    if seed is None:
        vector = fresh
    else:
        vector.reset(seed=seed)
        assert vector.np_random_seed == (8, 6 if isinstance(seed, list) else 9, 10)
    for lane, truth in enumerate(vector.hidden_states()):
        env = vector.single()
        env.reset(seed=vector.np_random_seed[lane])
        assert (env.hidden_state() == truth) == (lane != 1 or not isinstance(seed, list))


KINDS_COPIED = [
    eu.ExplorativeUserVectorEnv,
    ExplorativeUserBAIVectorEnv,
    ExplorativeUserCountsVectorEnv,
]


@pairs(
    kind=KINDS_COPIED,
    copied=[copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))],
    compiled=[False, True],
    mode=MODES,
)
def test_a_copy_goes_on_alike_and_apart(kind, copied, compiled, mode):
    vector = begun(compiled, kind, noise=0.5, autoreset_mode=mode, max_episode_steps=9)
    twin = copied(vector)
    for t, actions in enumerate(np.random.default_rng(1).integers(4, size=(25, 3))):
        if mode == AutoresetMode.DISABLED and t in (7, 16):
            one, other = (each.reset() for each in (vector, twin))
            assert exact(one) == exact(other)
        assert exact(twin.step(actions)) == exact(vector.step(actions))
        assert everything(twin) == everything(vector)
    if mode != AutoresetMode.DISABLED:
        before = everything(vector)
        twin.step([0, 1, 2])
        assert everything(vector) == before != everything(twin)


@pytest.mark.exhaustive
@pytest.mark.compiler
def test_a_rule_that_does_not_compile_runs_plain_to_the_same_result():
    rho = eu.Schedule(uncompilable_rule, 1.0, 2.0)
    vector, plain = (
        eu.ExplorativeUserVectorEnv(3, 9, compiled=compiled, n_arms=3, rho=rho)
        for compiled in (True, False)
    )
    with pytest.warns(UserWarning, match="the rule of rho_t does not compile: ") as warned:
        assert exact(vector.reset(seed=1)) == exact(plain.reset(seed=1))
    assert len(warned) == 1
    assert not vector.compiled
    assert all(exact(vector.step([t, 0, 2])) == exact(plain.step([t, 0, 2])) for t in (0, 1, 2))


def scribble(value, junk):
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict):
            scribble(each, junk)
        elif isinstance(each, np.ndarray):
            each[:] = junk


@pairs(
    mode=MODES,
    compiled=[False, True],
    info_level=["counts", "full"],
    limit=[5, None],
    kind=KINDS_COPIED,
)
def test_arrays_that_are_handed_out_are_nobody_elses(mode, compiled, info_level, limit, kind):
    kwargs = {"autoreset_mode": mode, "max_episode_steps": limit, "info_level": info_level}
    vector, twin = (begun(compiled, kind, **kwargs) for _ in range(2))
    for t, actions in enumerate(np.random.default_rng(2).integers(4, size=(14, 3))):
        one, other = vector.step(actions), twin.step(actions.copy())
        assert exact(one) == exact(other)
        truncated = other[3].copy()
        scribble((*one, actions), t % 2)
        if t % 6 == 1 or (mode == AutoresetMode.DISABLED and truncated.any()):
            mask, means = truncated | (np.arange(3) == 1), np.arange(4.0)
            options = {"reset_mask": mask, "means": means}
            one_reset = vector.reset(options=options)
            assert [*options] == ["reset_mask", "means"]
            kept = {"reset_mask": mask.copy(), "means": means.copy()}
            assert exact(one_reset) == exact(twin.reset(options=kept))
            scribble((*one_reset, mask, means), 0)
    assert everything(vector) == everything(twin)
