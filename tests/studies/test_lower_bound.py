"""The lower bound: the history that nu and nu' share, and how long agents need to be.

Slow or exact versions are the reference; a measured share may be four standard errors off.
"""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from explorative_user_env import Instance
from explorative_user_env.agents import BAIR, AlgorithmAgent, Uniform
from explorative_user_env.display.tables import markdown
from explorative_user_env.evaluation import evaluate
from explorative_user_env.seeding import user_generator, user_seeds
from explorative_user_env.studies import lower_bound as module
from explorative_user_env.studies.lower_bound import (
    ANY_AGENT,
    STANDARD_BANDIT,
    any_agent_needs,
    draw,
    histories,
    line_up,
    needed,
    overlap,
    overlap_probability,
    rejected_below,
    sections_of,
    standard_bandit_needs,
    standard_bandit_success,
    success,
)
from explorative_user_env.theory import HardPair, hard_pair
from explorative_user_env.users.model import ACCEPTANCE_RATE, constant
from explorative_user_env.validation import InvalidArgumentError

SEEDS = user_seeds(11, 4000)


def four_errors(share: float, n: int) -> float:
    return 4 * math.sqrt(share * (1 - share) / n)


def noticing_pair() -> HardPair:
    # With so small an alpha and N_0 what the bound says can be measured.
    return hard_pair(0.1, alpha=0.25, n0=10, gap=0.5)


def slow_history(instance: Instance, alpha: float, steps: int, seed: int) -> list[bool]:
    """UNI's responses from a user with rho_t = 1, by the definitions, one thing after another."""
    noise = user_generator(seed)
    rewards: list[list[float]] = [[] for _ in instance.means]
    responses = []
    for step in range(steps):
        arm = step % instance.n_arms
        n = sum(len(seen) for seen in rewards)
        gamma = max(0.0, 2 * alpha * math.log(n)) if n else 0.0
        accepted = True
        for other, seen in enumerate(rewards):
            if other == arm or not seen or not rewards[arm]:
                continue
            lcb = sum(seen) / len(seen) - math.sqrt(gamma / len(seen))
            mine = rewards[arm]
            if lcb >= sum(mine) / len(mine) + math.sqrt(gamma / len(mine)):
                accepted = False
        if accepted:
            rewards[arm].append(instance.means[arm] + noise.standard_normal())
        responses.append(accepted)
    return responses


def test_histories_are_those_of_a_slow_double_simulation() -> None:
    seeds = SEEDS[:300]
    for n_arms in (2, 3):
        pair = hard_pair(0.1, alpha=0.25, n_arms=n_arms, n0=6, gap=0.5)
        steps = n_arms * (6 - n_arms) + 2
        found = histories(pair, Uniform(horizon=steps), steps, seeds)
        foreseen = [step < n_arms or step % n_arms == 1 for step in range(steps)]
        assert sum(foreseen) == 6  # N_0 acceptances
        slow = [
            [slow_history(instance, 0.25, steps, seed) for instance in (pair.nu, pair.nu_prime)]
            for seed in seeds
        ]
        assert found.same.tolist() == [nu == prime for nu, prime in slow]
        assert found.only_arm_2.tolist() == [nu == foreseen for nu, _ in slow]
        assert found.only_arm_2_prime.tolist() == [prime == foreseen for _, prime in slow]
        assert 0 < found.same.sum() < 100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "n_arms", "rho"),
    [
        (BAIR(n1=10), 2, 1.0),
        (Uniform(horizon=99), 2, ACCEPTANCE_RATE),
        (Uniform(horizon=99), 4, ACCEPTANCE_RATE),
    ],
)
def test_no_agent_has_the_history_less_often_than_the_bound(
    agent: AlgorithmAgent, n_arms: int, rho: Any
) -> None:
    high = 1.0 if rho == 1.0 else 2.0
    pair = hard_pair(0.1, alpha=0.25, rho_1=high, n_arms=n_arms, n0=12, gap=0.5)
    found = histories(pair, agent, 12, SEEDS, rho)  # 12 steps have at most N_0 acceptances
    rejected = rejected_below([12], 0.25, high, n_arms, 20_000, 0)
    bound = overlap_probability(rejected, pair.nu_prime).mean()
    assert bound > 0.005
    assert found.only_arm_2_prime.mean() > bound - four_errors(bound, len(SEEDS))


