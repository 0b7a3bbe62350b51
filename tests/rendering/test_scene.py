"""What pictures of a user and of a run say and show, and that all of it has room."""

import math

import drawn
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.show.scene import (
    BAR_WIDTH,
    LARGEST_WIDTH,
    LITTLE,
    SMALLEST_WIDTH,
    axis_of,
    rounded_out,
    scene_of_user,
    text_of_user,
    timeline,
)
from explorative_user_env.show.shapes import (
    Disc,
    Line,
    Polygon,
    Rectangle,
    Scene,
    Text,
    beside,
    box_of,
    in_a_column,
    width_of,
    wrapped,
)
from explorative_user_env.show.words import CHANCE, Seen
from explorative_user_env.users.hidden_state import HiddenState
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
    for role, counts in (("accepted", SEEN.accepted), ("rejected", SEEN.rejected)):
        assert [shapes[f"arm-{arm}-{role}-count"].text for arm in range(3)] == [*map(str, counts)]
    last = {key for key in shapes if "-last-" in key}
    assert last == {"arm-0-last-yes", "arm-1-last-no-1", "arm-1-last-no-2"}
    bars = [shapes[f"arm-{arm}-{role}"] for arm in range(3) for role in ("accepted", "rejected")]
    longs = [bar.width for bar in bars]  # on a common scale
    assert longs == pytest.approx([longs[0] * count / 30 for count in (30, 0, 2, 9, 0, 0)])
    first = scene_of_user(Seen([0, 0], [0, 0], [None, None], None, 0))
    assert "no recommendation yet" in drawn.words(first)
    assert "now-0" not in drawn.named(first)


def test_nothing_secret_is_drawn_unasked():
    scene = scene_of_user(SEEN, None, HIDDEN)
    assert scene == scene_of_user(SEEN)
    n_arms, arms, accepted, truths = run_of(3, 60)
    run = timeline(n_arms, arms, accepted)
    for secret in ("Gamma", "rho", "n(t)", "lcb", "best", "better", "interval", "mean"):
        assert secret not in drawn.words(scene) + scene.name + drawn.words(run) + run.name
    assert "best" in drawn.words(timeline(n_arms, arms, accepted, truths))


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
    without = scene_of_user(SEEN, HIDDEN)  # the decision
    assert "better" not in drawn.words(without)
    assert "witness" not in drawn.named(without)


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


def test_a_picture_of_many_arms_labels_those_that_matter():
    seen, hidden, decided = drawn.moment_of(100, 3, 4000)
    assert seen.last is not None
    shapes = drawn.named(scene_of_user(seen, hidden, decided, width=360))
    assert {f"seen-arm-{seen.last[0]}", "seen-arm-0", "witness"} <= set(shapes)
    assert shapes["best"].text == f"best {hidden.instance.best_arm}"
    assert sum(key.startswith("arm-") and key.endswith("-interval") for key in shapes) == 100


def test_of_a_thousand_arms_those_are_shown_that_matter_most():
    seen, hidden, decided = drawn.moment_of(1000, 3, 30)
    seen = seen._replace(accepted=[arm % 500 for arm in range(1000)])
    scene = scene_of_user(seen, hidden, decided)
    shown = {int(key.split("-")[1]) for key in drawn.named(scene) if key.startswith("arm-")}
    assert seen.last is not None
    assert {seen.last[0], hidden.instance.best_arm} <= shown
    assert len(shown) == 100
    assert len(shown & {*range(450, 500), *range(950, 1000)}) >= 96
    assert "100 of 1000 arms" in drawn.words(scene)
    assert f"arm-{hidden.instance.best_arm}-accepted" not in drawn.named(scene_of_user(seen))


WIDTHS = st.integers(SMALLEST_WIDTH, 1280)
TITLES = st.sampled_from(["", "BAIR", "An agent with a name that is longer than any picture " * 4])
NOTES = st.sampled_from(["", "answers are legal", "words without an end " * 20])


@settings(max_examples=25)
@given(drawn.moments(st.integers(2, 100)), WIDTHS, st.booleans(), TITLES, NOTES)
def test_no_label_covers_another_and_nothing_is_outside(moment, width, revealed, title, note):
    seen, hidden, decided = moment
    truths = (hidden, decided) if revealed else ()
    scene = scene_of_user(seen, *truths, width=width, title=title, note=note)
    drawn.check_room(scene)
    assert scene.width == width
    if len(title + note) < 40:
        assert "…" not in drawn.words(scene)  # no words are cut


@settings(max_examples=20)
@given(
    drawn.moments(st.just(7)),
    drawn.moments(st.just(7)),
    WIDTHS,
    st.tuples(drawn.REWARDS) | st.none(),
)
def test_all_frames_of_a_film_have_one_size_and_a_given_axis(first, second, width, low):
    span = None if low is None else (low[0], low[0] + 1.0)
    one, other = (scene_of_user(*moment, width=width, span=span) for moment in (first, second))
    assert (one.width, one.height) == (other.width, other.height)
    ticks = [[s for s in scene.shapes if s.key.startswith("tick")] for scene in (one, other)]
    assert span is None or ticks[0] == ticks[1] != []


