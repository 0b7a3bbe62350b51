"""A history counts what was heard, as a slow look at the list of all responses does."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.envs.history import (
    ACCEPTED,
    N_SINCE_ACCEPTED,
    REJECTED,
    UNHEARD,
    History,
    seen_in_lane,
)

N_LANES, N_ARMS = 4, 3
LANES = range(N_LANES)

Heard = list[tuple[int, int]]
"""What one lane heard: (arm, 1 accepted or 0 rejected), the oldest first."""


def of_arm(heard: Heard, arm: int) -> list[int]:
    return [response for recommended, response in heard if recommended == arm]


def since_acceptance(responses: list[int]) -> int:
    return next((n for n, each in enumerate(reversed(responses)) if each), len(responses))


def by_hand(lanes: list[Heard]) -> dict[str, Any]:
    """Everything a history says, from the lists alone."""
    arms = [[of_arm(heard, arm) for arm in range(N_ARMS)] for heard in lanes]
    latest = {(): UNHEARD, (1,): ACCEPTED, (0,): REJECTED}
    last = [heard[-1] if heard else (-1, 0) for heard in lanes]
    return {
        "acceptances": [[sum(each) for each in lane] for lane in arms],
        "rejections": [[each.count(0) for each in lane] for lane in arms],
        "latest": [[latest[tuple(each[-1:])] for each in lane] for lane in arms],
        "rejections_since_acceptance": [[since_acceptance(each) for each in lane] for lane in arms],
        "last_rejected": [sum(each[-1:] == [0] for each in lane) for lane in arms],
        "steps": [len(heard) for heard in lanes],
        "last_arm": [arm for arm, _ in last],
        "responses": [response for _, response in last],
        "seen": [seen_by_hand(heard) for heard in lanes],
    }


def seen_by_hand(heard: Heard) -> Any:
    """What a rendering needs of a lane."""
    arms = [of_arm(heard, arm) for arm in range(N_ARMS)]
    latest = [bool(each[-1]) if each else None for each in arms]
    last = (heard[-1][0], bool(heard[-1][1])) if heard else None
    return [sum(each) for each in arms], [each.count(0) for each in arms], latest, last, len(heard)


def told(history: History) -> dict[str, Any]:
    fields = ("acceptances", "rejections", "latest", "steps", "last_arm")
    return {field: getattr(history, field).tolist() for field in fields} | {
        "rejections_since_acceptance": history.table[:, :, N_SINCE_ACCEPTED].tolist(),
        "last_rejected": history.last_rejected().tolist(),
        "responses": history.responses().tolist(),
        "seen": [seen_in_lane(history, lane) for lane in range(len(history.steps))],
    }


def record(history: History, heard: list[Heard], one_step: dict[int, tuple[int, int]]) -> None:
    """Tell the history and the lists of one step: (arm, response) of each lane that has one."""
    lanes = list(one_step)
    arms, responses = ([one_step[lane][i] for lane in lanes] for i in (0, 1))
    if len(lanes) == 1:
        history.record(lanes[0], arms[0], responses[0])
    else:
        history.record(np.array(lanes, int), np.array(arms, int), np.array(responses, int))
    for lane in lanes:
        heard[lane].append(one_step[lane])


responses = st.tuples(st.integers(0, N_ARMS - 1), st.integers(0, 1))
some_lanes = st.sets(st.sampled_from(LANES))
steps = st.dictionaries(st.sampled_from(LANES), responses)
events = st.lists(st.one_of(steps, steps, some_lanes), max_size=30)


@given(events)
def test_it_says_what_a_look_at_all_responses_says(script: list[Any]) -> None:
    history, heard = History(N_LANES, N_ARMS), [list[tuple[int, int]]() for _ in LANES]
    assert told(history) == by_hand(heard)
    for event in script:
        if isinstance(event, dict):
            record(history, heard, event)
        else:
            history.forget(np.array(sorted(event), int))
            heard = [[] if lane in event else heard[lane] for lane in LANES]
        assert told(history) == by_hand(heard)
    # A part is a copy of its lanes in their order.
    part = history.part(np.array([2, 0]))
    history.forget(slice(None))
    assert told(part) == by_hand([heard[2], heard[0]])


def full() -> tuple[History, list[Heard]]:
    """A history in which every lane has heard something of every arm."""
    history, heard = History(N_LANES, N_ARMS), [list[tuple[int, int]]() for _ in LANES]
    rng = np.random.default_rng(0)
    for _ in range(40):
        pairs = zip(rng.integers(N_ARMS, size=N_LANES), rng.integers(2, size=N_LANES), strict=True)
        record(history, heard, {lane: (int(a), int(r)) for lane, (a, r) in enumerate(pairs)})
    assert UNHEARD not in history.latest
    return history, heard


@pytest.mark.parametrize(
    ("lanes", "meant"),
    [(np.array([True, False, False, True]), {0, 3}), (slice(1, 3), {1, 2})],
    ids=str,
)
def test_the_lanes_to_forget_may_be_told_in_any_way(lanes: Any, meant: set[int]) -> None:
    history, heard = full()
    history.forget(lanes)
    assert told(history) == by_hand([[] if lane in meant else heard[lane] for lane in LANES])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_a_copy_goes_on_alike_and_apart(copied: Any) -> None:
    history, heard = full()
    twin, before = copied(history), told(history)
    record(twin, heard, {0: (1, 1), 2: (0, 0)})
    assert told(twin) == by_hand(heard)
    assert told(history) == before
    yes, no, _, last, _ = seen_in_lane(twin, 0)
    assert {type(number) for number in (*yes, *no)} == {int}
    assert [type(each) for each in last or ()] == [int, bool]
