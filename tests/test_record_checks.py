"""Every public record is checked when it is made, by its fields' types, and survives copies."""

import copy
import math
import pickle
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import ALGORITHMS
from explorative_user_env.studies.suite import Variety
from explorative_user_env.users.behaviours import EXPLORATIVE, Behaviour, as_behaviour
from explorative_user_env.users.instances import LARGEST_MEAN, Instance, InstanceLaw
from explorative_user_env.users.model import ACCEPTANCE_RATE, Schedule, constant
from explorative_user_env.users.population import PRINTED, RELEASED, Setting
from explorative_user_env.validation import check_fields

WRONG: dict[Any, list[Any]] = {
    bool: ["no", 0, 1, None],
    int: [-1, 1.5, True, "1", None, math.nan],
    float: [math.nan, math.inf, "1.0", True, None, 1j],
    str: [None, 3, b"x"],
    Schedule: ["acceptance_rate", 1.0, None],
}
RECORDS: dict[str, Any] = {
    "printed": PRINTED,
    "released": RELEASED,
    "schedule": ACCEPTANCE_RATE,
    "constant": constant(1.5),
    "behaviour": EXPLORATIVE,
    "another": as_behaviour("forgetful"),
    "instance": Instance((0.5, 1.0), 1),
    "population": eu.Population(noise=0.1, means=[1.0, 0.5, 0.0], n_arms=3, rho=constant(1.5)),
}


def wrong_for(kind: Any) -> list[Any]:
    """What a field of this type must not hold."""
    if get_origin(kind) is Literal:
        return [get_args(kind)[0] + "s", "", None, 3]
    if get_origin(kind) is tuple:
        return [None, "x", 3, (object(),), [], (None,)]
    wrong = WRONG.get(kind, [None, "x", 3])
    return [value for value in wrong if value is not None or type(None) not in get_args(kind)]


@pytest.mark.parametrize(
    "record",
    [PRINTED, ACCEPTANCE_RATE, EXPLORATIVE, ALGORITHMS["BAIR"], Variety("mine")],
    ids=type,
)
def test_every_field_refuses_what_its_type_does_not_allow(record: Any) -> None:
    hints = get_type_hints(type(record))
    tried = 0
    for field in fields(record):
        for value in wrong_for(hints[field.name]):
            with pytest.raises(eu.InvalidArgumentError) as error:
                replace(record, **{field.name: value})
            words = "rho range" if field.name in ("rho_0", "rho_1") else field.name
            assert str(error.value).startswith(f"{words} ")
            assert "\n" not in str(error.value)
            tried += 1
    assert tried > 2 * len(fields(record))


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("private_draws", -1, "an integer of at least 0"),
        ("rho_refresh", "responses", "one of acceptance, response"),
        ("rejects_ties", "no", "True or False"),
        ("rejection_rate", "mean of ratio", "one of mean of ratios, ratio of means"),
        ("tas_max_steps", 0, "an integer of at least 1"),
        ("rho_at_start", 0.0, "a finite number above 0"),
    ],
)
def test_a_setting_says_what_its_fields_may_be(field: str, value: Any, allowed: str) -> None:
    with pytest.raises(eu.InvalidArgumentError) as error:
        replace(RELEASED, **{field: value})
    assert str(error.value) == f"{field} must be {allowed}, got {value!r}"


@pytest.mark.parametrize(
    "means",
    [
        (), (1.0,), [0.0, 1.0], (0.0, math.nan), (math.nan, 0.0), (0.0, math.inf), (-math.inf, 0.0),
        (0.0, 1e308), (-1e308, 0.0), ("a", "b"), (None, 1.0), "ab", None, 3,
    ],
)  # fmt: skip
def test_an_instance_has_means_that_can_be_counted_with(means: Any) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"^means must be a tuple of at least two"):
        Instance(means, 0)


@pytest.mark.parametrize("best_arm", [-1, 2, True, 1.0, None, "1"])
def test_an_instance_has_a_best_arm(best_arm: Any) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"^best_arm must be "):
        Instance((0.0, 1.0), best_arm)
    assert Instance((0.0, 1.0), np.int64(1)).gap == 1.0  # type: ignore[arg-type]


def test_regret_is_finite_with_the_largest_means_that_there_may_be() -> None:
    facts: dict[str, Any] = {"n_arms": 3, "task": "regret", "horizon": 50, "n_instances": 2}
    largest = [-LARGEST_MEAN, LARGEST_MEAN, 0.0]
    runs = eu.evaluate(["UNI"], means=largest, progress=False, **facts).runs
    assert np.isfinite(runs["regret"]).all()
    for means in ([0.0, 1.0, 1e308], lambda n_arms, rng: [0.0, 1.0, -1e308]):
        with pytest.raises(eu.InvalidArgumentError, match=r"means must be .* 1e\+150"):
            eu.evaluate(["UNI"], means=means, progress=False, **facts)
    with pytest.raises(eu.InvalidArgumentError, match=r"^gap must be above 0 and at most 1e\+150"):
        InstanceLaw(2, gap=1e200)


@pytest.mark.parametrize(("rule", "needed"), [("acceptance_rate_rule", 2), ("constant_rule", 1)])
def test_a_schedule_has_the_numbers_that_its_rule_needs(rule: str, needed: int) -> None:
    from explorative_user_env.users import model as confidence

    with pytest.raises(eu.InvalidArgumentError, match=f"parameters must be at least {needed} num"):
        Schedule(getattr(confidence, rule), 1.0, 2.0, (1.0,) * (needed - 1))


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_is_equal_after_pickle_and_copy(name: str) -> None:
    record = RECORDS[name]
    for other in (
        pickle.loads(pickle.dumps(record)),
        copy.copy(record),
        copy.deepcopy(record),
        replace(record),
    ):
        assert other == record
        assert hash(other) == hash(record)


def test_a_record_of_other_types_is_checked_by_the_same_means() -> None:
    @dataclass(frozen=True)
    class Own:
        words: tuple[str, ...]
        perhaps: int | None
        anything: Any
        made: Behaviour

        def __post_init__(self) -> None:
            check_fields(self)

    Own(("a",), None, object(), EXPLORATIVE)
    for name, value in {"words": ("a", 1), "perhaps": -1, "made": "explorative"}.items():
        given: dict[str, Any] = {"words": (), "perhaps": 1, "anything": 0, "made": EXPLORATIVE}
        with pytest.raises(eu.InvalidArgumentError, match=f"^{name} "):
            Own(**given | {name: value})


def test_a_setting_that_changed_in_every_field_stays_itself_in_another_process() -> None:
    changed = replace(RELEASED, private_draws=3, rho=constant(1.25), name="mine")
    assert pickle.loads(pickle.dumps(changed)) == changed
    assert isinstance(changed, Setting)