def test_what_cannot_be_drawn_is_refused():
    for width in (SMALLEST_WIDTH - 1, LARGEST_WIDTH + 1, 720.5, "wide"):
        with pytest.raises(InvalidArgumentError, match="width must be"):
            scene_of_user(SEEN, width=width)
    for accepted, truths, named in (([True], None, "accepted"), ([True, False], [], "truths")):
        with pytest.raises(InvalidArgumentError, match=f"{named} must be one for each of 2 steps"):
            timeline(2, [0, 1], accepted, truths)


def test_what_is_wider_than_its_box_begins_no_empty_line():
    assert wrapped("W" * 40 + " and more", 13.0, 90.0, 9)[0].startswith("W")
    assert all(wrapped("W" * 40 + " and more", 13.0, 90.0, 9))


Run = tuple[int, list[int], list[bool], list[HiddenState]]


@st.composite
def runs(draw):
    """Draw a run that need not make sense, and truths that need not fit it."""
    n_arms, steps = draw(st.integers(2, 40)), draw(st.integers(0, 200))
    kinds = draw(st.lists(st.tuples(st.integers(0, n_arms - 1), st.booleans()), min_size=1))
    arms = [kinds[step % len(kinds)][0] for step in range(steps)]
    accepted = [kinds[step % len(kinds)][1] for step in range(steps)]
    _, hidden, decided = draw(drawn.moments(st.just(n_arms)))
    return n_arms, arms, accepted, [hidden if step % 7 else decided for step in range(steps)]


@settings(max_examples=15)
@given(runs(), st.integers(320, 1280), st.booleans(), st.sampled_from(["", "BAIR meets a user"]))
def test_no_label_of_a_run_covers_another_and_nothing_is_outside(run, width, revealed, title):
    n_arms, arms, accepted, truths = run
    told = truths if revealed else None
    scene = timeline(n_arms, arms, accepted, told, width=width, title=title)
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
    n_arms, arms, accepted, truths = run_of(3, 60)
    shapes = drawn.named(timeline(n_arms, arms, accepted, truths, span=(-6.0, 6.0)))
    for arm in range(3):
        low, high = (shapes[f"reward-{arm}-{end}"] for end in (0, 1))
        unit = (high.y1 - low.y1) / 12.0
        last = truths[-1]
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
    one = Scene(100, 50, "one", (Rectangle("page", 0, 0, 100, 50, "page"),))
    shapes = (
        Rectangle("a", 1, 2, 3, 4, "ink"),
        Line("b", 1, 2, 3, 4, "ink"),
        Disc("c", 9, 8, 2, "ink"),
        Polygon("d", ((1, 2), (3, 4), (5, 0)), "ink"),
        Text("e", 1, 20, "word", "ink", anchor="end"),
    )
    other = Scene(60, 80, "other", shapes)
    both, below = beside([one, other]), in_a_column([one, other])
    assert (both[:3], below[:2]) == ((160, 80, "one; other"), (100, 130))
    for scene, across, down in ((both, 100, 0), (below, 0, 50)):
        for there, here in zip(scene.shapes[2:], shapes, strict=True):
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
    axis = axis_of((low, low + wide), 10.0, 10.0 + room)
    assert axis.low < low <= low + wide < axis.high
    free = axis.left
    for x, words in axis.ticks:
        half = width_of(words, LITTLE) / 2
        assert free <= x - half
        assert x + half <= axis.right
        free = x + half
        written = abs(float(words) - (axis.low + (x - axis.left) / room * (axis.high - axis.low)))
        assert written <= 0.01 * (axis.high - axis.low) + 5e-4 * abs(float(words))


def test_ticks_are_round():
    for span, words in (
        ((0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ((-1e-3, 1e-3), ["-0.0005", "0.0000", "0.0005"]),
        ((-990.0, 1010.0), ["-500", "0", "500"]),
        ((5.0, 5.0), ["4.6", "4.8", "5.0", "5.2", "5.4"]),
    ):
        assert [text for _, text in axis_of(span, 0.0, 260.0).ticks] == words


@given(ENDS, st.floats(0.0, 1e6))
def test_a_span_with_round_ends_holds_the_span_and_not_much_more(low, wide):
    high = low + wide
    least, largest = rounded_out((low, high))
    slack = 1e-9 * max(abs(low), abs(high))
    assert least - slack <= low <= high <= largest + slack
    assert largest - least <= 1.7 * (high - low) + slack


def test_the_text_has_the_counts_of_each_arm():
    seen = Seen([3, 0], [1, 12], [None, False], (1, False), 16)
    assert text_of_user(seen).splitlines() == [
        "arm  accepted  rejected",
        "  0         3         1",
        "  1         0        12",
        "last: arm 1 rejected",
    ]


def test_an_interval_of_the_text_reaches_from_its_lower_to_its_upper_bound():
    def bars(now):
        return [line.split("|")[1] for line in text_of_user(seen, now).splitlines() if "|" in line]

    seen, last = Seen([1, 1], [0, 0], [True, True], (1, True), 2), BAR_WIDTH - 1
    first, second = bars(drawn.truth_of([0.0, last], [10.0, 20.0], [1, 1], [3.0, 2.0]))
    assert first == "*" + " " * 6 + "---o---" + " " * (BAR_WIDTH - 14)  # one cell is one unit
    assert second == " " * 18 + "--o--" + " " * (BAR_WIDTH - 24) + "*"
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
