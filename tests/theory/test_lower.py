"""The lower bounds, the hard instances of their proof and the conditions of its steps."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from scipy.stats import norm

from explorative_user_env import theory
from explorative_user_env.theory import Condition, hard_pair, proof_conditions
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError


def close(value: Any, rel: float = 1e-9) -> Any:
    return pytest.approx(value, rel=rel)


def test_the_lower_bound() -> None:
    assert theory.lower_bound(0.01, 0.5, c=0.25) == close(31.6227766)  # 100^(3/4)
    # 32 ln 25 = 32 * 3.2188758
    assert theory.lower_bound(0.01, 0.25, c=0.25) == close(103.0040264, rel=1e-7)
    assert theory.lower_bound(0.01, 5.0, c=0.25, alpha=2.0, rho_0=0.5) == close(6.3245553203)
    assert theory.lower_bound(0.9, 0.001, c=0.25) == close(0.9**-0.75)  # a logarithm below 0
    assert theory.lower_bound(0.01, 0.5, c=0.25, alpha=1e-3) == math.inf


def test_two_arms_and_equal_gaps_have_a_closed_form() -> None:
    for gap in (1e-6, 0.5, 30.0):
        instance = Instance((0.0, gap), 1)
        assert theory.optimal_weights(instance) == close((0.5, 0.5), rel=1e-14)
        assert theory.characteristic_time(instance) == close(8.0 / gap**2, rel=1e-13)
    # By symmetry w_i = x w_*, (K-1) x^2 = 1: T* = 2 (1 + sqrt(K-1))^2 / Delta^2.
    for n_arms in (3, 5, 100):
        instance, root = Instance((0.5, *[0.0] * (n_arms - 1)), 0), math.sqrt(n_arms - 1)
        weights = theory.optimal_weights(instance)
        assert weights[0] == close(1 / (1 + root))
        assert weights[1:] == close([1 / (root * (1 + root))] * (n_arms - 1))
        assert theory.characteristic_time(instance) == close(8.0 * (1 + root) ** 2)


@pytest.mark.parametrize(
    "means",
    [
        (1.0, 0.5, 0.0),
        (0.0, 0.1, -3.0),
        (0.3, 0.2, 0.9),
        (0.0, 1.0, 1.0 - 1e-4, 0.5),
        (1e6, 0.0, -1e6),
        tuple(0.1 * arm for arm in range(20)),
        tuple(np.random.default_rng(4).standard_normal(6).tolist()),
    ],
)
def test_no_weights_tell_the_best_arm_apart_sooner(means: tuple[float, ...]) -> None:
    """A certificate, in fractions: no search of the simplex could say as much.

    For any meeting points m_i the evidence of ALL weights is at most a mixture over the i of
    w_b (mu_b - m_i)^2/2 + w_i (mu_i - m_i)^2/2, and that at most its largest coefficient.
    """
    instance = Instance(means, means.index(max(means)))
    weights = [Fraction(weight) for weight in theory.optimal_weights(instance)]
    top, weight_of_top = Fraction(max(means)), weights[instance.best_arm]
    evidence, lines = [], []
    for arm, mean in enumerate(map(Fraction, means)):
        if arm != instance.best_arm:
            meeting = (weight_of_top * top + weights[arm] * mean) / (weight_of_top + weights[arm])
            of_top, of_arm = (top - meeting) ** 2 / 2, (mean - meeting) ** 2 / 2
            evidence.append(weight_of_top * of_top + weights[arm] * of_arm)
            lines.append((of_top, of_arm))
    # The mixture that makes the coefficients of all w_i alike.
    scale = 1 / sum(1 / of_arm for _, of_arm in lines)
    bound = scale * max(Fraction(1), sum((a / b for a, b in lines), Fraction(0)))
    assert float(min(evidence) / bound) == pytest.approx(1.0, abs=1e-9)
    assert theory.characteristic_time(instance) == close(float(1 / bound))


def test_the_general_lower_bound_is_above_the_papers_simple_one() -> None:
    two, three = Instance((2.0, 0.0), 0), Instance((0.5, 1.0, 0.0), 1)
    assert theory.general_lower_bound(two, 0.01) == close(2.0 * 3.2188758249)  # ln 25
    assert theory.general_lower_bound(two, 0.3) == 0.0
    assert theory.general_lower_bound(three, 0.01) > theory.lower_bound(0.01, 0.5, c=0.49, alpha=9)


def test_the_characteristic_time_is_between_h_and_twice_h() -> None:
    """Garivier and Kaufmann 2016, section 2.2: H <= T* <= 2H with H = sum of 2/Delta_i^2."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        means = tuple(rng.standard_normal(6).tolist())
        instance = Instance(means, means.index(max(means)))
        assert 2 * instance.hardness <= theory.characteristic_time(instance) * (1 + 1e-12)
        assert theory.characteristic_time(instance) <= 4 * instance.hardness
        assert sum(theory.optimal_weights(instance)) == close(1.0)


