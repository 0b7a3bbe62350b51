import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from explorative_user_env import theory
from explorative_user_env.population import Population
from explorative_user_env.settings import PRINTED, RELEASED
from explorative_user_env.users import explorative as rules
from explorative_user_env.users.confidence import constant
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.state import blank_state
from explorative_user_env.validation import InvalidArgumentError

TWO = Instance((2.0, 0.0), 0)
THREE = Instance((0.5, 1.0, 0.0), 1)


def close(value: Any, rel: float = 1e-9) -> Any:
    return pytest.approx(value, rel=rel)


def test_acceptances_that_phase_1_needs() -> None:
    assert theory.phase1_acceptances_needed(5, 0.1) == close(100.0)
    assert theory.phase1_acceptances_needed(5, 0.1, alpha=2.0, rho_0=0.5) == close(20.0)
    assert theory.phase1_acceptances_needed(5, 0.1, form="proof") == close(80.0)


@pytest.mark.parametrize(("n1", "bound"), [(100.0, 104), (99.2, 104), (1.0, 5), (0.0, 5)])
def test_acceptances_that_phase_1_can_end_with(n1: float, bound: int) -> None:
    assert theory.phase1_acceptances_bound(n1, 5) == bound


def test_rounds_and_rejections_of_phase_1() -> None:
    # sqrt(2 * 100 * ln 100) = sqrt(921.0340372); e^(1/2) = 1.6487212707
    assert theory.phase1_rounds_bound(100.0, 5, 0.1) == close(30.3485426)
    assert theory.phase1_rejections_bound(100.0, 5, 0.1) == 5 + 5 * (1 + 30) + 4
    printed = theory.printed_phase1_rejections_bound(100.0, 5, 0.1)
    assert printed == close(5 * 1.6487212707 + 5 * 30.3485426)
    # e / 0.5 = 5.4365636569 acceptances; e^(1/2) / 2 is below one
    assert theory.printed_phase1_rejections_bound(100.0, 5, 0.1, 0.5, 0.5) == close(
        5 * 5.4365636569 + 5 * 30.3485426
    )
    assert theory.printed_phase1_rejections_bound(100.0, 5, 0.1, 1.0, 2.0) == close(
        5 + 5 * 30.3485426
    )


@pytest.mark.parametrize(
    ("alpha", "rho_0", "bound"),
    [(1.0, 1.0, 1), (0.5, 0.5, 5), (1.0, 2.0, 0), (1e-4, 1.0, math.inf)],
)
def test_rounds_before_gamma_is_one(alpha: float, rho_0: float, bound: float) -> None:
    assert theory.early_rounds_bound(alpha, rho_0) == bound


def test_error_of_phase_2() -> None:
    assert theory.phase2_error_bound(100.0, 5) == close(0.08)
    assert theory.phase2_error_bound(20.0, 5, alpha=2.0, rho_0=0.5) == close(0.08)
    assert theory.phase2_error_bound(4.0, 5) == 1.0
    assert theory.phase2_error_bound(0.0, 5) == 1.0
    for form, share in (("paper", 0.8), ("proof", 1.0)):
        needed = theory.phase1_acceptances_needed(5, 0.1, 0.7, 1.3, form)  # type: ignore[arg-type]
        assert theory.phase2_error_bound(needed, 5, 0.7, 1.3) == close(0.1 * share)


def test_the_band_of_the_iterated_logarithm() -> None:
    # sqrt(2/3 ln 120), ln 120 = 4.7874917427; sqrt(2 ln 20), ln 20 = 2.9957322736
    assert theory.iterated_log_band(3, 0.1) == close(math.sqrt(2 * 4.7874917427 / 3))
    many = theory.iterated_log_band(np.array([[1, 3]]), 0.1)
    assert many == close(np.array([[2 * 2.9957322736, 2 * 4.7874917427 / 3]]) ** 0.5)


@pytest.mark.slow
def test_gaussian_means_keep_to_the_band() -> None:
    """Of 2000 walks of 2000 steps at delta = 0.3, some leave and less than 0.3 of them."""
    steps = np.arange(1, 2001)
    walks = np.random.default_rng(5).standard_normal((2000, 2000)).cumsum(axis=1) / steps
    left = (np.abs(walks) > theory.iterated_log_band(steps, 0.3)).any(axis=1).sum()
    assert 0 < left / 2000 < 0.3


