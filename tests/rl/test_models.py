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
from sb3_agents import HORIZON, N_ARMS, SMALL, assert_same, model_of, same, weights
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import DQN, PPO

import explorative_user_env as eu
from explorative_user_env.envs.user import reading_of
from explorative_user_env.files import Folder
from explorative_user_env.rl import SB3Agent, load_agent
from explorative_user_env.shipped import shipped_models

ALGORITHMS = {"ppo": PPO, "maskable-ppo": MaskablePPO, "recurrent-ppo": RecurrentPPO, "dqn": DQN}
OBSERVATION = {"recurrent-ppo": "last-step"}


def saved(algo, folder, task="bai"):
    observation = OBSERVATION.get(algo, "sorted-counts")
    model = model_of(ALGORITHMS[algo], task, observation)
    folder.mkdir(exist_ok=True)
    model.save(folder / "model.zip")
    settings = {"algo": algo, "task": task, "observation": observation, "horizon": HORIZON}
    settings |= {"n_arms": N_ARMS, "n_envs": model.n_envs}
    (folder / "settings.json").write_text(json.dumps(settings | {"environment": {}}))
    return folder


def rewritten(folder, change, member="data"):
    path = folder / "model.zip"
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[member] = change(parts[member])
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def planting(key, secret):
    text = base64.b64encode(cloudpickle.dumps(secret)).decode()

    def change(data):
        return json.dumps(json.loads(data) | {key: {":type:": "x", ":serialized:": text}})

    return change


def serialized(folder):
    data = json.loads(zipfile.ZipFile(folder / "model.zip").read("data"))
    return [key for key, value in data.items() if ":serialized:" in str(value)]


@pytest.mark.slow
@pytest.mark.parametrize("algo", ALGORITHMS)
def test_a_model_plays_as_the_one_that_was_saved_and_no_code_in_its_file_runs(algo, tmp_path):
    folder, trace = saved(algo, tmp_path / "model"), tmp_path / "trace"
    own, loaded = ALGORITHMS[algo].load(folder / "model.zip", device="cpu"), load_agent(folder)
    assert same(weights(SB3Agent(own)), weights(loaded))
    assert type(own.policy) is type(loaded.model.policy)
    for name in ("observation_space", "action_space"):
        one, other = getattr(own, name), getattr(loaded.model, name)
        assert one == other
        assert dict(reading_of(one)) == dict(reading_of(other))
    keys = [*serialized(folder), "policy_kwargs", "mine", "ep_info_buffer"]
    assert len(keys) >= 8
    for key in keys:
        rewritten(folder, planting(key, Planted(trace)))
    agents = (SB3Agent(own), loaded, load_agent(folder))
    runs = [eu.evaluate([agent], **SMALL).runs for agent in agents]
    assert_same(runs[0], runs[1])
    assert_same(runs[0], runs[2])
    assert not trace.exists()
    # The same file, read by SB3 itself, shows that there was something to run.
    folder = saved(algo, tmp_path / "control")
    rewritten(folder, planting("ep_info_buffer", Planted(trace)))
    ALGORITHMS[algo].load(folder / "model.zip", device="cpu")
    assert trace.exists()


def test_the_packages_models_are_read_as_sb3_reads_them():
    assert sorted(shipped_models()) == ["bai-k5", "regret-k5"]
    for name, folder in shipped_models().items():
        algorithm = MaskablePPO if name == "bai-k5" else PPO
        own, agent = algorithm.load(folder / "model.zip", device="cpu"), load_agent(name)
        assert same(weights(SB3Agent(own)), weights(agent))
        assert own.observation_space == agent.model.observation_space
        said = SB3Agent(own)
        for fact in ("task", "observation", "horizon", "mask", "n_arms"):
            assert getattr(said, fact) == getattr(agent, fact)
        assert (agent.n_arms, agent.trained_on["task"]) == (5, name[:-3])


def with_settings(text):
    return lambda folder: (folder / "settings.json").write_text(text)


def with_arms(number):
    def change(folder):
        settings = json.loads((folder / "settings.json").read_text())
        (folder / "settings.json").write_text(json.dumps(settings | {"n_arms": number}))

    return change


def cut_off(folder):
    whole = (folder / "model.zip").read_bytes()
    (folder / "model.zip").write_bytes(whole[: len(whole) // 2])


def code_among_weights(folder):
    torch.save({"log_std": Planted(folder / "trace")}, folder / "planted.pth")
    rewritten(folder, lambda _: (folder / "planted.pth").read_bytes(), "policy.pth")


WRITTEN, READ = "model must be a folder written by", "model must be a model that can be read"
BROKEN = [
    (lambda folder: (folder / "settings.json").unlink(), WRITTEN),
    *((with_settings(text), WRITTEN) for text in ("[]", '{"algo": ["ppo"]}', '{"algo": "ppo"}')),
    (lambda folder: (folder / "model.zip").unlink(), READ),
    (lambda folder: (folder / "model.zip").write_bytes(b"no zip"), READ),
    *((cut_off, READ), (code_among_weights, READ)),
    *((with_arms(number), r"^(n_arms|model) must be ") for number in (2.5, 10**9, N_ARMS + 1)),
]


def test_a_folder_that_holds_no_model_is_refused(tmp_path, subtests):
    for place, (change, message) in enumerate(BROKEN):
        folder = saved("ppo", tmp_path / str(place))
        change(folder)
        with subtests.test(place=place), pytest.raises(eu.InvalidArgumentError, match=message):
            load_agent(folder)
        assert not (folder / "trace").exists()
    with pytest.raises(eu.InvalidArgumentError, match=WRITTEN):
        load_agent(tmp_path / "nowhere")


def test_a_model_with_a_file_of_another_training_is_refused(tmp_path):
    made = shipped_models()["regret-k5"]
    files = {file.name: partial(shutil.copy, file) for file in made.iterdir() if file.is_file()}
    for name in ("model.zip", "settings.json"):
        folder = Folder(tmp_path / name)
        folder.write(files)
        assert load_agent(folder.path).name == "PPO"
        with (folder.path / name).open("ab") as file:
            file.write(b" ")
        with pytest.raises(eu.InvalidArgumentError, match=rf"^model must be .*\({name} is not\)"):
            load_agent(folder.path)
