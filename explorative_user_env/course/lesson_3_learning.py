"""Exercises of notebook 3 on what agents learn from acceptances: rates, and EXP3's weights."""

import math

import numpy as np

from explorative_user_env.agents import exp3, track_and_stop
from explorative_user_env.course.exercises import Exercise, Mistake

_Counts = list[int]


def _rates(arms: _Counts, accepted: list[bool], n_arms: int) -> list[float]:
    """Return the rates that Track-and-Stop keeps; no number for an arm never recommended."""
    params = track_and_stop.prepare(track_and_stop.ALGORITHM.defaults, n_arms, None)
    state = track_and_stop.blank(params)
    track_and_stop.start(params, state, np.random.default_rng(0))
    for arm, response in zip(arms, accepted, strict=True):
        track_and_stop.observe(params, state, arm, response)
    pairs = zip(state.recommended, state.rates, strict=True)
    return [rate if count else math.nan for count, rate in pairs]


def _counts(arms: _Counts, accepted: list[bool], n_arms: int) -> tuple[_Counts, _Counts]:
    """Return N_a and S_a of each arm."""
    pairs = list(zip(arms, accepted, strict=True))
    return (
        [sum(each == arm for each, _ in pairs) for arm in range(n_arms)],
        [sum(each == arm and yes for each, yes in pairs) for arm in range(n_arms)],
    )


def _share(part: float, whole: float, nothing: float = math.nan) -> float:
    return part / whole if whole else nothing


def _shares_of(whole: str, arms: _Counts, accepted: list[bool], n_arms: int) -> list[float]:
    _, yes = _counts(arms, accepted, n_arms)
    wholes = {"t": len(arms), "n(t)": sum(accepted), "S_a": 1}
    return [_share(count, wholes[whole]) for count in yes]


_ARMS, _YES = [0, 1, 2, 0, 1, 2, 0, 1, 0], [True, True, True, True, False, False, True, False, True]

RATES = Exercise(
    number="3.1",
    asks="a function of arms, responses and K that returns each arm's rate of acceptance",
    right=_rates,
    cases=[(_ARMS, _YES, 3), ([0, 0, 1, 1], [True, False, False, False], 2), (_ARMS, _YES, 4)],
    shows="the rate is easily had; it is no estimate of mu_i, as you are about to see.",
    mistakes=[
        Mistake(
            "acceptances are divided by all recommendations, t: what is recommended more often "
            "looks better then.",
            lambda arms, accepted, n_arms: _shares_of("t", arms, accepted, n_arms),
        ),
        Mistake(
            "acceptances are divided by all acceptances, n(t): this is each arm's share of them.",
            lambda arms, accepted, n_arms: _shares_of("n(t)", arms, accepted, n_arms),
        ),
        Mistake(
            "these are the acceptances S_a themselves, and no rates.",
            lambda arms, accepted, n_arms: _shares_of("S_a", arms, accepted, n_arms),
        ),
        Mistake(
            "it is the rate of rejection: bad arms have a large one.",
            lambda arms, accepted, n_arms: [1 - rate for rate in _rates(arms, accepted, n_arms)],
        ),
        Mistake(
            "an arm that was never recommended has the rate 0 here, as if she had rejected it: of "
            "such an arm nothing is known.",
            lambda arms, accepted, n_arms: [
                _share(yes, asked, 0.0)
                for asked, yes in zip(*_counts(arms, accepted, n_arms), strict=True)
            ],
        ),
        Mistake(
            "an arm that was never recommended has the rate 1 here, as if she had accepted it: of "
            "such an arm nothing is known.",
            lambda arms, accepted, n_arms: [
                _share(yes, asked, 1.0)
                for asked, yes in zip(*_counts(arms, accepted, n_arms), strict=True)
            ],
        ),
        Mistake(
            "one acceptance and one recommendation too many are counted, of every arm.",
            lambda arms, accepted, n_arms: [
                (yes + 1) / (asked + 1)
                for asked, yes in zip(*_counts(arms, accepted, n_arms), strict=True)
            ],
        ),
    ],
)


def _exp3(log_weights: list[float], mixing: float, rate: float) -> tuple[exp3.Params, exp3.State]:
    """Return EXP3 with such log-weights: each as one acceptance of some probability left it.

    A number added to all of them makes no difference.
    """
    n_arms = len(log_weights)
    made = exp3.prepare(exp3.ALGORITHM.defaults, n_arms, n_arms)
    params = made._replace(mixing=mixing, rate=rate)
    state = exp3.blank(params)
    exp3.start(params, state, np.random.default_rng(0))
    least = min(log_weights)
    for arm, log_weight in enumerate(log_weights):
        if log_weight > least:
            state.chance[0] = rate / (log_weight - least)
            exp3.observe(params, state, arm, True)
    return params, state


