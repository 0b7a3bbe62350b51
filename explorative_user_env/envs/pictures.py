"""What an environment renders: text, or a picture as SVG or as pixels."""

from collections.abc import Callable, Iterable

from explorative_user_env.envs.history import ACCEPTED, UNHEARD, History
from explorative_user_env.protocol import Array
from explorative_user_env.rendering.words import Seen
from explorative_user_env.users.hidden_state import HiddenState

RENDER_MODES = ("ansi", "human", "rgb_array", "svg")
RENDER_FPS = 4
PICTURES = frozenset(RENDER_MODES) - {"ansi"}

RENDER_MODES_OF_MANY = tuple(mode for mode in RENDER_MODES if mode != "human")
"""There is one window, and whom it would show is nobody's choice."""

HAS_LEFT = "she has left"
"""What a picture says below of a user who did."""


class Truths:
    """The truth about users as pictures need it: as it is, and as it was at the last decision.

    Args:
        n_lanes: number of users.
    """

    def __init__(self, n_lanes: int) -> None:
        self.now: list[HiddenState | None] = [None] * n_lanes
        self.decided: list[HiddenState | None] = [None] * n_lanes

    def begin(self, lanes: Iterable[int], truth: Callable[[int], HiddenState]) -> None:
        """Begin with new users in these lanes."""
        for lane in lanes:
            self.now[lane], self.decided[lane] = truth(lane), None

    def go_on(self, lanes: Iterable[int], truth: Callable[[int], HiddenState]) -> None:
        """Take in what is true after responses: these were decided by what was before."""
        for lane in lanes:
            self.now[lane], self.decided[lane] = truth(lane), self.now[lane]


def seen_in_lane(history: History, lane: int) -> Seen:
    """Return what was heard of a user."""
    counts, last = history.of(lane)
    latest = [
        None if kind == UNHEARD else kind == ACCEPTED for kind in history.latest[lane].tolist()
    ]
    yes, no = [arm[0] for arm in counts], [arm[1] for arm in counts]
    return Seen(yes, no, latest, last, int(history.steps[lane]))


def lane_frame(
    mode: str,
    history: History,
    lane: int,
    truth: Callable[[], HiddenState] | None,
    truths: Truths | None,
    note: str,
) -> str | Array:
    """Return what a render mode shows of a user.

    Args:
        mode: one of `RENDER_MODES`.
        history: what was heard.
        lane: of whom.
        truth: returns the truth about her, None to keep it secret.
        truths: what knows how it was when she decided, if anything does.
        note: a line of words below.

    Returns:
        Text, or pixels of shape (height, width, 3).
    """
    # What draws is there once something is drawn: most environments never are.
    from explorative_user_env.rendering.raster import pixels_of
    from explorative_user_env.rendering.scene import scene_of_user
    from explorative_user_env.rendering.svg import svg_of
    from explorative_user_env.rendering.text import text_of_user

    seen, known = seen_in_lane(history, lane), None if truth is None else truth()
    if mode == "ansi":
        return text_of_user(seen, known)
    decided = None if truths is None else truths.decided[lane]
    scene = scene_of_user(seen, known, decided, note=note)
    return svg_of(scene) if mode == "svg" else pixels_of(scene)
