"""Users of every kind and law are the same on every path: compiled, readable, and in step."""

import copy
import pickle

import numpy as np
import pytest
from other_users import KINDS, LEAVERS, low_means, random_arms, started
from own_laws import COIN, LAPLACE
from pairs import pairs

import explorative_user_env as eu
from explorative_user_env.agents import Uniform
from explorative_user_env.kernels.compiler import can_compile
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.model import REWARD_LAWS
from explorative_user_env.users.population import SETTINGS

LAWS = [*REWARD_LAWS, LAPLACE, COIN]
SMALL = {"n_arms": 4, "gap": 0.25, "alpha": 0.05, "means": low_means}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "law", "task"),
    [(KINDS[-1], "bernoulli", {}), (LEAVERS[0], COIN, {"task": "regret", "horizon": 80})],
)
def test_compiled_runs_are_the_readable_ones(kind, law, task):
    agents = [Uniform(order="random", horizon=100)]
    options = SMALL | {"behaviour": kind, "reward_law": law, "setting": "released", "noise": 0.1}
    options |= {"n_instances": 10, "progress": False} | task
    fast = eu.evaluate(agents, **options).runs
    assert fast.equals(eu.evaluate(agents, compiled=False, **options).runs)
    assert fast["acceptances"].nunique() > 3


@pairs(kind=KINDS, law=LAWS, noise=[0.0, 0.2], setting=SETTINGS)
def test_a_lane_is_the_single_user(kind, law, noise, setting):
    options = SMALL | {"behaviour": kind, "reward_law": law, "noise": noise, "setting": setting}
    options |= {"info_level": "full", "reward": "realized"}
    compiled = kind == EXPLORATIVE and law in REWARD_LAWS and can_compile()
    lanes = eu.ExplorativeUserVectorEnv(3, compiled=compiled, **options)
    singles = [eu.ExplorativeUserEnv(**options) for _ in range(3)]
    lanes.reset(seed=5)
    for lane, env in enumerate(singles):
        env.reset(seed=5 + lane)
    assert lanes.compiled == compiled
    heard = set()
    for arms in np.random.default_rng(0).integers(4, size=(60, 3)).tolist():
        answers, rewards, _, _, infos = lanes.step(arms)
        each = [env.step(arm) for env, arm in zip(singles, arms, strict=True)]
        assert answers.tolist() == [answer for answer, *_ in each]
        assert rewards.tolist() == [reward for _, reward, *_ in each]
        assert infos["hidden_state"].tolist() == [info["hidden_state"] for *_, info in each]
        heard |= set(answers.tolist())
    assert heard == {0, 1}


def test_a_copy_goes_on_alike_and_apart_and_tells_no_secret():
    for kind in KINDS:
        env = started(4, behaviour=kind, reward="none")
        for arm in random_arms(60):
            answer, *others, info = env.step(arm)
            assert (type(answer), others) == (int, [0.0, False, False])
            assert set(info) == {"has_response", "interactions", "acceptances", "rejections"}
        twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
        ahead = [[twin.step(arm) for arm in random_arms(60, seed=1)] for twin in twins]
        assert ahead == [[env.step(arm) for arm in random_arms(60, seed=1)]] * 2
