"""An honest file is accepted, and what somebody has changed is named; agents may be given."""

import contextlib
import hashlib
import json
import lzma
import os
import shutil
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from specimens import Honest
from tampered import by_sql, with_records, without_digests

import explorative_user_env as eu
from explorative_user_env.agents import SuccessiveElimination
from explorative_user_env.check import verify as verifying
from explorative_user_env.check.verify import NOT_CHECKED
from explorative_user_env.results import store as packed
from explorative_user_env.results.records import from_record
from explorative_user_env.results.results import runs_with_cells
from explorative_user_env.results.store import pack
from explorative_user_env.studies import suite_tasks
from explorative_user_env.studies.suite import run_suite
from explorative_user_env.validation import InvalidArgumentError

SHARED = {"n_instances": 40, "n_arms": 3, "max_steps": 400, "progress": False, "compiled": False}


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A file of three agents that met 40 users."""
    path = tmp_path_factory.mktemp("honest") / "run.sqlite"
    eu.evaluate(["BAIR", "SE", "UNI"], store=path, **SHARED)
    return path


@pytest.fixture
def place(tmp_path):
    return tmp_path / "run.sqlite"


BAIRS = "part = (SELECT id FROM parts WHERE agent = 'BAIR')"
SES = "part = (SELECT id FROM parts WHERE agent = 'SE')"


def verified(path, **options):
    return eu.verify(path, **{"seed": 0, "compiled": False, "progress": False, **options})


def named_as(name, agent):
    agent.name = name
    return agent


def words(found):
    assert found.differs
    assert not found.equal
    return [each.words for each in found.findings]


@pytest.mark.slow
def test_an_honest_file_is_accepted_with_what_that_could_have_missed(honest):
    whole = {"share": 1.0, "compiled": True}
    for n_again, options in ((12, {"share": 0.1}), (51, {"rows": 50}), (120, whole)):
        found = verified(honest, **options)
        assert found.equal
        assert not found.findings
        assert not found.notes
        assert sum(each.n_again for each in found.checked) == n_again
        assert f"checked {n_again} of 120 rows: all as stated." in str(found)
        assert ("Up to 28 edited rows" in str(found)) == (n_again == 12)  # 0.9^28 > 5%


@pytest.mark.slow
def test_every_agent_of_every_cell_is_asked_or_those_that_are_named(honest, tmp_path, place):
    cells = {"deltas": [0.1, 0.2], "n_arms": [2, 3], "n_instances": 10}
    swept = tmp_path / "swept.sqlite"
    eu.sweep(["BAIR", "SE"], store=swept, compiled=False, progress=False, **cells)
    for only, n_asked in (([], 8), (["SE", "n_arms=2 delta=0.1"], 5)):
        found = verified(swept, rows=1, only=only)
        assert found.equal
        told = {(each.cell, each.agent): each.n_again for each in found.checked}
        assert list(told.values()) == [1] * n_asked
        assert ("n_arms=2 delta=0.1", "BAIR") in told
    with pytest.raises(InvalidArgumentError, match="only must be one of BAIR, SE, UNI"):
        verified(honest, only=["SES"])
    cut = by_sql(swept, place, "DELETE FROM results WHERE id = 4")
    line = "the requested cell n_arms=3 delta=0.2 is missing"
    assert words(verified(cut)) == [line]


def test_an_edited_number_is_named_with_what_comes_out(honest, place):
    edit = f"UPDATE runs_bai SET stopping_time = 5 WHERE instance = 17 AND {BAIRS}"
    changed = without_digests(by_sql(honest, place, edit))
    found = verified(changed, share=1.0)
    (each,) = found.findings
    runs = eu.load(honest).runs.set_index(["agent", "instance"])
    here = runs.loc[("BAIR", 17), "stopping_time"]
    assert each.words == f"BAIR, instance 17: stopping_time is 5 there and {here} here"
    assert (each.kind, each.agent, each.instance) == ("row", "BAIR", 17)
    assert (each.column, each.there, each.here) == ("stopping_time", 5, here)
    assert [each.verdict for each in found.checked] == ["differs", "equal", "equal"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "column", "edited", "options"),
    [
        ("regret", "regret", "1.5", {"horizon": 50}),
        ("population", "regret_by_user", "1 2 3", {"n_users": 3, "horizon": 30, "n_instances": 6}),
    ],
)
def test_other_tasks_are_verified_like_the_best_arm(task, column, edited, options, tmp_path, place):
    path = tmp_path / "honest.sqlite"
    eu.evaluate(["SE", "UNI"], store=path, task=task, **SHARED | {"max_steps": None} | options)
    assert verified(path, share=1.0).equal
    edit = f"UPDATE runs_{task} SET {column} = '{edited}' WHERE instance = 4 AND {SES}"
    changed = without_digests(by_sql(path, place, edit))
    (found,) = words(verified(changed, share=1.0))
    assert found.startswith(f"SE, instance 4: {column} is {edited} there and ")
    assert verified(changed, only=["UNI"]).equal


@pytest.mark.slow
def test_one_edited_row_is_found_as_often_as_the_share_says(honest, place):
    numbers = "stopping_time = 5, interactions = 5, acceptances = 3, rejections = 2"
    edit = f"UPDATE runs_bai SET {numbers} WHERE instance = 17 AND {SES}"
    changed = without_digests(by_sql(honest, place, edit))
    found = [verified(changed, share=0.3, seed=seed, only=["SE"]).differs for seed in range(40)]
    assert 4 <= sum(found) <= 21  # 12 expected; outside with probability 0.005


MISSING = "DELETE FROM runs_bai WHERE"
EDITS = {
    "BAIR: 4 of 40 runs are missing (instances 3, 8..9, 39)": (
        f"{MISSING} instance IN (3, 8, 9, 39) AND {BAIRS}",
    ),
    "BAIR: 40 of 40 runs are missing (all)": (f"{MISSING} {BAIRS}",),
    "BAIR: 10 of 40 runs are missing (instances 30..39); the file is marked as unfinished": (
        f"{MISSING} instance > 29 AND {BAIRS}",
        "UPDATE results SET finished = 0",
    ),
    "BAIR: the user seeds of 1 of 40 runs do not follow from the study's seed 0 (instance 8: 5": (
        f"UPDATE runs_bai SET user_seed = 5 WHERE instance = 8 AND {BAIRS}",
    ),
    "BAIR: 1 runs were not requested": (
        f"UPDATE runs_bai SET instance = 77 WHERE instance = 8 AND {BAIRS}",
    ),
    "all agents: the cell is a duplicate": (
        "INSERT INTO results(key, record, parts, finished) "
        "SELECT 'other', record, parts, finished FROM results",
    ),
}


@pytest.mark.slow
def test_what_is_missing_or_double_or_of_other_users_is_named(honest, place, subtests):
    for line, edits in EDITS.items():
        with subtests.test(line):
            changed = without_digests(by_sql(honest, place, *edits))
            assert any(each.startswith(line) for each in words(verified(changed, rows=1)))
    cut = by_sql(honest, place, f"{MISSING} {SES}")
    without = with_records(cut, lambda record: record["request"]["agents"].pop("SE"))
    assert "SE: all runs of this requested agent are missing" in words(verified(without))


def test_other_versions_and_code_are_no_accusation_and_other_streams_are(honest, place):
    for part, changed, line in [
        ("versions", "numpy", "other versions: numpy is 0123 there and "),
        ("made with", "code", "other code of the package: its digest is 0123 there and "),
        ("made with", "streams", "the random streams differ: their fingerprint is "),
    ]:

        def update(whole, part=part, changed=changed):
            if isinstance(whole, dict):
                whole[part][changed] = "0123"

        shutil.copyfile(honest, place)
        found = verified(with_records(place, update, "about", "value"), rows=1)
        (told,) = words(found) if changed == "streams" else found.notes
        assert told.startswith(line)
        assert found.equal == (changed != "streams")


def test_what_is_out_of_range_is_refused(honest):
    for name, value in [("share", 0.0), ("share", 1.5), ("rows", 0), ("seed", -1)]:
        with pytest.raises(InvalidArgumentError, match=f"^{name} must be"):
            verified(honest, **{name: value})
    with pytest.raises(InvalidArgumentError, match=r"^rows must be None if share"):
        verified(honest, rows=1, share=0.5)


def test_words_of_numbers_are_the_same_up_to_their_last_bits():
    texts = (["0.1 0.30000000000000004", "1 2"], ["0.1 0.3", "1 3"])
    there, here = (pd.DataFrame({"instance": [0, 1], "of": each}) for each in texts)
    assert [place for place, *_ in verifying._others(there, here)] == [1]


# Other forms of files, what stands beside them, and what nobody can read


@pytest.fixture
def rows(honest):
    return runs_with_cells([eu.load(honest)])


def written(rows, path):
    if path.suffix == ".csv":
        rows.to_csv(path, index=False)
    else:
        path.write_text(json.dumps(rows.to_dict("records")))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".json"])
def test_rows_for_other_programs_are_verified_by_what_stands_in_them(rows, tmp_path, ending):
    found = verified(written(rows, tmp_path / f"rows{ending}"), share=1.0)
    assert found.equal
    assert found.notes[0] == "the file does not state its versions"
    assert [each.n_again for each in found.checked] == [40, 40, 40]
    rows.loc[7, "stopping_time"] = 5
    short = written(rows.drop(index=[1, 50]), tmp_path / f"b{ending}")
    *missing, edited = words(verified(short, share=1.0))
    assert missing[0] == "BAIR: 1 of 40 runs are missing (instances 1)"
    assert missing[1:] == ["SE: 1 of 40 runs are missing (instances 10)"]
    assert edited.startswith("BAIR, instance 7: stopping_time is 5 there and ")
    forged = rows.assign(answer=0, correct=rows["best_arm"] == 0).iloc[[50]]
    double = verified(written(pd.concat([forged, rows]), tmp_path / f"c{ending}"), share=0.02)
    assert "SE: 1 runs are duplicates" in words(double)


def test_what_a_table_lacks_or_claims_is_refused_or_costs_no_more_than_its_rows(rows, tmp_path):
    path = tmp_path / "rows.csv"
    lacking = {"the columns of export": rows.drop(columns="seed")}
    lacking["missing: setting"] = rows.drop(columns="setting")
    lacking["rho must be acceptance_rate"] = rows.assign(rho="mine")
    for words, table in lacking.items():
        with pytest.raises(InvalidArgumentError, match=words):
            verified(written(table, path))
    claims = rows.iloc[:2].assign(instance=[0, 9_999_999])
    assert "9999998 of 10000000 runs are missing" in str(verified(written(claims, path)))
    endless = rows.iloc[:2].assign(interactions=10**15, max_steps=10**16, gap=1e-13)
    assert not verified(written(endless, path)).equal


def test_a_packed_file_is_read_and_refused_if_cut_or_a_bomb(honest, tmp_path, monkeypatch):
    small = tmp_path / "run.sqlite.xz"
    pack(honest, small)
    assert small.stat().st_size < honest.stat().st_size / 4
    assert verified(small, share=0.1).equal
    assert str(eu.load(small)) == str(eu.load(honest))
    with pytest.raises(InvalidArgumentError, match="a new file"):
        pack(honest, small)
    for content in (small.read_bytes()[:-100], b"no such thing", lzma.compress(b"text")):
        (tmp_path / "other.sqlite.xz").write_bytes(content)
        with pytest.raises(InvalidArgumentError, match="a file of runs of explorative-user-env"):
            verified(tmp_path / "other.sqlite.xz")
    monkeypatch.setattr(packed, "MOST_BYTES", 1000)
    with pytest.raises(InvalidArgumentError, match="at most 1000 bytes"):
        verified(small)


def test_what_nobody_can_have_written_is_refused_or_not_right(honest, place):
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
        path = with_records(by_sql(honest, place), change)
        with contextlib.suppress(InvalidArgumentError):
            assert not verified(path, share=0.1).equal


def test_no_program_is_run_because_a_file_names_it(honest, place):
    program = {"function": "os:system"}

    def change(record):
        record["request"]["population"]["behaviour"]["respond"] = program

    with pytest.raises(InvalidArgumentError, match="which the users need"):
        verified(with_records(by_sql(honest, place), change))
    with pytest.raises(ValueError, match="os:system"):
        from_record(program)


def test_a_file_that_computes_its_rows_without_an_end_or_has_none_is_refused(honest, tmp_path):
    endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    path = by_sql(honest, tmp_path / "run.sqlite", "ALTER TABLE runs_bai RENAME TO other")
    for edit in ("DROP TABLE IF EXISTS runs_bai", f"CREATE VIEW runs_bai AS {endless}"):
        for read in (verified, eu.load):
            with pytest.raises(InvalidArgumentError, match=r"^path must be a file"):
                read(by_sql(path, tmp_path / "other.sqlite", edit))


@pytest.mark.slow
def test_a_manifest_is_followed_in_its_own_folder_alone(honest, tmp_path):
    shutil.copyfile(honest, tmp_path / "run.sqlite")
    os.mkfifo(tmp_path / "pipe")
    names = ["/dev/zero", "pipe", "../secret", str(honest)]
    files = {name: hashlib.sha256(honest.read_bytes()).hexdigest() for name in names}
    (tmp_path / "made_by.json").write_text(json.dumps({"files": files}))
    assert words(verified(tmp_path)) == ["pipe was changed after the run"]
    (tmp_path / "made_by.json").unlink()
    os.mkfifo(tmp_path / "made_by.json")
    assert verified(tmp_path).equal
    (tmp_path / "a.sqlite").touch()
    with pytest.raises(InvalidArgumentError, match=r"found: a\.sqlite, run\.sqlite"):
        verified(tmp_path)


# Agents of one's own


def of_agents(path, *agents):
    return verified(path, agents=agents, share=1.0)


MET = {"n_instances": 12, "n_arms": 3, "compiled": False, "progress": False}


class Sweeper(Honest):
    def __init__(self, sweeps=3):
        self.sweeps = sweeps

    def act(self):
        return None if self.steps == self.sweeps * self.n_arms else self.steps % self.n_arms


def test_rows_of_code_of_ones_own_are_run_again_if_it_is_given(tmp_path, place):
    mine = tmp_path / "mine.sqlite"
    eu.evaluate([Sweeper(), "SE"], store=mine, **MET)
    found = of_agents(mine)
    assert (found.differs, found.equal) == (False, False)
    verdicts = {each.agent: each.verdict for each in found.checked}
    assert verdicts == {"Sweeper": NOT_CHECKED, "SE": "equal"}
    assert found.reasons() == [f"Sweeper: {found.checked[0].why}"]
    found = of_agents(mine, Sweeper())
    assert found.equal
    assert not found.notes
    edit = "UPDATE runs_bai SET answer = (answer + 1) % 3 WHERE instance = 3"
    changed = without_digests(by_sql(mine, place, edit))
    assert "Sweeper" in [each.agent for each in of_agents(changed, Sweeper()).findings]
    found = of_agents(mine, Sweeper(2))
    (note,) = found.notes
    assert note.startswith("Sweeper: the custom agent has other code, options or weights")
    assert {each.agent for each in found.findings} == {"Sweeper"}


def test_who_goes_by_the_name_of_another_is_told(tmp_path):
    agents = {
        "BAIR: n1 is 0 there and paper in the package's BAIR": SuccessiveElimination(name="BAIR"),
        "BAIR: custom code, not the package's": named_as("BAIR", Sweeper()),
    }
    for number, (line, agent) in enumerate(agents.items()):
        path = tmp_path / f"{number}.sqlite"
        eu.evaluate([agent], store=path, **MET)
        found = of_agents(path, agent)
        assert found.equal
        assert found.notes[0].startswith(line)


class Policy(Sweeper):
    """Stands for a trained policy, whose rows rest on how a processor rounds."""

    def __init__(self, moves=0.0):
        super().__init__()
        self.options = {"weights": 1}
        self.trained_on = {"task": "bai", "n_arms": 3}
        self.moves = moves

    def reset(self, n_arms, rng, horizon=None):
        super().reset(n_arms, rng, horizon)
        self.sweeps = 3 + (rng.random() < self.moves) * (-1) ** int(rng.integers(2))


@pytest.mark.slow
def test_a_policy_a_few_of_whose_rows_move_is_alike_as_long_as_the_mean_stays(tmp_path):
    policy = tmp_path / "run.sqlite"
    eu.evaluate([Policy()], store=policy, **MET | {"n_instances": 100})
    # It is known by its options, though its stream follows from its name.
    assert of_agents(policy, named_as("other", Policy())).equal
    found = of_agents(policy, Policy(0.01))
    assert [each.verdict for each in found.checked] == ["alike"]
    assert 0 < found.checked[0].n_differing <= 2
    assert not found.differs
    found = of_agents(policy, Policy(0.5))  # whose mean stays as well
    assert [each.verdict for each in found.checked] == ["differs"]
    edit = "UPDATE runs_bai SET stopping_time = stopping_time - instance % 2"
    changed = without_digests(by_sql(policy, tmp_path / "faster.sqlite", edit))
    assert of_agents(changed, Policy()).differs
    edit = "UPDATE runs_bai SET best_arm = (best_arm + 1) % 3 WHERE instance = 3"
    changed = without_digests(by_sql(policy, tmp_path / "users.sqlite", edit))
    findings = of_agents(changed, Policy()).findings
    assert (3, "best_arm") in [(each.instance, each.column) for each in findings]


class ForEver(Sweeper):
    name = "mine"

    def act(self):
        return self.steps // self.sweeps % self.n_arms


@pytest.mark.slow
def test_models_of_one_name_are_told_apart_and_asked_of_their_own_tasks(tmp_path, monkeypatch):
    few = tuple(replace(task, n_instances=6) for task in suite_tasks.SUITE)
    monkeypatch.setattr(suite_tasks, "SUITE", few)
    models = {"regret-k5": [ForEver(2)], "noisy-k5": [ForEver(4)]}
    entrants, path = [suite_tasks.ModelsByTask("mine", models)], tmp_path / "run.sqlite"
    run_suite(entrants, tasks=list(models), store=path, progress=False)
    found = of_agents(path, *suite_tasks.agents_by_name(entrants).values())
    assert found.equal
    assert not found.notes
    others = of_agents(path, ForEver(2))
    assert {(each.cell, each.agent) for each in others.findings} == {("noisy-k5", "mine")}


def test_many_arms_count_as_work_when_all_rows_would_be_rerun():
    rows = pd.DataFrame({"interactions": [300] * 40})
    results = SimpleNamespace(line_up={"BAIR": eu.agents.BAIR()}, cell={"n_arms": 10**6})
    cell = SimpleNamespace(runs=lambda _: rows, results=results, longest=lambda _: 300)
    assert verifying._share_of([(cell, "BAIR")], None) == verifying.SHARE
