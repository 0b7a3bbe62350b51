"""What `paper` does on users, tables and questions of its own."""

from dataclasses import replace

import pandas as pd
import pytest

from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.studies import paper
from explorative_user_env.users.population import DIFFERENCES

pytestmark = pytest.mark.slow


@pytest.mark.exhaustive
def test_all_is_every_experiment_and_the_ladder_in_one_report(run, output, monkeypatch):
    for name, experiment in list(paper.EXPERIMENTS.items()):
        small = replace(experiment, deltas=experiment.deltas[:1], n_arms=experiment.n_arms[:1])
        monkeypatch.setitem(paper.EXPERIMENTS, name, replace(small, entrants=small.entrants[:1]))
    monkeypatch.setattr(paper, "DIFFERENCES", DIFFERENCES[:2])
    assert run("paper tables all --n-instances 3 --workers 1 --output", output).code == 0
    page = (output / "report.md").read_text(encoding="utf-8")
    for experiment in paper.EXPERIMENTS.values():
        assert f"## {experiment.title}\n" in page
    judged = set(pd.read_csv(output / "verdicts.csv")["experiment"])
    assert judged == {f"table{number}" for number in range(2, 8)}
    shown = pd.read_csv(output / "ladder.csv")
    assert list(shown["agent"]) == ["BAIR", "T&S", "UNI", "EXP3"] * 3
    points = [paper.PRINTED_STEP, *(one.point for one in DIFFERENCES[:2])]
    assert list(shown["point"].unique()) == points
    assert not (output / "runs.csv").exists()


def test_where_no_n1_is_found_it_says_so_and_where_its_runs_are(run, output):
    words = "paper tune-n1 --n-arms 3 --delta 0.2 --gap 0.4 --n-instances 600 --confirm 80"
    ended = run(f"{words} --workers 1 --max-steps 3 --output", output)
    told = f"error: no N_1 was found to succeed with probability 0.8; its runs are in {output}"
    assert (ended.code, ended.err) == (1, f"{told}/{RUN_FILE}\n")
    assert "bad" in ended.out
    assert [path.name for path in output.iterdir()] == [RUN_FILE]