@pytest.mark.parametrize("means", [(1.0, *([0.0] * 20_000)), (1e-100, 0.0, -1e150), (1e150, 0.0)])
def test_the_weights_of_any_gaps_are_found_soon(
    means: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, usual = [], optimize.brentq

    def counting(*arguments: Any, **options: Any) -> float:
        root, report = usual(*arguments, **options, full_output=True)
        taken.append(report.function_calls)
        return float(root)

    monkeypatch.setattr(optimize, "brentq", counting)
    assert sum(theory.optimal_weights(Instance(means, 0))) == pytest.approx(1.0)
    assert max(taken) <= 64


def test_a_pair_worked_by_hand() -> None:
    # N_0 = 4, M = 3: sqrt(2 log 4) = 1.665109, 1 + 2/sqrt(M) = 2.154701,
    # 2 sqrt(log(6)/3) = 1.545643
    pair = hard_pair(0.01, n0=4)
    assert pair.d == pytest.approx(1.665109 * 2.154701 + 1.545643, abs=1e-5)
    assert pair.epsilon == pytest.approx(0.961351, abs=1e-6)  # sqrt(2 log(4)/3)
    assert pair.nu.means == pytest.approx((1 + 0.961351 - 5.133455, 1.0), abs=1e-5)
    assert pair.nu_prime.means == pytest.approx((1.961351, 1.0), abs=1e-6)


def test_a_pair_with_hopeless_arms_and_a_range_of_rho_worked_by_hand() -> None:
    # N_0 = 5, K = 3, M = 3: L = log(2 * 5) = 2.302585, epsilon^2 = log(5)/3
    pair = hard_pair(0.01, alpha=0.5, rho_0=1.0, rho_1=2.0, n_arms=3, n0=5)
    assert pair.d == pytest.approx(1.517427 * 2.154701 + 1.545643, abs=1e-5)
    assert pair.epsilon == pytest.approx(0.732448, abs=1e-6)
    assert pair.nu_prime.means[1:] == pair.nu.means[1:] == (1.0, -100.0)
    assert (pair.nu.best_arm, pair.nu_prime.best_arm) == (1, 0)
    assert pair.event_a_bound == 0.25


def test_n0_is_the_theorems() -> None:
    rows: list[tuple[dict[str, Any], int]] = [
        ({}, 1000),  # delta^(-3/4)
        ({"rho_0": 0.5}, 2000),
        ({"alpha": 0.5}, 10**7),  # delta^(-7/4)
        ({"alpha": 4.0}, 3),  # c = 1/8: delta^(-1/8) = 3.16
        ({"c": 0.49}, 109),  # 10^2.04 = 109.6
    ]
    for options, n0 in rows:
        assert hard_pair(1e-4, **options).n0 == n0


def test_a_fixed_gap_moves_the_best_arm_of_nu_prime_only() -> None:
    proofs = hard_pair(1e-3, n_arms=3)
    pair = hard_pair(1e-3, n_arms=3, gap=0.5)
    assert pair.nu == proofs.nu
    assert pair.nu_prime.means == (1.5, *proofs.nu.means[1:])
    assert pair.d - pair.epsilon == pytest.approx(proofs.d - proofs.epsilon)


@given(
    delta=st.floats(1e-30, 0.01),
    alpha=st.floats(0.2, 2.0),
    rho_1=st.floats(1.0, 3.0),
    n_arms=st.integers(2, 4),
)
def test_the_proofs_bounds_are_bounds(
    delta: float, alpha: float, rho_1: float, n_arms: int
) -> None:
    pair = hard_pair(delta, alpha, 1.0, rho_1, n_arms, n0=10**6, gap=None)
    assert pair.event_b_prime == pytest.approx(norm.cdf(-pair.d), rel=1e-9)
    assert pair.event_b_prime_bound < pair.event_b_prime
    assert pair.event_b_prime < pair.event_b == 0.5
    best, second = sorted(pair.nu.means)[:-3:-1]
    assert best == 1.0 > second


def test_the_band_of_event_a_holds_more_often_than_the_bound() -> None:
    rng = np.random.default_rng(0)
    n = np.arange(1, 201)
    means = rng.standard_normal((4000, 200)).cumsum(axis=1) / n
    within = (np.abs(means) < 2 * np.sqrt(np.log(2 * n) / n)).all(axis=1)
    assert within.mean() - 4 * 0.5 / math.sqrt(4000) > hard_pair(0.01).event_a_bound


def holds(conditions: Sequence[Condition], *where: str) -> list[bool]:
    return [condition.holds for condition in conditions if condition.where in where]


GRID = [
    (exponent, alpha, rho_1, c, n_arms)
    for exponent in (2.0, 6.0, 13.0, 25.0, 60.0, 300.0)
    for alpha in (0.1, 0.6, 1.0)
    for rho_1 in (1.0, 1.6)
    for c in (0.1, 0.25, 0.49)
    for n_arms in (2, 5)
]


def test_the_steps_imply_what_they_are_for() -> None:
    n_implied = n_not = 0
    for exponent, alpha, rho_1, c, n_arms in GRID:
        try:
            pair = hard_pair(10**-exponent, alpha, 1.0, rho_1, n_arms, c=c)
        except InvalidArgumentError:  # N_0 < K, or not finite
            continue
        conditions = proof_conditions(pair)
        steps = [
            each for where in ("146", "147", "148") for each in holds(conditions, f"eq:{where}")
        ]
        assert len(steps) == 6
        if all(steps):
            assert holds(conditions, "events") == [True]
            assert pair.overlap_bound > 2 * pair.delta
            n_implied += 1
        else:
            n_not += 1
    assert n_implied > 20
    assert n_not > 20


def test_all_conditions_hold_for_an_absurdly_small_delta_and_not_before() -> None:
    assert all(condition.holds for condition in proof_conditions(hard_pair(4e-13)))
    failing = [c.where for c in proof_conditions(hard_pair(1e-6)) if not c.holds]
    assert failing == ["eq:146", "eq:148", "events"]


def test_conditions_worked_by_hand() -> None:
    # N_0 = 1000, M = 999, L = 2 log 1000 = 13.815511
    by_name = {c.says: c for c in proof_conditions(hard_pair(1e-4))}
    excess = by_name["d - sqrt(L) < N_0^(-1/4)"]
    assert excess.left == pytest.approx(
        2 * math.sqrt(13.815511 / 999) + 2 * math.sqrt(math.log(1998) / 999), abs=1e-6
    )
    assert excess.right == pytest.approx(0.177828, abs=1e-6)
    # e^-1.5 / (8 sqrt(pi) 10^-1 sqrt(log 1000)) = 0.2231302 / 3.726777
    assert by_name["2^K < the factor before delta"].right == pytest.approx(0.0598721, abs=1e-6)


def test_the_condition_for_hopeless_arms_is_there_for_more_than_two_arms() -> None:
    conditions = {c.where: c for c in proof_conditions(hard_pair(0.001, n_arms=4, n0=100))}
    # 4 sqrt(log 200) + 2 sqrt(2 log 100) = 9.2072 + 6.0697, against 1/delta + 1
    assert conditions["eq:161"].left == pytest.approx(15.27687, abs=1e-4)
    assert conditions["eq:161"].right == 1001.0
    assert "eq:161" not in {c.where for c in proof_conditions(hard_pair(0.001, n0=100))}


def test_the_growth_of_f_is_looked_at_also_where_not_every_n_is() -> None:
    # Beyond 2^17; f grows there, so that the largest of what comes before N_0 is nearly the last.
    condition: Condition = proof_conditions(hard_pair(0.001, n0=10**7))[-1]
    n, m = 10**7 - 1, 10**7 - 2
    root = math.sqrt(2 * math.log(n))
    last = root * (1 + 1 / math.sqrt(m)) + 2 * math.sqrt(math.log(2 * m) / m)
    assert condition.left == pytest.approx(last, abs=1e-9)
    assert condition.holds


def test_the_growth_of_f_is_looked_at_for_every_n() -> None:
    for options in ({"n0": 6}, {"n0": 40, "n_arms": 4}, {"n0": 3000, "alpha": 0.25}):
        pair = hard_pair(0.001, rho_1=2.0, **options)  # type: ignore[arg-type]

        def f(n: int, pair: Any = pair) -> float:
            m = n - pair.n_arms + 1
            root = math.sqrt(2 * pair.alpha * math.log(pair.rho_1 * n))
            return root * (1 + 1 / math.sqrt(m)) + 2 * math.sqrt(math.log(2 * m) / m)

        condition: Condition = proof_conditions(pair)[-1]
        before = [f(n) for n in range(pair.n_arms, pair.n0)]
        assert condition.where == "eq:162"
        assert condition.left == pytest.approx(max(before))
        assert condition.right == pytest.approx(f(pair.n0))
        assert condition.holds == (max(before) < f(pair.n0))
