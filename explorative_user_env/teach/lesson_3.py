"""Lesson 3: why UNI, EXP3 and Track-and-Stop struggle."""

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.agents.optimal_weights import bernoulli_kl, transport_cost
from explorative_user_env.results.metrics import mean_cost
from explorative_user_env.teach.exercises import Exercise

Arms = Sequence[int]
Flags = Sequence[bool]
Floats = Sequence[float]


def _shares(share: Callable[..., float]) -> Any:
    """Return an answer to 3.1 from S_a, N_a, t and n(t)."""

    def answer(arms: Arms, accepted: Flags, n_arms: int) -> list[float]:
        of, yes = np.array(arms), np.array(accepted)
        each = [of == arm for arm in range(n_arms)]
        return [share(yes[own].sum(), own.sum(), len(of), yes.sum()) for own in each]

    return answer


_rates = _shares(lambda yes, n, *others: yes / n if n else math.nan)


def _chances(levels: Floats, mixing: float) -> list[float]:
    weights = [math.exp(level - max(levels)) for level in levels]
    return [(1 - mixing) * each / sum(weights) + mixing / len(weights) for each in weights]


def _after(reward: Any, weights_alone: bool = False, explores: bool = True) -> Any:
    """Return an answer to 3.2 from an estimate of the reward by probability and response."""

    def answer(g: Floats, mixing: float, rate: float, arm: int, accepted: bool) -> list[float]:
        by = rate * reward(_chances(g, 0 if weights_alone else mixing)[arm], accepted)
        raised = [level + by * (each == arm) for each, level in enumerate(g)]
        return _chances(raised, mixing if explores else 0.0)

    return answer


_exp3 = _after(lambda p, yes: yes / p)


def _part(p: float, q: float, impossible: float = math.inf) -> float:
    if p == 0:
        return 0.0
    return p * math.log(p / q) if q > 0 else impossible


def _evidence(by: Any = bernoulli_kl, middle: Any = None, counts: bool = True) -> Any:
    """Return an answer to 3.4 by a divergence from a common rate, by default the pooled one."""

    def answer(n_b: int, m_b: float, n_a: int, m_a: float) -> Any:
        m = middle(m_b, m_a) if middle else (n_b * m_b + n_a * m_a) / (n_b + n_a)
        return (n_b if counts else 1) * by(m_b, m) + (n_a if counts else 1) * by(m_a, m)

    return answer


def _cost(times: Arms, correct: Flags, censored: Flags, step_cost: float) -> float:
    return mean_cost(np.array(times), np.array(correct) & ~np.array(censored), step_cost)


def _costs(cost: Callable[[Any], float]) -> Any:
    """Return an answer to 3.5 from the means over runs; `ended` has those of runs not censored."""

    def answer(times: Arms, correct: Flags, censored: Flags, c: float) -> float:
        runs = pd.DataFrame({"steps": times, "right": correct, "cut": censored})
        runs["steps"] *= c
        runs["won"] = runs["right"] & ~runs["cut"]
        means = runs.mean()
        return cost(SimpleNamespace(n=len(runs), ended=runs[~runs["cut"]].mean(), **means))

    return answer


_ARMS, _YES = [0, 1, 2, 0, 1, 2, 0, 1, 0], [True, True, True, True, False, False, True, False, True]
_T, _RIGHT, _CUT = [100, 200, 300, 1000], [True, False, True, True], [False, False, False, True]

