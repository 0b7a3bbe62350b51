"""Users of every kind and law are the same on every path: compiled, readable, and in step."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from other_users import KINDS, LEAVERS, low_means, random_arms, started
from own_laws import COIN, LAPLACE
from pairs import pairs

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.kernels.compiler import can_compile
from explorative_user_env.users.behaviours import EXPLORATIVE, Behaviour, as_behaviour, forgetful
from explorative_user_env.users.model import REWARD_LAWS
from explorative_user_env.users.population import SETTINGS

LAWS: list[Any] = [*REWARD_LAWS, LAPLACE, COIN]
SMALL: dict[str, Any] = {"n_arms": 4, "gap": 0.4, "alpha": 0.05, "means": low_means}


@pairs(kind=[*KINDS, *LEAVERS], law=LAWS, setting=SETTINGS, noise=[0.0, 0.1])
def test_compiled_runs_are_the_readable_ones_to_the_last_bit(
    kind: Behaviour, law: Any, setting: str, noise: float
) -> None:
    options = SMALL | {"behaviour": kind, "reward_law": law, "setting": setting, "noise": noise}
    options |= {"n_instances": 15, "progress": False}
    agent = Uniform(order="random", horizon=150)
    fast = eu.evaluate([agent], **options).runs
    assert fast.equals(eu.evaluate([agent], compiled=False, **options).runs)
    assert fast["acceptances"].nunique() > 3


@pytest.mark.parametrize("kind", [EXPLORATIVE, forgetful(200)], ids=lambda kind: kind.name)
def test_so_are_the_runs_of_an_agent_that_stops(kind: Behaviour) -> None:
    options: dict[str, Any] = {"n_instances": 15, "behaviour": kind, "progress": False}
    options |= {"max_steps": 1500, "setting": "released"}
    fast = eu.evaluate([BAIR()], **options).runs
    assert fast.equals(eu.evaluate([BAIR()], compiled=False, **options).runs)
    assert not fast["censored"].all()


@pairs(kind=[*KINDS[:3], *LEAVERS, as_behaviour("varied")], law=["gaussian", LAPLACE])
def test_so_are_the_runs_over_a_horizon(kind: Behaviour, law: Any) -> None:
    options: dict[str, Any] = {"n_instances": 10, "behaviour": kind, "progress": False}
    options |= {"task": "regret", "horizon": 80, "alpha": 0.05, "reward_law": law}
    fast = eu.evaluate(["UNI"], **options).runs
    assert fast.equals(eu.evaluate(["UNI"], compiled=False, **options).runs)
    assert fast["acceptances"].max() < 80
    assert fast["regret"].nunique() == 10


@pairs(kind=KINDS, law=LAWS, noise=[0.0, 0.2], setting=SETTINGS, compiled=[False, True])
def test_a_lane_is_the_single_user(
    kind: Behaviour, law: Any, noise: float, setting: str, compiled: bool
) -> None:
    options = SMALL | {"behaviour": kind, "reward_law": law, "noise": noise, "setting": setting}
    options |= {"info_level": "full", "reward": "realized"}
    compiled = compiled and kind == EXPLORATIVE and can_compile()
    lanes = eu.ExplorativeUserVectorEnv(3, compiled=compiled, **options)
    singles = [eu.ExplorativeUserEnv(**options) for _ in range(3)]
    lanes.reset(seed=5)
    for lane, env in enumerate(singles):
        env.reset(seed=5 + lane)
    assert lanes.compiled == compiled
    heard = set()
    for arms in np.random.default_rng(0).integers(4, size=(120, 3)).tolist():
        answers, rewards, _, _, infos = lanes.step(arms)
        each = [env.step(arm) for env, arm in zip(singles, arms, strict=True)]
        assert answers.tolist() == [answer for answer, *_ in each]
        assert rewards.tolist() == [reward for _, reward, *_ in each]
        assert infos["hidden_state"].tolist() == [info["hidden_state"] for *_, info in each]
        heard |= set(answers.tolist())
    assert heard == {0, 1}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_copy_goes_on_alike_and_apart_and_tells_no_secret(kind: Behaviour) -> None:
    env = started(4, behaviour=kind, reward="none")
    for arm in random_arms(60):
        answer, *others, info = env.step(arm)
        assert (type(answer), others) == (int, [0.0, False, False])
        assert set(info) == {"has_response", "interactions", "acceptances", "rejections"}
    twins, before = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))], env.hidden_state()
    ahead = [[twin.step(arm) for arm in random_arms(60, seed=1)] for twin in twins]
    assert env.hidden_state() == before
    assert ahead == [[env.step(arm) for arm in random_arms(60, seed=1)]] * 2
