"""The evaluation harness, which runs agents on the same users."""

from explorative_user_env.evaluation.runner import evaluate, sweep
from explorative_user_env.evaluation.transcripts import transcript_of, write_transcripts
from explorative_user_env.results.results import Results, Sweep, load

__all__ = ["Results", "Sweep", "evaluate", "load", "sweep", "transcript_of", "write_transcripts"]
