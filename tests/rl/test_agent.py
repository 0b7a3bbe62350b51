"""Models of Stable-Baselines3 as agents: how they are read, and that their chances are SB3's."""

import copy
import pickle
from unittest.mock import Mock

import gymnasium as gym
import numpy as np
import pytest
import torch
from keepers import secrets_of
from sb3_agents import (
    HORIZON,
    N_ARMS,
    SMALL,
    TASKS,
    WRAPPERS,
    agent_of,
    asked_of_six,
    assert_same,
    model_of,
    seen_by,
    single,
)
from sb3_contrib import QRDQN, TRPO, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO, SAC
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecNormalize

import explorative_user_env as eu
from explorative_user_env.protocol import STOP
from explorative_user_env.rl import SB3Agent, make_sb3_vec_env
from explorative_user_env.show.words import explanation_of

VALUES = [DQN, QRDQN]

# Algorithm, task and observation.
ROWS = [
    *((PPO, "regret", "counts"), (PPO, "bai", "last-step"), (A2C, "bai", "response")),
    *((RecurrentPPO, "regret", None), (RecurrentPPO, "bai", None), (MaskablePPO, "bai", None)),
    *((DQN, "regret", None), (QRDQN, "bai", None)),
]


def users_of(task):
    return SMALL | {"task": task} | ({"horizon": HORIZON} if task == "regret" else {})


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "task", "observation"), ROWS)
def test_runs_in_step_are_those_step_by_step_and_in_other_company(algorithm, task, observation):
    agent, users = agent_of(algorithm, task, observation), users_of(task)
    assert (agent.name, agent.deterministic) == (algorithm.__name__, algorithm in VALUES)
    together = eu.evaluate([agent], **users).runs
    # What the model remembered of users is gone.
    assert_same(together, eu.evaluate([agent], compiled=False, **users).runs)
    if algorithm in (PPO, RecurrentPPO):  # more than a block of the policy
        crowd = eu.evaluate([agent], **users | {"n_instances": 70}).runs
        assert_same(together, crowd.head(len(together)))


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [PPO, MaskablePPO, RecurrentPPO, DQN])
def test_what_a_model_is_handed_leads_to_no_secret(algorithm):
    task = "bai" if algorithm in (MaskablePPO, RecurrentPPO) else "regret"
    agent = agent_of(algorithm, task)
    agent.chances, agent.reset_all = Mock(wraps=agent.chances), Mock(wraps=agent.reset_all)
    limit = {"max_steps": 5} if task == "bai" else {"horizon": 5}
    found = eu.evaluate([agent], **users_of(task) | {"n_instances": 3, "gap": 0.4321} | limit)
    handed = [each.args for each in (*agent.chances.mock_calls, *agent.reset_all.mock_calls)]
    assert len(handed) > 1
    assert [*secrets_of(found).paths_from(handed)] == []


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("algorithm", [PPO, A2C, TRPO, MaskablePPO])
def test_chances_are_those_of_the_library_for_the_same_observation(algorithm, task):
    agent = agent_of(algorithm, task)
    _, observations, masks, chances = asked_of_six(agent)
    assert len({tuple(row) for row in observations.tolist()}) > 3
    legal = {"action_masks": masks} if algorithm is MaskablePPO else {}
    with torch.no_grad():
        found = agent.model.policy.get_distribution(torch.as_tensor(observations), **legal)
    # Both round at every sum, in an order that is the processor's.
    np.testing.assert_allclose(chances, found.distribution.probs.numpy(), rtol=1e-4, atol=1e-6)
    assert np.ptp(chances[0]) > 0.05


def test_a_policy_is_asked_in_blocks_of_one_size_however_many_users_there_are(monkeypatch):
    # Products of matrices of another size may round in another way, on some processors.
    agent = agent_of(RecurrentPPO, "bai")
    for n_users, n_blocks in ((1, 1), (64, 1), (130, 3)):
        asked = Mock(wraps=type(agent.model.policy).obs_to_tensor.__get__(agent.model.policy))
        monkeypatch.setattr(agent.model.policy, "obs_to_tensor", asked)
        agent.reset_all(N_ARMS, [np.random.default_rng(user) for user in range(n_users)])
        assert len(agent.act_all(np.arange(n_users))) == n_users
        assert [len(each.args[0]) for each in asked.mock_calls] == [64] * n_blocks


