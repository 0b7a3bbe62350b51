"""A training: what it keeps to, writes and refuses, and how it goes on where it was broken off."""

import base64
import json
import pickle
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import torch
from planted import Planted
from population_env import SMALL as OF_A_POPULATION
from sb3_agents import same_weights
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.callbacks import StopTrainingOnMaxEpisodes
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize

import explorative_user_env as eu
from explorative_user_env.files import MADE_BY
from explorative_user_env.results.store import Store
from explorative_user_env.rl import load_agent, make_sb3_vec_env, train, training
from explorative_user_env.rl.models import PROGRESS_FILE, RECIPES
from explorative_user_env.rl.training import CHECKPOINTS, EVALUATION_SEED
from explorative_user_env.users.population import RELEASED, Population

pytestmark = pytest.mark.slow

TINY = {"steps": 64, "n_arms": 3, "horizon": 8, "n_envs": 2, "evaluation_users": 2}
TASK_OF = {"ppo": "regret", "recurrent-ppo": "regret", "maskable-ppo": "bai", "dqn": "regret"}


@pytest.fixture
def short_rollouts(monkeypatch):
    """Policy gradients learn from 16 steps, DQN from the 32nd step on."""
    short = {"n_steps": 8, "batch_size": 16, "n_epochs": 1}
    buffered = {"learning_starts": 32, "batch_size": 8, "target_update_interval": 24}
    for algo, recipe in RECIPES.items():
        given = {**recipe.options, **(buffered if algo == "dqn" else short)}
        monkeypatch.setitem(RECIPES, algo, replace(recipe, options=given))


@pytest.mark.parametrize("algo", RECIPES)
@pytest.mark.usefixtures("short_rollouts")
def test_a_seed_gives_one_model_however_often_it_is_broken_off_and_runs_no_code_of_a_checkpoint(
    algo, tmp_path, monkeypatch
):
    monkeypatch.setattr(training, "EVALUATIONS", 2)
    options = TINY | {"task": TASK_OF[algo], "seed": 1}
    asked = {"command": "train", "options": {"algo": "any"}}
    undisturbed = train(algo, output=tmp_path / "whole", **options)
    assert not same_weights(undisturbed, train(algo, **options | {"seed": 2}))
    np.random.seed(5)  # noqa: NPY002 - to see that it is of no matter
    torch.manual_seed(5)
    path, ran = tmp_path / "run.sqlite", tmp_path / "ran"
    for last in (38, 62):

        def interrupt(what, done, total, last=last):
            if done >= last:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt), Store(path, asked) as store:
            train(algo, store=store, progress=interrupt, **options)
        with closing(sqlite3.connect(path)) as db:
            assert 1 <= db.execute("SELECT count(*) FROM kept").fetchone()[0] <= CHECKPOINTS
    other = shutil.copy(path, tmp_path / "other.sqlite")
    planted = base64.b64encode(pickle.dumps(Planted(ran), protocol=2)).decode()
    with closing(sqlite3.connect(other)) as db, db:
        db.execute("UPDATE kept SET value = json_set(value, '$.state', ?)", (planted,))
    with Store(other, asked) as store, pytest.raises(eu.InvalidArgumentError, match="checkpoint"):
        train(algo, store=store, **options)
    assert not ran.exists()
    with Store(path, asked) as store:
        gone_on = train(algo, store=store, output=tmp_path / "out", **options)
    assert same_weights(undisturbed, gone_on)
    found = [pd.read_csv(tmp_path / name / PROGRESS_FILE) for name in ("whole", "out")]
    pd.testing.assert_frame_equal(*found, check_exact=True)


@pytest.mark.usefixtures("short_rollouts")
def test_the_folder_has_the_model_its_settings_and_its_evaluations(tmp_path):
    folder = tmp_path / "new" / "ppo"
    users = {"gap": 0.7, "setting": "released", "n_arms": 3}
    asked = {"steps": 40, "horizon": 30, "n_envs": 2, "evaluation_users": 5, "seed": 3}
    agent = train("ppo", output=folder, **asked, **users)
    names = {path.name for path in folder.iterdir()}
    assert names == {MADE_BY, "model.zip", "settings.json", "training.csv"}
    settings = json.loads((folder / "settings.json").read_text())
    expected = {
        **{"algo": "ppo", "task": "regret", "n_arms": 3, "steps": 40, "seed": 3},
        **{"observation": "sorted-counts", "horizon": 30, "n_envs": 2, "environment": users},
        "users": Population(gap=0.7, setting=RELEASED, n_arms=3).words(),
    }
    assert {name: settings[name] for name in expected} == expected
    assert set(settings["versions"]) >= {"python", "torch", "stable-baselines3"}
    with pytest.warns(UserWarning, match="mine with deterministic=True"):
        loaded = load_agent(str(folder), name="mine", deterministic=True)
    assert same_weights(agent, loaded)
    assert (loaded.name, loaded.deterministic, loaded.horizon) == ("mine", True, 30)
    assert loaded.trained_on == {"task": "regret", "n_arms": 3, "setting": "released"}
    progress = pd.read_csv(folder / "training.csv")
    assert list(progress) == ["steps", "regret"]
    assert progress["steps"].tolist() == [16, 32, 48]
    assert agent.model.num_timesteps == 48
    met = {"horizon": 30, "n_instances": 5, "seed": EVALUATION_SEED}
    results = eu.evaluate([agent], task="regret", **users, **met)
    assert results.summary()["regret"].iloc[0] == pytest.approx(progress["regret"].iloc[-1])


