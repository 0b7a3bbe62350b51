"""The harness: any agents on the same users, with figures one can publish."""

from explorative_user_env.evaluation.grid import sweep
from explorative_user_env.evaluation.runner import evaluate
from explorative_user_env.evaluation.transcripts import transcript_of, write_transcripts
from explorative_user_env.evaluation.workforce import Workforce
from explorative_user_env.results.loading import load
from explorative_user_env.results.results import Results
from explorative_user_env.results.sweep import Sweep

__all__ = [
    "Results",
    "Sweep",
    "Workforce",
    "evaluate",
    "load",
    "sweep",
    "transcript_of",
    "write_transcripts",
]
