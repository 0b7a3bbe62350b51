"""The bounds of the upper theorem: by hand, by simulation and by their definitions."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pairs import pairs

from explorative_user_env import theory
from explorative_user_env.users import model as rules
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.model import blank_state, constant
from explorative_user_env.users.population import PRINTED, RELEASED, Population
from explorative_user_env.validation import InvalidArgumentError

TWO = Instance((2.0, 0.0), 0)
THREE = Instance((0.5, 1.0, 0.0), 1)


def close(value: Any, rel: float = 1e-9) -> Any:
    return pytest.approx(value, rel=rel)


def test_the_band_of_the_iterated_logarithm() -> None:
    # sqrt(2/3 ln 120), ln 120 = 4.7874917427; sqrt(2 ln 20), ln 20 = 2.9957322736
    assert theory.iterated_log_band(3, 0.1) == close(math.sqrt(2 * 4.7874917427 / 3))
    many = theory.iterated_log_band(np.array([[1, 3]]), 0.1)
    assert many == close(np.array([[2 * 2.9957322736, 2 * 4.7874917427 / 3]]) ** 0.5)
    assert theory.largest_mean_drop(4.0, 16) == close(1.0)


@pytest.mark.slow
def test_gaussian_means_keep_to_the_band() -> None:
    """Of 2000 walks of 2000 steps at delta = 0.3, some leave and less than 0.3 of them."""
    steps = np.arange(1, 2001)
    walks = np.random.default_rng(5).standard_normal((2000, 2000)).cumsum(axis=1) / steps
    left = (np.abs(walks) > theory.iterated_log_band(steps, 0.3)).any(axis=1).sum()
    assert 0 < left / 2000 < 0.3


def test_acceptances_rounds_and_rejections_of_phase_1() -> None:
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


def test_error_of_phase_2() -> None:
    assert theory.phase2_error_bound(100.0, 5) == close(0.08)
    assert theory.phase2_error_bound(20.0, 5, alpha=2.0, rho_0=0.5) == close(0.08)
    assert theory.phase2_error_bound(4.0, 5) == theory.phase2_error_bound(0.0, 5) == 1.0
    for form, share in (("paper", 0.8), ("proof", 1.0)):
        needed = theory.phase1_acceptances_needed(5, 0.1, 0.7, 1.3, form)  # type: ignore[arg-type]
        assert theory.phase2_error_bound(needed, 5, 0.7, 1.3) == close(0.1 * share)


def test_acceptances_that_make_sure_of_an_elimination() -> None:
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


def test_every_part_is_that_of_the_user_s_own_numbers() -> None:
    her: dict[str, Any] = {"alpha": 4.0, "rho_0": 0.5, "rho_1": 3.0}
    n1 = 60 ** (1 / 4.0) / 0.5
    assert theory.upper_bound(THREE, 0.1, **her) == (
        theory.phase1_acceptances_bound(n1, 3),
        theory.phase1_rejections_bound(n1, 3, 0.1, alpha=4.0, rho_0=0.5),
        theory.phase2_length_bound(THREE, n1, 0.1, alpha=4.0, rho_1=3.0),
    )
    assert theory.printed_upper_bound(THREE, 0.1, **her) == close(
        (
            n1,
            theory.printed_phase1_rejections_bound(n1, 3, 0.1, alpha=4.0, rho_0=0.5),
            theory.printed_phase2_length_bound(THREE, 0.1, alpha=4.0, rho_0=0.5, rho_1=3.0),
        )
    )
    for bound in (theory.upper_bound, theory.printed_upper_bound):
        for name in her:
            assert bound(THREE, 0.1, **her).total != bound(THREE, 0.1, **her | {name: 1.1}).total


@pytest.mark.parametrize("setting", [PRINTED, RELEASED], ids=["printed", "released"])
def test_the_user_rejects_an_arm_with_that_many_acceptances(setting: Any) -> None:
    """At the worst ends of the bands and the largest Gamma."""
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
    band: float = theory.iterated_log_band(m, delta / n_arms)
    return max(band, math.sqrt(gamma / m)) < gap / 4


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


@pairs(gap=[1e-100, 1e-8, 0.5, 1e100], alpha=[1e-12, 1.0, 1e6], delta=[0.9, 1e-300])
def test_a_bound_of_any_size_is_found(gap: float, alpha: float, delta: float) -> None:
    found = theory.elimination_bound(gap, 10.0, 5, delta, alpha)

    def left(m: int) -> float:
        """Of Delta^2/16 m, beyond both sides of Eq. (4c)."""
        mean = 2 * (math.log(5 * m * (m + 1)) - math.log(delta))
        gamma = 2 * alpha * math.log(2 * (14 + 5 * (m + 1)))
        return m * (gap / 4) ** 2 - max(mean, gamma)

    assert left(found) > 0.0
    assert found == 1 or left(found - 1) <= 1e-9 * found * gap**2


BOUNDS: dict[str, tuple[tuple[float, ...], list[Callable[..., float]]]] = {
    "confidence": (
        (0.2, 0.1, 0.01, 1e-6),
        [
            lambda delta: theory.iterated_log_band(7, delta),
            lambda delta: theory.phase1_rejections_bound(100, 5, delta),
            lambda delta: theory.upper_bound(THREE, delta).total,
            lambda delta: theory.printed_upper_bound(THREE, delta).total,
            lambda delta: theory.lower_bound(delta, 0.5, c=0.2),
            lambda delta: theory.general_lower_bound(THREE, delta),
        ],
    ),
    "arms": (
        (2, 3, 20, 1000),
        [
            lambda n_arms: theory.phase1_rejections_bound(100, n_arms, 0.1),
            lambda n_arms: theory.phase2_error_bound(1e5, n_arms),
            lambda n_arms: theory.elimination_bound(0.3, 100, n_arms, 0.1),
            lambda n_arms: theory.printed_elimination_bound(0.3, n_arms, 0.1),
            lambda n_arms: theory.characteristic_time(Instance((1.0, *[0.0] * (n_arms - 1)), 0)),
        ],
    ),
    "a smaller gap": (
        (0.6, 0.5, 0.1, 1e-3),
        [
            lambda gap: theory.elimination_bound(gap, 100, 5, 0.1),
            lambda gap: theory.printed_elimination_bound(gap, 5, 0.1),
            lambda gap: theory.lower_bound(0.2, gap, c=0.2, alpha=10),
            lambda gap: theory.characteristic_time(Instance((gap, 0.0, -1.0), 0)),
        ],
    ),
}


@pytest.mark.parametrize("what", BOUNDS)
def test_more_confidence_more_arms_and_a_smaller_gap_cost_more(what: str) -> None:
    arguments, bounds = BOUNDS[what]
    for bound in bounds:
        values = [bound(argument) for argument in arguments]
        assert values == sorted(set(values))


REFUSED: list[tuple[str, Callable[[], object]]] = [
    ("n", lambda: theory.iterated_log_band(0, 0.1)),
    ("n", lambda: theory.iterated_log_band(np.array([1, 0]), 0.1)),
    ("n", lambda: theory.iterated_log_band(np.array([1.5]), 0.1)),
    ("delta", lambda: theory.iterated_log_band(1, 1.5)),
    ("gamma", lambda: theory.largest_mean_drop(-1.0, 1)),
    ("acceptances", lambda: theory.largest_mean_drop(1.0, 0)),
    ("n_arms", lambda: theory.phase1_acceptances_needed(1, 0.1)),
    ("alpha", lambda: theory.phase1_acceptances_needed(2, 0.1, alpha=0.0)),
    ("form", lambda: theory.phase1_acceptances_needed(2, 0.1, form="mine")),  # type: ignore[arg-type]
    ("n1", lambda: theory.phase1_acceptances_bound(-1.0, 2)),
    ("n1", lambda: theory.phase1_rounds_bound(math.inf, 2, 0.1)),
    ("rho_0", lambda: theory.printed_phase1_rejections_bound(1.0, 2, 0.1, rho_0=0.0)),
    ("alpha", lambda: theory.early_rounds_bound(alpha=-1.0)),
    ("n1", lambda: theory.phase2_error_bound(math.nan, 2)),
    ("gap", lambda: theory.elimination_bound(1e-200, 1.0, 2, 0.1)),
    ("rho_1", lambda: theory.elimination_bound(1.0, 1.0, 2, 0.1, rho_1=0.0)),
    ("alpha", lambda: theory.elimination_bound(1e-100, 10.0, 5, 0.1, 1e250)),
    ("alpha", lambda: theory.printed_elimination_bound(1.0, 2, 0.1, alpha=math.inf)),
    ("order", lambda: theory.phase2_length_bound(TWO, 1.0, 0.1, order="mine")),  # type: ignore[arg-type]
    ("gap", lambda: theory.phase2_length_bound(Instance((1.0, 1.0), 0), 1.0, 0.1)),
    ("delta", lambda: theory.upper_bound(TWO, 2.0)),
    ("n1", lambda: theory.upper_bound(TWO, 0.1, n1=-1.0)),
    ("c", lambda: theory.lower_bound(0.1, 0.5, c=0.5)),
    ("gap", lambda: theory.lower_bound(0.1, 0.0, c=0.1)),
    ("instance", lambda: theory.characteristic_time(Instance((1.0, 1.0), 0))),
    ("delta", lambda: theory.general_lower_bound(TWO, 0.0)),
    ("delta", lambda: theory.hard_pair(0.5)),  # N_0 = 1 < K
    ("delta", lambda: theory.hard_pair(1e-300, alpha=0.1)),  # N_0 is not finite
    ("rho_0", lambda: theory.hard_pair(0.1, rho_0=0.1, n0=10)),  # log(rho_0 N_0) = 0
    ("rho_1", lambda: theory.hard_pair(0.1, rho_0=2.0, rho_1=1.0)),
    ("n_arms", lambda: theory.hard_pair(0.1, n_arms=1)),
    ("n0", lambda: theory.hard_pair(0.1, n_arms=5, n0=4)),
    ("c", lambda: theory.hard_pair(0.1, alpha=4.0, c=0.3)),
    ("gap", lambda: theory.hard_pair(0.1, gap=0.0)),
]


def test_an_argument_out_of_range_is_named() -> None:
    for argument, call in REFUSED:
        with pytest.raises(InvalidArgumentError, match=f"^{argument} must be"):
            call()