def test_the_drop_of_the_largest_mean() -> None:
    assert theory.largest_mean_drop(4.0, 16) == close(1.0)
    assert theory.largest_mean_drop(0.0, 1) == 0.0


def test_acceptances_that_make_sure_of_an_elimination() -> None:
    # (Delta/4)^2 = 1/4. 2 ln(20*97*98) = 24.311 > 97/4 and 2 ln(20*98*99) = 24.352 < 98/4;
    # 2 ln(2 (41 + 2*99)) = 12.34 is less.
    assert theory.elimination_bound(2.0, 40.0, 2, 0.1) == 98
    # 8 ln(2 (41 + 2*220)) = 54.952 > 219/4 and 8 ln(2 (41 + 2*221)) = 54.985 < 220/4
    assert theory.elimination_bound(2.0, 40.0, 2, 0.1, alpha=4.0) == 220
    assert theory.elimination_bound(1e9, 40.0, 2, 0.1) == 1


def test_printed_acceptances_of_an_elimination() -> None:
    # 8 ln 160 = 40.6, 16 ln 64 = 66.5, 32 ln(32/sqrt(0.1)) = 32 * 4.6170284 = 147.745
    assert theory.printed_elimination_bound(2.0, 2, 0.1) == 148
    # alpha = 4: 32 ln(2*2*2^1.25/0.1^0.25) = 32*2.8283; 64 ln 64 = 266.17 is the largest
    assert theory.printed_elimination_bound(2.0, 2, 0.1, alpha=4.0) == 267
    # rho_0 = 1e-9: 8 (ln 160 + ln 1e9) = 8 * 25.7984 = 206.39
    assert theory.printed_elimination_bound(2.0, 2, 0.1, rho_0=1e-9) == 207


def test_length_of_phase_2() -> None:
    assert theory.phase2_length_bound(TWO, 40.0, 0.1) == 98 + 98 + 1 + 1
    # With 4001 acceptances from Phase 1 that one arm may have, the other has to catch up.
    assert theory.phase2_length_bound(TWO, 4000.0, 0.1) == 98 + 4001 + 1 + 1
    assert theory.phase2_length_bound(TWO, 4000.0, 0.1, order="round robin") == 98 + 98 + 1 + 1
    assert theory.printed_phase2_length_bound(TWO, 0.1) == 148 + 148 + 1
    near, far = (theory.elimination_bound(gap, 10.0, 3, 0.1) for gap in (0.5, 1.0))
    assert theory.phase2_length_bound(THREE, 10.0, 0.1) == near + far + near + 1 + 2
    near, far = (theory.printed_elimination_bound(gap, 3, 0.1) for gap in (0.5, 1.0))
    assert theory.printed_phase2_length_bound(THREE, 0.1) == 2 * near + far + 2


def test_the_bound_on_all_recommendations_is_the_sum_of_its_parts() -> None:
    # N_1 = 40; sqrt(80 ln 40) = 17.1787763
    bound = theory.upper_bound(TWO, 0.1)
    assert bound == (41, 2 + 2 * (1 + 17) + 1, 198)
    assert bound.total == 278
    printed = theory.printed_upper_bound(TWO, 0.1)
    assert printed == close((40.0, 2 * 1.6487212707 + 2 * 17.1787763, 297.0), rel=1e-7)
    assert theory.upper_bound(TWO, 0.1, n1="proof").phase1_acceptances == 21
    assert theory.upper_bound(TWO, 0.1, n1=4000, order="round robin").phase2_length == 198


def test_the_lower_bound() -> None:
    assert theory.lower_bound(0.01, 0.5, c=0.25) == close(31.6227766)  # 100^(3/4)
    # 32 ln 25 = 32 * 3.2188758
    assert theory.lower_bound(0.01, 0.25, c=0.25) == close(103.0040264, rel=1e-7)
    assert theory.lower_bound(0.01, 5.0, c=0.25, alpha=2.0, rho_0=0.5) == close(6.3245553203)
    assert theory.lower_bound(0.9, 0.001, c=0.25) == close(0.9**-0.75)  # a logarithm below 0
    assert theory.lower_bound(0.01, 0.5, c=0.25, alpha=1e-3) == math.inf


