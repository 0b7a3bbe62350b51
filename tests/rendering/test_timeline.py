"""A whole run in one picture."""

import drawn
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.show.scene import timeline
from explorative_user_env.show.shapes import Line, Polygon, box_of
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.validation import InvalidArgumentError

Run = tuple[int, list[int], list[bool], list[HiddenState]]


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Draw a run that need not make sense, and truths that need not fit it."""
    n_arms, steps = draw(st.integers(2, 40)), draw(st.integers(0, 400))
    kinds = draw(st.lists(st.tuples(st.integers(0, n_arms - 1), st.booleans()), min_size=1))
    arms = [kinds[step % len(kinds)][0] for step in range(steps)]
    accepted = [kinds[step % len(kinds)][1] for step in range(steps)]
    _, hidden, decided = draw(drawn.moments(st.just(n_arms)))
    return n_arms, arms, accepted, [hidden if step % 7 else decided for step in range(steps)]


@given(runs(), st.integers(320, 1280), st.booleans(), st.sampled_from(["", "BAIR meets a user"]))
def test_no_label_covers_another_and_nothing_is_outside(
    run: Run, width: int, revealed: bool, title: str
) -> None:
    n_arms, arms, accepted, truths = run
    told = truths if revealed else None
    scene = timeline(n_arms, arms, accepted, told, width=width, title=title)
    drawn.check_room(scene)
    assert (scene.width, scene.height % 2) == (width, 0)
    assert "…" not in drawn.words(scene)


def run_of(n_arms: int, steps: int, seed: int = 0) -> Run:
    """A run of real responses to random arms."""
    env = ExplorativeUserEnv(n_arms=n_arms, gap=2.0)
    env.reset(seed=seed)
    arms = np.random.default_rng(seed).integers(n_arms, size=steps).tolist()
    accepted, truths = [], []
    for arm in arms:
        accepted.append(bool(env.step(arm)[0]))
        truths.append(env.hidden_state())
    return n_arms, arms, accepted, truths


def test_her_intervals_and_the_truth_are_where_they_were() -> None:
    n_arms, arms, accepted, truths = run_of(3, 60)
    shapes = drawn.named(timeline(n_arms, arms, accepted, truths, span=(-6.0, 6.0)))
    for arm in range(3):
        low, high = (shapes[f"reward-{arm}-{end}"] for end in (0, 1))
        assert isinstance(low, Line)
        assert isinstance(high, Line)
        unit = (high.y1 - low.y1) / 12.0
        last = truths[-1]
        for name, value in (
            ("interval", last.upper_bounds[arm]),
            ("truth", last.instance.means[arm]),
            ("estimate", last.estimates[arm]),
        ):
            shape = shapes[f"arm-{arm}-{name}"]
            assert isinstance(shape, Polygon)
            right = max(x for x, _ in shape.points)
            y = min(y for x, y in shape.points if x == right)
            thin = 0.0 if name == "interval" else 0.75
            assert (y + thin - low.y1) / unit - 6.0 == pytest.approx(value, abs=0.05)


@pytest.mark.parametrize("steps", [60, 5000])
def test_every_response_is_on_its_side_of_its_arms_line(steps: int) -> None:
    n_arms, arms, accepted, _ = run_of(3, steps)
    shapes = drawn.named(timeline(n_arms, arms, accepted))
    n_marks = 0
    for key, shape in shapes.items():
        if key.startswith("arm-"):
            arm, said = key.split("-")[1:3]
            line = shapes[f"line-{arm}"]
            assert isinstance(line, Line)
            box = box_of(shape)
            middle = (box.top + box.bottom) / 2
            assert (middle < line.y1) == (said == "accepted")
            assert line.y1 - 7 <= box.top <= box.bottom <= line.y1 + 7
            assert shape.role == said
            n_marks += 1
    if steps == 60:
        assert n_marks == sum(accepted) + 2 * (steps - sum(accepted))
    else:
        assert n_marks == len(set(zip(arms, accepted, strict=True)))


def test_the_teeth_of_a_long_run_cover_its_responses() -> None:
    arms, accepted = [0] * 1000 + [1] * 500 + [0] * 500, [True] * 2000
    shapes = drawn.named(timeline(2, arms, accepted))
    first, second = shapes["arm-0-accepted"], shapes["arm-1-accepted"]
    assert isinstance(first, Polygon)
    assert isinstance(second, Polygon)
    edges = [x for x, _ in first.points]
    wide = (edges[-1] - edges[0]) / 4
    assert edges == pytest.approx([edges[0] + wide * at for at in (0, 0, 2, 2, 3, 3, 4, 4)])
    assert [x for x, _ in second.points][1:3] == pytest.approx([edges[2], edges[4]])


def test_nothing_secret_is_drawn_unasked_in_a_run() -> None:
    n_arms, arms, accepted, truths = run_of(3, 60)
    secret = timeline(n_arms, arms, accepted)
    for word in ("best", "mean", "interval"):
        assert word not in drawn.words(secret) + secret.name
    assert "best" in drawn.words(timeline(n_arms, arms, accepted, truths))


def test_the_best_arm_is_shown_however_seldom_it_was_recommended() -> None:
    n_arms, arms, accepted, truths = run_of(40, 60)
    best = truths[-1].instance.best_arm
    others = [arm if arm != best else (best + 1) % 40 for arm in arms]
    assert f"label-{best}" in drawn.named(timeline(n_arms, others, accepted, truths))
    assert "25 of 40 arms" in drawn.words(timeline(n_arms, others, accepted))


@pytest.mark.parametrize("wrong", [{"accepted": [True]}, {"truths": []}])
def test_steps_that_do_not_fit_together_are_refused(wrong: dict[str, object]) -> None:
    (name,) = wrong
    given = {"accepted": [True, False], "truths": None, **wrong}
    with pytest.raises(InvalidArgumentError, match=f"{name} must be one for each of 2 steps"):
        timeline(2, [0, 1], **given)  # type: ignore[arg-type]
