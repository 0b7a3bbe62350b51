"""Files in other forms, what stands beside them, and what nobody can read."""

import hashlib
import json
import lzma
import os
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tampered import by_sql, with_records

import explorative_user_env as eu
from explorative_user_env.results import store as packed
from explorative_user_env.results.records import from_record
from explorative_user_env.results.results import runs_with_cells
from explorative_user_env.results.store import pack
from explorative_user_env.validation import InvalidArgumentError


def verified(path: Path, **options: Any) -> Any:
    return eu.verify(path, **{"seed": 0, "share": 1.0, "progress": False, **options})


@pytest.fixture
def rows(honest: Path) -> pd.DataFrame:
    results: Any = eu.load(honest)
    return runs_with_cells([results])


def written(rows: pd.DataFrame, path: Path) -> Path:
    if path.suffix == ".csv":
        rows.to_csv(path, index=False)
    else:
        path.write_text(json.dumps(rows.to_dict("records")))
    return path


@pytest.mark.parametrize("ending", [".csv", ".json"])
def test_rows_for_other_programs_are_verified_by_what_stands_in_them(
    rows: pd.DataFrame, tmp_path: Path, ending: str
) -> None:
    found = verified(written(rows, tmp_path / f"rows{ending}"))
    assert found.equal
    assert found.notes[0] == "the file does not say with which versions it was made"
    assert [each.n_again for each in found.checked] == [40, 40, 40]
    rows.loc[7, "stopping_time"] = 5
    short = rows.drop(index=[1, 50])
    told = [each.words for each in verified(written(short, tmp_path / f"b{ending}")).findings]
    assert told[0] == "BAIR: 1 of 40 runs are missing (instances 1)"
    assert told[1] == "SE: 1 of 40 runs are missing (instances 10)"
    assert told[2].startswith("BAIR, instance 7: stopping_time is 5 there and ")
    assert len(told) == 3


def test_a_forged_row_beside_the_true_one_is_told_whichever_is_drawn(
    rows: pd.DataFrame, tmp_path: Path
) -> None:
    forged = rows.assign(answer=0, correct=rows["best_arm"] == 0).iloc[[7, 50]]
    path = written(pd.concat([forged, rows]), tmp_path / "rows.csv")
    told = [each.words for each in verified(path, share=0.02).findings]
    assert "BAIR: 1 runs are there more than once" in told
    assert "SE: 1 runs are there more than once" in told


def test_a_table_that_lacks_what_is_needed_is_refused(rows: pd.DataFrame, tmp_path: Path) -> None:
    for name, words in (("seed", "columns that export writes"), ("setting", "setting is not")):
        with pytest.raises(InvalidArgumentError, match=words):
            verified(written(rows.drop(columns=name), tmp_path / "rows.csv"))
    with pytest.raises(InvalidArgumentError, match="rho must be acceptance_rate"):
        verified(written(rows.assign(rho="mine"), tmp_path / "rows.csv"))
    with pytest.raises(InvalidArgumentError, match="there is none"):
        verified(tmp_path / "nothing.csv")


def test_a_packed_file_is_read_like_the_file(honest: Path, tmp_path: Path) -> None:
    small = tmp_path / "run.sqlite.xz"
    pack(honest, small)
    assert small.stat().st_size < honest.stat().st_size / 4
    assert verified(small, share=0.1).equal
    assert str(eu.load(small)) == str(eu.load(honest))
    with pytest.raises(InvalidArgumentError, match="a new file"):
        pack(honest, small)
    with pytest.raises(InvalidArgumentError, match=r"a name that ends in \.xz"):
        pack(honest, tmp_path / "run.sqlite")


