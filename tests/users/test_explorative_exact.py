"""Her short cuts: without them, with tables of any length, compiled, she lives the same life."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from compared import OWN, run_of
from hypothesis import given
from hypothesis import strategies as st
from one_user import (
    PLAYS,
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

from explorative_user_env.agents import Uniform
from explorative_user_env.users import model as rules
from explorative_user_env.users.model import (
    LONG_TABLES,
    Schedule,
    blank_state,
    long_tables,
    number_tables,
)
from explorative_user_env.users.population import SETTINGS

SHORT_CUT = ("ceiling", "ceiling_spread", "witness")
"""What only `rejects` keeps."""


def life(
    setting, means, play, n_steps, rho=None, noise=0.0, seed=0, tables=None, stream=lambda rng: rng
):
    """Ask about nothing but what is recommended: another question would renew her ceiling."""
    users = users_of(setting=setting, n_arms=len(means), noise=noise, rho=rho)
    user, rule = users.user, users.schedule.rule
    state = replace(blank_state(user), **(tables or {}))
    state.means[:] = means
    rng = stream(np.random.default_rng(seed))
    rules.start(user, state, rng)
    arms = play(means, np.random.default_rng(seed + 1))
    responses, spreads = list[bool](), list[float]()
    arm = next(arms)
    for _ in range(n_steps):
        responses.append(rules.respond(user, state, rule, arm, rng))
        spreads.append(state.spread[0])
        arm = arms.send(responses[-1])
    return responses, spreads, {name: list(getattr(state, name)) for name in OWN}


def life_with_and_without_short_cuts(*arguments, **named):
    """The usual tables are longer than any of these lives."""
    one = life(*arguments, **named)
    for length in (0, 50):
        assert life(*arguments, **named | {"tables": number_tables(length)._asdict()}) == one
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "rejects", rejects_by_definition)
        responses, spreads, left = life(*arguments, **named)
    assert left["ceiling_spread"] == [math.inf]  # the short cut has decided nothing
    kept = {name: one[2][name] for name in SHORT_CUT}
    assert (responses, spreads, left | kept) == one
    return one


def drawn(n_arms):
    means = np.random.default_rng(n_arms).standard_normal(n_arms).tolist()
    return means


def equal(n_arms):
    return [0.0] * n_arms


def rising_and_falling(parameters, n, t, n_arms):
    """A rho_t whose Gamma falls by a little at most steps, and by a lot at some."""
    return 4.0 - 3.0 * ((t % 40) / 40) if t % 200 > 5 else 0.01


@pairs(
    noise=[0.0, 0.2],
    rho=[None, 0.05, 1.0, Schedule(rising_and_falling, 0.01, 4.0)],
    play=[at_random, best_pair, mostly_best, until_rejected, in_turn, insisting],
    means_of=[drawn, equal],
    n_arms=[2, 5, 20],
    setting=SETTINGS.values(),
)
def test_a_user_who_looks_at_all_arms_and_nothing_up_lives_the_same_life(
    setting, noise, rho, play, means_of, n_arms
):
    life_with_and_without_short_cuts(setting, means_of(n_arms), play, 700, rho, noise)


@pytest.mark.parametrize("rho", [None, 0.05, 1.0])
def test_the_lives_compared_have_both_answers_and_gammas_of_zero(setting, rho):
    responses, spreads, left = life(setting, drawn(8), at_random, 700, rho)
    assert 20 < sum(responses) < 680
    assert (0.0 in spreads) == (rho is not None)
    assert max(spreads) > 1.0
    assert left["ceiling_spread"] != [math.inf]  # there was a ceiling to decide by


class Coarse:
    """Few different rewards, so that bounds meet to the bit where Gamma is zero."""

    def __init__(self, rng):
        self.random = rng.random
        self._rng = rng

    def standard_normal(self):
        return float(self._rng.integers(-1, 2))


def test_also_where_bounds_meet(setting):
    n_meeting = 0
    for seed in range(27):
        play, n_arms = (at_random, best_pair, until_rejected)[seed % 3], (2, 5, 20)[seed // 3 % 3]
        _, _, left = life_with_and_without_short_cuts(
            setting, equal(n_arms), play, 60, 0.001, 0.2, seed, stream=Coarse
        )
        seen = [mean for mean, n in zip(left["estimates"], left["counts"], strict=True) if n]
        n_meeting += seen.count(max(seen)) > 1
    assert n_meeting > 3


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
def test_also_for_anyone(name, means, play, rho, noise, seed):
    life_with_and_without_short_cuts(SETTINGS[name], means, play, 150, rho, noise, seed)


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize(("order", "n_arms"), [("round robin", 2), ("random", 5)])
def test_a_long_life_is_the_same_compiled_and_plain_with_and_without_short_cut(
    setting, order, n_arms, monkeypatch
):
    n_steps = 20_000  # well beyond the ends of the tables
    users = users_of(setting=setting, n_arms=n_arms, means=[0.5, 0.45, 0.0, -0.3, -1.0][:n_arms])
    run = partial(run_of, users, Uniform(order=order, horizon=n_steps), 3, cap=n_steps)
    fast = run(compiled=True)
    assert sum(fast.figures[:2]) == n_steps
    assert order == "random" or max(fast.user["counts"]) > 8192
    for length in (0, 1, 50, 8192):
        assert run(compiled=True, length=length) == fast
    assert run(compiled=False) == fast
    monkeypatch.setattr(rules, "rejects", rejects_by_definition)
    plain = run(compiled=False, length=0)
    kept = {name: fast.user[name] for name in SHORT_CUT}
    assert plain._replace(user=plain.user | kept) == fast


def test_the_tables_are_what_math_computes_to_the_bit_and_are_looked_up():
    tables, arrays = number_tables(5000), long_tables()
    for length, (logarithms, inverse_roots) in ((5000, tables), (LONG_TABLES, arrays)):
        assert list(logarithms) == [-math.inf] + [math.log(k) for k in range(1, length)]
        assert list(inverse_roots) == [math.inf] + [1 / math.sqrt(k) for k in range(1, length)]
    for setting in SETTINGS.values():
        right = life(setting, [1.0, 0.5], in_turn, 100)
        for name, values in tables._asdict().items():
            wrong = {name: [1.5 * value for value in values]}
            assert life(setting, [1.0, 0.5], in_turn, 100, tables=wrong) != right
    blanks = [blank_state(users_of(n_arms=n_arms).user) for n_arms in (2, 3)]
    assert blanks[0].logarithms is blanks[1].logarithms  # one for all users
