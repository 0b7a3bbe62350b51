"""What a picture of a user says and shows."""

import math

import drawn
import pytest

from explorative_user_env.show.scene import scene_of_user
from explorative_user_env.show.shapes import Disc, Line, Polygon, Rectangle, Text
from explorative_user_env.show.words import CHANCE, Seen
from explorative_user_env.users.hidden_state import HiddenState

SEEN = Seen([30, 2, 0], [0, 9, 0], [True, False, None], (1, False), 41)


def truth(*radii: float) -> HiddenState:
    return drawn.truth_of([0.5, 0.0, -0.5], [0.6, -0.4, 0.0], [30, 2, 0], radii)


HIDDEN = truth(0.2, 0.7, math.inf)
"""Arm 0 from 0.4 to 0.8, arm 1 from -1.1 to 0.3: the first is clearly better."""


def test_the_counts_and_the_response_are_written() -> None:
    scene = scene_of_user(SEEN)
    shapes, words = drawn.named(scene), drawn.words(scene)
    assert "Arm 1: rejected" in words
    assert "t = 41 · 32 accepted · 9 rejected" in words
    for arm, (yes, no) in enumerate(zip(SEEN.accepted, SEEN.rejected, strict=True)):
        for role, count in (("accepted", yes), ("rejected", no)):
            number = shapes[f"arm-{arm}-{role}-count"]
            assert isinstance(number, Text)
            assert number.text == str(count)


def test_bars_are_as_long_as_counts_on_a_common_scale() -> None:
    shapes = drawn.named(scene_of_user(SEEN))
    bars = [shapes[f"arm-{arm}-{role}"] for arm in range(3) for role in ("accepted", "rejected")]
    longs = [bar.width for bar in bars if isinstance(bar, Rectangle)]
    assert longs == pytest.approx([longs[0] * count / 30 for count in (30, 0, 2, 9, 0, 0)])
    assert longs[0] > 50


def test_the_latest_response_is_a_stroke_or_a_cross() -> None:
    keys = drawn.named(scene_of_user(SEEN))
    assert "arm-0-last-yes" in keys
    assert {"arm-1-last-no-1", "arm-1-last-no-2"} <= set(keys)
    assert not [key for key in keys if key.startswith("arm-2-last")]


def test_the_recommended_arm_stands_out() -> None:
    shapes = drawn.named(scene_of_user(SEEN, HIDDEN))
    for place, panel in (("now-0", "arm-1-rejected"), ("now-1", "arm-1-interval")):
        band, bar = shapes[place], shapes[panel]
        assert isinstance(band, Rectangle)
        assert isinstance(bar, Rectangle)
        assert band.y <= bar.y
        assert bar.y + bar.height <= band.y + band.height
    label = shapes["seen-arm-1"]
    assert isinstance(label, Text)
    assert label.bold


def test_before_the_first_recommendation_it_says_so() -> None:
    seen = Seen([0, 0], [0, 0], [None, None], None, 0)
    scene = scene_of_user(seen)
    assert "no recommendation yet" in drawn.words(scene)
    assert scene.name == "A user of 2 arms; no recommendation yet"
    assert "now-0" not in drawn.named(scene)
    revealed = scene_of_user(seen, drawn.truth_of([0.0, 1.0], [0.0, 0.0], [0, 0], [math.inf] * 2))
    bold = [text.text for text in drawn.texts(revealed) if text.bold]
    assert bold == ["no recommendation yet", "what we see", "what she believes"]


def test_nothing_secret_is_drawn_unasked() -> None:
    scene = scene_of_user(SEEN, None, HIDDEN)
    assert scene == scene_of_user(SEEN)
    words = drawn.words(scene) + scene.name
    for secret in ("Gamma", "rho", "n(t)", "lcb", "best", "better", "interval", "mean"):
        assert secret not in words


def test_her_intervals_and_means_are_on_one_axis() -> None:
    scene = scene_of_user(SEEN, HIDDEN, span=(-2.0, 2.0))
    shapes = drawn.named(scene)
    ticks = {text.text: text.x for text in drawn.texts(scene) if text.key.startswith("tick")}

    def reward(x: float) -> float:
        return (x - ticks["0"]) / (ticks["1"] - ticks["0"])

    for arm, (low, high) in enumerate([(0.4, 0.8), (-1.1, 0.3)]):
        interval, mean = shapes[f"arm-{arm}-interval"], shapes[f"arm-{arm}-estimate"]
        assert isinstance(interval, Rectangle)
        assert isinstance(mean, Disc)
        assert reward(interval.x) == pytest.approx(low)
        assert reward(interval.x + interval.width) == pytest.approx(high)
        assert reward(mean.x) == pytest.approx((low + high) / 2)
        truth = shapes[f"arm-{arm}-truth"]
        assert isinstance(truth, Polygon)
        assert reward(truth.points[0][0]) == pytest.approx([0.5, 0.0][arm])


def test_an_arm_that_she_never_saw_has_no_end_and_no_mean() -> None:
    shapes = drawn.named(scene_of_user(SEEN, HIDDEN))
    assert {"arm-2-interval-low-on", "arm-2-interval-high-on", "arm-2-truth"} <= set(shapes)
    assert "arm-2-estimate" not in shapes
    unseen = shapes["arm-2-interval"]
    assert isinstance(unseen, Rectangle)
    assert unseen.name == "arm 2: no reward of it yet"
    assert "arm-0-interval-low-on" not in shapes


def test_an_interval_goes_on_where_the_axis_ends() -> None:
    shapes = drawn.named(scene_of_user(SEEN, HIDDEN, span=(-0.5, 2.0)))
    assert "arm-1-interval-low-on" in shapes
    assert "arm-1-interval-high-on" not in shapes
    assert {"arm-0-truth", "arm-1-estimate"} <= set(shapes)


