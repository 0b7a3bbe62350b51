"""Records: the same object has the same in any process, and the package's are made again."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from other_users import low_means
from own_laws import laplace_reward
from processes import python

from explorative_user_env import Population, RewardLaw, Schedule
from explorative_user_env.agents import AGENTS, ALGORITHMS, BAIR, TrackAndStop, Uniform
from explorative_user_env.agents.shared_phase1 import after_phase1
from explorative_user_env.results import records
from explorative_user_env.results.records import (
    UnknownCodeError,
    digest,
    from_record,
    package_digest,
    record_of,
)
from explorative_user_env.users.model import constant

POPULATIONS: list[dict[str, Any]] = [
    {},
    {"setting": "released", "n_arms": 20, "alpha": 0.8, "gap": 0.2, "noise": 0.1},
    {"behaviour": "forgetful", "reward_law": "bernoulli", "rho": 1.5},
    {"behaviour": "drifting", "means": [0.1, 1 / 3, 2.0], "n_arms": 3},
    {"behaviour": "logistic", "means": "uniform", "rho": "smoothed_acceptance_rate"},
    {"behaviour": "omniscient", "reward_law": "bounded", "rho": constant(1.25)},
]


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(record_of(value), allow_nan=False))


@pytest.mark.parametrize("options", POPULATIONS)
def test_users_are_made_again_from_their_record(options: dict[str, Any]) -> None:
    users = Population(**options)
    assert from_record(through_json(users)) == users


@pytest.mark.parametrize("agent", [*AGENTS.values()])
def test_agents_are_made_again_with_all_their_options(agent: Callable[..., Any]) -> None:
    made = agent(delta=0.03) if "delta" in agent().options else agent()
    again = from_record(through_json(made))
    assert (repr(again), again.options, again.max_steps) == (
        repr(made),
        made.options,
        made.max_steps,
    )
    assert again.algorithm is ALGORITHMS[again.algorithm.name]


def test_every_option_counts() -> None:
    changed: list[dict[str, Any]] = [
        {"n_arms": 6},
        {"alpha": math.nextafter(1.0, 2.0)},
        {"gap": 0.25},
        {"noise": 0.01},
        {"means": "uniform"},
        {"rho": 1.5},
        {"reward_law": "bounded"},
        {"behaviour": "forgetful"},
        {"setting": "released"},
        {"setting": replace(Population().setting, tas_max_steps=7)},
    ]
    digests = [digest(record_of(Population(**options))) for options in [{}, *changed]]
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize("value", [math.inf, -math.inf, 0.1, 5e-324, 2**70, True, None, "a"])
def test_numbers_and_words_come_back_to_the_bit(value: Any) -> None:
    assert from_record(through_json(value)) == value
    assert type(from_record(through_json(value))) is type(value)


def test_numbers_of_numpy_are_plain_ones() -> None:
    assert through_json({"a": np.int64(3), "b": np.float64(0.1), "c": np.bool_(True)}) == {
        "a": 3,
        "b": 0.1,
        "c": True,
    }


def test_what_a_function_holds_counts() -> None:
    composed = [after_phase1(agent, n1=5) for agent in (BAIR(), TrackAndStop(), Uniform())]
    assert len({digest(record_of(each.algorithm)) for each in composed}) == 3

    def scaled(factor: float) -> Any:
        return lambda mean, rng: factor * mean

    laws = [RewardLaw("mine", scaled(factor)) for factor in (1.0, 2.0)]
    assert record_of(laws[0]) != record_of(laws[1])
    assert record_of(laws[0]) == record_of(RewardLaw("mine", scaled(1.0)))
    parts = [partial(laplace_reward, rng=number) for number in (1, 2)]
    assert record_of(parts[0]) != record_of(parts[1])


def test_what_holds_itself_has_a_record() -> None:
    class Knot:
        def __init__(self) -> None:
            self.itself = self

    assert digest(record_of(Knot())) == digest(record_of(Knot()))


@pytest.mark.parametrize(
    "options", [{"means": low_means}, {"reward_law": laplace_reward}, {"rho": "own"}]
)
def test_own_code_is_only_made_again_by_who_hands_it_in(options: dict[str, Any]) -> None:
    own = Schedule(lambda numbers, n, t, n_arms: 1.0, 1.0, 1.0)
    options = {name: own if value == "own" else value for name, value in options.items()}
    users = Population(**options)
    record = through_json(users)
    with pytest.raises(UnknownCodeError):
        from_record(record)
    handed = [*options.values(), users.reward_law]
    assert from_record(record, handed) == users


@pytest.mark.parametrize(
    "place",
    [
        "os:system",
        "builtins:eval",
        "explorative_user_env.results.records:Path",
        "explorative_user_env.results.records:import_module",
        "explorative_user_env.users.behaviours:Behaviour.blank",
        "explorative_user_env.users.behaviours:nothing",
        "",
    ],
)
def test_a_record_reaches_no_other_function(place: str) -> None:
    with pytest.raises(UnknownCodeError):
        from_record({records.FUNCTION: place})


def test_a_record_makes_no_other_object() -> None:
    for kind in ("Store", "explorative_user_env.results.store:Store", "array", "partial"):
        with pytest.raises(UnknownCodeError):
            from_record({records.KIND: kind})


@pytest.mark.slow
def test_another_process_has_the_same_records() -> None:
    told = (
        "from explorative_user_env import Population; "
        "from explorative_user_env.agents import BAIR, TrackAndStop; "
        "from explorative_user_env.agents.shared_phase1 import after_phase1; "
        "from explorative_user_env.results.records import digest, record_of, package_digest; "
        "print(digest(record_of([Population(behaviour='forgetful'), BAIR(), "
        "after_phase1(TrackAndStop(), n1=5)])), package_digest())"
    )
    options: dict[str, Any] = {"behaviour": "forgetful"}
    objects = [Population(**options), BAIR(), after_phase1(TrackAndStop(), n1=5)]
    other = python("-c", told)
    assert other.stdout.split() == [digest(record_of(objects)), package_digest()], other.stderr


def test_the_digest_of_the_code_knows_the_agents(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "bair.py").write_text("a = 1\n")
    (tmp_path / "__init__.py").write_text("")
    monkeypatch.setattr("inspect.getfile", lambda module: str(tmp_path / "__init__.py"))
    before = package_digest.__wrapped__()
    (tmp_path / "agents" / "bair.py").write_text("a = 2\n")
    assert package_digest.__wrapped__() != before
