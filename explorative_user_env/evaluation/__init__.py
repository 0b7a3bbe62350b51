"""The harness: any agents on the same users, with figures one can publish."""

from explorative_user_env.evaluation.runner import evaluate
from explorative_user_env.results.results import Results

__all__ = ["Results", "evaluate"]
