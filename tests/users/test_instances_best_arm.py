"""The best of some means is moved, and which one of tied means that is, is a fair draw."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env import Instance, InvalidArgumentError
from explorative_user_env.users.instances import LOST, move_best, separated


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def moved_by_hand(
    means: list[float], gap: float, rng: np.random.Generator
) -> tuple[list[float], int]:
    """What `move_best` leaves and returns, in as many looks as it is easy to say."""
    tied = [arm for arm, mean in enumerate(means) if mean == max(means)]
    best = tied[int(rng.random() * len(tied))] if len(tied) > 1 else tied[0]
    second = max(mean for arm, mean in enumerate(means) if arm != best)
    if gap == 0.0:
        return means, best
    moved = second + gap
    if moved == second or math.isinf(moved):
        return means, LOST
    return [moved if arm == best else mean for arm, mean in enumerate(means)], best


def assert_moved_as_by_hand(means: list[float], gap: float, seed: int) -> int:
    rng, own = generator(seed), generator(seed)
    values = list(means)
    best = move_best(values, gap, own)
    assert (values, best) == moved_by_hand(means, gap, rng)
    assert own.bit_generator.state == rng.bit_generator.state  # draws for a tie and no more
    return best


def test_the_best_of_many_vectors_is_moved_as_by_hand() -> None:
    rng = generator(21)
    n_tied: Counter[int] = Counter()
    for seed in range(4000):
        n_arms = int(rng.integers(2, 9))
        means = rng.standard_normal(n_arms)
        if seed % 2:  # few values: ties of all sizes, at all places
            means = rng.integers(0, 2, n_arms).astype(float)
        gap = [0.0, 0.5, float(rng.exponential()), 1e-17][seed % 4 if seed % 3 else 1]
        assert_moved_as_by_hand(means.tolist(), gap, seed)
        n_tied[int((means == means.max()).sum())] += 1
    assert all(n_tied[n] > 100 for n in (1, 2, 3, 4))


@given(
    means=st.lists(
        st.one_of(st.sampled_from([0.0, -0.0, 1.0, -1e300, 1e300, 1.7e308]), st.floats(-9, 9)),
        min_size=2,
        max_size=9,
    ),
    gap=st.one_of(st.just(0.0), st.floats(1e-20, 10.0), st.sampled_from([1e284, 1e308])),
    seed=st.integers(0, 99),
)
def test_the_best_of_any_vector_is_moved_as_by_hand(
    means: list[float], gap: float, seed: int
) -> None:
    assert_moved_as_by_hand(means, gap, seed)


@pytest.mark.parametrize(
    "means",
    [
        [0.0, 2.0, 1.0, 2.0],
        [2.0, 1.0, 2.0, 0.0, 2.0],
        [3.0, 3.0],
        [3.0] * 3,
        [-1.0] * 7,
    ],
)
@pytest.mark.parametrize("gap", [0.0, 0.25])
def test_each_of_two_three_or_all_tied_arms_is_moved_about_equally_often(
    means: list[float], gap: float
) -> None:
    tied = [arm for arm, mean in enumerate(means) if mean == max(means)]
    rng, n = generator(17), 6000
    counts = Counter(move_best(list(means), gap, rng) for _ in range(n))
    assert set(counts) == set(tied)
    # Four standard deviations of a binomial count.
    share = 1 / len(tied)
    margin = 4 * math.sqrt(n * share * (1 - share))
    assert all(abs(count - n * share) < margin for count in counts.values())


@pytest.mark.parametrize("means", [[0.5, 2.0, -1.0], [1.0, 1.0], [0.0, 3.0, 3.0, 3.0]])
def test_a_gap_of_zero_moves_nothing(means: list[float]) -> None:
    for seed in range(20):
        values = list(means)
        best = move_best(values, 0.0, generator(seed))
        assert values == means
        assert means[best] == max(means)
        assert separated(means, None, generator(seed)) == Instance(tuple(means), best)


@pytest.mark.parametrize(
    ("means", "gap"),
    [
        ([1e300, 2e300], 0.5),  # nothing is left of 0.5 beside the second best, 1e300
        ([1e300, 1e300, 0.0], 0.5),
        ([-1e300, -2e300], 0.5),
        ([1.7e308, 1.6e308], 1e308),  # the sum is infinite
    ],
)
def test_a_gap_that_vanishes_beside_the_means_is_lost(means: list[float], gap: float) -> None:
    values = list(means)
    assert move_best(values, gap, generator()) == LOST
    assert values == means
    with pytest.raises(InvalidArgumentError, match=r"gap must be large enough to count beside"):
        separated(means, gap, generator())


def test_a_gap_that_counts_beside_the_second_best_is_not_lost_beside_the_best() -> None:
    values = [0.0, 1e300, -1.0]
    assert move_best(values, 0.5, generator()) == 1
    assert values == [0.0, 0.5, -1.0]
