"""Her short cuts: without them, with tables of any length, compiled, she lives the same life."""

import math
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
from compared import OWN, run_of
from numpy.random import default_rng
from one_user import (
    at_random,
    best_pair,
    in_turn,
    mostly_best,
    rejects_by_definition,
    until_rejected,
)
from pairs import pairs

from explorative_user_env.agents import Uniform
from explorative_user_env.users import model as rules
from explorative_user_env.users.model import Schedule, blank_state, long_tables, number_tables
from explorative_user_env.users.population import SETTINGS, Population

SHORT_CUT = ("ceiling", "ceiling_spread", "witness")
"""What only `rejects` keeps."""


def life(
    setting, means, play, n_steps, rho=None, noise=0.0, seed=0, tables=None, stream=default_rng
):
    """Ask about nothing but what is recommended: another question would renew her ceiling."""
    users = Population(setting=setting, n_arms=len(means), noise=noise, rho=rho)
    user, rule = users.user, users.schedule.rule
    state = replace(blank_state(user), **(tables or {}))
    state.means[:] = means
    rng = stream(seed)
    rules.start(user, state, rng)
    arms = play(means, default_rng(seed + 1))
    responses, spreads = [], []
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
    return responses


def coarse(seed):
    """Few different rewards, so that bounds meet to the bit where Gamma is zero."""
    rng = default_rng(seed)
    return SimpleNamespace(random=rng.random, standard_normal=lambda: float(rng.integers(-1, 2)))


def rising_and_falling(parameters, n, t, n_arms):
    """A rho_t whose Gamma falls by a little at most steps, and by a lot at some."""
    return 4.0 - 3.0 * ((t % 40) / 40) if t % 200 > 5 else 0.01


@pairs(
    noise=[0.0, 0.2],
    rho=[None, 0.001, 0.05, Schedule(rising_and_falling, 0.01, 4.0)],
    play=[at_random, best_pair, mostly_best, until_rejected, in_turn],
    n_arms=[2, 5, 20],
    setting=SETTINGS.values(),
)
def test_a_user_who_looks_at_all_arms_and_nothing_up_lives_the_same_life(
    setting, noise, rho, play, n_arms
):
    drawn = default_rng(n_arms).standard_normal(n_arms).tolist()
    for means, stream in ((drawn, default_rng), ([0.0] * n_arms, coarse)):
        named = {"rho": rho, "noise": noise, "stream": stream}
        responses = life_with_and_without_short_cuts(setting, means, play, 700, **named)
        assert not noise or 20 < sum(responses) < 680


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize(("order", "n_arms"), [("round robin", 2), ("random", 5)])
def test_a_long_life_is_the_same_compiled_and_plain_with_and_without_short_cut(
    setting, order, n_arms, monkeypatch
):
    n_steps = 20_000  # well beyond the ends of the tables
    means = [0.5, 0.45, 0.0, -0.3, -1.0][:n_arms]
    users = Population(setting=setting, n_arms=n_arms, means=means)
    run = partial(run_of, users, Uniform(order=order, horizon=n_steps), 3, cap=n_steps)
    fast = run(compiled=True)
    assert sum(fast.figures[:2]) == n_steps
    assert order == "random" or max(fast.user["counts"]) > 8192
    for length in (0, 50):
        assert run(compiled=True, length=length) == fast
    assert run(compiled=False) == fast
    monkeypatch.setattr(rules, "rejects", rejects_by_definition)
    plain = run(compiled=False, length=0)
    kept = {name: fast.user[name] for name in SHORT_CUT}
    assert plain._replace(user=plain.user | kept) == fast


def test_the_tables_are_what_math_computes_to_the_bit():
    tables, arrays = number_tables(5000), long_tables()
    for step, (logarithms, inverse_roots) in ((1, tables), (97, arrays)):
        places = range(0, len(logarithms), step)[1:]
        assert (logarithms[0], inverse_roots[0]) == (-math.inf, math.inf)
        assert list(logarithms[step::step]) == [math.log(k) for k in places]
        assert list(inverse_roots[step::step]) == [1 / math.sqrt(k) for k in places]
