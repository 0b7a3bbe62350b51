"""How long agents need to be, against closed forms and simulations.

A measured share may be four standard errors from the exact one.
"""

import math

import numpy as np
import pandas as pd
import pytest
from lower_bound_users import four_errors, noticing_pair
from scipy.stats import norm

from explorative_user_env import Instance
from explorative_user_env.agents import BAIR, AlgorithmAgent, Uniform
from explorative_user_env.evaluation import evaluate
from explorative_user_env.studies import lower_bound as module
from explorative_user_env.studies.lower_bound import (
    ANY_AGENT,
    STANDARD_BANDIT,
    any_agent_needs,
    line_up,
    needed,
    overlap_probability,
    rejected_below,
    standard_bandit_needs,
    standard_bandit_success,
    success,
)
from explorative_user_env.theory import hard_pair
from explorative_user_env.validation import InvalidArgumentError


def test_an_agent_is_wrong_at_least_as_often_as_it_has_the_history() -> None:
    pair = noticing_pair()
    bound = overlap_probability(rejected_below([10], 0.25, 1.0, 2, 20_000, 0), pair.nu_prime).mean()
    runs = evaluate(
        [BAIR(n1=10)], means=pair.nu_prime.means, n_arms=2, alpha=0.25, rho=1.0,
        n_instances=4000, progress=False,
    ).runs  # fmt: skip
    assert (~runs["correct"]).mean() > bound - four_errors(bound, 4000)


@pytest.mark.parametrize("pulls", [1, 7, 30])
def test_the_standard_bandit_of_two_arms_has_its_closed_form(pulls: int) -> None:
    exact = norm.cdf(0.5 * math.sqrt(pulls / 2))
    assert standard_bandit_success(Instance((1.5, 1.0), 0), pulls) == pytest.approx(
        exact, abs=1e-10
    )


def test_the_standard_bandit_of_three_arms_is_as_good_as_in_a_simulation() -> None:
    rng = np.random.default_rng(0)
    means = rng.standard_normal((40_000, 3, 8)).mean(axis=2) + np.array([0.0, 0.5, 0.3])
    exact = standard_bandit_success(Instance((0.0, 0.5, 0.3), 1), 8)
    assert abs((means.argmax(axis=1) == 1).mean() - exact) < four_errors(exact, 40_000)


@pytest.mark.parametrize("delta", [0.2, 0.01, 1e-6])
def test_the_standard_bandit_needs_about_the_log_of_one_over_delta(delta: float) -> None:
    # Phi(gap sqrt(m/2)) >= 1 - delta
    pulls = math.ceil(2 * norm.isf(delta) ** 2 / 0.5**2)
    assert standard_bandit_needs(Instance((1.5, 1.0), 0), delta) == 2 * pulls


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


@pytest.mark.slow
def test_any_agent_needs_a_power_of_one_over_delta() -> None:
    pair = hard_pair(1e-6, gap=0.5)
    few, more, many = any_agent_needs(pair, [1e-4, 1e-5, 1e-6])
    assert few < 50
    assert 5 < more / few < 30  # per tenth of delta, at alpha = 1 about 10
    assert 5 < many / more < 30
    assert many > 5 * standard_bandit_needs(pair.nu_prime, 1e-6)


def test_the_line_up_has_n_where_each_agent_can_have_one() -> None:
    bair, tracking, *others = line_up(40, 0.2)
    assert (bair.name, bair.options["n1"], bair.max_steps) == ("BAIR", 40, None)
    assert (tracking.name, tracking.max_steps) == ("T&S", 40)
    assert {agent.options["delta"] for agent in (bair, tracking)} == {0.2}
    assert [agent.name for agent in others] == ["UNI", "EXP3", "Full-information"]
    assert {agent.options["horizon"] for agent in others} == {40}


def few(n: int, delta: float) -> list[AlgorithmAgent]:
    """Two agents, one cut off at N; not all of the line-up, as each would be compiled first."""
    return [BAIR(delta=delta, n1=2, max_steps=n), Uniform(horizon=n)]


def test_success_is_the_share_of_right_answers_whoever_works() -> None:
    pair = noticing_pair()
    told: list[tuple[str, int, int]] = []
    frame = success(
        pair, [20, 5], agents=few, n_instances=60, seed=2, progress=lambda *what: told.append(what)
    )
    assert len(frame) == 2 * 2 * 2
    assert frame.equals(success(pair, [20, 5], agents=few, n_instances=60, seed=2, workers=2))
    assert frame["n"].tolist() == [5] * 4 + [20] * 4
    assert frame["instance"].tolist() == 2 * ["nu", "nu", "nu'", "nu'"]
    row = frame.query("n == 20 and instance == \"nu'\" and agent == 'BAIR'").iloc[0]
    runs = evaluate(
        few(20, 0.1)[:1], means=pair.nu_prime.means, n_arms=2, alpha=0.25, rho=1.0,
        n_instances=60, seed=2, progress=False,
    ).runs  # fmt: skip
    assert runs["censored"].any()
    assert (runs["correct"] & runs["censored"]).any()  # cut off, and its guess counts
    assert row["success"] == (runs["answer"] == 0).mean()
    assert row["success_low"] < row["success"] < row["success_high"]
    assert row["n_runs"] == 60
    assert row["interactions"] == runs["interactions"].mean() <= 20
    assert row["acceptances"] == runs["acceptances"].mean() < row["interactions"]
    assert told[0] == ("N = 5, nu", 0, 4)
    assert told[-1] == ("", 4, 4)


