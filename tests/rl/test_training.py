import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sb3_trainings import SHORT, TINY, same, weights
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

import explorative_user_env as eu
from explorative_user_env.files import MADE_BY
from explorative_user_env.rl import SB3Agent, load_agent, make_sb3_vec_env, train, training
from explorative_user_env.rl.models import RECIPES
from explorative_user_env.rl.training import EVALUATION_SEED
from explorative_user_env.users.population import RELEASED, Population

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("algo", "task"),
    [("ppo", "regret"), ("maskable-ppo", "bai"), ("recurrent-ppo", "bai"), ("dqn", "regret")],
)
def test_the_same_seed_gives_the_same_model_and_another_seed_another(algo: str, task: str) -> None:
    facts = TINY | {"steps": 250, "n_envs": 1, "evaluation_users": 1}
    one = weights(train(algo, task=task, seed=1, **facts))
    np.random.seed(5)  # noqa: NPY002 - to see that it is of no matter
    torch.manual_seed(5)
    assert same(one, weights(train(algo, task=task, seed=1, **facts)))
    assert not same(one, weights(train(algo, task=task, seed=2, **facts)))


def test_the_folder_has_the_model_its_settings_and_its_evaluations(
    trained: tuple[SB3Agent, Path],
) -> None:
    agent, folder = trained
    names = sorted(path.name for path in folder.iterdir())
    assert names == [MADE_BY, "model.zip", "settings.json", "training.csv"]
    settings = json.loads((folder / "settings.json").read_text())
    expected = {
        **{"algo": "ppo", "task": "regret", "n_arms": 3, "steps": 3000, "seed": 3},
        **{"observation": "sorted-counts", "horizon": 30, "n_envs": 4},
        "environment": {"gap": 0.7, "setting": "released", "n_arms": 3},
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
    assert (np.diff(progress["steps"]) > 0).all()
    assert progress["steps"].iloc[-1] == agent.model.num_timesteps >= 3000
    users: dict[str, Any] = {"gap": 0.7, "setting": "released", "n_arms": 3}
    met: dict[str, Any] = {"horizon": 30, "n_instances": 5, "seed": EVALUATION_SEED}
    results = eu.evaluate([agent], task="regret", **users, **met)
    assert results.summary()["regret"].iloc[0] == pytest.approx(progress["regret"].iloc[-1])


def test_nothing_is_written_by_a_training_that_does_not_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **options: Any) -> None:
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


def test_the_recipe_and_what_is_asked_for_reach_the_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(training, "find_spec", lambda name: "there")
    for algo, task in (("ppo", "regret"), ("maskable-ppo", "bai")):
        models: list[Any] = []
        recipe, logs = RECIPES[algo], tmp_path / "logs"
        monkeypatch.setattr(recipe.model, "learn", lambda it, *_, m=models, **__: m.append(it))
        train(algo, task=task, seed=9, n_arms=3, horizon=30, n_envs=1, tensorboard=logs)
        (model,) = models
        assert (model.seed, model.n_envs, model.tensorboard_log) == (9, 1, str(logs))
        assert model.gae_lambda == recipe.options["gae_lambda"]
        # No batch is larger than what is collected for it.
        assert model.batch_size == min(recipe.options["batch_size"], recipe.options["n_steps"])
        rates = [model.learning_rate(left) for left in (1.0, 0.5, 0.0)]
        assert rates == pytest.approx([1e-3, 5e-4, 0])
        assert isinstance(model.get_env(), VecNormalize) == recipe.scales_rewards


def test_what_cannot_be_trained_is_refused_before_the_training(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, subtests: Any
) -> None:
    monkeypatch.setattr(PPO, "learn", lambda *_, **__: pytest.fail("trained"))
    monkeypatch.setattr(training, "find_spec", lambda name: None)
    (tmp_path / "file").write_text("")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"algo": "sarsa"}, "algo must be one of .*maskable-ppo.*, got 'sarsa'"),
        ({"algo": "maskable-ppo"}, 'task must be "bai" for maskable-ppo'),
        ({"task": "sleep"}, "task must be one of bai, population, regret"),
        ({"steps": 0}, "steps must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer in 0..4294967295"),
        ({"evaluation_users": 0}, "evaluation_users must be"),
        ({"n_envs": 0}, "must be an integer of at least 1, got 0"),
        ({"n_users": 3}, "n_users must be left out, except for"),
        ({"behaviour": "drifting"}, "behaviour must be one whose means stay"),
        ({"tensorboard": tmp_path / "logs"}, "tensorboard must be left out, or"),
        ({"output": tmp_path / "file" / "model"}, "output must be a folder that can be"),
    ]
    for given, message in wrong:
        with subtests.test(message), pytest.raises(eu.InvalidArgumentError, match=message):
            train(**TINY | given)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("regret", {"reward_law": "bounded", "noise": 0.1, "reward": "utility"}),
        ("bai", {"behaviour": "drifting", "step_cost": 0.01}),
    ],
)
def test_it_is_evaluated_on_users_like_those_it_learns_from(
    monkeypatch: pytest.MonkeyPatch, task: str, options: dict[str, Any]
) -> None:
    met: list[dict[str, Any]] = []
    learned_from: list[Any] = []

    def making(*arguments: Any, **given: Any) -> Any:
        learned_from.append(given)
        return make_sb3_vec_env(*arguments, **given)

    def evaluating(*arguments: Any, **given: Any) -> Any:
        met.append(given)
        return eu.evaluate(*arguments, **given)

    monkeypatch.setattr(training, "make_sb3_vec_env", making)
    monkeypatch.setattr(training, "evaluate", evaluating)
    algo = "maskable-ppo" if task == "bai" else "ppo"
    train(algo, task=task, n_arms=3, horizon=8, **SHORT, **options)
    paid = {"step_cost", "reward"} & {*options}
    users = {name: value for name, value in options.items() if name not in paid}
    (made,) = learned_from
    assert made["population"] == Population(n_arms=3, **users)
    assert {name: made[name] for name in paid} == {name: options[name] for name in paid}
    assert (made["task"].name, made["horizon"]) == (task, 8)
    assert met
    assert all(given["n_instances"] == SHORT["evaluation_users"] for given in met)
    assert all(given["population"] == made["population"] for given in met)
    assert all(given.get("step_cost") == options.get("step_cost") for given in met)


def test_a_model_is_looked_at_ten_times_or_after_every_rollout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A rollout is of 16 steps; the last of 100 ends at 112."""
    ppo = RECIPES["ppo"]
    short = replace(ppo, options={**ppo.options, "n_steps": 8, "batch_size": 16})
    monkeypatch.setattr(training, "recipe_for", lambda algo, task: short)
    facts: dict[str, Any] = {"n_envs": 2, "n_arms": 2, "horizon": 4, "evaluation_users": 1}
    for steps, most, points in ((160, 10, 10), (100, 10, 7), (100, 2, 2)):
        monkeypatch.setattr(training, "EVALUATIONS", most)
        told: list[Any] = []
        facts["progress"] = lambda *what, to=told: to.append(what)
        train(steps=steps, output=tmp_path, **facts)
        looked_at = pd.read_csv(tmp_path / "training.csv")["steps"].tolist()
        assert len(looked_at) == points
        assert points == 2 or looked_at == [16 * point for point in range(1, points + 1)]
        done = [each for _, each, _ in told]
        assert (done, done[-1]) == (sorted(done), steps)
