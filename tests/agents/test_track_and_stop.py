"""Track-and-Stop held against its description written down once more, with exact rates."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from pairs import pairs

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.agents import TrackAndStop
from explorative_user_env.agents import track_and_stop as rule
from explorative_user_env.agents.optimal_weights import blank_solver, characteristic_weights
from explorative_user_env.protocol import STOP

DELTA = 0.1

FORMULAS = [
    lambda t, n_arms: math.log((1 + math.log(t)) / DELTA),
    lambda t, n_arms: math.log(2 * t * (n_arms - 1) / DELTA),
    lambda t, n_arms: math.log(t / DELTA),
]
THRESHOLDS = dict(zip(rule.THRESHOLDS, FORMULAS, strict=True))
FIRST = rule.THRESHOLDS[0]


def log_likelihood(accepted, recommended, mean):
    rejected = recommended - accepted
    return (accepted and accepted * math.log(mean)) + (rejected and rejected * math.log(1 - mean))


def weights_of(rates, leader):
    """The characteristic weights, from nothing; test_optimal_weights.py says that they are."""
    solver = blank_solver(len(rates))
    characteristic_weights([float(rate) for rate in rates], leader, solver)
    return solver.weights


class Reference:
    """With exact rates, and all found anew at each step."""

    def __init__(self, n_arms, threshold=FIRST, primed=False, tied="random"):
        self.n_arms, self.threshold, self.tied = n_arms, THRESHOLDS[threshold], tied
        self.recommended = [int(primed)] * n_arms
        self.accepted = [int(primed)] * n_arms
        self.kinds = Counter[str]()

    def evidence(self, leader):
        """The generalised likelihood ratio of the leader against the arm nearest to it."""
        n, s = self.recommended, self.accepted
        ratios = []
        for arm in range(self.n_arms):
            if arm != leader:
                both = Fraction(s[leader] + s[arm], n[leader] + n[arm])
                apart = sum(log_likelihood(s[a], n[a], Fraction(s[a], n[a])) for a in (leader, arm))
                ratios.append(apart - sum(log_likelihood(s[a], n[a], both) for a in (leader, arm)))
        return min(ratios)

    def allowed(self):
        """The decisions the description allows now; None is to stop."""
        n, t = self.recommended, sum(self.recommended)
        if t < self.n_arms:
            self.kinds["once each"] += 1
            return {t}
        rates = [Fraction(s, k) for s, k in zip(self.accepted, n, strict=True)]
        top = [arm for arm, rate in enumerate(rates) if rate == max(rates)]
        if len(top) > 1:
            self.kinds["tied"] += 1
            return {min(top, key=n.__getitem__)} if self.tied == "least recommended" else {*top}
        if self.evidence(top[0]) > self.threshold(t, self.n_arms):
            self.kinds["stop"] += 1
            return {None}
        if min(n) <= math.sqrt(t) - self.n_arms / 2:
            self.kinds["forced"] += 1
            return {n.index(min(n))}
        weights = weights_of(rates, top[0])
        behind = [t * weight - k for weight, k in zip(weights, n, strict=True)]
        chosen = {arm for arm, distance in enumerate(behind) if distance > max(behind) - 1e-6 * t}
        self.kinds["tracked" if len(chosen) == 1 else "tracked, unclear"] += 1
        return chosen

    def observe(self, arm, accepted):
        self.recommended[arm] += 1
        self.accepted[arm] += accepted


def follow(reference, respond, n_steps, **options):
    """Compare every decision of a run with those allowed."""
    agent = TrackAndStop(delta=DELTA, **options)
    agent.reset(reference.n_arms, np.random.default_rng(0))
    for step in range(n_steps):
        arm = agent.act()
        assert arm in reference.allowed(), f"step {step}"
        if arm is None:
            rates = list(map(Fraction, reference.accepted, reference.recommended))
            assert agent.answer() == rates.index(max(rates))
            return
        accepted = respond(step, arm)
        agent.observe(arm, accepted)
        reference.observe(arm, accepted)


@pairs(n_arms=[2, 5], primed=[False, True], tied=["random", "least recommended"])
def test_runs_with_users_are_those_of_the_description(setting, n_arms, primed, tied):
    env = ExplorativeUserEnv(n_arms, setting=setting, gap=0.3, noise=0.1)
    env.reset(seed=n_arms)
    reference = Reference(n_arms, FIRST, primed, tied)
    respond = lambda step, arm: bool(env.step(arm)[0])  # noqa: E731
    follow(reference, respond, n_steps=200, primed=primed, tied=tied)
    assert reference.kinds["tracked"] > 10 * reference.kinds["tracked, unclear"]


@pytest.mark.parametrize("threshold", rule.THRESHOLDS)
def test_runs_with_independent_responses_are_those_of_the_description(threshold):
    rng = np.random.default_rng(7)
    for chances in ((0.9, 0.3), (0.2, 0.7, 0.4, 0.1)):
        reference = Reference(len(chances), threshold)
        respond = lambda step, arm, of=chances: bool(rng.random() < of[arm])  # noqa: E731
        follow(reference, respond, n_steps=2000, threshold=threshold)
        assert reference.kinds["stop"] == 1
        assert reference.kinds["tracked"] > 0
        assert (reference.kinds["forced"] > 0) == (len(chances) > 2)


def counted(accepted, recommended, **options):
    """The agent's state when it has seen these numbers."""
    params = TrackAndStop(delta=DELTA, **options).params(len(accepted), None)
    state = rule.blank(params)
    rule.start(params, state, np.random.default_rng(0))
    state.accepted[:] = accepted
    state.recommended[:] = recommended
    state.rates[:] = [s / n for s, n in zip(accepted, recommended, strict=True)]
    state.steps[0] = sum(recommended)
    state.leader[0] = state.neglected[0] = -1  # as these are to be found from the numbers
    return params, state


