from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from sb3_agents import (
    HORIZON,
    N_ARMS,
    VALUES,
    agent_of,
    assert_same,
    facts_of,
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

ROWS: list[tuple[Any, str, str | None]] = [
    *((PPO, "regret", "counts"), (PPO, "bai", "last-step"), (A2C, "bai", "response")),
    *((TRPO, "regret", None), (RecurrentPPO, "regret", None), (RecurrentPPO, "bai", None)),
    *((MaskablePPO, "bai", None), (DQN, "regret", None), (QRDQN, "bai", None)),
]
"""Algorithm, task and observation."""


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "task", "observation"), ROWS)
def test_runs_in_step_are_those_step_by_step_and_in_other_company(
    algorithm: Any, task: str, observation: str | None
) -> None:
    agent, facts = agent_of(algorithm, task, observation), facts_of(task)
    assert (agent.name, agent.deterministic) == (algorithm.__name__, algorithm in VALUES)
    together = eu.evaluate([agent], **facts).runs
    assert_same(together, eu.evaluate([agent], compiled=False, **facts).runs)
    # More than a block of the policy, and users in compiled code.
    crowd = eu.evaluate([agent], **facts | {"n_instances": 70}).runs
    assert_same(together, crowd.head(len(together)))
    # What the model remembered of users is gone.
    assert_same(together, eu.evaluate([agent], **facts).runs)


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


def test_the_answer_of_a_run_without_one_is_the_most_accepted_arm() -> None:
    agent = agent_of(PPO, "bai")
    agent.reset_all(N_ARMS, [np.random.default_rng(0), np.random.default_rng(1)])
    agent.observe_all(np.arange(2), np.array([2, 1]), np.array([True, False]))
    assert agent.answer_all(np.arange(2)).tolist() == [2, 0]


@pytest.mark.parametrize(("algorithm", "task", "observation"), ROWS[3:])
def test_a_model_names_the_chances_that_it_acts_by(
    algorithm: Any, task: str, observation: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = agent_of(algorithm, task)
    agent.reset(N_ARMS, np.random.default_rng(0), HORIZON)
    seen = seen_by(agent, monkeypatch)
    user = np.random.default_rng(1)
    for _ in range(8):
        told: dict[str, Any] = explanation_of(agent, N_ARMS)
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


@pytest.mark.slow
def test_a_model_passes_all_checks_that_are_asked_of_it() -> None:
    report = check_agent(load_agent("bai-k5"))
    not_asked = [each.check.name for each in report.outcomes if each.verdict == "not asked"]
    # It was trained for a number of arms and never ends in a tie.
    assert not_asked == [
        *("meets_two_arms", "meets_many_arms", "breaks_ties_by_chance", "compiled_is_readable")
    ]


def test_what_no_agent_can_be_made_of_is_refused() -> None:
    class Continuous(gym.Env[Any, Any]):
        observation_space = spaces.Box(-1.0, 1.0, (3,))
        action_space = spaces.Box(-1.0, 1.0, (1,))

    model = model_of(PPO, "regret", "counts")
    rows: list[tuple[Any, dict[str, Any], str]] = [
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
