"""What pictures of a user, a run and an agent say and show, and that all of it has room."""

import math

import drawn
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.protocol import Against
from explorative_user_env.show import scene as scenes
from explorative_user_env.show.scene import scene_of_user, slots_of, text_of_user, timeline
from explorative_user_env.show.shapes import (
    ArmRows,
    box_of,
    in_a_column,
    side_by_side,
    width_of,
    wrapped,
)
from explorative_user_env.show.words import CHANCE, Seen
from explorative_user_env.validation import InvalidArgumentError

SEEN = Seen([30, 2, 0], [0, 9, 0], [True, False, None], (1, False), 41)


def truth(*radii):
    return drawn.truth_of([0.5, 0.0, -0.5], [0.6, -0.4, 0.0], [30, 2, 0], radii)


# Arm 0 from 0.4 to 0.8, arm 1 from -1.1 to 0.3: the first is clearly better.
HIDDEN = truth(0.2, 0.7, math.inf)


def test_the_counts_and_the_latest_responses_are_shown():
    scene = scene_of_user(SEEN)
    shapes = drawn.named(scene)
    assert "Arm 1: rejected" in drawn.words(scene)
    assert "t = 41 · 32 accepted · 9 rejected" in drawn.words(scene)
    last = {key for key in shapes if "-last-" in key}
    assert last == {"arm-0-last-yes", "arm-1-last-no-1", "arm-1-last-no-2"}
    unit = shapes["arm-0-accepted"].width / 30  # one scale for all
    for role, counts in (("accepted", SEEN.accepted), ("rejected", SEEN.rejected)):
        for arm, count in enumerate(counts):
            assert shapes[f"arm-{arm}-{role}-count"].text == str(count)
            assert shapes[f"arm-{arm}-{role}"].width == pytest.approx(unit * count)
    first = scene_of_user(Seen([0, 0], [0, 0], [None, None], None, 0))
    assert "no recommendation yet" in drawn.words(first)


def test_nothing_secret_is_drawn_unasked():
    scene = scene_of_user(SEEN, None, HIDDEN)
    assert scene == scene_of_user(SEEN)
    *heard, truths = run_of(3, 60)
    run = timeline(*heard)
    for secret in ("Gamma", "rho", "n(t)", "lcb", "best", "better", "interval", "mean"):
        assert secret not in drawn.words(scene) + scene.name + drawn.words(run) + run.name
    assert "best" in drawn.words(timeline(*heard, truths))


def test_her_intervals_and_means_are_on_one_axis():
    scene = scene_of_user(SEEN, HIDDEN, span=(-2.0, 2.0))
    shapes = drawn.named(scene)
    ticks = {text.text: text.x for text in drawn.texts(scene) if text.key.startswith("tick")}
    for arm, (low, high, mean) in enumerate([(0.4, 0.8, 0.5), (-1.1, 0.3, 0.0)]):
        interval = shapes[f"arm-{arm}-interval"]
        places = [interval.x, interval.x + interval.width, shapes[f"arm-{arm}-estimate"].x]
        places.append(shapes[f"arm-{arm}-truth"].points[0][0])
        rewards = [(x - ticks["0"]) / (ticks["1"] - ticks["0"]) for x in places]
        assert rewards == pytest.approx([low, high, (low + high) / 2, mean])


def test_a_rejection_has_a_witness_and_a_line_that_decides():
    now = truth(0.3, 0.9, math.inf)  # the decision is told by what she thought then
    scene = scene_of_user(SEEN, now._replace(gamma=6.828, rho=1.731), HIDDEN)
    told = drawn.words(scene).split("\n")
    assert told[0] == "Arm 1: rejected, because arm 0 is clearly better"
    assert "lcb 0.40 of arm 0 >= ucb 0.30 of arm 1" in told
    assert "t = 41 · n(t) = 32 · Gamma = 6.83 · rho_t = 1.73" in told
    # It stands at ucb, from the witness's row to that of the rejected arm.
    shapes = drawn.named(scene_of_user(SEEN, HIDDEN, HIDDEN))
    line, bound, row = shapes["witness"], shapes["arm-1-interval"], shapes["arm-0-interval"]
    assert line.x1 == line.x2 == pytest.approx(bound.x + bound.width)
    assert line.y1 < bound.y < bound.y + bound.height <= line.y2
    assert row.y < shapes["decides"].y < row.y + row.height


