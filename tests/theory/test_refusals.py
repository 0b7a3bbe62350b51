"""What a theory function cannot take it refuses by name, in one line."""

import inspect
import math
import random
from typing import Any

import numpy as np
import pytest
from theory_functions import FUNCTIONS

import explorative_user_env as eu
from explorative_user_env import theory
from explorative_user_env.users.instances import Instance

N_CALLS = 150

FAIR: dict[str, Any] = {
    "delta": 0.1, "alpha": 1.0, "rho_0": 1.0, "rho_1": 2.0, "n_arms": 5, "n1": 100.0, "gap": 0.5,
    "c": 0.25, "n": 3, "n0": 100, "gamma": 1.0, "acceptances": 10, "order": "round robin",
    "instance": Instance((1.0, 0.5, 0.0), 0), "pair": theory.hard_pair(0.01),
}  # fmt: skip
ODD: list[Any] = [
    None, True, "x", "", b"1", [], [1.0], (), {}, 1 + 2j, object(), print, 10**400, -(10**400),
    math.nan, math.inf, -math.inf, -1, 0, 1, 2, 5, 0.1, 0.5, 5e-324, 1e-300, 1e-16, 1e150, 1e300,
    np.float64(0.5), np.int64(3), np.uint64(7), np.array([1, 2]), np.array([]), np.array(0.3),
    Instance((1.0, 1.0), 0), Instance((1e150, -1e150, 0.5), 0), Instance((1e-300, 0.0), 0),
]  # fmt: skip


def calls_of(name: str) -> list[dict[str, Any]]:
    """Calls in which some arguments are fair and others are not."""
    rng = random.Random(name)
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    return [
        {
            parameter.name: rng.choice(ODD) if rng.random() < 0.4 else FAIR.get(parameter.name)
            for parameter in parameters
            if parameter.default is parameter.empty or rng.random() < 0.6
        }
        for _ in range(N_CALLS)
    ]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_argument_is_taken_or_refused_by_name(name: str) -> None:
    function = FUNCTIONS[name]
    results, refusals = [], []
    for given in calls_of(name):
        try:
            results.append(function(**given))
        except eu.InvalidArgumentError as error:  # and no other
            refusals.append(error)
    assert results
    assert refusals
    assert not any(isinstance(found, float) and math.isnan(found) for found in results)
    # The gap of an instance is what is wrong with some.
    assert {error.name for error in refusals} <= {*inspect.signature(function).parameters, "gap"}
    assert not any("\n" in str(error) for error in refusals)
