"""A long life, compiled and plain, with and without the short cut: the same to the bit."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("numba")

from adversary import ADVERSARY, PAIR, RANDOM, STAY, PlayParams, blank
from lives import LENGTHS, TABLES, left_of
from one_user import rejects_by_definition, users_of
from shared import loop_of_one

from explorative_user_env.users import model as rules
from explorative_user_env.users.model import (
    as_arrays,
    blank_state,
    number_tables,
    user_arrays,
    user_tuple,
)
from explorative_user_env.users.population import Setting

N_STEPS = 40_000
"""Well beyond the ends of all tables."""


class CompiledOrNot(NamedTuple):
    figures: tuple[int, int, int, bool]
    user: dict[str, list[float]]
    accepted: list[int]
    streams: list[Any]


def long_life(
    setting: Setting,
    means: Sequence[float],
    kind: int,
    rho: float | None,
    compiled: bool,
    table_length: int,
) -> CompiledOrNot:
    users = users_of(setting=setting, n_arms=len(means), rho=rho)
    user, rule = users.user, users.schedule.rule
    params = PlayParams(len(means), kind)
    rngs = [np.random.default_rng(seed) for seed in (3, 4)]
    tables = number_tables(table_length)._asdict()
    numbers: Any = user
    state: Any = replace(blank_state(user), **tables)
    own: Any = blank(params)
    run = loop_of_one(ADVERSARY, rule, compiled)
    if compiled:
        arrays = {name: np.array(values, float) for name, values in tables.items()}
        numbers, state = user_tuple(user), user_arrays(user)._replace(**arrays)
        own = as_arrays(own)
    state.means[:] = means
    figures = run(numbers, state, rngs[0], params, own, rngs[1], N_STEPS, np.zeros(1, int))
    accepted = np.asarray(own.accepted).tolist()
    states = [rng.bit_generator.state for rng in rngs]
    return CompiledOrNot(figures, left_of(state, TABLES), accepted, states)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("means", "rho", "kind"),
    [
        ([0.5, 0.45, 0.0, -0.3, -1.0], None, PAIR),
        ([0.5, 0.45, 0.0, -0.3, -1.0], None, RANDOM),
        ([0.0] * 9, 1.0, STAY),
    ],
)
def test_a_long_life_is_the_same_compiled_and_plain_with_and_without_short_cut(
    setting: Setting,
    means: list[float],
    kind: int,
    rho: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = (setting, means, kind, rho)
    fast = [long_life(*arguments, compiled=True, table_length=length) for length in LENGTHS]
    assert fast == [fast[0]] * len(LENGTHS)
    assert sum(fast[0].figures[:2]) == N_STEPS
    assert kind != PAIR or max(fast[0].user["counts"]) > max(LENGTHS)
    assert long_life(*arguments, compiled=False, table_length=8192) == fast[0]
    monkeypatch.setattr(rules, "rejects", rejects_by_definition)
    plain = long_life(*arguments, compiled=False, table_length=0)
    for name in ("ceiling", "ceiling_spread", "witness"):
        del plain.user[name], fast[0].user[name]
    assert plain == fast[0]
