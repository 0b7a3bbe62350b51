"""A model's file is read without running what is pickled in it."""

import base64
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

import cloudpickle  # type: ignore[import-untyped]
import torch
from sb3_agents import HORIZON, N_ARMS, SMALL, model_of
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import DQN, PPO

import explorative_user_env as eu
from explorative_user_env.envs.user import reading_of
from explorative_user_env.rl import SB3Agent, load_agent, make_sb3_vec_env
from explorative_user_env.shipped import shipped_models

ALGORITHMS: dict[str, Any] = {
    "ppo": PPO,
    "maskable-ppo": MaskablePPO,
    "recurrent-ppo": RecurrentPPO,
    "dqn": DQN,
}
OBSERVATION = {"recurrent-ppo": "last-step"}


class Planted:
    """What a stranger pickles: reading it makes a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


def saved(algo: str, folder: Path, task: str = "bai") -> Path:
    """A model as a folder that `load_agent` takes."""
    observation = OBSERVATION.get(algo, "sorted-counts")
    model = model_of(ALGORITHMS[algo], task, observation)
    folder.mkdir(exist_ok=True)
    model.save(folder / "model.zip")
    settings = {"algo": algo, "task": task, "observation": observation, "horizon": HORIZON}
    settings |= {"n_arms": N_ARMS, "n_envs": model.n_envs}
    (folder / "settings.json").write_text(json.dumps(settings | {"environment": {}}))
    return folder


def rewritten(folder: Path, change: Any, member: str = "data") -> None:
    """Change one part of a model's file."""
    path = folder / "model.zip"
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[member] = change(parts[member])
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def planting(key: str, secret: Any) -> Any:
    """What pickles something under a key of the data."""
    text = base64.b64encode(cloudpickle.dumps(secret)).decode()

    def change(data: bytes) -> str:
        return json.dumps(json.loads(data) | {key: {":type:": "x", ":serialized:": text}})

    return change


def serialized(folder: Path) -> list[str]:
    data = json.loads(zipfile.ZipFile(folder / "model.zip").read("data"))
    return [key for key, value in data.items() if ":serialized:" in str(value)]


@pytest.mark.slow
@pytest.mark.parametrize("algo", ALGORITHMS)
def test_code_planted_in_a_models_file_does_not_run(algo: str, tmp_path: Path) -> None:
    keys = [*serialized(saved(algo, tmp_path / "whole")), "policy_kwargs", "mine", "ep_info_buffer"]
    runs = eu.evaluate([load_agent(tmp_path / "whole")], **SMALL).runs
    assert len(keys) >= 8
    folder, trace = saved(algo, tmp_path / "planted"), tmp_path / "trace"
    for key in keys:
        rewritten(folder, planting(key, Planted(trace)))
    played = eu.evaluate([load_agent(folder)], **SMALL).runs
    pd.testing.assert_frame_equal(runs, played, check_exact=True)
    assert not trace.exists()
    # The same file, read by SB3 itself, shows that there was something to run.
    folder = saved(algo, tmp_path / "control")
    rewritten(folder, planting("ep_info_buffer", Planted(trace)))
    ALGORITHMS[algo].load(folder / "model.zip", device="cpu")
    assert trace.exists()


@pytest.mark.parametrize("member", ["policy.pth", "policy.optimizer.pth"])
def test_code_planted_among_the_weights_does_not_run(member: str, tmp_path: Path) -> None:
    folder, trace = saved("ppo", tmp_path / "ppo"), tmp_path / "trace"
    torch.save({"log_std": Planted(trace)}, tmp_path / "planted.pth")
    rewritten(folder, lambda _: (tmp_path / "planted.pth").read_bytes(), member)
    with pytest.raises(eu.InvalidArgumentError, match=r"^model must be a model that can be read"):
        load_agent(folder)
    assert not trace.exists()


def test_a_small_file_does_not_fill_the_memory(tmp_path: Path) -> None:
    folder = saved("ppo", tmp_path / "ppo")
    with zipfile.ZipFile(folder / "model.zip", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("large", bytes(2**28 + 1))
    with pytest.raises(eu.InvalidArgumentError, match=r"a part has more than"):
        load_agent(folder)


@pytest.mark.parametrize("n_arms", [0, 2.5, 10**9, N_ARMS + 1])
def test_settings_of_another_number_of_arms_are_refused(n_arms: float, tmp_path: Path) -> None:
    folder = saved("ppo", tmp_path / "ppo")
    settings = json.loads((folder / "settings.json").read_text())
    (folder / "settings.json").write_text(json.dumps(settings | {"n_arms": n_arms}))
    with pytest.raises(eu.InvalidArgumentError, match=r"^(n_arms|model) must be "):
        load_agent(folder)


@pytest.mark.slow
@pytest.mark.parametrize("algo", ALGORITHMS)
def test_a_model_plays_as_the_one_that_was_saved(algo: str, tmp_path: Path) -> None:
    folder = saved(algo, tmp_path / "model")
    own, loaded = ALGORITHMS[algo].load(folder / "model.zip", device="cpu"), load_agent(folder)
    model = loaded.model
    for name, weights in own.policy.state_dict().items():
        assert torch.equal(weights, model.policy.state_dict()[name])
    for name in ("observation_space", "action_space"):
        one, other = getattr(own, name), getattr(model, name)
        assert one == other
        assert dict(reading_of(one)) == dict(reading_of(other))
    assert type(own.policy) is type(model.policy)
    runs = [eu.evaluate([agent], **SMALL).runs for agent in (SB3Agent(own), loaded)]
    pd.testing.assert_frame_equal(*runs, check_exact=True)


@pytest.mark.parametrize("name", ["bai-k5", "regret-k5"])
def test_the_packages_models_are_read_as_sb3_reads_them(name: str) -> None:
    algorithm = MaskablePPO if name == "bai-k5" else PPO
    own = algorithm.load(shipped_models()[name] / "model.zip", device="cpu")
    model = load_agent(name).model
    for part, weights in own.policy.state_dict().items():
        assert torch.equal(weights, model.policy.state_dict()[part])
    assert own.observation_space == model.observation_space
    assert dict(reading_of(own.observation_space)) == dict(reading_of(model.observation_space))


@pytest.mark.slow
@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_a_model_that_was_loaded_can_be_trained_further(algo: str, tmp_path: Path) -> None:
    model = load_agent(saved(algo, tmp_path / "model", "regret")).model
    before = {name: weight.clone() for name, weight in model.policy.state_dict().items()}
    model.set_env(make_sb3_vec_env(2, n_arms=N_ARMS, horizon=HORIZON, seed=0))
    model.learning_starts = 10  # type: ignore[attr-defined]
    model.learn(1000)
    assert any(
        not torch.equal(weight, before[name]) for name, weight in model.policy.state_dict().items()
    )
