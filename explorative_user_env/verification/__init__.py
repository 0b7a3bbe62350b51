"""Whether somebody's results are what comes out: a random part of their rows is run again."""

from explorative_user_env.verification.findings import Finding, Verification
from explorative_user_env.verification.run import verify

__all__ = ["Finding", "Verification", "verify"]
