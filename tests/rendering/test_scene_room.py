"""Nothing in a picture covers another thing or is cut off, whatever there is to show."""

import drawn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.show.scene import LARGEST_WIDTH, SMALLEST_WIDTH, scene_of_user
from explorative_user_env.show.shapes import wrapped
from explorative_user_env.validation import InvalidArgumentError

ARMS = st.integers(2, 100)
WIDTHS = st.integers(SMALLEST_WIDTH, 1280)
TITLES = st.sampled_from(["", "BAIR", "An agent with a name that is longer than any picture " * 4])
NOTES = st.sampled_from(["", "answers are legal", "words without an end " * 20])


@given(drawn.moments(ARMS), WIDTHS, st.booleans(), TITLES, NOTES)
def test_no_label_covers_another_and_nothing_is_outside(
    moment: drawn.Moment, width: int, revealed: bool, title: str, note: str
) -> None:
    seen, hidden, decided = moment
    truths = (hidden, decided) if revealed else ()
    scene = scene_of_user(seen, *truths, width=width, title=title, note=note)
    drawn.check_room(scene)
    assert scene.width == width
    if len(title + note) < 40:
        assert "…" not in drawn.words(scene)  # no words are cut


@given(
    drawn.moments(st.just(7)),
    drawn.moments(st.just(7)),
    WIDTHS,
    st.tuples(drawn.REWARDS) | st.none(),
)
def test_all_frames_of_a_film_have_one_size_and_a_given_axis(
    first: drawn.Moment, second: drawn.Moment, width: int, low: tuple[float] | None
) -> None:
    span = None if low is None else (low[0], low[0] + 1.0)
    frames = [scene_of_user(*moment, width=width, span=span) for moment in (first, second)]
    for scene in frames:
        drawn.check_room(scene)
    assert len({(scene.width, scene.height) for scene in frames}) == 1
    if span is not None:
        ticks = [
            [shape for shape in scene.shapes if shape.key.startswith("tick")] for scene in frames
        ]
        assert ticks[0] == ticks[1] != []


@pytest.mark.parametrize("n_arms", [101, 1000])
@pytest.mark.parametrize("width", [320, 720, 1280])
def test_a_thousand_arms_have_room_as_well(n_arms: int, width: int) -> None:
    drawn.check_room(scene_of_user(*drawn.moment_of(n_arms, 0, 300, accepted=True), width=width))


@pytest.mark.parametrize("width", [SMALLEST_WIDTH - 1, LARGEST_WIDTH + 1, 720.5, "wide"])
def test_a_width_without_room_is_refused(width: object) -> None:
    seen, *_ = drawn.moment_of(2, 0, 3, accepted=True)
    with pytest.raises(InvalidArgumentError, match="width must be"):
        scene_of_user(seen, width=width)  # type: ignore[arg-type]


def test_what_is_wider_than_its_box_begins_no_empty_line() -> None:
    assert wrapped("W" * 40 + " and more", 13.0, 90.0, 9)[0].startswith("W")
    assert all(wrapped("W" * 40 + " and more", 13.0, 90.0, 9))
