import dataclasses
import re

import pandas as pd
import pytest
from small_tuning import TUNED

from explorative_user_env.studies.tuning import (
    Candidate,
    Estimate,
    Tuning,
    search_line,
    sentences,
    title,
    tuning_page,
)


def test_the_page_says_all_of_it(tuning: Tuning) -> None:
    text = tuning_page(tuning)
    for line in sentences(tuning):
        assert f"- {line}" in text
    assert text.startswith("# BAIR's N_1, released: delta=0.2, K=3, alpha=1, gap=0.4, noise=0, ")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == len(tuning.candidates) + len(tuning.frontier) + 4
    assert sum("found" in row for row in rows) == sum("paper" in row for row in rows) == 1


def test_a_candidate_is_a_line() -> None:
    line = search_line(Candidate(200, 1313, 1, "good"))
    assert line.split() == ["200", "1313", "0.9992", "[0.9923,", "1.0000]", "good"]


@pytest.fixture
def made_up() -> Tuning:
    cell = {"setting": "printed", "n_arms": 4, "delta": 0.1, "alpha": 2.0, "gap": None}
    cell |= {"noise": 0.1, "means": "given", "rho": "0.9"}
    tuned = dataclasses.replace(TUNED, success=Estimate(0.95, 0.92, 0.97), cell=cell)
    columns = ["n1", "stopping_time", "stopping_time_low", "stopping_time_high"]
    columns += ["success", "success_low", "success_high", "wrong", "censored", "n_runs"]
    rows = [
        [7, 60.0, 50.0, 70.0, 0.95, 0.92, 0.97, 0.04, 0.01, 500],
        [12, 40.0, 35.0, 45.0, 0.96, 0.93, 0.98, 0.04, 0.0, 500],
        [30, 200.0, 190.0, 210.0, 1.0, 0.99, 1.0, 0.0, 0.0, 500],
    ]
    candidates = [Candidate(3, 900, 300, "bad"), Candidate(7, 800, 10, "good")]
    return Tuning(tuned, candidates, pd.DataFrame(rows, columns=columns))


def test_the_title_says_who_the_users_are(made_up: Tuning) -> None:
    assert title(made_up) == (
        "BAIR's N_1, printed: delta=0.1, K=4, alpha=2, noise=0.1, means given, rho 0.9"
    )
    cell = dict(made_up.tuned.cell) | {"gap": 0.3, "rho": None}
    usual = dataclasses.replace(made_up, tuned=dataclasses.replace(made_up.tuned, cell=cell))
    assert title(usual).endswith("alpha=2, gap=0.3, noise=0.1, means given")


def test_the_sentences_say_what_was_found_and_how_sure_it_is(made_up: Tuning) -> None:
    assert sentences(made_up) == [
        "Found N_1 = 7, success at least 0.9: right with probability at least 0.95, after 4321 "
        "users.",
        "The least such N_1 is in 4..7, if success grows with N_1.",
        "Stopping time 50 ± 5, 0.250 of the 200 ± 10 of the paper's N_1 = 30.",
        "Success on 100 fresh users 0.9500 [0.9200, 0.9700]: confirmed. Censored: 0.0100.",
        "A longer Phase 1 can make a shorter run: of the frontier's N_1 that succeed, 12 has the "
        "least mean stopping time.",
    ]
    unsure = dataclasses.replace(made_up.tuned, interval=(7, 7), success=Estimate(0.95, 0.89, 0.97))
    told = sentences(dataclasses.replace(made_up, tuned=unsure))
    assert told[1] == "The least such N_1 is 7, if success grows with N_1."
    assert ": not confirmed. " in told[3]


def test_the_rows_of_the_page_are_the_candidates_and_the_frontier(made_up: Tuning) -> None:
    rows = [line for line in tuning_page(made_up).splitlines() if line.startswith("|")]
    assert re.fullmatch(r"\| 3 \| 900 \| 0\.6667 \[0\.6\d+, 0\.7\d+\] \| bad \|", rows[2])
    assert rows[6] == "| 7 | 60 ± 10 | 0.9500 [0.9200, 0.9700] | 0.0400 | 0.0100 | found |"
    assert rows[7].endswith("| 0.0400 | 0.0000 | fastest |")
    assert rows[8].endswith("| paper |")
