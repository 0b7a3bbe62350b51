"""Users are added until the success of every agent is known well enough, and none is met twice."""

import numpy as np
import pandas as pd
import pytest
from toy_agents import scripted

import explorative_user_env as eu
from explorative_user_env.evaluation import runner
from explorative_user_env.results.intervals import sequence_interval

FEW = {"n_arms": 2, "seed": 3, "delta": 0.3, "progress": False}


@pytest.fixture(autouse=True)
def few_at_first(monkeypatch):
    """Look after 50 users, not 1000."""
    monkeypatch.setattr(runner, "FIRST", 50)


def width(results, agent, n):
    runs = results.runs[results.runs["agent"] == agent].iloc[:n]
    low, high = sequence_interval(int((runs["correct"] & ~runs["censored"]).sum()), n, 0.05)
    return high - low


@pytest.mark.slow
def test_it_ends_at_the_first_look_at_which_all_are_known_with_the_runs_of_so_many_users():
    found = eu.evaluate(["BAIR", "UNI"], until_width=0.25, check_theory=True, **FEW)
    n, looks = len(found.runs) // 2, [50]
    assert len(found.checks) == n  # each user once
    while looks[-1] < n:
        looks.append(int(np.ceil(1.1 * looks[-1])))
    assert looks[-1] == n
    widths = [max(width(found, agent, look) for agent in ("BAIR", "UNI")) for look in looks]
    assert widths[-1] <= 0.25 < min(widths[:-1])
    row = found.summary().iloc[0]
    ends = sequence_interval(round(row["success"] * n), n, 0.05)
    assert (row["success_low"], row["success_high"]) == pytest.approx(ends)
    assert f"known to within 0.25 with {n} users" in " ".join(str(found).split())
    first = round(eu.evaluate(["BAIR"], n_instances=50, **FEW).runs["interactions"].mean())
    same = eu.evaluate(["BAIR", "UNI"], n_instances=n, baseline_time=first, **FEW)
    pd.testing.assert_frame_equal(found.runs, same.runs)
    assert found.cell == {**same.cell, "until_width": 0.25}


@pytest.mark.slow
def test_what_was_kept_of_a_run_that_was_broken_off_is_gone_on_with(tmp_path):
    whole = eu.evaluate(["BAIR", "UNI"], until_width=0.25, **FEW)
    told = []

    def breaks_off(*progress):
        told.append(progress)
        if len(told) == 12:
            raise KeyboardInterrupt

    options = FEW | {"store": tmp_path / "run.sqlite", "until_width": 0.25}
    with pytest.raises(KeyboardInterrupt):
        eu.evaluate(["BAIR", "UNI"], **options | {"progress": breaks_off})
    assert 0 < len(eu.load(options["store"]).runs) < len(whole.runs)
    pd.testing.assert_frame_equal(eu.evaluate(["BAIR", "UNI"], **options).runs, whole.runs)
    assert str(eu.load(options["store"])) == str(whole)
    with pytest.raises(eu.InvalidArgumentError, match="until_width"):
        eu.evaluate(["BAIR", "UNI"], **options | {"until_width": 0.2})


def test_no_user_is_met_twice_and_n_instances_are_the_most():
    agent = scripted([0, 1], answer=1)
    found = eu.evaluate([agent], until_width=0.01, n_instances=130, **FEW)
    assert len(found.runs) == len(agent.told) == 130
    assert found.runs["user_seed"].is_unique
    says = f"to within {width(found, 'scripted', 130):.3g}, not 0.01, with 130 users"
    assert says in " ".join(str(found).split())
