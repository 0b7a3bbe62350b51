import math
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from bounds import assert_refused
from hypothesis import given
from hypothesis import strategies as st
from pairs import pairs
from scipy import stats

from explorative_user_env import Instance, InvalidArgumentError
from explorative_user_env.users.instances import DEFAULT_GAP, InstanceLaw, separated


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pairs(law=["normal", "uniform"], gap=[0.001, 0.5, 3.0], n_arms=[2, 20])
def test_the_best_arm_is_moved_to_the_second_best_plus_the_gap(
    law: str, gap: float, n_arms: int
) -> None:
    for seed in range(20):
        drawn = generator(seed)
        raw = drawn.standard_normal(n_arms) if law == "normal" else drawn.random(n_arms)
        instance = InstanceLaw(n_arms, law, gap).draw(generator(seed))
        best = int(raw.argmax())
        second = float(np.delete(raw, best).max())
        assert instance.best_arm == best
        assert instance.means[best] == second + gap
        assert np.delete(instance.means, best).tolist() == np.delete(raw, best).tolist()


@given(
    means=st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=8),
    gap=st.floats(1e-6, 10.0),
    seed=st.integers(0, 99),
)
def test_the_gap_is_exact_and_the_best_arm_unique(
    means: list[float], gap: float, seed: int
) -> None:
    instance = InstanceLaw(len(means), means, gap).draw(generator(seed))
    others = [m for arm, m in enumerate(instance.means) if arm != instance.best_arm]
    best = instance.means[instance.best_arm]
    assert best > max(others)
    assert abs(best - max(others) - gap) <= math.ulp(best)
    assert instance.gap == best - max(others)
    assert others == [m for arm, m in enumerate(means) if arm != instance.best_arm]
    assert means[instance.best_arm] == max(means)


def test_a_gap_lost_to_rounding_is_an_error_and_not_a_tie() -> None:
    for means in ([1.0, 1.0], [3.0, 1.0]):
        with pytest.raises(InvalidArgumentError, match=r"gap must be large enough .* mean of 1"):
            InstanceLaw(2, means, gap=1e-18)
    with pytest.raises(InvalidArgumentError, match="gap must be above 0 and at most"):
        InstanceLaw(2, [1e308, 1.5e308], gap=1.2e308)  # beyond all numbers
    law = InstanceLaw(2, lambda n_arms, rng: [1.0, 1.0], gap=1e-18)
    with pytest.raises(InvalidArgumentError, match="gap must be large enough"):
        law.draw(generator())


def test_each_tied_arm_is_about_equally_often_the_best() -> None:
    law, rng, n = InstanceLaw(5, [1.0, 0.0, 1.0, 1.0, 0.5], gap=0.25), generator(3), 3000
    counts = Counter(law.draw(rng).best_arm for _ in range(n))
    assert set(counts) == {0, 2, 3}
    margin = 4 * math.sqrt(n * 1 / 3 * 2 / 3)
    assert all(abs(count - n / 3) < margin for count in counts.values())


def test_tied_arms_that_lose_stay_where_they_are() -> None:
    instance = InstanceLaw(3, [1.0, 1.0, 0.0], gap=0.25).draw(generator())
    assert sorted(instance.means) == [0.0, 1.0, 1.25]
    assert instance.means[instance.best_arm] == 1.25


def test_gaps_and_hardness_by_hand() -> None:
    instance = Instance((0.0, 1.0, 0.5, -1.0), 1)
    assert instance.n_arms == 4
    assert instance.gaps == (1.0, 0.5, 0.5, 2.0)
    assert instance.gap == 0.5
    assert instance.hardness == pytest.approx(1 + 4 + 4 + 0.25)


def test_two_arms_have_one_gap_each() -> None:
    instance = Instance((0.0, 0.5), 1)
    assert instance.gaps == (0.5, 0.5)
    assert instance.hardness == pytest.approx(8.0)


def test_given_means_without_a_gap_stay_as_they_are() -> None:
    instance = InstanceLaw(3, [0.25, 4.0, -1.0]).draw(generator())
    assert instance == Instance((0.25, 4.0, -1.0), 1)


@pytest.mark.parametrize("given_means", [(1, 2.5), [1, 2.5], np.array([1.0, 2.5])])
def test_given_means_may_be_any_row_of_numbers(given_means: Any) -> None:
    instance = InstanceLaw(2, given_means).draw(generator())
    assert instance.means == (1.0, 2.5)
    assert {type(mean) for mean in instance.means} == {float}


def test_given_means_draw_nothing_without_a_tie() -> None:
    rng = generator(1)
    InstanceLaw(3, [0.0, 1.0, 2.0], gap=0.1).draw(rng)
    assert rng.random() == generator(1).random()


def test_a_drawn_instance_has_the_default_gap() -> None:
    assert DEFAULT_GAP == 0.5
    assert InstanceLaw(4).draw(generator()).gap == pytest.approx(0.5)
    assert InstanceLaw(4, lambda n, rng: [0.0] * n).draw(generator()).gap == 0.5


def test_a_callable_law_gets_k_and_the_stream() -> None:
    law = InstanceLaw(3, lambda n_arms, rng: rng.exponential(size=n_arms) + n_arms, 0.125)
    raw = generator(4).exponential(size=3) + 3
    instance = law.draw(generator(4))
    best = int(raw.argmax())
    assert instance.best_arm == best
    assert np.delete(instance.means, best).tolist() == np.delete(raw, best).tolist()


