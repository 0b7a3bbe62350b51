"""Runs leave their file in a format that other programs read, whole or not at all."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import explorative_user_env as eu


@pytest.mark.parametrize("rows", ["runs", "summary"])
@pytest.mark.parametrize("ending", [".csv", ".json", ".parquet"])
def test_export_writes_what_others_read(
    ending: str,
    rows: str,
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    results = eu.evaluate(
        ["BAIR", "UNI"], n_instances=9, progress=False, store=tmp_path / "a.sqlite"
    )
    file = tmp_path / f"rows{ending}"
    assert run("results export", str(tmp_path / "a.sqlite"), str(file), "--rows", rows) == 0
    read: Any = {".csv": pd.read_csv, ".parquet": pd.read_parquet}.get(ending)
    frame = read(file) if read else pd.DataFrame(json.loads(file.read_text()))
    wanted = results.runs if rows == "runs" else results.summary()
    # Older pandas is a rounding off when it reads numbers.
    pd.testing.assert_frame_equal(frame[list(wanted)], wanted, rtol=1e-14, check_dtype=False)
    if rows == "runs":
        assert list(frame["user_seed"]) == list(wanted["user_seed"])
    assert {"alpha", "seed", "setting", "reward_law"} <= set(frame)
    assert run("results export", str(tmp_path / "a.sqlite"), str(file)) == 2
    assert "must be a new file, as it is there already" in capsys.readouterr().err
    assert run("results export", str(tmp_path / "a.sqlite"), str(file), "--overwrite") == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.sqlite", file.name]


def test_what_cannot_be_exported_is_refused_and_leaves_nothing(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    eu.evaluate(["BAIR"], n_instances=9, progress=False, store=tmp_path / "a.sqlite")
    (tmp_path / "file").write_text("")
    for file, words in {
        "rows.xlsx": "output must be one of .csv, .json, .parquet",
        "rows": "output must be one of .csv, .json, .parquet",
        "file/rows.csv": "output must be a file that can be written to",
    }.items():
        assert run("results export", str(tmp_path / "a.sqlite"), str(tmp_path / file)) == 2
        assert words in capsys.readouterr().err
    assert run("results export", str(tmp_path / "file"), str(tmp_path / "rows.csv")) == 2
    assert "path must be a file of runs" in capsys.readouterr().err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.sqlite", "file"]
    shutil.rmtree(tmp_path)
