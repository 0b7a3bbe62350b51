"""Her short cuts: without them, with tables of any length, compiled, she lives the same life."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from adversary import ADVERSARY, PAIR, RANDOM, PlayParams, blank
from hypothesis import given
from hypothesis import strategies as st
from one_user import (
    PLAYS,
    Play,
    at_random,
    best_pair,
    in_turn,
    insisting,
    mostly_best,
    rejects_by_definition,
    until_rejected,
    users_of,
)
from pairs import pairs
from shared import loop_of_one

from explorative_user_env.users import model as rules
from explorative_user_env.users.model import (
    LONG_TABLES,
    Schedule,
    UserState,
    as_arrays,
    blank_state,
    long_tables,
    number_tables,
    user_arrays,
    user_tuple,
)
from explorative_user_env.users.population import SETTINGS, Setting

LENGTHS = (0, 1, 50, 8192)
"""Of tables; the last is that of a user in plain Python."""


class Life(NamedTuple):
    """What a user answered, sqrt(Gamma) after each answer, and what she was in the end."""

    responses: list[bool]
    spreads: list[float]
    left: dict[str, list[float]]

    def without_short_cut(self) -> "Life":
        """Leave out what only `rejects` keeps."""
        kept = {name: self.left[name] for name in self.left if name not in SHORT_CUT}
        return self._replace(left=kept)


SHORT_CUT = ("ceiling", "ceiling_spread", "witness")


def life(
    setting: Setting,
    means: Sequence[float],
    play: Play,
    n_steps: int,
    rho: Schedule | float | None = None,
    noise: float = 0.0,
    seed: int = 0,
    tables: Mapping[str, Any] | None = None,
    stream: Any = lambda rng: rng,
) -> Life:
    """Ask about nothing but what is recommended: another question would renew her ceiling."""
    users = users_of(setting=setting, n_arms=len(means), noise=noise, rho=rho)
    user, rule = users.user, users.schedule.rule
    state = replace(blank_state(user), **(tables or {}))
    state.means[:] = means
    rng = stream(np.random.default_rng(seed))
    rules.start(user, state, rng)
    arms = play(means, np.random.default_rng(seed + 1))
    one = Life([], [], {})
    arm = next(arms)
    for _ in range(n_steps):
        one.responses.append(rules.respond(user, state, rule, arm, rng))
        one.spreads.append(state.spread[0])
        arm = arms.send(one.responses[-1])
    return one._replace(left=left_of(state))


def left_of(state: Any) -> dict[str, list[float]]:
    """Return every number of a state, plain or compiled, but the tables."""
    names = {field.name for field in fields(UserState)} - {"logarithms", "inverse_roots"}
    return {name: np.asarray(getattr(state, name)).tolist() for name in names}


def assert_the_same_without_short_cuts(*arguments: Any, **named: Any) -> Life:
    one = life(*arguments, **named)
    for length in LENGTHS:
        assert life(*arguments, **named | {"tables": number_tables(length)._asdict()}) == one
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "rejects", rejects_by_definition)
        plain = life(*arguments, **named)
    assert plain.left["ceiling_spread"] == [math.inf]  # the short cut has decided nothing
    assert plain.without_short_cut() == one.without_short_cut()
    return one


def drawn(n_arms: int) -> list[float]:
    means: list[float] = np.random.default_rng(n_arms).standard_normal(n_arms).tolist()
    return means


def equal(n_arms: int) -> list[float]:
    return [0.0] * n_arms


def rising_and_falling(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """A rho_t whose Gamma falls by a little at most steps, and by a lot at some."""
    return 4.0 - 3.0 * ((t % 40) / 40) if t % 200 > 5 else 0.01


SCHEDULES = [None, 0.05, 1.0, Schedule(rising_and_falling, 0.01, 4.0)]


@pairs(
    noise=[0.0, 0.2],
    rho=SCHEDULES,
    play=[at_random, best_pair, mostly_best, until_rejected, in_turn, insisting],
    means_of=[drawn, equal],
    n_arms=[2, 5, 20],
)
def test_a_user_who_looks_at_all_arms_and_nothing_up_lives_the_same_life(
    setting: Setting, noise: float, rho: Any, play: Play, means_of: Any, n_arms: int
) -> None:
    assert_the_same_without_short_cuts(setting, means_of(n_arms), play, 1000, rho, noise)


@pytest.mark.parametrize("rho", [None, 0.05, 1.0])
def test_the_lives_compared_have_both_answers_and_gammas_of_zero(
    setting: Setting, rho: float | None
) -> None:
    responses, spreads, left = life(setting, drawn(8), at_random, 1200, rho)
    assert 20 < sum(responses) < 1180
    assert (0.0 in spreads) == (rho is not None)
    assert max(spreads) > 1.0
    assert left["ceiling_spread"] != [math.inf]  # there was a ceiling to decide by


class Coarse:
    """Few different rewards, so that bounds meet to the bit where Gamma is zero."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.random = rng.random
        self._rng = rng

    def standard_normal(self) -> float:
        return float(self._rng.integers(-1, 2))


