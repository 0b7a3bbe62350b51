"""`ExplorativePopulation-v0`, one episode: a loop over users of their own, to the last bit."""

import gymnasium as gym
import pytest
from begun import arms, play
from population_env import SMALL, popularity_of, seed_of_member, slow_episode

from explorative_user_env import POPULATION_ENV_ID, InvalidArgumentError, rollout
from explorative_user_env.agents import BAIR
from explorative_user_env.envs.population import ExplorativePopulationEnv
from explorative_user_env.evaluation.monitors import check_run
from explorative_user_env.seeding import member_seeds
from explorative_user_env.users.behaviours import forgetful

VARIANTS = [
    {},
    {"setting": "released", "noise": 0.0, "reward": "realized", "horizon": 1, "n_arms": 2},
    {"reward": "utility", "gap": 2.0, "deviation": 0.0, "rho": 1.5, "n_users": 1},
    {"behaviour": forgetful(3), "reward_law": "bounded"},
]


def assert_alike(env, recommended, moments):
    """The env says and keeps what the slow episode does; return whether it is over."""
    for arm, moment in zip(recommended, moments, strict=True):
        means = env.instance().means
        assert env.step(arm) == (moment.response, moment.reward, moment.over, False, moment.told)
        assert means == moment.means
    return moment.over


@pytest.mark.parametrize("kwargs", VARIANTS, ids=lambda kwargs: ",".join(kwargs))
def test_an_episode_is_a_loop_over_users(kwargs):
    given = SMALL | kwargs
    env = ExplorativePopulationEnv(**given)
    recommended = arms(given["n_users"] * given["horizon"], given["n_arms"])
    moments = slow_episode(5, recommended, **given)
    begun = {"has_response": False, "new_user": True}
    assert env.reset(seed=5) == (0, dict.fromkeys(moments[0].told, 0) | begun)
    assert assert_alike(env, recommended, moments)
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)


def test_a_user_can_be_met_alone_and_what_is_popular_can_be_given():
    assert member_seeds(8, 3) == [seed_of_member(8, each) for each in range(3)]
    env, popular = ExplorativePopulationEnv(**SMALL), [0.0, 1.0, 1.0, -3.0]
    _, info = env.reset(seed=8, options={"user": 2})
    assert (info["user"], info["new_user"], info["all_interactions"]) == (2, True, 0)
    assert assert_alike(env, arms(7, 4), slow_episode(8, arms(7, 4), first=2, **SMALL))
    env.reset(seed=8, options={"popularity": popular})
    assert env.popularity() == tuple(popular)
    moments = slow_episode(8, arms(21, 4), popularity=popular, **SMALL)
    assert assert_alike(env, arms(21, 4), moments)
    env.reset(seed=8)
    assert env.popularity() == tuple(popularity_of(8, 4))


def test_a_reset_without_a_seed_goes_on_to_an_episode_that_has_one():
    env = ExplorativePopulationEnv(**SMALL)
    env.reset()  # without any, the first episode is that of the stream
    assert env.episode_seed == env.np_random_seed
    env.reset(seed=4)
    met = {}
    for steps in (3, 20, 0):  # how long an episode lasts makes no difference to the next
        play(env, arms(steps, 4))
        env.reset()
        met[env.episode_seed] = env.hidden_state()
    assert len({4, *met}) == 4
    for seed, truth in met.items():
        env.reset(seed=seed)
        assert env.hidden_state() == truth
    env.reset(seed=4)
    for seed in met:
        env.reset()
        assert env.episode_seed == seed


def test_a_picture_is_of_the_present_user_and_says_who_she_is():
    env = ExplorativePopulationEnv(**SMALL, render_mode="svg", render_intervals=True)
    env.reset(seed=2)
    first = env.render()
    assert "user 1 of 3" in first
    for arm in arms(7, 4):
        env.step(arm)
        assert ("user 2 of 3" in env.render()) == (env.hidden_state().interactions == 0)
    nothing = "no recommendation yet"
    assert env.render().count(nothing) == first.count(nothing) > 0


def test_what_knows_of_one_user_only_refuses_it():
    env = gym.make(POPULATION_ENV_ID, **SMALL)
    for meets in (lambda: rollout(env, "BAIR", seed=1), lambda: check_run(env, BAIR(), seed=1)):
        with pytest.raises(InvalidArgumentError, match="env must be an environment with one user"):
            meets()
