"""Models for users who come one after another: what they train on, say of it, and see again."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from population_env import SMALL
from sb3_agents import without_a_word
from sb3_contrib import RecurrentPPO
from stable_baselines3 import PPO

from explorative_user_env import InvalidArgumentError, evaluate
from explorative_user_env.protocol import POPULATION
from explorative_user_env.rl import SB3Agent, load_agent, make_sb3_vec_env, train
from explorative_user_env.rl.training import EVALUATION_SEED

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
    told: dict[str, Any] = {"task": "population", "observation": SORTED, "horizon": 7}
    with pytest.raises(InvalidArgumentError, match="n_users must be given"):
        SB3Agent(without_a_word(model), **told)
    assert SB3Agent(without_a_word(model), n_users=3, **told).n_users == 3


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
def test_a_training_says_of_how_many_users_and_how_much_they_differ(tmp_path: Path) -> None:
    given = SMALL | {"n_envs": 2, "steps": 64, "evaluation_users": 6, "output": tmp_path / "model"}
    agent = train("ppo", task="population", **given)
    again = load_agent(tmp_path / "model")
    said = (again.n_users, again.horizon, again.observation)
    assert (*said, again.options) == (3, 7, SORTED, agent.options)
    users = {name: SMALL[name] for name in ("n_arms", "noise", "n_users", "horizon", "deviation")}
    met = {"n_instances": 2, "seed": EVALUATION_SEED, "progress": False} | users
    runs = evaluate([again], task="population", **met).runs
    told = pd.read_csv(tmp_path / "model" / "training.csv")
    assert told["regret"].iloc[-1] == pytest.approx(runs["regret"].mean())
