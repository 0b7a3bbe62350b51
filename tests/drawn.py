"""Moments of users to draw, at random and real ones, and what there is in a scene."""

import math
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from explorative_user_env import ExplorativeUserEnv, Instance
from explorative_user_env.show.shapes import Text, box_of
from explorative_user_env.show.words import Seen
from explorative_user_env.users.hidden_state import HiddenState

Moment = tuple[Seen, HiddenState, HiddenState]
"""What was seen, the truth now, and the truth when she decided."""

COUNTS = st.integers(0, 1_000_000)
LETTERS = frozenset(map(chr, range(32, 127))) | frozenset("±·…")
REWARDS = st.floats(-1e3, 1e3)


@st.composite
def moments(draw, n_arms):
    """Draw what may be seen of a user, and a truth that need not fit it."""
    arms = draw(n_arms)

    def each(values):
        # All alike, or of a few kinds: a hundred draws an arm would take hypothesis too long.
        kinds = draw(st.lists(values, min_size=1, max_size=7))
        return [kinds[arm % len(kinds)] for arm in range(arms)]

    accepted, rejected = ([int(value) for value in each(COUNTS)] for _ in range(2))
    last = draw(st.none() | st.tuples(st.integers(0, arms - 1), st.booleans()))
    latest = [None if not a + r else a > r for a, r in zip(accepted, rejected, strict=True)]
    seen = Seen(accepted, rejected, latest, last, sum(accepted) + sum(rejected))
    radii = st.sampled_from([0.0, 1e-9, 0.5, 1e3, math.inf])
    hidden, decided = (
        truth_of(each(REWARDS), each(REWARDS), accepted, each(radii)) for _ in range(2)
    )
    return seen, hidden, decided


def truth_of(means, estimates, counts, radii):
    """Return a truth with intervals of these radii."""
    return HiddenState(
        instance=Instance(tuple(means), int(np.argmax(means))),
        estimates=tuple(estimates),
        counts=tuple(counts),
        lower_bounds=tuple(m - r for m, r in zip(estimates, radii, strict=True)),
        upper_bounds=tuple(m + r for m, r in zip(estimates, radii, strict=True)),
        gamma=max(radii) if max(radii) < math.inf else 8.0,
        rho=1.5,
        acceptances=sum(counts),
        interactions=sum(counts),
    )


def moment_of(n_arms, seed, steps, accepted=False):
    """Return a moment of a user who is recommended arms at random, at such a response."""
    env = ExplorativeUserEnv(n_arms=n_arms)
    heard = env.remember()
    env.reset(seed=seed)
    arms = np.random.default_rng(seed)
    for step in range(10 * steps):
        decided = env.hidden_state()
        response, *_ = env.step(int(arms.integers(n_arms)))
        if step >= steps and bool(response) == accepted:
            break
    yes, no = heard.acceptances[0].tolist(), heard.rejections[0].tolist()
    latest = [None if not kind else kind > 0 for kind in heard.latest[0].tolist()]
    last = int(heard.last_arm[0]), bool(response)
    return Seen(yes, no, latest, last, int(heard.steps[0])), env.hidden_state(), decided


def texts(scene):
    """Return the texts of a scene."""
    return [shape for shape in scene.shapes if isinstance(shape, Text)]


def words(scene):
    """Return all words of a scene."""
    return "\n".join(text.text for text in texts(scene))


def named(scene):
    """Return the shapes of a scene by their keys."""
    return {shape.key: shape for shape in scene.shapes}


def is_behind(key):
    return key == "page" or key.startswith("now-")


def check_room(scene):
    """Check that each text has room of its own, and everything a place on the canvas."""
    boxes = [(shape.key, box_of(shape), isinstance(shape, Text)) for shape in scene.shapes]
    assert len({key for key, _, _ in boxes}) == len(boxes)
    for key, box, _ in boxes:
        assert 0 <= box.left <= box.right <= scene.width, (key, box)
        assert 0 <= box.top <= box.bottom <= scene.height, (key, box)
    for place, (key, box, is_text) in enumerate(boxes):
        for other, its_box, its_text in boxes[place + 1 :]:
            if (is_text or its_text) and not is_behind(key) and not is_behind(other):
                assert not meet(box, its_box), (key, other)
    assert set(words(scene)) <= LETTERS | {"\n"}


def meet(one, other):
    """Return whether two boxes have room in common."""
    across = one.left < other.right and other.left < one.right
    return across and one.top < other.bottom and other.top < one.bottom


def problems(scene):
    """Return words that meet, what is outside the picture, and keys that come twice."""
    found = []
    for shape in scene.shapes:
        left, top, right, bottom = box_of(shape)
        across = -0.1 <= left <= right <= scene.width + 0.1
        if not (across and -0.1 <= top <= bottom <= scene.height + 0.1):
            found.append(f"{shape} is outside")
    shown = [text for text in texts(scene) if text.text]
    for one, other in combinations(shown, 2):
        if meet(box_of(one), box_of(other)):
            found.append(f"{one} meets {other}")
    keys = [shape.key for shape in scene.shapes]
    return found + sorted({key for key in keys if keys.count(key) > 1})
