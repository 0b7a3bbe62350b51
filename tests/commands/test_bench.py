import re

import pandas as pd
from small_tuning import TUNED

SMALL = "bench --n-instances 12 --n-arms 2 --delta 0.2 --agent bair"


def test_users_that_are_not_the_papers_have_no_published_figures_beside_them(run, output):
    for gap, there in (("0.5", True), ("0.4", False)):
        words = "bench --n-instances 12 --n-arms 2 --agent bair --gap"
        assert run(words, gap, "--output", output / gap).code == 0
        assert ("published_success" in pd.read_csv(output / gap / "summary.csv")) == there


def test_it_warns_where_a_tuned_n1_meets_other_users(run, tmp_path, output):
    TUNED.save(tmp_path / "tuned.json")
    few = f"bench --agent bair --agent bair-tuned:{tmp_path} --n-instances 4 --overwrite"
    assert "guarantee" not in run(f"{few} --gap 0.5 --output", output).out
    warning = "BAIR-tuned: N_1 was tuned for delta=0.2, gap=0.5; for other users"
    assert warning in run(f"{few} --gap 0.4 --delta 0.2 --delta 0.3 --output", output).out
    assert f"- {warning}" in (output / "table.md").read_text(encoding="utf-8")


def test_the_time_that_uni_asks_for_can_be_given(run, output):
    few = "bench --agent uni --n-arms 2 --n-instances 4 --setting printed --output"
    (asked_for,) = re.findall(r"--[a-z-]+", run(few, output).err)
    assert run(few, output, asked_for, "30").code == 0
    assert set(pd.read_csv(output / "runs.csv")["stopping_time"]) == {30}


def test_users_are_added_until_success_is_known_and_no_more_than_are_asked_for(run, output):
    until = ("--until-width", "0.02", "--output")
    told = run("bench --n-arms 2 --delta 0.2 --agent bair", *until, output / "known").out
    row = pd.read_csv(output / "known" / "summary.csv").iloc[0]
    assert row["success_high"] - row["success_low"] <= 0.02
    assert f"known to within 0.02 with {row['n_runs']} users" in told
    assert "not 0.02, with 12 users, the limit" in run(SMALL, *until, output / "few").out


def test_a_second_other_run_has_another_folder_where_none_is_given(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed, place in (("1", "bench"), ("2", "bench-2"), ("1", "bench")):
        assert f"Files: results/{place}/table.md" in run(SMALL, "--seed", seed).out
