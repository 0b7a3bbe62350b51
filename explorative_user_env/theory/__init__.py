"""What the paper proves, as numbers with explicit constants.

The upper bounds are of BAIR with one rejection an elimination (m = 1), and of a user without click
noise, whose rewards are Gaussian with unit variance and who has had at most one private draw of
each arm. Where the printed constants are not quite enough, the bound here is derived anew and the
printed one stands beside it under a name of its own.
"""

from explorative_user_env.theory.lower import general_lower_bound, hard_pair, lower_bound
from explorative_user_env.theory.upper import (
    phase1_acceptances_needed,
    phase2_error_bound,
    printed_upper_bound,
    upper_bound,
)

__all__ = [
    "general_lower_bound",
    "hard_pair",
    "lower_bound",
    "phase1_acceptances_needed",
    "phase2_error_bound",
    "printed_upper_bound",
    "upper_bound",
]
