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
    """Return a function that answers exercise 3.1: `share` of each arm's counts and the totals."""

    def answer(arms: Arms, accepted: Flags, n_arms: int) -> list[float]:
        steps, yes = np.array(arms), np.array(accepted)
        of_arm = [steps == arm for arm in range(n_arms)]
        return [share(yes[each].sum(), each.sum(), len(steps), yes.sum()) for each in of_arm]

    return answer


_rates = _shares(lambda yes, n, *others: yes / n if n else math.nan)


def _chances(levels: Floats, mixing: float) -> list[float]:
    weights = [math.exp(level - max(levels)) for level in levels]
    return [(1 - mixing) * each / sum(weights) + mixing / len(weights) for each in weights]


def _after(reward: Any, weights_alone: bool = False, explores: bool = True) -> Any:
    """Return a function that answers exercise 3.2: an EXP3 step with this reward estimate."""

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
    """Return a function that answers exercise 3.4; `middle` may replace the mean of two arms."""

    def answer(n_b: int, m_b: float, n_a: int, m_a: float) -> Any:
        m = middle(m_b, m_a) if middle else (n_b * m_b + n_a * m_a) / (n_b + n_a)
        return (n_b if counts else 1) * by(m_b, m) + (n_a if counts else 1) * by(m_a, m)

    return answer


def _cost(times: Arms, correct: Flags, censored: Flags, step_cost: float) -> float:
    return mean_cost(np.array(times), np.array(correct) & ~np.array(censored), step_cost)


