import itertools
import math
from typing import Any

import numpy as np
import pytest

from explorative_user_env.agents import BAIR


@pytest.mark.parametrize(
    ("options", "n_arms", "n1"),
    [
        ({}, 5, 100),
        ({"delta": 0.01}, 20, 4000),
        ({"n1": "proof"}, 5, 80),
        ({"n1": "proof", "delta": 0.005}, 2, 400),
        ({"alpha": 2.0}, 5, 10),
        ({"alpha": 0.5}, 5, 10_000),
        ({"alpha": 0.8, "delta": 0.01}, 100, 20_000**1.25),
        ({"rho_0": 2.0}, 5, 50),
        ({"alpha": 2.0, "rho_0": 0.5, "n1": "proof", "delta": 0.2}, 11, 20),
        ({"n1": 7.5}, 5, 7.5),
        ({"n1": 0}, 5, 0),
    ],
)
def test_n1_is_the_paper_s(options: dict[str, Any], n_arms: int, n1: float) -> None:
    assert BAIR(**options).params(n_arms, None).n1 == pytest.approx(n1, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "n_arms", "m"),
    [
        ({}, 5, 1),
        ({"m": "released"}, 5, 1),
        ({"noise": 0.1}, 5, 8),  # 2 log 50 = 7.82
        ({"noise": 0.1}, 2, 6),  # 2 log 20 = 5.99
        ({"noise": 0.02, "delta": 0.01}, 20, 16),  # 2 log 2000 = 15.2
        ({"noise": 0.1, "m": "released"}, 5, 6),  # more than 1.125 log 100 = 5.18
        ({"noise": 0.3, "m": "released"}, 2, 5),  # more than 1.125 log 40 = 4.15
        ({"m": 3}, 5, 3),
        ({"m": np.int64(3), "noise": 0.1}, 5, 3),
    ],
)
def test_m_is_the_paper_s(options: dict[str, Any], n_arms: int, m: int) -> None:
    assert BAIR(**options).params(n_arms, None).m == m


def test_two_log_k_over_delta_is_rounded_up_and_never_below_one() -> None:
    for n_arms, delta in itertools.product((2, 7, 100), (0.001, 0.3, 0.999)):
        m = BAIR(noise=0.1, delta=delta).params(n_arms, None).m
        assert m - 1 < 2 * math.log(n_arms / delta) <= m
