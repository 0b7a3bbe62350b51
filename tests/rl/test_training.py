import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from stable_baselines3 import PPO

import explorative_user_env as eu
from explorative_user_env.population import Population
from explorative_user_env.rl import (
    SB3Agent,
    callback,
    load_agent,
    make_sb3_vec_env,
    train,
    training,
)
from explorative_user_env.rl.callback import EVALUATION_SEED
from explorative_user_env.settings import RELEASED
from explorative_user_env.validation import InvalidArgumentError

TINY: dict[str, Any] = {
    "steps": 3000,
    "n_arms": 3,
    "horizon": 30,
    "evaluation_users": 5,
    "n_envs": 4,
}
SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 12, "progress": False}
SHORT: dict[str, Any] = {"steps": 64, "n_envs": 2, "evaluation_users": 2}


def weights(agent: SB3Agent) -> dict[str, Any]:
    return dict(agent.model.policy.state_dict())


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(torch.equal(values, other[name]) for name, values in one.items())


@pytest.fixture(scope="module")
def told() -> list[tuple[str, int, int]]:
    """The progress that `trained` told."""
    return []


@pytest.fixture(scope="module")
def trained(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[str, int, int]]
) -> tuple[SB3Agent, Path]:
    """A small PPO and its folder; the facts are not the defaults."""
    folder = tmp_path_factory.mktemp("models") / "new" / "ppo"
    agent = train(
        "ppo",
        seed=3,
        gap=0.7,
        setting="released",
        output=folder,
        progress=lambda *what: told.append(what),
        **TINY,
    )
    return agent, folder


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
    assert names == ["model.zip", "settings.json", "training.csv"]
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


def test_progress_is_told_to_the_end(
    trained: tuple[SB3Agent, Path], told: list[tuple[str, int, int]]
) -> None:
    done = [each for _, each, _ in told]
    assert done == sorted(done)
    assert done[-1] == 3000
    assert {total for *_, total in told} == {3000}
    assert told[0][0] == "training"
    assert told[-1][0].startswith("regret ")


def test_the_last_evaluation_is_that_of_the_model(trained: tuple[SB3Agent, Path]) -> None:
    agent, folder = trained
    results = eu.evaluate(
        [agent],
        task="regret",
        n_arms=3,
        n_instances=5,
        seed=EVALUATION_SEED,
        gap=0.7,
        setting="released",
        horizon=30,
        progress=False,
    )
    regret = pd.read_csv(folder / "training.csv")["regret"].iloc[-1]
    assert results.summary()["regret"].iloc[0] == pytest.approx(regret)


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("regret", {"reward_law": "bounded", "rho": 1.0}),
        ("regret", {"behaviour": "omniscient", "noise": 0.1}),
        ("bai", {"behaviour": "drifting", "step_cost": 0.01}),
    ],
)
def test_it_is_evaluated_on_users_like_those_it_learns_from(
    monkeypatch: pytest.MonkeyPatch, task: str, options: dict[str, Any]
) -> None:
    met: list[dict[str, Any]] = []
    learned_from: list[Population] = []

    def making(*arguments: Any, **given: Any) -> Any:
        learned_from.append(given["population"])
        return make_sb3_vec_env(*arguments, **given)

    def evaluating(*arguments: Any, **given: Any) -> Any:
        met.append(given)
        return eu.evaluate(*arguments, **given)

    monkeypatch.setattr(training, "make_sb3_vec_env", making)
    monkeypatch.setattr(callback, "evaluate", evaluating)
    algo = "maskable-ppo" if task == "bai" else "ppo"
    train(algo, task=task, n_arms=3, horizon=8, **SHORT, **options)
    users = {name: value for name, value in options.items() if name != "step_cost"}
    assert learned_from == [Population(n_arms=3, **users)]
    assert met
    assert all(given["population"] == learned_from[0] for given in met)
    assert all(given.get("step_cost") == options.get("step_cost") for given in met)


def test_users_on_whom_regret_cannot_be_measured_are_refused_before_the_training() -> None:
    with pytest.raises(InvalidArgumentError, match="behaviour must be one whose means stay"):
        train(task="regret", behaviour="drifting", **SHORT)


def test_a_saved_model_has_the_same_runs(trained: tuple[SB3Agent, Path]) -> None:
    agent, folder = trained
    loaded = load_agent(folder)
    assert same(weights(agent), weights(loaded))
    assert (loaded.name, loaded.horizon, loaded.observation) == ("PPO", 30, "sorted-counts")
    assert loaded.trained_on == {"task": "regret", "n_arms": 3, "setting": "released"}
    facts = SMALL | {"task": "regret", "horizon": 30}
    runs = eu.evaluate([agent], **facts).runs
    pd.testing.assert_frame_equal(runs, eu.evaluate([loaded], **facts).runs, check_exact=True)
    assert load_agent(str(folder), name="mine").name == "mine"
    with pytest.warns(UserWarning, match="PPO with deterministic=True"):
        assert load_agent(folder, deterministic=True).deterministic


def test_a_model_of_the_other_task_is_saved_with_its_mask(tmp_path: Path) -> None:
    facts = TINY | {"steps": 200, "task": "bai", "mask": "none", "step_cost": 0.01}
    agent = train("maskable-ppo", output=tmp_path, **facts)
    loaded = load_agent(tmp_path)
    assert (agent.mask, loaded.mask, loaded.task.name) == ("none", "none", "bai")
    assert loaded.max_steps == 30
    runs = eu.evaluate([agent], **SMALL).runs
    pd.testing.assert_frame_equal(runs, eu.evaluate([loaded], **SMALL).runs, check_exact=True)
    columns = ["steps", "cost", "success", "stopping_time"]
    progress = pd.read_csv(tmp_path / "training.csv")
    assert list(progress) == columns
    own = 0.01 * progress["stopping_time"] + 1.0 - progress["success"]
    assert progress["cost"].to_numpy() == pytest.approx(own.to_numpy())


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
        ({"task": "sleep"}, "task must be one of bai, regret"),
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
