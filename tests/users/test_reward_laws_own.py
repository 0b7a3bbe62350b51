"""A reward law of one's own is a user's law everywhere, on every path to the same bit."""

import math
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from other_users import low_means, random_arms, started
from own_laws import COIN, EXPONENTIAL, LAPLACE, coin, laplace_reward, short_reward
from pairs import pairs

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.users import model as reward_laws
from explorative_user_env.users.behaviours import drifting, forgetful
from explorative_user_env.users.instances import reflected
from explorative_user_env.users.model import REWARD_LAWS, as_reward_law
from explorative_user_env.users.population import Setting

IDS = [eu.ENV_ID, eu.BAI_ENV_ID, eu.COUNTS_ENV_ID]


@pytest.mark.parametrize("law", [LAPLACE, COIN], ids=lambda law: law.name)
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_compiled_runs_are_the_readable_ones_to_the_last_bit(
    setting: Setting, law: eu.RewardLaw, noise: float
) -> None:
    options: dict[str, Any] = {"setting": setting, "reward_law": law, "noise": noise}
    options |= {"n_arms": 4, "gap": 0.4, "alpha": 0.05, "means": low_means}
    options |= {"n_instances": 15, "progress": False}
    agent = Uniform(order="random", horizon=150)
    fast = eu.evaluate([agent], **options).runs
    assert fast.equals(eu.evaluate([agent], compiled=False, **options).runs)
    assert fast["acceptances"].nunique() > 3


@pytest.mark.slow
def test_workers_and_replays_see_the_same_users() -> None:
    options: dict[str, Any] = {"reward_law": LAPLACE, "n_instances": 24, "progress": False}
    options |= {"n_arms": 3, "max_steps": 2000}
    results = eu.evaluate([BAIR()], **options)
    others: list[dict[str, Any]] = [{"workers": 2}, {"workers": 2, "compiled": False}]
    for other in others:
        assert results.runs.equals(eu.evaluate([BAIR()], **options, **other).runs)
    for row in (0, 9):
        episode, run = results.replay(row), results.runs.loc[row]
        for figure in ("stopping_time", "acceptances", "answer"):
            assert getattr(episode, figure) == run[figure]
    assert results.cell["reward_law"] == "laplace"


def test_plays_over_a_horizon_are_the_same_compiled_and_not() -> None:
    options: dict[str, Any] = {"reward_law": laplace_reward, "n_instances": 10, "progress": False}
    options |= {"task": "regret", "horizon": 80, "alpha": 0.05}
    fast = eu.evaluate(["UNI"], **options).runs
    assert fast.equals(eu.evaluate(["UNI"], compiled=False, **options).runs)
    assert fast["acceptances"].max() < 80


@pairs(law=[LAPLACE, COIN], compiled=[True, False], means=[low_means, "uniform_with_room"])
def test_a_lane_is_the_single_user(
    setting: Setting, law: eu.RewardLaw, compiled: bool, means: Any
) -> None:
    options: dict[str, Any] = {"n_arms": 4, "gap": 0.3, "alpha": 0.05, "means": means}
    options |= {"setting": setting, "reward_law": law, "reward": "realized", "noise": 0.1}
    lanes = eu.ExplorativeUserVectorEnv(3, compiled=compiled, **options)
    singles = [eu.ExplorativeUserEnv(**options) for _ in range(3)]
    lanes.reset(seed=5)
    for lane, env in enumerate(singles):
        env.reset(seed=5 + lane)
    heard = set()
    for arms in np.random.default_rng(0).integers(4, size=(150, 3)).tolist():
        answers, rewards, *_ = lanes.step(arms)
        each = [env.step(arm) for env, arm in zip(singles, arms, strict=True)]
        assert answers.tolist() == [answer for answer, *_ in each]
        assert rewards.tolist() == [reward for _, reward, *_ in each]
        heard |= set(answers.tolist())
    assert heard == {0, 1}
    assert lanes.compiled == compiled
    assert lanes.hidden_states() == tuple(env.hidden_state() for env in singles)


def test_a_law_written_anew_gives_the_packages_own_users(setting: Setting) -> None:
    """The stream is drawn from as the package draws: no more, no less."""
    again = [lambda mean, rng: mean + rng.standard_normal(), coin]
    for name, law in zip(["gaussian", "bernoulli"], again, strict=True):
        options: dict[str, Any] = {"setting": setting, "means": low_means, "gap": 0.3}
        for behaviour in ("explorative", forgetful(9), drifting(0.01)):
            envs = [
                started(3, reward_law=each, behaviour=behaviour, **options)
                for each in (name, eu.RewardLaw("mine", law, as_reward_law(name).means))
            ]
            assert envs[0].hidden_state() == envs[1].hidden_state()  # private draws
            steps = [[env.step(arm)[:2] for arm in random_arms(200)] for env in envs]
            assert steps[0] == steps[1]
            assert envs[0].hidden_state() == envs[1].hidden_state()


