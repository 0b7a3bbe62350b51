"""Problem instances: the laws of means, the best arm and its gap, and what does not fit."""

import math
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from other_users import low_means
from pairs import pairs

from explorative_user_env import ExplorativeUserVectorEnv, Instance, InvalidArgumentError
from explorative_user_env.users.instances import (
    LAWS,
    LOST,
    ROOMY,
    InstanceLaw,
    move_best,
    reflected,
    separated,
)
from explorative_user_env.users.model import REWARD_LAWS
from explorative_user_env.users.population import Population


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# The best arm is moved


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


def assert_moved_as_by_hand(means: list[float], gap: float, seed: int) -> None:
    rng, own = generator(seed), generator(seed)
    values = list(means)
    assert (move_best(values, gap, own), values) == moved_by_hand(means, gap, rng)[::-1]
    assert own.bit_generator.state == rng.bit_generator.state  # draws for a tie and no more


def test_the_best_of_many_vectors_is_moved_as_by_hand() -> None:
    rng = generator(21)
    n_tied: Counter[int] = Counter()
    for seed in range(4000):
        n_arms = int(rng.integers(2, 9))
        means = [
            rng.standard_normal(n_arms),
            rng.integers(0, 2, n_arms).astype(float),  # ties of all sizes, at all places
            rng.choice([0.0, -0.0, 1.0, -1e300, 1e300, 1.7e308], n_arms),
        ][seed % 3]
        gap = float(rng.choice([0.0, 0.5, rng.exponential(), 1e-17, 1e284, 1e308]))
        assert_moved_as_by_hand(means.tolist(), gap, seed)
        n_tied[int((means == means.max()).sum())] += 1
    assert all(n_tied[n] > 100 for n in (1, 2, 3, 4))


@pytest.mark.parametrize("gap", [None, 0.25])
def test_each_tied_arm_is_about_equally_often_the_best(gap: float | None) -> None:
    for means in ([0.0, 2.0, 1.0, 2.0], [2.0, 1.0, 2.0, 0.0, 2.0], [-1.0] * 7):
        tied = [arm for arm, mean in enumerate(means) if mean == max(means)]
        rng, n = generator(17), 6000
        counts = Counter(separated(means, gap, rng).best_arm for _ in range(n))
        assert set(counts) == set(tied)
        share = 1 / len(tied)
        margin = 4 * math.sqrt(n * share * (1 - share))  # four standard deviations
        assert all(abs(count - n * share) < margin for count in counts.values())


# Instances


def test_gaps_and_hardness_by_hand() -> None:
    instance = Instance((0.0, 1.0, 0.5, -1.0), 1)
    assert (instance.n_arms, instance.gap) == (4, 0.5)
    assert instance.gaps == (1.0, 0.5, 0.5, 2.0)
    assert instance.hardness == pytest.approx(1 + 4 + 4 + 0.25)
    for best_arm in (0, 3, -1):
        with pytest.raises(InvalidArgumentError, match="best_arm must be"):
            Instance((0.0, 1.0, 0.5, -1.0), best_arm)


def test_a_notebook_shows_the_first_arms_and_the_best() -> None:
    for means, best, n_rows in (
        ((0.25, 1.5, -2.0), 1, 3),
        ((0.0,) * 5000 + (1.5,) + (0.0,) * 100, 5000, 101),
    ):
        html: str = Instance(means, best)._repr_html_()
        rows = re.findall(r"<tr>(.*?)</tr>", html.partition("<tbody>")[2], flags=re.DOTALL)
        cells = [re.findall(r"<td>(.*?)</td>", row) for row in rows]
        assert len(cells) == n_rows
        assert [row for row in cells if row[2]] == [[str(best), "1.500", "best"]]
        assert html.endswith("<p>5000 more arms.</p>") == (len(means) > 3)


# Laws


@pairs(name=["normal", "uniform", ROOMY], gap=[0.001, 0.5, 0.9], n_arms=[2, 20])
def test_a_named_law_is_drawn_and_the_best_moved_to_the_second_best_plus_the_gap(
    name: str, gap: float, n_arms: int
) -> None:
    for seed in range(20):
        rng = generator(seed)
        raw = rng.standard_normal(n_arms) if name == "normal" else rng.random(n_arms)
        raw *= 1.0 - gap if name == ROOMY else 1.0
        instance = InstanceLaw(n_arms, name, gap).draw(generator(seed))
        best = int(raw.argmax())
        assert instance.best_arm == best
        assert instance.means[best] == np.sort(raw)[-2] + gap
        assert np.delete(instance.means, best).tolist() == np.delete(raw, best).tolist()


def test_given_means_and_a_law_of_ones_own_get_the_gap_that_is_asked_for() -> None:
    rows: list[tuple[Any, float | None, tuple[float, ...]]] = [
        ([0.25, 4.0, -1.0], None, (0.25, 4.0, -1.0)),
        ((1, 3, 2), None, (1.0, 3.0, 2.0)),
        (np.array([1.0, 3.0, 2.0]), 0.25, (1.0, 2.25, 2.0)),
        (lambda n_arms, rng: [0.0, n_arms, 1.0], None, (0.0, 1.5, 1.0)),
        (lambda n_arms, rng: [0.0, rng.random(), -1.0], 2.0, (0.0, 2.0, -1.0)),
    ]
    for means, gap, expected in rows:
        rng = generator(1)
        instance = InstanceLaw(3, means, gap).draw(rng)
        assert instance == Instance(expected, 1)
        assert {type(mean) for mean in instance.means} == {float}
        drawn = callable(means) and gap == 2.0
        assert rng.random() == generator(1).random(2)[int(drawn)]  # no more is drawn
    assert InstanceLaw(4).draw(generator()).gap == pytest.approx(0.5)