EXERCISES: tuple[Exercise, ...] = (
    # 3.1
    Exercise(
        asks="a function of arms, responses and K that returns each arm's rate of acceptance",
        right=_rates,
        cases=[(_ARMS, _YES, 3), ([0, 0, 1, 1], [True, False, False, False], 2), (_ARMS, _YES, 4)],
        shows="the rate is easily had; it is no estimate of mu_i, as you are about to see.",
    ).with_mistakes(
        "acceptances are divided by all recommendations, t: frequent arms look better then.",
        _shares(lambda yes, n, t, n_yes: yes / t),
        "acceptances are divided by all acceptances, n(t): this is each arm's share of them.",
        _shares(lambda yes, n, t, n_yes: yes / n_yes),
        "these are the acceptances S_a themselves, and no rates.",
        _shares(lambda yes, *others: yes),
        "an arm never recommended has the rate 0 here: of such an arm nothing is known.",
        _shares(lambda yes, n, *others: yes / max(n, 1)),
        "an arm never recommended has the rate 1 here: of such an arm nothing is known.",
        _shares(lambda yes, n, *others: yes / n if n else 1.0),
    ),
    # 3.2
    Exercise(
        asks="a function of log-weights, epsilon, gamma, an arm and her response that returns the "
        "probabilities of the next recommendation",
        right=_exp3,
        cases=[
            *(([0.0, 0.0], 0.5, 0.5, 0, yes) for yes in (True, False)),
            *(([1.0, 0.0, 0.5], 0.25, 0.5, 1, yes) for yes in (True, False)),
            ([1000.0, 999.0, 0.0], 0.25, 0.5, 0, True),  # exp(1000) is no number
        ],
        shows="an accepted arm rises more if rare, so that on average all rise by the same.",
        keeps=True,
    ).with_mistakes(
        "the reward is not divided by the arm's probability: frequent arms rise often.",
        _after(lambda p, yes: yes),
        "the reward is multiplied by the probability of the arm, where it has to be divided.",
        _after(lambda p, yes: yes * p),
        "the reward is divided by the share of the arm's weight, not by its probability.",
        _after(lambda p, yes: yes / p, weights_alone=True),
        "a rejection lowers a weight here: in EXP3 it is a reward of 0, which moves nothing.",
        _after(lambda p, yes: (1 if yes else -1) / p),
        "a rejection raises a weight as an acceptance does: her response is not looked at.",
        _after(lambda p, yes: 1 / p),
        "an acceptance lowers the weight: the sign is wrong.",
        _after(lambda p, yes: -yes / p),
        "epsilon is missing in the end: an arm of small weight would hardly come again.",
        _after(lambda p, yes: yes / p, explores=False),
        "epsilon is added to every arm whole, so that the probabilities add up to more than 1.",
        lambda g, mixing, *rest: np.add(_exp3(g, mixing, *rest), mixing - mixing / len(g)),
        "these are the probabilities before her response.",
        _after(lambda p, yes: 0.0),
    ),
    # 3.3
    Exercise(
        asks="a function of p and q that returns kl(p, q) of two Bernoulli laws",
        right=bernoulli_kl,
        cases=[
            *((0.5, 0.25), (0.25, 0.5), (0.9, 0.8), (0.3, 0.3)),
            *((0.0, 0.5), (1.0, 0.5), (1.0, 0.75)),  # 0 log 0 is 0
            *((0.5, 0.0), (0.5, 1.0), (0.0, 1.0)),  # the second law cannot do what the first does
            *((0.0, 0.0), (1.0, 1.0)),
        ],
        shows="evidence between two rates is a divergence; at the border it is infinite.",
    ).with_mistakes(
        "p and q are swapped: the first law is the one that responses come from.",
        lambda p, q: bernoulli_kl(q, p),
        "only acceptances count here: the part of the rejections, with 1 - p, is missing.",
        _part,
        "this logarithm is not the natural one: it has the base 2.",
        lambda p, q: bernoulli_kl(p, q) / math.log(2),
        "it is finite where the second law cannot do what the first does.",
        lambda p, q: _part(p, q, 0.0) + _part(1 - p, 1 - q, 0.0),
        "it is 0 wherever p or q is 0 or 1: only 0 log 0 is 0.",
        lambda p, q: bernoulli_kl(p, q) if 0 < q < 1 and 0 < p < 1 else 0.0,
        "its sign is wrong: a divergence is never below 0.",
        lambda p, q: -bernoulli_kl(p, q),
    ),
    # 3.4
    Exercise(
        asks="a function of N_b, m_b, N_a and m_a that returns Z, the evidence that b beats a",
        right=transport_cost,
        cases=[(20, 0.9, 10, 0.5), (10, 0.75, 30, 0.25), (50, 1.0, 50, 1.0), (100, 1.0, 4, 0.75)],
        shows="Z asks how surprising both rates would be, were they one and the same.",
        uses=("3.3",),
    ).with_mistakes(
        "both rates are compared with the point halfway, not with the pooled rate.",
        _evidence(middle=lambda m_b, m_a: (m_b + m_a) / 2),
        "the rates are compared with one another, not each with the rate they would share.",
        _evidence(middle=lambda m_b, m_a: m_a),
        "the divergences are added up without the numbers of recommendations.",
        _evidence(counts=False),
        "the arguments of kl are swapped: the law that responses come from is first.",
        _evidence(lambda m, middle: bernoulli_kl(middle, m)),
        "the part of the arm a is missing.",
        lambda n, m, n_a, m_a: n * bernoulli_kl(m, (n * m + n_a * m_a) / (n + n_a)),
        "it is the evidence of one recommendation: Z is the sum over all of them.",
        lambda n_b, m_b, n_a, m_a: transport_cost(n_b, m_b, n_a, m_a) / (n_b + n_a),
    ),
    # 3.5
    Exercise(
        asks="a function of stopping times, right, censored and c that returns a run's mean cost",
        right=_cost,
        cases=[
            *(([100, 200], [True, right], [False, False], 0.001) for right in (True, False)),
            (_T, _RIGHT, _CUT, 0.001),
            ([100, 300, 1000], [True, False, False], [False, False, True], 0.001),
            (_T, _RIGHT, _CUT, 0.0),
        ],
        shows="stopping early and being wrong is no bargain, and neither is never stopping.",
    ).with_mistakes(
        "a censored run whose best guess happens to be right has not stopped: it fails.",
        _costs(lambda of: of.steps + 1 - of.right),
        "censored runs are left out: the agent that is stuck most often gains most by it.",
        _costs(lambda of: of.ended["steps"] + 1 - of.ended["right"]),
        "censored runs count as failures, but their steps are left out of the mean.",
        _costs(lambda of: of.ended["steps"] + 1 - of.won),
        "a censored run whose best guess is wrong counts as two failures here, and it is one.",
        _costs(lambda of: of.steps + 1 - of.right + of.cut),
        "success is added, where failure costs: the better agent would cost more.",
        _costs(lambda of: of.steps + of.won),
        "errors are missing: answering at once and at random would cost nothing.",
        _costs(lambda of: of.steps),
        "it is the cost of all runs together, not of one in the mean.",
        _costs(lambda of: of.n * (of.steps + 1 - of.won)),
        "the steps of all runs are added up, where the exercise asks for a mean.",
        _costs(lambda of: of.n * of.steps + 1 - of.won),
    ),
)
