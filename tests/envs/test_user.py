import copy
import math
import pickle
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from explorative_user_env import (
    ENV_ID,
    PRINTED,
    ExplorativeUserEnv,
    HiddenState,
    Instance,
    InvalidArgumentError,
    Schedule,
    register_schedule,
)
from explorative_user_env.envs.rewards import REWARDS
from explorative_user_env.users import confidence as schedules

COUNTERS = {"has_response", "interactions", "acceptances", "rejections"}
MEANS = [0.0, 3.0, -2.0]

VARIANTS: list[dict[str, Any]] = [
    {},
    {"setting": "released", "n_arms": 2},
    {"render_mode": "ansi", "noise": 0.2, "alpha": 0.8},
    {"setting": "released", "info_level": "full", "reward": "realized", "rho": 1.5},
]


def arms(steps: int, n_arms: int, seed: int = 0) -> list[int]:
    drawn: list[int] = np.random.default_rng(seed).integers(n_arms, size=steps).tolist()
    return drawn


def play(env: gym.Env[int, int], actions: Iterable[int]) -> list[tuple[Any, ...]]:
    return [env.step(arm) for arm in actions]


def started(seed: int = 0, **kwargs: Any) -> ExplorativeUserEnv:
    given: dict[str, Any] = {"n_arms": 3, "means": MEANS} | kwargs
    env = ExplorativeUserEnv(**given)
    env.reset(seed=seed)
    return env


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in leaves(each)]
    if isinstance(value, list | tuple):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]


# The Gymnasium interface


@pytest.mark.parametrize("name", [ENV_ID, f"explorative_user_env:{ENV_ID}"])
def test_the_environment_is_made_by_its_id(name: str) -> None:
    env = gym.make(name, n_arms=4)
    assert isinstance(env.unwrapped, ExplorativeUserEnv)
    assert env.action_space == gym.spaces.Discrete(4)
    assert env.observation_space == gym.spaces.Discrete(2)


@pytest.mark.parametrize("kwargs", VARIANTS)
def test_gymnasiums_checker_has_nothing_to_say(kwargs: dict[str, Any]) -> None:
    check_env(gym.make(ENV_ID, **kwargs).unwrapped)


@pytest.mark.parametrize("kwargs", VARIANTS)
def test_stable_baselines_checker_has_nothing_to_say(kwargs: dict[str, Any]) -> None:
    from stable_baselines3.common.env_checker import check_env as check_for_sb3

    env = gym.make(ENV_ID, **kwargs)
    check_for_sb3(env)
    check_for_sb3(env.unwrapped)


@pytest.mark.parametrize(("kwargs", "limit"), [({}, 1000), ({"max_episode_steps": 7}, 7)])
def test_the_time_limit_truncates_and_does_not_terminate(
    kwargs: dict[str, Any], limit: int
) -> None:
    env = gym.make(ENV_ID, n_arms=3, **kwargs)
    env.reset(seed=0)
    outcomes = play(env, arms(limit, 3))
    assert [truncated for *_, truncated, _ in outcomes] == [False] * (limit - 1) + [True]
    assert not any(terminated for _, _, terminated, *_ in outcomes)


def test_a_reset_observes_zero_and_says_that_there_is_no_response_yet() -> None:
    env = ExplorativeUserEnv()
    observation, info = env.reset(seed=0)
    assert (type(observation), observation) == (int, 0)
    assert info == {"has_response": False, "interactions": 0, "acceptances": 0, "rejections": 0}


def test_the_observation_is_the_response_and_the_counts_add_up(setting: Any) -> None:
    env = started(setting=setting)
    responses = []
    for observation, reward, terminated, truncated, info in play(env, arms(200, 3)):
        assert type(observation) is int
        assert type(reward) is float
        assert (terminated, truncated) == (False, False)
        responses.append(observation)
        t, n = len(responses), sum(responses)
        assert info == {
            "has_response": True,
            "interactions": t,
            "acceptances": n,
            "rejections": t - n,
        }
    assert set(responses) == {0, 1}