@pytest.mark.parametrize("gap", [1e-6, 0.5, 30.0])
def test_two_arms_take_eight_over_the_gap_squared(gap: float) -> None:
    instance = Instance((0.0, gap), 1)
    assert theory.optimal_weights(instance) == close((0.5, 0.5), rel=1e-14)
    assert theory.characteristic_time(instance) == close(8.0 / gap**2, rel=1e-13)


@pytest.mark.parametrize("n_arms", [3, 5, 100])
def test_equal_gaps_have_a_closed_form(n_arms: int) -> None:
    """By symmetry w_i = x w_*, (K-1) x^2 = 1: T* = 2 (1 + sqrt(K-1))^2 / Delta^2."""
    instance = Instance((0.5, *[0.0] * (n_arms - 1)), 0)
    root = math.sqrt(n_arms - 1)
    weights = theory.optimal_weights(instance)
    assert weights[0] == close(1 / (1 + root))
    assert weights[1:] == close([1 / (root * (1 + root))] * (n_arms - 1))
    assert theory.characteristic_time(instance) == close(8.0 * (1 + root) ** 2)


@pytest.mark.parametrize("means", [(1.0, 0.5, 0.0), (0.0, 0.1, -3.0), (0.3, 0.2, 0.9)])
def test_three_arms_agree_with_a_search_of_the_simplex(means: tuple[float, ...]) -> None:
    """By the definition: weights on a grid, and the worst alternative on a grid of its own."""
    best = means.index(max(means))
    instance = Instance(means, best)
    shares = np.linspace(0.0, 1.0, 201)
    others = [(a, b, 1 - a - b) for a in shares for b in shares if a + b <= 1.0]
    weights = np.array([theory.optimal_weights(instance), *others])
    worst = np.full(len(weights), np.inf)
    for other in {0, 1, 2} - {best}:
        for meeting in np.linspace(means[other], means[best], 801):
            value = (
                weights[:, best] * (means[best] - meeting) ** 2 / 2
                + weights[:, other] * (means[other] - meeting) ** 2 / 2
            )
            worst = np.minimum(worst, value)
    assert worst[0] == close(1.0 / theory.characteristic_time(instance), rel=1e-5)
    assert worst[1:].max() == close(worst[0], rel=1e-2)
    assert worst[1:].max() <= worst[0] * (1 + 1e-5)


def test_the_general_lower_bound_is_above_the_papers_simple_one() -> None:
    assert theory.general_lower_bound(TWO, 0.01) == close(2.0 * 3.2188758249)  # ln 25
    assert theory.general_lower_bound(TWO, 0.3) == 0.0
    assert theory.general_lower_bound(THREE, 0.01) > theory.lower_bound(0.01, 0.5, c=0.49, alpha=9)


def test_the_characteristic_time_is_between_h_and_twice_h() -> None:
    """Garivier and Kaufmann 2016, section 2.2: H <= T* <= 2H with H = sum of 2/Delta_i^2."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        means = tuple(rng.standard_normal(6).tolist())
        instance = Instance(means, means.index(max(means)))
        assert 2 * instance.hardness <= theory.characteristic_time(instance) * (1 + 1e-12)
        assert theory.characteristic_time(instance) <= 4 * instance.hardness
        assert sum(theory.optimal_weights(instance)) == close(1.0)


@pytest.mark.parametrize("setting", [PRINTED, RELEASED], ids=["printed", "released"])
def test_the_user_rejects_an_arm_with_that_many_acceptances(setting: Any) -> None:
    """At the worst ends of the bands and the largest Gamma; and one acceptance less is no proof."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        n_arms, alpha = int(rng.integers(2, 30)), float(rng.choice([0.3, 1.0, 3.0]))
        gap, delta = float(rng.choice([0.05, 0.5, 3.0])), float(rng.choice([0.001, 0.1, 0.9]))
        n1, rho_1 = float(rng.choice([0, 100, 10**6])), float(rng.choice([0.01, 2.0]))
        population = Population(setting=setting, n_arms=n_arms, alpha=alpha, rho=constant(rho_1))
        user = population.user
        state = blank_state(user)
        needed = theory.elimination_bound(gap, n1, n_arms, delta, alpha, rho_1)
        n_i = needed + int(rng.choice([0, 1, needed]))
        n_best = n_i + int(rng.choice([0, 1, 10**4]))
        bands = [theory.iterated_log_band(n, delta / n_arms) for n in (n_best, n_i)]
        for arm, (mean, n) in enumerate([(gap - bands[0], n_best), (bands[1], n_i)]):
            state.estimates[arm], state.counts[arm], state.scales[arm] = mean, n, n**-0.5
        most = theory.phase1_acceptances_bound(n1, n_arms) + n_arms * (n_i + 1)
        state.spread[0] = math.sqrt(max(0.0, 2 * alpha * math.log(rho_1 * most)))
        assert rules.rejects(user, state, 1)