def test_what_no_rule_explains_is_said():
    better = "rejected, because arm 0 is clearly better\nlcb 0.35 of arm 0 >= ucb 0.35 of arm 1"
    for accepted, radii, words in (
        (False, (0.4, 0.7), "rejected, though no arm is clearly better\n" + CHANCE),
        (True, (0.4, 0.7), "accepted, as no arm is clearly better"),
        (True, (0.2, 0.7), "accepted, though arm 0 is clearly better\n" + CHANCE),
        (False, (0.25, 0.75), better),  # a tie
        (True, (0.25, 0.75), "accepted, though arm 0 is clearly better\n" + CHANCE),
    ):
        scene = scene_of_user(SEEN._replace(last=(1, accepted)), HIDDEN, truth(*radii, math.inf))
        headline, *numbers = words.split("\n")
        assert {f"Arm 1: {headline}", *numbers} <= set(drawn.words(scene).split("\n"))
        assert ("witness" in drawn.named(scene)) == ("arm 0" in words)


def test_of_a_thousand_arms_those_are_shown_that_matter_most():
    seen, hidden, decided = drawn.moment_of(1000, 3, 30)
    seen = seen._replace(accepted=[arm % 500 for arm in range(1000)])
    scene, best = scene_of_user(seen, hidden, decided, width=360), hidden.instance.best_arm
    shapes = drawn.named(scene)
    shown = {int(key.split("-")[1]) for key in shapes if key.startswith("arm-")}
    assert {seen.last[0], best} <= shown
    assert len(shown) == 100
    assert len(shown & {*range(450, 500), *range(950, 1000)}) >= 96
    assert "100 of 1000 arms" in drawn.words(scene)
    assert f"seen-arm-{seen.last[0]}" in shapes
    assert shapes["best"].text == f"best {best}"
    assert f"arm-{best}-accepted" not in drawn.named(scene_of_user(seen))


WIDTHS = st.integers(scenes.SMALLEST_WIDTH, 1280)
TITLES = st.sampled_from(["", "BAIR", "An agent with a name that is longer than any picture " * 4])
NOTES = st.sampled_from(["", "answers are legal", "words without an end " * 20])
SEVEN = drawn.moments(st.just(7))


@settings(max_examples=15)
@given(drawn.moments(st.integers(2, 100)), WIDTHS, st.booleans(), TITLES, NOTES)
def test_no_label_covers_another_and_nothing_is_outside(moment, width, revealed, title, note):
    seen, hidden, decided = moment
    truths = (hidden, decided) if revealed else ()
    scene = scene_of_user(seen, *truths, width=width, title=title, note=note)
    drawn.check_room(scene)
    assert scene.width == width
    if len(title + note) < 40:
        assert "…" not in drawn.words(scene)  # no words are cut


@settings(max_examples=15)
@given(SEVEN, SEVEN, WIDTHS, st.none() | st.tuples(st.floats(-1e3, 0), st.floats(1, 1e3)))
def test_all_frames_of_a_film_have_one_size_and_a_given_axis(first, second, width, span):
    one, other = (scene_of_user(*moment, width=width, span=span) for moment in (first, second))
    assert one[:2] == other[:2]
    ticks = [[s for s in scene.shapes if s.key.startswith("tick")] for scene in (one, other)]
    assert span is None or ticks[0] == ticks[1] != []


def test_what_cannot_be_drawn_is_refused():
    for width in (scenes.SMALLEST_WIDTH - 1, scenes.LARGEST_WIDTH + 1, 720.5, "wide"):
        with pytest.raises(InvalidArgumentError, match="width must be"):
            scene_of_user(SEEN, width=width)
    for accepted, truths, named in (([True], None, "accepted"), ([True, False], [], "truths")):
        with pytest.raises(
            InvalidArgumentError, match=f"{named} must be 2 values, one for each step"
        ):
            timeline(2, [0, 1], accepted, truths)


