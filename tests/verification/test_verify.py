"""An honest file is accepted, and what somebody has changed in one is named."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tampered import by_sql, with_parts, with_records, with_request, without_digests
from verification.conftest import SHARED

import explorative_user_env as eu
from explorative_user_env.validation import InvalidArgumentError
from explorative_user_env.verification import Verification
from explorative_user_env.verification.findings import most_missed
from explorative_user_env.verification.looking import Looking
from explorative_user_env.verification.rows import others_in

BAIRS = "part = (SELECT id FROM parts WHERE agent = 'BAIR')"
SES = "part = (SELECT id FROM parts WHERE agent = 'SE')"


def verified(path: Path, **options: Any) -> Verification:
    return eu.verify(path, **{"seed": 0, "progress": False, **options})


def words(found: Verification) -> list[str]:
    assert found.differs
    assert not found.equal
    return [each.words for each in found.findings]


@pytest.mark.parametrize("options", [{"share": 0.1}, {"rows": 50}, {"share": 1.0}])
def test_an_honest_file_is_accepted_with_what_that_could_have_missed(
    honest: Path, options: dict[str, Any]
) -> None:
    found = verified(honest, **options)
    assert found.equal
    assert not found.findings
    assert not found.notes
    n_again = sum(each.n_again for each in found.checked)
    assert n_again == {0.1: 12, 1.0: 120}.get(found.share, 51)
    assert f"{n_again} of 120 rows run again, drawn with seed 0" in str(found)
    assert ("none was left out" in str(found)) == (found.share == 1.0)
    assert ("with 95% confidence" in str(found)) == (found.share < 1.0)


def test_every_agent_of_every_cell_is_asked(swept: Path) -> None:
    found = verified(swept, rows=1)
    assert found.equal
    assert [each.n_again for each in found.checked] == [1] * 8
    assert len({(each.cell, each.agent) for each in found.checked}) == 8


def test_regret_is_verified_like_the_best_arm(tmp_path: Path, place: Path) -> None:
    task: dict[str, Any] = {"task": "regret", "horizon": 50}
    users = SHARED | {"max_steps": None}
    eu.evaluate(["BAIR", "UNI"], store=tmp_path / "honest.sqlite", **users, **task)
    assert verified(tmp_path / "honest.sqlite", share=1.0).equal
    edit = f"UPDATE runs_regret SET regret = regret - 0.001 WHERE instance = 7 AND {BAIRS}"
    changed = without_digests(by_sql(tmp_path / "honest.sqlite", place, edit))
    (line,) = words(verified(changed, share=1.0))
    assert line.startswith("BAIR, instance 7: regret is ")


def test_an_edited_number_is_named_with_what_comes_out(honest: Path, place: Path) -> None:
    (before,) = eu.load(honest).runs.query("agent == 'BAIR' and instance == 17").to_dict("records")
    edit = f"UPDATE runs_bai SET stopping_time = 5 WHERE instance = 17 AND {BAIRS}"
    changed = without_digests(by_sql(honest, place, edit))
    found = verified(changed, share=1.0)
    (each,) = found.findings
    here = before["stopping_time"]
    assert each.words == f"BAIR, instance 17: stopping_time is 5 there and {here} here"
    assert (each.kind, each.agent, each.instance) == ("row", "BAIR", 17)
    assert (each.column, each.there, each.here) == ("stopping_time", 5, here)
    verdicts = {each.agent: each.verdict for each in found.checked}
    assert verdicts == {"BAIR": "differs", "SE": "equal", "UNI": "equal"}


@pytest.mark.slow
def test_one_edited_row_is_found_as_often_as_the_share_says(honest: Path, place: Path) -> None:
    numbers = "stopping_time = 5, interactions = 5, acceptances = 3, rejections = 2"
    edit = f"UPDATE runs_bai SET {numbers} WHERE instance = 17 AND {SES}"
    changed = without_digests(by_sql(honest, place, edit))
    found = [verified(changed, share=0.3, seed=seed).differs for seed in range(40)]
    assert 4 <= sum(found) <= 21  # 12 expected; outside with probability 0.005


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (
            f"DELETE FROM runs_bai WHERE instance IN (3, 8, 9, 39) AND {BAIRS}",
            "BAIR: 4 of 40 runs are missing (instances 3, 8..9, 39)",
        ),
        (f"DELETE FROM runs_bai WHERE {BAIRS}", "BAIR: 40 of 40 runs are missing (all)"),
    ],
)
def test_dropped_runs_are_named(honest: Path, place: Path, edit: str, line: str) -> None:
    assert line in words(verified(without_digests(by_sql(honest, place, edit))))


def test_runs_of_a_file_that_says_it_is_not_finished_are_missing_all_the_same(
    honest: Path, place: Path
) -> None:
    cut = f"DELETE FROM runs_bai WHERE instance > 29 AND {BAIRS}"
    unfinished = "UPDATE results SET finished = 0"
    changed = without_digests(by_sql(honest, place, cut, unfinished))
    (line, *_) = words(verified(changed))
    assert line.endswith("(instances 30..39), as it says itself: it is not finished")


def test_an_agent_or_a_cell_that_was_asked_for_is_missed(
    honest: Path, swept: Path, place: Path
) -> None:
    cut = by_sql(honest, place, f"DELETE FROM runs_bai WHERE {SES}")
    without = with_records(cut, lambda record: record["request"]["agents"].pop("SE"))
    assert any(line.startswith("agents.SE") for line in words(verified(without)))

    cut = by_sql(swept, place, "DELETE FROM results WHERE id = 4")
    line = "the whole cell n_arms=3 delta=0.2 is missing, which was asked for"
    assert words(verified(cut)) == [line]


SWAPPED = (
    "UPDATE runs_bai SET part = part + 100",
    "UPDATE runs_bai SET part = (SELECT id FROM parts WHERE agent = 'SE') "
    "WHERE part = 100 + (SELECT id FROM parts WHERE agent = 'BAIR')",
    "UPDATE runs_bai SET part = (SELECT id FROM parts WHERE agent = 'BAIR') "
    "WHERE part = 100 + (SELECT id FROM parts WHERE agent = 'SE')",
    "UPDATE runs_bai SET part = part - 100 WHERE part > 100",
)


def test_swapped_agents_are_named_with_whose_rows_they_are(honest: Path, place: Path) -> None:
    told = words(verified(without_digests(by_sql(honest, place, *SWAPPED))))
    assert "BAIR: the rows are not BAIR's; they are those of SE" in told
    assert "SE: the rows are not SE's; they are those of BAIR" in told


def test_rows_of_an_agent_that_the_file_has_not_are_known_too(honest: Path, place: Path) -> None:
    other = honest.with_name("other.sqlite")
    eu.evaluate(["UCB1"], store=other, baseline_time=60, compiled=False, **SHARED)
    ucb = eu.load(other).runs
    columns = [name for name in ucb if name not in ("instance", "user_seed", "agent", "best_arm")]
    edits = [
        f"UPDATE runs_bai SET {', '.join(f'{name} = {int(row[name])}' for name in columns)} "
        f"WHERE instance = {row['instance']} AND {SES}"
        for row in ucb.to_dict("records")
    ]
    changed = without_digests(by_sql(honest, place, *edits))
    with_records(changed, lambda record: record["cell"].update(horizon=60))
    told = words(verified(changed))
    assert "SE: the rows are not SE's; they are those of UCB1" in told


def test_another_seed_is_named_where_the_users_seeds_do_not_follow(
    honest: Path, place: Path
) -> None:
    shutil.copyfile(honest, place)
    with_request(without_digests(place), lambda asked: asked.update(seed=7))
    with_parts(place, lambda record: record.update(seed=7))
    told = words(verified(place))
    assert told[0] == (
        "BAIR: the user seeds of 40 of 40 runs do not follow from the study's seed 7; "
        "they are those of seed 0"
    )


@pytest.mark.slow
def test_other_users_under_the_right_seeds_are_told_by_their_best_arms(
    honest: Path, place: Path, tmp_path: Path
) -> None:
    eu.evaluate(["BAIR", "SE", "UNI"], seed=3, store=tmp_path / "3.sqlite", **SHARED)
    right = eu.load(honest).runs.query("agent == 'BAIR'")["user_seed"]
    edits = [
        f"UPDATE runs_bai SET user_seed = {seed} WHERE instance = {instance}"
        for instance, seed in enumerate(right)
    ]
    changed = without_digests(by_sql(tmp_path / "3.sqlite", place, *edits))
    with_request(changed, lambda asked: asked.update(seed=0))
    with_parts(changed, lambda record: record.update(seed=0))
    told = words(verified(changed))
    assert any("even the best arms are others, as of another seed" in line for line in told)


def test_one_user_seed_that_was_edited_is_named(honest: Path, place: Path) -> None:
    edit = f"UPDATE runs_bai SET user_seed = 5 WHERE instance = 8 AND {BAIRS}"
    told = words(verified(without_digests(by_sql(honest, place, edit))))
    assert told[0].startswith(
        "BAIR: the user seeds of 1 of 40 runs do not follow from the study's seed 0 (instance 8: 5"
    )


def of_the_request(change: Any) -> Any:
    return lambda whole: change(whole) if isinstance(whole, dict) else None


def test_other_versions_are_named_and_are_no_accusation(honest: Path, place: Path) -> None:
    shutil.copyfile(honest, place)
    change = of_the_request(lambda whole: whole["versions"].update(numpy="1.99.0"))
    found = verified(with_records(place, change, "about", "value"))
    assert found.equal
    (note,) = found.notes
    assert note == f"other versions: numpy is 1.99.0 there and {np.__version__} here"


def test_other_streams_are_named(honest: Path, place: Path) -> None:
    shutil.copyfile(honest, place)
    change = of_the_request(lambda whole: whole["made with"].update(streams="0123"))
    (line,) = words(verified(with_records(place, change, "about", "value")))
    assert line.startswith("the random streams are others: their fingerprint is 0123 there and ")


def test_other_code_is_told_and_the_rows_are_compared(honest: Path, place: Path) -> None:
    shutil.copyfile(honest, place)
    change = of_the_request(lambda whole: whole["made with"].update(code="0123"))
    found = verified(with_records(place, change, "about", "value"))
    assert found.equal
    assert found.notes[0].startswith("other code of the package: its digest is 0123 there and ")


def test_a_time_that_does_not_follow_from_the_rows_is_named(honest: Path, place: Path) -> None:
    shutil.copyfile(honest, place)
    with_parts(place, lambda record: record.update(horizon=record["horizon"] and 9))
    with_records(place, lambda record: record["cell"].update(horizon=9))
    assert any(
        line.startswith("all agents: T is said to be BAIR's") for line in words(verified(place))
    )


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            lambda record: record["cell"].update(step_cost=0.0001),
            "all agents: step_cost is 0.0001 in what is told of the cell and 0.0005 in what was "
            "asked for",
        ),
        (
            lambda record: record["cell"].update(noise=0.3),
            "all agents: noise is 0.3 in what is told of the cell and 0.0 in what was asked for",
        ),
        (
            lambda record: record["deltas"].update(SE=0.5),
            "SE: delta is 0.5 in what is told of it and it ran with 0.1",
        ),
    ],
)
def test_what_is_told_of_a_cell_is_what_was_asked_for(
    honest: Path, place: Path, change: Any, line: str
) -> None:
    shutil.copyfile(honest, place)
    assert words(verified(with_records(place, change), rows=1)) == [line]


def test_options_that_the_runs_were_not_kept_under_are_named(honest: Path, place: Path) -> None:
    shutil.copyfile(honest, place)

    def change(asked: Any) -> None:
        asked["agents"]["BAIR"]["options"]["delta"] = 0.01

    told = words(verified(with_request(place, change), share=0.2))
    assert "BAIR: its runs are kept as those of something else (record)" in told


def test_the_same_seed_draws_the_same_rows_and_none_a_new_one(
    honest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[int]] = []
    runs_of = Looking._of_agent

    def seen(self: Any, claim: Any, agent: str, progress: Any) -> Any:
        asked.append(self.rng.bit_generator.state["state"]["state"])
        return runs_of(self, claim, agent, progress)

    monkeypatch.setattr(Looking, "_of_agent", seen)
    verified(honest, seed=4, rows=3)
    verified(honest, seed=4, rows=3)
    assert asked[:3] == asked[3:]
    seeds = {verified(honest, seed=None, rows=3).seed for _ in range(2)}
    assert len(seeds) == 2


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"share": 0.0}, r"share must be a number in \(0, 1\]"),
        ({"share": 1.5}, r"share must be a number in \(0, 1\]"),
        ({"rows": 0}, "rows must be an integer of at least 1"),
        ({"rows": 1, "share": 0.5}, "rows must be left out beside a share"),
        ({"seed": -1}, "seed must be an integer of at least 0"),
    ],
)
def test_what_is_out_of_range_is_refused(honest: Path, options: dict[str, Any], line: str) -> None:
    with pytest.raises(InvalidArgumentError, match=line):
        verified(honest, **options)


@pytest.mark.parametrize(("share", "most"), [(0.05, 58), (0.5, 4), (0.95, 1), (0.99, 0)])
def test_what_can_be_missed_is_counted_by_hand(share: float, most: int) -> None:
    assert most_missed(share) == most
    assert (1 - share) ** most >= 0.05 > (1 - share) ** (most + 1)


def test_some_agents_or_cells_alone_are_run_again(honest: Path, swept: Path) -> None:
    found = verified(swept, only=["SE", "n_arms=2 delta=0.1"])
    assert found.equal
    told = {(each.cell, each.agent) for each in found.checked}
    assert len(told) == 5
    assert ("n_arms=2 delta=0.1", "BAIR") in told
    assert "as asked, of SE, n_arms=2 delta=0.1 alone" in str(found)
    with pytest.raises(InvalidArgumentError, match="only must be one of BAIR, SE, UNI"):
        verified(honest, only=["SES"])


def test_episodes_of_many_users_are_verified_with_what_each_of_them_cost(
    tmp_path: Path, place: Path
) -> None:
    users: dict[str, Any] = {"n_users": 3, "horizon": 30, "n_arms": 3, "n_instances": 6}
    path = tmp_path / "honest.sqlite"
    users |= {"task": "population", "compiled": False, "progress": False}
    eu.evaluate(["SE", "UNI"], store=path, **users)
    assert verified(path, share=1.0, compiled=False).equal
    edit = "UPDATE runs_population SET regret_by_user = '1 2 3' WHERE instance = 4 AND " + SES
    changed = without_digests(by_sql(path, place, edit))
    (line,) = words(verified(changed, share=1.0, compiled=False))
    assert line.startswith("SE, instance 4: regret_by_user is 1 2 3 there and ")
    (line,) = words(verified(changed, only=["UNI"]))
    assert line == "SE, instance 4: it does not hold that regret is the sum of regret_by_user"


def test_words_of_numbers_are_the_same_up_to_their_last_bits() -> None:
    there, here = (pd.DataFrame({"instance": [0, 1], "of": each}) for each in TEXTS)
    assert [each.instance for each in others_in(there, here)] == [1]


TEXTS = (["0.1 0.30000000000000004", "1 2"], ["0.1 0.3", "1 3"])
