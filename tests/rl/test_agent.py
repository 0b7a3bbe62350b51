import functools
from typing import Any

import gymnasium as gym
import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from gymnasium import spaces
from sb3_contrib import QRDQN, TRPO, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO, SAC

import explorative_user_env as eu
from explorative_user_env.protocol import STOP
from explorative_user_env.rl import SB3Agent, make_sb3_vec_env

assert_same = functools.partial(pd.testing.assert_frame_equal, check_exact=True)
N_ARMS, HORIZON = 3, 40
SMALL: dict[str, Any] = {"n_arms": N_ARMS, "n_instances": 9, "seed": 4, "progress": False}
POLICY_GRADIENTS = [PPO, A2C, TRPO, RecurrentPPO, MaskablePPO]
VALUES = [DQN, QRDQN]
TASKS = ["regret", "bai"]
USERS = np.arange(6)


@functools.cache
def model_of(algorithm: Any, task: str, observation: str, n_arms: int = N_ARMS) -> Any:
    """An untrained model whose choices are far from even, so that a wrong one shows."""
    envs = make_sb3_vec_env(
        2, task=task, observation=observation, n_arms=n_arms, horizon=HORIZON, seed=0
    )
    policy = "MlpLstmPolicy" if algorithm is RecurrentPPO else "MlpPolicy"
    options: dict[str, Any] = {"net_arch": [64, 64]}
    if algorithm is RecurrentPPO:
        options["lstm_hidden_size"] = 32
    model = algorithm(policy, envs, seed=1, device="cpu", policy_kwargs=options)
    if hasattr(model.policy, "action_net"):
        with torch.no_grad():
            model.policy.action_net.weight.mul_(400.0 if algorithm is RecurrentPPO else 100.0)
    return model


def agent_of(algorithm: Any, task: str, observation: str | None = None, **options: Any) -> SB3Agent:
    default = "last-step" if algorithm is RecurrentPPO else "sorted-counts"
    observation = observation or default
    model = model_of(algorithm, task, observation)
    return SB3Agent(model, task=task, observation=observation, **{"horizon": HORIZON} | options)


def facts_of(task: str) -> dict[str, Any]:
    return SMALL | ({"task": task, "horizon": HORIZON} if task == "regret" else {"task": task})


def met(agent: SB3Agent, n_steps: int = 9) -> None:
    """Let the agent hear of six users, so that their observations differ."""
    rng = np.random.default_rng(0)
    agent.reset_all(N_ARMS, [np.random.default_rng(user) for user in USERS])
    for _ in range(n_steps):
        arms, accepted = rng.integers(0, N_ARMS, USERS.size), rng.random(USERS.size) < 0.5
        agent.observe_all(USERS, arms, accepted)


def seen_by(agent: SB3Agent, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Any, Any]]:
    """Keep the observations, masks and chances of each time the model is asked."""
    kept: list[tuple[Any, Any, Any]] = []
    ask = agent._chances.of

    def of(observations: Any, masks: Any, memory: Any, users: Any) -> Any:
        kept.append((observations, masks, ask(observations, masks, memory, users)))
        return kept[-1][2]

    monkeypatch.setattr(agent._chances, "of", of)
    return kept


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("algorithm", [*POLICY_GRADIENTS, *VALUES])
def test_runs_in_step_are_those_step_by_step_and_in_other_company(
    algorithm: Any, task: str
) -> None:
    agent, facts = agent_of(algorithm, task), facts_of(task)
    together = eu.evaluate([agent], **facts).runs
    assert_same(together, eu.evaluate([agent], compiled=False, **facts).runs)
    # More than a block of the policy, and users in compiled code.
    crowd = eu.evaluate([agent], **facts | {"n_instances": 70}).runs
    assert_same(together, crowd.head(len(together)))
    # What the model remembered of users is gone.
    assert_same(together, eu.evaluate([agent], **facts).runs)


@pytest.mark.parametrize("observation", ["response", "counts", "last-step"])
@pytest.mark.parametrize("task", TASKS)
def test_runs_do_not_depend_on_company_for_any_observation(task: str, observation: str) -> None:
    agent, facts = agent_of(PPO, task, observation), facts_of(task)
    together = eu.evaluate([agent], **facts | {"n_instances": 70}).runs.head(5)
    facts |= {"n_instances": 5, "compiled": False}
    assert_same(together, eu.evaluate([agent], **facts).runs)


def library_chances(algorithm: Any, model: Any, observations: Any, masks: Any) -> Any:
    tensor = torch.as_tensor(observations)
    with torch.no_grad():
        if algorithm is MaskablePPO:
            distribution = model.policy.get_distribution(tensor, action_masks=masks)
        elif algorithm is RecurrentPPO:
            layers, _, width = model.policy.lstm_hidden_state_shape
            zeros = torch.zeros(layers, len(tensor), width)
            starts = torch.ones(len(tensor))
            distribution, _ = model.policy.get_distribution(tensor, (zeros, zeros), starts)
        else:
            distribution = model.policy.get_distribution(tensor)
    return distribution.distribution.probs.numpy()


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("algorithm", POLICY_GRADIENTS)
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
    np.testing.assert_allclose(chances, expected, rtol=1e-4, atol=1e-6)
    assert np.ptp(chances[0]) > 0.05
    # Alone, a user has the same chances to the last bit.
    for user in USERS:
        one = slice(user, user + 1)
        legal, memory = None if masks is None else masks[one], agent._chances.memory(1)
        alone = agent._chances.of(observations[one], legal, memory, np.zeros(1, int))
        np.testing.assert_array_equal(alone[0], chances[user])


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


