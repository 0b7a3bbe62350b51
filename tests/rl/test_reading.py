"""A model says how to read it; what contradicts it is refused, what it leaves out asked for."""

import copy
import pickle
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from sb3_agents import (
    HORIZON,
    N_ARMS,
    OBSERVATIONS,
    TASKS,
    USERS,
    assert_same,
    facts_of,
    met,
    model_of,
    seen_by,
    single,
    without_a_word,
)
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecNormalize

import explorative_user_env as eu
from explorative_user_env.rl import SB3Agent, make_sb3_vec_env

FACTS = {"n_arms": N_ARMS, "horizon": HORIZON, "seed": 0}


def read(agent):
    return agent.task.name, agent.observation, agent.horizon, agent.mask, agent.n_arms


def saved(model, folder):
    """Return a model as it comes back from its file, which knows no environment."""
    model.save(folder / "model.zip")
    return type(model).load(folder / "model.zip", device="cpu")


def small(envs):
    return PPO("MlpPolicy", envs, n_steps=8, batch_size=8, seed=0, device="cpu")


def assert_refused(model, words, **given):
    with pytest.raises(eu.InvalidArgumentError, match=f"^{words}"):
        SB3Agent(model, **given)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_a_model_says_what_it_was_trained_on_in_memory_and_in_its_file(task, observation, tmp_path):
    horizon = 500 if (task, observation) == ("regret", "response") else HORIZON  # it has no scale
    model = model_of(PPO, task, observation)
    for each in (model, saved(model, tmp_path)):
        assert read(SB3Agent(each)) == (task, observation, horizon, "rejections", N_ARMS)
    model = small(DummyVecEnv([lambda: single(task, observation)] * 2))
    for each in (model, saved(model, tmp_path)):
        assert read(SB3Agent(each))[:2] == (task, observation)


def test_a_model_says_itself_of_how_many_users(tmp_path):
    observation = "sorted-population-counts"
    model = model_of(PPO, "population", observation, n_users=4)
    for each in (model, saved(model, tmp_path)):
        agent = SB3Agent(each)
        assert read(agent)[:3] == ("population", observation, HORIZON)
        assert agent.n_users == agent.options["n_users"] == 4
        assert_refused(each, "n_users must be 4", n_users=5)
    told = {"task": "population", "observation": observation, "horizon": HORIZON}
    assert_refused(without_a_word(model), "n_users must be given", **told)
    assert SB3Agent(without_a_word(model), n_users=4, **told).n_users == 4


def test_what_contradicts_the_model_is_refused(tmp_path):
    ppo = model_of(PPO, "regret", "sorted-counts")
    masked = model_of(MaskablePPO, "bai", "counts", mask="none")
    for model, name, wrong, right in [
        (ppo, "task", "bai", "regret"),
        (ppo, "observation", "counts", "sorted-counts"),
        (ppo, "observation", "last-step", "sorted-counts"),
        (ppo, "horizon", 500, HORIZON),
        (masked, "mask", "rejections", "none"),
    ]:
        for each in (model, saved(model, tmp_path)):
            given = {name: wrong}
            assert_refused(each, f"{name} must be {right!r}, on which", **given)
            given = {name: right}
            assert read(SB3Agent(each, **given)) == read(SB3Agent(each))
            assert right in read(SB3Agent(each))


def test_what_a_model_does_not_say_is_asked_for_unless_it_makes_no_difference():
    model = without_a_word(model_of(MaskablePPO, "bai", "counts"))
    known = {"task": "bai", "observation": "counts", "horizon": HORIZON, "mask": "rejections"}
    assert read(SB3Agent(model, **known))[:4] == tuple(known.values())
    for missing in known:
        given = {name: value for name, value in known.items() if name != missing}
        assert_refused(model, f"{missing} must be given, as MaskablePPO does not say", **given)
    model = without_a_word(model_of(PPO, "regret", "response"))
    assert read(SB3Agent(model, task="regret", observation="response"))[2] == 500
    model = without_a_word(model_of(PPO, "bai", "counts"))
    assert SB3Agent(model, task="bai", observation="counts", horizon=HORIZON).mask == "rejections"


