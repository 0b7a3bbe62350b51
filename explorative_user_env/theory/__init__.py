"""What the paper proves, as numbers with explicit constants.

The upper bounds are of BAIR with one rejection an elimination (m = 1), and of a user without click
noise, whose rewards are Gaussian with unit variance and who has had at most one private draw of
each arm. Where the printed constants are not quite enough, the bound here is derived anew and the
printed one stands beside it under a name of its own.
"""

from explorative_user_env.theory.lower import (
    Condition,
    HardPair,
    characteristic_time,
    general_lower_bound,
    hard_pair,
    lower_bound,
    optimal_weights,
    proof_conditions,
)
from explorative_user_env.theory.upper import (
    Order,
    UpperBound,
    early_rounds_bound,
    elimination_bound,
    iterated_log_band,
    largest_mean_drop,
    phase1_acceptances_bound,
    phase1_acceptances_needed,
    phase1_rejections_bound,
    phase1_rounds_bound,
    phase2_error_bound,
    phase2_length_bound,
    printed_elimination_bound,
    printed_phase1_rejections_bound,
    printed_phase2_length_bound,
    printed_upper_bound,
    upper_bound,
)

__all__ = [
    "Condition",
    "HardPair",
    "Order",
    "UpperBound",
    "characteristic_time",
    "early_rounds_bound",
    "elimination_bound",
    "general_lower_bound",
    "hard_pair",
    "iterated_log_band",
    "largest_mean_drop",
    "lower_bound",
    "optimal_weights",
    "phase1_acceptances_bound",
    "phase1_acceptances_needed",
    "phase1_rejections_bound",
    "phase1_rounds_bound",
    "phase2_error_bound",
    "phase2_length_bound",
    "printed_elimination_bound",
    "printed_phase1_rejections_bound",
    "printed_phase2_length_bound",
    "printed_upper_bound",
    "proof_conditions",
    "upper_bound",
]
