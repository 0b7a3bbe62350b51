"""Models of Stable-Baselines3 as agents: their chances are the library's, for every user alone."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium import spaces
from keepers import secrets_of
from sb3_agents import (
    HORIZON,
    N_ARMS,
    TASKS,
    USERS,
    VALUES,
    agent_of,
    assert_same,
    facts_of,
    met,
    model_of,
    seen_by,
    without_a_word,
)
from sb3_contrib import QRDQN, TRPO, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO, SAC

import explorative_user_env as eu
from explorative_user_env.check import check_agent
from explorative_user_env.protocol import STOP
from explorative_user_env.rl import SB3Agent, load_agent
from explorative_user_env.show.words import explanation_of

# Algorithm, task and observation.
ROWS = [
    *((PPO, "regret", "counts"), (PPO, "bai", "last-step"), (A2C, "bai", "response")),
    *((RecurrentPPO, "regret", None), (RecurrentPPO, "bai", None), (MaskablePPO, "bai", None)),
    *((DQN, "regret", None), (QRDQN, "bai", None)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "task", "observation"), ROWS)
def test_runs_in_step_are_those_step_by_step_and_in_other_company(algorithm, task, observation):
    agent, facts = agent_of(algorithm, task, observation), facts_of(task)
    assert (agent.name, agent.deterministic) == (algorithm.__name__, algorithm in VALUES)
    together = eu.evaluate([agent], **facts).runs
    # What the model remembered of users is gone.
    assert_same(together, eu.evaluate([agent], compiled=False, **facts).runs)
    if algorithm in (PPO, RecurrentPPO):  # more than a block of the policy
        crowd = eu.evaluate([agent], **facts | {"n_instances": 70}).runs
        assert_same(together, crowd.head(len(together)))


@pytest.mark.exhaustive
def test_a_model_passes_all_checks_that_are_asked_of_it():
    report = check_agent(load_agent("bai-k5"))
    not_asked = {each.check.name for each in report.outcomes if each.verdict == "not asked"}
    # It was trained for a number of arms and never ends in a tie.
    ties = {"breaks_ties_by_chance", "compiled_is_readable"}
    assert not_asked == {"meets_two_arms", "meets_many_arms"} | ties


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [PPO, MaskablePPO, RecurrentPPO, DQN])
def test_what_a_model_is_handed_leads_to_no_secret(algorithm, monkeypatch):
    task = "bai" if algorithm in (MaskablePPO, RecurrentPPO) else "regret"
    agent = agent_of(algorithm, task)
    handed = []

    def keeping(call):
        def kept_too(*given):
            handed.append(given)
            return call(*given)

        return kept_too

    for name in ("chances", "reset_all"):
        monkeypatch.setattr(agent, name, keeping(getattr(agent, name)))
    limit = {"max_steps": 5} if task == "bai" else {"horizon": 5}
    facts = facts_of(task) | {"n_instances": 3, "gap": 0.4321} | limit
    found = eu.evaluate([agent], **facts)
    kept = [*handed]
    assert len(kept) > 1
    assert [*secrets_of(found).ways_from(kept)] == []


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("algorithm", [PPO, A2C, TRPO, MaskablePPO])
def test_chances_are_those_of_the_library_for_the_same_observation(algorithm, task, monkeypatch):
    agent = agent_of(algorithm, task)
    met(agent)
    kept = seen_by(agent, monkeypatch)
    agent.act_all(USERS)
    ((observations, masks, chances),) = kept
    assert len({tuple(row) for row in observations.tolist()}) > 3
    policy = agent.model.policy
    legal = {"action_masks": masks} if algorithm is MaskablePPO else {}
    with torch.no_grad():
        expected = policy.get_distribution(torch.as_tensor(observations), **legal).distribution
    # Both round at every sum, in an order that is the processor's.
    np.testing.assert_allclose(chances, expected.probs.numpy(), rtol=1e-4, atol=1e-6)
    assert np.ptp(chances[0]) > 0.05


def test_a_policy_is_asked_in_blocks_of_one_size_however_many_users_there_are(monkeypatch):
    # Products of matrices of another size may round in another way, on some processors.
    agent = agent_of(RecurrentPPO, "bai")
    policy = agent.model.policy
    sizes = []
    as_tensor = policy.obs_to_tensor

    def seen(observations):
        sizes.append(len(observations))
        return as_tensor(observations)

    monkeypatch.setattr(policy, "obs_to_tensor", seen)
    for n_users, n_blocks in ((1, 1), (64, 1), (65, 2), (130, 3)):
        sizes.clear()
        agent.reset_all(N_ARMS, [np.random.default_rng(user) for user in range(n_users)])
        assert len(agent.act_all(np.arange(n_users))) == n_users
        assert sizes == [64] * n_blocks


def test_a_recurrent_model_remembers_each_users_steps(monkeypatch):
    agent = agent_of(RecurrentPPO, "regret")
    kept = seen_by(agent, monkeypatch)
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
        observation = torch.as_tensor(kept[-1][0][[row]])
        with torch.no_grad():
            starts = torch.tensor([float(step == 0)])
            distribution, state = policy.get_distribution(observation, state, starts)
        expected = distribution.distribution.probs.numpy()[0]
        np.testing.assert_allclose(kept[-1][2][row], expected, rtol=1e-4)


def test_a_deterministic_model_takes_what_the_library_does_or_the_likeliest(monkeypatch):
    for algorithm in VALUES:
        agent = agent_of(algorithm, "regret", "counts")
        met(agent)
        kept = seen_by(agent, monkeypatch)
        arms = agent.act_all(USERS)
        np.testing.assert_array_equal(arms, agent.model.predict(kept[0][0], deterministic=True)[0])
    agent = agent_of(DQN, "regret", "counts", deterministic=False)
    agent._explores = 0.3  # as in training
    met(agent)
    kept = seen_by(agent, monkeypatch)
    agent.act_all(USERS)
    np.testing.assert_allclose(np.sort(kept[0][2], axis=1), [[0.1, 0.1, 0.8]] * USERS.size)
    with pytest.warns(UserWarning, match="PPO with deterministic=True"):
        agent = agent_of(PPO, "regret", "counts", deterministic=True)
    met(agent)
    kept = seen_by(agent, monkeypatch)
    np.testing.assert_array_equal(agent.act_all(USERS), kept[0][2].argmax(axis=1))


@pytest.mark.parametrize("task", ["population", "regret"])
def test_a_recurrent_model_forgets_a_user_unless_its_task_is_all_users(task):
    users = {"n_users": 3} if task == "population" else {}
    agent = SB3Agent(model_of(RecurrentPPO, task, "last-step", **users))
    agent.reset(N_ARMS, np.random.default_rng(0))
    agent.act()
    agent.observe(2, True)
    assert agent._memory is not None
    before = agent._memory[0].copy()
    agent.next_user()
    kept = before if task == "population" else np.zeros_like(before)
    np.testing.assert_array_equal(agent._memory[0], kept)
    assert before.any()


def test_draws_have_the_frequencies_of_the_chances(monkeypatch):
    agent, users = agent_of(PPO, "regret", "counts"), np.arange(3000)
    agent.reset_all(N_ARMS, [np.random.default_rng(user) for user in users])
    for _ in range(3):
        agent.observe_all(users, users % 3, users % 2 == 0)
    kept = seen_by(agent, monkeypatch)
    chosen = agent.act_all(users)
    kinds = [kept[0][2][kind] for kind in range(6)]
    for kind, chances in enumerate(kinds):
        counts = np.bincount(chosen[users % 6 == kind], minlength=N_ARMS)
        # Five standard deviations of a binomial count.
        allowed = 5 * np.sqrt(500 * chances * (1 - chances)) + 1
        assert (np.abs(counts - 500 * chances) <= allowed).all()
    assert sum(0.05 < max(chances) < 0.95 for chances in kinds) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("mask", ["rejections", "none"])
def test_masked_answers_are_never_chosen(mask, monkeypatch):
    agent = agent_of(MaskablePPO, "bai", "counts", mask=mask)
    agent.reset_all(N_ARMS, [np.random.default_rng(user) for user in range(200)])
    users = np.arange(200)
    kept = seen_by(agent, monkeypatch)
    stopped = agent.act_all(users) == STOP
    assert stopped.any() == (mask == "none")
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


def test_the_answer_of_a_run_without_one_is_the_most_accepted_arm():
    agent = agent_of(PPO, "bai")
    agent.reset_all(N_ARMS, [np.random.default_rng(0), np.random.default_rng(1)])
    agent.observe_all(np.arange(2), np.array([2, 1]), np.array([True, False]))
    assert agent.answer_all(np.arange(2)).tolist() == [2, 0]


@pytest.mark.parametrize(("algorithm", "task", "observation"), ROWS[3:])
def test_a_model_names_the_chances_that_it_acts_by(algorithm, task, observation, monkeypatch):
    agent = agent_of(algorithm, task)
    agent.reset(N_ARMS, np.random.default_rng(0), HORIZON)
    seen = seen_by(agent, monkeypatch)
    user = np.random.default_rng(1)
    for _ in range(8):
        told = explanation_of(agent, N_ARMS)
        arm = agent.act()
        (asked, acted), seen[:] = seen[:2], []
        assert (asked[2] == acted[2]).all()  # the same chances, to the bit
        named = [*told["chance of recommending"], *told.get("chance of answering", ())]
        assert sorted(named) == sorted(acted[2][0])
        assert ("chance of answering" in told) == (task == "bai")
        if arm is None:
            break
        assert told["chance of recommending"][arm] > 0.0
        agent.observe(arm, bool(user.random() < 0.5))
    valued = {name for name in told if name.startswith("value")}
    if algorithm in VALUES:
        best = max(range(N_ARMS), key=told["value of recommending"].__getitem__)
        assert task == "bai" or told["chance of recommending"][best] == max(named)
    else:
        assert valued == (set() if algorithm is RecurrentPPO else {"value of the position"})


def test_what_no_agent_can_be_made_of_is_refused():
    class Continuous(gym.Env[Any, Any]):
        observation_space = spaces.Box(-1.0, 1.0, (3,))
        action_space = spaces.Box(-1.0, 1.0, (1,))

    model = model_of(PPO, "regret", "counts")
    rows = [
        (SAC("MlpPolicy", Continuous(), buffer_size=10), {}, "model must be a model with discrete"),
        ("model.zip", {}, "model must be a model with discrete"),
        (model, {"task": "x"}, "task must be"),
        (model, {"observation": "x"}, "observation must be"),
        (model, {"horizon": 0}, "horizon must be"),
        (model, {"mask": "x"}, "mask must be"),
        (model, {"deterministic": 2}, "deterministic must be"),
    ]
    for task, observation, trained in [
        *(("regret", "last-step", "counts"), ("regret", "response", "counts")),
        *(("regret", "counts", "response"), ("bai", "counts", "counts")),
        ("bai", "sorted-counts", "sorted-counts"),
    ]:
        said = {"task": task, "observation": observation}
        other = model_of(PPO, "regret", trained)
        rows += [(other, said, ", on which PPO was trained, got '")]
        start = f"model must be trained on the task '{task}' and the observation .*got 'PPO"
        rows += [(without_a_word(other), said | {"horizon": HORIZON}, start)]
    for refused, given, words in rows:
        with pytest.raises(eu.InvalidArgumentError, match=words):
            SB3Agent(refused, **given)
    for compiled in (True, False):
        facts = facts_of("regret") | {"n_arms": 4, "compiled": compiled}
        with pytest.raises(eu.InvalidArgumentError, match="n_arms must be 3, with which PPO was"):
            eu.evaluate([agent_of(PPO, "regret")], **facts)
