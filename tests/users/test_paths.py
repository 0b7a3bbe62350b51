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


def runs_on_both_paths(agent: Any, **options: Any) -> Any:
    """The compiled runs, which are the readable ones to the last bit."""
    fast = eu.evaluate([agent], progress=False, **options).runs
    assert fast.equals(eu.evaluate([agent], compiled=False, progress=False, **options).runs)
    return fast


@pairs(kind=[*KINDS, *LEAVERS], law=REWARD_LAWS, setting=SETTINGS, noise=[0.0, 0.1])
def test_compiled_runs_are_the_readable_ones(
    kind: Behaviour, law: str, setting: str, noise: float
) -> None:
    options = SMALL | {"behaviour": kind, "reward_law": law, "setting": setting, "noise": noise}
    runs = runs_on_both_paths(Uniform(order="random", horizon=150), n_instances=15, **options)
    assert runs["acceptances"].nunique() > 3


OWN_LAWS = [(EXPLORATIVE, LAPLACE), (LEAVERS[0], LAPLACE), (forgetful(9), COIN)]


@pytest.mark.parametrize(("kind", "law"), OWN_LAWS)
def test_so_are_those_of_users_with_a_reward_law_of_ones_own(kind: Behaviour, law: Any) -> None:
    options = SMALL | {"behaviour": kind, "reward_law": law, "setting": "released", "noise": 0.1}
    runs = runs_on_both_paths(Uniform(order="random", horizon=150), n_instances=15, **options)
    assert runs["acceptances"].nunique() > 3


@pytest.mark.parametrize("kind", [EXPLORATIVE, forgetful(200)], ids=lambda kind: kind.name)
def test_so_are_the_runs_of_an_agent_that_stops(kind: Behaviour) -> None:
    options: dict[str, Any] = {"max_steps": 1500, "setting": "released", "behaviour": kind}
    assert not runs_on_both_paths(BAIR(), n_instances=15, **options)["censored"].all()


HORIZON = [(kind, "gaussian") for kind in (*KINDS[:3], *LEAVERS, as_behaviour("varied"))]


@pytest.mark.parametrize(("kind", "law"), [*HORIZON, (EXPLORATIVE, LAPLACE)])
def test_so_are_the_runs_over_a_horizon(kind: Behaviour, law: Any) -> None:
    options: dict[str, Any] = {"task": "regret", "horizon": 80, "alpha": 0.05}
    runs = runs_on_both_paths("UNI", n_instances=10, behaviour=kind, reward_law=law, **options)
    assert runs["acceptances"].max() < 80
    assert runs["regret"].nunique() == 10


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