def test_paths_are_the_same_in_blocks_and_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "explorative_user_env.studies.lower_bound.REWARDS_AT_ONCE"
    whole = rejected_below([3, 5, 40], 0.5, 1.5, 3, 1, 2)
    monkeypatch.setattr(module, 7)
    assert rejected_below([3, 5, 40], 0.5, 1.5, 3, 1, 2) == pytest.approx(whole)
    noise = np.random.default_rng(2).standard_normal(38)
    slow = [
        1 + noise[:m].mean() - math.sqrt(math.log(1.5 * (m + 2))) * (1 + 1 / math.sqrt(m))
        for m in range(1, 39)
    ]
    assert whole[:, 0] == pytest.approx([min(slow[:1]), min(slow[:3]), min(slow)])


def test_overlap_frames_do_not_depend_on_company_and_fall_with_n0() -> None:
    frame = overlap([30, 3, 10], alpha=0.25, gap=0.5, n_instances=300, seed=4)
    assert frame["n0"].tolist() == [3, 10, 30]
    assert frame["overlap"].is_monotonic_decreasing
    assert (frame["nu_prime"] <= frame["same"]).all()
    alone = overlap([3], alpha=0.25, gap=0.5, n_instances=300, seed=4)
    users = ["delta", "nu", "nu_prime", "same"]
    pd.testing.assert_frame_equal(frame[users].head(1), alone[users])


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


def test_the_standard_bandit_of_two_arms_has_its_closed_form() -> None:
    for pulls in (1, 7, 30):
        exact = norm.cdf(0.5 * math.sqrt(pulls / 2))
        found = standard_bandit_success(Instance((1.5, 1.0), 0), pulls)
        assert found == pytest.approx(exact, abs=1e-10)
    for delta in (0.2, 0.01, 1e-6):  # Phi(gap sqrt(m/2)) >= 1 - delta
        pulls = math.ceil(2 * norm.isf(delta) ** 2 / 0.5**2)
        assert standard_bandit_needs(Instance((1.5, 1.0), 0), delta) == 2 * pulls


def test_the_standard_bandit_of_three_arms_is_as_good_as_in_a_simulation() -> None:
    rng = np.random.default_rng(0)
    means = rng.standard_normal((40_000, 3, 8)).mean(axis=2) + np.array([0.0, 0.5, 0.3])
    exact = standard_bandit_success(Instance((0.0, 0.5, 0.3), 1), 8)
    assert abs((means.argmax(axis=1) == 1).mean() - exact) < four_errors(exact, 40_000)


def test_any_agent_needs_as_many_as_leave_the_history_twice_delta(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "BOUND_GRID", (2, 3, 4, 5))  # paths as long as these are quick
    # At N_0 = 3 arm 1 is tried once: x_1 + s <= x_2 - s, s^2 = 2 alpha log 2; at N_0 = 4 twice.
    s = math.sqrt(0.5 * math.log(2))
    at_3 = norm.cdf((1.0 - 1.5 - 2 * s) / math.sqrt(2))
    above, below = 1.02 * at_3 / 2, 0.98 * at_3 / 2  # four standard errors are 1.8%
    assert any_agent_needs(noticing_pair(), [above, below], n_paths=100_000) == [3.0, 4.0]
    (never,) = any_agent_needs(noticing_pair(), [1e-30])
    assert math.isnan(never)


def test_the_line_up_has_n_where_each_agent_can_have_one() -> None:
    bair, tracking, *others = line_up(40, 0.2)
    assert (bair.options["n1"], bair.max_steps, tracking.max_steps) == (40, None, 40)
    assert {agent.options["delta"] for agent in (bair, tracking)} == {0.2}
    assert [agent.name for agent in others] == ["UNI", "EXP3", "Full-information"]
    assert {agent.options["horizon"] for agent in others} == {40}


