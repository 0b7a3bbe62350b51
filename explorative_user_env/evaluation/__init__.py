"""The harness: any agents on the same users, with figures one can publish."""

from explorative_user_env.evaluation.results import Results
from explorative_user_env.evaluation.runner import evaluate

__all__ = ["Results", "evaluate"]