@pytest.mark.parametrize("algorithm", VALUES)
def test_a_value_model_takes_the_action_that_the_library_does(
    algorithm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = agent_of(algorithm, "regret", "counts")
    met(agent)
    kept = seen_by(agent, monkeypatch)
    arms = agent.act_all(USERS)
    expected, _ = agent.model.predict(kept[0][0], deterministic=True)
    np.testing.assert_array_equal(arms, expected)


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


@pytest.mark.parametrize("mask", ["rejections", "none"])
def test_masked_answers_are_never_chosen(mask: str, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_the_answer_of_a_run_without_one_is_the_most_accepted_arm() -> None:
    agent = agent_of(PPO, "bai")
    agent.reset_all(N_ARMS, [np.random.default_rng(0), np.random.default_rng(1)])
    agent.observe_all(np.arange(2), np.array([2, 1]), np.array([True, False]))
    assert agent.answer_all(np.arange(2)).tolist() == [2, 0]


@pytest.mark.parametrize("algorithm", [*POLICY_GRADIENTS, *VALUES])
def test_value_models_are_deterministic_by_default_and_policy_gradients_draw(
    algorithm: Any,
) -> None:
    agent = agent_of(algorithm, "bai")
    assert agent.deterministic == (algorithm in VALUES)
    assert agent.name == algorithm.__name__
    assert agent_of(algorithm, "bai", name="mine").name == "mine"


@pytest.mark.parametrize("algorithm", POLICY_GRADIENTS)
def test_a_deterministic_policy_gradient_warns_and_takes_the_likeliest(
    algorithm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.warns(UserWarning, match=f"{algorithm.__name__} with deterministic=True"):
        agent = agent_of(algorithm, "regret", "counts", deterministic=True)
    met(agent)
    kept = seen_by(agent, monkeypatch)
    np.testing.assert_array_equal(agent.act_all(USERS), kept[0][2].argmax(axis=1))


def test_a_value_model_may_explore_as_in_training(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agent_of(DQN, "regret", "counts", deterministic=False)
    agent._chances._explores = 0.3
    met(agent)
    kept = seen_by(agent, monkeypatch)
    agent.act_all(USERS)
    np.testing.assert_allclose(np.sort(kept[0][2], axis=1), [[0.1, 0.1, 0.8]] * USERS.size)


@pytest.mark.parametrize(
    ("trained", "said"),
    [
        (("regret", "counts"), {"task": "regret", "observation": "last-step"}),
        (("regret", "counts"), {"task": "regret", "observation": "response"}),
        (("regret", "response"), {"task": "regret", "observation": "counts"}),
        (("regret", "counts"), {"task": "bai", "observation": "counts"}),
        (("bai", "sorted-counts"), {"task": "regret", "observation": "sorted-counts"}),
    ],
)
def test_a_model_of_other_spaces_is_refused_by_name(
    trained: tuple[str, str], said: dict[str, Any]
) -> None:
    message = f"model must be trained on the task '{said['task']}' and the observation "
    with pytest.raises(eu.InvalidArgumentError, match=f"{message}.*got 'PPO"):
        SB3Agent(model_of(PPO, *trained), **said)


def test_a_model_of_an_unknown_kind_is_refused_by_name() -> None:
    class Continuous(gym.Env[Any, Any]):
        observation_space = spaces.Box(-1.0, 1.0, (3,))
        action_space = spaces.Box(-1.0, 1.0, (1,))

    models: list[Any] = [SAC("MlpPolicy", Continuous(), buffer_size=10), "model.zip"]
    for model in models:
        with pytest.raises(eu.InvalidArgumentError, match="model must be a model with discrete"):
            SB3Agent(model)


def test_another_number_of_arms_is_refused() -> None:
    for compiled in (True, False):
        with pytest.raises(eu.InvalidArgumentError, match="n_arms must be 3, with which PPO was"):
            eu.evaluate(
                [agent_of(PPO, "regret")], **facts_of("regret") | {"n_arms": 4}, compiled=compiled
            )


@pytest.mark.parametrize(
    "wrong",
    [{"task": "x"}, {"observation": "x"}, {"horizon": 0}, {"mask": "x"}, {"deterministic": 2}],
)
def test_a_wrong_argument_is_named(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(eu.InvalidArgumentError, match=f"{name} must be"):
        SB3Agent(model_of(PPO, "regret", "counts"), **{"observation": "counts"} | wrong)
