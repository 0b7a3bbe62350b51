"""The logistic user: she accepts as often as the formula says."""

import math
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
import pytest
from one_user import users_of
from other_users import random_arms, started
from scipy import special, stats

from explorative_user_env.users import behaviours as others
from explorative_user_env.users import model as rules
from explorative_user_env.users.behaviours import acceptance_probability, logistic
from explorative_user_env.users.model import RememberingState, Rule, User
from explorative_user_env.users.population import PRINTED, Setting


def frozen(
    counts: Sequence[int], estimates: Sequence[float], spread: float, temperature: float
) -> tuple[User, RememberingState, Rule]:
    """A user at a moment of her life."""
    users = users_of(setting=PRINTED, n_arms=len(counts))
    user = users.user
    state = logistic(temperature).blank(user)
    assert isinstance(state, RememberingState)
    rules.clear(user, state)
    state.counts[:], state.estimates[:], state.spread[0] = counts, estimates, spread
    state.scales[:] = [1 / math.sqrt(n) if n else math.inf for n in counts]
    state.means[:] = [0.0] * len(counts)
    return user, state, users.schedule.rule


def copied_of(state: RememberingState) -> RememberingState:
    """A copy that shares the long tables, which nobody changes."""
    names = [field.name for field in fields(state)]
    changing = [name for name in names if name not in ("logarithms", "inverse_roots")]
    return replace(state, **{name: list(getattr(state, name)) for name in changing})


MOMENTS = [([4, 9, 25], [0.2, 1.0, 0.7], 1.5), ([400, 400, 400], [0.0, 0.6, 1.0], 2.0)]


@pytest.mark.parametrize(("counts", "estimates", "spread"), MOMENTS)
@pytest.mark.parametrize("temperature", [0.1, 0.7])
def test_a_logistic_user_accepts_as_often_as_the_formula_says(
    counts: list[int], estimates: list[float], spread: float, temperature: float
) -> None:
    user, state, rule = frozen(counts, estimates, spread, temperature)
    rng, n = np.random.default_rng(0), 4000
    for arm in range(3):
        up = estimates[arm] + spread / math.sqrt(counts[arm])
        low = max(estimates[j] - spread / math.sqrt(counts[j]) for j in range(3) if j != arm)
        formula = float(special.expit((up - low) / temperature))
        assert acceptance_probability(user, state, arm) == pytest.approx(formula, rel=1e-12)
        accepted = sum(
            others.logistic_respond(user, copied_of(state), rule, arm, rng) for _ in range(n)
        )
        # Inside the central 99.99% of the binomial law: 1 of 1000 runs of this test would not be.
        low_end, high_end = stats.binom.interval(0.9999, n, formula)
        assert low_end <= accepted <= high_end


def test_infinite_intervals_and_large_ratios_are_no_trouble() -> None:
    user, state, _ = frozen([0, 5, 5], [0.0, 0.0, 1e3], 1.0, 1e-6)
    chances = [acceptance_probability(user, state, arm) for arm in range(3)]
    assert chances == [1.0, 0.0, 1.0]
    user, state, _ = frozen([5, 0, 0], [-1e300, 0.0, 0.0], 1.0, 1e-300)
    assert acceptance_probability(user, state, 0) == 1.0  # no rival is known


def test_a_cold_logistic_user_is_the_paper_s(setting: Setting) -> None:
    env = started(1, setting=setting, behaviour=logistic(1e-12))
    user, state = env.user, env._state
    assert isinstance(state, RememberingState)
    answers = set()
    for arm in random_arms(500):
        sure = acceptance_probability(user, state, arm)
        assert sure == (0.0 if rules.rejects(user, state, arm) else 1.0)
        answers.add(env.step(arm)[0])
    assert answers == {0, 1}