def _costs(cost: Callable[[Any], float]) -> Any:
    """Return a function that answers exercise 3.5: `cost` of the mean time and success of runs."""

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
        asks="a function of arms, responses and K that returns the acceptance rate of each arm",
        right=_rates,
        cases=[(_ARMS, _YES, 3), ([0, 0, 1, 1], [True, False, False, False], 2), (_ARMS, _YES, 4)],
        shows="the rate is easy to compute, but it does not estimate mu_i: see the next cells.",
    ).with_mistakes(
        "acceptances are divided by all recommendations, t: divide by N_a.",
        _shares(lambda yes, n, t, n_yes: yes / t),
        "acceptances are divided by all acceptances, n(t): divide by N_a.",
        _shares(lambda yes, n, t, n_yes: yes / n_yes),
        "it returns the acceptances S_a: divide them by N_a.",
        _shares(lambda yes, *others: yes),
        "an arm without recommendations gets the rate 0: return math.nan.",
        _shares(lambda yes, n, *others: yes / max(n, 1)),
        "an arm without recommendations gets the rate 1: return math.nan.",
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
            ([1000.0, 999.0, 0.0], 0.25, 0.5, 0, True),  # exp(1000) overflows
        ],
        shows="division by p_a gives every accepted arm the same mean increase of its log-weight.",
        keeps=True,
    ).with_mistakes(
        "the reward is not divided by the probability of the arm.",
        _after(lambda p, yes: yes),
        "the reward is multiplied by the probability of the arm: divide it.",
        _after(lambda p, yes: yes * p),
        "the reward is divided by the arm's share of the weights: divide by p_a, with epsilon.",
        _after(lambda p, yes: yes / p, weights_alone=True),
        "a rejection lowers the weight: in EXP3 it is a reward of 0 and changes no weight.",
        _after(lambda p, yes: (1 if yes else -1) / p),
        "a rejection raises the weight as an acceptance does: use her response.",
        _after(lambda p, yes: 1 / p),
        "an acceptance lowers the weight: the sign is wrong.",
        _after(lambda p, yes: -yes / p),
        "the probabilities returned do not include epsilon.",
        _after(lambda p, yes: yes / p, explores=False),
        "the probabilities add up to more than 1: add epsilon / K to each arm, not epsilon.",
        lambda g, mixing, *rest: np.add(_exp3(g, mixing, *rest), mixing - mixing / len(g)),
        "it returns the probabilities before her response.",
        _after(lambda p, yes: 0.0),
    ),
    # 3.3
    Exercise(
        asks="a function of p and q that returns the divergence kl(p, q) of two Bernoulli laws",
        right=bernoulli_kl,
        cases=[
            *((0.5, 0.25), (0.25, 0.5), (0.9, 0.8), (0.3, 0.3)),
            *((0.0, 0.5), (1.0, 0.5), (1.0, 0.75)),  # 0 log 0 is 0
            *((0.5, 0.0), (0.5, 1.0), (0.0, 1.0)),  # infinite: q excludes an outcome of p
            *((0.0, 0.0), (1.0, 1.0)),
        ],
        shows="the divergence is infinite if q gives probability 0 to an outcome that p allows.",
    ).with_mistakes(
        "p and q are swapped: p, the first argument, is the law of the responses.",
        lambda p, q: bernoulli_kl(q, p),
        "the term of the rejections, with 1 - p, is missing.",
        _part,
        "the logarithm has base 2: take the natural logarithm.",
        lambda p, q: bernoulli_kl(p, q) / math.log(2),
        "it is finite where q gives probability 0 to an outcome that p allows: return math.inf.",
        lambda p, q: _part(p, q, 0.0) + _part(1 - p, 1 - q, 0.0),
        "it is 0 wherever p or q is 0 or 1: only the term 0 log 0 is 0.",
        lambda p, q: bernoulli_kl(p, q) if 0 < q < 1 and 0 < p < 1 else 0.0,
        "the sign is wrong: a divergence is never negative.",
        lambda p, q: -bernoulli_kl(p, q),
    ),
    # 3.4
    Exercise(
        asks="a function of N_b, m_b, N_a and m_a that returns Z, the evidence that b beats a",
        right=transport_cost,
        cases=[(20, 0.9, 10, 0.5), (10, 0.75, 30, 0.25), (50, 1.0, 50, 1.0), (100, 1.0, 4, 0.75)],
        shows="Z measures how unlikely the two rates are if both arms have the same true rate.",
        uses=("3.3",),
    ).with_mistakes(
        "it compares both rates with their unweighted mean: use the pooled rate m.",
        _evidence(middle=lambda m_b, m_a: (m_b + m_a) / 2),
        "it compares one rate with the other: compare each with the pooled rate m.",
        _evidence(middle=lambda m_b, m_a: m_a),
        "the factors N_b and N_a of the divergences are missing.",
        _evidence(counts=False),
        "the arguments of kl are swapped: the law of the responses comes first.",
        _evidence(lambda m, middle: bernoulli_kl(middle, m)),
        "the term of arm a is missing.",
        lambda n, m, n_a, m_a: n * bernoulli_kl(m, (n * m + n_a * m_a) / (n + n_a)),
        "it is the mean evidence per recommendation: Z is the sum over all recommendations.",
        lambda n_b, m_b, n_a, m_a: transport_cost(n_b, m_b, n_a, m_a) / (n_b + n_a),
    ),
    # 3.5
    Exercise(
        asks="a function of times, correct, censored and c that returns the mean cost of a run",
        right=_cost,
        cases=[
            *(([100, 200], [True, right], [False, False], 0.001) for right in (True, False)),
            (_T, _RIGHT, _CUT, 0.001),
            ([100, 300, 1000], [True, False, False], [False, False, True], 0.001),
            (_T, _RIGHT, _CUT, 0.0),
        ],
        shows="stopping too early costs failures, and stopping too late costs steps.",
    ).with_mistakes(
        "a censored run with a correct answer counts as a success: every censored run fails.",
        _costs(lambda of: of.steps + 1 - of.right),
        "censored runs are left out: that favours agents that do not stop.",
        _costs(lambda of: of.ended["steps"] + 1 - of.ended["right"]),
        "the mean number of steps leaves out the censored runs: include them.",
        _costs(lambda of: of.ended["steps"] + 1 - of.won),
        "a censored run with a wrong answer counts as two failures: count one.",
        _costs(lambda of: of.steps + 1 - of.right + of.cut),
        "it adds the success rate: add the failure rate, 1 - success.",
        _costs(lambda of: of.steps + of.won),
        "the failures are missing: an immediate random answer would cost almost nothing.",
        _costs(lambda of: of.steps),
        "it is the total cost of all runs: return the mean per run.",
        _costs(lambda of: of.n * (of.steps + 1 - of.won)),
        "it uses the total number of steps: use the mean over the runs.",
        _costs(lambda of: of.n * of.steps + 1 - of.won),
    ),
)