def few(n: int, delta: float) -> list[AlgorithmAgent]:
    """Two agents, one cut off at N; not all of the line-up, as each would be compiled first."""
    return [BAIR(delta=delta, n1=2, max_steps=n), Uniform(horizon=n)]


def test_success_is_the_share_of_right_answers_whoever_works() -> None:
    pair, asked = noticing_pair(), list[tuple[int, float]]()

    def made(n: int, delta: float) -> list[AlgorithmAgent]:
        asked.append((n, delta))
        return few(n, delta)

    frame = success(pair, [20, 5], agents=made, n_instances=60, seed=2)
    assert asked == [(5, 0.1), (5, 0.1), (20, 0.1), (20, 0.1)]
    assert frame.equals(success(pair, [20, 5], agents=few, n_instances=60, seed=2, workers=2))
    assert frame["n"].tolist() == [5] * 4 + [20] * 4
    assert frame["instance"].tolist() == 2 * ["nu", "nu", "nu'", "nu'"]
    row = frame.query("n == 20 and instance == \"nu'\" and agent == 'BAIR'").iloc[0]
    users: dict[str, Any] = {"means": pair.nu_prime.means, "n_arms": 2, "alpha": 0.25, "rho": 1.0}
    runs = evaluate(few(20, 0.1)[:1], n_instances=60, seed=2, **users).runs
    assert (runs["correct"] & runs["censored"]).any()  # cut off, and its guess counts
    assert row["success"] == (runs["answer"] == 0).mean()
    assert row["success_low"] < row["success"] < row["success_high"]
    assert row["n_runs"] == 60
    assert row["interactions"] == runs["interactions"].mean() <= 20
    assert row["acceptances"] == runs["acceptances"].mean() < row["interactions"]


def test_success_is_measured_under_the_schedule_that_is_asked_for() -> None:
    pair = noticing_pair()
    found = success(pair, [20], agents=few, rho=0.3, n_instances=60, seed=2)
    users: dict[str, Any] = {"means": pair.nu.means, "n_arms": 2, "alpha": 0.25, "rho": 0.3}
    runs = evaluate(few(20, 0.1), n_instances=60, seed=2, **users).runs
    own = found[found["instance"] == "nu"].set_index("agent")["acceptances"]
    assert own.to_dict() == runs.groupby("agent")["acceptances"].mean().to_dict()


@pytest.mark.slow
def test_what_is_needed_worked_by_hand() -> None:
    # Success on (nu, nu') at N = 8, 16, 32, 64; only from 32 on are all at least .9.
    measured = pd.DataFrame(
        [(8, 0.95, 0.92), (16, 0.95, 0.85), (32, 0.99, 0.9), (64, 1.0, 0.97)],
        columns=["n", "nu", "nu'"],
    ).melt("n", var_name="instance", value_name="success")
    measured = measured.assign(agent="A", n_runs=100, interactions=measured["n"] + 1.0)
    measured.loc[measured["instance"] == "nu'", "interactions"] += 1.0
    pair = hard_pair(0.1, n0=10, gap=0.5)
    found = needed(measured, pair, [0.1, 0.02, 0.2])
    rows = found[found["agent"] == "A"].set_index("delta")
    assert rows.loc[0.1, ["n", "interactions"]].tolist() == [32, 34]
    assert rows.loc[0.2, "n"] == 8
    assert math.isnan(rows.loc[0.02, "n"])
    few_runs = measured.assign(n_runs=99)  # ten wrong answers are not to be expected
    exact, bound, own = needed(few_runs, pair, [0.1]).to_dict("records")
    assert [row["agent"] for row in (exact, bound, own)] == [STANDARD_BANDIT, ANY_AGENT, "A"]
    assert [row["kind"] for row in (exact, bound, own)] == ["exact", "bound", "measured"]
    assert math.isnan(own["n"])
    # nu', whose gap is smaller, is the harder one: Phi(gap sqrt(m/2)) >= .9.
    pulls = 2 * math.ceil(2 * norm.isf(0.1) ** 2 / 0.5**2)
    assert exact["n"] == exact["interactions"] == pulls
    assert [bound["n"]] == [bound["interactions"]] == any_agent_needs(pair, [0.1])


