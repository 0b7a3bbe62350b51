"""What an agent thinks has room for every word, beside a user and below her, at every K."""

import math

import pytest
from drawn import problems
from hypothesis import given, settings
from hypothesis import strategies as st

from explorative_user_env.protocol import Against
from explorative_user_env.show.scene import board_of, panel_of, slots_of
from explorative_user_env.show.shapes import ArmRows

NUMBERS = st.sampled_from([0.0, 1.0, -3.0, 0.5, 123456.7, 1e9, math.inf, -math.inf, math.nan])

NAMES = st.sampled_from(["F", "n_i", "chance of recommending", "N_a of t w*_a", "W" * 40, "t of T"])


def rows_of(n_arms):
    height = 34.0 if n_arms <= 8 else 26.0 if n_arms <= 25 else 8.0
    return ArmRows(tuple(range(n_arms)), 144.0, height)


def said_of(n_arms):
    by_arm = st.lists(NUMBERS, min_size=1, max_size=5).map(
        lambda kinds: tuple(kinds[arm % len(kinds)] for arm in range(n_arms))
    )
    flags = st.just(tuple(float(arm % 2) for arm in range(n_arms)))
    value = st.one_of(
        NUMBERS,
        st.sampled_from(["", "Phase 1, first sweep", "M" * 40]),
        by_arm,
        flags,
        st.builds(Against, NUMBERS, NUMBERS),
        st.builds(Against, by_arm, by_arm),
    )
    return st.dictionaries(NAMES, value, max_size=6)


@settings(max_examples=25)
@given(data=st.data(), n_arms=st.sampled_from([2, 5, 20, 60, 100]), labelled=st.booleans())
def test_no_words_meet_and_nothing_is_outside(data, n_arms, labelled):
    said = data.draw(said_of(n_arms))
    width = data.draw(st.sampled_from([360, 420, 640]))
    board = board_of(slots_of([said]), rows_of(n_arms), width, 300, labelled)
    scene = panel_of(said, board, data.draw(NAMES), data.draw(st.sampled_from([None, 0, 1])))
    assert problems(scene) == []


@settings(max_examples=15)
@given(data=st.data())
def test_all_pictures_of_a_film_are_of_one_size_whatever_is_said_when(data):
    film = data.draw(st.lists(said_of(5), min_size=2, max_size=4))
    board = board_of(slots_of(film), rows_of(5), 420)
    sizes = {panel_of(said, board, "a")[:2] for said in film}
    assert len(sizes) == 1
    assert all(problems(panel_of(said, board, "a")) == [] for said in film)


def shapes_of(said):
    board = board_of(slots_of([said]), rows_of(3), 420)
    return {shape.key: shape for shape in panel_of(said, board, "BAIR").shapes}


def test_a_gauge_shows_a_number_and_its_target_on_one_scale():
    shapes = shapes_of({"acceptances of N_1": Against(50.0, 200.0)})
    room, now, target = (shapes[f"fact-0-{part}"] for part in ("room", "now", "target"))
    assert now.width == pytest.approx(room.width / 4)
    assert target.x1 == pytest.approx(room.x + room.width)
    assert shapes["fact-0"].text == "acceptances of N_1: 50 / 200"


def test_flags_are_dots_and_who_is_out_has_a_small_one():
    shapes = shapes_of({"F": (True, False, True)})
    sizes = [shapes[f"column-0-{arm}"].radius for arm in range(3)]
    assert sizes[0] == sizes[2] > sizes[1] > 0
    assert shapes["column-0-1"].name == "arm 1: F 0"


def test_bars_begin_at_zero_and_have_their_targets_on_the_same_scale():
    shapes = shapes_of({"N": Against((1.0, 2.0, 4.0), (2.0, 4.0, 1.0)), "v": (-1.0, 0.0, 1.0)})
    bars = [shapes[f"column-0-{arm}"] for arm in range(3)]
    assert [bar.width / bars[0].width for bar in bars] == pytest.approx([1, 2, 4])
    marks = [shapes[f"column-0-{arm}-target"].x1 - bars[0].x for arm in range(3)]
    assert marks == pytest.approx([bars[1].width, bars[2].width, bars[0].width])
    below, zero, above = (shapes[f"column-1-{arm}"] for arm in range(3))
    assert below.x + below.width == pytest.approx(zero.x) == pytest.approx(above.x)


def test_beside_a_user_its_rows_are_hers():
    rows, said = rows_of(4), {"F": (True, False, True, True)}
    board = board_of(slots_of([said]), rows, 420)
    shapes = {s.key: s for s in panel_of(said, board, "BAIR", now=2).shapes}
    for arm in range(4):
        assert shapes[f"column-0-{arm}"].y == rows.top + (arm + 0.5) * rows.height
    assert shapes["now"].y == rows.top + 2 * rows.height


def test_more_facts_than_there_is_room_for_above_stand_below_the_rows():
    said = {f"fact {number}": float(number) for number in range(9)}
    said["F"] = (1.0, 1.0)
    board = board_of(slots_of([said]), rows_of(2), 420, 300)
    assert any(y > board.rows.bottom for y in board.facts.values())
    assert problems(panel_of(said, board, "a")) == []


def test_one_number_then_by_arm_has_two_places():
    third = {"w": "a", "F": (True, False)}
    slots = slots_of([{"N": (1.0, 2.0)}, {"N": 7.0}, third])
    forms = [(slot.name, slot.form) for slot in slots]
    assert forms == [("N", "bars"), ("N", "line"), ("w", "line"), ("F", "flags")]


def test_a_scale_holds_all_that_is_said_in_a_film_and_nothing_infinite():
    (slot,) = slots_of([{"N": (1.0, math.inf)}, {"N": (-4.0, math.nan)}])
    assert (slot.low, slot.high) == (-4.0, 1.0)
    assert slot.share(math.inf) == 1.0
    assert slot.share(math.nan) == slot.share(0.0) == 0.8
    (large,) = slots_of([{"N": (1e308, -1e308, 0.0)}])
    assert [large.share(number) for number in (-1e308, 0.0, 1e308)] == [0.0, 0.5, 1.0]
    (small,) = slots_of([{"N": (5e-324, 0.0)}])
    assert small.share(5e-324) == 1.0
