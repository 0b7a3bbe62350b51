"""Files in other forms, what stands beside them, and what nobody can read."""

import contextlib
import hashlib
import json
import lzma
import os
import re
import shutil

import pandas as pd
import pytest
from tampered import by_sql, with_records

import explorative_user_env as eu
from explorative_user_env.results import store as packed
from explorative_user_env.results.records import from_record
from explorative_user_env.results.results import runs_with_cells
from explorative_user_env.results.store import pack
from explorative_user_env.validation import InvalidArgumentError


def verified(path, **options):
    return eu.verify(
        path, **{"seed": 0, "share": 1.0, "compiled": False, "progress": False, **options}
    )


@pytest.fixture
def rows(honest):
    results = eu.load(honest)
    return runs_with_cells([results])


def written(rows, path):
    if path.suffix == ".csv":
        rows.to_csv(path, index=False)
    else:
        path.write_text(json.dumps(rows.to_dict("records")))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".json"])
def test_rows_for_other_programs_are_verified_by_what_stands_in_them(rows, tmp_path, ending):
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
    forged = rows.assign(answer=0, correct=rows["best_arm"] == 0).iloc[[50]]
    double = verified(written(pd.concat([forged, rows]), tmp_path / f"c{ending}"), share=0.02)
    assert "SE: 1 runs are there more than once" in [each.words for each in double.findings]


def test_what_a_table_lacks_or_claims_is_refused_or_costs_no_more_than_its_rows(rows, tmp_path):
    path = tmp_path / "rows.csv"
    lacking = {"columns that export writes": rows.drop(columns="seed")}
    lacking["setting is not"] = rows.drop(columns="setting")
    lacking["rho must be acceptance_rate"] = rows.assign(rho="mine")
    for words, table in lacking.items():
        with pytest.raises(InvalidArgumentError, match=words):
            verified(written(table, path))
    claims = rows.iloc[:2].assign(instance=[0, 9_999_999])
    assert "9999998 of 10000000 runs are missing" in str(verified(written(claims, path)))
    endless = rows.iloc[:2].assign(interactions=10**15, max_steps=10**16, gap=1e-13)
    assert not verified(written(endless, path)).equal


def test_a_packed_file_is_read_like_the_file_and_refused_if_it_is_cut_or_a_bomb(
    honest, tmp_path, monkeypatch
):
    small = tmp_path / "run.sqlite.xz"
    pack(honest, small)
    assert small.stat().st_size < honest.stat().st_size / 4
    assert verified(small, share=0.1).equal
    assert str(eu.load(small)) == str(eu.load(honest))
    with pytest.raises(InvalidArgumentError, match="a new file"):
        pack(honest, small)
    for content in (small.read_bytes()[:-100], b"no such thing", lzma.compress(b"text")):
        (tmp_path / "other.sqlite.xz").write_bytes(content)
        with pytest.raises(InvalidArgumentError, match="as explorative-user-env writes them"):
            verified(tmp_path / "other.sqlite.xz")
    monkeypatch.setattr(packed, "MOST_BYTES", 1000)
    with pytest.raises(InvalidArgumentError, match="at most 1000 bytes"):
        verified(small)


def test_a_folder_without_one_file_of_runs_is_refused(honest, tmp_path):
    with pytest.raises(InvalidArgumentError, match=r"one of them \(it has none\)"):
        verified(tmp_path)
    for name in ("a.sqlite", "b.sqlite"):
        shutil.copyfile(honest, tmp_path / name)
    with pytest.raises(InvalidArgumentError, match=r"it has a\.sqlite, b\.sqlite"):
        verified(tmp_path)


def test_what_nobody_can_have_written_is_refused_or_not_right(honest, tmp_path):
    hostile = [
        lambda record: record["cell"].update(horizon=10**15),
        lambda record: record["request"].update(n_instances="many"),
        lambda record: record["request"].update(agents=[1]),
        lambda record: record["request"].update(task="theft"),
        lambda record: record.update(cell=None),
        lambda record: record["cell"]["agents"]["BAIR"].update(max_steps="a"),
        lambda record: record["request"].update(seed=[[]]),
    ]
    for change in hostile:
        path = with_records(by_sql(honest, tmp_path / "run.sqlite"), change)
        with contextlib.suppress(InvalidArgumentError):
            assert not verified(path, share=0.1).equal


def test_no_program_is_run_because_a_file_names_it(honest, tmp_path):
    place = "os:system"

    def change(record):
        record["request"]["population"]["behaviour"]["respond"] = {"function": place}

    with pytest.raises(InvalidArgumentError, match="which the users rest on"):
        verified(with_records(by_sql(honest, tmp_path / "run.sqlite"), change))
    with pytest.raises(ValueError, match=re.escape(place)):
        from_record({"function": place})


def test_a_file_that_computes_its_rows_without_an_end_or_has_none_is_refused(honest, tmp_path):
    endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    path = by_sql(honest, tmp_path / "run.sqlite", "ALTER TABLE runs_bai RENAME TO other")
    for edit in ("DROP TABLE IF EXISTS runs_bai", f"CREATE VIEW runs_bai AS {endless}"):
        for read in (verified, eu.load):
            with pytest.raises(InvalidArgumentError, match=r"^path must be a file"):
                read(by_sql(path, tmp_path / "other.sqlite", edit))


def test_a_manifest_is_followed_in_its_own_folder_alone(honest, tmp_path):
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
