import math
from collections.abc import Sequence
from typing import Any

import pytest

from explorative_user_env.theory import Condition, hard_pair, proof_conditions
from explorative_user_env.validation import InvalidArgumentError


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


@pytest.mark.parametrize("options", [{}, {"n_arms": 4}, {"alpha": 0.25}, {"rho_1": 2.0}])
@pytest.mark.parametrize("n0", [6, 40, 3000, 6000])
def test_the_growth_of_f_is_looked_at_for_every_n(options: dict[str, Any], n0: int) -> None:
    pair = hard_pair(0.001, n0=n0, **options)

    def f(n: int) -> float:
        m = n - pair.n_arms + 1
        root = math.sqrt(2 * pair.alpha * math.log(pair.rho_1 * n))
        return root * (1 + 1 / math.sqrt(m)) + 2 * math.sqrt(math.log(2 * m) / m)

    condition: Condition = proof_conditions(pair)[-1]
    assert condition.where == "eq:162"
    assert condition.left == pytest.approx(max(f(n) for n in range(pair.n_arms, n0)))
    assert condition.right == pytest.approx(f(n0))
    assert condition.holds == all(f(n) < f(n0) for n in range(pair.n_arms, n0))
