import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest
from small_tuning import CELL, TUNED

from explorative_user_env import InvalidArgumentError, evaluate
from explorative_user_env.agents import BAIR
from explorative_user_env.files import Folder
from explorative_user_env.studies.tuning import Estimate, TunedAgent, TunedN1, load_tuned


@pytest.fixture
def tuned() -> TunedN1:
    return TUNED


@pytest.mark.parametrize("name", ["", "tuned.json"], ids=["folder", "file"])
def test_what_was_saved_is_loaded(tuned: TunedN1, tmp_path: Path, name: str) -> None:
    tuned.save(tmp_path / "tuned.json")
    assert load_tuned(tmp_path / name) == tuned
    assert load_tuned(str(tmp_path / name)) == tuned


def test_a_figure_that_is_not_there_is_null(tuned: TunedN1, tmp_path: Path) -> None:
    nothing = Estimate(51.0, math.nan, math.nan)
    dataclasses.replace(tuned, stopping_time=nothing).save(tmp_path / "tuned.json")
    text = (tmp_path / "tuned.json").read_text()
    assert json.loads(text)["stopping_time"] == {"value": 51.0, "low": None, "high": None}
    loaded = load_tuned(tmp_path)
    assert loaded.stopping_time.value == 51.0
    assert math.isnan(loaded.stopping_time.low)


def test_the_agent_is_bair_with_that_n1(tuned: TunedN1) -> None:
    agent = tuned.agent()
    assert agent.name == "BAIR-tuned"
    assert agent.trained_on == CELL | {"task": "bai"}
    options: dict[str, Any] = {"setting": "released", "n_arms": 3, "n_instances": 20, "seed": 1}
    found = evaluate([agent, BAIR(n1=7, name="same"), BAIR(delta=0.2)], **options).runs
    times = {name: list(runs["stopping_time"]) for name, runs in found.groupby("agent")}
    assert times["BAIR-tuned"] == times["same"] != times["BAIR"]


def test_the_agent_keeps_the_delta_it_was_tuned_for(tuned: TunedN1) -> None:
    results = evaluate([tuned.agent(max_steps=9)], delta=0.1, n_instances=2, n_arms=3)
    assert results.deltas == {"BAIR-tuned": 0.2}
    assert results.runs["interactions"].max() <= 9


def test_a_number_alone_makes_an_agent_without_a_cell() -> None:
    agent = TunedAgent(12)
    assert agent.trained_on == {}
    assert agent.params(5, None).n1 == 12
    with pytest.raises(InvalidArgumentError, match="n1 must be an integer of at least 0, got -1"):
        TunedAgent(-1)


@pytest.mark.parametrize(
    "change",
    [
        {"n1": -1},
        {"n1": 2.5},
        {"more": 1},
        {"interval": [1]},
        {"success": None},
        {"success": {"value": 1}},
        {"cell": CELL | {"n_arms": 1}},
        {"cell": CELL | {"delta": 1.0}},
        {"cell": {"n_arms": 3, "delta": 0.1}},
    ],
)
def test_a_file_that_is_not_right_is_refused(
    tuned: TunedN1, tmp_path: Path, change: dict[str, Any]
) -> None:
    file = tmp_path / "tuned.json"
    tuned.save(file)
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(InvalidArgumentError, match="tuned must be a file or folder written by tun"):
        load_tuned(tmp_path)


@pytest.mark.parametrize("text", [None, "", "[]", "{}", "7"])
def test_no_file_or_no_record_is_refused(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "tuned.json").write_text(text)
    with pytest.raises(InvalidArgumentError, match="tuned must be a file or folder written by tun"):
        load_tuned(tmp_path)


def test_a_record_beside_a_manifest_of_another_is_refused(tuned: TunedN1, tmp_path: Path) -> None:
    Folder(tmp_path).write({"tuned.json": tuned.save})
    assert load_tuned(tmp_path) == load_tuned(tmp_path / "tuned.json") == tuned
    dataclasses.replace(tuned, n1=tuned.n1 + 1).save(tmp_path / "tuned.json")
    for source in (tmp_path, tmp_path / "tuned.json"):
        with pytest.raises(InvalidArgumentError, match=r"^tuned must be .*tuned\.json is not\)"):
            load_tuned(source)
