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

FIELDS = (
    "acceptances",
    "rejections",
    "latest",
    "steps",
    "last_arm",
)


def of_arm(heard: Heard, arm: int) -> list[int]:
    return [response for recommended, response in heard if recommended == arm]


def since_acceptance(responses: list[int]) -> int:
    return next((n for n, each in enumerate(reversed(responses)) if each), len(responses))


def by_hand(lanes: list[Heard]) -> dict[str, Any]:
    """Everything a history says, from the lists alone."""
    arms = [[of_arm(heard, arm) for arm in range(N_ARMS)] for heard in lanes]
    latest = {(): UNHEARD, (1,): ACCEPTED, (0,): REJECTED}
    return {
        "acceptances": [[sum(each) for each in lane] for lane in arms],
        "rejections": [[each.count(0) for each in lane] for lane in arms],
        "latest": [[latest[tuple(each[-1:])] for each in lane] for lane in arms],
        "rejections_since_acceptance": [[since_acceptance(each) for each in lane] for lane in arms],
        "steps": [len(heard) for heard in lanes],
        "last_arm": [heard[-1][0] if heard else -1 for heard in lanes],
    }


def told(history: History) -> dict[str, Any]:
    since = {"rejections_since_acceptance": history.table[:, :, N_SINCE_ACCEPTED].tolist()}
    return {field: getattr(history, field).tolist() for field in FIELDS} | since


def record(history: History, heard: list[Heard], one_step: dict[int, tuple[int, int]]) -> None:
    """Tell the history and the lists of one step: (arm, response) of each lane that has one."""
    lanes = list(one_step)
    arms, responses = ([one_step[lane][i] for lane in lanes] for i in (0, 1))
    history.record(np.array(lanes, int), np.array(arms, int), np.array(responses, int))
    for lane in lanes:
        heard[lane].append(one_step[lane])


responses = st.tuples(st.integers(0, N_ARMS - 1), st.integers(0, 1))
some_lanes = st.sets(st.sampled_from(LANES))
steps = st.dictionaries(st.sampled_from(LANES), responses)
events = st.lists(st.one_of(steps, steps, some_lanes), max_size=30)


@given(events)
def test_it_says_what_a_look_at_all_responses_says(script: list[Any]) -> None:
    history, heard = History(N_LANES, N_ARMS), [[] for _ in LANES]  # type: ignore[var-annotated]
    for event in script:
        if isinstance(event, dict):
            record(history, heard, event)
        else:
            history.forget(np.array(sorted(event), int))
            heard = [[] if lane in event else heard[lane] for lane in LANES]
        assert told(history) == by_hand(heard)


@pytest.fixture
def full() -> tuple[History, list[Heard]]:
    """A history in which every lane has heard something of every arm."""
    history, heard = History(N_LANES, N_ARMS), [[] for _ in LANES]  # type: ignore[var-annotated]
    rng = np.random.default_rng(0)
    for _ in range(40):
        pairs = zip(rng.integers(N_ARMS, size=N_LANES), rng.integers(2, size=N_LANES), strict=True)
        record(history, heard, {lane: (int(a), int(r)) for lane, (a, r) in enumerate(pairs)})
    assert UNHEARD not in history.latest
    return history, heard


def test_a_new_history_has_heard_nothing() -> None:
    assert told(History(N_LANES, N_ARMS)) == by_hand([[] for _ in LANES])
    assert (UNHEARD, ACCEPTED, REJECTED) == (0, 1, -1)


@pytest.mark.parametrize(
    ("lanes", "meant"),
    [
        (np.array([2]), {2}),
        (np.array([0, 3]), {0, 3}),
        (np.array([True, False, False, True]), {0, 3}),
        (np.zeros(4, bool), set()),
        (slice(None), {0, 1, 2, 3}),
        (slice(1, 3), {1, 2}),
    ],
    ids=str,
)
def test_the_lanes_to_forget_may_be_told_in_any_way(
    full: tuple[History, list[Heard]], lanes: Any, meant: set[int]
) -> None:
    history, heard = full
    history.forget(lanes)
    assert told(history) == by_hand([[] if lane in meant else heard[lane] for lane in LANES])


def test_a_lane_that_says_nothing_stays_as_it_is(full: tuple[History, list[Heard]]) -> None:
    history, heard = full
    record(history, heard, {})
    assert told(history) == by_hand(heard)
    record(history, heard, {3: (1, 1), 0: (2, 0)})  # in any order
    assert told(history) == by_hand(heard)


def test_what_was_heard_of_a_lane_is_what_a_rendering_needs(
    full: tuple[History, list[Heard]],
) -> None:
    history, heard = full
    record(history, heard, {0: (1, 1), 1: (2, 0)})
    history.forget(np.array([3]))
    heard[3] = []
    for lane in LANES:
        yes, no, _, last, _ = seen_in_lane(history, lane)
        counts = [of_arm(heard[lane], arm) for arm in range(N_ARMS)]
        assert [list(pair) for pair in zip(yes, no, strict=True)] == [
            [sum(each), each.count(0)] for each in counts
        ]
        assert last == ((heard[lane][-1][0], bool(heard[lane][-1][1])) if heard[lane] else None)
    assert seen_in_lane(history, 0).last == (1, True)
    assert seen_in_lane(history, 1).last == (2, False)
    yes, no, _, last, _ = seen_in_lane(history, 1)
    assert last is not None
    kinds = {type(number) for number in (*yes, *no)}
    assert (kinds, type(last[0]), type(last[1])) == ({int}, int, bool)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_a_copy_goes_on_alike_and_apart(full: tuple[History, list[Heard]], copied: Any) -> None:
    history, heard = full
    twin, before = copied(history), told(history)
    record(twin, heard, {0: (1, 1), 2: (0, 0)})
    assert told(twin) == by_hand(heard)
    assert told(history) == before


@given(st.lists(responses, max_size=25))
def test_last_rejected_counts_the_arms_that_were_rejected_when_last_recommended(
    script: Heard,
) -> None:
    history, heard = History(N_LANES, N_ARMS), [[] for _ in LANES]  # type: ignore[var-annotated]
    for response in script:
        record(history, heard, {2: response})
        rejected = [arm for arm in range(N_ARMS) if of_arm(heard[2], arm)[-1:] == [0]]
        assert history.last_rejected().tolist() == [0, 0, len(rejected), 0]


def test_responses_are_the_latest_of_each_lane_and_none_counts_as_rejected() -> None:
    history = History(4, 2)
    lanes = np.arange(3)
    history.record(lanes, np.array([0, 1, 1]), np.array([1, 1, 0]))
    history.record(lanes[:1], np.array([1]), np.array([0]))
    assert history.responses().tolist() == [0, 1, 0, 0]


def test_a_part_is_a_copy_of_its_lanes_in_their_order() -> None:
    history = History(3, 2)
    history.record(np.arange(3), np.array([0, 1, 1]), np.array([1, 1, 0]))
    part = history.part(np.array([2, 0]))
    assert (part.last_arm.tolist(), part.steps.tolist()) == ([1, 0], [1, 1])
    assert part.acceptances.tolist() == [[0, 0], [1, 0]]
    history.forget(slice(None))
    assert part.rejections.tolist() == [[0, 1], [0, 0]]
