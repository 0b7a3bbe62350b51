import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explorative_user_env.agents.adapter import largest

COUNTS = st.lists(st.integers(-1, 4), min_size=1, max_size=8)


@given(counts=COUNTS, seed=st.integers(0, 1000))
def test_the_answer_is_one_of_the_largest(counts: list[int], seed: int) -> None:
    assert counts[largest(counts, np.random.default_rng(seed))] == max(counts)


@given(counts=COUNTS)
def test_first_means_the_first_of_the_largest(counts: list[int]) -> None:
    assert largest(counts, np.random.default_rng(0), True) == counts.index(max(counts))


@given(counts=COUNTS, first=st.booleans())
@example(counts=[1, 1, 2], first=False)
def test_the_stream_is_drawn_from_only_for_a_random_tie(counts: list[int], first: bool) -> None:
    rng = np.random.default_rng(0)
    untouched = np.random.default_rng(0)
    largest(counts, rng, first)
    if counts.count(max(counts)) > 1 and not first:
        untouched.random()
    assert rng.bit_generator.state == untouched.bit_generator.state


@pytest.mark.parametrize("counts", [[3, 3], [0, 5, 1, 5, 5], [1, 1, 2, 2], [2, 2, 2, 2, 2]])
def test_tied_indices_are_equally_likely(counts: list[int]) -> None:
    rng = np.random.default_rng(1)
    answers = [largest(counts, rng) for _ in range(6000)]
    tied = [index for index, count in enumerate(counts) if count == max(counts)]
    for index in tied:
        # Five standard deviations of a binomial count.
        share = 1 / len(tied)
        width = 5 * (6000 * share * (1 - share)) ** 0.5
        assert abs(answers.count(index) - 6000 * share) < width
