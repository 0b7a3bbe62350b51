"""The exercises of notebook 3: why UNI, EXP3 and Track-and-Stop struggle."""

import math

import numpy as np

from explorative_user_env.agents import exp3, track_and_stop
from explorative_user_env.agents.optimal_weights import bernoulli_kl, transport_cost
from explorative_user_env.results.metrics import mean_cost
from explorative_user_env.teach.exercises import Exercise, Mistake

_Flags = list[bool]


def _term(p: float, q: float, log_of: float) -> float:
    """Return p log(p/q) / log(base), 0 for p = 0."""
    if p == 0.0:
        return 0.0
    return p * math.log(p / q) / log_of if q > 0.0 else math.inf


def _spelled(p: float, q: float, base: float = math.e) -> float:
    return _term(p, q, math.log(base)) + _term(1 - p, 1 - q, math.log(base))


DIVERGENCE = Exercise(
    number="3.3",
    asks="a function of p and q that returns kl(p, q) of two Bernoulli laws",
    right=bernoulli_kl,
    cases=[
        *((0.5, 0.25), (0.25, 0.5), (0.9, 0.8), (0.3, 0.3)),
        *((0.0, 0.5), (1.0, 0.5), (1.0, 0.75)),  # 0 log 0 is 0
        *((0.5, 0.0), (0.5, 1.0), (0.0, 1.0)),  # the second law cannot do what the first does
        *((0.0, 0.0), (1.0, 1.0)),
    ],
    shows="evidence between two rates is a divergence; at the border it is infinite, as one "
    "acceptance refutes a law that never accepts.",
    mistakes=[
        Mistake(
            "p and q are swapped: the first law is the one that responses come from.",
            lambda p, q: bernoulli_kl(q, p),
        ),
        Mistake(
            "only acceptances count here: the part of the rejections, with 1 - p, is missing.",
            lambda p, q: _term(p, q, 1.0),
        ),
        Mistake(
            "this logarithm is not the natural one: it has the base 2.",
            lambda p, q: _spelled(p, q, 2.0),
        ),
        Mistake(
            "this is 2 (p - q)^2, which Pinsker puts below the divergence; near 0 and 1 it is far "
            "too small.",
            lambda p, q: 2 * (p - q) ** 2,
        ),
        Mistake(
            "it is finite where the second law cannot do what the first does: a part of the sum "
            "is left out there.",
            lambda p, q: bernoulli_kl(p, q) if 0 < q < 1 else _inside(p, q) + _inside(1 - p, 1 - q),
        ),
        Mistake(
            "it is 0 wherever p or q is 0 or 1: only 0 log 0 is 0.",
            lambda p, q: bernoulli_kl(p, q) if 0 < q < 1 and 0 < p < 1 else 0.0,
        ),
        Mistake(
            "its sign is wrong: a divergence is never below 0.",
            lambda p, q: -bernoulli_kl(p, q),
        ),
        Mistake(
            "it is the same for (p, q) and (q, p), as a distance is; a divergence is not.",
            lambda p, q: (bernoulli_kl(p, q) + bernoulli_kl(q, p)) / 2,
        ),
    ],
)


def _inside(p: float, q: float) -> float:
    return _term(p, q, 1.0) if q > 0.0 else 0.0


def _pooled(n_b: int, mean_b: float, n_a: int, mean_a: float) -> float:
    return (n_b * mean_b + n_a * mean_a) / (n_b + n_a)


def _against(middle: float, n_b: int, mean_b: float, n_a: int, mean_a: float) -> float:
    return n_b * bernoulli_kl(mean_b, middle) + n_a * bernoulli_kl(mean_a, middle)


