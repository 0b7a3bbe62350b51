"""What a vector environment refuses, after which nothing has changed."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from alike import told
from gymnasium.error import ResetNeeded
from vector_env import begun, everything

from explorative_user_env import ExplorativeUserVectorEnv, InvalidArgumentError


@contextmanager
def refused(
    vector: ExplorativeUserVectorEnv, message: str, error: type[Exception] = InvalidArgumentError
) -> Iterator[None]:
    """Expect a clear error, after which nothing has changed."""
    before, twin = everything(vector), copy.deepcopy(vector)
    with pytest.raises(error, match=message) as caught:
        yield
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    assert everything(vector) == before
    for env in (vector, twin):
        env.reset(options={"reset_mask": np.array([True, False, True])})
    for _ in range(2):
        assert told(vector.step([3, 2, 1])) == told(twin.step([3, 2, 1]))
    assert everything(vector) == everything(twin)


# Actions


@pytest.mark.parametrize(
    "actions",
    [
        *([0, 1], [0, 1, 2, 3], [], 0, None, [[0, 1, 2]], np.zeros((3, 1), int), [[0], 1, 2]),
        *([0.0, 1.0, 2.0], np.zeros(3), [True, False, True], np.zeros(3, bool)),
        *("012", ["0", "1", "2"], [0, None, 1], [0, 2**70, 1], np.zeros(3, object)),
        *([0, 4, 0], [0, -1, 0], np.array([0, 4, 0], np.uint8)),
        np.array([0, 2**64 - 1, 0], np.uint64),
    ],
    ids=str,
)
def test_what_are_not_arms_is_refused_and_changes_nothing(compiled: bool, actions: Any) -> None:
    vector = begun(compiled)
    with refused(vector, r"^actions must be 3 integers in 0\.\.3, got "):
        vector.step(actions)


def test_arms_are_looked_at_in_every_lane_also_one_about_to_be_reset(compiled: bool) -> None:
    vector = begun(compiled, max_episode_steps=3)
    vector.reset(options={"reset_mask": np.array([True, True, False])})
    assert vector.step([0, 0, 0])[3].tolist() == [False, False, True]
    for actions in ([4, 0, 0], [0, 4, 0], [0, 0, 4]):
        with pytest.raises(InvalidArgumentError, match=r"actions must be 3 integers in 0\.\.3"):
            vector.step(actions)


@pytest.mark.parametrize("cast", [list, tuple, np.int8, np.uint64, np.array])
def test_any_integers_are_arms(compiled: bool, cast: Callable[[Any], Any]) -> None:
    vector, twin = begun(compiled), begun(compiled)
    assert told(vector.step(cast([3, 0, 2]))) == told(twin.step(np.array([3, 0, 2])))


# Seeds and options


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (-1, "seed must be an integer of at least 0, got -1"),
        (True, "seed must be an integer of at least 0, got True"),
        (1.0, r"seed must be an integer of at least 0, got 1\.0"),
        ("123", "seed must be an integer of at least 0, got '123'"),
        ([1, -2, 3], "seed must be an integer of at least 0, got -2"),
        ([1, 2, True], "seed must be an integer of at least 0, got True"),
        ([1, 2, "3"], "seed must be an integer of at least 0, got '3'"),
        (np.array([1.0, 2.0, 3.0]), "seed must be an integer of at least 0"),
        ([1, 2], r"seed must be a number or 3 of them, got \[1, 2\]"),
        (np.array([1, 2, 3, 4]), r"seed must be a number or 3 of them, got array"),
        ([], r"seed must be a number or 3 of them, got \[\]"),
    ],
)
def test_a_bad_seed_is_refused_and_changes_nothing(compiled: bool, seed: Any, message: str) -> None:
    vector = begun(compiled)
    with refused(vector, message):
        vector.reset(seed=seed)


@pytest.mark.parametrize("seed", [np.int64(8), [8, 9, 10], (8, 9, 10), np.array([8, 9, 10])])
def test_seeds_are_a_number_or_one_each(compiled: bool, seed: Any) -> None:
    vector, twin = begun(compiled), begun(compiled)
    vector.reset(seed=seed)
    twin.reset(seed=8)
    assert everything(vector) == everything(twin)
    assert vector.np_random_seed == (8, 9, 10)


def test_a_lane_without_a_seed_goes_on_with_its_stream(compiled: bool) -> None:
    vector, twin = begun(compiled), begun(compiled)
    vector.reset(seed=[8, None, 10])
    twin.reset()
    truths, unseeded = vector.hidden_states(), twin.hidden_states()
    assert [one == other for one, other in zip(truths, unseeded, strict=True)] == [0, 1, 0]
    assert vector.np_random_seed == (8, 6, 10)


@pytest.mark.parametrize(
    "mask",
    [
        *([True, False, True], np.array([1, 0, 1]), np.zeros(3, bool), np.ones(2, bool)),
        *(np.ones((3, 1), bool), np.array(True), "101", 1, np.array([1.0, 0.0, 1.0])),
    ],
    ids=str,
)
def test_a_bad_mask_is_refused_and_changes_nothing(compiled: bool, mask: Any) -> None:
    vector = begun(compiled)
    with refused(vector, "^reset_mask must be an array of 3 bools, one of them True, got "):
        vector.reset(seed=1, options={"reset_mask": mask})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reset_masks": np.ones(3, bool)}, "options key must be one of .*, got 'reset_masks'"),
        ({"gap": 1.0}, "options key must be one of .*means.*, got 'gap'"),
        ({"means": [1.0, 2.0]}, r"means must be 4 finite numbers.*, got \[1\.0, 2\.0\]"),
        ({"means": [1.0, 2.0, 2.0, 0.0]}, "means must be numbers with one best arm"),
        ({"means": "normal"}, "means must be numbers, one for each arm, got 'normal'"),
    ],
)
def test_a_bad_option_is_refused_and_changes_nothing(
    compiled: bool, options: dict[str, Any], message: str
) -> None:
    vector = begun(compiled)
    with refused(vector, message):
        vector.reset(seed=1, options=options | {"reset_mask": np.array([True, True, False])})


def test_the_callers_options_are_left_alone(compiled: bool) -> None:
    mask, means = np.array([True, False, True]), [0.0, 1.0, 2.0, 3.0]
    options = {"reset_mask": mask, "means": means}
    begun(compiled).reset(seed=1, options=options)
    assert list(options) == ["reset_mask", "means"]
    assert options["reset_mask"] is mask
    assert mask.tolist() == [True, False, True]
    assert options["means"] is means == [0.0, 1.0, 2.0, 3.0]


# Before a reset


def assert_not_ready(vector: ExplorativeUserVectorEnv) -> None:
    asks: list[Callable[[], Any]] = [lambda: vector.step([0, 1, 2]), vector.hidden_states]
    for ask in [*asks, vector.render]:
        with pytest.raises(ResetNeeded, match="call reset before"):
            ask()


def test_nothing_works_before_the_first_reset(compiled: bool) -> None:
    assert_not_ready(ExplorativeUserVectorEnv(3, compiled=compiled, render_mode="ansi"))


def test_every_lane_needs_a_first_reset(compiled: bool) -> None:
    vector = ExplorativeUserVectorEnv(3, compiled=compiled, render_mode="ansi")
    mask = np.array([False, True, False])
    vector.reset(seed=[4, 5, 6], options={"reset_mask": mask})
    assert_not_ready(vector)
    vector.reset(seed=[4, 9, 6], options={"reset_mask": ~mask})
    whole = ExplorativeUserVectorEnv(3, compiled=compiled, render_mode="ansi")
    whole.reset(seed=4)
    assert everything(vector) == everything(whole)
    assert told(vector.step([0, 1, 2])) == told(whole.step([0, 1, 2]))


def test_a_finished_lane_that_does_not_reset_itself_has_to_be_reset(compiled: bool) -> None:
    vector = begun(compiled, autoreset_mode="Disabled", max_episode_steps=4)
    vector.reset(options={"reset_mask": np.array([False, True, False])})
    vector.step([0, 0, 0])
    assert vector.step([0, 0, 0])[3].tolist() == [True, False, True]
    with refused(vector, r"^reset the finished lanes \[0, 2\] before step$", ResetNeeded):
        vector.step([0, 0, 0])


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        *(({"num_envs": n}, "num_envs must be an integer of at least 1") for n in (0, True, 2.0)),
        *(({"max_episode_steps": n}, "max_episode_steps must be an integer") for n in (0, "9")),
        ({"autoreset_mode": "now"}, "autoreset_mode must be one of Disabled, NextStep, SameStep"),
        ({"autoreset_mode": None}, "autoreset_mode must be one of .*, got None"),
        ({"compiled": 1}, "compiled must be True or False, got 1"),
        ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
        ({"reward": "money"}, "reward must be one of accept, .*, got 'money'"),
    ],
)
def test_a_bad_argument_is_named(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        ExplorativeUserVectorEnv(**kwargs)