def test_the_environment_speaks_for_a_silent_model_and_not_against_one_that_speaks():
    envs = make_sb3_vec_env(2, n_arms=N_ARMS, observation="counts", horizon=9)
    model = without_a_word(model_of(PPO, "regret", "counts"))
    model.set_env(envs)
    assert read(SB3Agent(model))[:3] == ("regret", "counts", 9)
    model = copy.copy(model_of(PPO, "regret", "counts"))
    model.set_env(envs)
    assert_refused(model, "horizon must be given")
    assert SB3Agent(model, horizon=9).horizon == 9


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "options"), [(PPO, {"n_steps": 8}), (DQN, {})])
def test_a_model_is_read_in_the_normalisation_it_was_trained_in(
    algorithm, options, tmp_path, monkeypatch
):
    envs = VecNormalize(make_sb3_vec_env(16, **FACTS))
    model = algorithm("MlpPolicy", envs, seed=0, device="cpu", **options).learn(160)
    loaded = saved(model, tmp_path)
    envs.save(str(tmp_path / "normaliser.pkl"))
    again = VecNormalize.load(str(tmp_path / "normaliser.pkl"), make_sb3_vec_env(1, **FACTS))
    runs = eu.evaluate([SB3Agent(model)], **facts_of("regret")).runs
    agent = SB3Agent(loaded, normaliser=again)
    for each in (agent, pickle.loads(pickle.dumps(agent))):
        assert_same(runs, eu.evaluate([each], **facts_of("regret")).runs)
    shown = []
    for each in (SB3Agent(model), SB3Agent(model_of(PPO, "regret", "sorted-counts"))):
        met(each)
        kept = seen_by(each, monkeypatch)
        each.act_all(USERS)
        shown.append(kept[0][0])
    assert np.abs(shown[0] - shown[1]).max() > 0.5
    assert np.array_equal(shown[0], np.asarray(envs.normalize_obs(shown[1])))
    assert_refused(loaded, "normaliser must be the VecNormalize ")
    only_rewards = VecNormalize(make_sb3_vec_env(2, **FACTS), norm_obs=False)
    assert SB3Agent(small(only_rewards)).normaliser is None
    other = VecNormalize(make_sb3_vec_env(2, n_arms=N_ARMS + 1, horizon=HORIZON))
    for wrong in (other, only_rewards, 3, "normaliser.pkl"):
        assert_refused(loaded, "normaliser must be a VecNormalize of", normaliser=wrong)
    plain = model_of(PPO, "regret", "sorted-counts")
    assert_refused(plain, "normaliser must be a VecNormalize of", normaliser=envs)


def test_what_other_wrappers_made_of_observations_is_refused(tmp_path):
    def halved(env):
        return gym.wrappers.TransformObservation(env, lambda seen: seen / 2, env.observation_space)

    def itself(env):
        return env

    counts = single("regret", "counts")
    normalised = gym.wrappers.NormalizeObservation(counts)
    for env in (normalised, halved(single("bai", "counts")), halved(single("regret", "response"))):
        model = small(DummyVecEnv([partial(itself, env)]))
        for each in (model, saved(model, tmp_path)) if env is normalised else (model,):
            assert_refused(each, "model must be .*NormalizeObservation, ")
    given = {"task": "regret", "observation": "counts", "horizon": HORIZON}
    stacked = VecFrameStack(make_sb3_vec_env(2, observation="counts", **FACTS), 2)
    scaled = gym.wrappers.RescaleObservation(counts, np.float32(0), np.float32(2))
    for model in (small(stacked), without_a_word(small(DummyVecEnv([lambda: scaled])))):
        assert_refused(model, "model must be trained on the task 'regr", **given)
