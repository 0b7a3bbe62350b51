"""A model's file is read without running what is pickled in it."""

import base64
import json
import shutil
import zipfile
from functools import partial

import cloudpickle
import pytest
import torch
from planted import Planted
from sb3_agents import HORIZON, N_ARMS, SMALL, assert_same, model_of, same_weights
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import DQN, PPO

import explorative_user_env as eu
from explorative_user_env.envs.user import reading_of
from explorative_user_env.files import Folder
from explorative_user_env.rl import SB3Agent, load_agent
from explorative_user_env.shipped import shipped_models

ALGORITHMS = {"ppo": PPO, "maskable-ppo": MaskablePPO, "recurrent-ppo": RecurrentPPO, "dqn": DQN}


def saved(algo, folder):
    observation = "last-step" if algo == "recurrent-ppo" else "sorted-counts"
    folder.mkdir()
    model_of(ALGORITHMS[algo], "bai", observation).save(folder / "model.zip")
    settings = {"algo": algo, "task": "bai", "observation": observation, "horizon": HORIZON}
    settings |= {"n_arms": N_ARMS, "n_envs": 2, "environment": {}}
    (folder / "settings.json").write_text(json.dumps(settings))
    return folder


def parts_of(folder):
    with zipfile.ZipFile(folder / "model.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def replace_part(folder, name, content):
    parts = parts_of(folder) | {name: content}
    with zipfile.ZipFile(folder / "model.zip", "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def plant(folder, keys, secret):
    pickled = base64.b64encode(cloudpickle.dumps(secret)).decode()
    planted = {key: {":type:": "x", ":serialized:": pickled} for key in keys}
    replace_part(folder, "data", json.dumps(json.loads(parts_of(folder)["data"]) | planted))


@pytest.mark.slow
@pytest.mark.parametrize("algo", ALGORITHMS)
def test_a_model_plays_as_the_one_that_was_saved_and_no_code_in_its_file_runs(algo, tmp_path):
    folder, trace = saved(algo, tmp_path / "model"), tmp_path / "trace"
    own, loaded = ALGORITHMS[algo].load(folder / "model.zip", device="cpu"), load_agent(folder)
    assert same_weights(SB3Agent(own), loaded)
    assert type(own.policy) is type(loaded.model.policy)
    for name in ("observation_space", "action_space"):
        one, other = getattr(own, name), getattr(loaded.model, name)
        assert one == other
        assert dict(reading_of(one)) == dict(reading_of(other))
    data = json.loads(parts_of(folder)["data"])
    serialized = [key for key, value in data.items() if ":serialized:" in str(value)]
    assert len(serialized) >= 5
    plant(folder, [*serialized, "policy_kwargs", "mine", "ep_info_buffer"], Planted(trace))
    agents = (SB3Agent(own), loaded, load_agent(folder))
    first, *others = (eu.evaluate([agent], **SMALL).runs for agent in agents)
    for runs in others:
        assert_same(first, runs)
    assert not trace.exists()
    # The same file, read by SB3 itself, shows that there was something to run.
    folder = saved(algo, tmp_path / "control")
    plant(folder, ["ep_info_buffer"], Planted(trace))
    ALGORITHMS[algo].load(folder / "model.zip", device="cpu")
    assert trace.exists()


def test_the_packages_models_are_read_as_sb3_reads_them():
    assert sorted(shipped_models()) == ["bai-k5", "regret-k5"]
    for name, folder in shipped_models().items():
        algorithm = MaskablePPO if name == "bai-k5" else PPO
        own, agent = algorithm.load(folder / "model.zip", device="cpu"), load_agent(name)
        said = SB3Agent(own)
        assert same_weights(said, agent)
        assert own.observation_space == agent.model.observation_space
        for fact in ("task", "observation", "horizon", "mask", "n_arms"):
            assert getattr(said, fact) == getattr(agent, fact)
        assert (agent.n_arms, agent.trained_on["task"]) == (5, name[:-3])


WRITTEN, READ = "model must be a folder written by", "model must be a model that can be read"


def test_a_folder_that_holds_no_model_is_refused(tmp_path, subtests):
    whole, trace = saved("ppo", tmp_path / "whole"), tmp_path / "trace"
    model = (whole / "model.zip").read_bytes()
    settings = json.loads((whole / "settings.json").read_text())
    rows = [
        *(("settings.json", text, WRITTEN) for text in ("", "[]", '{"algo": ["ppo"]}')),
        *(("model.zip", content, READ) for content in (b"no zip", model[: len(model) // 2])),
        *(("settings.json", None, WRITTEN), ("model.zip", None, READ)),
    ]
    for number in (2.5, 10**9, N_ARMS + 1):
        text = json.dumps(settings | {"n_arms": number})
        rows.append(("settings.json", text, r"^(n_arms|model) must be "))
    for place, (file, content, message) in enumerate(rows):
        folder = shutil.copytree(whole, tmp_path / str(place))
        (folder / file).unlink()
        if content is not None:
            (folder / file).write_bytes(content if file == "model.zip" else content.encode())
        with subtests.test(place=place), pytest.raises(eu.InvalidArgumentError, match=message):
            load_agent(folder)
    with pytest.raises(eu.InvalidArgumentError, match=WRITTEN):
        load_agent(tmp_path / "nowhere")
    torch.save({"log_std": Planted(trace)}, tmp_path / "planted.pth")
    replace_part(whole, "policy.pth", (tmp_path / "planted.pth").read_bytes())
    with pytest.raises(eu.InvalidArgumentError, match=READ):
        load_agent(whole)
    assert not trace.exists()


def test_a_model_with_a_file_of_another_training_is_refused(tmp_path):
    made = shipped_models()["regret-k5"]
    files = {name: partial(shutil.copy, made / name) for name in ("model.zip", "settings.json")}
    for name in files:
        folder = Folder(tmp_path / name)
        folder.write(files)
        assert load_agent(folder.path).name == "PPO"
        (folder.path / name).write_bytes((made / name).read_bytes() + b" ")
        with pytest.raises(eu.InvalidArgumentError, match=rf"^model must be .*\({name} differs\)"):
            load_agent(folder.path)