def _chances(log_weights: list[float], mixing: float) -> list[float]:
    chances: list[float] = exp3.explain(*_exp3(log_weights, mixing, 1.0))["chance"]
    return chances


def _chances_after(
    log_weights: list[float], mixing: float, rate: float, arm: int, accepted: bool
) -> list[float]:
    """Return EXP3's probabilities once it has recommended an arm and heard the response."""
    params, state = _exp3(log_weights, mixing, rate)
    state.chance[0] = exp3.explain(params, state)["chance"][arm]
    exp3.observe(params, state, arm, accepted)
    chances: list[float] = exp3.explain(params, state)["chance"]
    return chances


def _raised(log_weights: list[float], arm: int, by: float) -> list[float]:
    return [each + by * (place == arm) for place, each in enumerate(log_weights)]


def _other_reward(
    log_weights: list[float], mixing: float, rate: float, arm: int, reward: float
) -> list[float]:
    """Return EXP3's probabilities if a response counts as this reward."""
    by = reward * rate / _chances(log_weights, mixing)[arm]
    return _chances(_raised(log_weights, arm, by), mixing)


def _unmixed(
    log_weights: list[float], mixing: float, rate: float, arm: int, accepted: bool
) -> list[float]:
    by = accepted * rate / _chances(log_weights, mixing)[arm]
    return _chances(_raised(log_weights, arm, by), 0.0)


EXP3_STEP = Exercise(
    number="3.2",
    asks="a function of log-weights, epsilon, gamma, an arm and her response that returns the "
    "probabilities of the next recommendation",
    right=_chances_after,
    cases=[
        ([0.0, 0.0], 0.5, 0.5, 0, True),
        ([0.0, 0.0], 0.5, 0.5, 0, False),
        ([1.0, 0.0, 0.5], 0.25, 0.5, 1, True),
        ([1.0, 0.0, 0.5], 0.25, 0.5, 1, False),
        ([1000.0, 999.0, 0.0], 0.25, 0.5, 0, True),  # exp(1000) is no number
    ],
    shows="what is rarely recommended and accepted rises most, so that on average every arm that "
    "she accepts rises by the same.",
    mistakes=[
        Mistake(
            "the reward is not divided by the probability of the arm: what is recommended often "
            "rises often, whatever she thinks of the others.",
            lambda weights, mixing, rate, arm, accepted: _chances(
                _raised(weights, arm, rate * accepted), mixing
            ),
        ),
        Mistake(
            "the reward is multiplied by the probability of the arm, where it has to be divided.",
            lambda weights, mixing, rate, arm, accepted: _chances(
                _raised(weights, arm, rate * accepted * _chances(weights, mixing)[arm]), mixing
            ),
        ),
        Mistake(
            "the reward is divided by the share of the arm's weight, which is not the probability "
            "with which it was recommended.",
            lambda weights, mixing, rate, arm, accepted: _chances(
                _raised(weights, arm, rate * accepted / _chances(weights, 0.0)[arm]), mixing
            ),
        ),
        Mistake(
            "a rejection lowers a weight here: in EXP3 it is a reward of 0, which moves nothing.",
            lambda weights, mixing, rate, arm, accepted: _other_reward(
                weights, mixing, rate, arm, 1.0 if accepted else -1.0
            ),
        ),
        Mistake(
            "a rejection raises a weight as an acceptance does: her response is not looked at.",
            lambda weights, mixing, rate, arm, accepted: _other_reward(
                weights, mixing, rate, arm, 1.0
            ),
        ),
        Mistake(
            "an acceptance lowers the weight: the sign is wrong.",
            lambda weights, mixing, rate, arm, accepted: _other_reward(
                weights, mixing, rate, arm, -1.0 if accepted else 0.0
            ),
        ),
        Mistake(
            "epsilon is missing in the end: an arm whose weight is small would hardly ever be "
            "recommended again.",
            _unmixed,
        ),
        Mistake(
            "epsilon is added to every arm whole, so that the probabilities add up to more than 1.",
            lambda weights, mixing, rate, arm, accepted: [
                mixing + each - mixing / len(weights)
                for each in _chances_after(weights, mixing, rate, arm, accepted)
            ],
        ),
        Mistake(
            "epsilon / K is added, but the weights keep their whole share, so that the "
            "probabilities add up to more than 1.",
            lambda weights, mixing, rate, arm, accepted: [
                mixing / len(weights) + each
                for each in _unmixed(weights, mixing, rate, arm, accepted)
            ],
        ),
        Mistake(
            "these are the probabilities before her response.",
            lambda weights, mixing, rate, arm, accepted: _chances(weights, mixing),
        ),
    ],
)