def test_a_recurrent_model_remembers_each_users_steps():
    agent = agent_of(RecurrentPPO, "regret")
    kept = seen_by(agent)
    agent.reset_all(N_ARMS, [np.random.default_rng(user) for user in range(4)])
    policy = agent.model.policy
    layers, _, width = policy.lstm_hidden_state_shape
    state = (torch.zeros(layers, 1, width), torch.zeros(layers, 1, width))
    rng = np.random.default_rng(0)
    for step in range(6):
        # Users 1 and 3 alone in odd steps.
        users = np.array([1, 3]) if step % 2 else np.arange(4)
        arms = agent.act_all(users)
        agent.observe_all(users, arms, rng.random(users.size) < 0.5)
        row = users.tolist().index(3)
        with torch.no_grad():
            starts = torch.tensor([float(step == 0)])
            observation = torch.as_tensor(kept[-1][0][[row]])
            found, state = policy.get_distribution(observation, state, starts)
        expected = found.distribution.probs.numpy()[0]
        np.testing.assert_allclose(kept[-1][2][row], expected, rtol=1e-4)


def test_a_deterministic_model_takes_what_the_library_does_or_the_likeliest():
    for algorithm in VALUES:
        agent = agent_of(algorithm, "regret", "counts")
        arms, observations, *_ = asked_of_six(agent)
        assert np.array_equal(arms, agent.model.predict(observations, deterministic=True)[0])
    agent = agent_of(DQN, "regret", "counts", deterministic=False)
    agent._explores = 0.3  # as in training
    *_, chances = asked_of_six(agent)
    np.testing.assert_allclose(np.sort(chances, axis=1), [[0.1, 0.1, 0.8]] * 6)
    with pytest.warns(UserWarning, match="PPO with deterministic=True"):
        agent = agent_of(PPO, "regret", "counts", deterministic=True)
    arms, *_, chances = asked_of_six(agent)
    assert np.array_equal(arms, chances.argmax(axis=1))


def test_a_recurrent_model_forgets_a_user_unless_its_task_is_all_users():
    for task, users in (("population", {"n_users": 3}), ("regret", {})):
        agent = SB3Agent(model_of(RecurrentPPO, task, "last-step", **users))
        agent.reset(N_ARMS, np.random.default_rng(0))
        agent.act()
        agent.observe(2, True)
        assert agent._memory[0].any()
        agent.next_user()
        assert agent._memory[0].any() == (task == "population")


def test_draws_have_the_frequencies_of_the_chances():
    agent, users = agent_of(PPO, "regret", "counts"), np.arange(3000)
    agent.reset_all(N_ARMS, [np.random.default_rng(user) for user in users])
    for _ in range(3):
        agent.observe_all(users, users % 3, users % 2 == 0)
    kept = seen_by(agent)
    chosen = agent.act_all(users)
    kinds = kept[0][2][:6]
    for kind, chances in enumerate(kinds):
        counts = np.bincount(chosen[users % 6 == kind], minlength=N_ARMS)
        # Five standard deviations of a binomial count.
        allowed = 5 * np.sqrt(500 * chances * (1 - chances)) + 1
        assert (np.abs(counts - 500 * chances) <= allowed).all()
    assert sum(0.05 < max(chances) < 0.95 for chances in kinds) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("mask", ["rejections", "none"])
def test_masked_answers_are_never_chosen(mask):
    agent, users = agent_of(MaskablePPO, "bai", "counts", mask=mask), np.arange(200)
    agent.reset_all(N_ARMS, [np.random.default_rng(user) for user in users])
    kept = seen_by(agent)
    assert (agent.act_all(users) == STOP).any() == (mask == "none")
    agent.observe_all(users, np.full(200, 0), np.zeros(200, bool))
    agent.observe_all(users, np.full(200, 1), np.arange(200) % 2 == 0)
    # Two of three arms were last rejected by the odd users only.
    stopped = agent.act_all(users) == STOP
    even, odd = kept[-1][2][::2], kept[-1][2][1::2]
    assert (even[:, N_ARMS:] == 0.0).all() == (mask == "rejections")
    assert (odd[:, N_ARMS:] > 0.0).any()
    assert stopped[::2].any() == (mask == "none")
    assert stopped[1::2].any()
    # Those who are asked about alone have the masks that are theirs.
    agent.act_all(users[1::2])
    np.testing.assert_array_equal(kept[-1][1], kept[-2][1][1::2])
    assert kept[-1][1][:, N_ARMS:].any()