def test_what_is_wider_than_its_box_begins_no_empty_line():
    assert wrapped("W" * 40 + " and more", 13.0, 90.0, 9)[0].startswith("W")
    assert all(wrapped("W" * 40 + " and more", 13.0, 90.0, 9))


@st.composite
def runs(draw):
    """Draw a run that need not make sense, and truths that need not fit it."""
    n_arms, steps = draw(st.integers(2, 40)), draw(st.integers(0, 200))
    kinds = draw(st.lists(st.tuples(st.integers(0, n_arms - 1), st.booleans()), min_size=1))
    arms = [kinds[step % len(kinds)][0] for step in range(steps)]
    accepted = [kinds[step % len(kinds)][1] for step in range(steps)]
    _, hidden, decided = draw(drawn.moments(st.just(n_arms)))
    return n_arms, arms, accepted, [hidden if step % 7 else decided for step in range(steps)]


@pytest.mark.slow
@settings(max_examples=15)
@given(runs(), st.integers(320, 1280), st.booleans(), st.sampled_from(["", "BAIR meets a user"]))
def test_no_label_of_a_run_covers_another_and_nothing_is_outside(run, width, revealed, title):
    *heard, truths = run
    scene = timeline(*heard, truths if revealed else None, width=width, title=title)
    drawn.check_room(scene)
    assert (scene.width, scene.height % 2) == (width, 0)
    assert "…" not in drawn.words(scene)


def run_of(n_arms, steps, seed=0):
    """A run of real responses to random arms."""
    env = ExplorativeUserEnv(n_arms=n_arms, gap=2.0)
    env.reset(seed=seed)
    arms = np.random.default_rng(seed).integers(n_arms, size=steps).tolist()
    accepted, truths = [], []
    for arm in arms:
        accepted.append(bool(env.step(arm)[0]))
        truths.append(env.hidden_state())
    return n_arms, arms, accepted, truths


def test_her_intervals_and_the_truth_are_where_they_were():
    run = run_of(3, 60)
    shapes, last = drawn.named(timeline(*run, span=(-6.0, 6.0))), run[-1][-1]
    for arm in range(3):
        low, high = (shapes[f"reward-{arm}-{end}"] for end in (0, 1))
        unit = (high.y1 - low.y1) / 12.0
        for name, value in (
            ("interval", last.upper_bounds[arm]),
            ("truth", last.instance.means[arm]),
            ("estimate", last.estimates[arm]),
        ):
            points = shapes[f"arm-{arm}-{name}"].points
            right = max(x for x, _ in points)
            y = min(y for x, y in points if x == right)
            thin = 0.0 if name == "interval" else 0.75
            assert (y + thin - low.y1) / unit - 6.0 == pytest.approx(value, abs=0.05)


@pytest.mark.parametrize("steps", [60, 2500])
def test_every_response_is_on_its_side_of_its_arms_line(steps):
    n_arms, arms, accepted, _ = run_of(3, steps)
    shapes = drawn.named(timeline(n_arms, arms, accepted))
    marks = [key for key in shapes if key.startswith("arm-")]
    for key in marks:
        arm, said = key.split("-")[1:3]
        line, box = shapes[f"line-{arm}"], box_of(shapes[key])
        assert ((box.top + box.bottom) / 2 < line.y1) == (said == "accepted")
        assert shapes[key].role == said
    each = sum(accepted) + 2 * (steps - sum(accepted))  # a cross has two strokes
    assert len(marks) == (each if steps == 60 else len(set(zip(arms, accepted, strict=True))))


def test_the_teeth_of_a_long_run_cover_its_responses():
    arms, accepted = [0] * 1000 + [1] * 500 + [0] * 500, [True] * 2000
    shapes = drawn.named(timeline(2, arms, accepted))
    edges = [x for x, _ in shapes["arm-0-accepted"].points]
    wide = (edges[-1] - edges[0]) / 4
    assert edges == pytest.approx([edges[0] + wide * at for at in (0, 0, 2, 2, 3, 3, 4, 4)])
    second = [x for x, _ in shapes["arm-1-accepted"].points]
    assert second[1:3] == pytest.approx([edges[2], edges[4]])


