import math
from collections.abc import Sequence

import pandas as pd
from lower_bound_users import noticing_pair
from rich.table import Table

from explorative_user_env.display.tables import markdown
from explorative_user_env.studies.lower_bound import FOOTNOTES, footnotes_of, sections_of

OVERLAP = pd.DataFrame(
    [
        {
            "n0": 10, "d": 3.14159, "overlap": 0.0123, "nu_prime": 0.25, "nu_prime_low": 0.2,
            "nu_prime_high": 0.31, "nu": 0.5, "overlap_bound": 0.001, "twice_delta": 0.2,
        }
    ]
)  # fmt: skip
SUCCESS = pd.DataFrame(
    [
        (8, "nu", "BAIR", 0.9, 77), (8, "nu'", "BAIR", 0.7, 77),
        (16, "nu", "BAIR", 0.95, 77), (16, "nu'", "BAIR", 0.99, 77),
    ],
    columns=["n", "instance", "agent", "success", "n_runs"],
)  # fmt: skip
NEEDED = pd.DataFrame(
    [(0.1, "BAIR", 34.4), (0.02, "BAIR", math.nan)], columns=["delta", "agent", "interactions"]
)


def cells(table: Table) -> Sequence[list[str]]:
    """The rows of a table below its head and ruler."""
    lines = markdown(table).splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_table_says_whom_it_is_of() -> None:
    headings = list(sections_of(noticing_pair(), OVERLAP, SUCCESS, NEEDED))
    assert len(headings) == 4
    assert all("α = 0.25, K = 2" in heading for heading in headings[:3])
    for heading in (headings[1], headings[3]):
        assert "N_0 = 10, δ = 0.1, gap 0.5, d = " in heading
    assert "77 users of each instance" in headings[1]


def test_the_tables_show_the_figures() -> None:
    overlap, success, needed, _ = sections_of(noticing_pair(), OVERLAP, SUCCESS, NEEDED).values()
    assert cells(overlap) == [
        ["10", "3.14", "1.23e-02", "0.2500 [0.2000, 0.3100]", "0.500", "1.00e-03", "2.00e-01"]
    ]
    assert [column.header for column in success.columns] == ["agent", "N=8", "N=16"]
    assert cells(success) == [["BAIR", ".700", ".950"]]  # the worse of the two
    assert [column.header for column in needed.columns] == ["agent", "δ=0.1", "δ=0.02"]
    assert cells(needed) == [["BAIR", "34", "-"]]


def test_the_conditions_of_the_proof_are_said_to_hold_or_not() -> None:
    *_, conditions = sections_of(noticing_pair(), OVERLAP, SUCCESS, NEEDED).values()
    rows = cells(conditions)
    assert {row[-1] for row in rows} == {"yes", "no"}
    for where, says, left, right, holds in rows:
        assert where
        assert says
        assert (holds == "yes") == (float(left) < float(right))


def test_who_sees_rewards_is_marked_in_its_tables_and_below_them() -> None:
    frames = [frame.assign(sees_rewards=True) for frame in (SUCCESS, NEEDED)]
    _, success, needed, _ = sections_of(noticing_pair(), OVERLAP, *frames).values()
    assert [cells(table)[0][0] for table in (success, needed)] == ["BAIR†", "BAIR†"]
    assert footnotes_of(frames[0])[-1].startswith("† a reference")
    assert footnotes_of(SUCCESS) == FOOTNOTES