def test_agents_are_made_for_every_n_and_the_pairs_own_delta() -> None:
    asked: list[tuple[int, float]] = []

    def made(n: int, delta: float) -> list[AlgorithmAgent]:
        asked.append((n, delta))
        return few(n, delta)

    success(hard_pair(0.3, 0.25, n0=10, gap=0.5), [7, 3], agents=made, n_instances=2)
    assert asked == [(3, 0.3), (3, 0.3), (7, 0.3), (7, 0.3)]


def test_success_is_measured_under_the_schedule_that_is_asked_for() -> None:
    pair = noticing_pair()
    found = success(pair, [20], agents=few, rho=0.3, n_instances=60, seed=2)
    runs = evaluate(
        few(20, 0.1), means=pair.nu.means, n_arms=2, alpha=0.25, rho=0.3, n_instances=60, seed=2,
        progress=False,
    ).runs  # fmt: skip
    shares = runs.groupby("agent", sort=False)["acceptances"].mean()
    own = found[found["instance"] == "nu"].set_index("agent")["acceptances"]
    assert own.to_dict() == shares.to_dict()
    usual = success(pair, [20], agents=few, n_instances=60, seed=2)
    assert usual["acceptances"].tolist() != found["acceptances"].tolist()


@pytest.mark.slow
def test_what_is_needed_worked_by_hand() -> None:
    # Success on (nu, nu') at N = 8, 16, 32, 64; only from 32 on are all at least .9.
    measured = pd.DataFrame(
        [
            (8, 0.95, 0.92), (16, 0.95, 0.85), (32, 0.99, 0.9), (64, 1.0, 0.97),
        ],
        columns=["n", "nu", "nu'"],
    ).melt("n", var_name="instance", value_name="success")  # fmt: skip
    measured = measured.assign(agent="A", n_runs=100, interactions=measured["n"] + 1.0)
    measured.loc[measured["instance"] == "nu'", "interactions"] += 1.0
    found = needed(measured, hard_pair(0.1, n0=10, gap=0.5), [0.1, 0.02, 0.2])
    rows = found[found["agent"] == "A"].set_index("delta")
    assert rows.loc[0.1, ["n", "interactions"]].tolist() == [32, 34]
    assert rows.loc[0.2, "n"] == 8
    assert math.isnan(rows.loc[0.02, "n"])
    few_runs = measured.assign(n_runs=99)  # ten wrong answers are not to be expected
    rows = needed(few_runs, hard_pair(0.1, n0=10, gap=0.5), [0.1])
    assert rows["agent"].tolist() == [STANDARD_BANDIT, ANY_AGENT, "A"]
    assert rows["kind"].tolist() == ["exact", "bound", "measured"]
    assert math.isnan(rows["n"].iloc[2])


@pytest.mark.slow
def test_what_is_computed_stands_beside_what_is_measured() -> None:
    pair = noticing_pair()
    nothing = pd.DataFrame(columns=["agent", "n", "success", "n_runs", "interactions"])
    exact, bound = needed(nothing, pair, [0.05]).to_dict("records")
    # nu', whose gap is smaller, is the harder one: Phi(gap sqrt(m/2)) >= .95.
    pulls = 2 * math.ceil(2 * norm.isf(0.05) ** 2 / 0.5**2)
    assert (exact["agent"], exact["n"], exact["interactions"]) == (STANDARD_BANDIT, pulls, pulls)
    assert (bound["agent"], bound["n"]) == (ANY_AGENT, bound["interactions"])
    assert [bound["n"]] == any_agent_needs(pair, [0.05])


@pytest.mark.parametrize("delta", [0.9, 1e-9, 1e-17, 1e-300])
@pytest.mark.parametrize("gap", [1e-8, 0.5, 1e100])
def test_the_standard_bandit_is_tried_as_often_as_its_answer_has_digits(
    gap: float, delta: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def never(instance: Instance, pulls: int) -> float:  # as rounding may have it
        tried.append(pulls)
        return 0.0

    monkeypatch.setattr(module, "standard_bandit_success", never)
    most = standard_bandit_needs(Instance((gap, 0.0), 0), delta)
    assert len(tried) <= 2 * most.bit_length()


def test_the_standard_bandit_cannot_tell_equal_arms_apart() -> None:
    with pytest.raises(InvalidArgumentError, match="unique best arm"):
        standard_bandit_needs(Instance((0.5, 0.5), 0), 0.1)
