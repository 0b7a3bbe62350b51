"""Wrong answers to notebook 3, as students write them, are each told what is wrong with them."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.special import rel_entr
from wrong_answers import assert_told, assert_told_apart, each_of

from explorative_user_env import ExplorativeUserEnv, rollout
from explorative_user_env.agents import EXP3, TrackAndStop
from explorative_user_env.teach import exercises_of

Floats = list[float]


def over_t(arms: Any, accepted: Any, n_arms: int) -> Any:
    yes = Counter(arm for arm, said in zip(arms, accepted, strict=True) if said)
    return [yes[arm] / len(arms) for arm in range(n_arms)]


def over_acceptances(arms: Any, accepted: Any, n_arms: int) -> Any:
    chosen = np.array(arms)[np.array(accepted)]
    return np.bincount(chosen, minlength=n_arms) / len(chosen)


def no_rates(arms: Any, accepted: Any, n_arms: int) -> Any:
    return np.bincount(arms, weights=accepted, minlength=n_arms)


def unknown_is_bad(arms: Any, accepted: Any, n_arms: int) -> Any:
    asked = np.bincount(arms, minlength=n_arms)
    return np.bincount(arms, weights=accepted, minlength=n_arms) / np.maximum(asked, 1)


def optimistic(arms: Any, accepted: Any, n_arms: int) -> Any:
    rates = [1.0] * n_arms
    for arm in set(arms):
        said = [yes for each, yes in zip(arms, accepted, strict=True) if each == arm]
        rates[arm] = sum(said) / len(said)
    return rates


def divided(arms: Any, accepted: Any, n_arms: int) -> Any:
    return [
        sum(yes for each, yes in zip(arms, accepted, strict=True) if each == arm) / arms.count(arm)
        for arm in range(n_arms)
    ]


def softmax(levels: Any, epsilon: float = 0.0) -> Any:
    weights = np.exp(np.array(levels) - max(levels))
    return (1 - epsilon) * weights / weights.sum() + epsilon / len(weights)


def not_weighted(g: Floats, epsilon: float, gamma: float, arm: int, accepted: bool) -> Any:
    g[arm] += gamma * accepted  # which writes into the list, and changes nothing for the next
    return softmax(g, epsilon)


def times_p(g: Floats, epsilon: float, gamma: float, arm: int, accepted: bool) -> Any:
    g[arm] += gamma * accepted * softmax(g, epsilon)[arm]
    return softmax(g, epsilon)


def by_the_weight(g: Floats, epsilon: float, gamma: float, arm: int, accepted: bool) -> Any:
    g[arm] += gamma * accepted / softmax(g)[arm]
    return softmax(g, epsilon)


def punishes(g: Floats, epsilon: float, gamma: float, arm: int, accepted: bool) -> Any:
    g[arm] += gamma * (1 if accepted else -1) / softmax(g, epsilon)[arm]
    return softmax(g, epsilon)


def deaf(g: Floats, epsilon: float, gamma: float, arm: int, accepted: bool) -> Any:
    g[arm] += gamma / softmax(g, epsilon)[arm]
    return softmax(g, epsilon)


def a_loss(g: Floats, epsilon: float, gamma: float, arm: int, accepted: bool) -> Any:
    g[arm] -= gamma * accepted / softmax(g, epsilon)[arm]
    return softmax(g, epsilon)


def never_explores(g: Floats, epsilon: float, gamma: float, arm: int, accepted: bool) -> Any:
    g[arm] += gamma * accepted / softmax(g, epsilon)[arm]
    return softmax(g)


def whole_epsilon(g: Floats, epsilon: float, gamma: float, arm: int, accepted: bool) -> Any:
    g[arm] += gamma * accepted / softmax(g, epsilon)[arm]
    return (1 - epsilon) * softmax(g) + epsilon


def as_before(g: Floats, epsilon: float, gamma: float, arm: int, accepted: bool) -> Any:
    return list(softmax(g, epsilon))


def overflows(g: Floats, epsilon: float, gamma: float, arm: int, accepted: bool) -> Any:
    def chances() -> Any:
        weights = [math.exp(level) for level in g]
        return [(1 - epsilon) * w / sum(weights) + epsilon / len(g) for w in weights]

    g[arm] += gamma * accepted / chances()[arm]
    return chances()


def swapped(p: float, q: float) -> Any:
    return rel_entr(q, p) + rel_entr(1 - q, 1 - p)


def acceptances_only(p: float, q: float) -> Any:
    return rel_entr(p, q)


def in_bits(p: float, q: float) -> Any:
    return (rel_entr(p, q) + rel_entr(1 - p, 1 - q)) / math.log(2)


def finite(p: float, q: float) -> Any:
    total = 0.0
    if p > 0 and q > 0:
        total += p * math.log(p / q)
    if p < 1 and q < 1:
        total += (1 - p) * math.log((1 - p) / (1 - q))
    return total


def nothing_at_the_border(p: float, q: float) -> Any:
    if p in (0, 1) or q in (0, 1):
        return 0
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def negative(p: float, q: float) -> Any:
    return -(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


def kl(p: float, q: float) -> float:
    return float(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


def halfway(n_b: int, m_b: float, n_a: int, m_a: float) -> float:
    m = (m_b + m_a) / 2
    return n_b * kl(m_b, m) + n_a * kl(m_a, m)


def one_another(n_b: int, m_b: float, n_a: int, m_a: float) -> float:
    return n_b * kl(m_b, m_a)


def without_numbers(n_b: int, m_b: float, n_a: int, m_a: float) -> float:
    m = (n_b * m_b + n_a * m_a) / (n_b + n_a)
    return kl(m_b, m) + kl(m_a, m)


def kl_swapped(n_b: int, m_b: float, n_a: int, m_a: float) -> float:
    m = (n_b * m_b + n_a * m_a) / (n_b + n_a)
    return n_b * kl(m, m_b) + n_a * kl(m, m_a)


def b_alone(n_b: int, m_b: float, n_a: int, m_a: float) -> float:
    return n_b * kl(m_b, (n_b * m_b + n_a * m_a) / (n_b + n_a))


def for_each_step(n_b: int, m_b: float, n_a: int, m_a: float) -> float:
    m = np.average([m_b, m_a], weights=[n_b, n_a])
    return float(np.average([kl(m_b, m), kl(m_a, m)], weights=[n_b, n_a]))


def guesses_count(times: Any, correct: Any, censored: Any, step_cost: float) -> Any:
    return step_cost * np.mean(times) + 1 - np.mean(correct)


def fails_twice(times: Any, correct: Any, censored: Any, step_cost: float) -> Any:
    return step_cost * np.mean(times) + 1 - np.mean(correct) + np.mean(censored)


def drops_them(times: Any, correct: Any, censored: Any, step_cost: float) -> Any:
    kept = ~np.array(censored)
    return step_cost * np.array(times)[kept].mean() + 1 - np.array(correct)[kept].mean()


def drops_their_steps(times: Any, correct: Any, censored: Any, step_cost: float) -> Any:
    ended = ~np.array(censored)
    return step_cost * np.array(times)[ended].mean() + 1 - np.mean(np.array(correct) & ended)


def success_costs(times: Any, correct: Any, censored: Any, step_cost: float) -> Any:
    return step_cost * np.mean(times) + np.mean(np.array(correct) & ~np.array(censored))


def time_alone(times: Any, correct: Any, censored: Any, step_cost: float) -> Any:
    return step_cost * sum(times) / len(times)


def of_all_runs(times: Any, correct: Any, censored: Any, step_cost: float) -> Any:
    failed = [not yes or cut for yes, cut in zip(correct, censored, strict=True)]
    return step_cost * sum(times) + sum(failed)


def all_steps(times: Any, correct: Any, censored: Any, step_cost: float) -> Any:
    failed = [not yes or cut for yes, cut in zip(correct, censored, strict=True)]
    return step_cost * sum(times) + sum(failed) / len(failed)


WRONG = [
    ("3.1", over_t, "by all recommendations, t"),
    ("3.1", over_acceptances, "by all acceptances, n(t)"),
    ("3.1", no_rates, "the acceptances S_a themselves"),
    ("3.1", unknown_is_bad, "has the rate 0 here"),
    ("3.1", optimistic, "has the rate 1 here"),
    ("3.1", divided, "it fails with ZeroDivisionError"),
    ("3.2", not_weighted, "the reward is not divided"),
    ("3.2", times_p, "the reward is multiplied"),
    ("3.2", by_the_weight, "by the share of the arm's weight"),
    ("3.2", punishes, "a rejection lowers a weight"),
    ("3.2", deaf, "her response is not looked at"),
    ("3.2", a_loss, "the sign is wrong"),
    ("3.2", never_explores, "epsilon is missing in the end"),
    ("3.2", whole_epsilon, "epsilon is added to every arm whole"),
    ("3.2", as_before, "before her response"),
    ("3.2", overflows, "it fails with OverflowError"),
    ("3.3", swapped, "p and q are swapped"),
    ("3.3", acceptances_only, "only acceptances count"),
    ("3.3", in_bits, "it has the base 2"),
    ("3.3", finite, "it is finite where the second law"),
    ("3.3", nothing_at_the_border, "only 0 log 0 is 0"),
    ("3.3", negative, "its sign is wrong"),
    ("3.4", halfway, "the point halfway"),
    ("3.4", one_another, "compared with one another"),
    ("3.4", without_numbers, "without the numbers of recommendations"),
    ("3.4", kl_swapped, "the arguments of kl are swapped"),
    ("3.4", b_alone, "the part of the arm a is missing"),
    ("3.4", for_each_step, "the evidence of one recommendation"),
    ("3.5", guesses_count, "whose best guess happens to be right"),
    ("3.5", fails_twice, "whose best guess is wrong counts as two failures"),
    ("3.5", drops_them, "censored runs are left out"),
    ("3.5", drops_their_steps, "their steps are left out"),
    ("3.5", success_costs, "success is added"),
    ("3.5", time_alone, "errors are missing"),
    ("3.5", of_all_runs, "the cost of all runs together"),
    ("3.5", all_steps, "the steps of all runs are added up"),
]


@each_of(WRONG)
def test_a_wrong_answer_is_told_what_is_wrong(number: str, answer: Any, words: str) -> None:
    assert_told(number, answer, words)


def test_each_is_told_something_of_its_own() -> None:
    assert_told_apart(WRONG)


RATES, NEXT_CHANCES, KL, EVIDENCE, COST = (one.right for one in exercises_of(3))


def test_the_probabilities_are_those_of_exp3_in_a_run() -> None:
    episode = rollout(ExplorativeUserEnv(n_arms=3), EXP3(horizon=100), seed=3)
    epsilon, gamma = math.sqrt(3 * math.log(3) / 100), math.sqrt(math.log(3) / (3 * 100))
    weights, chances = [0.0] * 3, [1 / 3] * 3
    for moment in episode.film(reveal=False).moments[1:]:
        arm, accepted = moment.seen.last or (0, False)
        after = NEXT_CHANCES(weights, epsilon, gamma, arm, accepted)
        weights[arm] += gamma * accepted / chances[arm]
        chances = after
        assert chances == pytest.approx(moment.said["chance"])
    assert min(weights) > 0.0
    assert 0 < episode.rejections < 50


def test_the_evidence_is_what_stops_track_and_stop() -> None:
    episode = rollout(ExplorativeUserEnv(n_arms=3), TrackAndStop(delta=0.1), seed=2)
    margins = []
    for t in (episode.stopping_time - 1, episode.stopping_time):
        arms, accepted = episode.arms[:t], episode.accepted[:t]
        rates = RATES(list(arms), list(accepted), 3)
        leader = int(np.argmax(rates))
        against = [
            EVIDENCE(arms.count(leader), rates[leader], arms.count(arm), rates[arm])
            for arm in range(3)
            if arm != leader
        ]
        margins.append(min(against) - math.log((1 + math.log(t)) / 0.1))
    assert margins[0] <= 0.0 < margins[1]
    assert leader == episode.answer


def test_the_cost_counts_all_steps_and_successes_that_have_stopped() -> None:
    correct, censored = [True, False, True, True], [False, False, False, True]
    assert COST([100, 200, 300, 1000], correct, censored, 0.001) == pytest.approx(0.4 + 0.5)
