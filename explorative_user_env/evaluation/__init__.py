"""The harness: any agents on the same users, with figures one can publish."""

from explorative_user_env.evaluation.runner import evaluate, sweep
from explorative_user_env.evaluation.transcripts import transcript_of, write_transcripts
from explorative_user_env.results.results import Results, Sweep, load

__all__ = ["Results", "Sweep", "evaluate", "load", "sweep", "transcript_of", "write_transcripts"]
