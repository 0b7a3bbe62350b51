"""Gymnasium's interface of one user, for all ids: checkers, specifications, copies, streams."""

import doctest
import pickle

import gymnasium as gym
import numpy as np
import pytest
from begun import LEAVING, arms, check_for_sb3, play
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

import explorative_user_env as eu
from explorative_user_env.check.environments import exact
from explorative_user_env.envs import BAI_COUNTS_ENV_ID, POPULATION_COUNTS_ENV_ID, counts_envs
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.envs.population import ExplorativePopulationEnv

FULL = {"setting": "released", "info_level": "full", "reward": "realized"}

CHECKED = [
    (eu.ENV_ID, FULL | LEAVING | {"render_mode": "ansi", "noise": 0.2}),
    (eu.BAI_ENV_ID, LEAVING | {"info_level": "full", "mask": "none", "step_cost": 0.0}),
    (eu.POPULATION_ENV_ID, {"n_users": 2, "horizon": 1, "info_level": "full"}),
    (eu.COUNTS_ENV_ID, FULL | {"n_arms": 2, "reward_law": "bernoulli", "horizon": 20}),
    (BAI_COUNTS_ENV_ID, LEAVING | {"mask": "rejections or end", "horizon": 9}),
    (POPULATION_COUNTS_ENV_ID, {"n_users": 2, "horizon": 3, "render_mode": "ansi"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kwargs"), CHECKED)
def test_checkers_accept_the_environment(name, kwargs):
    env = gym.make(f"explorative_user_env:{name}", **kwargs)
    # Other libraries look for Gymnasium's classes among the direct bases.
    assert gym.Env in type(env.unwrapped).__bases__
    check_env(env.unwrapped, skip_render_check=True)
    check_for_sb3(env.unwrapped)
    check_for_sb3(env)


SPECIFIED = [
    (eu.ENV_ID, 9, FULL | {"means": [0.25, 1.5, 0.75], "noise": 0.1, "alpha": 0.5}),
    (eu.BAI_ENV_ID, None, {"step_cost": 0.125, "horizon": 9, "mask": "none"}),
    (eu.POPULATION_ENV_ID, None, {"horizon": 3, "n_users": 3}),
    (eu.COUNTS_ENV_ID, 9, {"horizon": 30}),
    (BAI_COUNTS_ENV_ID, None, {"step_cost": 0.125, "horizon": 9}),
    (POPULATION_COUNTS_ENV_ID, None, {"horizon": 3, "n_users": 3}),
]


@pytest.mark.parametrize(("name", "limit", "kwargs"), SPECIFIED)
def test_a_specification_survives_json(name, limit, kwargs):
    env = gym.make(name, limit, n_arms=3, **kwargs)
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert env.spec.max_episode_steps == again.spec.max_episode_steps == 9
    outcomes = []
    for each in (env, again):
        outcomes.append([each.reset(seed=1), *play(each, arms(9))])
    if limit is None:
        # The specification says the length, so Gymnasium's time limit ends with the task.
        (one, two) = (outcome.pop() for outcome in outcomes)
        assert exact((one[:3], one[3], one[4])) == exact((two[:3], not two[3], two[4]))
        assert one[2]
    assert exact(outcomes[0]) == exact(outcomes[1])
    many = gym.make_vec(env.spec, num_envs=2)
    assert many.reset(seed=1)[0][0].tolist() == np.array(env.reset(seed=1)[0]).tolist()


def test_the_docstrings_examples_are_true():
    runner = doctest.DocTestRunner()
    ours = [eu.ExplorativeUserEnv, ExplorativeUserBAIEnv, ExplorativePopulationEnv]
    ours += [counts_envs.ExplorativeUserCountsEnv, counts_envs.ExplorativeUserBAICountsEnv]
    ours += [counts_envs.ExplorativePopulationCountsEnv]
    for documented in ours:
        for test in doctest.DocTestFinder().find(documented, globs={}):
            runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries >= 30


@pytest.mark.parametrize("kwargs", [{"noise": 0.2}, FULL])
def test_an_episode_follows_from_its_seed_alone(kwargs):
    envs = [gym.make(eu.ENV_ID, **kwargs) for _ in range(2)]
    lives = []
    for seed, env in ((3, envs[0]), (3, envs[1]), (4, envs[0]), (np.uint64(3), envs[0])):
        np.random.seed(len(lives))  # noqa: NPY002
        before = pickle.dumps(np.random.get_state())  # noqa: NPY002
        env.reset(seed=seed)
        lives.append([play(env, arms(60, 5)), env.unwrapped.hidden_state()])
        assert pickle.dumps(np.random.get_state()) == before  # noqa: NPY002
    assert lives[0] == lives[1] == lives[3]
    assert lives[2][1].estimates != lives[0][1].estimates
    unseeded = []
    for _ in range(2):
        env = eu.ExplorativeUserEnv()
        env.reset()
        unseeded.append(env.hidden_state())
    assert unseeded[0] != unseeded[1]


@pytest.mark.parametrize("name", [eu.ENV_ID, eu.BAI_ENV_ID, eu.POPULATION_ENV_ID])
def test_full_infos_always_have_the_same_keys_and_types(name):
    """So data sets such as Minari's can hold them."""
    env = gym.make(name, n_arms=3, info_level="full", horizon=6)
    forms = []
    for ending in ([0, 1, 3 + 1] if name == eu.BAI_ENV_ID else [2, 2], [0] * 6):
        infos = [env.reset(seed=0)[1]]
        for action in ending:
            kept = dict(infos[-1])
            infos.append(env.step(action)[-1])
            assert infos[-2] == kept
            assert infos[-1]["hidden_state"] == env.unwrapped.hidden_state()
        forms += [{key: type(value) for key, value in info.items()} for info in infos]
    assert all(form == forms[0] for form in forms)
