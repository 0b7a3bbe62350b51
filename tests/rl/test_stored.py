"""A model's file is read without running what is pickled in it."""

import base64
import json
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
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
from explorative_user_env.rl.models import TRAININGS_OWN, kept_in
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
    for key in keys:
        folder, trace = saved(algo, tmp_path / f"planted-{key}"), tmp_path / f"trace-{key}"
        rewritten(folder, planting(key, Planted(trace)))
        if key in TRAININGS_OWN:
            played = eu.evaluate([load_agent(folder)], **SMALL).runs
            pd.testing.assert_frame_equal(runs, played, check_exact=True)
        else:
            with pytest.raises(eu.InvalidArgumentError, match=rf"^model must be .*got '{key}'$"):
                load_agent(folder)
        assert not trace.exists()
    # The same file, read by SB3 itself, shows that there was something to run.
    folder, trace = saved(algo, tmp_path / "control"), tmp_path / "trace-control"
    rewritten(folder, planting("ep_info_buffer", Planted(trace)))
    ALGORITHMS[algo].load(folder / "model.zip", device="cpu")
    assert trace.exists()


@pytest.mark.parametrize("member", ["policy.pth", "policy.optimizer.pth", "pytorch_variables.pth"])
def test_code_planted_among_the_weights_does_not_run(member: str, tmp_path: Path) -> None:
    folder, trace = saved("ppo", tmp_path / "ppo"), tmp_path / "trace"
    torch.save({"log_std": Planted(trace)}, tmp_path / "planted.pth")
    rewritten(folder, lambda _: (tmp_path / "planted.pth").read_bytes(), member)
    with pytest.raises(eu.InvalidArgumentError, match=rf"^model must be a model .*got '{member}'$"):
        load_agent(folder)
    assert not trace.exists()


def test_a_class_is_not_changed_by_what_is_pickled() -> None:
    """An instruction of a pickle sets attributes, also those of a class that it names."""
    from gymnasium.spaces import Box

    before = dict(vars(Box))
    attack = b"cgymnasium.spaces.box\nBox\n}(Vcontains\nK\x01u}(Vcontains\nK\x01u\x86b."
    from explorative_user_env.rl import models as stored

    with pytest.raises(eu.InvalidArgumentError, match=r"got 'observation_space'"):
        stored._read("observation_space", base64.b64encode(attack).decode(), stored._space)
    assert dict(vars(Box)) == before


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
    assert str(own.lr_schedule) == str(model.lr_schedule)
    assert type(own.policy) is type(model.policy)
    runs = [eu.evaluate([agent], **SMALL).runs for agent in (SB3Agent(own), loaded)]
    pd.testing.assert_frame_equal(*runs, check_exact=True)


@pytest.mark.parametrize("name", ["bai-k5", "regret-k5"])
def test_the_packages_models_are_read_as_sb3_reads_them(name: str) -> None:
    algorithm = MaskablePPO if name == "bai-k5" else PPO
    path = shipped_models()[name] / "model.zip"
    own, kept = algorithm.load(path, device="cpu"), kept_in(path, algorithm, "MlpPolicy")
    assert np.array_equal(own._last_obs, kept["_last_obs"])  # type: ignore[arg-type]
    assert own.observation_space == kept["observation_space"]
    assert dict(reading_of(own.observation_space)) == dict(reading_of(kept["observation_space"]))
    for rate in ("learning_rate", "lr_schedule", "clip_range"):
        assert str(getattr(own, rate)) == str(kept[rate])
    assert {key for key, value in kept.items() if value is None} <= TRAININGS_OWN


@pytest.mark.slow
@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_a_model_that_was_loaded_can_be_trained_further(algo: str, tmp_path: Path) -> None:
    model = load_agent(saved(algo, tmp_path / "model", "regret")).model
    before = {name: weight.clone() for name, weight in model.policy.state_dict().items()}
    model.set_env(make_sb3_vec_env(2, n_arms=N_ARMS, horizon=HORIZON, seed=0))
    model.learning_starts = 10  # type: ignore[attr-defined]
    model.learn(300)
    assert any(
        not torch.equal(weight, before[name]) for name, weight in model.policy.state_dict().items()
    )


def test_a_network_may_have_the_classes_of_pytorch_and_no_others(tmp_path: Path) -> None:
    envs = make_sb3_vec_env(2, n_arms=N_ARMS, horizon=HORIZON, seed=0)
    network: dict[str, Any] = {"net_arch": {"pi": [8], "vf": [8]}, "activation_fn": torch.nn.ReLU}
    model = PPO("MlpPolicy", envs, device="cpu", policy_kwargs=network)
    folder = saved("ppo", tmp_path / "ppo", "regret")
    model.save(folder / "model.zip")
    assert load_agent(folder).model.policy_kwargs == network
    for planted in ({"activation_fn": pickle.loads}, {"activation_fn": torch.load}, {"x": os}):
        rewritten(folder, planting("policy_kwargs", planted))
        with pytest.raises(eu.InvalidArgumentError, match=r"got 'policy_kwargs'$"):
            load_agent(folder)