def test_also_where_bounds_meet(setting: Setting) -> None:
    n_meeting = 0
    for seed in range(60):
        play, n_arms = (at_random, best_pair, until_rejected)[seed % 3], (2, 5, 20)[seed // 3 % 3]
        left = assert_the_same_without_short_cuts(
            setting, equal(n_arms), play, 60, 0.001, 0.2, seed, stream=Coarse
        ).left
        seen = [mean for mean, n in zip(left["estimates"], left["counts"], strict=True) if n]
        n_meeting += seen.count(max(seen)) > 1
    assert n_meeting > 5


@pytest.mark.slow
@given(
    name=st.sampled_from(sorted(SETTINGS)),
    means=st.lists(
        st.one_of(st.sampled_from([0.0, 0.1, 1.0]), st.floats(-3, 3)), min_size=2, max_size=12
    ),
    play=st.sampled_from([*PLAYS, best_pair, mostly_best]),
    rho=st.one_of(st.none(), st.floats(0.05, 5)),
    noise=st.sampled_from([0.0, 0.3, 1.0]),
    seed=st.integers(0, 2**32),
)
def test_also_for_anyone(
    name: str, means: list[float], play: Play, rho: float | None, noise: float, seed: int
) -> None:
    assert_the_same_without_short_cuts(SETTINGS[name], means, play, 200, rho, noise, seed)


def compiled_or_not(
    setting: Setting, means: Sequence[float], kind: int, compiled: bool, length: int
) -> tuple[Any, dict[str, list[float]], list[int], list[Any]]:
    """Figures, what the user was in the end, what was accepted, and where the streams are."""
    users = users_of(setting=setting, n_arms=len(means))
    user, rule = users.user, users.schedule.rule
    params = PlayParams(len(means), kind)
    rngs = [np.random.default_rng(seed) for seed in (3, 4)]
    tables = number_tables(length)._asdict()
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
    return figures, left_of(state), accepted, [rng.bit_generator.state for rng in rngs]


N_STEPS = 40_000
"""Well beyond the ends of all tables."""


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("kind", [PAIR, RANDOM])
def test_a_long_life_is_the_same_compiled_and_plain_with_and_without_short_cut(
    setting: Setting, kind: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    means = [0.5, 0.45, 0.0, -0.3, -1.0]
    fast = [compiled_or_not(setting, means, kind, True, length) for length in LENGTHS]
    assert fast == [fast[0]] * len(LENGTHS)
    figures, left, *others = fast[0]
    assert sum(figures[:2]) == N_STEPS
    assert kind != PAIR or max(left["counts"]) > max(LENGTHS)
    assert compiled_or_not(setting, means, kind, False, 8192) == fast[0]
    monkeypatch.setattr(rules, "rejects", rejects_by_definition)
    plain_figures, plain, *plain_others = compiled_or_not(setting, means, kind, False, 0)
    for name in SHORT_CUT:
        del plain[name], left[name]
    assert (plain_figures, plain, plain_others) == (figures, left, others)


def test_the_tables_are_what_math_computes_to_the_bit_and_are_looked_up(setting: Setting) -> None:
    tables, arrays = number_tables(5000), long_tables()
    for length, (logarithms, inverse_roots) in ((5000, tables), (LONG_TABLES, arrays)):
        assert list(logarithms) == [-math.inf] + [math.log(k) for k in range(1, length)]
        assert list(inverse_roots) == [math.inf] + [1 / math.sqrt(k) for k in range(1, length)]
    right = life(setting, [1.0, 0.5], in_turn, 600)
    for name, values in tables._asdict().items():
        wrong = {name: [1.5 * value for value in values]}
        assert life(setting, [1.0, 0.5], in_turn, 600, tables=wrong) != right
    blanks = [blank_state(users_of(n_arms=n_arms).user) for n_arms in (2, 3)]
    assert blanks[0].logarithms is blanks[1].logarithms  # one for all users