def test_the_info_of_a_step_is_not_changed_by_the_next() -> None:
    env = started()
    _, _, _, _, info = env.step(0)
    kept = dict(info)
    env.step(1)
    assert info == kept


@pytest.mark.parametrize("made", [True, False])
@pytest.mark.parametrize(
    "cast",
    [
        np.int64,
        np.int32,
        np.uint8,
        np.array,
        lambda arm: np.array([arm]),
        lambda arm: np.array([[arm]], dtype=np.int8),
    ],
)
def test_an_arm_may_be_any_integer_or_an_array_of_one(
    cast: Callable[[int], Any], made: bool
) -> None:
    kwargs: dict[str, Any] = {"n_arms": 3, "info_level": "full"}
    outcomes = []
    for convert in (int, cast):
        env = gym.make(ENV_ID, **kwargs) if made else ExplorativeUserEnv(**kwargs)
        env.reset(seed=2)
        outcomes.append(play(env, map(convert, arms(20, 3))))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    "action",
    [
        *(True, np.True_, np.array(True), 1.0, np.float64(1.0), np.array([1.0])),
        *(-1, 3, 99, np.array([3]), None, "1"),
        *(np.array([0, 1]), np.array([], dtype=int), np.zeros((2, 2), dtype=int)),
    ],
)
def test_what_is_not_an_arm_is_refused_by_name_and_changes_nothing(action: Any) -> None:
    env = started()
    env.step(1)
    before = env.hidden_state()
    with pytest.raises(
        InvalidArgumentError, match=r"action must be an integer in 0\.\.2, got"
    ) as caught:
        env.step(action)
    assert "\n" not in str(caught.value)
    assert env.hidden_state() == before


