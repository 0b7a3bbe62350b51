"""A training: what it keeps to, writes and refuses, and how it goes on where it was broken off."""

import base64
import json
import pickle
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from planted import Planted
from population_env import SMALL as OF_A_POPULATION
from sb3_agents import same, weights
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

import explorative_user_env as eu
from explorative_user_env.files import MADE_BY
from explorative_user_env.results.store import Store
from explorative_user_env.rl import load_agent, make_sb3_vec_env, train, training
from explorative_user_env.rl.models import PROGRESS_FILE, RECIPES
from explorative_user_env.rl.training import CHECKPOINTS, EVALUATION_SEED
from explorative_user_env.users.population import RELEASED, Population

pytestmark = pytest.mark.slow

TINY = {"steps": 96, "n_arms": 3, "horizon": 8, "n_envs": 2, "evaluation_users": 2}
TASK_OF = {"ppo": "regret", "recurrent-ppo": "regret", "maskable-ppo": "bai", "dqn": "regret"}


@pytest.fixture
def short_rollouts(monkeypatch):
    """Policy gradients learn from 16 steps, DQN from the 32nd step on."""
    short = {"n_steps": 8, "batch_size": 16, "n_epochs": 1}
    buffered = {"learning_starts": 32, "batch_size": 8, "target_update_interval": 24}
    for algo, recipe in RECIPES.items():
        given = {**recipe.options, **(buffered if algo == "dqn" else short)}
        monkeypatch.setitem(RECIPES, algo, replace(recipe, options=given))


def interrupted_at(steps):
    def tell(what, done, total):
        if done >= steps:
            raise KeyboardInterrupt

    return tell


@pytest.mark.parametrize("algo", RECIPES)
@pytest.mark.usefixtures("short_rollouts")
def test_a_seed_gives_one_model_however_often_it_is_broken_off_and_runs_no_code_of_a_checkpoint(
    algo, tmp_path, monkeypatch
):
    monkeypatch.setattr(training, "EVALUATIONS", 2)
    options = TINY | {"task": TASK_OF[algo], "seed": 1}
    asked = {"command": "train", "options": {"algo": "any"}}
    undisturbed = weights(train(algo, output=tmp_path / "whole", **options))
    assert not same(undisturbed, weights(train(algo, **options | {"seed": 2})))
    np.random.seed(5)  # noqa: NPY002 - to see that it is of no matter
    torch.manual_seed(5)
    path, ran = tmp_path / "run.sqlite", tmp_path / "ran"
    for share in (0.6, 0.97):
        with pytest.raises(KeyboardInterrupt), Store(path, asked) as store:
            train(algo, store=store, progress=interrupted_at(share * options["steps"]), **options)
        with closing(sqlite3.connect(path)) as db:
            kept = db.execute("SELECT * FROM kept").fetchall()
        assert 1 <= len(kept) <= CHECKPOINTS
    other = shutil.copy(path, tmp_path / "other.sqlite")
    planted = base64.b64encode(pickle.dumps(Planted(ran), protocol=2)).decode()
    with closing(sqlite3.connect(other)) as db:
        for key, position, text in kept:
            piece = json.dumps({**json.loads(text), "state": planted})
            where = "WHERE key = ? AND position = ?"
            db.execute(f"UPDATE kept SET value = ? {where}", (piece, key, position))
        db.commit()
    with Store(other, asked) as store, pytest.raises(eu.InvalidArgumentError, match="checkpoint"):
        train(algo, store=store, **options)
    assert not ran.exists()
    with Store(path, asked) as store:
        gone_on = train(algo, store=store, output=tmp_path / "out", **options)
    assert same(undisturbed, weights(gone_on))
    found = [pd.read_csv(tmp_path / name / PROGRESS_FILE) for name in ("whole", "out")]
    pd.testing.assert_frame_equal(*found, check_exact=True)


def test_the_folder_has_the_model_its_settings_and_its_evaluations(tmp_path):
    folder = tmp_path / "new" / "ppo"
    users = {"gap": 0.7, "setting": "released", "n_arms": 3}
    asked = {"steps": 700, "horizon": 30, "n_envs": 2, "evaluation_users": 5, "seed": 3}
    agent = train("ppo", output=folder, **asked, **users)
    names = sorted(path.name for path in folder.iterdir())
    assert names == [MADE_BY, "model.zip", "settings.json", "training.csv"]
    settings = json.loads((folder / "settings.json").read_text())
    expected = {
        **{"algo": "ppo", "task": "regret", "n_arms": 3, "steps": 700, "seed": 3},
        **{"observation": "sorted-counts", "horizon": 30, "n_envs": 2, "environment": users},
        "users": Population(gap=0.7, setting=RELEASED, n_arms=3).words(),
    }
    assert {name: settings[name] for name in expected} == expected
    assert set(settings["versions"]) >= {"python", "torch", "stable-baselines3"}
    with pytest.warns(UserWarning, match="mine with deterministic=True"):
        loaded = load_agent(str(folder), name="mine", deterministic=True)
    assert same(weights(agent), weights(loaded))
    assert (loaded.name, loaded.deterministic, loaded.horizon) == ("mine", True, 30)
    assert loaded.trained_on == {"task": "regret", "n_arms": 3, "setting": "released"}
    progress = pd.read_csv(folder / "training.csv")
    assert list(progress) == ["steps", "regret"]
    assert progress["steps"].tolist() == [512, 1024]
    assert agent.model.num_timesteps == 1024
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

    folder, users = tmp_path / "population", OF_A_POPULATION
    given = {"n_envs": 2, "steps": 32, "evaluation_users": 6, "output": folder}
    agent = train("ppo", task="population", **users, **given)
    loaded = load_agent(folder)
    said = (loaded.n_users, loaded.horizon, loaded.observation)
    assert (*said, loaded.options) == (3, 7, "sorted-population-counts", agent.options)
    met = {"n_instances": 2, "seed": EVALUATION_SEED, "progress": False} | users
    runs = eu.evaluate([loaded], task="population", **met).runs
    told = pd.read_csv(folder / "training.csv")
    assert told["regret"].iloc[-1] == pytest.approx(runs["regret"].mean())


