"""Laws of rewards: the package's beside laws written anew, and those of one's own."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from other_users import low_means, random_arms, started
from own_laws import COIN, EXPONENTIAL, LAPLACE, coin, laplace_reward, short_reward

import explorative_user_env as eu
from explorative_user_env.users import model as reward_laws
from explorative_user_env.users.behaviours import drifting, forgetful
from explorative_user_env.users.model import REWARD_LAWS, as_reward_law
from explorative_user_env.users.population import Setting

WRITTEN_ANEW: dict[str, Any] = {
    "gaussian": lambda mean, rng: mean + rng.standard_normal(),
    "bernoulli": coin,
    # Of variance 1, as the square of its width is 12.
    "bounded": lambda mean, rng: mean + math.sqrt(3.0) * (2.0 * rng.random() - 1.0),
}


@pytest.mark.parametrize("law", REWARD_LAWS)
def test_a_law_written_anew_gives_the_packages_own_users(setting: Setting, law: str) -> None:
    """The stream is drawn from as the package draws: no more, no less."""
    own = eu.RewardLaw("mine", WRITTEN_ANEW[law], as_reward_law(law).means)
    options: dict[str, Any] = {"setting": setting, "means": low_means, "gap": 0.3, "noise": 0.1}
    for behaviour in ("explorative", forgetful(9), drifting(0.01)):
        envs = [started(3, reward_law=each, behaviour=behaviour, **options) for each in (law, own)]
        assert envs[0].hidden_state() == envs[1].hidden_state()  # private draws
        steps = [[env.step(arm)[:2] for arm in random_arms(200)] for env in envs]
        assert steps[0] == steps[1]
        assert envs[0].hidden_state() == envs[1].hidden_state()


def test_numbers_of_less_precision_and_truth_values_are_whole_numbers_of_hers() -> None:
    for law in (short_reward, coin):
        env = started(reward_law=law, means=[0.1, 0.2, 0.3, 0.7])
        assert {type(env.step(arm)[1]) for arm in random_arms(50)} == {float}
        assert {type(estimate) for estimate in env.hidden_state().estimates} == {float}


def test_a_law_has_a_name_in_words_and_users_with_one_are_a_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    laws: list[Any] = [LAPLACE, laplace_reward, *REWARD_LAWS]
    for law, name in zip(laws, ["laplace", "laplace_reward", *REWARD_LAWS], strict=True):
        users = eu.Population(reward_law=law)
        again = pickle.loads(pickle.dumps(users))
        assert (again, again.user) == (users, users.user)
        assert users.words()["reward_law"] == name
    assert eu.Population(reward_law=LAPLACE) != eu.Population()
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
    for means in ends:
        with pytest.raises(eu.InvalidArgumentError, match="means of reward_law must be None or"):
            eu.RewardLaw("mine", coin, means)


def test_means_that_a_law_cannot_have_are_refused_and_the_usual_ones_fit() -> None:
    for law, words in (("bernoulli", r"in \[0, 1\]"), (EXPONENTIAL, r"in \[0, inf\]")):
        usual = eu.Population(reward_law=law, gap=0.3)
        named = eu.Population(reward_law=law, gap=0.3, means="uniform_with_room")
        assert usual.words()["setting"] == "printed (means=uniform_with_room)"
        rng, again = np.random.default_rng(2), np.random.default_rng(2)
        for _ in range(100):
            drawn = usual.instance_law.draw(rng)
            assert drawn == named.instance_law.draw(again)
            assert 0.0 <= min(drawn.means) <= max(drawn.means) <= 1.0
        for means in ("normal", [-0.5, 0.5]):
            with pytest.raises(eu.InvalidArgumentError, match=f"^means must be .*{words}"):
                eu.Population(reward_law=law, means=means, n_arms=2)
    eu.Population(reward_law=EXPONENTIAL, means="uniform")
    env = eu.ExplorativeUserEnv(2, means=[0.0, 1.0], reward_law="bernoulli")
    with pytest.raises(eu.InvalidArgumentError, match=r"means must be in \[0, 1\]"):
        env.reset(seed=0, options={"means": [0.5, 2.0]})


def test_drifting_means_stay_where_her_law_allows_them() -> None:
    for ends in ((0.0, 1.0), (1.0, math.inf), (-math.inf, -1.0)):
        law = eu.RewardLaw("held", laplace_reward, ends)
        least, largest = max(ends[0], -3.0), min(ends[1], 3.0)
        means = [least + 0.1, least + 0.2, largest - 0.2, largest]
        env = started(reward_law=law, means=means, behaviour=drifting(0.5))
        seen: list[float] = []
        for arm in random_arms(200):
            env.step(arm)
            seen += env.instance().means
        assert ends[0] <= min(seen)
        assert max(seen) <= ends[1]
        assert len(set(seen)) == 800  # they are reflected, and none is stopped at an end