@pytest.mark.parametrize("made", [True, False])
def test_nothing_works_before_the_first_reset(made: bool) -> None:
    kwargs: dict[str, Any] = {"render_mode": "ansi"}
    env: Any = gym.make(ENV_ID, **kwargs) if made else ExplorativeUserEnv(**kwargs)
    for ask in (lambda: env.step(0), env.render, env.unwrapped.hidden_state):
        with pytest.raises(gym.error.ResetNeeded, match="reset"):
            ask()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
        ({"gap": 0.0}, r"gap must be a finite number above 0, got 0\.0"),
        ({"alpha": 0.0}, r"alpha must be a finite number above 0, got 0\.0"),
        ({"noise": 2.0}, r"noise must be a number in \[0, 1\], got 2\.0"),
        ({"setting": "text"}, "setting must be one of printed, released, got 'text'"),
        ({"means": "cauchy"}, "means must be one of normal, uniform, got 'cauchy'"),
        ({"means": [1.0, 2.0]}, r"means must be 5 finite numbers .*, got \[1\.0, 2\.0\]"),
        ({"rho": "fast"}, r"rho must be .*, got 'fast'"),
        ({"reward": "money"}, r"reward must be one of accept, .*utility, got 'money'"),
        ({"info_level": "all"}, "info_level must be one of counts, full, got 'all'"),
        ({"render_mode": "human"}, "render_mode must be one of ansi, got 'human'"),
        ({"render_intervals": "no"}, "render_intervals must be True or False, got 'no'"),
    ],
)
def test_a_bad_argument_is_named_with_its_value_and_what_is_allowed(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        ExplorativeUserEnv(**arguments)


# Rewards and the hidden state


def rewards_by_hand(
    before: HiddenState, after: HiddenState, arm: int, accepted: bool
) -> dict[str, float]:
    mean, best = MEANS[arm], max(MEANS)
    drawn = after.counts[arm] * after.estimates[arm] - before.counts[arm] * before.estimates[arm]
    return {
        "regret": mean - best,
        "utility": mean if accepted else 0.0,
        "realized": drawn if accepted else 0.0,
        "accept": 1.0 if accepted else 0.0,
        "none": 0.0,
    }


def test_the_rewards_are_the_declared_ones() -> None:
    moment = started().hidden_state()
    assert set(rewards_by_hand(moment, moment, 0, True)) == set(REWARDS)


@pytest.mark.parametrize("reward", REWARDS)
def test_the_reward_is_as_described(setting: Any, reward: str) -> None:
    env = started(setting=setting, reward=reward)
    responses = []
    for arm in arms(60, 3):
        before = env.hidden_state()
        observation, given, *_ = env.step(arm)
        expected = rewards_by_hand(before, env.hidden_state(), arm, bool(observation))[reward]
        assert given == pytest.approx(expected, abs=1e-9)
        responses.append(observation)
    assert set(responses) == {0, 1}


def test_the_default_reward_is_the_regret() -> None:
    assert ExplorativeUserEnv().reward == "regret"


def test_the_hidden_state_follows_from_what_happened(setting: Any) -> None:
    alpha = 0.7
    env = started(seed=4, setting=setting, reward="realized", alpha=alpha)
    prior = np.random.default_rng(4).standard_normal(3) + MEANS
    drawn = [[float(x)] if setting.name == "released" else [] for x in prior]
    rho, n, t = 2.0, 0, 0
    for arm in arms(80, 3):
        observation, reward, *_ = env.step(arm)
        t += 1
        if observation:
            n += 1
            drawn[arm].append(reward)
        if observation or setting.name == "printed":
            rho = 1 + n / t if setting.name == "printed" else 1 + (3 + n) / (6 + t)
        hidden = env.hidden_state()
        gamma = 2 * alpha * math.log(rho * max(n, 1))
        radius = [math.sqrt(gamma / len(each)) if each else math.inf for each in drawn]
        estimates = [float(np.mean(each)) if each else 0.0 for each in drawn]
        assert hidden.instance == Instance(tuple(MEANS), 1)
        assert hidden.counts == tuple(map(len, drawn))
        assert (hidden.acceptances, hidden.interactions) == (n, t)
        assert (hidden.rho, hidden.gamma) == pytest.approx((rho, gamma))
        assert hidden.estimates == pytest.approx(estimates)
        low = [m - r for m, r in zip(estimates, radius, strict=True)]
        high = [m + r for m, r in zip(estimates, radius, strict=True)]
        assert hidden.lower_bounds == pytest.approx(low)
        assert hidden.upper_bounds == pytest.approx(high)
    assert 0 < n < t


def test_the_hidden_state_is_a_record_of_its_moment() -> None:
    env = started()
    before = env.hidden_state()
    kept = copy.deepcopy(before)
    env.step(0)
    assert before == kept != env.hidden_state()


@pytest.mark.parametrize("reward", REWARDS)
def test_nothing_secret_is_told_by_default(setting: Any, reward: str) -> None:
    env = gym.make(ENV_ID, setting=setting, reward=reward, noise=0.1)
    observation, info = env.reset(seed=0)
    told = [(observation, info)]
    told += [(observation, info) for observation, *_, info in play(env, arms(50, 5))]
    for observation, info in told:
        assert type(observation) is int
        assert set(info) == COUNTERS
        assert {type(leaf) for leaf in leaves(info)} <= {bool, int}


def test_everything_is_told_if_asked_for() -> None:
    env = started(info_level="full")
    _, info = env.reset(seed=0)
    assert info["hidden_state"] == env.hidden_state()
    for *_, info in play(env, [0, 1, 2]):
        assert set(info) == COUNTERS | {"hidden_state"}
    assert info["hidden_state"] == env.hidden_state()


# Options of a reset


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
    with pytest.raises(ValueError, match="rho_t left the range"):
        env.step(0)


def test_noise_makes_her_refuse_what_she_would_always_accept() -> None:
    env = started(noise=1.0, means=[100.0, 0.0, 0.0])
    answers = [observation for observation, *_ in play(env, [0] * 400)]
    assert 0.5 - 0.1 < np.mean(answers) < 0.5 + 0.1
    assert np.mean([o for o, *_ in play(started(means=[100.0, 0.0, 0.0]), [0] * 400)]) == 1.0
