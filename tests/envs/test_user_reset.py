"""What a new user follows from: seeds, options, specifications, copies, other choices."""

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from single_env import VARIANTS, arms, play, started

from explorative_user_env import (
    ENV_ID,
    ExplorativeUserEnv,
    Instance,
    InvalidArgumentError,
    Schedule,
    register_schedule,
)
from explorative_user_env.users import model as schedules
from explorative_user_env.users.population import PRINTED
from explorative_user_env.validation import CallableError


def test_the_means_of_one_episode_can_be_given() -> None:
    env = ExplorativeUserEnv(n_arms=3, gap=0.25)
    env.reset(seed=0, options={"means": (1.0, 5.0, 2)})
    assert env.hidden_state().instance == Instance((1.0, 5.0, 2.0), 1)
    env.reset(seed=0)
    assert env.hidden_state().instance.gap == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"means": [1.0, 2.0]}, "means must be 3 finite numbers"),
        ({"means": [1.0, 2.0, math.nan]}, "means must be 3 finite numbers"),
        ({"means": [1.0, 2.0, math.inf]}, "means must be 3 finite numbers"),
        ({"means": [2.0, 2.0, 1.0]}, "means must be .*one best arm"),
        ({"means": None}, "means must be 3 finite numbers"),
        ({"means": "normal"}, "means must be .*numbers.*, got 'normal'"),
        ({"mean": [1.0, 2.0, 3.0]}, "means, got 'mean'"),
        ({"means": [1.0, 2.0, 3.0], "gap": 1.0}, "means, got 'gap'"),
    ],
)
def test_a_bad_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        started().reset(options=options)


# Randomness and copies


def episode(env: gym.Env[int, int], seed: int | None, steps: int = 60) -> list[Any]:
    env.reset(seed=seed)
    before = env.unwrapped.hidden_state()  # type: ignore[attr-defined]
    return [before, *play(env, arms(steps, 5)), env.unwrapped.hidden_state()]  # type: ignore[attr-defined]


@pytest.mark.parametrize("kwargs", VARIANTS[:1] + VARIANTS[2:])
def test_the_same_seed_gives_the_same_episode_and_another_seed_another(
    kwargs: dict[str, Any],
) -> None:
    env, twin = gym.make(ENV_ID, **kwargs), gym.make(ENV_ID, **kwargs)
    first = episode(env, 3)
    assert episode(twin, 3) == first
    assert episode(env, 4)[0].instance != first[0].instance
    assert episode(env, 3) == first


def test_two_seeds_differ_also_where_the_means_are_given() -> None:
    ends = []
    for seed in (3, 4):
        env = started(seed, n_arms=5, means=[5.0, 4.0, 3.0, 2.0, 1.0])
        play(env, arms(20, 5))
        ends.append(env.hidden_state().estimates)
    assert ends[0] != ends[1]


def test_a_reset_without_a_seed_goes_on_with_the_stream() -> None:
    env, stream = ExplorativeUserEnv(n_arms=4), np.random.default_rng(6)
    for seed in (6, None, None):
        env.reset(seed=seed)
        raw = stream.standard_normal(4)
        kept = np.delete(env.hidden_state().instance.means, raw.argmax())
        assert kept.tolist() == np.delete(raw, raw.argmax()).tolist()


def test_unseeded_environments_differ() -> None:
    envs = ExplorativeUserEnv(), ExplorativeUserEnv()
    for env in envs:
        env.reset()
    assert envs[0].hidden_state() != envs[1].hidden_state()


@pytest.mark.parametrize("kwargs", VARIANTS)
def test_the_global_random_state_is_neither_used_nor_changed(kwargs: dict[str, Any]) -> None:
    env = gym.make(ENV_ID, **kwargs)
    n_arms, runs = int(env.action_space.n), []  # type: ignore[attr-defined]
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002
        before = pickle.dumps(np.random.get_state())  # noqa: NPY002
        env.reset(seed=5)
        runs.append(play(env, arms(50, n_arms)))
        assert pickle.dumps(np.random.get_state()) == before  # noqa: NPY002
    assert runs[0] == runs[1]


