"""Users of every kind are the same on every path: compiled, readable, and in step."""

from typing import Any

import numpy as np
import pytest
from other_users import KINDS, LEAVERS, low_means
from pairs import pairs

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.kernels.compiler import can_compile
from explorative_user_env.users.behaviours import EXPLORATIVE, Behaviour, forgetful
from explorative_user_env.users.model import REWARD_LAWS, rho
from explorative_user_env.users.population import Setting


@pytest.mark.parametrize("kind", [*KINDS, *LEAVERS], ids=lambda kind: kind.name)
@pytest.mark.parametrize("law", REWARD_LAWS)
def test_compiled_runs_are_the_readable_ones_to_the_last_bit(
    setting: Setting, kind: Behaviour, law: str
) -> None:
    agent = Uniform(order="random", horizon=150)
    for noise in (0.0, 0.1):
        options: dict[str, Any] = {
            "setting": setting,
            "n_arms": 4,
            "gap": 0.4,
            "alpha": 0.05,
            "means": low_means,
            "noise": noise,
            "reward_law": law,
            "behaviour": kind,
            "n_instances": 15,
            "progress": False,
        }
        fast = eu.evaluate([agent], **options).runs
        assert fast.equals(eu.evaluate([agent], compiled=False, **options).runs)
        assert fast["acceptances"].nunique() > 3


# One who remembers nine rewards never rejects enough for an agent to stop; and who has numbers of
# her own is compiled in the tests above and below, so that another kernel would say nothing new.
STOPPED = [forgetful(200) if kind == forgetful(9) else kind for kind in KINDS if kind.rho is rho]


@pytest.mark.parametrize("kind", STOPPED, ids=lambda kind: kind.name)
def test_so_are_the_runs_of_an_agent_that_stops(kind: Behaviour) -> None:
    options: dict[str, Any] = {"n_instances": 15, "behaviour": kind, "progress": False}
    options |= {"max_steps": 1500, "setting": "released"}
    fast = eu.evaluate([BAIR()], **options).runs
    assert fast.equals(eu.evaluate([BAIR()], compiled=False, **options).runs)
    assert not fast["censored"].all()


@pytest.mark.parametrize("kind", [*KINDS[:3], *LEAVERS], ids=lambda kind: kind.name)
def test_so_are_the_runs_over_a_horizon(kind: Behaviour) -> None:
    options: dict[str, Any] = {"n_instances": 10, "behaviour": kind, "progress": False}
    options |= {"task": "regret", "horizon": 80, "alpha": 0.05}
    fast = eu.evaluate(["UNI"], **options).runs
    assert fast.equals(eu.evaluate(["UNI"], compiled=False, **options).runs)
    assert fast["acceptances"].max() < 80
    assert fast["regret"].nunique() == 10


@pairs(kind=KINDS, law=REWARD_LAWS, noise=[0.0, 0.2])
def test_a_lane_is_the_single_user(
    setting: Setting, kind: Behaviour, law: str, noise: float
) -> None:
    options: dict[str, Any] = {
        "n_arms": 4,
        "gap": 0.3,
        "alpha": 0.05,
        "means": low_means,
        "setting": setting,
        "behaviour": kind,
        "reward_law": law,
        "noise": noise,
        "info_level": "full",
    }
    lanes = eu.ExplorativeUserVectorEnv(3, compiled=can_compile(), **options)
    singles = [eu.ExplorativeUserEnv(**options) for _ in range(3)]
    lanes.reset(seed=5)
    for lane, env in enumerate(singles):
        env.reset(seed=5 + lane)
    assert lanes.compiled == (kind == EXPLORATIVE and can_compile())
    heard = set()
    for arms in np.random.default_rng(0).integers(4, size=(120, 3)).tolist():
        answers, rewards, _, _, infos = lanes.step(arms)
        each = [env.step(arm) for env, arm in zip(singles, arms, strict=True)]
        assert answers.tolist() == [answer for answer, *_ in each]
        heard |= set(answers.tolist())
        assert rewards.tolist() == [reward for _, reward, *_ in each]
        assert infos["hidden_state"].tolist() == [info["hidden_state"] for *_, info in each]
    assert heard == {0, 1}
