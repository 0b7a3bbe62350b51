import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from sb3_trainings import SHORT, SMALL, TINY, same, weights
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

import explorative_user_env as eu
from explorative_user_env.files import MADE_BY
from explorative_user_env.protocol import BAI, REGRET
from explorative_user_env.rl import SB3Agent, train, training
from explorative_user_env.rl.models import RECIPES
from explorative_user_env.seeding import user_seeds
from explorative_user_env.users.model import Schedule
from explorative_user_env.users.population import RELEASED, Population

pytestmark = pytest.mark.slow


def test_training_gives_an_agent_of_the_harness(trained: tuple[SB3Agent, Path]) -> None:
    agent, _ = trained
    assert isinstance(agent, eu.Agent)
    assert (agent.name, agent.horizon, agent.n_arms) == ("PPO", 30, 3)
    assert agent.model.num_timesteps >= TINY["steps"]
    runs = eu.evaluate([agent], task="regret", horizon=30, **SMALL).runs
    assert len(runs) == 12


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
    _, folder = trained
    names = sorted(path.name for path in folder.iterdir())
    assert names == [MADE_BY, "model.zip", "settings.json", "training.csv"]
    settings = json.loads((folder / "settings.json").read_text())
    expected = {
        "algo": "ppo",
        "task": "regret",
        "n_arms": 3,
        "steps": 3000,
        "seed": 3,
        "observation": "sorted-counts",
        "horizon": 30,
        "n_envs": 4,
        "environment": {"gap": 0.7, "setting": "released", "n_arms": 3},
        "users": Population(gap=0.7, setting=RELEASED, n_arms=3).words(),
    }
    assert {name: settings[name] for name in expected} == expected
    assert set(settings["versions"]) >= {"python", "torch", "stable-baselines3"}
    assert settings["options"]["gamma"] == 0.995
    progress = pd.read_csv(folder / "training.csv")
    assert list(progress) == ["steps", "regret"]
    assert progress["steps"].is_monotonic_increasing
    assert progress["steps"].is_unique
    assert progress["steps"].iloc[-1] >= 3000
    assert (progress["regret"] > 0).all()


@pytest.mark.parametrize(("algo", "task"), [("ppo", "regret"), ("maskable-ppo", "bai")])
def test_what_the_recipe_says_and_what_is_asked_for_reach_the_model(
    algo: str, task: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    models: list[Any] = []
    recipe = RECIPES[algo]
    monkeypatch.setattr(recipe.model, "learn", lambda model, *_, **__: models.append(model))
    monkeypatch.setattr(training, "find_spec", lambda name: "there")
    train(algo, task=task, seed=9, n_arms=3, horizon=30, n_envs=1, tensorboard=tmp_path / "logs")
    (model,) = models
    assert model.seed == 9
    assert model.tensorboard_log == str(tmp_path / "logs")
    assert model.device.type == "cpu"
    assert model.n_envs == 1
    for name in ("n_steps", "n_epochs", "gamma", "gae_lambda", "ent_coef"):
        assert getattr(model, name) == recipe.options[name], name
    # No batch is larger than what is collected for it.
    assert model.batch_size == min(recipe.options["batch_size"], recipe.options["n_steps"])
    assert [model.learning_rate(left) for left in (1.0, 0.5, 0.0)] == pytest.approx([1e-3, 5e-4, 0])
    users = model.get_env()
    assert isinstance(users, VecNormalize) == recipe.scales_rewards
    assert users.get_attr("num_envs", indices=0) == [1]


def test_a_model_learns_from_users_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    models: list[Any] = []
    monkeypatch.setattr(PPO, "learn", lambda model, *_, **__: models.append(model))
    for seed in (1, 1, 2):
        train(seed=seed, n_arms=3, n_envs=2)
    means = []
    for model in models:
        users = model.get_env()
        users.reset()
        means.append([truth.instance.means for truth in users.env_method("hidden_state")])
    assert means[0] == means[1]
    env = eu.ExplorativeUserEnv(n_arms=3)
    for own, seed in zip(means[1:], (1, 2), strict=True):
        met = []
        for user in user_seeds(seed, 200):  # whom a study of that seed meets
            env.reset(seed=user)
            met.append(env.hidden_state().instance.means)
        assert not {*own} & {*met}
    assert not {*means[0]} & {*means[2]}


def test_options_of_the_environment_reach_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, Any]] = []

    def make(*_: Any, **options: Any) -> None:
        made.append(options)
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "make_sb3_vec_env", make)
    with pytest.raises(KeyboardInterrupt):
        train(reward="utility", noise=0.3, **TINY)
    (options,) = made
    assert (options["reward"], options["population"].noise) == ("utility", 0.3)
    for task, algo in ((REGRET, "ppo"), (BAI, "maskable-ppo")):
        with pytest.raises(KeyboardInterrupt):
            train(task=task.name, algo=algo)
        assert (made[-1]["task"], made[-1]["horizon"]) == (task, task.horizon)


