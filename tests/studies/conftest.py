from dataclasses import replace

import pandas as pd
import pytest

from explorative_user_env.display.progress import silent
from explorative_user_env.studies.paper import TABLE2
from explorative_user_env.studies.paper_report import Reproduction, reproduce

CELLS = replace(TABLE2, deltas=(0.1, 0.005), n_arms=(2,), entrants=TABLE2.entrants[::2])
"""BAIR and UNI in two cells; that of UNI at delta = .005 cannot be had at BAIR's time."""


@pytest.fixture(scope="session")
def table2() -> Reproduction:
    (found,) = reproduce(
        [CELLS], ["printed", "released"], n_instances=300, seed=0, workers=1, progress=silent
    )
    return found


@pytest.fixture
def found() -> pd.DataFrame:
    """Verdicts of two tables, made up."""
    columns = ["experiment", "delta", "n_arms", "agent", "horizon", "figure", "published"]
    rows = [
        ["table2", 0.1, 2, "BAIR", 405, "stopping_time", 405.0],
        ["table2", 0.1, 2, "BAIR", 405, "success", 0.999],
        ["table2", 0.05, 2, "BAIR", 405, "stopping_time", 500.0],
        ["table6", 0.1, 2, "T&S", 313, "success", 0.97],
    ]
    verdicts = ["agrees", "agrees", "differs", "cannot"]
    return pd.DataFrame(rows, columns=columns).assign(
        verdict=verdicts, reason=["", "", "", "arithmetic"]
    )