def test_nothing_is_written_by_a_training_that_does_not_end(tmp_path, monkeypatch):
    def interrupted(*arguments, **options):
        assert torch.get_num_threads() == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(PPO, "learn", interrupted)
    (tmp_path / "model.zip").write_text("older")
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    with pytest.raises(KeyboardInterrupt):
        train(output=tmp_path, **TINY)
    restored = torch.get_num_threads()
    torch.set_num_threads(threads)
    assert restored == 2
    assert [path.read_text() for path in tmp_path.iterdir()] == ["older"]


def test_the_recipe_and_what_is_asked_for_reach_the_model(monkeypatch, tmp_path):
    monkeypatch.setattr(training, "find_spec", lambda name: "there")
    for algo, task in (("ppo", "regret"), ("maskable-ppo", "bai")):
        models = []
        recipe, logs = RECIPES[algo], tmp_path / "logs"
        monkeypatch.setattr(recipe.model, "learn", lambda it, *_, m=models, **__: m.append(it))
        train(algo, task=task, seed=9, n_arms=3, horizon=30, n_envs=1, tensorboard=logs)
        (model,) = models
        assert (model.seed, model.n_envs, model.tensorboard_log) == (9, 1, str(logs))
        # No batch is larger than what is collected for it.
        assert model.batch_size == min(recipe.options["batch_size"], recipe.options["n_steps"])
        assert isinstance(model.get_env(), VecNormalize) == recipe.scales_rewards


def test_what_cannot_be_trained_is_refused_before_the_training(monkeypatch, tmp_path, subtests):
    monkeypatch.setattr(PPO, "learn", lambda *_, **__: pytest.fail("trained"))
    monkeypatch.setattr(training, "find_spec", lambda name: None)
    (tmp_path / "file").write_text("")
    wrong = [
        ({"algo": "sarsa"}, "algo must be one of .*maskable-ppo.*, got 'sarsa'"),
        ({"algo": "maskable-ppo"}, 'task must be "bai" for maskable-ppo'),
        ({"task": "sleep"}, "task must be one of bai, population, regret"),
        ({"steps": 0}, "steps must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer in 0..4294967295"),
        ({"evaluation_users": 0}, "evaluation_users must be"),
        ({"n_envs": 0}, "must be an integer of at least 1, got 0"),
        ({"n_users": 3}, "n_users must be left out, except for"),
        ({"behaviour": "drifting"}, "behaviour must be one with constant means"),
        ({"tensorboard": tmp_path / "logs"}, "tensorboard must be left out, or"),
        ({"output": tmp_path / "file" / "model"}, "output must be a folder that can be"),
    ]
    for given, message in wrong:
        with subtests.test(message), pytest.raises(eu.InvalidArgumentError, match=message):
            train(**TINY | given)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.usefixtures("short_rollouts")
@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("regret", {"reward_law": "bounded", "noise": 0.1, "reward": "utility"}),
        ("bai", {"behaviour": "drifting", "step_cost": 0.01}),
    ],
)
def test_it_is_evaluated_on_users_like_those_it_learns_from(monkeypatch, task, options):
    met = []
    learned_from = []

    def making(*arguments, **given):
        learned_from.append(given)
        return make_sb3_vec_env(*arguments, **given)

    def evaluating(*arguments, **given):
        met.append(given)
        return eu.evaluate(*arguments, **given)

    monkeypatch.setattr(training, "make_sb3_vec_env", making)
    monkeypatch.setattr(training, "evaluate", evaluating)
    algo = "maskable-ppo" if task == "bai" else "ppo"
    train(algo, task=task, **TINY, **options)
    paid = {"step_cost", "reward"} & {*options}
    users = {name: value for name, value in options.items() if name not in paid}
    (made,) = learned_from
    assert made["population"] == Population(n_arms=3, **users)
    assert {name: made[name] for name in paid} == {name: options[name] for name in paid}
    assert (made["task"].name, made["horizon"]) == (task, 8)
    assert met
    assert all(given["n_instances"] == TINY["evaluation_users"] for given in met)
    assert all(given["population"] == made["population"] for given in met)
    assert all(given.get("step_cost") == options.get("step_cost") for given in met)


@pytest.mark.usefixtures("short_rollouts")
def test_a_model_is_looked_at_ten_times_or_after_every_rollout(monkeypatch, tmp_path):
    # A rollout is of 16 steps; the last of 40 ends at 48.
    for steps, most, points in ((32, 10, [16, 32]), (40, 10, [16, 32, 48]), (64, 2, [32, 64])):
        monkeypatch.setattr(training, "EVALUATIONS", most)
        told = []
        progress = lambda *what, to=told: to.append(what)  # noqa: E731
        train(output=tmp_path, progress=progress, **TINY | {"steps": steps})
        assert pd.read_csv(tmp_path / "training.csv")["steps"].tolist() == points
        done = [each for _, each, _ in told]
        assert (done, done[-1]) == (sorted(done), steps)