def test_users_on_whom_regret_cannot_be_measured_are_refused_before_the_training() -> None:
    with pytest.raises(eu.InvalidArgumentError, match="behaviour must be one whose means stay"):
        train(task="regret", behaviour="drifting", **SHORT)


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_nothing_is_written_by_a_training_that_does_not_end(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **options: Any) -> None:
        raise error

    monkeypatch.setattr(PPO, "learn", interrupted)
    (tmp_path / "model.zip").write_text("older")
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    with pytest.raises(error):
        train(output=tmp_path, **TINY)
    restored = torch.get_num_threads()
    torch.set_num_threads(threads)
    assert restored == 2
    assert [path.read_text() for path in tmp_path.iterdir()] == ["older"]


def test_pytorch_has_one_thread_meanwhile_and_then_as_many_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []
    monkeypatch.setattr(PPO, "learn", lambda *_, **__: seen.append(torch.get_num_threads()))
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    train(**TINY)
    restored = torch.get_num_threads()
    torch.set_num_threads(before)
    assert (seen, restored) == ([1], 2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"algo": "sarsa"}, "algo must be one of .*maskable-ppo.*, got 'sarsa'"),
        ({"algo": "maskable-ppo"}, "task must be \"bai\" for maskable-ppo.*got 'regret'"),
        ({"task": "sleep"}, "task must be one of bai, population, regret"),
        ({"steps": 0}, "steps must be an integer of at least 1, got 0"),
        ({"steps": 2.5}, "steps must be an integer of at least 1, got 2.5"),
        ({"seed": -1}, "seed must be an integer in 0..4294967295, got -1"),
        ({"evaluation_users": 0}, "evaluation_users must be an integer of at least 1"),
        ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
        ({"horizon": 0}, "horizon must be an integer of at least 1, got 0"),
        ({"observation": "x"}, "observation must be one of"),
        ({"gap": -1.0}, "gap must be a finite number above 0"),
        ({"setting": "text"}, "setting must be one of printed, released"),
        ({"n_envs": 0}, "must be an integer of at least 1, got 0"),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_is_trained(
    wrong: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PPO, "learn", lambda *_, **__: pytest.fail("trained"))
    with pytest.raises(eu.InvalidArgumentError, match=message):
        train(**TINY | wrong)


def test_tensorboard_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "find_spec", lambda name: None)
    with pytest.raises(eu.InvalidArgumentError, match="tensorboard must be left out, or tensorb"):
        train(tensorboard=tmp_path / "logs", **TINY)
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_cannot_be_written_is_refused_before_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PPO, "learn", lambda *_, **__: pytest.fail("trained"))
    (tmp_path / "file").write_text("")
    with pytest.raises(eu.InvalidArgumentError, match="output must be a folder that can be writ"):
        train(output=tmp_path / "file" / "model", **TINY)


@pytest.mark.usefixtures("nothing_kept")
def test_progress_names_compiling_before_training() -> None:
    def flat(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
        return 1.0

    told: list[str] = []
    facts = TINY | {"n_envs": 64, "rho": Schedule(flat, 1.0, 1.0, ())}
    train(progress=lambda what, done, total: told.append(what), **facts)
    assert told[:2] == ["compiling", "training"]
