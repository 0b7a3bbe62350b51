"""What examples/intervals.md says of intervals is what its script finds."""

import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
PAGE = (EXAMPLES / "intervals.md").read_text(encoding="utf-8")
TABLES = PAGE.split("<!-- coverage -->")[1].split("<!-- /coverage -->")[0].strip()
EXACT, SIMULATED = TABLES.split("### Means (", 1)


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    """The script's own names, with fewer samples."""
    names = runpy.run_path(str(EXAMPLES / "interval_coverage.py"))
    space: dict[str, Any] = names["main"].__globals__
    space["N_SAMPLES"] = 200
    return space


def figures(tables: str) -> dict[tuple[str, str, int, int], float]:
    """Every coverage by its table, row, column and place in the cell."""
    found = {}
    title = ""
    for line in tables.splitlines():
        title = line if line.startswith("#") else title
        if not line.startswith("|") or "n = 20" in line or "---:" in line:
            continue
        row, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        for column, cell in enumerate(cells):
            for place, number in enumerate(re.findall(r"[01]\.\d{3}", cell)):
                found[title, row, column, place] = float(number)
    return found


def test_what_is_printed_today_holds_as_often_as_it_says() -> None:
    """The exact figures are at least .95, the simulated ones within two Monte Carlo errors."""
    exact = [number for (*_, place), number in figures(EXACT).items() if place == 0]
    assert len(exact) == 7 * 3 + 7 * 3 + 7
    assert min(exact) >= 0.95
    simulated = figures("### Means (" + SIMULATED)
    means = [n for (title, *_, place), n in simulated.items() if "### Means (" in title and place]
    others = [number for (title, *_), number in simulated.items() if "no mean" in title]
    assert (len(means), len(others)) == (18 * 3, 12 * 3)
    assert min(means + others) >= 0.95 - 2 * 0.005


def test_what_was_printed_before_did_not() -> None:
    wilson = [number for (*_, place), number in figures(EXACT).items() if place == 1]
    assert min(wilson) == pytest.approx(0.905)
    assert "as rarely as .905" in PAGE
    (student,) = (
        number
        for (title, row, column, place), number in figures("### Means (" + SIMULATED).items()
        if "Student" in title and row == "geometric" and (column, place) == (1, 0)
    )
    said = re.search(r"Student's of a geometric T with 20 users (\.\d+)", " ".join(PAGE.split()))
    assert said is not None
    assert float(said[1]) == student


def test_the_exact_figures_are_what_the_script_finds(
    script: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    script["SIZES"], sizes = (20, 100), script["SIZES"]
    script["NAMED_SIZES"], named = ["n = 20", "n = 100"], script["NAMED_SIZES"]
    script["print_exact"]()
    script["SIZES"], script["NAMED_SIZES"] = sizes, named
    shown = figures(EXACT)
    found = figures(capsys.readouterr().out)
    assert len(found) == 7 * 2 * 2 + 7 * 2 + 7
    for key, number in found.items():
        assert number == pytest.approx(shown[key], abs=0.0011)


@pytest.mark.slow
def test_the_simulated_figures_are_near_what_fewer_samples_find(
    script: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """200 samples in place of 2000: five errors of their difference, for 200 figures."""
    script["print_simulated"]()
    found, shown = figures(capsys.readouterr().out), figures("### Means (" + SIMULATED)
    assert found.keys() == shown.keys()
    for key, number in found.items():
        share = min(max(shown[key], 0.05), 0.95)
        error = np.sqrt(share * (1 - share) * (1 / 200 + 1 / 2000))
        assert abs(number - shown[key]) <= 5 * error, key
