"""The chances under a policy are those of Stable-Baselines3 itself."""

from typing import Any

import numpy as np
import pytest
import torch
from pairs import pairs
from sb3_agents import N_ARMS, TASKS, USERS, VALUES, agent_of, met, seen_by
from sb3_contrib import TRPO, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO


def library_chances(algorithm: Any, model: Any, observations: Any, masks: Any) -> Any:
    tensor = torch.as_tensor(observations)
    with torch.no_grad():
        if algorithm is MaskablePPO:
            distribution = model.policy.get_distribution(tensor, action_masks=masks)
        else:
            distribution = model.policy.get_distribution(tensor)
    return distribution.distribution.probs.numpy()


@pytest.mark.slow
@pairs(task=TASKS, algorithm=[PPO, A2C, TRPO, MaskablePPO])
def test_chances_are_those_of_the_library_for_the_same_observation(
    algorithm: Any, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = agent_of(algorithm, task)
    met(agent)
    kept = seen_by(agent, monkeypatch)
    agent.act_all(USERS)
    ((observations, masks, chances),) = kept
    assert len({tuple(row) for row in observations.tolist()}) > 3
    expected = library_chances(algorithm, agent.model, observations, masks)
    # Both round at every sum, in an order that is the processor's.
    np.testing.assert_allclose(chances, expected, rtol=1e-4, atol=1e-6)
    assert np.ptp(chances[0]) > 0.05


def test_a_policy_is_asked_in_blocks_of_one_size_however_many_users_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Products of matrices of another size may round in another way, on some processors.
    agent = agent_of(RecurrentPPO, "bai")
    policy: Any = agent.model.policy
    sizes: list[int] = []
    as_tensor = policy.obs_to_tensor

    def seen(observations: Any) -> Any:
        sizes.append(len(observations))
        return as_tensor(observations)

    monkeypatch.setattr(policy, "obs_to_tensor", seen)
    for n_users, n_blocks in ((1, 1), (64, 1), (65, 2), (130, 3)):
        sizes.clear()
        agent.reset_all(N_ARMS, [np.random.default_rng(user) for user in range(n_users)])
        assert len(agent.act_all(np.arange(n_users))) == n_users
        assert sizes == [64] * n_blocks


def test_a_recurrent_model_remembers_each_users_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agent_of(RecurrentPPO, "regret")
    kept = seen_by(agent, monkeypatch)
    agent.reset_all(N_ARMS, [np.random.default_rng(user) for user in range(4)])
    policy: Any = agent.model.policy
    state = None
    rng = np.random.default_rng(0)
    for step in range(6):
        # Users 1 and 3 alone in odd steps.
        users = np.array([1, 3]) if step % 2 else np.arange(4)
        arms = agent.act_all(users)
        agent.observe_all(users, arms, rng.random(users.size) < 0.5)
        observation = torch.as_tensor(kept[-1][0][users.tolist().index(3)][np.newaxis])
        if state is None:
            layers, _, width = policy.lstm_hidden_state_shape
            state = (torch.zeros(layers, 1, width), torch.zeros(layers, 1, width))
        with torch.no_grad():
            starts = torch.tensor([float(step == 0)])
            distribution, state = policy.get_distribution(observation, state, starts)
        expected = distribution.distribution.probs.numpy()[0]
        np.testing.assert_allclose(kept[-1][2][users.tolist().index(3)], expected, rtol=1e-4)


def test_a_deterministic_model_takes_what_the_library_does_or_the_likeliest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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


@pytest.mark.slow
def test_draws_have_the_frequencies_of_the_chances(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agent_of(PPO, "regret", "counts")
    met(agent)
    kept = seen_by(agent, monkeypatch)
    n = 1500
    chosen = np.array([agent.act_all(USERS) for _ in range(n)])
    chances = kept[0][2]
    for user in USERS:
        counts = np.bincount(chosen[:, user], minlength=N_ARMS)
        # Five standard deviations of a binomial count: at most 97, or 0.065 of all.
        allowed = 5 * np.sqrt(n * chances[user] * (1 - chances[user])) + 1e-6
        assert (np.abs(counts - n * chances[user]) <= allowed + 1).all()
    assert ((chances > 0.05) & (chances < 0.95)).any(axis=1).sum() >= 3
