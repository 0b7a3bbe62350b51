"""`ExplorativeUserBAI-v0`, one user: Gymnasium's interface, and what is told of the user."""

import copy
import doctest
import pickle
from typing import Any

import gymnasium as gym
import pytest
from checkers import check_for_sb3
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from single_env import COUNTERS, arms, begun_bai

from explorative_user_env import BAI_ENV_ID, ExplorativeUserEnv
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv, ExplorativeUserBAIVectorEnv
from explorative_user_env.users.population import Setting

ENDING = {"is_success", "answer", "stopping_time", "rejection_rate", "left"}

VARIANTS: list[dict[str, Any]] = [
    {},
    {"setting": "released", "n_arms": 2, "horizon": 5},
    {"render_mode": "ansi", "noise": 0.2, "alpha": 0.8, "mask": "none"},
    {"info_level": "full", "rho": 1.5, "step_cost": 0.0},
]


@pytest.mark.parametrize("kwargs", VARIANTS)
def test_gymnasiums_checker_has_nothing_to_say(kwargs: dict[str, Any]) -> None:
    check_env(gym.make(BAI_ENV_ID, **kwargs).unwrapped)


@pytest.mark.parametrize("kwargs", VARIANTS)
def test_stable_baselines_checker_has_nothing_to_say(kwargs: dict[str, Any]) -> None:
    env = gym.make(BAI_ENV_ID, **kwargs)
    check_for_sb3(env.unwrapped)
    check_for_sb3(env)


@pytest.mark.parametrize("name", [BAI_ENV_ID, f"explorative_user_env:{BAI_ENV_ID}"])
def test_gymnasium_makes_it_by_the_id(name: str) -> None:
    env = gym.make(name, n_arms=4)
    assert type(env.unwrapped) is ExplorativeUserBAIEnv
    assert env.action_space == gym.spaces.Discrete(8)
    assert env.observation_space == gym.spaces.Discrete(2)
    vector = gym.make_vec(name, num_envs=3, n_arms=4)
    assert type(vector) is ExplorativeUserBAIVectorEnv
    assert vector.action_space == gym.spaces.MultiDiscrete([8, 8, 8])


def test_a_spec_survives_json() -> None:
    kwargs: dict[str, Any] = {"n_arms": 3, "step_cost": 0.125, "horizon": 9, "mask": "none"}
    env = gym.make(BAI_ENV_ID, **kwargs)
    assert env.spec is not None
    text = env.spec.to_json()
    outcomes = []
    for each in (env, gym.make(EnvSpec.from_json(text))):
        each.reset(seed=1)
        outcomes.append([each.step(arm) for arm in arms(9)])
    # The specification says the length, so Gymnasium's time limit ends with the horizon.
    assert outcomes[0][:-1] == outcomes[1][:-1]
    (*first, truncated, info), (*again, at_limit, info_again) = outcomes[0][-1], outcomes[1][-1]
    assert (first, info, truncated, at_limit) == (again, info_again, False, True)
    assert first[2]


def test_the_docstrings_example_is_true() -> None:
    tests = doctest.DocTestFinder().find(ExplorativeUserBAIEnv, globs={})
    runner = doctest.DocTestRunner()
    for test in tests:
        runner.run(test)
    assert runner.summarize(verbose=False) == (0, 6)


def test_the_defaults_are_those_of_the_docstring() -> None:
    env, text = ExplorativeUserBAIEnv(), str(ExplorativeUserBAIEnv.__doc__)
    defaults = {"n_arms": env.user.n_arms, "step_cost": env.step_cost, "horizon": env.horizon}
    for name, value in (defaults | {"mask": f'"{env.mask}"'}).items():
        assert f"- `{name}` ({value}):" in text


