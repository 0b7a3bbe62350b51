from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from explorative_user_env import ENV_ID, ExplorativeUserVectorEnv
from explorative_user_env.envs.user import (
    ACCEPT_REWARD,
    NO_REWARD,
    REALIZED_REWARD,
    REGRET_REWARD,
    REWARDS,
    UTILITY_REWARD,
    reward_of,
)
from explorative_user_env.users.population import Setting

MEANS = [0.25, 1.5, -1.0]


def test_every_kind_has_its_word() -> None:
    words = {
        REGRET_REWARD: "regret",
        UTILITY_REWARD: "utility",
        REALIZED_REWARD: "realized",
        ACCEPT_REWARD: "accept",
    }
    assert dict(enumerate(REWARDS)) == words | {NO_REWARD: "none"}


@pytest.mark.parametrize(
    ("kind", "accepted", "rejected"),
    [
        *((REGRET_REWARD, -1.25, -1.25), (UTILITY_REWARD, 0.25, 0.0), (REALIZED_REWARD, 0.75, 0.0)),
        *((ACCEPT_REWARD, 1.0, 0.0), (NO_REWARD, 0.0, 0.0)),
    ],
)
def test_a_reward_is_as_described(kind: int, accepted: float, rejected: float) -> None:
    for response, expected in ((True, accepted), (False, rejected)):
        # What she realized last is not hers to give when she rejects.
        reward = reward_of(kind, mean=0.25, best_mean=1.5, accepted=response, realized=0.75)
        assert (type(reward), reward) == (float, expected)


def test_recommending_the_best_arm_is_no_regret() -> None:
    assert reward_of(REGRET_REWARD, 1.5, 1.5, accepted=False, realized=0.0) == 0.0


def by_hand(reward: str, arm: int, accepted: bool, realized: float) -> float:
    return {
        "regret": MEANS[arm] - 1.5,
        "utility": MEANS[arm] if accepted else 0.0,
        "realized": realized if accepted else 0.0,
        "accept": float(accepted),
        "none": 0.0,
    }[reward]


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("reward", REWARDS)
def test_an_environment_gives_the_reward_asked_for(
    setting: Setting, reward: str, noise: float
) -> None:
    env = gym.make(ENV_ID, n_arms=3, means=MEANS, setting=setting, noise=noise, reward=reward)
    env.reset(seed=3)
    stream = np.random.default_rng(3)
    for _ in range(3 if setting.private_draws else 0):
        stream.standard_normal()
    responses = set()
    for arm in np.random.default_rng(0).integers(3, size=150).tolist():
        response, given, *_ = env.step(arm)
        if noise and stream.random() < noise:
            stream.random()
        realized = MEANS[arm] + stream.standard_normal() if response else 0.0
        assert (type(given), given) == (float, by_hand(reward, arm, response == 1, realized))
        responses.add(response)
    assert responses == {0, 1}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("reward", sorted(set(REWARDS) - {"realized"}))
def test_many_users_give_the_reward_asked_for(reward: str, compiled: bool) -> None:
    kwargs: dict[str, Any] = {"n_arms": 3, "means": MEANS, "reward": reward}
    vector = ExplorativeUserVectorEnv(4, compiled=compiled, noise=0.3, **kwargs)
    vector.reset(seed=3)
    heard = set()
    for arms in np.random.default_rng(0).integers(3, size=(40, 4)):
        responses, rewards, *_ = vector.step(arms)
        heard |= set(responses.tolist())
        played = zip(arms.tolist(), responses.tolist(), strict=True)
        assert rewards.tolist() == [by_hand(reward, arm, bool(said), 0.0) for arm, said in played]
    assert heard == {0, 1}


@pytest.mark.parametrize("compiled", [False, True])
def test_what_many_users_realize_is_around_the_means(compiled: bool) -> None:
    kwargs: dict[str, Any] = {"n_arms": 3, "means": MEANS, "reward": "realized"}
    vector = ExplorativeUserVectorEnv(200, compiled=compiled, noise=0.5, **kwargs)
    vector.reset(seed=3)
    drawn: dict[int, list[float]] = {0: [], 1: [], 2: []}
    for t in range(60):
        responses, rewards, *_ = vector.step(np.full(200, t % 3))
        assert not rewards[responses == 0].any()
        drawn[t % 3] += rewards[responses == 1].tolist()
    for arm, values in drawn.items():
        assert len(values) > 900  # at noise 1/2 every fourth at least is accepted
        assert np.mean(values) == pytest.approx(MEANS[arm], abs=5 / np.sqrt(len(values)))
        assert np.std(values) == pytest.approx(1.0, abs=5 / np.sqrt(len(values)))