def test_a_reflected_mean_is_as_far_inside_as_it_was_outside() -> None:
    assert reflected(1.25, 0.0, 1.0) == 0.75
    assert reflected(-0.25, 0.0, 1.0) == 0.25
    assert reflected(7.5, 2.0, 4.0) == 3.5  # at 4, then at 2
    assert reflected(0.5, 2.0, math.inf) == 3.5
    assert reflected(0.5, -math.inf, -1.0) == -2.5


# What does not fit


def taken(name: str, gap: float) -> bool:
    try:
        InstanceLaw(2, name, gap)
    except InvalidArgumentError:
        return False
    return True


@pytest.mark.parametrize(("name", "largest"), [("normal", 13.0), ("uniform", 1.0), (ROOMY, 1.0)])
def test_a_named_law_and_a_gap_fit_every_draw_or_are_refused(name: str, largest: float) -> None:
    """At the least gap that is taken, beside the largest means that there may be."""
    gap = 1e-17
    while not taken(name, gap):
        gap = math.nextafter(gap * 1.001, math.inf)
    assert gap > 1e-17
    high = math.nextafter(largest, 0.0)
    for second in (high, math.nextafter(high, 0.0), 0.5, 0.0, -high):
        assert move_best([second, second], gap, generator()) != LOST
    assert not taken(
        name, gap / (1.01 if name != "normal" else 2.1)
    )  # its bound is 16, for certain
    odd_and_even = [math.nextafter(high, 0.0), high]
    assert LOST in {move_best([mean, mean], gap / 2.1, generator()) for mean in odd_and_even}


def uniform_means(n_arms: int, rng: np.random.Generator) -> np.ndarray:
    return rng.random(n_arms)


LAWS_OF_MEANS: list[Any] = [None, *LAWS, low_means, uniform_means, [0.2, 0.6], [0.2, 0.2]]


@pytest.mark.slow
@pairs(means=LAWS_OF_MEANS, reward_law=REWARD_LAWS, n_arms=[2, 9])
def test_every_combination_is_refused_when_made_or_fits_every_user(
    means: Any, reward_law: str, n_arms: int
) -> None:
    made, told = 0, list[str]()
    for gap in (None, 1e-9, 0.4, 0.9, 1.0, 2.5, 1e308):
        n_arms = 2 if isinstance(means, list) else n_arms
        try:
            users = Population(n_arms=n_arms, means=means, gap=gap, reward_law=reward_law)
        except InvalidArgumentError as error:
            told.append(str(error))
            continue
        made += 1
        many = ExplorativeUserVectorEnv(
            60, 1, "SameStep", compiled=False, reward="none", population=users
        )
        many.reset(seed=0)
        for _ in range(5):  # three hundred users, most of them after an autoreset
            if reward_law == "bernoulli":
                drawn = np.array([instance.means for instance in many.instances()])
                assert 0.0 <= drawn.min() <= drawn.max() <= 1.0
            many.step(np.ones(60, int))
    assert all(words.startswith(("means must be", "gap must be")) for words in told)
    # Some of each are not refused, but for laws of no probabilities.
    assert (made > 0) == (reward_law != "bernoulli" or means not in ("normal", "uniform"))


def nan_law(n_arms: int, rng: np.random.Generator) -> Any:
    return [0.0, math.nan, 1.0]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
    ({"gap": 0.0}, "gap must be a finite number above 0"),
    ({"gap": "big"}, "gap must be a finite number above 0"),
    ({"gap": 1.1e150}, "gap must be above 0 and at most"),
    ({"gap": 1.0, "means": ROOMY}, "gap must be below 1 with means="),
    ({"gap": 1e-18, "means": [0.0, 3.0, 1.0]}, "gap must be large enough .* mean of 1"),
    ({"gap": 1e-18, "means": lambda n, rng: [1.0] * n}, "gap must be large enough"),
    ({"means": "gaussian"}, "means must be one of normal, uniform, uniform_with_room"),
    ({"means": [0.0, math.nan, 1.0]}, "means must be 3 finite numbers"),
    ({"means": [0.0, 1.0]}, "means must be 3 finite numbers"),
    ({"means": 3.0}, "means must be 3 finite numbers"),
    ({"means": [1.0, 1.0, 0.0]}, "means must be .*one best arm.*gap"),
    ({"means": nan_law}, "means must be 3 finite numbers"),
    # Moved to 1.1
    ({"means": [0.6, 0.7, 0.0], "gap": 0.5, "within": (0.0, 1.0)}, "means must be in .*once the"),
    ({"means": uniform_means, "within": (0.0, 1.0)}, "means must be in .* once the best is moved"),
    ({"means": "normal", "within": (0.0, 1.0)}, 'means must be "uniform_with_room" or in'),
    ({"means": "normal", "within": (5.0, 6.0)}, r"means must be in \[5, 6\], as this"),
    ({"gap_factor": 0.5}, "gap_factor must be a number of 1 to"),
]


def test_what_does_not_fit_is_refused_by_name_when_made_or_drawn() -> None:
    for arguments, message in REFUSED:
        with pytest.raises(InvalidArgumentError, match=f"^{message}"):
            InstanceLaw(**({"n_arms": 3} | arguments)).draw(generator())
    InstanceLaw(3, [0.4, 3.0, 0.0], 0.5, (0.0, 1.0))  # moved to 0.9
