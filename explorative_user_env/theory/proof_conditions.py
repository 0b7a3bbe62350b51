"""What the lower bound's proof takes for granted of its numbers, inequality by inequality."""

import math
from typing import NamedTuple

import numpy as np

from explorative_user_env.theory.hard_instances import HardPair
from explorative_user_env.theory.lower import log_lower_bound
from explorative_user_env.validation import of_class

EVERY_N = 2**17
"""Up to here f(n) is looked at for every n, beyond, where it grows, at a thousand."""


class Condition(NamedTuple):
    """Something that the proof takes for granted of a small enough delta: left < right.

    Attributes:
        where: the equation that needs it, by its label in the paper.
        says: the inequality.
        left: its left-hand side.
        right: its right-hand side.
        holds: whether it is so.
    """

    where: str
    says: str
    left: float
    right: float
    holds: bool


def proof_conditions(pair: HardPair) -> tuple[Condition, ...]:
    """Return every inequality that the proof needs of its numbers, and whether it holds.

    The proof chooses delta "sufficiently small", which can be absurdly small: for K = 2,
    alpha = rho = 1 and c = 1/4 all of them hold from about delta = 5e-13, N_0 = 1.7e9, on. They
    are sufficient, not necessary. The first six are steps of P[B'] > 2^K delta (three are named
    there, N_0^(-1/2) < 1 being true always; d >= sqrt(2) and d <= 2 sqrt(L) are used unsaid), then
    comes what they are for; the last two make the histories one (eq:161 for hopeless arms only).
    """
    of_class("pair", pair, HardPair)
    k, n0, alpha, d = pair.n_arms, pair.n0, pair.alpha, pair.d
    m = n0 - k + 1
    spread = math.sqrt(2.0 * alpha * math.log(pair.rho_1 * n0))
    excess = d - spread
    quarter = n0**-0.25
    theorem = log_lower_bound(pair.delta, alpha, pair.rho_0, pair.c)
    ratio = (pair.rho_0 / pair.rho_1) ** alpha
    factor = ratio * math.exp(-1.5) * pair.delta ** (-alpha * pair.c)
    factor /= 8.0 * math.sqrt(math.pi) * spread / math.sqrt(2.0)
    wide = 4.0 * math.sqrt(math.log(2.0 * n0)) + 2.0 * spread
    widest, widest_earlier = _widths(pair)
    found = [
        ("eq:147", "log N_0 <= log(delta^(-1/alpha+c)/rho_0)", math.log(n0), theorem + 1e-9),
        ("eq:146", "d - sqrt(L) < N_0^(-1/4)", excess, quarter),
        ("eq:147", "N_0^(-1/4) sqrt(L) < 1", quarter * spread, 1.0),
        ("eq:147", "sqrt(2) <= d", math.sqrt(2.0), d),
        ("eq:148", "d <= 2 sqrt(L)", d, 2.0 * spread),
        ("eq:148", "2^K < the factor before delta", 2.0**k, factor),
        ("events", "2^K delta < P[B']", 2.0**k * pair.delta, pair.event_b_prime),
    ]
    if k > 2:
        bounds = "4 sqrt(log 2N_0) + 2 sqrt(L) < 1/delta + 1"
        found.append(("eq:161", bounds, wide, 1.0 / pair.delta + 1.0))
    if m > 1:
        found.append(("eq:162", "f(n) < f(N_0) for K <= n < N_0", widest_earlier, widest))
    return tuple(
        Condition(where, says, left, right, left < right) for where, says, left, right in found
    )


def _widths(pair: HardPair) -> tuple[float, float]:
    """Return f(N_0), and the largest f(n) for K <= n < N_0 (paper, Eq. 162, with rho_1 as rho_t).

    f(n) is how far below the mean of arm 2 a first reward must be to be rejected at n acceptances.
    """
    k, last = pair.n_arms, pair.n0 - 1
    n = np.arange(k, min(last, EVERY_N) + 1, dtype=float)
    if last > EVERY_N:
        n = np.append(n, np.geomspace(EVERY_N, float(last), 1000))
    n = np.append(n, float(pair.n0))
    m = n - k + 1
    root = np.sqrt(np.maximum(0.0, 2.0 * pair.alpha * np.log(pair.rho_1 * n)))
    widths = root * (1.0 + 1.0 / np.sqrt(m)) + 2.0 * np.sqrt(np.log(2.0 * m) / m)
    return float(widths[-1]), float(widths[:-1].max(initial=-math.inf))
