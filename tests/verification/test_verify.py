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
from explorative_user_env.check import verify as verifying
from explorative_user_env.check.verify import Verification, most_missed
from explorative_user_env.validation import InvalidArgumentError

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
    assert f"checked {n_again} of 120 rows: all as stated." in str(found)
    assert ("--all checks every row." in str(found)) == (found.share < 1.0)
    assert str(found).endswith(": equal (rows drawn with seed 0)")


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
    assert "SE: all runs are missing, and it was asked for" in words(verified(without))

    cut = by_sql(swept, place, "DELETE FROM results WHERE id = 4")
    line = "the whole cell n_arms=3 delta=0.2 is missing, which was asked for"
    assert words(verified(cut)) == [line]


def test_another_seed_is_named_where_the_users_seeds_do_not_follow(
    honest: Path, place: Path
) -> None:
    shutil.copyfile(honest, place)
    with_request(without_digests(place), lambda asked: asked.update(seed=7))
    with_parts(place, lambda record: record.update(seed=7))
    told = words(verified(place))
    assert told[0].startswith(
        "BAIR: the user seeds of 40 of 40 runs do not follow from the study's seed 7 (instance 0: "
    )


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


@pytest.mark.parametrize(
    "words", [{"step_cost": 0.0001}, {"noise": 0.3}, {"delta": 0.5}, {"seed": 3}], ids=str
)
def test_what_a_file_says_twice_is_read_once(
    honest: Path, place: Path, words: dict[str, Any]
) -> None:
    shutil.copyfile(honest, place)
    changed = with_records(place, lambda record: record["cell"].update(words))
    assert str(eu.load(changed)) == str(eu.load(honest))
    assert eu.load(changed).cell == eu.load(honest).cell  # type: ignore[union-attr]


def test_a_cell_that_is_there_twice_is_named(honest: Path, place: Path) -> None:
    twice = (
        "INSERT INTO results(key, record, parts, finished) "
        "SELECT 'other', record, parts, finished FROM results"
    )
    assert "all agents: the cell is there more than once" in words(
        verified(by_sql(honest, place, twice))
    )


def test_the_same_seed_draws_the_same_rows_and_none_a_new_one(
    honest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[list[int]] = []
    places_of = verifying._drawn

    def seen(*arguments: Any) -> Any:
        places = places_of(*arguments)
        drawn.append(places.tolist())
        return places

    monkeypatch.setattr(verifying, "_drawn", seen)
    verified(honest, seed=4, rows=3)
    verified(honest, seed=4, rows=3)
    assert drawn[:3] == drawn[3:]
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
    assert "Only rows of SE, n_arms=2 delta=0.1 were checked." in str(found)
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
    assert verified(changed, only=["UNI"]).equal


def test_words_of_numbers_are_the_same_up_to_their_last_bits() -> None:
    there, here = (pd.DataFrame({"instance": [0, 1], "of": each}) for each in TEXTS)
    assert [place for place, *_ in verifying._others(there, here)] == [1]


TEXTS = (["0.1 0.30000000000000004", "1 2"], ["0.1 0.3", "1 3"])
