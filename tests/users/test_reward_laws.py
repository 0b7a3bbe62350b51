"""Rewards of every law have their moments, and a law of one's own is a user's law everywhere."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from other_users import low_means, random_arms, started
from own_laws import COIN, EXPONENTIAL, LAPLACE, coin, laplace_reward, short_reward
from scipy import stats

import explorative_user_env as eu
from explorative_user_env.users import model as reward_laws
from explorative_user_env.users.behaviours import drifting, forgetful
from explorative_user_env.users.model import REWARD_LAWS, as_reward_law, draw_reward
from explorative_user_env.users.population import PRINTED, Setting

MEAN = 0.3
VARIANCES = {"gaussian": 1.0, "bernoulli": MEAN * (1 - MEAN), "bounded": 1.0}
FOURTH_MOMENTS = {  # around the mean: 3 sigma^4; p q (1 - 3 p q); h^4 / 5 with h^2 = 3
    "gaussian": 3.0,
    "bernoulli": MEAN * (1 - MEAN) * (1 - 3 * MEAN * (1 - MEAN)),
    "bounded": 9 / 5,
}


def assert_has_the_moments_of(law: str, rewards: np.ndarray) -> None:
    """Mean and variance are within 4 standard errors: a chance of 1 in 8000 that one is not."""
    variance, n = VARIANCES[law], len(rewards)
    assert abs(rewards.mean() - MEAN) < 4 * math.sqrt(variance / n)
    error = math.sqrt((FOURTH_MOMENTS[law] - variance**2) / n)
    assert abs(((rewards - MEAN) ** 2).mean() - variance) < 4 * error


@pytest.mark.parametrize("law", REWARD_LAWS)
def test_a_reward_has_the_values_and_moments_of_its_law(law: str) -> None:
    rng = np.random.default_rng(0)
    rewards = np.array([draw_reward(REWARD_LAWS.index(law), MEAN, rng) for _ in range(100_000)])
    assert_has_the_moments_of(law, rewards)
    if law == "bernoulli":
        assert set(rewards) == {0.0, 1.0}
        for mean in (0.0, 1.0):
            assert {draw_reward(1, mean, rng) for _ in range(1000)} == {mean}
        return
    width = 2 * math.sqrt(3)
    values = {"bounded": stats.uniform(MEAN - width / 2, width), "gaussian": stats.norm(MEAN)}
    assert stats.kstest(rewards, values[law].cdf).pvalue > 1e-3


@pytest.mark.parametrize("law", REWARD_LAWS)
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_user_s_rewards_and_private_draws_are_of_her_law(
    setting: Setting, law: str, noise: float
) -> None:
    options: dict[str, Any] = {"setting": setting, "reward_law": law, "noise": noise}
    # So willing to explore that only noise makes her say no, here to a tenth of them.
    env = eu.ExplorativeUserEnv(2, means=[MEAN, 0.1], alpha=1e4, reward="realized", **options)
    env.reset(seed=1)
    steps = [env.step(0) for _ in range(10_000)]
    rewards = [reward for answer, reward, *_ in steps if answer]
    assert len(rewards) > 8_500
    assert_has_the_moments_of(law, np.array(rewards))
    if setting != PRINTED and not noise:
        firsts = []
        for _ in range(20_000):
            env.reset()
            firsts.append(env.hidden_state().estimates[0])
        assert_has_the_moments_of(law, np.array(firsts))


# A law of one's own


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


def test_a_law_has_a_name_in_words_and_users_with_one_are_a_value() -> None:
    laws: list[Any] = [LAPLACE, laplace_reward, *REWARD_LAWS]
    for law, name in zip(laws, ["laplace", "laplace_reward", *REWARD_LAWS], strict=True):
        users = eu.Population(reward_law=law)
        again = pickle.loads(pickle.dumps(users))
        assert (again, again.user) == (users, users.user)
        assert users.words()["reward_law"] == name
    assert eu.Population(reward_law=LAPLACE) != eu.Population()


def test_a_law_can_be_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reward_laws, "_REWARD_LAWS", dict(reward_laws._REWARD_LAWS))
    for _ in range(2):
        eu.register_reward_law("pointed", LAPLACE)
    with pytest.raises(eu.InvalidArgumentError, match="name must be a name no other reward law"):
        eu.register_reward_law("pointed", COIN)
    assert eu.Population(reward_law="pointed") == eu.Population(reward_law=LAPLACE)


def test_what_is_no_law_is_refused() -> None:
    laws: list[Any] = ["poisson", None, 3, ["gaussian"]]
    for law in laws:
        with pytest.raises(eu.InvalidArgumentError, match=r"^reward_law must be a RewardLaw"):
            eu.ExplorativeUserEnv(reward_law=law)
    with pytest.raises(eu.InvalidArgumentError, match=r"^draw must be a callable \(mean, rng\)"):
        eu.RewardLaw("mine", 3)  # type: ignore[arg-type]
    ends: list[Any] = [(1.0, 0.0), (0.0, 0.0), (0.0,), 0.5, ("a", "b"), (0.0, math.nan)]
    for means in [*ends, (False, True)]:
        with pytest.raises(eu.InvalidArgumentError, match="means of reward_law must be None or"):
            eu.RewardLaw("mine", coin, means)


# The means it allows


def test_means_that_a_law_cannot_have_are_refused_and_the_usual_ones_fit() -> None:
    for law, words in (("bernoulli", r"in \[0, 1\]"), (EXPONENTIAL, r"in \[0, inf\]")):
        usual = eu.Population(reward_law=law, gap=0.3)
        named = eu.Population(reward_law=law, gap=0.3, means="uniform_with_room")
        assert usual.words()["setting"] == "printed (means=uniform_with_room)"
        drawn = [users.instance_law.draw(np.random.default_rng(2)) for users in (usual, named)]
        assert drawn[0] == drawn[1]
        for means in ("normal", [-0.5, 0.5]):
            with pytest.raises(eu.InvalidArgumentError, match=f"^means must be .*{words}"):
                eu.Population(reward_law=law, means=means, n_arms=2)
    eu.Population(reward_law=EXPONENTIAL, means="uniform")
    env = eu.ExplorativeUserEnv(2, means=[0.0, 1.0], reward_law="bernoulli")
    with pytest.raises(eu.InvalidArgumentError, match=r"means must be in \[0, 1\]"):
        env.reset(seed=0, options={"means": [0.5, 2.0]})


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
