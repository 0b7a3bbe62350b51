"""The lower bound's experiment, against slow or exact versions of what it reports.

A measured share may be four standard errors from the exact one.
"""

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from scipy.stats import norm
from typer.testing import CliRunner

from explorative_user_env import ExplorativeUserEnv, Instance
from explorative_user_env.agents import BAIR, AlgorithmAgent, TrackAndStop, Uniform
from explorative_user_env.commands.lower_bound import lower_bound
from explorative_user_env.evaluation import evaluate
from explorative_user_env.seeding import user_generator, user_seeds
from explorative_user_env.studies.lower_bound import draw, histories, needed, overlap, success
from explorative_user_env.studies.lower_bound.comparison import (
    ANY_AGENT,
    STANDARD_BANDIT,
    any_agent_needs,
    standard_bandit_needs,
    standard_bandit_success,
)
from explorative_user_env.studies.lower_bound.shared_history import (
    overlap_probability,
    rejected_below,
    uniform_steps,
)
from explorative_user_env.theory.hard_instances import HardPair, hard_pair
from explorative_user_env.users.confidence import ACCEPTANCE_RATE
from explorative_user_env.validation import InvalidArgumentError

SEEDS = user_seeds(11, 4000)


def errors(share: float, n: int) -> float:
    """Return four standard errors of a share in `n` users."""
    return 4 * math.sqrt(share * (1 - share) / n)


def noticing_pair() -> HardPair:
    return hard_pair(0.1, alpha=0.25, n0=10, gap=0.5)


def test_both_users_have_the_same_noise() -> None:
    pair = hard_pair(0.1, n_arms=3, n0=9)
    envs = [
        ExplorativeUserEnv(n_arms=3, means=list(instance.means), rho=1.0, reward="realized")
        for instance in (pair.nu, pair.nu_prime)
    ]
    for env in envs:
        env.reset(seed=5)
    for arm, difference in ((1, 0.0), (0, pair.d), (2, 0.0), (1, 0.0)):
        (yes, low, *_), (also, high, *_) = (env.step(arm) for env in envs)
        assert yes == also == 1
        assert high - low == pytest.approx(difference, abs=1e-12)


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


@pytest.mark.parametrize("n_arms", [2, 3])
def test_histories_are_those_of_a_slow_double_simulation(n_arms: int) -> None:
    pair = hard_pair(0.1, alpha=0.25, n_arms=n_arms, n0=6, gap=0.5)
    steps = uniform_steps(n_arms, 6)
    seeds = SEEDS[:400]
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


def test_three_acceptances_have_the_probability_worked_out_by_hand() -> None:
    # Arm 1 is tried again once, at n = 2: it is rejected iff x_1 + s <= x_2 - s, s^2 = 2 log 2 / 4.
    pair = hard_pair(0.1, alpha=0.25, n0=3, gap=0.5)
    s = math.sqrt(0.5 * math.log(2))
    exact = norm.cdf((1.0 - 1.5 - 2 * s) / math.sqrt(2))
    found = histories(pair, Uniform(horizon=4), 4, SEEDS)
    assert abs(found.only_arm_2_prime.mean() - exact) < errors(exact, len(SEEDS))
    paths = overlap_probability(rejected_below([3], 0.25, 1.0, 2, 100_000, 0), pair.nu_prime)[0]
    assert abs(paths.mean() - exact) < 4 * paths.std() / math.sqrt(100_000)
    exact = norm.cdf((1.0 - pair.nu.means[0] - 2 * s) / math.sqrt(2))
    assert abs(found.only_arm_2.mean() - exact) < errors(exact, len(SEEDS))


@pytest.mark.parametrize("n0", [10, 30])
def test_paths_and_users_agree_where_the_bound_is_exact(n0: int) -> None:
    pair = hard_pair(0.1, alpha=0.25, n0=n0, gap=0.5)
    steps = uniform_steps(2, n0)
    found = histories(pair, Uniform(horizon=steps), steps, SEEDS)
    rejected = rejected_below([n0], 0.25, 1.0, 2, 20_000, 0)
    for instance, seen in ((pair.nu, found.only_arm_2), (pair.nu_prime, found.only_arm_2_prime)):
        exact = overlap_probability(rejected, instance).mean()
        assert abs(seen.mean() - exact) < errors(exact, len(SEEDS)) + 0.002


@pytest.mark.parametrize(
    ("agent", "n_arms", "rho"),
    [
        (BAIR(n1=10), 2, 1.0),
        (Uniform(horizon=99), 2, ACCEPTANCE_RATE),
        (Uniform(horizon=99), 4, ACCEPTANCE_RATE),
        (Uniform(horizon=99), 4, 1.0),
    ],
    ids=["BAIR", "UNI-rate", "UNI-4-rate", "UNI-4"],
)
def test_no_agent_has_the_history_less_often_than_the_bound(
    agent: AlgorithmAgent, n_arms: int, rho: object
) -> None:
    high = 1.0 if rho == 1.0 else 2.0
    pair = hard_pair(0.1, alpha=0.25, rho_1=high, n_arms=n_arms, n0=12, gap=0.5)
    # 12 steps have at most N_0 acceptances.
    found = histories(pair, agent, 12, SEEDS, rho)  # type: ignore[arg-type]
    rejected = rejected_below([12], 0.25, high, n_arms, 20_000, 0)
    bound = overlap_probability(rejected, pair.nu_prime).mean()
    assert bound > 0.005
    assert found.only_arm_2_prime.mean() > bound - errors(bound, len(SEEDS))