EVIDENCE = Exercise(
    number="3.4",
    asks="a function of N_b, m_b, N_a and m_a that returns Z, the evidence that b beats a",
    right=transport_cost,
    cases=[(20, 0.9, 10, 0.5), (10, 0.75, 30, 0.25), (50, 1.0, 50, 1.0), (100, 1.0, 4, 0.75)],
    shows="Z asks how surprising both rates would be, were they one and the same.",
    mistakes=[
        Mistake(
            "both rates are compared with the point halfway; the rate that fits both arms best "
            "gives each as much weight as it has recommendations.",
            lambda n_b, mean_b, n_a, mean_a: _against(
                (mean_b + mean_a) / 2, n_b, mean_b, n_a, mean_a
            ),
        ),
        Mistake(
            "the two rates are compared with one another, not each with the rate that they would "
            "share.",
            lambda n_b, mean_b, n_a, mean_a: n_b * bernoulli_kl(mean_b, mean_a),
        ),
        Mistake(
            "the divergences are added up without the numbers of recommendations: evidence would "
            "not grow with data.",
            lambda n_b, mean_b, n_a, mean_a: _against(
                _pooled(n_b, mean_b, n_a, mean_a), 1, mean_b, 1, mean_a
            ),
        ),
        Mistake(
            "the arguments of kl are swapped: the law that responses come from is first.",
            lambda n_b, mean_b, n_a, mean_a: sum(
                n * bernoulli_kl(_pooled(n_b, mean_b, n_a, mean_a), mean)
                for n, mean in ((n_b, mean_b), (n_a, mean_a))
            ),
        ),
        Mistake(
            "the part of the arm a is missing.",
            lambda n_b, mean_b, n_a, mean_a: (
                n_b * bernoulli_kl(mean_b, _pooled(n_b, mean_b, n_a, mean_a))
            ),
        ),
        Mistake(
            "the part of the arm b is missing.",
            lambda n_b, mean_b, n_a, mean_a: (
                n_a * bernoulli_kl(mean_a, _pooled(n_b, mean_b, n_a, mean_a))
            ),
        ),
        Mistake(
            "the weights of the two arms are swapped in the rate that they would share.",
            lambda n_b, mean_b, n_a, mean_a: _against(
                _pooled(n_a, mean_b, n_b, mean_a), n_b, mean_b, n_a, mean_a
            ),
        ),
        Mistake(
            "it is the evidence of one recommendation: Z is a sum over all of them, not their "
            "mean.",
            lambda n_b, mean_b, n_a, mean_a: transport_cost(n_b, mean_b, n_a, mean_a) / (n_b + n_a),
        ),
    ],
)


def _cost(times: list[int], correct: _Flags, censored: _Flags, step_cost: float) -> float:
    """Return the package's cost of an agent's runs."""
    return mean_cost(np.array(times), np.array(correct) & ~np.array(censored), step_cost)


def _without_cut(times: list[int], correct: _Flags, censored: _Flags, step_cost: float) -> float:
    kept = [place for place, cut in enumerate(censored) if not cut]
    return _cost(
        [times[place] for place in kept],
        [correct[place] for place in kept],
        [False] * len(kept),
        step_cost,
    )


_T, _RIGHT, _CUT = [100, 200, 300, 1000], [True, False, True, True], [False, False, False, True]

COST = Exercise(
    number="3.5",
    asks="a function of stopping times, who was right, who was censored and c that returns the "
    "mean cost of a run",
    right=_cost,
    cases=[
        ([100, 200], [True, True], [False, False], 0.001),
        ([100, 200], [True, False], [False, False], 0.001),
        (_T, _RIGHT, _CUT, 0.001),
        ([100, 300, 1000], [True, False, False], [False, False, True], 0.001),
        (_T, _RIGHT, _CUT, 0.0),
    ],
    shows="stopping early and being wrong is no bargain any more, and neither is never stopping.",
    mistakes=[
        Mistake(
            "a censored run whose best guess happens to be right counts as a success here; it has "
            "not stopped, and has named nothing.",
            lambda times, correct, censored, step_cost: _cost(
                times, correct, [False] * len(times), step_cost
            ),
        ),
        Mistake(
            "censored runs are left out: the agent that is stuck most often gains most by it.",
            _without_cut,
        ),
        Mistake(
            "censored runs count as failures, but their steps are left out of the mean.",
            lambda times, correct, censored, step_cost: (
                _without_cut(times, correct, censored, step_cost)
                + _cost(times, correct, censored, 0.0)
                - _without_cut(times, correct, censored, 0.0)
            ),
        ),
        Mistake(
            "a censored run whose best guess is wrong counts as two failures here, and it is one.",
            lambda times, correct, censored, step_cost: (
                _cost(times, correct, censored, step_cost)
                + np.mean([cut and not right for right, cut in zip(correct, censored, strict=True)])
            ),
        ),
        Mistake(
            "success is added, where failure costs: the better agent would cost more.",
            lambda times, correct, censored, step_cost: (
                _cost(times, correct, censored, step_cost)
                + 1.0
                - 2.0 * _cost(times, correct, censored, 0.0)
            ),
        ),
        Mistake(
            "errors are missing: answering at once and at random would cost nothing.",
            lambda times, correct, censored, step_cost: (
                _cost(times, correct, censored, step_cost) - _cost(times, correct, censored, 0.0)
            ),
        ),
        Mistake(
            "steps are missing: the agent that never stops would cost nothing.",
            lambda times, correct, censored, step_cost: _cost(times, correct, censored, 0.0),
        ),
        Mistake(
            "it is the cost of all runs together, not of one in the mean.",
            lambda times, correct, censored, step_cost: (
                len(times) * _cost(times, correct, censored, step_cost)
            ),
        ),
        Mistake(
            "the steps of all runs are added up, where a mean is asked for.",
            lambda times, correct, censored, step_cost: (
                step_cost * sum(times) + _cost(times, correct, censored, 0.0)
            ),
        ),
    ],
)


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


EXERCISES: tuple[Exercise, ...] = (RATES, EXP3_STEP, DIVERGENCE, EVIDENCE, COST)
"""In the order in which they are asked."""
