"""The users of the lower bound whom tests of several files meet."""

import math

from explorative_user_env.seeding import user_seeds
from explorative_user_env.theory import HardPair, hard_pair

SEEDS = user_seeds(11, 4000)


def four_errors(share: float, n: int) -> float:
    """Return four standard errors of a share in `n` users, which a measured one may be off."""
    return 4 * math.sqrt(share * (1 - share) / n)


def noticing_pair() -> HardPair:
    """Return a pair with so small an alpha and N_0 that what the bound says can be measured."""
    return hard_pair(0.1, alpha=0.25, n0=10, gap=0.5)