@pytest.mark.parametrize("made", [True, False])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike_and_apart(copied: Callable[[Any], Any], made: bool) -> None:
    kwargs: dict[str, Any] = {"noise": 0.2, "info_level": "full", "render_mode": "ansi"}
    env = gym.make(ENV_ID, **kwargs) if made else ExplorativeUserEnv(**kwargs)
    env.reset(seed=8)
    play(env, arms(30, 5))
    twin = copied(env)
    actions = arms(30, 5, seed=1)
    ahead = play(twin, actions)
    assert play(env, actions) == ahead
    assert env.render() == twin.render()


def test_a_spec_survives_json() -> None:
    kwargs: dict[str, Any] = {
        "n_arms": 3,
        "means": [0.25, 1.5, 0.75],
        "setting": "released",
        "rho": "acceptance_rate",
        "noise": 0.1,
        "alpha": 0.5,
        "reward": "realized",
        "info_level": "full",
    }
    env = gym.make(ENV_ID, max_episode_steps=50, **kwargs)
    assert env.spec is not None
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    outcomes = []
    for each in (env, again):
        each.reset(seed=0)
        outcomes.append(play(each, arms(50, 3)))
    assert outcomes[0] == outcomes[1]
    assert again.spec is not None
    assert again.spec.max_episode_steps == 50


@pytest.mark.slow
def test_environments_in_other_processes_equal_those_in_this_one() -> None:
    make = partial(gym.make, f"explorative_user_env:{ENV_ID}", n_arms=3, noise=0.1)
    singles = [make(), make()]
    for i, env in enumerate(singles):
        env.reset(seed=10 + i)
    vector = gym.vector.AsyncVectorEnv([make, make], context="spawn")
    try:
        observations, infos = vector.reset(seed=10)
        assert observations.tolist() == [0, 0]
        for pair in zip(arms(15, 3, seed=1), arms(15, 3, seed=2), strict=True):
            observations, rewards, *_, infos = vector.step(np.array(pair))
            alone = [env.step(arm) for env, arm in zip(singles, pair, strict=True)]
            assert observations.tolist() == [outcome[0] for outcome in alone]
            assert rewards.tolist() == [outcome[1] for outcome in alone]
            assert infos["acceptances"].tolist() == [o[-1]["acceptances"] for o in alone]
    finally:
        vector.close()


# Other choices of the user


def test_a_setting_may_be_a_record_of_ones_own() -> None:
    env = started(setting=replace(PRINTED, private_draws=2))
    assert env.hidden_state().counts == (2, 2, 2)


def halving(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    return 1.0 / t


def test_a_schedule_may_be_a_registered_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedules, "_SCHEDULES", dict(schedules._SCHEDULES))
    register_schedule("halving", Schedule(halving, 0.3, 1.0))
    env = gym.make(ENV_ID, rho="halving")
    env.reset(seed=0)
    play(env, [0, 0, 0])
    assert env.unwrapped.hidden_state().rho == pytest.approx(1 / 3)  # type: ignore[attr-defined]
    message = (
        r"rho_t must be in \[0\.3, 1\], the range declared for halving, got 0\.25 "
        r"\(at step 4 of the user that env\.reset\(seed=0\) meets again\)$"
    )
    with pytest.raises(CallableError, match=message):
        env.step(0)


def test_noise_makes_her_refuse_what_she_would_always_accept() -> None:
    env = started(noise=1.0, means=[100.0, 0.0, 0.0])
    answers = [observation for observation, *_ in play(env, [0] * 400)]
    assert 0.5 - 0.1 < np.mean(answers) < 0.5 + 0.1
    assert np.mean([o for o, *_ in play(started(means=[100.0, 0.0, 0.0]), [0] * 400)]) == 1.0
