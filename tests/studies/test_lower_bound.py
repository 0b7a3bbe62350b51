import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from explorative_user_env import Instance
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.display.tables import markdown
from explorative_user_env.evaluation import evaluate
from explorative_user_env.seeding import user_generator, user_seeds
from explorative_user_env.studies import lower_bound as module
from explorative_user_env.studies.lower_bound import histories, overlap, success
from explorative_user_env.theory import hard_pair
from explorative_user_env.users.model import ACCEPTANCE_RATE, constant
from explorative_user_env.validation import InvalidArgumentError

SEEDS = user_seeds(11, 4000)


def four_errors(share, n):
    return 4 * math.sqrt(share * (1 - share) / n)


PAIR = hard_pair(0.1, alpha=0.25, n0=10, gap=0.5)


def slow_history(instance, alpha, steps, seed):
    """UNI's responses from a user with rho_t = 1, by the definitions, one thing after another."""
    noise = user_generator(seed)
    rewards = [[] for _ in instance.means]
    responses = []
    for step in range(steps):
        arm = step % instance.n_arms
        mine, others = rewards[arm], rewards[:arm] + rewards[arm + 1 :]
        gamma = 2 * alpha * math.log(max(1, sum(map(len, rewards))))
        accepted = True
        for seen in others:
            if seen and mine:
                lcb = sum(seen) / len(seen) - math.sqrt(gamma / len(seen))
                accepted &= lcb < sum(mine) / len(mine) + math.sqrt(gamma / len(mine))
        if accepted:
            mine.append(instance.means[arm] + noise.standard_normal())
        responses.append(accepted)
    return responses


@pytest.mark.slow
def test_histories_are_those_of_a_slow_double_simulation():
    seeds = SEEDS[:150]
    for n_arms in (2, 3):
        pair = hard_pair(0.1, alpha=0.25, n_arms=n_arms, n0=6, gap=0.5)
        steps = n_arms * (6 - n_arms) + 2
        found = histories(pair, Uniform(horizon=steps), steps, seeds)
        foreseen = [step < n_arms or step % n_arms == 1 for step in range(steps)]
        assert sum(foreseen) == 6  # N_0 acceptances
        nus = [slow_history(pair.nu, 0.25, steps, seed) for seed in seeds]
        primes = [slow_history(pair.nu_prime, 0.25, steps, seed) for seed in seeds]
        assert found.same.tolist() == [nu == prime for nu, prime in zip(nus, primes, strict=True)]
        assert found.only_arm_2.tolist() == [nu == foreseen for nu in nus]
        assert found.only_arm_2_prime.tolist() == [prime == foreseen for prime in primes]
        assert 0 < found.same.sum() < 50


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "n_arms", "rho", "high"),
    [(BAIR(n1=10), 2, 1.0, 1.0), (Uniform(horizon=99), 4, ACCEPTANCE_RATE, 2.0)],
)
def test_no_agent_has_the_history_less_often_than_the_bound(agent, n_arms, rho, high):
    pair = hard_pair(0.1, alpha=0.25, rho_1=high, n_arms=n_arms, n0=12, gap=0.5)
    found = histories(pair, agent, 12, SEEDS, rho)  # 12 steps have at most N_0 acceptances
    rejected = module.rejected_below([12], 0.25, high, n_arms, 20_000, 0)
    bound = module.overlap_probability(rejected, pair.nu_prime).mean()
    assert bound > 0.005
    assert found.only_arm_2_prime.mean() > bound - four_errors(bound, len(SEEDS))


def test_paths_are_those_of_a_slow_simulation_in_blocks_and_at_once(monkeypatch):
    whole = module.rejected_below([3, 5, 40], 0.5, 1.5, 3, 1, 2)
    monkeypatch.setattr(module, "REWARDS_AT_ONCE", 7)
    assert module.rejected_below([3, 5, 40], 0.5, 1.5, 3, 1, 2) == pytest.approx(whole)
    noise = np.random.default_rng(2).standard_normal(38)
    slow = [
        1 + noise[:m].mean() - math.sqrt(math.log(1.5 * (m + 2))) * (1 + 1 / math.sqrt(m))
        for m in range(1, 39)
    ]
    assert whole[:, 0] == pytest.approx([min(slow[:1]), min(slow[:3]), min(slow)])


