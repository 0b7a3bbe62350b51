import math

import pandas as pd
import pytest
from traces import environment

from explorative_user_env.agents import BAIR
from explorative_user_env.evaluation.monitors import CLAIMS, broken_table, check_run
from explorative_user_env.results.intervals import proportion_interval


def met(n_runs, **figures):
    """Checks of runs in which everything happened and nothing was broken."""
    happened = {claim.name.removesuffix("_printed"): 1 for claim in CLAIMS}
    margins = {f"{name}_margin": 0.5 for name in ("band", "interval", "drop")}
    flags = {f"{claim.name}_broken": [False] * n_runs for claim in CLAIMS}
    known = {"agent": "BAIR", "delta": 0.1, "error_bound": 0.08, "censored": False}
    return pd.DataFrame(flags | happened | margins | known | figures)


def test_the_table_counts_what_was_broken():
    frame = met(40)
    frame.loc[:9, "answer_broken"] = True  # 10 of 40
    frame.loc[:3, "band_broken"] = True  # 4 of 40
    frame.loc[0, "drop_broken"] = True
    table = broken_table(frame).set_index("claim")
    assert list(table.index) == [claim.name for claim in CLAIMS]
    assert tuple(table.loc["answer", ["low", "high"]]) == proportion_interval(10, 40)
    assert dict(table["broken"]) == dict.fromkeys(table.index, 0) | {
        "answer": 10,
        "band": 4,
        "drop": 1,
    }
    assert table.loc["answer", "share"] == 0.25
    assert set(table["n_runs"]) == {40}
    # The low ends are 0.127 and 0.028; what is sure may not break once.
    assert not table.loc["answer", "holds"]
    assert not table.loc["drop", "holds"]
    assert table["holds"].sum() == len(CLAIMS) - 2
    assert (table.loc["recommendations", "allowed"], table.loc["drop", "allowed"]) == (0.2, 0.0)
    assert broken_table(frame, delta=0.2).set_index("claim").loc["answer", "holds"]


def test_a_claim_that_nothing_put_to_the_test_does_not_hold():
    frame = met(4, rounds=[0, 0, 0, 2], drop_margin=math.inf, censored=[True, False, True, True])
    table = broken_table(frame).set_index("claim")
    assert dict(table["put_to_test"]) == dict.fromkeys(table.index, 4) | {
        "rounds": 1,
        "drop": 0,
        "answer": 1,
    }
    assert not table.loc["drop", "holds"]
    assert table["holds"].sum() == len(CLAIMS) - 1


def test_a_smaller_n1_may_be_wrong_as_often_as_its_own_bound_says():
    eager = broken_table(met(3, error_bound=0.3)).set_index("claim")["allowed"]
    assert (eager["answer"], eager["interval"]) == (0.3, 0.3)
    assert eager["phase2_length"] == eager["recommendations"] == pytest.approx(0.4)
    assert (eager["band"], eager["rounds"], eager["drop"]) == (0.1, 0.1, 0.0)
    empty = broken_table(met(3, error_bound=1.0)).set_index("claim").loc["answer"]
    assert (empty["put_to_test"], empty["holds"]) == (0, False)  # it may break in every run
    check = check_run(environment(n_arms=3), BAIR(n1=20, delta=0.1), seed=0)
    assert check.error_bound == pytest.approx(0.2)  # 2(K-1)/N_1
    both = broken_table(pd.concat([met(2), met(2, agent="eager", error_bound=0.8, delta=0.3)]))
    assert list(both["agent"]) == ["BAIR"] * len(CLAIMS) + ["eager"] * len(CLAIMS)
    assert set(both["n_runs"]) == {2}
    assert both.iloc[-1]["allowed"] == 1.0  # 0.3 and 0.8
