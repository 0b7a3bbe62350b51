import pytest

from explorative_user_env.evaluation.grid import run_cells
from explorative_user_env.validation import InvalidArgumentError


def test_a_wrong_cell_is_refused_before_any_runs() -> None:
    told: list[str] = []
    with pytest.raises(InvalidArgumentError, match="delta must be"):
        run_cells(["bair"], [0.1, 2.0], [2], progress=lambda *what: told.append(what[0]))
    assert told == []


def test_cells_run_in_order_with_progress_over_all() -> None:
    told: list[tuple[str, int, int]] = []
    results = run_cells(
        ["bair"],
        [0.2, 0.1],
        [2, 3],
        progress=lambda *what: told.append(what),
        n_instances=3,
    )
    assert [(cell.cell["delta"], cell.cell["n_arms"]) for cell in results] == [
        (0.2, 2),
        (0.2, 3),
        (0.1, 2),
        (0.1, 3),
    ]
    assert told[0] == ("delta=0.2 K=2 BAIR", 0, 12)
    assert told[-1] == ("delta=0.1 K=3 BAIR", 12, 12)