def decisions(accepted, recommended):
    """What the agent does when it has seen these numbers, a thousand times."""
    rng = np.random.default_rng(0)
    params, state = counted(accepted, recommended)
    return Counter(rule.act(params, state, rng) for _ in range(1000))


def test_rates_are_compared_exactly_and_tied_leaders_are_equally_likely():
    for accepted, recommended, top in [
        ([1, 2, 333_333_333], [3, 6, 999_999_999], {0, 1, 2}),
        ([1, 333_333_333], [3, 1_000_000_000], {0}),
        ([299_999_999, 300_000_000], [599_999_999, 600_000_001], {1}),  # equal as floats
        ([3, 1, 30, 0], [10, 4, 100, 1], {0, 2}),
        ([0, 0, 0], [5, 900, 7], {0, 1, 2}),
        ([200, 400, 0, 2000], [400, 800, 500, 4000], {0, 1, 3}),  # no test is made
    ]:
        assert rule.leader_of(counted(accepted, recommended)[1]) == (min(top), len(top))
        if len(top) > 1:
            chosen = decisions(accepted, recommended)
            assert set(chosen) == top
            # Five standard deviations of a half or a third of 1000 are 79 and 75.
            assert all(abs(count - 1000 / len(top)) < 79 for count in chosen.values())


def test_it_stops_or_recommends_the_first_of_the_arms_that_lag_behind_most():
    assert decisions([0, 400, 0], [400, 400, 400]) == {STOP: 1000}
    assert decisions([18, 2, 2, 2], [20, 5, 5, 5]) == {1: 1000}
    assert decisions([18, 2, 2, 2], [20, 6, 5, 6]) == {2: 1000}


def test_the_answer_has_the_highest_rate_and_of_those_most_acceptances():
    for accepted, recommended, ties, answers in [
        ([9, 2, 1], [30, 6, 2], "random", {2}),
        ([2, 20, 4, 20], [4, 40, 8, 40], "random", {1, 3}),
        ([2, 20, 4, 20], [4, 40, 8, 40], "first", {1}),
        ([0, 0, 0], [3, 4, 5], "random", {0, 1, 2}),
        ([8, 30], [10, 40], "random", {0}),
    ]:
        params, state = counted(accepted, recommended, ties=ties)
        rng = np.random.default_rng(0)
        given = Counter(rule.verdict(params, state, rng) for _ in range(99))
        assert set(given) == answers


def test_who_leads_and_who_is_neglected_is_known_as_if_all_arms_were_compared():
    seen = Counter[str]()
    for n_arms, chance in itertools.product((2, 8), (0.0, 0.3, 0.9, 1.0)):
        rng = np.random.default_rng(n_arms)
        params, state = counted([1] * n_arms, [2] * n_arms)
        for _ in range(150):
            rule.act(params, state, rng)  # finds what is not known
            rule.observe(params, state, int(rng.integers(n_arms)), bool(rng.random() < chance))
            rates = [Fraction(s, n) for s, n in zip(state.accepted, state.recommended, strict=True)]
            if state.leader[0] >= 0:
                found = (state.leader[0], state.n_tied[0])
                assert found == (rates.index(max(rates)), rates.count(max(rates)))
                seen["several" if found[1] > 1 else "one"] += 1
            if state.neglected[0] >= 0:
                assert state.neglected[0] == state.recommended.index(min(state.recommended))
                seen["neglected"] += 1
    assert min(seen["several"], seen["one"], seen["neglected"]) > 60, seen
