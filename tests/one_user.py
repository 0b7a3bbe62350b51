"""One explorative user without an environment: made, recommended to, and decided for by hand."""

import math
from itertools import count

import numpy as np

from explorative_user_env.users import model as rules
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.model import blank_state
from explorative_user_env.users.population import Population


def new_user(setting, means, seed=0, alpha=1.0, noise=0.0, rho=None):
    """Return a user who has just started, her state, her rule of rho_t and her stream."""
    users = Population(setting=setting, n_arms=len(means), alpha=alpha, noise=noise, rho=rho)
    state, rng = blank_state(users.user), np.random.default_rng(seed)
    state.means[:] = means
    rules.start(users.user, state, rng)
    return users.user, state, users.schedule.rule, rng


def hand_made(setting, estimates, counts, spread, behaviour=EXPLORATIVE):
    """Return a user at a moment that is written down: hat mu_i, n_i and sqrt(Gamma)."""
    user = Population(setting=setting, n_arms=len(estimates), behaviour=behaviour).user
    state = behaviour.blank(user)
    rules.clear(user, state)
    state.estimates[:] = estimates
    state.counts[:] = counts
    state.scales[:] = [1 / math.sqrt(n) if n else math.inf for n in counts]
    state.spread[0] = spread
    return user, state


def bounds(state):
    arms = range(len(state.means))
    return tuple([bound(state, arm) for arm in arms] for bound in (rules.lcb, rules.ucb))


def gamma(state):
    return state.spread[0] ** 2


def rejects_by_definition(user, state, arm):
    """Some j != i with lcb_j >= ucb_i (or > where the setting is strict), by looking at all."""
    lower, upper = bounds(state)
    others = lower[:arm] + lower[arm + 1 :]
    return any(low >= upper[arm] if user.rejects_ties else low > upper[arm] for low in others)


def at_random(means, rng):
    while True:
        yield int(rng.integers(len(means)))


def in_turn(means, rng):
    for t in count():
        yield t % len(means)


def best_pair(means, rng):
    pair = np.argsort(means)[-2:].tolist()
    for t in count():
        yield pair[t % 2]


def until_rejected(means, rng):
    arm = 0
    while True:
        accepted = yield arm
        if not accepted:
            arm = (arm + 1) % len(means)


def mostly_best(means, rng):
    best = int(np.argmax(means))
    for t in count():
        yield best if t % 51 < 50 else int(rng.integers(len(means)))


PLAYS = (at_random, in_turn, best_pair, until_rejected, mostly_best)
"""Ways to recommend: each yields arms and is sent the responses."""


def converse(play, respond, steps):
    arm = next(play)
    for _ in range(steps):
        arm = play.send(respond(arm))
