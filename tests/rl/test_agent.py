from typing import Any

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from gymnasium import spaces
from sb3_agents import (
    HORIZON,
    N_ARMS,
    POLICY_GRADIENTS,
    VALUES,
    agent_of,
    facts_of,
    model_of,
    seen_by,
    without_a_word,
)
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO, SAC

import explorative_user_env as eu
from explorative_user_env.protocol import STOP
from explorative_user_env.rl import SB3Agent


@pytest.mark.slow
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
    # Those who are asked about alone have the masks that are theirs.
    agent.act_all(users[1::2])
    np.testing.assert_array_equal(kept[-1][1], kept[-2][1][1::2])
    assert kept[-1][1][:, N_ARMS:].any()


@pytest.mark.slow
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
    """By what the model says itself, and by its spaces where it says nothing."""
    model = model_of(PPO, *trained)
    with pytest.raises(eu.InvalidArgumentError, match=", on which PPO was trained, got '"):
        SB3Agent(model, **said)
    message = f"model must be trained on the task '{said['task']}' and the observation "
    with pytest.raises(eu.InvalidArgumentError, match=f"{message}.*got 'PPO"):
        SB3Agent(without_a_word(model), horizon=HORIZON, **said)


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
