"""The bounds of the theorems, the hard instances of the lower one and its proof's conditions."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from one_user import hand_made
from scipy.stats import norm

from explorative_user_env import theory
from explorative_user_env.theory import hard_pair, proof_conditions
from explorative_user_env.users import model as rules
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError

TWO = Instance((2.0, 0.0), 0)
THREE = Instance((0.5, 1.0, 0.0), 1)


def close(value, rel=1e-9):
    return pytest.approx(value, rel=rel)


def test_the_band_of_the_iterated_logarithm():
    # sqrt(2/3 ln 120), ln 120 = 4.7874917427; sqrt(2 ln 20), ln 20 = 2.9957322736
    assert theory.iterated_log_band(3, 0.1) == close(math.sqrt(2 * 4.7874917427 / 3))
    many = theory.iterated_log_band(np.array([[1, 3]]), 0.1)
    assert many == close(np.array([[2 * 2.9957322736, 2 * 4.7874917427 / 3]]) ** 0.5)
    assert theory.largest_mean_drop(4.0, 16) == close(1.0)


def test_acceptances_rounds_and_rejections_of_phase_1():
    assert theory.phase1_acceptances_needed(5, 0.1) == close(100.0)
    assert theory.phase1_acceptances_needed(5, 0.1, alpha=2.0, rho_0=0.5) == close(20.0)
    assert theory.phase1_acceptances_needed(5, 0.1, form="proof") == close(80.0)
    ends = [theory.phase1_acceptances_bound(n1, 5) for n1 in (100.0, 99.2, 1.0, 0.0)]
    assert ends == [104, 104, 5, 5]
    # sqrt(2 * 100 * ln 100) = sqrt(921.0340372); e^(1/2) = 1.6487212707
    assert theory.phase1_rounds_bound(100.0, 5, 0.1) == close(30.3485426)
    assert theory.phase1_rejections_bound(100.0, 5, 0.1) == 5 + 5 * (1 + 30) + 4
    # e / 0.5 = 5.4365636569 acceptances; e^(1/2) / 2 is below one
    for numbers, settled in (((), 1.6487212707), ((0.5, 0.5), 5.4365636569), ((1.0, 2.0), 1.0)):
        printed = theory.printed_phase1_rejections_bound(100.0, 5, 0.1, *numbers)
        assert printed == close(5 * settled + 5 * 30.3485426)
    early = [theory.early_rounds_bound(*of) for of in ((), (0.5, 0.5), (1.0, 2.0), (1e-4, 1.0))]
    assert early == [1, 5, 0, math.inf]


def test_error_of_phase_2():
    assert theory.phase2_error_bound(100.0, 5) == close(0.08)
    assert theory.phase2_error_bound(20.0, 5, alpha=2.0, rho_0=0.5) == close(0.08)
    assert theory.phase2_error_bound(4.0, 5) == theory.phase2_error_bound(0.0, 5) == 1.0
    for form, share in (("paper", 0.8), ("proof", 1.0)):
        needed = theory.phase1_acceptances_needed(5, 0.1, 0.7, 1.3, form)
        assert theory.phase2_error_bound(needed, 5, 0.7, 1.3) == close(0.1 * share)


def test_acceptances_that_make_sure_of_an_elimination():
    # (Delta/4)^2 = 1/4. 2 ln(20*97*98) = 24.311 > 97/4 and 2 ln(20*98*99) = 24.352 < 98/4;
    # 2 ln(2 (41 + 2*99)) = 12.34 is less.
    assert theory.elimination_bound(2.0, 40.0, 2, 0.1) == 98
    # 8 ln(2 (41 + 2*220)) = 54.952 > 219/4 and 8 ln(2 (41 + 2*221)) = 54.985 < 220/4
    assert theory.elimination_bound(2.0, 40.0, 2, 0.1, alpha=4.0) == 220
    assert theory.elimination_bound(1e9, 40.0, 2, 0.1) == 1
    # Printed: 8 ln 160 = 40.6, 16 ln 64 = 66.5, 32 ln(32/sqrt(0.1)) = 32 * 4.6170284 = 147.745
    assert theory.printed_elimination_bound(2.0, 2, 0.1) == 148
    # alpha = 4: 32 ln(2*2*2^1.25/0.1^0.25) = 32*2.8283; 64 ln 64 = 266.17 is the largest
    assert theory.printed_elimination_bound(2.0, 2, 0.1, alpha=4.0) == 267
    # rho_0 = 1e-9: 8 (ln 160 + ln 1e9) = 8 * 25.7984 = 206.39
    assert theory.printed_elimination_bound(2.0, 2, 0.1, rho_0=1e-9) == 207


def test_length_of_phase_2():
    assert theory.phase2_length_bound(TWO, 40.0, 0.1) == 98 + 98 + 1 + 1
    # With 4001 acceptances from Phase 1 that one arm may have, the other has to catch up.
    assert theory.phase2_length_bound(TWO, 4000.0, 0.1) == 98 + 4001 + 1 + 1
    assert theory.phase2_length_bound(TWO, 4000.0, 0.1, order="round robin") == 98 + 98 + 1 + 1
    assert theory.printed_phase2_length_bound(TWO, 0.1) == 148 + 148 + 1
    near, far = (theory.elimination_bound(gap, 10.0, 3, 0.1) for gap in (0.5, 1.0))
    assert theory.phase2_length_bound(THREE, 10.0, 0.1) == near + far + near + 1 + 2
    near, far = (theory.printed_elimination_bound(gap, 3, 0.1) for gap in (0.5, 1.0))
    assert theory.printed_phase2_length_bound(THREE, 0.1) == 2 * near + far + 2


def test_the_bound_on_all_recommendations_is_the_sum_of_its_parts():
    # N_1 = 40; sqrt(80 ln 40) = 17.1787763
    bound = theory.upper_bound(TWO, 0.1)
    assert bound == (41, 2 + 2 * (1 + 17) + 1, 198)
    assert bound.total == 278
    printed = theory.printed_upper_bound(TWO, 0.1)
    assert printed == close((40.0, 2 * 1.6487212707 + 2 * 17.1787763, 297.0), rel=1e-7)
    assert theory.upper_bound(TWO, 0.1, n1="proof").phase1_acceptances == 21
    assert theory.upper_bound(TWO, 0.1, n1=4000, order="round robin").phase2_length == 198
    # Every part is that of the user's own numbers.
    her = {"alpha": 4.0, "rho_0": 0.5, "rho_1": 3.0}
    n1 = 60 ** (1 / 4.0) / 0.5
    assert theory.upper_bound(THREE, 0.1, **her) == (
        theory.phase1_acceptances_bound(n1, 3),
        theory.phase1_rejections_bound(n1, 3, 0.1, alpha=4.0, rho_0=0.5),
        theory.phase2_length_bound(THREE, n1, 0.1, alpha=4.0, rho_1=3.0),
    )


def test_the_user_rejects_an_arm_with_that_many_acceptances(setting):
    """At the worst ends of the bands and the largest Gamma."""
    rng = np.random.default_rng(3)
    for _ in range(100):
        n_arms, alpha = int(rng.integers(2, 30)), float(rng.choice([0.3, 1.0, 3.0]))
        gap, delta = float(rng.choice([0.05, 0.5, 3.0])), float(rng.choice([0.001, 0.1, 0.9]))
        n1, rho_1 = float(rng.choice([0, 100, 10**6])), float(rng.choice([0.01, 2.0]))
        needed = theory.elimination_bound(gap, n1, n_arms, delta, alpha, rho_1)
        n_i = needed + int(rng.choice([0, 1, needed]))
        n_best = n_i + int(rng.choice([0, 1, 10**4]))
        bands = [theory.iterated_log_band(n, delta / n_arms) for n in (n_best, n_i)]
        most = theory.phase1_acceptances_bound(n1, n_arms) + n_arms * (n_i + 1)
        spread = math.sqrt(max(0.0, 2 * alpha * math.log(rho_1 * most)))
        user, state = hand_made(setting, [gap - bands[0], bands[1]], [n_best, n_i], spread)
        assert rules.rejects(user, state, 1)


def eliminates(m, gap, n1, n_arms, delta, alpha, rho_1):
    """Whether Eq. (4c) holds at the worst, by the definitions."""
    most = n1 + n_arms - 1 + n_arms * (m + 1)
    gamma = max(0.0, 2 * alpha * math.log(rho_1 * most))
    band = theory.iterated_log_band(m, delta / n_arms)
    return max(band, math.sqrt(gamma / m)) < gap / 4


def test_the_elimination_bound_is_the_least_that_does():
    rng = np.random.default_rng(2)
    for _ in range(100):
        n_arms, gap = int(rng.integers(2, 30)), float(rng.uniform(3.0, 30.0))
        alpha, delta = float(rng.choice([0.2, 1.0, 4.0])), float(rng.uniform(0.01, 0.99))
        numbers = (gap, int(rng.choice([1, 7, 500])), n_arms, delta, alpha, 2.0)
        found = theory.elimination_bound(*numbers)
        assert next(m for m in range(1, 2 * found + 1) if eliminates(m, *numbers)) == found


@pytest.mark.slow
def test_what_eliminates_goes_on_to_where_gamma_is_0_at_first():
    numbers = (2.0, 40, 2, 0.1, 1e4, 1e-4)
    assert eliminates(98, *numbers)
    assert not eliminates(10_000, *numbers)
    found = theory.elimination_bound(*numbers)
    assert found > 10_000
    assert all(eliminates(m, *numbers) for m in range(found, 20 * found, 100))


def test_the_lower_bound():
    assert theory.lower_bound(0.01, 0.5, c=0.25) == close(31.6227766)  # 100^(3/4)
    # 32 ln 25 = 32 * 3.2188758
    assert theory.lower_bound(0.01, 0.25, c=0.25) == close(103.0040264, rel=1e-7)
    assert theory.lower_bound(0.01, 5.0, c=0.25, alpha=2.0, rho_0=0.5) == close(6.3245553203)
    assert theory.lower_bound(0.9, 0.001, c=0.25) == close(0.9**-0.75)  # a logarithm below 0
    assert theory.lower_bound(0.01, 0.5, c=0.25, alpha=1e-3) == math.inf


@pytest.mark.parametrize(
    "means", [(0.3, 0.2, 0.9), (0.0, 1.0, 1.0 - 1e-4, 0.5), (0.0, 1e-6), (0.5, *[0.0] * 99)]
)
def test_no_weights_tell_the_best_arm_apart_sooner(means):
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


def test_the_general_lower_bound_is_above_the_papers_simple_one():
    assert theory.general_lower_bound(TWO, 0.01) == close(2.0 * 3.2188758249)  # ln 25
    assert theory.general_lower_bound(TWO, 0.3) == 0.0
    assert theory.general_lower_bound(THREE, 0.01) > theory.lower_bound(0.01, 0.5, c=0.49, alpha=9)


def test_a_pair_worked_by_hand():
    # N_0 = 4, M = 3: sqrt(2 log 4) = 1.665109, 1 + 2/sqrt(M) = 2.154701,
    # 2 sqrt(log(6)/3) = 1.545643
    pair = hard_pair(0.01, n0=4)
    assert pair.d == pytest.approx(1.665109 * 2.154701 + 1.545643, abs=1e-5)
    assert pair.epsilon == pytest.approx(0.961351, abs=1e-6)  # sqrt(2 log(4)/3)
    assert pair.nu.means == pytest.approx((1 + 0.961351 - 5.133455, 1.0), abs=1e-5)
    assert pair.nu_prime.means == pytest.approx((1.961351, 1.0), abs=1e-6)
    # N_0 = 5, K = 3, M = 3: L = log(2 * 5) = 2.302585, epsilon^2 = log(5)/3
    pair = hard_pair(0.01, alpha=0.5, rho_0=1.0, rho_1=2.0, n_arms=3, n0=5)
    assert pair.d == pytest.approx(1.517427 * 2.154701 + 1.545643, abs=1e-5)
    assert pair.epsilon == pytest.approx(0.732448, abs=1e-6)
    assert pair.nu_prime.means[1:] == pair.nu.means[1:] == (1.0, -100.0)
    assert (pair.nu.best_arm, pair.nu_prime.best_arm) == (1, 0)
    assert pair.event_a_bound == 0.25


def test_n0_is_the_theorems_and_a_gap_may_be_fixed():
    assert hard_pair(1e-4).n0 == 1000  # delta^(-3/4)
    assert hard_pair(1e-4, rho_0=0.5).n0 == 2000
    assert hard_pair(1e-4, alpha=0.5).n0 == 10**7  # delta^(-7/4)
    assert hard_pair(1e-4, alpha=4.0).n0 == 3  # c = 1/8: delta^(-1/8) = 3.16
    assert hard_pair(1e-4, c=0.49).n0 == 109  # 10^2.04 = 109.6
    # A fixed gap moves the best arm of nu' only.
    proofs, pair = hard_pair(1e-3, n_arms=3), hard_pair(1e-3, n_arms=3, gap=0.5)
    assert pair.nu == proofs.nu
    assert pair.nu_prime.means == (1.5, *proofs.nu.means[1:])
    assert pair.d - pair.epsilon == pytest.approx(proofs.d - proofs.epsilon)


def test_the_proofs_bounds_are_bounds():
    options = itertools.product((1e-30, 1e-9, 0.01), (0.2, 0.7, 2.0), (1.0, 3.0), (2, 4))
    for delta, alpha, rho_1, n_arms in options:
        pair = hard_pair(delta, alpha, 1.0, rho_1, n_arms, n0=10**6)
        assert pair.event_b_prime == pytest.approx(norm.cdf(-pair.d), rel=1e-9)
        assert pair.event_b_prime_bound < pair.event_b_prime < pair.event_b == 0.5
        assert max(pair.nu.means) == 1.0


def test_all_conditions_hold_for_an_absurdly_small_delta_and_not_before():
    assert all(condition.holds for condition in proof_conditions(hard_pair(4e-13)))
    failing = [c.where for c in proof_conditions(hard_pair(1e-6)) if not c.holds]
    assert failing == ["eq:146", "eq:148", "events"]


def test_conditions_worked_by_hand():
    # N_0 = 1000, M = 999, L = 2 log 1000 = 13.815511
    by_name = {c.says: c for c in proof_conditions(hard_pair(1e-4))}
    excess = by_name["d - sqrt(L) < N_0^(-1/4)"]
    assert excess.left == pytest.approx(
        2 * math.sqrt(13.815511 / 999) + 2 * math.sqrt(math.log(1998) / 999), abs=1e-6
    )
    assert excess.right == pytest.approx(0.177828, abs=1e-6)
    # e^-1.5 / (8 sqrt(pi) 10^-1 sqrt(log 1000)) = 0.2231302 / 3.726777
    assert by_name["2^K < the factor before delta"].right == pytest.approx(0.0598721, abs=1e-6)
    # For hopeless arms: 4 sqrt(log 200) + 2 sqrt(2 log 100) = 9.2072 + 6.0697, against 1/delta + 1
    conditions = {c.where: c for c in proof_conditions(hard_pair(0.001, n_arms=4, n0=100))}
    assert conditions["eq:161"].left == pytest.approx(15.27687, abs=1e-4)
    assert conditions["eq:161"].right == 1001.0
    assert "eq:161" not in {c.where for c in proof_conditions(hard_pair(0.001, n0=100))}


def test_the_growth_of_f_is_looked_at_for_every_n():
    for options in ({"n0": 6}, {"n0": 40, "n_arms": 4}, {"n0": 3000, "alpha": 0.25}):
        pair = hard_pair(0.001, rho_1=2.0, **options)
        n = np.arange(pair.n_arms, pair.n0 + 1)
        m = n - pair.n_arms + 1
        root = np.sqrt(2 * pair.alpha * np.log(pair.rho_1 * n))
        f = root * (1 + 1 / np.sqrt(m)) + 2 * np.sqrt(np.log(2 * m) / m)
        condition = proof_conditions(pair)[-1]
        assert condition.where == "eq:162"
        assert condition.left == pytest.approx(f[:-1].max())
        assert condition.right == pytest.approx(f[-1])
        assert condition.holds == (f[:-1].max() < f[-1])


def test_an_argument_out_of_range_is_named(subtests):
    tied = Instance((1.0, 1.0), 0)
    rows = [
        ("n", theory.iterated_log_band, (np.array([1, 0]), 0.1), {}),
        ("gamma", theory.largest_mean_drop, (-1.0, 1), {}),
        ("n_arms", theory.phase1_acceptances_needed, (1, 0.1), {}),
        ("form", theory.phase1_acceptances_needed, (2, 0.1), {"form": "mine"}),
        ("n1", theory.phase1_rounds_bound, (math.inf, 2, 0.1), {}),
        ("gap", theory.elimination_bound, (1e-200, 1.0, 2, 0.1), {}),
        ("alpha", theory.elimination_bound, (1e-100, 10.0, 5, 0.1, 1e250), {}),
        ("order", theory.phase2_length_bound, (TWO, 1.0, 0.1), {"order": "mine"}),
        ("delta", theory.upper_bound, (TWO, 2.0), {}),
        ("c", theory.lower_bound, (0.1, 0.5), {"c": 0.5}),
        ("instance", theory.characteristic_time, (tied,), {}),
        ("delta", hard_pair, (0.5,), {}),  # N_0 = 1 < K
        ("delta", hard_pair, (1e-300,), {"alpha": 0.1}),  # N_0 is not finite
        ("rho_0", hard_pair, (0.1,), {"rho_0": 0.1, "n0": 10}),  # log(rho_0 N_0) = 0
        ("rho_1", hard_pair, (0.1,), {"rho_0": 2.0, "rho_1": 1.0}),
        ("n0", hard_pair, (0.1,), {"n_arms": 5, "n0": 4}),
    ]
    for argument, function, values, named in rows:
        refused = pytest.raises(InvalidArgumentError, match=f"^{argument} must be")
        with subtests.test(argument, function=function.__name__), refused:
            function(*values, **named)
