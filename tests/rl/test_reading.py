"""A model says how to read it; what contradicts it is refused, what it leaves out asked for."""

import copy
import pickle
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from sb3_agents import (
    HORIZON,
    N_ARMS,
    TASKS,
    USERS,
    assert_same,
    facts_of,
    met,
    model_of,
    seen_by,
    without_a_word,
)
from sb3_contrib import MaskablePPO
from sb3_users import OBSERVATIONS, single
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecNormalize

import explorative_user_env as eu
from explorative_user_env.rl import SB3Agent, load_agent, make_sb3_vec_env
from explorative_user_env.shipped import shipped_models

FACTS: dict[str, Any] = {"n_arms": N_ARMS, "horizon": HORIZON, "seed": 0}


def read(agent: SB3Agent) -> tuple[Any, ...]:
    return agent.task.name, agent.observation, agent.horizon, agent.mask, agent.n_arms


def saved(model: Any, folder: Path) -> Any:
    """Return a model as it comes back from its file, which knows no environment."""
    model.save(folder / "model.zip")
    return type(model).load(folder / "model.zip", device="cpu")


def small(envs: Any, steps: int = 0) -> Any:
    model = PPO("MlpPolicy", envs, n_steps=64, batch_size=64, seed=0, device="cpu")
    return model.learn(steps) if steps else model


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_a_model_says_what_it_was_trained_on_in_memory_and_in_its_file(
    task: str, observation: str, tmp_path: Path
) -> None:
    horizon = 500 if (task, observation) == ("regret", "response") else HORIZON  # it has no scale
    model = model_of(PPO, task, observation)
    for each in (model, saved(model, tmp_path)):
        agent = SB3Agent(each)
        assert read(agent) == (task, observation, horizon, "rejections", N_ARMS)
        assert agent.normaliser is None


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_a_model_of_wrapped_single_environments_says_so_too(
    task: str, observation: str, tmp_path: Path
) -> None:
    model = small(DummyVecEnv([lambda: single(task, observation)] * 2))
    for each in (model, saved(model, tmp_path)):
        assert read(SB3Agent(each))[:2] == (task, observation)


def test_the_mask_is_that_of_the_training(tmp_path: Path) -> None:
    model = model_of(MaskablePPO, "bai", "counts", mask="none")
    for each in (model, saved(model, tmp_path)):
        assert SB3Agent(each).mask == "none"
        with pytest.raises(eu.InvalidArgumentError, match="mask must be 'none', on which Maskabl"):
            SB3Agent(each, mask="rejections")


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("task", "bai", "regret"),
        ("observation", "counts", "sorted-counts"),
        ("observation", "last-step", "sorted-counts"),
        ("horizon", 500, HORIZON),
    ],
)
def test_what_contradicts_the_model_is_refused(
    name: str, wrong: Any, right: Any, tmp_path: Path
) -> None:
    model = model_of(PPO, "regret", "sorted-counts")
    message = f"^{name} must be {right!r}, on which PPO was trained, got {wrong!r}$"
    given: Any = {name: wrong}
    for each in (model, saved(model, tmp_path)):
        with pytest.raises(eu.InvalidArgumentError, match=message):
            SB3Agent(each, **given)
        given = {name: right}
        assert read(SB3Agent(each, **given)) == read(SB3Agent(each))
        given = {name: wrong}


@pytest.mark.parametrize("missing", ["task", "observation", "horizon", "mask"])
def test_what_a_model_does_not_say_is_asked_for_by_name(missing: str) -> None:
    model = without_a_word(model_of(MaskablePPO, "bai", "counts"))
    known = {"task": "bai", "observation": "counts", "horizon": HORIZON, "mask": "rejections"}
    assert read(SB3Agent(model, **known))[:4] == tuple(known.values())  # type: ignore[arg-type]
    given: Any = {name: value for name, value in known.items() if name != missing}
    message = f"^{missing} must be given, as MaskablePPO does not say on what it was trained"
    with pytest.raises(eu.InvalidArgumentError, match=message):
        SB3Agent(model, **given)


def test_nothing_is_asked_for_that_makes_no_difference() -> None:
    model = without_a_word(model_of(PPO, "regret", "response"))
    assert read(SB3Agent(model, task="regret", observation="response"))[2] == 500
    model = without_a_word(model_of(PPO, "bai", "counts"))
    given: Any = {"task": "bai", "observation": "counts", "horizon": HORIZON}
    assert SB3Agent(model, **given).mask == "rejections"


def test_what_a_model_and_its_environment_say_differently_is_asked_for() -> None:
    model = copy.copy(model_of(PPO, "regret", "counts"))
    model.set_env(make_sb3_vec_env(2, n_arms=N_ARMS, observation="counts", horizon=9))
    with pytest.raises(eu.InvalidArgumentError, match=r"^horizon must be given"):
        SB3Agent(model)
    assert SB3Agent(model, horizon=9).horizon == 9


def test_the_environment_speaks_for_a_model_whose_space_is_silent() -> None:
    model = without_a_word(model_of(PPO, "regret", "counts"))
    model.set_env(make_sb3_vec_env(2, n_arms=N_ARMS, observation="counts", horizon=9))
    assert read(SB3Agent(model))[:3] == ("regret", "counts", 9)


