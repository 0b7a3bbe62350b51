from dataclasses import asdict

import pandas as pd
import pytest
from traces import environment

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.monitors import CLAIMS, broken_table, check_run
from explorative_user_env.results.intervals import wilson_interval


def test_the_table_counts_what_was_broken() -> None:
    frame = pd.DataFrame(
        {f"{claim.name}_broken": [False] * 40 for claim in CLAIMS}
        | {"agent": ["BAIR"] * 40, "delta": 0.1}
    )
    frame.loc[:9, "answer_broken"] = True  # 10 of 40
    frame.loc[:3, "band_broken"] = True  # 4 of 40
    frame.loc[0, "drop_broken"] = True
    table = broken_table(frame).set_index("claim")
    assert list(table.index) == [claim.name for claim in CLAIMS]
    assert tuple(table.loc["answer", ["low", "high"]]) == wilson_interval(10, 40)
    assert dict(table["broken"]) == dict.fromkeys(table.index, 0) | {
        "answer": 10,
        "band": 4,
        "drop": 1,
    }
    assert table.loc["answer", "share"] == 0.25
    assert set(table["n_runs"]) == {40}
    # Wilson's low ends are 0.142 and 0.040; what is sure may not break once.
    assert not table.loc["answer", "holds"]
    assert not table.loc["drop", "holds"]
    assert table["holds"].sum() == len(CLAIMS) - 2
    assert (table.loc["recommendations", "allowed"], table.loc["drop", "allowed"]) == (0.2, 0.0)
    assert broken_table(frame, delta=0.2).set_index("claim").loc["answer", "holds"]


def test_the_table_has_a_part_for_each_agent() -> None:
    agents = [BAIR(), BAIR(name="eager", n1=5.0, delta=0.3)]
    checks = [check_run(environment(n_arms=3), agent, seed) for agent in agents for seed in (0, 1)]
    table = broken_table(pd.DataFrame([asdict(check) for check in checks]))
    assert list(table["agent"]) == ["BAIR"] * len(CLAIMS) + ["eager"] * len(CLAIMS)
    assert set(table["n_runs"]) == {2}
    assert table.iloc[-1]["allowed"] == pytest.approx(0.6)


def test_the_table_wants_checks_and_a_delta() -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"^checks must be"):
        broken_table(pd.DataFrame({"agent": ["BAIR"]}))
    with pytest.raises(eu.InvalidArgumentError, match=r"^delta must be"):
        broken_table(pd.DataFrame(), delta=1.0)
