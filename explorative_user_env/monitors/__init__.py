"""Monitors: one run of BAIR with the hidden state in view, held against what the paper proves."""

from explorative_user_env.monitors.broken import broken_table
from explorative_user_env.monitors.check import CLAIMS, Claim, TheoryCheck, check_run
from explorative_user_env.monitors.trace import is_bair

__all__ = ["CLAIMS", "Claim", "TheoryCheck", "broken_table", "check_run", "is_bair"]