def test_the_packages_models_say_what_their_settings_say() -> None:
    for name, folder in shipped_models().items():
        kind = MaskablePPO if name == "bai-k5" else PPO
        agent = SB3Agent(kind.load(folder / "model.zip", device="cpu"))
        assert read(agent) == read(load_agent(name))
        with pytest.raises(eu.InvalidArgumentError, match="observation must be 'sorted-counts'"):
            SB3Agent(agent.model, observation="counts")


# Observations that were normalised


def normalised(steps: int = 0, **options: Any) -> tuple[Any, VecNormalize]:
    envs = VecNormalize(make_sb3_vec_env(16, **FACTS), **options)
    return small(envs, steps), envs


@pytest.mark.slow
def test_a_model_is_read_in_the_normalisation_it_was_trained_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, envs = normalised(1024)
    agent, plain = SB3Agent(model), SB3Agent(model_of(PPO, "regret", "sorted-counts"))
    shown = []
    for each in (agent, plain):
        met(each)
        kept = seen_by(each, monkeypatch)
        each.act_all(USERS)
        shown.append(kept[0][0])
    assert np.abs(shown[0] - shown[1]).max() > 0.5
    assert np.array_equal(shown[0], np.asarray(envs.normalize_obs(shown[1])))


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "options"), [(PPO, {"n_steps": 20}), (DQN, {})])
def test_a_saved_model_asks_for_its_normaliser(
    algorithm: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    envs = VecNormalize(make_sb3_vec_env(16, **FACTS))
    model = algorithm("MlpPolicy", envs, seed=0, device="cpu", **options).learn(300)
    loaded = saved(model, tmp_path)
    with pytest.raises(eu.InvalidArgumentError, match=r"^normaliser must be the VecNormalize "):
        SB3Agent(loaded)
    envs.save(str(tmp_path / "normaliser.pkl"))
    again = VecNormalize.load(str(tmp_path / "normaliser.pkl"), make_sb3_vec_env(1, **FACTS))
    runs = eu.evaluate([SB3Agent(model)], **facts_of("regret")).runs
    agent = SB3Agent(loaded, normaliser=again)
    for each in (agent, pickle.loads(pickle.dumps(agent))):
        assert_same(runs, eu.evaluate([each], **facts_of("regret")).runs)


@pytest.mark.slow
def test_normalised_rewards_are_nothing_to_a_reader(tmp_path: Path) -> None:
    model, _ = normalised(1024, norm_obs=False)
    for each in (model, saved(model, tmp_path)):
        assert SB3Agent(each).normaliser is None


@pytest.mark.slow
def test_a_normaliser_that_is_not_the_models_is_refused(tmp_path: Path) -> None:
    model, envs = normalised(1024)
    other = VecNormalize(make_sb3_vec_env(2, n_arms=N_ARMS + 1, horizon=HORIZON))
    only_rewards = VecNormalize(make_sb3_vec_env(2, **FACTS), norm_obs=False)
    wrong: list[Any] = [other, only_rewards, 3, "normaliser.pkl"]
    for each in wrong:
        with pytest.raises(eu.InvalidArgumentError, match=r"^normaliser must be a VecNormalize of"):
            SB3Agent(saved(model, tmp_path), normaliser=each)
    with pytest.raises(eu.InvalidArgumentError, match=r"^normaliser must be a VecNormalize of"):
        SB3Agent(model_of(PPO, "regret", "sorted-counts"), normaliser=envs)


def same_space(env: Any) -> Any:
    return gym.wrappers.TransformObservation(env, lambda seen: seen / 2, env.observation_space)


ABOVE: dict[str, Any] = {
    "NormalizeObservation": lambda: DummyVecEnv(
        [lambda: gym.wrappers.NormalizeObservation(single("regret", "counts"))] * 2
    ),
    "TransformObservation": lambda: DummyVecEnv([lambda: same_space(single("bai", "counts"))]),
    "of responses": lambda: DummyVecEnv([lambda: same_space(single("regret", "response"))]),
}


@pytest.mark.parametrize("above", ABOVE)
def test_what_other_wrappers_made_of_observations_is_refused_by_name(above: str) -> None:
    with pytest.raises(
        eu.InvalidArgumentError, match=r"^model must be .*NormalizeObservation, "
    ) as e:
        SB3Agent(small(ABOVE[above]()))
    assert "\n" not in str(e.value)


def test_normalised_observations_are_refused_in_a_file_as_well(tmp_path: Path) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"^model must be .*NormalizeObservation, "):
        SB3Agent(saved(small(ABOVE["NormalizeObservation"]()), tmp_path))


def test_stacked_or_scaled_observations_are_no_counts() -> None:
    given: Any = {"task": "regret", "observation": "counts", "horizon": HORIZON}
    stacked = VecFrameStack(make_sb3_vec_env(2, observation="counts", **FACTS), 2)
    with pytest.raises(eu.InvalidArgumentError, match=r"^model must be trained on the task 'regr"):
        SB3Agent(small(stacked), **given)
    low, high = np.float32(0), np.float32(2)
    scaled = gym.wrappers.RescaleObservation(single("regret", "counts"), low, high)
    model = without_a_word(small(DummyVecEnv([lambda: scaled])))
    with pytest.raises(eu.InvalidArgumentError, match=r"^model must be trained on the task 'regr"):
        SB3Agent(model, **given)
