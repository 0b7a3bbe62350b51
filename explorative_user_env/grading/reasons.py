"""What can become of a submission, and the reasons that are given; the grader alone says them."""

import re
import signal
from enum import StrEnum


class GradingOutcome(StrEnum):
    """What became of a submission."""

    GRADED = "graded"
    FAILED = "failed"
    STOPPED = "stopped"
    CHEATED = "cheated"


CHEATS = {
    "memory": "it searches the memory of its process",
    "frames": "it looks into the frames of the code that calls it",
    "files": "it reaches for a file that is not its own",
    "processes": "it starts another process",
    "network": "it uses the network",
    "signals": "it sends signals to processes",
    "limits": "it changes its own limits",
    "code": "it reaches past Python, or changes the code of functions",
    "package": "it patches the package",
    "channel": "it writes to the channel that its arms are told by",
    "score": "it prints a score of its own",
    "rewards": "it asks for rewards, which no agent may see",
}
"""Why a submission counts as a cheat, by a word."""

CLAIM = re.compile(
    r"""^\s*(?:(?:final|total|my)\s+)?(?:score|points|grade|marks?)\s*[:=]\s*[\d.]+\s*
    (?:(?:/|%|out\ of|points).*)?$
    | ^\s*\{.*["'](?:score|points|grade|leaderboard)["']\s*:.*""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""A printed line that passes for a result: `score: 100`, or JSON that has one."""


class SubmissionError(Exception):
    """A submission got no further.

    Attributes:
        outcome: what became of it.
        reason: why, in words.
    """

    def __init__(self, outcome: GradingOutcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome, self.reason = outcome, reason


def claimed_score(output: str) -> str | None:
    """Return the line of some output that passes for a result; None if there is none."""
    found = CLAIM.search(output)
    return found[0].strip() if found else None


def ending(code: int) -> str:
    """Return in words how a process ended by itself."""
    if code >= 0:
        return f"it ended its own process (exit code {code})"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    why = {"SIGXCPU": " for it took too much processor time", "SIGKILL": " perhaps for memory"}
    return f"its process was ended by {name}{why.get(name, '')}"
