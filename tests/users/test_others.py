"""Users of other kinds: what holds of all, the omniscient, names, and what is refused."""

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gymnasium as gym
import pytest
from other_users import AGREEABLE, KINDS, random_arms, started

import explorative_user_env as eu
from explorative_user_env.agents import Uniform
from explorative_user_env.users import behaviours as others
from explorative_user_env.users.behaviours import (
    Behaviour,
    as_behaviour,
    drifting,
    forgetful,
    logistic,
    omniscient,
    register_behaviour,
)
from explorative_user_env.users.instances import DEFAULT_GAP
from explorative_user_env.users.population import Setting


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_click_noise_comes_on_top(kind: Behaviour) -> None:
    # At noise 1 every decision is a coin flip: within 4.5 standard errors of a half.
    env = started(0, noise=1.0, behaviour=kind)
    accepted = sum(env.step(arm)[0] for arm in random_arms(4000))
    assert abs(accepted - 2000) < 4.5 * math.sqrt(1000)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike_and_apart(kind: Behaviour, copied: Callable[[Any], Any]) -> None:
    env = started(4, behaviour=kind)
    for arm in random_arms(60):
        env.step(arm)
    twin, before = copied(env), env.hidden_state()
    ahead = [twin.step(arm) for arm in random_arms(60, seed=1)]
    assert env.hidden_state() == before
    assert [env.step(arm) for arm in random_arms(60, seed=1)] == ahead


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_is_secret_stays_secret(kind: Behaviour) -> None:
    env = started(0, behaviour=kind, reward="none")
    for arm in random_arms(30):
        answer, reward, terminated, truncated, info = env.step(arm)
        assert set(info) == {"has_response", "interactions", "acceptances", "rejections"}
        assert (type(answer), reward, terminated, truncated) == (int, 0.0, False, False)


# The omniscient user


@pytest.mark.parametrize("tolerance", [0.0, 0.4])
def test_an_omniscient_user_accepts_what_is_as_good_as_the_best(
    setting: Setting, tolerance: float
) -> None:
    for seed in range(20):
        env = started(seed, setting=setting, behaviour=omniscient(tolerance), gap=0.3)
        means = env.hidden_state().instance.means
        good = [mean >= max(means) - tolerance for mean in means]
        arms = random_arms(100)
        assert [env.step(arm)[0] == 1 for arm in arms] == [good[arm] for arm in arms]
        assert sum(good) == 1 if tolerance == 0.0 else sum(good) >= 2


# Names, records and what is refused


@pytest.mark.parametrize("name", ["explorative", *others._FACTORIES])
def test_a_behaviour_is_made_by_name_and_the_specification_is_json(name: str) -> None:
    env = gym.make(eu.ENV_ID, behaviour=name)
    assert env.spec is not None
    assert f'"behaviour": "{name}"' in env.spec.to_json()
    assert isinstance(env.unwrapped, eu.ExplorativeUserEnv)
    assert env.unwrapped.behaviour.name == name


def test_a_behaviour_of_one_s_own_runs_on_every_path_and_can_be_registered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(others, "_BEHAVIOURS", dict(others._BEHAVIOURS))
    register_behaviour("agreeable", AGREEABLE)
    register_behaviour("agreeable", AGREEABLE)
    with pytest.raises(eu.InvalidArgumentError, match="name must be a name no other behaviour"):
        register_behaviour("agreeable", replace(AGREEABLE, parameters=(8.0,)))
    assert as_behaviour("agreeable") is AGREEABLE
    env = started(behaviour="agreeable")
    for seed in (1, 2):
        env.reset(seed=seed)
        assert [env.step(0)[0] for _ in range(9)] == [1] * 7 + [0] * 2
    options: dict[str, Any] = {"behaviour": "agreeable", "n_instances": 5, "progress": False}
    fast = eu.evaluate([Uniform(horizon=30)], **options).runs
    assert fast["acceptances"].tolist() == [7] * 5
    assert fast.equals(eu.evaluate([Uniform(horizon=30)], compiled=False, **options).runs)


def test_the_usual_numbers_are_what_is_said_of_them() -> None:
    assert as_behaviour("omniscient").parameters == (0.0,)  # her best arms only
    (sigma,), (temperature,) = (as_behaviour(name).parameters for name in ("drifting", "logistic"))
    assert sigma * math.sqrt(1000) == pytest.approx(0.16, abs=0.005)  # in a thousand interactions
    assert temperature == DEFAULT_GAP / 5


@pytest.mark.parametrize("unknown", ["amnesic", None, 3])
def test_an_unknown_behaviour_is_refused_with_those_there_are(unknown: Any) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"a Behaviour or one of .*drifting, exp"):
        as_behaviour(unknown)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: omniscient(-0.1), r"tolerance must be a finite number of at least 0, got -0\.1"),
        (lambda: forgetful(0), r"window must be an integer of at least 1, got 0"),
        (lambda: forgetful(2.5), r"window must be an integer of at least 1, got 2\.5"),  # type: ignore[arg-type]
        (lambda: drifting(math.nan), r"sigma must be a finite number of at least 0, got nan"),
        (lambda: logistic(0.0), r"temperature must be a finite number above 0, got 0\.0"),
    ],
)
def test_a_bad_parameter_is_named(make: Callable[[], Behaviour], message: str) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=message):
        make()