def test_what_she_thinks_is_written() -> None:
    words = drawn.words(scene_of_user(SEEN, HIDDEN._replace(gamma=6.828, rho=1.731)))
    assert "t = 41 · n(t) = 32 · Gamma = 6.83 · rho_t = 1.73" in words


def test_the_best_arm_is_marked_in_words() -> None:
    shapes = drawn.named(scene_of_user(SEEN, HIDDEN))
    best, row = shapes["best"], shapes["arm-0-interval"]
    assert isinstance(best, Text)
    assert isinstance(row, Rectangle)
    assert best.text == "best"
    assert row.y < best.y < row.y + row.height


def test_a_rejection_has_a_witness_and_a_line_that_decides() -> None:
    now = truth(0.3, 0.9, math.inf)  # the decision is told by what she thought then
    scene = scene_of_user(SEEN, now, HIDDEN)
    shapes = drawn.named(scene)
    told = drawn.words(scene).split("\n")
    assert told[0] == "Arm 1: rejected, because arm 0 is clearly better"
    assert "lcb 0.40 of arm 0 >= ucb 0.30 of arm 1" in told
    assert scene.name == (
        "She rejected arm 1 at t = 41; arm 0 is clearly better: lcb 0.40 >= ucb 0.30"
    )
    line, tag, row = shapes["witness"], shapes["decides"], shapes["arm-0-interval"]
    assert isinstance(line, Line)
    assert isinstance(tag, Text)
    assert isinstance(row, Rectangle)
    assert tag.text == "witness"
    assert row.y < tag.y < row.y + row.height
    # It stands at ucb, from the witness's row to that of the rejected arm.
    drawn_then = drawn.named(scene_of_user(SEEN, HIDDEN, HIDDEN))
    bound, then = drawn_then["arm-1-interval"], drawn_then["witness"]
    assert isinstance(bound, Rectangle)
    assert isinstance(then, Line)
    assert then.x1 == then.x2 == pytest.approx(bound.x + bound.width)
    assert line.y1 < bound.y < bound.y + bound.height <= line.y2


@pytest.mark.parametrize(
    ("accepted", "radii", "words"),
    [
        (False, (0.4, 0.7), "rejected, though no arm is clearly better\n" + CHANCE),
        (True, (0.4, 0.7), "accepted, as no arm is clearly better"),
        (True, (0.2, 0.7), "accepted, though arm 0 is clearly better\n" + CHANCE),
        (
            False,
            (0.25, 0.75),  # a tie
            "rejected, because arm 0 is clearly better\nlcb 0.35 of arm 0 >= ucb 0.35 of arm 1",
        ),
        (True, (0.25, 0.75), "accepted, though arm 0 is clearly better\n" + CHANCE),
    ],
)
def test_what_no_rule_explains_is_said(
    accepted: bool, radii: tuple[float, float], words: str
) -> None:
    seen = SEEN._replace(last=(1, accepted))
    scene = scene_of_user(seen, HIDDEN, truth(*radii, math.inf))
    headline, *numbers = words.split("\n")
    assert {f"Arm 1: {headline}", *numbers} <= set(drawn.words(scene).split("\n"))
    assert ("witness" in drawn.named(scene)) == ("arm 0" in words)


def test_without_the_decision_no_reason_is_given() -> None:
    scene = scene_of_user(SEEN, HIDDEN)
    assert "better" not in drawn.words(scene)
    assert "witness" not in drawn.named(scene)


@pytest.mark.parametrize("width", [360, 720])
def test_a_picture_of_many_arms_labels_those_that_matter(width: int) -> None:
    seen, hidden, decided = drawn.moment_of(100, 3, 8000)
    assert seen.last is not None
    shapes = drawn.named(scene_of_user(seen, hidden, decided, width=width))
    arm, best = seen.last[0], hidden.instance.best_arm
    assert {f"seen-arm-{arm}", "seen-arm-0", "witness"} <= set(shapes)
    tag = shapes["best"]
    assert isinstance(tag, Text)
    assert tag.text == f"best {best}"
    assert not [key for key in shapes if key.endswith("-count")]
    assert sum(key.startswith("arm-") and key.endswith("-interval") for key in shapes) == 100


def test_of_a_thousand_arms_those_are_shown_that_matter_most() -> None:
    seen, hidden, decided = drawn.moment_of(1000, 3, 30)
    seen = seen._replace(accepted=[arm % 500 for arm in range(1000)])
    scene = scene_of_user(seen, hidden, decided)
    bars = [key.split("-") for key in drawn.named(scene) if key.startswith("arm-")]
    shown = {int(parts[1]) for parts in bars}
    assert seen.last is not None
    matter = {seen.last[0], hidden.instance.best_arm}
    assert matter <= shown
    assert len(shown) == 100
    assert len(shown & {*range(450, 500), *range(950, 1000)}) >= 100 - len(matter) - 2
    assert "100 of 1000 arms" in drawn.words(scene)
    without = scene_of_user(seen)
    assert f"arm-{hidden.instance.best_arm}-accepted" not in drawn.named(without)


def test_counts_and_bounds_of_every_size_have_few_letters() -> None:
    seen = Seen([10**9, 999_999], [0, 1_234_567], [True, False], (1, False), 10**9)
    hidden = drawn.truth_of([1e5, -1e7], [1e5, -1e7], [9, 9], [1.0, 2.0])
    words = drawn.words(scene_of_user(seen, hidden, hidden))
    for text in ("1000M", "999999", "1.235M", "lcb 99999 of arm 0 >= ucb -1.00e+07 of arm 1"):
        assert text in words
