"""BAIR's two numbers: how long Phase 1 is, and how many rejections eliminate an arm."""

import math
from typing import Any

from explorative_user_env.validation import InvalidArgumentError, integer, real


def phase1_acceptances(n1: Any, n_arms: int, delta: float, alpha: float, rho_0: float) -> float:
    """Return N_1 = (2K/delta)^(1/alpha)/rho_0 ("paper"), with 2(K-1) ("proof"), or as given.

    Paper, Lemma lm:phase2bound1 and what its proof yields.
    """
    if isinstance(n1, str) and n1 in ("paper", "proof"):
        arms = n_arms if n1 == "paper" else n_arms - 1
        return _named_n1(2 * arms / delta, alpha, rho_0)
    allowed = '"paper", "proof" or a number of at least 0'
    number = real("n1", n1, allowed)
    if number < 0.0:
        raise InvalidArgumentError("n1", n1, allowed)
    return number


def _named_n1(base: float, alpha: float, rho_0: float) -> float:
    large_enough = "large enough for a finite N_1"
    try:
        power = float(base ** (1 / alpha))
    except OverflowError:
        power = math.inf
    if power == math.inf:
        raise InvalidArgumentError("alpha", alpha, large_enough)
    if power / rho_0 == math.inf:
        raise InvalidArgumentError("rho_0", rho_0, large_enough)
    return power / rho_0


def eliminating_rejections(m: Any, n_arms: int, delta: float, noise: float) -> int:
    """Return the m of BAIR(m); without click noise every named choice is 1, one rejection.

    "paper" is 2 log(K/delta), rounded up (the caption of the click-noise table).
    """
    if not isinstance(m, str) or m not in ("paper", "released"):
        try:
            return integer("m", m, 1)
        except InvalidArgumentError:
            allowed = '"paper", "released" or an integer of at least 1'
            raise InvalidArgumentError("m", m, allowed) from None
    if noise == 0.0:
        return 1
    if m == "paper":
        return math.ceil(2 * math.log(n_arms / delta))
    return released_rejections(n_arms, delta)


def released_rejections(n_arms: int, delta: float, multiplier: float = 1.0) -> int:
    """Return the m of the released code, which drops an arm at more rejections than a threshold.

    The threshold is that many times 8 p'(1-p')/(2p'-1)^2 log(2K/delta), with p' = 0.9 fixed; the
    multiplier is an option of its command line.
    """
    threshold = 8 * 0.9 * 0.1 / (2 * 0.9 - 1) ** 2 * math.log(2 * n_arms / delta)
    return math.floor(multiplier * threshold) + 1
