"""Whole runs of Track-and-Stop, held against its description written down once more."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from pairs import pairs

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.agents import TrackAndStop
from explorative_user_env.agents import track_and_stop as rule
from explorative_user_env.users.population import Setting

SlowWeights = Callable[[Sequence[float]], list[float]]

FIRST, SECOND, THIRD = rule.THRESHOLDS

DELTA = 0.1

THRESHOLDS: dict[str, Callable[[int, int], float]] = {
    FIRST: lambda t, n_arms: math.log((1 + math.log(t)) / DELTA),
    SECOND: lambda t, n_arms: math.log(2 * t * (n_arms - 1) / DELTA),
    THIRD: lambda t, n_arms: math.log(t / DELTA),
}


def log_likelihood(accepted: int, recommended: int, mean: Fraction) -> float:
    rejected = recommended - accepted
    return (accepted and accepted * math.log(mean)) + (rejected and rejected * math.log(1 - mean))


class Reference:
    """Track-and-Stop from its description, with exact rates and a slow solver."""

    def __init__(
        self,
        n_arms: int,
        slow_weights: SlowWeights,
        threshold: str = FIRST,
        primed: bool = False,
        tied: str = "random",
    ) -> None:
        self.n_arms = n_arms
        self.slow_weights = slow_weights
        self.threshold = THRESHOLDS[threshold]
        self.tied = tied
        self.recommended = [int(primed)] * n_arms
        self.accepted = [int(primed)] * n_arms
        self.kinds = Counter[str]()

    def evidence(self, leader: int) -> float:
        """The generalised likelihood ratio of the leader against the arm nearest to it."""
        n, s = self.recommended, self.accepted
        ratios = []
        for arm in range(self.n_arms):
            if arm != leader:
                both = Fraction(s[leader] + s[arm], n[leader] + n[arm])
                apart = sum(log_likelihood(s[a], n[a], Fraction(s[a], n[a])) for a in (leader, arm))
                ratios.append(apart - sum(log_likelihood(s[a], n[a], both) for a in (leader, arm)))
        return min(ratios)

    def allowed(self) -> set[int | None]:
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
        weights = self.slow_weights([float(rate) for rate in rates])
        behind = [t * weight - k for weight, k in zip(weights, n, strict=True)]
        chosen = {arm for arm, distance in enumerate(behind) if distance > max(behind) - 1e-6 * t}
        self.kinds["tracked" if len(chosen) == 1 else "tracked, unclear"] += 1
        return {*chosen}

    def observe(self, arm: int, accepted: bool) -> None:
        self.recommended[arm] += 1
        self.accepted[arm] += accepted


def follow(
    reference: Reference, respond: Callable[[int, int], bool], n_steps: int, **options: Any
) -> None:
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
def test_runs_with_real_users_are_those_of_the_description(
    setting: Setting, n_arms: int, primed: bool, tied: str, slow_weights: SlowWeights
) -> None:
    env = ExplorativeUserEnv(n_arms, setting=setting, gap=0.3, noise=0.1)
    env.reset(seed=n_arms)
    reference = Reference(n_arms, slow_weights, FIRST, primed, tied)
    follow(
        reference,
        lambda step, arm: bool(env.step(arm)[0]),
        n_steps=300,
        primed=primed,
        tied=tied,
    )
    assert reference.kinds["tracked"] > 10 * reference.kinds["tracked, unclear"]


@pytest.mark.parametrize("threshold", rule.THRESHOLDS)
@pytest.mark.parametrize("chances", [(0.9, 0.3), (0.2, 0.7, 0.4, 0.1)])
def test_runs_with_independent_responses_are_those_of_the_description(
    threshold: str, chances: tuple[float, ...], slow_weights: SlowWeights
) -> None:
    rng = np.random.default_rng(7)
    reference = Reference(len(chances), slow_weights, threshold)
    follow(
        reference,
        lambda step, arm: bool(rng.random() < chances[arm]),
        n_steps=2000,
        threshold=threshold,
    )
    assert reference.kinds["stop"] == 1
    assert reference.kinds["tracked"] > 0
