"""`ExplorativePopulation-v0`, one episode: a loop over users of their own, to the last bit."""

import itertools
import math
import re
from typing import Any

import gymnasium as gym
import pytest
from population_env import SMALL, arms_of, popularity_of, seed_of_member, slow_episode

from explorative_user_env import InvalidArgumentError
from explorative_user_env.envs.population import ExplorativePopulationEnv
from explorative_user_env.seeding import member_seeds
from explorative_user_env.users.behaviours import forgetful
from explorative_user_env.validation import CallableError

STEPS = 3 * 7

VARIANTS: list[dict[str, Any]] = [
    {},
    {"setting": "released", "noise": 0.0, "reward": "realized"},
    {"reward": "utility", "gap": 2.0, "deviation": 0.0, "rho": 1.5},
    {"behaviour": "logistic", "reward": "accept"},
    {"behaviour": forgetful(3), "reward_law": "bounded"},
    {"horizon": 1, "n_arms": 2},
    {"n_users": 1},
]


@pytest.mark.parametrize("kwargs", VARIANTS, ids=lambda kwargs: ",".join(kwargs))
def test_an_episode_is_a_loop_over_users(kwargs: dict[str, Any]) -> None:
    given = SMALL | kwargs
    env = ExplorativePopulationEnv(**given)
    arms = arms_of(given["n_users"] * given["horizon"], given["n_arms"])
    moments = slow_episode(5, arms, **given)
    assert [moment.over for moment in moments[:-1]] == [False] * (len(arms) - 1)
    begun = {"has_response": False, "new_user": True}
    assert env.reset(seed=5) == (0, dict.fromkeys(moments[0].told, 0) | begun)
    for arm, moment in zip(arms, moments, strict=True):
        means = env.instance().means
        assert env.step(arm) == (moment.response, moment.reward, moment.over, False, moment.told)
        assert means == moment.means
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)


def test_users_share_what_is_popular_and_differ_by_their_deviations() -> None:
    env = ExplorativePopulationEnv(n_arms=50, n_users=40, horizon=1, deviation=0.5, gap=1e-3)
    env.reset(seed=3)
    assert env.popularity() == tuple(popularity_of(3, 50))
    apart = []
    for _ in range(40):
        means = env.instance().means
        apart += [mean - popular for mean, popular in zip(means, env.popularity(), strict=True)]
        env.step(0)
    spread = (sum(each**2 for each in apart) / len(apart)) ** 0.5
    assert abs(spread / 0.5 - 1) < 4 / (2 * len(apart)) ** 0.5  # four standard errors


def test_the_seed_of_a_member_is_in_the_list_of_all() -> None:
    assert [member_seeds(9, user + 1)[-1] for user in range(6)] == member_seeds(9, 6)
    assert member_seeds(9, 6) == [seed_of_member(9, user) for user in range(6)]


@pytest.mark.parametrize("user", [0, 2])
def test_a_user_of_an_episode_can_be_met_alone(user: int) -> None:
    env = ExplorativePopulationEnv(**SMALL)
    _, info = env.reset(seed=8, options={"user": user})
    assert (info["user"], info["new_user"], info["all_interactions"]) == (user, True, 0)
    arms = arms_of((3 - user) * 7)
    moments = slow_episode(8, arms, first=user, **SMALL)
    for arm, moment in zip(arms, moments, strict=True):
        assert env.step(arm) == (moment.response, moment.reward, moment.over, False, moment.told)
    assert moments[-1].over


def test_what_is_popular_can_be_given_for_one_episode() -> None:
    env, popular = ExplorativePopulationEnv(**SMALL), [0.0, 1.0, 1.0, -3.0]
    env.reset(seed=8, options={"popularity": popular})
    assert env.popularity() == tuple(popular)
    arms = arms_of(STEPS)
    moments = slow_episode(8, arms, popularity=popular, **SMALL)
    assert [env.step(arm)[1] for arm in arms] == [moment.reward for moment in moments]
    env.reset(seed=8)
    assert env.popularity() == tuple(popularity_of(8, 4))


def test_a_reset_without_a_seed_goes_on_to_an_episode_that_has_one() -> None:
    env = ExplorativePopulationEnv(**SMALL)
    env.reset(seed=4)
    seeds, truths = [], []
    for steps in (3, 20, 0):  # how long an episode lasts makes no difference to the next
        for arm in arms_of(steps):
            env.step(arm)
        env.reset()
        seeds.append(env.episode_seed)
        truths.append(env.hidden_state())
    assert len({4, *seeds}) == 4
    for seed, truth in zip(seeds, truths, strict=True):
        env.reset(seed=seed)
        assert env.hidden_state() == truth
    env.reset(seed=4)
    for seed in seeds:
        env.reset()
        assert env.episode_seed == seed


def test_without_any_seed_its_first_episode_is_that_of_its_stream() -> None:
    env = ExplorativePopulationEnv(**SMALL)
    env.reset()
    assert env.episode_seed == env.np_random_seed


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"user": 3}, "user must.*3"),
        ({"user": -1}, "user must.*-1"),
        ({"popularity": [0.0, 1.0]}, "popularity must.*0.0, 1.0"),
        ({"popularity": "normal"}, "popularity must.*'normal'"),
        ({"means": [0.0] * 4}, "options key must.*'means'"),
        ([1], "options must"),
    ],
)
def test_options_that_are_none_are_refused_and_change_nothing(options: Any, named: str) -> None:
    env = ExplorativePopulationEnv(**SMALL)
    env.reset(seed=1)
    moments = slow_episode(1, arms_of(STEPS), **SMALL)
    for arm, moment in zip(arms_of(STEPS), moments, strict=True):
        with pytest.raises(InvalidArgumentError, match=named):
            env.reset(options=options)
        assert env.step(arm)[:2] == (moment.response, moment.reward)


@pytest.mark.parametrize(
    ("kwargs", "named"),
    [
        ({"n_users": 0}, "n_users must.*0"),
        ({"deviation": -0.1}, "deviation must.*-0.1"),
        ({"horizon": 0}, "horizon must.*0"),
        ({"behaviour": "drifting"}, "behaviour must.*'drifting'"),
        ({"behaviour": "impatient"}, "behaviour must.*'impatient'"),
    ],
)
def test_what_it_cannot_be_made_with_is_named(kwargs: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=named):
        ExplorativePopulationEnv(**kwargs)


def test_a_user_who_fails_is_told_by_what_meets_her_again() -> None:
    drawn = itertools.count()

    def law(mean: float, rng: Any) -> float:
        return mean if next(drawn) < 9 else math.nan

    env = ExplorativePopulationEnv(**SMALL | {"reward_law": law, "noise": 0})
    env.reset(seed=6)
    for _ in range(9):
        env.step(0)
    who = "user 1, whom env.reset(seed=6, options={'user': 1}) meets again"
    with pytest.raises(CallableError, match=re.escape(who)):
        env.step(0)