def test_the_best_arm_is_shown_however_seldom_it_was_recommended():
    n_arms, arms, accepted, truths = run_of(40, 60)
    best = truths[-1].instance.best_arm
    others = [arm if arm != best else (best + 1) % 40 for arm in arms]
    assert f"label-{best}" in drawn.named(timeline(n_arms, others, accepted, truths))
    assert "25 of 40 arms" in drawn.words(timeline(n_arms, others, accepted))


def test_pictures_stand_beside_or_below_one_another():
    one, other = scene_of_user(SEEN, width=400), scene_of_user(SEEN, HIDDEN, HIDDEN)
    both, below = side_by_side([one, other]), in_a_column([one, other])
    assert both[:3] == (400 + other.width, other.height, f"{one.name}; {other.name}")
    assert below[:2] == (other.width, one.height + other.height)
    for scene, across, down in ((both, 400, 0), (below, 0, one.height)):
        for there, here in zip(scene.shapes[-len(other.shapes) :], other.shapes, strict=True):
            box = box_of(here)
            moved = (box[0] + across, box[1] + down, box[2] + across, box[3] + down)
            assert box_of(there) == pytest.approx(moved)


def test_the_rows_of_a_picture_are_those_of_its_bars():
    for n_arms in (2, 20, 130):
        scene = scene_of_user(drawn.moment_of(n_arms, 1, 100)[0])
        shapes = drawn.named(scene)
        assert len(scene.rows.arms) == min(n_arms, 100)
        for arm, y in scene.rows.middles():
            box = box_of(shapes[f"arm-{arm}-accepted"])
            assert (box.top + box.bottom) / 2 == pytest.approx(y) == scene.rows.middle(arm)


ENDS = st.floats(-1e9, 1e9)


@given(ENDS, st.floats(0.0, 1e6), st.floats(100, 1000))
def test_ticks_stand_where_their_words_say_and_apart(low, wide, room):
    axis = scenes.axis_of((low, low + wide), 10.0, 10.0 + room)
    assert axis.low < low <= low + wide < axis.high
    free = axis.left
    for x, words in axis.ticks:
        half = width_of(words, scenes.LITTLE) / 2
        assert free <= x - half
        assert x + half <= axis.right
        free = x + half
        written = abs(float(words) - (axis.low + (x - axis.left) / room * (axis.high - axis.low)))
        assert written <= 0.01 * (axis.high - axis.low) + 5e-4 * abs(float(words))


def test_ticks_are_round():
    for span, words in (
        ((-1e-3, 1e-3), ["-0.0005", "0.0000", "0.0005"]),
        ((-990.0, 1010.0), ["-500", "0", "500"]),
        ((5.0, 5.0), ["4.6", "4.8", "5.0", "5.2", "5.4"]),
    ):
        assert [text for _, text in scenes.axis_of(span, 0.0, 260.0).ticks] == words
    assert scenes.rounded_out((-0.93, 1.01)) == pytest.approx((-1.0, 1.5))


def test_an_interval_of_the_text_reaches_from_its_lower_to_its_upper_bound():
    def bars(now):
        return [line.split("|")[1] for line in text_of_user(seen, now).splitlines() if "|" in line]

    wide = scenes.BAR_WIDTH
    seen, last = Seen([1, 1], [0, 0], [True, True], (1, True), 2), wide - 1
    first, second = bars(drawn.truth_of([0.0, last], [10.0, 20.0], [1, 1], [3.0, 2.0]))
    assert first == ("*" + " " * 6 + "---o---").ljust(wide)  # one cell is one unit
    assert second == (" " * 18 + "--o--").ljust(last) + "*"
    first, second = bars(drawn.truth_of([1.0, 0.0], [0.0, 0.5], [0, 1], [math.inf, 0.25]))
    assert first == "-" * last + "*"
    assert "o" in second


