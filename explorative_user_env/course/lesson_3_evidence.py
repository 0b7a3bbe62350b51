"""Exercises of notebook 3 on when to stop: Track-and-Stop's evidence, and what a run costs."""

import math

import numpy as np

from explorative_user_env.agents.divergence import bernoulli_kl, transport_cost
from explorative_user_env.course.exercises import Exercise, Mistake
from explorative_user_env.results.metrics import mean_cost

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
    return mean_cost(np.array(times), np.array(correct), np.array(censored), step_cost)


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