def test_numbers_of_less_precision_and_truth_values_are_whole_numbers_of_hers() -> None:
    for law in (short_reward, coin):
        env = started(reward_law=law, means=[0.1, 0.2, 0.3, 0.7])
        for arm in random_arms(50):
            _, reward, *_ = env.step(arm)
            assert type(reward) is float
        assert {type(estimate) for estimate in env.hidden_state().estimates} == {float}


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("num_envs", [2, 64])
def test_every_environment_takes_one(env_id: str, num_envs: int) -> None:
    env = gym.make(env_id, reward_law=laplace_reward, n_arms=3)
    envs: Any = gym.make_vec(env_id, num_envs=num_envs, reward_law=laplace_reward, n_arms=3)
    env.reset(seed=4)
    envs.reset(seed=4)
    for arm in random_arms(20, n_arms=3):
        observed, rewards, *_ = envs.step([arm] * num_envs)
        alone, reward, *_ = env.step(arm)
        np.testing.assert_array_equal(observed[0], alone)
        assert rewards[0] == reward


# What a law is


def test_what_a_law_is_called_is_in_words() -> None:
    laws: list[Any] = ["bounded", LAPLACE, laplace_reward]
    words = [eu.Population(reward_law=law).words()["reward_law"] for law in laws]
    assert words == ["bounded", "laplace", "laplace_reward"]
    assert repr(eu.Population(reward_law=LAPLACE)) == "Population(reward_law='laplace')"


def test_users_with_one_are_a_value_that_can_be_copied_and_sent() -> None:
    laws: list[Any] = [LAPLACE, laplace_reward, *REWARD_LAWS]
    for law in laws:
        users = eu.Population(reward_law=law)
        again = pickle.loads(pickle.dumps(users))
        assert (again, again.user) == (users, users.user)
    assert eu.Population(reward_law=LAPLACE) != eu.Population()


def test_a_law_can_be_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reward_laws, "_REWARD_LAWS", dict(reward_laws._REWARD_LAWS))
    for _ in range(2):
        eu.register_reward_law("pointed", LAPLACE)
    with pytest.raises(eu.InvalidArgumentError, match="name must be a name no other reward law"):
        eu.register_reward_law("pointed", COIN)
    env = gym.make(eu.ENV_ID, reward_law="pointed")
    assert env.spec is not None
    assert '"reward_law": "pointed"' in env.spec.to_json()
    assert env.unwrapped.population == eu.Population(reward_law=LAPLACE)  # type: ignore[attr-defined]
    with pytest.raises(eu.InvalidArgumentError, match=r"or one of .*pointed, got 'odd'"):
        eu.Population(reward_law="odd")


@pytest.mark.parametrize("wrong", [None, 3, ["gaussian"]])
def test_what_is_no_law_is_refused(wrong: Any) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"^reward_law must be a RewardLaw"):
        eu.ExplorativeUserEnv(reward_law=wrong)
    with pytest.raises(eu.InvalidArgumentError, match=r"^draw must be a callable \(mean, rng\)"):
        eu.RewardLaw("mine", wrong)


@pytest.mark.parametrize(
    "means", [(1.0, 0.0), (0.0, 0.0), (0.0,), 0.5, ("a", "b"), (0.0, math.nan), (False, True)]
)
def test_a_range_of_means_that_is_none_is_refused(means: Any) -> None:
    message = r"^means of reward_law must be None or \(least, largest\), the least below the larg"
    with pytest.raises(eu.InvalidArgumentError, match=message):
        eu.RewardLaw("mine", coin, means)


# The means it allows


def test_means_that_a_law_cannot_have_are_refused_as_bernoullis_are() -> None:
    for law, words in ((COIN, r"in \[0, 1\]"), (EXPONENTIAL, r"in \[0, inf\]")):
        assert eu.Population(reward_law=law).words()["means"] == "uniform_with_room"
        with pytest.raises(eu.InvalidArgumentError, match=f'^means must be "uni.*" or {words}'):
            eu.Population(reward_law=law, means="normal")
        with pytest.raises(eu.InvalidArgumentError, match=rf"^means must be {words}"):
            eu.Population(reward_law=law, means=[-0.5, 0.5], n_arms=2)
    eu.Population(reward_law=EXPONENTIAL, means="uniform")
    far = eu.RewardLaw("far", laplace_reward, (5.0, 6.0))
    with pytest.raises(eu.InvalidArgumentError, match=r"^means must be in \[5, 6\], as this rew"):
        eu.Population(reward_law=far)  # no named law is there, so that none is recommended


@pytest.mark.parametrize("ends", [(0.0, 1.0), (-2.0, 0.5), (1.0, math.inf), (-math.inf, -1.0)])
def test_drifting_means_stay_where_her_law_allows_them(ends: tuple[float, float]) -> None:
    law = eu.RewardLaw("held", laplace_reward, ends)
    least, largest = max(ends[0], -3.0), min(ends[1], 3.0)
    means = [least + 0.1, least + 0.2, largest - 0.2, largest]
    env = started(reward_law=law, means=means, behaviour=drifting(0.5))
    seen: list[float] = []
    for arm in random_arms(300):
        env.step(arm)
        seen += env.instance().means
    assert ends[0] <= min(seen)
    assert max(seen) <= ends[1]
    assert len(set(seen)) == 1200  # they are reflected, and none is stopped at an end


def test_a_reflected_mean_is_as_far_inside_as_it_was_outside() -> None:
    assert reflected(1.25, 0.0, 1.0) == 0.75
    assert reflected(-0.25, 0.0, 1.0) == 0.25
    assert reflected(7.5, 2.0, 4.0) == 3.5  # at 4, then at 2
    assert reflected(0.5, 2.0, math.inf) == 3.5
    assert reflected(0.5, -math.inf, -1.0) == -2.5