def test_an_agent_is_wrong_at_least_as_often_as_it_has_the_history() -> None:
    pair = noticing_pair()
    bound = overlap_probability(rejected_below([10], 0.25, 1.0, 2, 20_000, 0), pair.nu_prime).mean()
    runs = evaluate(
        [BAIR(n1=10)], means=pair.nu_prime.means, n_arms=2, alpha=0.25, rho=1.0,
        n_instances=4000, progress=False,
    ).runs  # fmt: skip
    assert (~runs["correct"]).mean() > bound - errors(bound, 4000)


def test_the_history_under_nu_prime_is_one_under_nu_and_a_longer_one_contains_a_shorter() -> None:
    pair = noticing_pair()
    seen = [histories(pair, Uniform(horizon=steps), steps, SEEDS) for steps in (6, 18, 38)]
    for found in seen:
        assert (found.only_arm_2 | ~found.only_arm_2_prime).all()
        assert (found.same | ~found.only_arm_2_prime).all()
        assert found.only_arm_2.mean() > found.only_arm_2_prime.mean() > 0
    for shorter, longer in itertools.pairwise(seen):
        assert (shorter.only_arm_2_prime | ~longer.only_arm_2_prime).all()
        assert (shorter.same | ~longer.same).all()
    rejected = rejected_below([2, 3, 10, 300], 1.0, 1.0, 2, 50, 3)
    assert np.isinf(rejected[0]).all()
    assert (np.diff(rejected[1:], axis=0) <= 0).all()


def test_paths_are_the_same_in_blocks_and_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "explorative_user_env.studies.lower_bound.shared_history.REWARDS_AT_ONCE"
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
    assert frame["delta"].tolist() == pytest.approx(
        [3 ** -(1 / 3.75), 10 ** -(1 / 3.75), 30 ** -(1 / 3.75)]
    )
    alone = overlap([3], alpha=0.25, gap=0.5, n_instances=300, seed=4)
    pd.testing.assert_frame_equal(
        frame[["nu", "nu_prime", "same"]].head(1), alone[["nu", "nu_prime", "same"]]
    )


def test_a_schedule_outside_of_the_pairs_range_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="rho must be"):
        histories(noticing_pair(), Uniform(horizon=3), 3, SEEDS[:2], "acceptance_rate")


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
    assert abs((means.argmax(axis=1) == 1).mean() - exact) < errors(exact, 40_000)


@pytest.mark.parametrize("delta", [0.2, 0.01, 1e-6])
def test_the_standard_bandit_needs_about_the_log_of_one_over_delta(delta: float) -> None:
    # Phi(gap sqrt(m/2)) >= 1 - delta
    pulls = math.ceil(2 * norm.isf(delta) ** 2 / 0.5**2)
    assert standard_bandit_needs(Instance((1.5, 1.0), 0), delta) == 2 * pulls


def test_any_agent_needs_a_power_of_one_over_delta() -> None:
    pair = hard_pair(1e-6, gap=0.5)
    few, more, many = any_agent_needs(pair, [1e-4, 1e-5, 1e-6])
    assert few < 50
    assert 5 < more / few < 30  # per tenth of delta, at alpha = 1 about 10
    assert 5 < many / more < 30
    assert many > 5 * standard_bandit_needs(pair.nu_prime, 1e-6)


def test_success_is_the_share_of_right_answers_whoever_works() -> None:
    pair = noticing_pair()
    frame = success(pair, [20, 5], n_instances=60, seed=2)
    assert len(frame) == 2 * 2 * 5
    assert frame.equals(success(pair, [20, 5], n_instances=60, seed=2, workers=2))
    row = frame.query("n == 20 and instance == \"nu'\" and agent == 'T&S'").iloc[0]
    runs = evaluate(
        [TrackAndStop(delta=0.1, max_steps=20)], means=pair.nu_prime.means, n_arms=2, alpha=0.25,
        rho=1.0, n_instances=60, seed=2, progress=False,
    ).runs  # fmt: skip
    assert row["success"] == (runs["answer"] == 0).mean()
    assert row["interactions"] == runs["interactions"].mean() <= 20
    assert runs["censored"].any()


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
    few = measured.assign(n_runs=99)  # ten wrong answers are not to be expected
    rows = needed(few, hard_pair(0.1, n0=10, gap=0.5), [0.1])
    assert rows["agent"].tolist() == [STANDARD_BANDIT, ANY_AGENT, "A"]
    assert math.isnan(rows["n"].iloc[2])


def test_an_agent_that_recommends_at_random_may_have_another_history() -> None:
    """The proof leaves it unsaid: before arm 2 is known arm 1 is accepted again and again."""
    pair = hard_pair(0.1, alpha=0.25, n0=1000, gap=0.5)
    random, in_turn = (
        histories(pair, Uniform(horizon=30, order=order), 30, SEEDS[:1000])
        for order in ("random", "round robin")
    )
    assert 0 < random.only_arm_2.mean() < in_turn.only_arm_2.mean() - 0.1


def test_the_command_writes_tables_and_a_picture(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(lower_bound)
    options = ["--n-instances", "20", "--delta", "0.2", "--workers", "1", "--output", str(tmp_path)]
    result = CliRunner().invoke(app, options)
    assert result.exit_code == 0, result.output
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"table.md", "overlap.csv", "success.csv", "needed.csv", "lower_bound.png"}
    assert "standard bandit" in (tmp_path / "table.md").read_text(encoding="utf-8")
    figure = draw(pd.read_csv(tmp_path / "overlap.csv"), pd.read_csv(tmp_path / "needed.csv"))
    assert [axes.get_xlabel() for axes in figure.axes] == ["acceptances N_0", "1/δ"]
