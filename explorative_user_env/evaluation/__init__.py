"""The evaluation harness, which runs agents on the same users."""

from explorative_user_env.evaluation.runner import evaluate, sweep
from explorative_user_env.evaluation.transcripts import (
    calls_of,
    system_text,
    transcript_of,
    write_transcripts,
)
from explorative_user_env.results.results import Results, Sweep, load

# fmt: off
__all__ = [
    "Results", "Sweep", "calls_of", "evaluate", "load", "sweep", "system_text", "transcript_of",
    "write_transcripts",
]
# fmt: on