def test_what_has_no_answer_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="unique best arm"):
        standard_bandit_needs(Instance((0.5, 0.5), 0), 0.1)
    with pytest.raises(InvalidArgumentError, match="n0s must be above 1/rho_0"):
        overlap([2], rho=constant(0.5))
    with pytest.raises(InvalidArgumentError, match="rho must be"):
        histories(noticing_pair(), Uniform(horizon=3), 3, SEEDS[:2], "acceptance_rate")


def test_the_tables_show_the_worse_of_both_users_and_what_was_never_enough() -> None:
    row = {
        "n0": 10, "d": 3.14159, "overlap": 0.0123, "nu_prime": 0.25, "nu_prime_low": 0.2,
        "nu_prime_high": 0.31, "nu": 0.5, "overlap_bound": 0.001, "twice_delta": 0.2,
    }  # fmt: skip
    shares = [(8, "nu", 0.9), (8, "nu'", 0.7), (16, "nu", 0.95), (16, "nu'", 0.99)]
    measured = pd.DataFrame(shares, columns=["n", "instance", "success"])
    needs = pd.DataFrame({"delta": [0.1, 0.02], "interactions": [34.4, math.nan]})
    frames = (frame.assign(agent="BAIR", n_runs=77) for frame in (measured, needs))
    tables = sections_of(noticing_pair(), pd.DataFrame([row]), *frames).values()
    shown, succeed, need, conditions = (
        [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
        for lines in (markdown(table).splitlines() for table in tables)
    )
    assert shown[0][:4] == ["10", "3.14", "1.23e-02", "0.2500 [0.2000, 0.3100]"]
    assert succeed == [["BAIR", ".700", ".950"]]
    assert need == [["BAIR", "34", "-"]]
    for _, _, left, right, holds in conditions:
        assert (holds == "yes") == (float(left) < float(right))


def test_the_figure_shows_the_history_fading_and_what_each_agent_needs() -> None:
    pytest.importorskip("matplotlib")
    shares = {"overlap": [0.2, 0.05, 0.01], "overlap_bound": [0.1, 0.02, 0.001]}
    shares |= {"overlap_low": [0.1] * 3, "overlap_high": [0.3] * 3, "nu_prime": [0.3, 0.06, 0.0]}
    shares |= {"nu_prime_low": [0.25, 0.05, 0.0], "nu_prime_high": [0.36, 0.08, 0.002]}
    needs = [(STANDARD_BANDIT, 20.0, 10.0), (ANY_AGENT, 90.0, 30.0), ("BAIR", math.nan, 50.0)]
    needs = pd.DataFrame(needs, columns=["agent", 0.05, 0.1]).melt(
        "agent", var_name="delta", value_name="interactions"
    )
    panels: Any = draw(pd.DataFrame({"n0": [3, 10, 30], **shares}), needs).axes
    left, right = (
        {line.get_label(): line.get_xydata().tolist() for line in axes.lines} for axes in panels
    )
    assert left["any agent, at least"] == [[3, 0.2], [10, 0.05], [30, 0.01]]
    assert left["the proof's 2^(1-K) P[B']"] == [[3, 0.1], [10, 0.02], [30, 0.001]]
    (measured,) = panels[0].containers
    # What was never seen has no place on a logarithmic axis.
    assert measured.lines[0].get_xydata().tolist() == [[3, 0.3], [10, 0.06]]
    (bars,) = measured.lines[2]
    ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
    assert ends == [pytest.approx([0.25, 0.36]), pytest.approx([0.05, 0.08])]
    assert right[STANDARD_BANDIT] == [[20, 20], [10, 10]]
    assert right[ANY_AGENT] == [[20, 90], [10, 30]]
    assert right["BAIR"] == [[10, 50]]  # where no N was enough there is no point
