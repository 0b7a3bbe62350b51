"""Algorithm records, behaviours, schedules and laws, each wrong in one way."""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import Behaviour, RewardLaw, Schedule
from explorative_user_env.agents.uniform import ALGORITHM, Params, State
from explorative_user_env.protocol import STOP
from explorative_user_env.users import model as rules

_calls = [0]


def overflows(number):
    """What compiled code, whose integers have 64 bits, finds otherwise at times."""
    return (number * 4611686018427387904) % 7 < 3


# Algorithms


def take_anything(options, n_arms, horizon):
    return Params(n_arms, horizon or 10, options["order"] == "random", False)


def blank_of_arrays(params):
    return State(np.zeros(params.n_arms, int), [0], [0])


def start_nothing(params, state, rng):
    state.steps[0] = 0


def act_by_calls(params, state, rng):
    _calls[0] += 1
    return STOP if state.steps[0] >= params.horizon else (_calls[0] // 3) % params.n_arms


def act_for_ever(params, state, rng):
    return state.following[0]


class Shares(NamedTuple):
    accepted: list[float]
    steps: list[int]
    following: list[int]
    share: list[Any]


def blank_of_whole_numbers(params):
    """A share that becomes a fraction, and is 0 at first and not 0.0: an array cuts it off."""
    return Shares([0.0] * params.n_arms, [0], [0], [0])


def act_by_share(params, state, rng):
    if state.steps[0] >= params.horizon:
        return STOP
    state.share[0] = state.share[0] / 2 + 0.3
    return int(state.share[0] * 100 + state.steps[0]) % params.n_arms


ALGORITHMS_WRONG = {
    "checks_its_options": replace(ALGORITHM, prepare=take_anything),
    "has_numbers_alone": replace(ALGORITHM, blank=blank_of_arrays),
    "starts_anew": replace(ALGORITHM, start=start_nothing),
    "keeps_all_in_its_state": replace(ALGORITHM, act=act_by_calls),
    "stops_by_its_horizon": replace(ALGORITHM, act=act_for_ever),
    "compiled_rules_are_plain": replace(ALGORITHM, blank=blank_of_whole_numbers, act=act_by_share),
}

# Behaviours


def says_one(user, state, rule, arm, rng):
    return 1 if rules.respond(user, state, rule, arm, rng) else 0


def counts_no_rejection(user, state, rule, arm, rng):
    accepted = rules.respond(user, state, rule, arm, rng)
    if not accepted:
        state.interactions[0] -= 1
    return accepted


def changes_taste(user, state, rule, arm, rng):
    state.means[arm] += 0.01
    return rules.respond(user, state, rule, arm, rng)


def throws_everybodys_coin(user, state, rule, arm, rng):
    wants = bool(np.random.random() < 0.5)  # noqa: NPY002 - that is what is wrong
    return rules.respond(user, state, rule, arm, rng, wants)


def tires_of_all(user, state, rule, arm, rng):
    _calls[0] += 1
    return rules.respond(user, state, rule, arm, rng, _calls[0] % 3 > 0)


def overflowing(user, state, rule, arm, rng):
    wants = overflows(state.interactions[0])
    return rules.respond(user, state, rule, arm, rng, wants)


def leaves_by_one(user, state, accepted, rng):
    return 0 if accepted else 1


class ForgetsOnTheWay:
    """Accepts every so many steps, which it does not take along."""

    def __init__(self, every):
        self.every = every

    def __call__(self, user, state, rule, arm, rng):
        wants = state.interactions[0] % self.every == 0
        return rules.respond(user, state, rule, arm, rng, wants)

    def __reduce__(self):
        return ForgetsOnTheWay, (5,)


BEHAVIOURS = {
    "says_yes_or_no": (
        Behaviour("says one", respond=says_one),
        Behaviour("leaves by one", leaves=leaves_by_one),
    ),
    "counts_what_she_said": Behaviour("counts", respond=counts_no_rejection),
    "keeps_her_means": Behaviour("changes taste", respond=changes_taste),
    "follows_from_her_seed": Behaviour("coin", respond=throws_everybodys_coin),
    "is_all_in_her_state": (
        Behaviour("tires", respond=tires_of_all),
        Behaviour("forgets", respond=ForgetsOnTheWay(3)),
    ),
    "compiled_users_are_plain": Behaviour("overflows", respond=overflowing),
}

# Schedules


def three_late(parameters, n, t, n_arms):
    return 3.0 if t > 10_000 else 1.5


def rising(parameters, n, t, n_arms):
    _calls[0] += 1
    return 1.0 + (_calls[0] % 10) / 10.0


def not_for_twenty(parameters, n, t, n_arms):
    if n_arms == 20:
        raise LookupError("no rho for 20 arms")
    return 1.5


def overflowing_rule(parameters, n, t, n_arms):
    return 2.0 if overflows(t) else 1.0


SCHEDULES = {
    "gives_numbers_in_its_range": Schedule(three_late, 1.0, 2.0),
    "depends_on_counts_alone": Schedule(rising, 1.0, 2.0),
    "makes_users_who_live": Schedule(not_for_twenty, 1.0, 2.0),
    "compiled_schedule_is_plain": Schedule(overflowing_rule, 1.0, 2.0),
}

# Laws of rewards


def at_times_nan(mean, rng):
    return math.nan if rng.random() < 0.1 else mean


def flattering(mean, rng):
    reward = mean + 0.1 + rng.standard_normal()
    return reward


def wide(mean, rng):
    reward = mean + 1.2 * rng.standard_normal()
    return reward


def from_everybodys_stream(mean, rng):
    return mean + float(np.random.standard_normal())  # noqa: NPY002 - that is what is wrong


def overflowing_law(mean, rng):
    x = rng.random()
    return mean + (0.5 if overflows(int(x * 1000000)) else -0.5)


LAWS = {
    "draws_finite_numbers": RewardLaw("at times nan", at_times_nan),
    "has_the_mean_it_is_asked_for": RewardLaw("flattering", flattering),
    "has_variance_at_most_one": RewardLaw("wide", wide),
    "draws_from_its_stream_alone": RewardLaw("everybody's", from_everybodys_stream),
    "compiled_law_is_plain": RewardLaw("overflows", overflowing_law),
}