def eliminates(
    m: int, gap: float, n1: int, n_arms: int, delta: float, alpha: float, rho_1: float
) -> bool:
    """Whether Eq. (4c) holds at the worst, by the definitions."""
    most = n1 + n_arms - 1 + n_arms * (m + 1)
    gamma = max(0.0, 2 * alpha * math.log(rho_1 * most))
    return max(theory.iterated_log_band(m, delta / n_arms), math.sqrt(gamma / m)) < gap / 4


def test_the_elimination_bound_is_the_least_that_does() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        n_arms, gap = int(rng.integers(2, 30)), float(rng.uniform(3.0, 30.0))
        alpha, delta = float(rng.choice([0.2, 1.0, 4.0])), float(rng.uniform(0.01, 0.99))
        numbers = (gap, int(rng.choice([1, 7, 500])), n_arms, delta, alpha, 2.0)
        found = theory.elimination_bound(*numbers)
        assert next(m for m in range(1, 2 * found + 1) if eliminates(m, *numbers)) == found


def test_what_eliminates_goes_on_to_where_gamma_is_0_at_first() -> None:
    numbers = (2.0, 40, 2, 0.1, 1e4, 1e-4)
    assert eliminates(98, *numbers)
    assert not eliminates(10_000, *numbers)
    found = theory.elimination_bound(*numbers)
    assert found > 10_000
    assert all(eliminates(m, *numbers) for m in range(found, 20 * found, 100))


Bound = Callable[..., float]
FALLING_IN_DELTA: list[Bound] = [
    lambda delta: theory.phase1_acceptances_needed(5, delta),
    lambda delta: theory.phase1_rounds_bound(100, 5, delta),
    lambda delta: theory.phase1_rejections_bound(100, 5, delta),
    lambda delta: theory.printed_phase1_rejections_bound(100, 5, delta),
    lambda delta: theory.iterated_log_band(7, delta),
    lambda delta: theory.phase2_length_bound(THREE, 100, delta),
    lambda delta: theory.printed_phase2_length_bound(THREE, delta),
    lambda delta: theory.upper_bound(THREE, delta).total,
    lambda delta: theory.printed_upper_bound(THREE, delta).total,
    lambda delta: theory.lower_bound(delta, 0.5, c=0.2),
    lambda delta: theory.general_lower_bound(THREE, delta),
]
RISING_IN_ARMS: list[Bound] = [
    lambda n_arms: theory.phase1_acceptances_needed(n_arms, 0.1),
    lambda n_arms: theory.phase1_acceptances_bound(10, n_arms),
    lambda n_arms: theory.phase1_rounds_bound(100, n_arms, 0.1),
    lambda n_arms: theory.phase1_rejections_bound(100, n_arms, 0.1),
    lambda n_arms: theory.phase2_error_bound(1e5, n_arms),
    lambda n_arms: theory.elimination_bound(0.3, 100, n_arms, 0.1),
    lambda n_arms: theory.printed_elimination_bound(0.3, n_arms, 0.1),
    lambda n_arms: theory.characteristic_time(Instance((1.0, *[0.0] * (n_arms - 1)), 0)),
]
FALLING_IN_GAP: list[Bound] = [
    lambda gap: theory.elimination_bound(gap, 100, 5, 0.1),
    lambda gap: theory.printed_elimination_bound(gap, 5, 0.1),
    lambda gap: theory.lower_bound(0.2, gap, c=0.2, alpha=10),
    lambda gap: theory.characteristic_time(Instance((gap, 0.0, -1.0), 0)),
]


