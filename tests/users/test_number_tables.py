import math
from dataclasses import replace

import numpy as np
import pytest

from explorative_user_env.users import model as rules
from explorative_user_env.users.model import (
    LONG_TABLES,
    SHORT_TABLES,
    blank_state,
    long_tables,
    number_tables,
)
from explorative_user_env.users.population import Population, Setting


@pytest.mark.parametrize("length", [1, 2, 3, 5000])
def test_the_tables_are_what_math_computes_to_the_bit(length: int) -> None:
    tables = number_tables(length)
    assert tables.logarithms == [-math.inf] + [math.log(k) for k in range(1, length)]
    assert tables.inverse_roots == [math.inf] + [1 / math.sqrt(k) for k in range(1, length)]
    assert {type(number) for table in tables for number in table} == {float}


def test_the_tables_are_made_once_for_all_users(setting: Setting) -> None:
    assert number_tables(100) is number_tables(100)
    one, other = (blank_state(Population(setting=setting, n_arms=n_arms).user) for n_arms in (2, 3))
    assert one.logarithms is other.logarithms
    assert one.inverse_roots is other.inverse_roots


def test_the_tables_of_compiled_code_are_the_same_and_longer() -> None:
    logarithms, inverse_roots = long_tables()
    assert logarithms.dtype == inverse_roots.dtype == float
    assert logarithms[1:].tolist() == [math.log(k) for k in range(1, LONG_TABLES)]
    assert inverse_roots[1:].tolist() == [1 / math.sqrt(k) for k in range(1, LONG_TABLES)]
    assert LONG_TABLES > SHORT_TABLES
    assert (logarithms[0], inverse_roots[0]) == (-math.inf, math.inf)


@pytest.mark.parametrize("length", [1, 2, 37])
def test_where_a_table_ends_makes_no_difference_to_a_user(setting: Setting, length: int) -> None:
    population = Population(setting=setting, n_arms=4)
    user, schedule = population.user, population.schedule
    lives = []
    for tables in (number_tables(length), number_tables(SHORT_TABLES)):
        state, rng = replace(blank_state(user), **tables._asdict()), np.random.default_rng(1)
        state.means[:] = [0.0, 0.4, -0.3, 0.1]
        rules.start(user, state, rng)
        life = []
        for t in range(300):
            accepted = rules.respond(user, state, schedule.rule, t % 4, rng)
            life.append((accepted, state.spread[0], list(state.estimates), list(state.scales)))
        lives.append(life)
    assert lives[0] == lives[1]
    assert {accepted for accepted, *_ in lives[0]} == {False, True}