@pytest.mark.parametrize(("algorithm", "task", "observation"), ROWS[3:])
def test_a_model_names_the_chances_that_it_acts_by(algorithm, task, observation):
    agent, user = agent_of(algorithm, task), np.random.default_rng(1)
    agent.reset(N_ARMS, np.random.default_rng(0), HORIZON)
    seen = seen_by(agent)
    for _ in range(8):
        told, arm = explanation_of(agent, N_ARMS), agent.act()
        (*_, asked), (*_, acted) = seen[-2:]
        assert (asked == acted).all()  # the same chances, to the bit
        named = [*told["chance of recommending"], *told.get("chance of answering", ())]
        assert sorted(named) == sorted(acted[0])
        assert ("chance of answering" in told) == (task == "bai")
        if arm is None:
            break
        assert told["chance of recommending"][arm] > 0.0
        agent.observe(arm, bool(user.random() < 0.5))
    if algorithm in VALUES:
        best = np.argmax(told["value of recommending"])
        assert task == "bai" or told["chance of recommending"][best] == max(named)
    else:
        assert ("value of the state" in told) == (algorithm is MaskablePPO)


def read(agent):
    return agent.task.name, agent.observation, agent.horizon, agent.mask, agent.n_arms


def saved(model, folder):
    """Return a model as it comes back from its file, which knows no environment."""
    model.save(folder / "model.zip")
    return type(model).load(folder / "model.zip", device="cpu")


def silent(model):
    """Return a model as other people's software leaves it: no environment, and a plain space."""
    model = copy.copy(model)
    model.env = model._vec_normalize_env = None
    model.observation_space = copy.deepcopy(model.observation_space)
    vars(model.observation_space).pop("reading", None)
    return model


def small(envs):
    return PPO("MlpPolicy", envs, n_steps=8, batch_size=8, seed=0, device="cpu")


def assert_refused(model, words, **given):
    with pytest.raises(eu.InvalidArgumentError, match=f"^{words}"):
        SB3Agent(model, **given)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("observation", WRAPPERS)
def test_a_model_says_what_it_was_trained_on_in_memory_and_in_its_file(task, observation, tmp_path):
    horizon = 500 if (task, observation) == ("regret", "response") else HORIZON  # it has no scale
    model = model_of(PPO, task, observation)
    for each in (model, saved(model, tmp_path)):
        assert read(SB3Agent(each)) == (task, observation, horizon, "rejections", N_ARMS)
    model = small(DummyVecEnv([lambda: single(task, observation)] * 2))
    for each in (model, saved(model, tmp_path)):
        assert read(SB3Agent(each))[:2] == (task, observation)


def test_what_contradicts_the_model_is_refused(tmp_path):
    ppo = model_of(PPO, "regret", "sorted-counts")
    masked = model_of(MaskablePPO, "bai", "counts", mask="none")
    shared = model_of(PPO, "population", "sorted-population-counts", n_users=4)
    for model, name, wrong, right in [
        (ppo, "task", "bai", "regret"),
        (ppo, "observation", "counts", "sorted-counts"),
        (ppo, "horizon", 500, HORIZON),
        (masked, "mask", "rejections", "none"),
        (shared, "n_users", 5, 4),
    ]:
        for each in (model, saved(model, tmp_path)):
            assert_refused(each, f"{name} must be {right!r}, as in", **{name: wrong})
            assert read(SB3Agent(each, **{name: right})) == read(SB3Agent(each))
            assert SB3Agent(each).options[name] == right


def test_what_a_model_does_not_say_is_asked_for_unless_it_makes_no_difference():
    masked = silent(model_of(MaskablePPO, "bai", "counts"))
    known = {"task": "bai", "observation": "counts", "horizon": HORIZON, "mask": "rejections"}
    shared = silent(model_of(PPO, "population", "sorted-population-counts", n_users=4))
    of_all = {"task": "population", "observation": "sorted-population-counts"}
    of_all |= {"horizon": HORIZON, "n_users": 4}
    for model, told in ((masked, known), (shared, of_all)):
        agent = SB3Agent(model, **told)
        assert told.items() <= agent.options.items()
        for missing in told:
            given = {name: value for name, value in told.items() if name != missing}
            assert_refused(model, f"{missing} must be given, as .*PPO does not store", **given)
    model = silent(model_of(PPO, "regret", "response"))
    assert SB3Agent(model, task="regret", observation="response").horizon == 500
    model = silent(model_of(PPO, "bai", "counts"))
    assert SB3Agent(model, task="bai", observation="counts", horizon=HORIZON).mask == "rejections"