@pytest.mark.parametrize("bound", FALLING_IN_DELTA)
def test_more_confidence_costs_more(bound: Bound) -> None:
    values = [bound(delta) for delta in (0.2, 0.1, 0.01, 1e-6)]
    assert values == sorted(set(values))


@pytest.mark.parametrize("bound", RISING_IN_ARMS)
def test_more_arms_cost_more(bound: Bound) -> None:
    values = [bound(n_arms) for n_arms in (2, 3, 20, 1000)]
    assert values == sorted(set(values))


@pytest.mark.parametrize("bound", FALLING_IN_GAP)
def test_a_wider_gap_costs_less(bound: Bound) -> None:
    values = [bound(gap) for gap in (0.6, 0.5, 0.1, 1e-3)]
    assert values == sorted(set(values))


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: theory.phase1_acceptances_needed(1, 0.1), "n_arms"),
        (lambda: theory.phase1_acceptances_needed(2, 0.0), "delta"),
        (lambda: theory.phase1_acceptances_needed(2, 0.1, alpha=0.0), "alpha"),
        (lambda: theory.phase1_acceptances_needed(2, 0.1, rho_0=-1.0), "rho_0"),
        (lambda: theory.phase1_acceptances_needed(2, 0.1, form="mine"), "form"),  # type: ignore[arg-type]
        (lambda: theory.phase1_acceptances_bound(-1.0, 2), "n1"),
        (lambda: theory.phase1_acceptances_bound(1.0, 1), "n_arms"),
        (lambda: theory.phase1_rounds_bound(math.inf, 2, 0.1), "n1"),
        (lambda: theory.phase1_rounds_bound(1.0, 2, 1.0), "delta"),
        (lambda: theory.phase1_rejections_bound(1.0, 2, 0.1, alpha=0.0), "alpha"),
        (lambda: theory.printed_phase1_rejections_bound(1.0, 2, 0.1, rho_0=0.0), "rho_0"),
        (lambda: theory.early_rounds_bound(alpha=-1.0), "alpha"),
        (lambda: theory.phase2_error_bound(math.nan, 2), "n1"),
        (lambda: theory.phase2_error_bound(1.0, 2, rho_0=0.0), "rho_0"),
        (lambda: theory.elimination_bound(0.0, 1.0, 2, 0.1), "gap"),
        (lambda: theory.elimination_bound(1e-200, 1.0, 2, 0.1), "gap"),
        (lambda: theory.elimination_bound(1.0, 1.0, 2, 0.1, rho_1=0.0), "rho_1"),
        (lambda: theory.printed_elimination_bound(1.0, 2, 0.1, alpha=math.inf), "alpha"),
        (lambda: theory.phase2_length_bound(TWO, 1.0, 0.1, order="mine"), "order"),  # type: ignore[arg-type]
        (lambda: theory.phase2_length_bound(Instance((1.0, 1.0), 0), 1.0, 0.1), "gap"),
        (lambda: theory.upper_bound(TWO, 2.0), "delta"),
        (lambda: theory.upper_bound(TWO, 0.1, n1=-1.0), "n1"),
        (lambda: theory.iterated_log_band(0, 0.1), "n"),
        (lambda: theory.iterated_log_band(np.array([1, 0]), 0.1), "n"),
        (lambda: theory.iterated_log_band(np.array([1.5]), 0.1), "n"),
        (lambda: theory.iterated_log_band(1, 1.5), "delta"),
        (lambda: theory.largest_mean_drop(-1.0, 1), "gamma"),
        (lambda: theory.largest_mean_drop(1.0, 0), "acceptances"),
        (lambda: theory.lower_bound(0.1, 0.5, c=0.5), "c"),
        (lambda: theory.lower_bound(0.1, 0.5, c=0.0), "c"),
        (lambda: theory.lower_bound(0.1, 0.0, c=0.1), "gap"),
        (lambda: theory.characteristic_time(Instance((1.0, 1.0), 0)), "instance"),
        (lambda: theory.optimal_weights(Instance((1.0, 2.0), 0)), "instance"),
        (lambda: theory.general_lower_bound(TWO, 0.0), "delta"),
    ],
)
def test_an_argument_out_of_range_is_named(call: Callable[[], object], argument: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{argument} must be"):
        call()
