import math
from typing import Any

import pandas as pd
import pytest

pytest.importorskip("matplotlib")

from explorative_user_env.studies.lower_bound import ANY_AGENT, STANDARD_BANDIT, draw

OVERLAP = pd.DataFrame(
    {
        "n0": [3, 10, 30],
        "overlap": [0.2, 0.05, 0.01],
        "overlap_low": [0.19, 0.04, 0.009],
        "overlap_high": [0.21, 0.06, 0.011],
        "nu_prime": [0.3, 0.06, 0.0],
        "nu_prime_low": [0.25, 0.05, 0.0],
        "nu_prime_high": [0.36, 0.08, 0.002],
        "overlap_bound": [0.1, 0.02, 0.001],
    }
)
NEEDED = pd.DataFrame(
    [
        (delta, agent, interactions)
        for agent, times in (
            (STANDARD_BANDIT, (20.0, 10.0)),
            (ANY_AGENT, (90.0, 30.0)),
            ("BAIR", (math.nan, 50.0)),
        )
        for delta, interactions in zip((0.05, 0.1), times, strict=True)
    ],
    columns=["delta", "agent", "interactions"],
)


def points(line: Any) -> list[tuple[float, float]]:
    return list(zip(line.get_xdata().tolist(), line.get_ydata().tolist(), strict=True))


def test_the_left_panel_shows_the_history_fading_as_n0_grows() -> None:
    left: Any = draw(OVERLAP, NEEDED).axes[0]
    lines = {line.get_label(): points(line) for line in left.lines}
    assert lines["any agent, at least"] == [(3, 0.2), (10, 0.05), (30, 0.01)]
    assert lines["the proof's 2^(1-K) P[B']"] == [(3, 0.1), (10, 0.02), (30, 0.001)]
    (measured,) = left.containers
    assert measured.get_label() == "UNI, measured"
    # What was never seen has no place on a logarithmic axis.
    assert points(measured.lines[0]) == [(3, 0.3), (10, 0.06)]
    (bars,) = measured.lines[2]
    assert [segment[:, 1].tolist() for segment in bars.get_segments()] == [
        pytest.approx([0.25, 0.36]),
        pytest.approx([0.05, 0.08]),
    ]
    assert (left.get_xlabel(), left.get_xscale()) == ("acceptances N_0", "log")


def test_the_right_panel_shows_what_each_agent_needs_against_one_over_delta() -> None:
    right: Any = draw(OVERLAP, NEEDED).axes[1]
    lines = {line.get_label(): line for line in right.lines}
    assert points(lines[STANDARD_BANDIT]) == [(20, 20), (10, 10)]
    assert points(lines[ANY_AGENT]) == [(20, 90), (10, 30)]
    assert points(lines["BAIR"]) == [(10, 50)]  # where no N was enough there is no point
    styles = [lines[name].get_linestyle() for name in (STANDARD_BANDIT, ANY_AGENT)]
    assert styles == ["-", ":"]
    assert right.get_xlabel() == "1/δ"