@pytest.mark.parametrize(("law", "reference"), [("normal", "norm"), ("uniform", "uniform")])
def test_the_means_follow_their_law(law: str, reference: str) -> None:
    n = 5000
    instance = InstanceLaw(n, law).draw(generator(12))
    means = np.delete(instance.means, instance.best_arm)
    expected = getattr(stats, reference)
    assert stats.kstest(means, reference).pvalue > 0.001
    assert abs(means.mean() - expected.mean()) < 4 * expected.std() / math.sqrt(n)
    assert abs(means.std() - expected.std()) < 4 * expected.std() / math.sqrt(n)


def test_an_instance_follows_from_the_seed() -> None:
    law = InstanceLaw(5, "normal", 0.5)
    assert law.draw(generator(1)) == law.draw(generator(1))
    assert law.draw(generator(1)) != law.draw(generator(2))


def test_drawing_leaves_the_given_numbers_alone() -> None:
    means = [0.0, 1.0]
    InstanceLaw(2, means, 5.0).draw(generator())
    separated(means, 5.0, generator())
    assert means == [0.0, 1.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_arms": 1}, r"n_arms must be an integer of at least 2, got 1"),
        ({"n_arms": 2.0}, r"n_arms must be an integer of at least 2, got 2\.0"),
        ({"n_arms": True}, r"n_arms must be an integer of at least 2, got True"),
        ({"gap": 0.0}, r"gap must be a finite number above 0, got 0\.0"),
        ({"gap": -0.5}, r"gap must be a finite number above 0, got -0\.5"),
        ({"gap": math.nan}, r"gap must be a finite number above 0, got nan"),
        ({"gap": math.inf}, r"gap must be a finite number above 0, got inf"),
        ({"gap": "big"}, r"gap must be a finite number above 0, got 'big'"),
        ({"means": "gaussian"}, r"means must be one of normal, uniform, uniform_with_room, got 'g"),
        ({"means": [0.0, math.nan, 1.0]}, r"means must be 3 finite numbers, got \[0\.0, nan, 1"),
        ({"means": [0.0, math.inf, 1.0]}, r"means must be 3 finite numbers, got \[0\.0, inf, 1"),
        ({"means": [0.0, 1.0]}, r"means must be 3 finite numbers, got \[0\.0, 1\.0\]"),
        ({"means": [0.0, "1", 2.0]}, r"means must be 3 finite numbers, got \[0\.0, '1', 2\.0\]"),
        ({"means": [0.0, True, 2.0]}, r"means must be 3 finite numbers, got \[0\.0, True"),
        ({"means": np.zeros((3, 3))}, r"means must be 3 finite numbers, got"),
        ({"means": np.array(1.0)}, r"means must be 3 finite numbers, got"),
        ({"means": {1.0, 2.0, 3.0}}, r"means must be 3 finite numbers, got"),
        ({"means": 3.0}, r"means must be 3 finite numbers, got 3\.0"),
        ({"means": b"abc"}, r"means must be 3 finite numbers, got b'abc'"),
        ({"means": [1.0, 1.0, 0.0]}, r"means must be .*one best arm.*gap.*, got \[1\.0, 1\.0"),
    ],
)
def test_a_bad_argument_is_named_with_its_value_and_what_is_allowed(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=message) as caught:
        InstanceLaw(**({"n_arms": 3} | arguments))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("answer", [[0.0], [0.0, math.nan], "ab", None])
def test_a_callable_law_that_gives_no_k_finite_numbers_is_refused(answer: Any) -> None:
    law = InstanceLaw(2, lambda n_arms, rng: answer)
    with pytest.raises(InvalidArgumentError, match="means must be 2 finite numbers"):
        law.draw(generator())


@pytest.mark.parametrize("best_arm", [0, 3, -1])
def test_the_best_arm_is_the_arm_with_the_largest_mean(best_arm: int) -> None:
    assert Instance((0.5, 2.0, 1.0), 1).best_arm == 1
    assert_refused(lambda: Instance((0.5, 2.0, 1.0), best_arm), "best_arm")


def rows_of(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", html.partition("<tbody>")[2], flags=re.DOTALL)
    return [re.findall(r"<td>(.*?)</td>", row) for row in rows]


def test_a_notebook_shows_an_instance_as_a_table_with_the_best_arm_marked() -> None:
    shown = Instance((0.25, 1.5, -2.0), 1)
    html: str = shown._repr_html_()
    assert rows_of(html) == [["0", "0.250", ""], ["1", "1.500", "best"], ["2", "-2.000", ""]]
    assert "color" not in html  # it is the notebook's, light or dark
    assert repr(shown) == "Instance(means=(0.25, 1.5, -2.0), best_arm=1)"


def test_of_very_many_arms_a_notebook_shows_the_first_and_the_best() -> None:
    means = (0.0,) * 5000 + (1.0,) + (0.0,) * 100
    html: str = Instance(means, 5000)._repr_html_()
    rows = rows_of(html)
    assert len(rows) == 101
    assert rows[-1] == ["5000", "1.000", "best"]
    assert html.endswith("<p>5000 more arms.</p>")