# The user and what is told of her


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_user_is_the_one_of_the_other_task(setting: Setting, noise: float) -> None:
    kwargs: dict[str, Any] = {"n_arms": 4, "setting": setting, "noise": noise}
    env, other = ExplorativeUserBAIEnv(**kwargs), ExplorativeUserEnv(**kwargs)
    for seed in (3, None, None):
        other.reset(seed=seed)
        env.reset(seed=seed)
        assert env.hidden_state() == other.hidden_state()
        for arm in arms(80, 4):
            one, two = env.step(arm), other.step(arm)
            assert one[0] == two[0]
            assert {name: one[4][name] for name in COUNTERS} == two[4]
        assert env.hidden_state() == other.hidden_state()
        env.step(4)


def test_nothing_but_responses_and_counts_is_told_before_the_end(setting: Setting) -> None:
    env = gym.make(BAI_ENV_ID, setting=setting, noise=0.1, horizon=50)
    observation, info = env.reset(seed=0)
    counts = {"has_response": False, "interactions": 0, "acceptances": 0, "rejections": 0}
    assert info == counts | unfinished(info)
    for last in (*[False] * 49, True):
        assert type(observation) is int
        observation, reward, terminated, _, info = env.step(2)
        assert terminated == last
        assert info == {name: info[name] for name in COUNTERS} | unfinished(info)
        assert reward == -0.0005 - last


def unfinished(info: dict[str, Any]) -> dict[str, Any]:
    """What is said of the end where there is no answer: nothing but the counts again."""
    rate = info["rejections"] / max(info["interactions"], 1)
    steps = info["interactions"]
    told = {"is_success": False, "answer": -1, "stopping_time": steps, "rejection_rate": rate}
    return told | {"left": False}


@pytest.mark.parametrize("info_level", ["counts", "full"])
def test_infos_have_the_same_keys_and_types_at_every_step(info_level: str) -> None:
    """So data sets such as Minari's can hold them."""
    env = gym.make(BAI_ENV_ID, n_arms=3, horizon=6, info_level=info_level)
    forms = []
    for ending in ((0, 1, 5), (0,) * 6, (3,)):
        forms.append(form_of(env.reset(seed=0)[1]))
        forms += [form_of(env.step(action)[-1]) for action in ending]
    assert all(form == forms[0] for form in forms)
    kinds = dict.fromkeys(COUNTERS | ENDING, int) | {"rejection_rate": float}
    flags = dict.fromkeys(("has_response", "is_success", "left"), bool)
    assert forms[0].items() >= (kinds | flags).items()


def form_of(info: dict[str, Any]) -> dict[str, type]:
    return {name: type(value) for name, value in info.items()}


def test_the_horizon_stands_in_the_specification() -> None:
    assert gym.spec(BAI_ENV_ID).kwargs == {"horizon": 2000}
    env = gym.make(BAI_ENV_ID, horizon=3)
    assert env.spec is not None
    assert env.spec.kwargs["horizon"] == 3
    assert '"horizon": 3' in env.spec.to_json()
    assert env.spec.max_episode_steps == 3
    vector: Any = gym.make_vec(BAI_ENV_ID)
    assert vector.spec.kwargs["horizon"] == vector.horizon == 2000


@pytest.mark.parametrize(("last", "more"), [(4, 1), (0, 0)])
def test_an_episode_has_a_step_for_its_answer_beside_the_stopping_time(
    last: int, more: int
) -> None:
    env = gym.wrappers.RecordEpisodeStatistics(gym.make(BAI_ENV_ID, n_arms=3, horizon=4))
    env.reset(seed=0)
    for action in (0, 1, 2, last):
        *_, terminated, _, info = env.step(action)
    assert terminated
    assert info["episode"]["l"] == info["stopping_time"] + more == 4


@pytest.mark.parametrize("last", [0, 4])
def test_everything_is_told_if_asked_for_also_at_the_end(last: int) -> None:
    env = begun_bai(info_level="full", horizon=3)
    for action in (0, 1, last):
        *_, info = env.step(action)
        assert info["hidden_state"] == env.hidden_state()
    assert set(info) == COUNTERS | ENDING | {"hidden_state"}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike(copied: Any) -> None:
    env = begun_bai(noise=0.5)
    twin = copied(env)
    for arm in arms(20):
        assert twin.step(arm) == env.step(arm)
        assert twin.action_masks().tolist() == env.action_masks().tolist()
