"""The leaderboard is what its files give, its files are what comes out, and others may send one."""

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tampered import by_sql, without_digests

import explorative_user_env as eu
from explorative_user_env.results.store import pack
from explorative_user_env.studies.suite import run_suite

EXAMPLES = Path(__file__).parents[1] / "examples"
QUICK_TASKS = ("regret-k5", "noisy-k5", "logistic-k5")
"""Tasks whose runs are short, so that they are quickest step by step."""


@pytest.fixture
def script() -> dict[str, Any]:
    """The script's own names."""
    names = runpy.run_path(str(EXAMPLES / "leaderboard.py"))
    space: dict[str, Any] = names["main"].__globals__
    return space


@pytest.mark.slow
def test_a_part_of_the_board_comes_out_again(script: dict[str, Any]) -> None:
    (path, *_) = script["files"]()
    found = eu.verify(path, rows=1, only=QUICK_TASKS, compiled=False, progress=False)
    assert not found.findings
    assert sum(each.n_again for each in found.checked) >= 3 * 8


class Steady:
    """Recommends one arm, drawn at the start."""

    name = "Steady"

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.arm = int(rng.integers(n_arms))

    def act(self) -> int | None:
        return self.arm

    def observe(self, arm: int, accepted: bool) -> None:
        """Learn nothing."""

    def answer(self) -> int:
        return self.arm


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Path]]:
    """Scores and runs of one task, of the package's agents and of somebody's."""
    folder = tmp_path_factory.mktemp("board")
    for name, agents in {"package": ["BAIR", "SE"], "other": [Steady(), "BAIR"]}.items():
        given: Any = agents
        store = folder / f"{name}.sqlite"
        found = run_suite(given, tasks=["regret-k5"], quick=True, store=store, progress=False)
        (folder / f"{name}.json").write_text(json.dumps(found.record()), encoding="utf-8")
    return lambda name: (folder / f"{name}.json", folder / f"{name}.sqlite")


@pytest.fixture
def board(script: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty board."""
    monkeypatch.setitem(script, "FOLDER", tmp_path / "leaderboard")
    monkeypatch.setitem(script, "PAGE", tmp_path / "leaderboard.md")
    return tmp_path


def test_who_sends_a_file_gets_a_row_and_the_others_stay(
    script: dict[str, Any], board: Path, runs: Callable[[str], tuple[Path, Path]]
) -> None:
    script["add"](*runs("package"), "package")
    before = (board / "leaderboard.md").read_text(encoding="utf-8")
    assert "Steady" not in before
    script["add"](*runs("other"), "a")
    after = (board / "leaderboard.md").read_text(encoding="utf-8")
    assert "| Steady | `explorative-user suite --agent Steady` | [a.sqlite.xz]" in after
    own = [line for line in before.splitlines() if line.startswith("| BAIR | `")]
    assert {*own} <= {*after.splitlines()}
    scores = [
        {cell.strip() for cell in line.split("|")}
        for page in (before, after)
        for line in page.splitlines()
        if line.startswith("| regret-k5 ")
    ]
    assert scores[0] < scores[1]
    assert "regret-k5 1705" in after


def test_a_file_that_is_not_what_comes_out_does_not_pass(
    script: dict[str, Any],
    board: Path,
    runs: Callable[[str], tuple[Path, Path]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script["add"](*runs("package"), "package")
    monkeypatch.setattr(sys, "argv", ["leaderboard.py", "check", "--share", "0.05"])
    assert script["main"]() == 0
    edit = "UPDATE runs_regret SET regret = regret / 2 WHERE part = 1 AND instance < 5"
    packed, scores = (board / "leaderboard" / f"package.{end}" for end in ("sqlite.xz", "json"))
    edited = without_digests(by_sql(runs("package")[1], board / "run.sqlite", edit))
    pack(edited, packed, overwrite=True)
    whole = json.loads(scores.read_text(encoding="utf-8"))
    for row in whole["scores"]:
        row |= {name: row[name] + 3 * (row["agent"] == "BAIR") for name in ("score", "low", "high")}
    scores.write_text(json.dumps(whole), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["leaderboard.py", "check", "--share", "1"])
    assert script["main"]() == 1
    told = capsys.readouterr().out
    assert "leaderboard.md is not what its files give" in told
    assert "BAIR, regret-k5: 3." in told
    assert told.count(", regret-k5, instance ") == 5


def test_files_of_other_runs_of_the_suite_are_no_part_of_a_board(
    script: dict[str, Any], board: Path, runs: Callable[[str], tuple[Path, Path]], tmp_path: Path
) -> None:
    (tmp_path / "whole.json").write_text(
        json.dumps({"title": "suite v1", "digest": "c4c13fe0cba0cdfd"}), encoding="utf-8"
    )
    script["add"](*runs("package"), "package")
    with pytest.raises(eu.InvalidArgumentError, match="files of one run of the suite"):
        script["add"](tmp_path / "whole.json", runs("other")[1], "whole")
