import json
import runpy
import sys
from pathlib import Path

import pytest
from tampered import by_sql, without_digests
from toy_agents import scripted

import explorative_user_env as eu
from explorative_user_env.results.store import pack
from explorative_user_env.studies.suite import run_suite

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def script():
    return runpy.run_path(str(EXAMPLES / "leaderboard.py"))["main"].__globals__


@pytest.mark.exhaustive
def test_a_part_of_the_board_comes_out_again(script):
    (path, *_) = script["files"]()
    found = eu.verify(path, rows=1, only=["regret-k5", "noisy-k5"], compiled=False, progress=False)
    assert not found.findings
    assert sum(each.n_again for each in found.checked) >= 2 * 8


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Scores and runs of one task, of the package's agents and of somebody's."""
    folder = tmp_path_factory.mktemp("board")
    steady, files = scripted([0] * 10_000), {}
    steady.name = "Steady"
    for name, agents in {"package": ["BAIR", "SE"], "other": [steady, "BAIR"]}.items():
        files[name] = scores, store = folder / f"{name}.json", folder / f"{name}.sqlite"
        found = run_suite(agents, tasks=["regret-k5"], quick=True, store=store, progress=False)
        scores.write_text(json.dumps(found.record()), encoding="utf-8")
    return files


@pytest.fixture
def board(script, tmp_path, monkeypatch):
    monkeypatch.setitem(script, "FOLDER", tmp_path / "leaderboard")
    monkeypatch.setitem(script, "PAGE", tmp_path / "leaderboard.md")
    return tmp_path


@pytest.mark.slow
def test_who_sends_a_file_gets_a_row_and_the_others_stay(script, board, runs):
    script["add"](*runs["package"], "package")
    before = (board / "leaderboard.md").read_text(encoding="utf-8")
    script["add"](*runs["other"], "a")
    after = (board / "leaderboard.md").read_text(encoding="utf-8")
    assert "Steady" not in before
    assert "| Steady | `explorative-user suite --agent Steady` | [a.sqlite.xz]" in after
    (own,) = (line for line in before.splitlines() if line.startswith("| BAIR | `"))
    assert own in after.splitlines()
    whole = board / "whole.json"
    whole.write_text('{"title": "suite v2", "digest": "1cb7f3eaa1c7d97d"}', encoding="utf-8")
    with pytest.raises(eu.InvalidArgumentError, match="files of the same form of the suite"):
        script["add"](whole, runs["other"][1], "whole")


@pytest.mark.slow
def test_a_file_that_is_not_what_comes_out_does_not_pass(script, board, runs, capsys, monkeypatch):
    script["add"](*runs["package"], "package")
    monkeypatch.setattr(sys, "argv", ["leaderboard.py", "check", "--share", "0.05"])
    assert script["main"]() == 0
    edit = "UPDATE runs_regret SET regret = regret / 2 WHERE part = 1 AND instance < 5"
    packed, scores = (board / "leaderboard" / f"package.{end}" for end in ("sqlite.xz", "json"))
    edited = without_digests(by_sql(runs["package"][1], board / "run.sqlite", edit))
    pack(edited, packed, overwrite=True)
    whole = json.loads(scores.read_text(encoding="utf-8"))
    row = next(row for row in whole["scores"] if row["agent"] == "BAIR")
    row |= {name: row[name] + 3 for name in ("score", "low", "high")}
    scores.write_text(json.dumps(whole), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["leaderboard.py", "check", "--share", "1"])
    assert script["main"]() == 1
    told = capsys.readouterr().out
    assert "leaderboard.md differs from the page of its files" in told
    assert "BAIR, regret-k5: 3." in told
    assert told.count(", regret-k5, instance ") == 5