def test_overlaps_do_not_depend_on_company_and_fall_with_n0():
    options = {"alpha": 0.25, "gap": 0.5, "n_instances": 300, "seed": 4}
    frame = overlap([30, 3, 10], **options)
    assert frame["overlap"].is_monotonic_decreasing
    assert (frame["nu_prime"] <= frame["same"]).all()
    users = ["delta", "nu", "nu_prime", "same"]
    pd.testing.assert_frame_equal(frame[users].head(1), overlap([3], **options)[users])
    row = frame.iloc[1]
    log_n0 = 2 * 0.25 * math.log(10)
    own_gap = math.sqrt(log_n0 / 9)  # 9 = N_0 - K + 1
    d = math.sqrt(log_n0) * (1 + 2 / 3) + 2 * math.sqrt(math.log(18) / 9) - own_gap + 0.5
    assert (row["d"], row["epsilon"]) == (pytest.approx(d), 0.5)
    assert row["event_b_prime"] == pytest.approx(norm.cdf(-d))
    assert row["overlap_bound"] == pytest.approx(norm.cdf(-d) / 2)
    assert row["twice_delta"] == pytest.approx(2 * 10 ** -(1 / 3.75))
    for name in ("overlap", "nu"):
        assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]


def test_users_have_the_schedule_and_the_bound_its_greatest_value():
    users = {"alpha": 0.25, "rho": "acceptance_rate", "gap": 0.5, "n_instances": 400}
    row = overlap([10], n_paths=500, seed=3, **users).iloc[0]
    pair = hard_pair(row["delta"], 0.25, 1.0, 2.0, 2, n0=10, gap=0.5)
    agent, seeds = Uniform(horizon=18), user_seeds(3, 400)  # 18 = 2 (N_0 - 2) + 2
    met, others = (histories(pair, agent, 18, seeds, rho) for rho in ("acceptance_rate", 2.0))
    assert row["nu"] == met.only_arm_2.mean() != others.only_arm_2.mean()
    (bounds,) = module.rejected_below([10], 0.25, 2.0, 2, 500, 3)
    assert row["overlap"] == module.overlap_probability(bounds, pair.nu_prime).mean()


def test_the_standard_bandit_has_its_closed_form_and_is_as_good_as_in_a_simulation():
    for pulls in (1, 7, 30):
        exact = norm.cdf(0.5 * math.sqrt(pulls / 2))
        found = module.standard_bandit_success(Instance((1.5, 1.0), 0), pulls)
        assert found == pytest.approx(exact, abs=1e-10)
    for delta in (0.2, 0.01, 1e-6):  # Phi(gap sqrt(m/2)) >= 1 - delta
        pulls = math.ceil(2 * norm.isf(delta) ** 2 / 0.5**2)
        assert module.standard_bandit_needs(Instance((1.5, 1.0), 0), delta) == 2 * pulls
    means = np.random.default_rng(0).normal([0.0, 0.5, 0.3], math.sqrt(1 / 8), (40_000, 3))
    exact = module.standard_bandit_success(Instance((0.0, 0.5, 0.3), 1), 8)
    assert abs((means.argmax(axis=1) == 1).mean() - exact) < four_errors(exact, 40_000)


def test_any_agent_needs_as_many_as_leave_the_history_twice_delta(monkeypatch):
    monkeypatch.setattr(module, "BOUND_GRID", (2, 3, 4, 5))  # paths as long as these are quick
    # At N_0 = 3 arm 1 is tried once: x_1 + s <= x_2 - s, s^2 = 2 alpha log 2; at N_0 = 4 twice.
    s = math.sqrt(0.5 * math.log(2))
    at_3 = norm.cdf((1.0 - 1.5 - 2 * s) / math.sqrt(2))
    above, below = 1.02 * at_3 / 2, 0.98 * at_3 / 2  # four standard errors are 1.8%
    found = module.any_agent_needs(PAIR, [above, below, 1e-30], n_paths=100_000)
    assert found == pytest.approx([3.0, 4.0, math.nan], nan_ok=True)


def few(n, delta):
    return [BAIR(delta=delta, n1=2, max_steps=n), Uniform(horizon=n)]