@pytest.mark.usefixtures("short_rollouts")
def test_the_folder_of_another_task_has_its_facts_too(tmp_path):
    folder = tmp_path / "bai"
    agent = train("maskable-ppo", task="bai", mask="none", step_cost=0.01, output=folder, **TINY)
    loaded = load_agent(folder)
    assert (agent.mask, loaded.mask, loaded.task.name) == ("none", "none", "bai")
    assert loaded.max_steps == 8
    progress = pd.read_csv(folder / "training.csv")
    assert list(progress) == ["steps", "cost", "success", "stopping_time"]
    own = 0.01 * progress["stopping_time"] + 1.0 - progress["success"]
    assert progress["cost"].to_numpy() == pytest.approx(own.to_numpy())

    folder, users = tmp_path / "population", OF_A_POPULATION | {"task": "population"}
    agent = train("ppo", n_envs=2, steps=32, evaluation_users=6, output=folder, **users)
    loaded = load_agent(folder)
    assert (loaded.n_users, loaded.horizon) == (3, 7)
    assert loaded.options == agent.options
    runs = eu.evaluate([loaded], n_instances=2, seed=EVALUATION_SEED, progress=False, **users).runs
    told = pd.read_csv(folder / "training.csv")
    assert told["regret"].iloc[-1] == pytest.approx(runs["regret"].mean())


def test_nothing_is_written_by_a_training_that_does_not_end(tmp_path, monkeypatch):
    def interrupted(*arguments, **options):
        assert torch.get_num_threads() == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(PPO, "learn", interrupted)
    (tmp_path / "model.zip").write_text("older")
    torch.set_num_threads(2)  # the fixture of all these tests takes it back
    with pytest.raises(KeyboardInterrupt):
        train(output=tmp_path, **TINY)
    assert torch.get_num_threads() == 2
    assert [path.read_text() for path in tmp_path.iterdir()] == ["older"]


def test_the_recipe_and_what_is_asked_for_reach_the_model(monkeypatch, tmp_path):
    monkeypatch.setattr(training, "find_spec", lambda name: "there")
    for algo, task in (("ppo", "regret"), ("maskable-ppo", "bai")):
        recipe, logs = RECIPES[algo], tmp_path / "logs"
        monkeypatch.setattr(recipe.model, "learn", lambda *_, **__: None)
        options = {"seed": 9, "n_arms": 3, "horizon": 30, "n_envs": 1, "tensorboard": logs}
        model = train(algo, task=task, **options).model
        assert (model.seed, model.n_envs, model.tensorboard_log) == (9, 1, str(logs))
        # No batch is larger than what is collected for it.
        assert model.batch_size == min(recipe.options["batch_size"], recipe.options["n_steps"])
        assert isinstance(model.get_env(), VecNormalize) == recipe.scales_rewards


