"""Moments of users to draw, at random and real ones, and what there is in a scene."""

import math
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from explorative_user_env import ExplorativeUserEnv, Instance
from explorative_user_env.show.shapes import Text, box_of
from explorative_user_env.show.words import Seen
from explorative_user_env.users.hidden_state import HiddenState

COUNTS = st.integers(0, 1_000_000)
SLACK = 1e-6  # pixels that a shape may stand out of its picture
LETTERS = frozenset(map(chr, range(32, 127))) | frozenset("±·…")
REWARDS = st.floats(-1e3, 1e3)


@st.composite
def moments(draw, n_arms):
    """Draw what is seen of a user, the truth now, and that when she decided; they need not fit."""
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
    return [shape for shape in scene.shapes if isinstance(shape, Text)]


def words(scene):
    return "\n".join(text.text for text in texts(scene))


def named(scene):
    return {shape.key: shape for shape in scene.shapes}


def meet(one, other):
    """Return whether two boxes have room in common."""
    across = one.left < other.right and other.left < one.right
    return across and one.top < other.bottom and other.top < one.bottom


def problems(scene):
    """Return words that meet, what is outside the picture, and keys that come twice."""
    found, keys = [], [shape.key for shape in scene.shapes]
    for shape, box in zip(scene.shapes, map(box_of, scene.shapes), strict=True):
        across = -SLACK <= box.left <= box.right <= scene.width + SLACK
        if not across or not -SLACK <= box.top <= box.bottom <= scene.height + SLACK:
            found.append(f"{shape} is not in the picture")
    written = [(text, box_of(text)) for text in texts(scene) if text.text]
    for (one, box), (other, its_box) in combinations(written, 2):
        if meet(box, its_box):
            found.append(f"{one} meets {other}")
    return found + sorted({key for key in keys if keys.count(key) > 1})


def check_room(scene):
    """Check that nothing is behind a text but the page and the row of the latest response."""
    assert problems(scene) == []
    front = [s for s in scene.shapes if s.key != "page" and not s.key.startswith("now-")]
    boxes = [(shape, box_of(shape)) for shape in front]
    for text, box in boxes:
        for other, its_box in boxes:
            if isinstance(text, Text) and not isinstance(other, Text):
                assert not meet(box, its_box), (text, other)
    assert set(words(scene)) <= LETTERS | {"\n"}