def test_a_text_of_the_environment_shows_the_responses_and_no_interval_or_mean():
    env = ExplorativeUserEnv(3, noise=0.6, render_mode="ansi")
    env.reset(seed=0)
    tally = np.zeros((3, 2), dtype=int)
    for arm in np.random.default_rng(1).integers(3, size=60).tolist():
        response, *_ = env.step(arm)
        tally[arm, 1 - response] += 1
    rows = [f"{each} {yes} {no}" for each, (yes, no) in enumerate(tally.tolist())]
    last = f"last: arm {arm} {'accepted' if response else 'rejected'}"
    shown = [" ".join(line.split()) for line in str(env.render()).splitlines()]
    assert shown == ["arm accepted rejected", *rows, last]  # nothing besides


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


@settings(max_examples=15)
@given(data=st.data(), n_arms=st.sampled_from([2, 5, 20, 60, 100]), labelled=st.booleans())
def test_what_agents_say_has_room_and_all_pictures_of_a_film_have_one_size(data, n_arms, labelled):
    film = data.draw(st.lists(said_of(n_arms), min_size=1, max_size=3))
    width = data.draw(st.sampled_from([360, 420, 640]))
    board = scenes.board_of(slots_of(film), rows_of(n_arms), width, 300, labelled)
    now = data.draw(st.sampled_from([None, 0, 1]))
    panels = [scenes.panel_of(said, board, data.draw(NAMES), now) for said in film]
    assert {panel[:2] for panel in panels} == {panels[0][:2]}
    for panel in panels:
        assert drawn.problems(panel) == []


def shapes_of(said):
    board = scenes.board_of(slots_of([said]), rows_of(3), 420)
    return drawn.named(scenes.panel_of(said, board, "BAIR"))


def test_gauges_and_bars_begin_at_zero_and_have_their_targets_on_the_same_scale():
    shapes = shapes_of({"acceptances of N_1": Against(50.0, 200.0)})
    room, now, target = (shapes[f"fact-0-{part}"] for part in ("room", "now", "target"))
    assert now.width == pytest.approx(room.width / 4)
    assert target.x1 == pytest.approx(room.x + room.width)
    assert shapes["fact-0"].text == "acceptances of N_1: 50 / 200"
    shapes = shapes_of({"N": Against((1.0, 2.0, 4.0), (2.0, 4.0, 1.0)), "v": (-1.0, 0.0, 1.0)})
    bars = [shapes[f"column-0-{arm}"] for arm in range(3)]
    assert [bar.width / bars[0].width for bar in bars] == pytest.approx([1, 2, 4])
    marks = [shapes[f"column-0-{arm}-target"].x1 - bars[0].x for arm in range(3)]
    assert marks == pytest.approx([bars[1].width, bars[2].width, bars[0].width])
    below, zero, above = (shapes[f"column-1-{arm}"] for arm in range(3))
    assert below.x + below.width == pytest.approx(zero.x) == pytest.approx(above.x)


def test_beside_a_user_its_rows_are_hers_and_who_is_out_has_a_small_dot():
    rows, said = rows_of(4), {"F": (True, False, True, True)}
    board = scenes.board_of(slots_of([said]), rows, 420)
    shapes = drawn.named(scenes.panel_of(said, board, "BAIR", now=2))
    dots = [shapes[f"column-0-{arm}"] for arm in range(4)]
    assert [dot.y for dot in dots] == [rows.top + (arm + 0.5) * rows.height for arm in range(4)]
    assert dots[0].radius == dots[2].radius > dots[1].radius > 0
    assert dots[1].name == "arm 1: F 0"
    assert shapes["now"].y == rows.top + 2 * rows.height


def test_a_scale_holds_all_that_is_said_in_a_film_and_nothing_infinite():
    (slot,) = slots_of([{"N": (1.0, math.inf)}, {"N": (-4.0, math.nan)}])
    assert (slot.low, slot.high) == (-4.0, 1.0)
    assert slot.share(math.inf) == 1.0
    assert slot.share(math.nan) == slot.share(0.0) == 0.8
    (large,) = slots_of([{"N": (1e308, -1e308, 0.0)}])
    assert [large.share(number) for number in (-1e308, 0.0, 1e308)] == [0.0, 0.5, 1.0]