def test_the_environment_speaks_for_a_silent_model_and_not_against_one_that_speaks():
    envs = make_sb3_vec_env(2, n_arms=N_ARMS, observation="counts", horizon=9)
    trained = model_of(PPO, "regret", "counts")
    quiet, other = silent(trained), copy.copy(trained)
    for model in (quiet, other):
        model.set_env(envs)
    assert SB3Agent(quiet).horizon == SB3Agent(other, horizon=9).horizon == 9
    assert_refused(other, "horizon must be given")


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "options"), [(PPO, {"n_steps": 8}), (DQN, {})])
def test_a_model_is_read_in_the_normalisation_it_was_trained_in(algorithm, options, tmp_path):
    users = {"n_arms": N_ARMS, "horizon": HORIZON, "seed": 0}
    envs = VecNormalize(make_sb3_vec_env(16, **users))
    model = algorithm("MlpPolicy", envs, seed=0, device="cpu", **options).learn(160)
    loaded = saved(model, tmp_path)
    envs.save(str(tmp_path / "normaliser.pkl"))
    again = VecNormalize.load(str(tmp_path / "normaliser.pkl"), make_sb3_vec_env(1, **users))
    runs = eu.evaluate([SB3Agent(model)], **users_of("regret")).runs
    agent = SB3Agent(loaded, normaliser=again)
    for each in (agent, pickle.loads(pickle.dumps(agent))):
        assert_same(runs, eu.evaluate([each], **users_of("regret")).runs)
    plain = model_of(PPO, "regret", "sorted-counts")
    scaled, shown = (asked_of_six(SB3Agent(each))[1] for each in (model, plain))
    assert np.abs(scaled - shown).max() > 0.5
    assert np.array_equal(scaled, envs.normalize_obs(shown))
    assert_refused(loaded, "normaliser must be the VecNormalize ")
    only_rewards = VecNormalize(make_sb3_vec_env(2, **users), norm_obs=False)
    assert SB3Agent(small(only_rewards)).normaliser is None
    other = VecNormalize(make_sb3_vec_env(2, n_arms=N_ARMS + 1, horizon=HORIZON))
    for wrong in (other, only_rewards, 3):
        assert_refused(loaded, "normaliser must be the VecNormalize of", normaliser=wrong)
    assert_refused(plain, "normaliser must be the VecNormalize of", normaliser=envs)


def test_what_other_wrappers_made_of_observations_is_refused(tmp_path):
    counts, response = single("regret", "counts"), single("regret", "response")
    space = response.observation_space
    normalised = gym.wrappers.NormalizeObservation(counts)
    flipped = gym.wrappers.TransformObservation(response, lambda seen: 1 - seen, space)
    models = [small(DummyVecEnv([lambda env=env: env])) for env in (normalised, flipped)]
    for model in (*models, saved(models[0], tmp_path)):
        assert_refused(model, "model must be .*NormalizeObservation., ")
    given = {"task": "regret", "observation": "counts", "horizon": HORIZON}
    stacked = VecFrameStack(make_sb3_vec_env(2, n_arms=N_ARMS, **given), 2)
    scaled = gym.wrappers.RescaleObservation(counts, np.float32(0), np.float32(2))
    for model in (small(stacked), silent(small(DummyVecEnv([lambda: scaled])))):
        assert_refused(model, "model must be trained on the task 'regr", **given)


def test_what_no_agent_can_be_made_of_is_refused():
    model, sac = model_of(PPO, "regret", "counts"), SAC("MlpPolicy", "Pendulum-v1", buffer_size=10)
    for refused, given, words in [
        (sac, {}, "model must be a model with discrete"),
        ("model.zip", {}, "model must be a model with discrete"),
        (model, {"task": "x"}, "task must be one of"),
        (model, {"observation": "x"}, "observation must be"),
        (model, {"horizon": 0}, "horizon must be"),
        (model, {"mask": "x"}, "mask must be"),
        (model, {"deterministic": 2}, "deterministic must be"),
    ]:
        assert_refused(refused, words, **given)
    for task, observation, trained in [
        *(("regret", "last-step", "counts"), ("regret", "counts", "response")),
        ("bai", "counts", "counts"),
    ]:
        given = {"task": task, "observation": observation, "horizon": HORIZON}
        start = f"model must be trained on the task '{task}' and the observation .*got 'PPO"
        assert_refused(silent(model_of(PPO, "regret", trained)), start, **given)
    for compiled in (True, False):
        users = users_of("regret") | {"n_arms": 4, "compiled": compiled}
        with pytest.raises(eu.InvalidArgumentError, match="n_arms must be 3, as in the training"):
            eu.evaluate([agent_of(PPO, "regret")], **users)
