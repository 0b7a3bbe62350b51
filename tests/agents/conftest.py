"""What the tests of the agents share: agents, scripted responses and slow references."""

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy import optimize

from explorative_user_env.agents import AGENTS, ALGORITHMS, CARRIERS, REFERENCES, AlgorithmAgent
from explorative_user_env.protocol import Agent

Respond = Callable[[int, int], bool]
"""The response to (step, arm)."""


@pytest.fixture(params=sorted(ALGORITHMS))
def make(request: pytest.FixtureRequest) -> Callable[..., AlgorithmAgent]:
    """What makes an agent, each of the package's in turn; SE is BAIR by another name."""
    return (AGENTS | REFERENCES | CARRIERS)[request.param]


def _drive(
    agent: Agent,
    n_arms: int,
    respond: Respond,
    n_steps: int = 10_000,
    seed: int = 0,
    horizon: int | None = None,
) -> list[int]:
    agent.reset(n_arms, np.random.default_rng(seed), horizon)
    arms: list[int] = []
    while len(arms) < n_steps:
        arm = agent.act()
        if arm is None:
            break
        agent.observe(arm, respond(len(arms), arm))
        arms.append(arm)
    return arms


@pytest.fixture(scope="session")
def drive() -> Callable[..., list[int]]:
    """Run an agent on scripted responses: the arms it recommended until it stopped."""
    return _drive


def _exact_kl(p: float, q: float) -> Decimal:
    """kl(p, q) of the very floats p and q, with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        total = Decimal(0)
        for a, b in ((Decimal(p), Decimal(q)), (1 - Decimal(p), 1 - Decimal(q))):
            if a > 0:
                if b == 0:
                    return Decimal("inf")
                total += a * (a / b).ln()
        return +total


@pytest.fixture(scope="session")
def exact_kl() -> Callable[[float, float], Decimal]:
    """The Bernoulli divergence in 60-digit arithmetic."""
    return _exact_kl


def _plain_kl(p: float, q: float) -> float:
    total = 0.0
    for a, change in ((p, q - p), (1.0 - p, p - q)):
        if a > 0.0:
            total -= a * math.log1p(change / a)
    return total


def _slow_weights(means: Sequence[float]) -> list[float]:
    """Theorem 5 of Garivier and Kaufmann by root finding inside root finding.

    The unknown of each inner search is the mean mu_k between m_k and m_b, not the ratio x_k.
    """
    best = max(range(len(means)), key=means.__getitem__)
    top = means[best]
    others = [mean for arm, mean in enumerate(means) if arm != best]

    def ratio(mu: float, other: float) -> float:
        return (top - mu) / (mu - other)

    def mean_at(level: float, other: float) -> float:
        def gap(mu: float) -> float:
            return _plain_kl(top, mu) + ratio(mu, other) * _plain_kl(other, mu) - level

        width = top - other
        ends = (other + 1e-11 * width, top - 1e-11 * width)
        return float(optimize.brentq(gap, *ends, xtol=1e-15, rtol=1e-14))

    def excess(level: float) -> float:
        mus = [mean_at(level, other) for other in others]
        return (
            sum(
                _plain_kl(top, mu) / _plain_kl(other, mu)
                for mu, other in zip(mus, others, strict=True)
            )
            - 1.0
        )

    # kl(m_b, 0) is infinite; the level sought is then at most 2 log 2 m_b, as for the arms m_b, 0.
    ceiling = min(_plain_kl(top, other) if other > 0.0 else 2.0 * top for other in others)
    level = optimize.brentq(excess, 1e-3 * ceiling, (1.0 - 1e-6) * ceiling, xtol=1e-15, rtol=1e-14)
    ratios = [
        1.0 if arm == best else ratio(mean_at(level, mean), mean) for arm, mean in enumerate(means)
    ]
    return [value / sum(ratios) for value in ratios]


@pytest.fixture(scope="session")
def slow_weights() -> Callable[[Sequence[float]], list[float]]:
    """The characteristic weights, slowly; for means that are not nearly tied."""
    return _slow_weights