@pytest.mark.slow
def test_success_is_the_share_of_right_answers_whoever_works():
    options = {"rho": 0.8, "n_instances": 60, "seed": 2}
    frame = success(PAIR, [20, 5], agents=few, **options)
    assert frame.equals(success(PAIR, [20, 5], agents=few, workers=2, **options))
    assert frame["n"].tolist() == [5] * 4 + [20] * 4
    assert frame["instance"].tolist() == 2 * ["nu", "nu", "nu'", "nu'"]
    row = frame.query("n == 20 and instance == \"nu'\" and agent == 'BAIR'").iloc[0]
    users = {"means": PAIR.nu_prime.means, "n_arms": 2, "alpha": 0.25}
    runs = evaluate(few(20, 0.1)[:1], **users | options).runs
    assert (runs["correct"] & runs["censored"]).any()  # cut off, and its guess counts
    assert row["success"] == (runs["answer"] == 0).mean()
    assert row["success_low"] < row["success"] < row["success_high"]
    for name in ("interactions", "acceptances"):
        assert row[name] == runs[name].mean()


def test_what_is_needed_worked_by_hand(monkeypatch):
    monkeypatch.setattr(module, "any_agent_needs", lambda pair, deltas: [77.0] * len(deltas))
    # Success on (nu, nu') at N = 8, 16, 32, 64; only from 32 on are all at least .9.
    measured = pd.DataFrame(
        [(8, 0.95, 0.92), (16, 0.95, 0.85), (32, 0.99, 0.9), (64, 1.0, 0.97)],
        columns=["n", "nu", "nu'"],
    ).melt("n", var_name="instance", value_name="success")
    measured = measured.assign(agent="A", n_runs=100, interactions=measured["n"] + 1.0)
    measured.loc[measured["instance"] == "nu'", "interactions"] += 1.0
    found = module.needed(measured, PAIR, [0.1, 0.02, 0.2])
    rows = found[found["agent"] == "A"].set_index("delta")
    assert rows.loc[0.1, ["n", "interactions"]].tolist() == [32, 34]
    assert rows.loc[0.2, "n"] == 8
    assert math.isnan(rows.loc[0.02, "n"])
    few_runs = measured.assign(n_runs=99)  # ten wrong answers are not to be expected
    exact, bound, own = module.needed(few_runs, PAIR, [0.1]).to_dict("records")
    assert [row["kind"] for row in (exact, bound, own)] == ["exact", "bound", "measured"]
    assert math.isnan(own["n"])
    # nu', whose gap is smaller, is the harder one: Phi(gap sqrt(m/2)) >= .9.
    pulls = 2 * math.ceil(2 * norm.isf(0.1) ** 2 / 0.5**2)
    assert exact["n"] == exact["interactions"] == pulls
    assert bound["n"] == bound["interactions"] == 77


def test_what_has_no_answer_is_refused():
    with pytest.raises(InvalidArgumentError, match="unique best arm"):
        module.standard_bandit_needs(Instance((0.5, 0.5), 0), 0.1)
    with pytest.raises(InvalidArgumentError, match="n0s must be above 1/rho_0"):
        overlap([2], rho=constant(0.5))


def test_the_tables_show_the_worse_of_both_users_and_what_was_never_enough():
    row = {
        "n0": 10, "d": 3.14159, "overlap": 0.0123, "nu_prime": 0.25, "nu_prime_low": 0.2,
        "nu_prime_high": 0.31, "nu": 0.5, "overlap_bound": 0.001, "twice_delta": 0.2,
    }  # fmt: skip
    shares = [(8, "nu", 0.9), (8, "nu'", 0.7), (16, "nu", 0.95), (16, "nu'", 0.99)]
    measured = pd.DataFrame(shares, columns=["n", "instance", "success"])
    needs = pd.DataFrame({"delta": [0.1, 0.02], "interactions": [34.4, math.nan]})
    frames = (frame.assign(agent="BAIR", n_runs=77) for frame in (measured, needs))
    tables = module.sections_of(PAIR, pd.DataFrame([row]), *frames).values()
    page = re.sub(" +", " ", "".join(map(markdown, tables)))
    assert "| 10 | 3.14 | 1.23e-02 | 0.2500 [0.2000, 0.3100] |" in page
    assert "| BAIR | .700 | .950 |" in page
    assert "| BAIR | 34 | - |" in page
