"""Models for users who come one after another: what they train on, say of it, and see again."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from population_env import SMALL
from sb3_agents import seen_by
from sb3_contrib import RecurrentPPO
from stable_baselines3 import PPO

from explorative_user_env import InvalidArgumentError, evaluate
from explorative_user_env.envs.population import ExplorativePopulationEnv
from explorative_user_env.protocol import POPULATION
from explorative_user_env.rl import SB3Agent, load_agent, make_sb3_vec_env, train
from explorative_user_env.rl.training import EVALUATION_SEED
from explorative_user_env.wrappers.vector import make_task

SORTED = "sorted-population-counts"


def model_of(algorithm: Any, task: str, observation: str, users: dict[str, Any] = SMALL) -> Any:
    """Return an untrained model."""
    envs = make_sb3_vec_env(2, task=task, observation=observation, **users)
    policy = "MlpLstmPolicy" if algorithm is RecurrentPPO else "MlpPolicy"
    return algorithm(policy, envs, n_steps=8, batch_size=16, seed=0, device="cpu")


@pytest.fixture(scope="module")
def model() -> Any:
    return model_of(PPO, "population", SORTED)


def test_a_model_says_itself_of_how_many_users(model: Any, tmp_path: Path) -> None:
    model.save(tmp_path / "model.zip")
    for each in (model, PPO.load(tmp_path / "model.zip")):
        agent = SB3Agent(each)
        said = (agent.task, agent.observation, agent.horizon, agent.n_users, agent.n_arms)
        assert said == (POPULATION, SORTED, 7, 3, 4)
        assert agent.options["n_users"] == 3
        with pytest.raises(InvalidArgumentError, match="n_users must be 3"):
            SB3Agent(each, n_users=4)


def test_who_does_not_say_of_how_many_users_has_to_be_told(model: Any) -> None:
    told: dict[str, Any] = {"task": "population", "observation": SORTED, "horizon": 7}
    silent = PPO("MlpPolicy", model.env, n_steps=8, batch_size=16, device="cpu")
    silent.env = None
    silent.observation_space = type(model.observation_space)(
        model.observation_space.low, model.observation_space.high
    )
    with pytest.raises(InvalidArgumentError, match="n_users must be given"):
        SB3Agent(silent, **told)
    assert SB3Agent(silent, n_users=3, **told).n_users == 3


def test_an_agent_is_shown_what_its_model_is_shown_in_the_environment(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = SB3Agent(model)
    seen = seen_by(agent, monkeypatch)
    env: Any = make_task("population", 1, SORTED, **SMALL)
    users = ExplorativePopulationEnv(**SMALL)
    shown, _ = env.reset(seed=2)
    users.reset(seed=2)
    agent.reset(4, np.random.default_rng(0))
    over = False
    while not over:
        arm = agent.act()
        assert arm is not None
        np.testing.assert_array_equal(seen[-1][0], shown)
        shown, *_ = env.step([int(np.flatnonzero(env._order[0] == arm)[0])])
        response, _, over, _, info = users.step(arm)
        agent.observe(arm, bool(response))
        if info["new_user"]:
            agent.next_user()
    assert len(seen) == 21


@pytest.mark.parametrize("task", ["population", "regret"])
def test_what_a_recurrent_model_remembers_is_its_tasks(task: str) -> None:
    users = SMALL if task == "population" else {"n_arms": 4, "horizon": 7}
    agent = SB3Agent(model_of(RecurrentPPO, task, "last-step", users))
    agent.reset(4, np.random.default_rng(0))
    agent.act()
    agent.observe(2, True)
    assert agent._memory is not None
    before = agent._memory[0].copy()
    agent.next_user()
    kept = before if task == "population" else np.zeros_like(before)
    np.testing.assert_array_equal(agent._memory[0], kept)
    assert before.any()


@pytest.mark.slow
@pytest.mark.slow
def test_a_training_says_of_how_many_users_and_how_much_they_differ(tmp_path: Path) -> None:
    given = SMALL | {"n_envs": 2, "steps": 64, "evaluation_users": 6, "output": tmp_path / "model"}
    agent = train("ppo", task="population", **given)
    settings = json.loads((tmp_path / "model" / "settings.json").read_text())
    said = {name: settings[name] for name in ("n_users", "deviation", "horizon", "observation")}
    assert said == {"n_users": 3, "deviation": 0.6, "horizon": 7, "observation": SORTED}
    again = load_agent(tmp_path / "model")
    assert (again.n_users, again.options) == (3, agent.options)
    users = {name: SMALL[name] for name in ("n_arms", "noise", "n_users", "horizon", "deviation")}
    met = {"n_instances": 2, "seed": EVALUATION_SEED, "progress": False} | users
    runs = evaluate([again], task="population", **met).runs
    told = pd.read_csv(tmp_path / "model" / "training.csv")
    assert told["regret"].iloc[-1] == pytest.approx(runs["regret"].mean())
