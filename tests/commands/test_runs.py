"""What the finished run of each command prints and writes, and what if a part of it fails."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tiny_commands import WORDS, run_tiny

from explorative_user_env.agents import BAIR, EXP3, Uniform
from explorative_user_env.commands.run import RUN_FILE, write_and_show
from explorative_user_env.display import plots
from explorative_user_env.files import MADE_BY, Folder
from explorative_user_env.results.records import versions_of
from explorative_user_env.studies import paper
from explorative_user_env.studies.suite import VARIETIES, load_suite, robustness, run_suite
from explorative_user_env.studies.tuning import load_tuned
from explorative_user_env.users.population import DIFFERENCES
from explorative_user_env.validation import InvalidArgumentError

pytestmark = pytest.mark.slow

FILES = {
    "bench": ["table.md", "summary.csv", "runs.csv"],
    "regret": ["table.md", "summary.csv", "runs.csv"],
    "robustness": ["table.md", "summary.csv"],
    "suite": ["scores.md", "scores.csv", "totals.csv", "scores.json"],
    "lower-bound": ["table.md", "overlap.csv", "success.csv", "needed.csv"],
    "tune-n1": ["tuned.json", "search.csv", "frontier.csv", "table.md"],
    "reproduce": ["report.md", "report.html", "summary.csv", "verdicts.csv", "runs.csv"],
}


@pytest.mark.parametrize("name", FILES)
def test_a_run_says_where_its_files_are_and_what_made_them(name, finished):
    folder, printed = finished(name)
    names = {path.name for path in folder.iterdir()} - {MADE_BY}
    pictures = [each for each in names if each.endswith(("png", "svg"))]
    assert names == {*FILES[name], RUN_FILE, *pictures}
    assert len(pictures) == (plots.can_plot() and name not in ("bench", "regret"))
    (line,) = [line for line in printed.splitlines() if line.startswith("Files: ")]
    assert {*line.removeprefix("Files: ").split(", ")} == {str(folder / each) for each in names}
    made_by = json.loads((folder / MADE_BY).read_text("utf-8"))
    assert made_by["options"]["seed"] == (None if "suite" in WORDS[name] else 0)  # the published
    assert not {"output", "overwrite", "workers"} & set(made_by["options"])
    assert made_by["versions"] == versions_of()
    assert {"means", "rho", "seed"} <= set(made_by["cells"][0])
    assert set(made_by["settings"]) == {cell["setting"] for cell in made_by["cells"]}
    for page in folder.glob("*.md"):
        assert f"- `explorative-user {made_by['command']}`: " in page.read_text("utf-8")


def test_bench_shows_the_published_figures_beside_its_own_and_says_what_came_of_it(finished):
    folder, printed = finished("bench")
    line = next(line for line in printed.splitlines() if "BAIR" in line)
    assert (" 405 " in line, ".999" in line) == (True, True)
    summary = pd.read_csv(folder / "summary.csv")
    assert list(summary["agent"]) == ["BAIR", "UNI"] * 4
    assert len(pd.read_csv(folder / "runs.csv")) == 32
    right = (summary["success"] * summary["n_runs"]).groupby(summary["agent"]).sum().round()
    told = rf"BAIR named .* 16 users; UNI, in the same time, of (all )?{right['UNI']:.0f}\b"
    assert re.search(told, printed)
    folder, printed = finished("regret")
    summary = pd.read_csv(folder / "summary.csv")
    assert set(summary["horizon"]) == {30}
    least = summary.loc[summary["regret"].idxmin()]
    assert f"{least['agent']} has the least regret, {least['regret']:.0f} on average" in printed


def test_the_suite_writes_what_it_returns_in_python(finished):
    folder, _ = finished("suite")
    agents, tasks = ["BAIR", "EXP3", "Full-information"], ["bai-k5", "bai-k5-uniform", "regret-k5"]
    expected = run_suite(agents, tasks=tasks, quick=True, progress=False)
    pd.testing.assert_frame_equal(pd.read_csv(folder / "scores.csv"), expected.scores())
    assert (folder / "scores.md").read_text("utf-8").startswith(expected.page())
    record = json.loads((folder / "scores.json").read_text("utf-8"))
    assert record == json.loads(json.dumps(expected.record()))
    assert str(load_suite(folder / RUN_FILE)) == str(expected)
    folder, _ = finished("robustness")
    agents = [make(max_steps=20_000) for make in (BAIR, Uniform, EXP3)]
    expected = robustness(agents, VARIETIES[::7], n_arms=2, n_instances=4)
    summary = pd.read_csv(folder / "summary.csv")
    assert list(summary["user"]) == list(expected["user"]) == ["paper"] * 3 + ["omniscient"] * 3
    assert np.allclose(summary["stopping_time"], expected["stopping_time"])


def test_the_studies_of_the_paper_write_their_tables(finished):
    folder, printed = finished("lower-bound")
    for text in ((folder / "table.md").read_text("utf-8"), printed):
        assert "Conditions of the proof (N_0 = 1000, δ = 0.1, gap 0.5" in text
    grown, met, needed = (pd.read_csv(folder / file) for file in FILES["lower-bound"][1:])
    assert grown["n0"].tolist() == [3, 10, 1000]
    assert (set(met["agent"]), set(met["n_runs"])) == ({"BAIR", "UNI"}, {4})
    agents = ["standard bandit", "any agent, at least", "BAIR", "UNI"]
    assert needed["agent"].tolist() == agents * 2
    assert needed["delta"].tolist() == [0.2] * 4 + [0.1] * 4
    folder, _ = finished("reproduce")
    summary, verdicts, runs = (pd.read_csv(folder / file) for file in FILES["reproduce"][2:])
    assert {"stopping_time_difference", "success_difference"} <= set(summary)
    assert {"published", "released", "verdict", "reason"} <= set(verdicts)
    assert len(runs) == 4 * 2 * 4
    for name in ("report.md", "report.html"):
        assert "4 users a cell, seed 0; settings: released." in (folder / name).read_text("utf-8")


def test_tune_n1_has_its_search_and_what_was_found(finished):
    folder, printed = finished("tune-n1")
    tuned, lines = load_tuned(folder), printed.splitlines()
    search = pd.read_csv(folder / "search.csv")
    shown = [line.split() for line in lines[1 : 1 + len(search)]]
    found = [(int(line[0]), line[-1]) for line in shown]
    assert found == [*zip(search["n1"], search["decision"], strict=True)]
    assert search["n_runs"].sum() == tuned.n_runs
    assert pd.read_csv(folder / "frontier.csv")["n1"].iloc[-1] == tuned.paper_n1 == 30
    assert f"- N_1 = {tuned.n1} has success" in (folder / "table.md").read_text("utf-8")
    assert lines[-1] == f"explorative-user bench --agent bair-tuned:{folder}"


def test_without_matplotlib_all_but_the_picture_is_written(finished, output, capsys, monkeypatch):
    monkeypatch.setattr(plots, "can_plot", lambda: False)
    assert run_tiny("tune-n1", str(output)) == 0
    assert "For frontier.png: " in capsys.readouterr().out
    assert {path.name for path in output.iterdir()} == {*FILES["tune-n1"], MADE_BY, RUN_FILE}


def test_a_picture_that_cannot_be_drawn_costs_only_the_picture(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    pictures = {"bad.png": lambda: 1 / 0, "good.png": lambda: plots.new_figure(1.0, 1.0)}
    write_and_show(Folder(tmp_path), {"a.md": "a", **pictures}, ["shown"])
    assert {path.name for path in tmp_path.iterdir()} == {"a.md", "good.png", MADE_BY}
    shown = ["shown", "bad.png: not drawn, ZeroDivisionError: division by zero"]
    assert capsys.readouterr().out.splitlines()[:2] == shown


def test_where_files_cannot_be_written_the_tables_are_seen_all_the_same(tmp_path, capsys):
    folder = Folder(tmp_path / "out")
    (tmp_path / "out" / "a.md").mkdir()
    with pytest.raises(InvalidArgumentError, match=r"a\.md is a folder"):
        write_and_show(folder, {"a.md": "a"}, ["shown"])
    assert capsys.readouterr().out == "shown\n"


def test_neither_a_full_disk_nor_an_interrupt_costs_a_file(output, capsys, monkeypatch, calls_of):
    names = {*FILES["regret"], MADE_BY, RUN_FILE}
    if Path("/dev/full").exists():
        with monkeypatch.context() as patch, open("/dev/full", "w", encoding="utf-8") as disk:
            patch.setattr(sys, "stdout", disk)
            assert run_tiny("regret", str(output)) == 1
        assert {path.name for path in output.iterdir()} == names
        assert capsys.readouterr().err.startswith("error: the printed text is incomplete: ")
    calls_of("explorative_user_env.commands.run.show")
    assert run_tiny("regret", str(output.with_name("other"))) == 0
    assert capsys.readouterr() == ("", "")
    assert {path.name for path in output.with_name("other").iterdir()} == names


@pytest.mark.exhaustive
def test_all_is_every_experiment_and_the_ladder_in_one_report(run, output, monkeypatch):
    for name, experiment in list(paper.EXPERIMENTS.items()):
        small = replace(experiment, deltas=experiment.deltas[:1], n_arms=experiment.n_arms[:1])
        monkeypatch.setitem(paper.EXPERIMENTS, name, replace(small, entrants=small.entrants[:1]))
    monkeypatch.setattr(paper, "DIFFERENCES", DIFFERENCES[:2])
    assert run("paper tables all --n-instances 3 --workers 1 --output", output).code == 0
    judged = set(pd.read_csv(output / "verdicts.csv")["experiment"])
    assert judged == {f"table{number}" for number in range(2, 8)}
    assert len(pd.read_csv(output / "ladder.csv")) == 4 * 3
    assert not (output / "runs.csv").exists()


def test_where_no_n1_is_found_it_says_so_and_where_its_runs_are(run, output):
    words = "paper tune-n1 --n-arms 3 --delta 0.2 --gap 0.4 --n-instances 600 --confirm 80"
    ended = run(f"{words} --workers 1 --max-steps 3 --output", output)
    assert (ended.code, f"its runs are in {output}/{RUN_FILE}" in ended.err) == (1, True)
    assert [path.name for path in output.iterdir()] == [RUN_FILE]
