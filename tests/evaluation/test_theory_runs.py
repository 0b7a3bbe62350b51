import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.evaluation.monitors import broken_table, check_run
from explorative_user_env.protocol import Agent


@pytest.fixture(scope="module")
def results() -> eu.Results:
    agents: list[Agent | str] = ["UNI", BAIR(), BAIR(name="eager", n1=5.0, delta=0.3)]
    return eu.evaluate(
        agents, n_arms=3, n_instances=30, max_steps=400, check_theory=True, progress=False
    )


def test_every_run_of_every_bair_is_checked(results: eu.Results) -> None:
    checks = results.checks
    assert checks is not None
    assert list(checks["agent"]) == ["BAIR"] * 30 + ["eager"] * 30
    assert list(checks["delta"].unique()) == [0.1, 0.3]
    runs = results.runs[results.runs["agent"] != "UNI"].reset_index(drop=True)
    for name in ("user_seed", "best_arm", "answer", "censored"):
        assert list(checks[name]) == list(runs[name])
    assert list(checks["recommendations"]) == list(runs["interactions"])
    assert list(checks["answer_broken"]) == list(~runs["correct"] & ~runs["censored"])
    assert checks["censored"].any()


def test_a_row_is_what_a_check_of_the_run_gives(results: eu.Results) -> None:
    assert results.checks is not None
    row = results.checks.iloc[4]
    env = eu.ExplorativeUserEnv(n_arms=3)
    alone = check_run(env, BAIR(delta=0.1), int(row["user_seed"]), max_steps=400)
    assert row.to_dict() == pytest.approx(vars(alone), nan_ok=True)


def test_the_check_changes_no_run_and_is_made_only_if_asked_for(results: eu.Results) -> None:
    agents: list[Agent | str] = ["UNI", BAIR(), BAIR(name="eager", n1=5.0, delta=0.3)]
    plain = eu.evaluate(agents, n_arms=3, n_instances=30, max_steps=400, progress=False)
    assert plain.checks is None
    pd.testing.assert_frame_equal(plain.runs, results.runs)


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [2, 5])
def test_nothing_is_broken_more_often_than_it_may_be(n_arms: int) -> None:
    """300 users of the paper's text at delta = 0.1; the low ends of the intervals count."""
    results = eu.evaluate(
        ["BAIR"], n_arms=n_arms, delta=0.1, n_instances=300, check_theory=True, progress=False
    )
    assert results.checks is not None
    table = broken_table(results.checks, delta=0.1)
    assert (table["low"] <= 0.1).all()
    met = table["put_to_test"] > 0
    assert table[met]["holds"].all()
    assert table[~met]["claim"].tolist() == [
        "rounds",
        "drop",
    ]  # the text's users never need a round
    assert results.checks["band_broken"].any()  # the band is near enough to be left now and then
