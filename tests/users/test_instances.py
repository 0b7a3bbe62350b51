"""Problem instances: the laws of means, the best arm and its gap, and what does not fit."""

import math
from collections import Counter

import numpy as np
import pytest
from numpy.random import default_rng

from explorative_user_env import Instance, InvalidArgumentError
from explorative_user_env.users.instances import LOST, ROOMY, InstanceLaw, move_best, reflected


def moved_by_hand(means, gap, rng):
    tied = [arm for arm, mean in enumerate(means) if mean == max(means)]
    best = tied[int(rng.random() * len(tied))] if len(tied) > 1 else tied[0]
    second = max(mean for arm, mean in enumerate(means) if arm != best)
    if gap == 0.0:
        return means, best
    moved = second + gap
    if moved == second or math.isinf(moved):
        return means, LOST
    return [moved if arm == best else mean for arm, mean in enumerate(means)], best


def test_the_best_of_many_vectors_is_moved_as_by_hand():
    draws = default_rng(21)
    n_tied = Counter()
    for seed in range(2000):
        n_arms = int(draws.integers(2, 9))
        drawn = [
            draws.standard_normal(n_arms),
            draws.integers(0, 2, n_arms).astype(float),  # ties of all sizes, at all places
            draws.choice([0.0, -0.0, 1.0, -1e300, 1e300, 1.7e308], n_arms),
        ][seed % 3]
        gap = float(draws.choice([0.0, 0.5, draws.exponential(), 1e-17, 1e284, 1e308]))
        means = drawn.tolist()
        rng, own, values = default_rng(seed), default_rng(seed), list(means)
        assert (move_best(values, gap, own), values) == moved_by_hand(means, gap, rng)[::-1]
        assert own.bit_generator.state == rng.bit_generator.state  # draws for a tie and no more
        n_tied[means.count(max(means))] += 1
    assert all(n_tied[n] > 50 for n in (1, 2, 3, 4))


def test_gaps_and_hardness_by_hand():
    instance = Instance((0.0, 1.0, 0.5, -1.0), 1)
    assert (instance.n_arms, instance.gap) == (4, 0.5)
    assert instance.gaps == (1.0, 0.5, 0.5, 2.0)
    assert instance.hardness == pytest.approx(1 + 4 + 4 + 0.25)
    for best_arm in (0, 3, -1):
        with pytest.raises(InvalidArgumentError, match="best_arm must be"):
            Instance((0.0, 1.0, 0.5, -1.0), best_arm)


def test_a_notebook_shows_the_first_arms_and_the_best():
    html = Instance((0.0,) * 5000 + (1.5,) + (0.0,) * 100, 5000)._repr_html_()
    assert html.count("<tr>") == 101
    assert ">1.500<" in html.split("<tr>")[-1]
    assert html.endswith("<p>5000 more arms.</p>")


@pytest.mark.parametrize("name", ["normal", "uniform", ROOMY])
def test_a_named_law_is_drawn_and_the_best_moved_to_the_second_best_plus_the_gap(name):
    for seed in range(9):
        n_arms, gap, rng = (2, 20)[seed % 2], (0.001, 0.5, 0.9)[seed % 3], default_rng(seed)
        raw = rng.standard_normal(n_arms) if name == "normal" else rng.random(n_arms)
        raw *= 1.0 - gap if name == ROOMY else 1.0
        instance = InstanceLaw(n_arms, name, gap).draw(default_rng(seed))
        best = int(raw.argmax())
        assert instance.best_arm == best
        assert instance.means[best] == np.sort(raw)[-2] + gap
        assert np.delete(instance.means, best).tolist() == np.delete(raw, best).tolist()


def test_given_means_and_a_law_of_ones_own_get_the_gap_that_is_asked_for():
    rows = [
        ([0.25, 4.0, -1.0], None, (0.25, 4.0, -1.0)),
        ((1, 3, 2), None, (1.0, 3.0, 2.0)),
        (np.array([1.0, 3.0, 2.0]), 0.25, (1.0, 2.25, 2.0)),
        (lambda n_arms, rng: [0.0, n_arms, 1.0], None, (0.0, 1.5, 1.0)),
        (lambda n_arms, rng: [0.0, rng.random(), -1.0], 2.0, (0.0, 2.0, -1.0)),
    ]
    for means, gap, expected in rows:
        rng = default_rng(1)
        instance = InstanceLaw(3, means, gap).draw(rng)
        assert instance == Instance(expected, 1)
        assert {type(mean) for mean in instance.means} == {float}
        drawn = callable(means) and gap == 2.0
        assert rng.random() == default_rng(1).random(2)[int(drawn)]  # no more is drawn


def test_a_reflected_mean_is_as_far_inside_as_it_was_outside():
    assert reflected(1.25, 0.0, 1.0) == 0.75
    assert reflected(-0.25, 0.0, 1.0) == 0.25
    assert reflected(7.5, 2.0, 4.0) == 3.5  # at 4, then at 2
    assert reflected(0.5, 2.0, math.inf) == 3.5
    assert reflected(0.5, -math.inf, -1.0) == -2.5


REFUSED = [
    ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
    ({"gap": 0.0}, "gap must be a finite number above 0"),
    ({"gap": 8e-16}, "gap must be large enough to change a mean of 16"),
    ({"gap": 1.1e150}, "gap must be above 0 and at most"),
    ({"gap": 1.0, "means": ROOMY}, "gap must be below 1 with means="),
    ({"gap": 1e-18, "means": [0.0, 3.0, 1.0]}, "gap must be large enough .* mean of 1"),
    ({"means": "gaussian"}, "means must be one of normal, uniform, uniform_with_room"),
    ({"means": [0.0, math.nan, 1.0]}, "means must be 3 finite numbers"),
    ({"means": [0.0, 1.0]}, "means must be 3 finite numbers"),
    ({"means": [1.0, 1.0, 0.0]}, "means must be .*one best arm.*gap"),
    ({"means": lambda n, rng: [0.0, math.nan, 1.0]}, "means must be 3 finite numbers"),
    # Moved to 1.1
    ({"means": [0.6, 0.7, 0.0], "gap": 0.5, "within": (0.0, 1.0)}, "means must be in .*after the"),
    ({"means": lambda n, rng: rng.random(n), "within": (0, 1)}, "means must be in .* after the"),
    ({"means": "normal", "within": (0.0, 1.0)}, 'means must be "uniform_with_room" or in'),
    ({"gap_factor": 0.5}, "gap_factor must be a number of 1 to"),
    ({"gap_factor": 1.5, "gap": 0.7, "means": ROOMY}, r"gap must be below 0\.66"),
    ({"gap_factor": 1.5, "gap": 1.5e-16, "means": [1, 2, 0]}, "gap must be large enough to change"),
    ({"gap_factor": 1.5, "gap": 0.9, "means": [0.0, 0.5, 0.0], "within": (0, 1)}, "means must"),
]


def test_what_does_not_fit_is_refused_by_name_when_made_or_drawn():
    for arguments, message in REFUSED:
        with pytest.raises(InvalidArgumentError, match=f"^{message}"):
            InstanceLaw(**({"n_arms": 3} | arguments)).draw(default_rng(0))
    InstanceLaw(3, [0.4, 3.0, 0.0], 0.5, (0.0, 1.0))  # moved to 0.9
    InstanceLaw(3, "uniform", 6e-17)
