import math

import pandas as pd
import pytest
from scipy.stats import norm

from explorative_user_env.agents import Uniform
from explorative_user_env.seeding import user_seeds
from explorative_user_env.studies.lower_bound import (
    histories,
    overlap,
    overlap_probability,
    rejected_below,
)
from explorative_user_env.theory import hard_pair
from explorative_user_env.users.model import constant
from explorative_user_env.validation import InvalidArgumentError


def test_overlap_frames_do_not_depend_on_company_and_fall_with_n0() -> None:
    frame = overlap([30, 3, 10], alpha=0.25, gap=0.5, n_instances=300, seed=4)
    assert frame["n0"].tolist() == [3, 10, 30]
    assert frame["overlap"].is_monotonic_decreasing
    assert (frame["nu_prime"] <= frame["same"]).all()
    assert frame["delta"].tolist() == pytest.approx(
        [3 ** -(1 / 3.75), 10 ** -(1 / 3.75), 30 ** -(1 / 3.75)]
    )
    alone = overlap([3], alpha=0.25, gap=0.5, n_instances=300, seed=4)
    pd.testing.assert_frame_equal(
        frame[["nu", "nu_prime", "same"]].head(1), alone[["nu", "nu_prime", "same"]]
    )


def test_a_row_has_the_numbers_of_its_pair() -> None:
    told: list[tuple[str, int, int]] = []
    row, more = overlap(
        [10, 12], alpha=0.25, gap=0.5, n_instances=50, n_paths=400,
        progress=lambda *what: told.append(what),
    ).to_dict("records")  # fmt: skip
    log_n0 = 2 * 0.25 * math.log(10)
    own_gap = math.sqrt(log_n0 / 9)  # 9 = N_0 - K + 1
    d = math.sqrt(log_n0) * (1 + 2 / 3) + 2 * math.sqrt(math.log(18) / 9) - own_gap + 0.5
    assert (row["d"], row["epsilon"]) == (pytest.approx(d), 0.5)
    assert row["event_b_prime"] == pytest.approx(norm.cdf(-d))
    assert row["overlap_bound"] == pytest.approx(norm.cdf(-d) / 2)
    assert row["twice_delta"] == pytest.approx(2 * 10 ** -(1 / 3.75))
    assert row["conditions"] is False  # they hold for far smaller delta only
    assert row["overlap_low"] < row["overlap"] < row["overlap_high"]
    assert row["nu_low"] < row["nu"] < row["nu_high"]
    assert row["d"] != more["d"]
    assert told == [("N_0 = 10", 0, 2), ("N_0 = 12", 1, 2), ("", 2, 2)]


def test_the_least_probability_for_any_agent_is_the_one_worked_out_by_hand() -> None:
    # N_0 = 3: arm 1 is tried again once, at n = 2; see the same in test_shared_history.py.
    s = math.sqrt(0.5 * math.log(2))
    exact = norm.cdf((1.0 - 1.5 - 2 * s) / math.sqrt(2))
    (row,) = overlap([3], alpha=0.25, gap=0.5, n_instances=1, n_paths=20_000, seed=5).to_dict(
        "records"
    )
    four_sigma = 2 * (row["overlap_high"] - row["overlap_low"]) / 1.96
    assert abs(row["overlap"] - exact) < four_sigma < 0.01


def test_users_have_the_schedule_and_the_bound_its_greatest_value() -> None:
    alpha, steps = 0.25, 2 * (10 - 2) + 2
    (row,) = overlap(
        [10], alpha=alpha, rho="acceptance_rate", gap=0.5, n_instances=400, n_paths=500, seed=3
    ).to_dict("records")
    pair = hard_pair(row["delta"], alpha, 1.0, 2.0, 2, n0=10, gap=0.5)
    agent, seeds = Uniform(horizon=steps), user_seeds(3, 400)
    met, others = (histories(pair, agent, steps, seeds, rho) for rho in ("acceptance_rate", 2.0))
    assert row["nu"] == met.only_arm_2.mean() != others.only_arm_2.mean()
    (bounds,) = rejected_below([10], alpha, 2.0, 2, 500, 3)
    assert row["overlap"] == overlap_probability(bounds, pair.nu_prime).mean()


def test_a_delta_that_no_n0_belongs_to_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="n0s must be above 1/rho_0"):
        overlap([2], rho=constant(0.5))