def test_a_packed_file_that_is_cut_or_a_bomb_is_refused(
    honest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = tmp_path / "run.sqlite.xz"
    pack(honest, small)
    (tmp_path / "cut.sqlite.xz").write_bytes(small.read_bytes()[:-100])
    (tmp_path / "other.sqlite.xz").write_bytes(b"no such thing")
    for name in ("cut", "other"):
        with pytest.raises(InvalidArgumentError, match="as explorative-user-env writes them"):
            eu.load(tmp_path / f"{name}.sqlite.xz")
    monkeypatch.setattr(packed, "MOST_BYTES", 1000)
    with pytest.raises(InvalidArgumentError, match="at most 1000 bytes"):
        verified(small)
    (tmp_path / "text.sqlite.xz").write_bytes(lzma.compress(b"text"))
    with pytest.raises(InvalidArgumentError, match="as explorative-user-env writes them"):
        verified(tmp_path / "text.sqlite.xz")


def test_a_folder_without_one_file_of_runs_is_refused(honest: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match=r"one of them \(it has none\)"):
        verified(tmp_path)
    for name in ("a.sqlite", "b.sqlite"):
        shutil.copyfile(honest, tmp_path / name)
    with pytest.raises(InvalidArgumentError, match=r"it has a\.sqlite, b\.sqlite"):
        verified(tmp_path)


HOSTILE: dict[str, Any] = {
    "a horizon of ages": lambda record: record["cell"].update(horizon=10**15),
    "no number of users": lambda record: record["request"].update(n_instances="many"),
    "no agents": lambda record: record["request"].pop("agents"),
    "agents as a list": lambda record: record["request"].update(agents=[1]),
    "no population": lambda record: record["request"].update(population=7),
    "another task": lambda record: record["request"].update(task="theft"),
    "no cell": lambda record: record.update(cell=None),
    "a step cap in words": lambda record: record["cell"]["agents"]["BAIR"].update(max_steps="a"),
    "an option in words": lambda record: record["request"]["agents"]["BAIR"]["options"].update(
        n1="much"
    ),
    "nested": lambda record: record["request"].update(seed=[[]]),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_nobody_can_have_written_is_refused_in_a_line_or_not_right(
    honest: Path, tmp_path: Path, what: str
) -> None:
    path = by_sql(honest, tmp_path / "run.sqlite")
    with_records(path, HOSTILE[what])
    told = ""
    try:
        told = str(verified(path, share=0.1))
    except InvalidArgumentError as refused:
        told = str(refused)
    assert told.startswith("path must be ") or told.splitlines()[-1].find(": equal") == -1


@pytest.mark.parametrize(
    "place",
    ["explorative_user_env.__main__:main", "explorative_user_env.commands:main", "os:system"],
)
def test_no_program_is_run_because_a_file_names_it(
    honest: Path, tmp_path: Path, place: str
) -> None:
    path = by_sql(honest, tmp_path / "run.sqlite")

    def change(record: Any) -> None:
        behaviour = record["request"]["population"]["behaviour"]
        behaviour["respond"] = {"function": place}

    with pytest.raises(InvalidArgumentError, match="which the users rest on"):
        verified(with_records(path, change))
    with pytest.raises(ValueError, match=place):
        from_record({"function": place})


def test_a_file_that_computes_its_rows_without_an_end_is_refused(
    honest: Path, tmp_path: Path
) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    views = ("ALTER TABLE runs_bai RENAME TO other", f"CREATE VIEW runs_bai AS {endless}")
    path = by_sql(honest, tmp_path / "run.sqlite", *views)
    for read in (verified, eu.load):
        with pytest.raises(InvalidArgumentError, match="as explorative-user-env writes them"):
            read(path)


def test_a_file_of_other_tables_is_refused(honest: Path, tmp_path: Path) -> None:
    path = by_sql(honest, tmp_path / "run.sqlite", "DROP TABLE runs_bai")
    with pytest.raises(InvalidArgumentError, match="path must be a file"):
        verified(path)


def test_what_a_table_claims_costs_no_more_than_its_rows(
    rows: pd.DataFrame, tmp_path: Path
) -> None:
    claims = rows.iloc[:2].assign(instance=[0, 9_999_999])
    found = verified(written(claims, tmp_path / "rows.csv"))
    assert "9999998 of 10000000 runs are missing" in str(found)
    endless = rows.iloc[:2].assign(interactions=10**15, max_steps=10**16, gap=1e-13)
    assert not verified(written(endless, tmp_path / "rows.csv")).equal


def test_a_manifest_is_followed_in_its_own_folder_alone(honest: Path, tmp_path: Path) -> None:
    shutil.copyfile(honest, tmp_path / "run.sqlite")
    os.mkfifo(tmp_path / "pipe")
    names = ["/dev/zero", "pipe", "../secret", str(honest)]
    files = {name: hashlib.sha256(honest.read_bytes()).hexdigest() for name in names}
    (tmp_path / "made_by.json").write_text(json.dumps({"files": files}))
    told = [each.words for each in verified(tmp_path).findings]
    assert told == ["pipe is not as the run has written it"]
    (tmp_path / "made_by.json").unlink()
    os.mkfifo(tmp_path / "made_by.json")
    assert verified(tmp_path).equal