def test_what_cannot_be_trained_is_refused_before_the_training(monkeypatch, tmp_path, subtests):
    monkeypatch.setattr(PPO, "learn", lambda *_, **__: pytest.fail("trained"))
    monkeypatch.setattr(training, "find_spec", lambda name: None)
    (tmp_path / "file").write_text("")
    for given, message in [
        ({"algo": "sarsa"}, "algo must be one of .*maskable-ppo.*, got 'sarsa'"),
        ({"algo": "maskable-ppo"}, 'task must be "bai", as maskable-ppo'),
        ({"task": "sleep"}, "task must be one of bai, population, regret"),
        ({"steps": 0}, "steps must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer in 0..4294967295"),
        ({"evaluation_users": 0}, "evaluation_users must be"),
        ({"learning_rate": -1}, "learning_rate must be accepted by PPO .*, got -1"),
        ({"n_envs": 0}, "must be an integer of at least 1, got 0"),
        ({"n_users": 3}, "n_users must be left out, except for"),
        ({"behaviour": "drifting"}, "behaviour must be one with constant means"),
        ({"tensorboard": tmp_path / "logs"}, "tensorboard must be left out, or"),
        ({"output": tmp_path / "file" / "model"}, "output must be a folder that can be"),
    ]:
        with subtests.test(message), pytest.raises(eu.InvalidArgumentError, match=message):
            train(**TINY | given)
    for wrong, nearest in {"learning_rat": "learning_rate", "rewards": "reward"}.items():
        with pytest.raises(TypeError, match=f"argument '{wrong}'; the nearest is '{nearest}'"):
            train(**TINY, **{wrong: 1})
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.usefixtures("short_rollouts")
def test_a_callback_runs_beside_the_progress_and_may_end_the_training():
    seen, done = [], []

    def stops(inside, outside):
        seen.append(inside["self"].num_timesteps)
        return seen[-1] < 20

    agent = train(callback=stops, progress=lambda what, n, total: done.append(n), **TINY)
    assert agent.model.num_timesteps == seen[-1] == max(done) == 20
    assert (
        train(callback=[StopTrainingOnMaxEpisodes(1)], **TINY).model.num_timesteps
        == 2 * TINY["horizon"]
    )


@pytest.mark.usefixtures("short_rollouts")
def test_hyperparameters_replace_those_of_the_recipe_in_the_model_and_its_file(tmp_path):
    given = {"learning_rate": 0.01, "n_steps": 4, "gamma": 0.5}
    model = train(output=tmp_path, **TINY, **given).model
    assert {name: getattr(model, name) for name in given} == given
    assert (model.n_epochs, model.batch_size, model.get_env().gamma) == (1, 8, 0.5)
    settings = json.loads((tmp_path / "settings.json").read_text())
    assert settings["options"].items() >= given.items()
    assert settings["environment"] == {"n_arms": 3}
    load_agent(tmp_path)


@pytest.mark.usefixtures("short_rollouts")
@pytest.mark.parametrize("task", ["regret", "bai"])
def test_it_is_evaluated_on_users_like_those_it_learns_from(monkeypatch, task):
    users = {"reward_law": "bounded", "noise": 0.1}
    algo, paid = "ppo", {"reward": "utility"}
    if task == "bai":
        algo, users, paid = "maskable-ppo", {"behaviour": "drifting"}, {"step_cost": 0.01}
    making, evaluating = Mock(wraps=make_sb3_vec_env), Mock(wraps=eu.evaluate)
    monkeypatch.setattr(training, "make_sb3_vec_env", making)
    monkeypatch.setattr(training, "evaluate", evaluating)
    train(algo, task=task, **TINY, **users, **paid)
    (made,) = (call.kwargs for call in making.call_args_list)
    assert made["population"] == Population(n_arms=3, **users)
    assert made.items() >= (paid | {"horizon": 8}).items()
    assert made["task"].name == task
    assert evaluating.called
    for _, met in evaluating.call_args_list:
        assert met["n_instances"] == TINY["evaluation_users"]
        assert met["population"] == made["population"]
        assert met.get("step_cost") == paid.get("step_cost")


@pytest.mark.usefixtures("short_rollouts")
def test_a_model_is_looked_at_so_many_times(monkeypatch, tmp_path):
    monkeypatch.setattr(training, "EVALUATIONS", 2)
    progress = Mock()
    train(output=tmp_path, progress=progress, **TINY)
    assert pd.read_csv(tmp_path / "training.csv")["steps"].tolist() == [32, 64]
    done = [call.args[1] for call in progress.mock_calls]
    assert (done, done[-1]) == (sorted(done), 64)


SHORT = {PPO: {"n_steps": 8, "batch_size": 8}, A2C: {}, DQN: {"learning_starts": 8}}


@pytest.mark.parametrize("learner", SHORT)
def test_stable_baselines3_itself_learns_by_an_id(learner):
    many = make_vec_env(eu.COUNTS_ENV_ID, n_envs=3, seed=1, env_kwargs={"n_arms": 4})
    assert (many.num_envs, many.observation_space.shape) == (3, (17,))
    learner("MlpPolicy", eu.ENV_ID, device="cpu")
    for envs in (eu.COUNTS_ENV_ID, many):
        model = learner("MlpPolicy", envs, seed=0, device="cpu", **SHORT[learner]).learn(24)
        actions, _ = model.predict(model.get_env().reset())
        assert actions.shape == (model.n_envs,)
