"""Whether an agent can be watched: what it says of itself can be shown, and asking changes nothing.

One that has no `explain()` says nothing, and that is all right.
"""

from explorative_user_env.explanations import explanation_of
from explorative_user_env.testing.checks import FailedCheckError, NotAskedError, Subject
from explorative_user_env.testing.meetings import Meeting, expect_alike, run_of, situations
from explorative_user_env.validation import CallableError


def says_what_can_be_shown(subject: Subject) -> None:
    """What explain() returns are numbers, words, K numbers or an Against, at every step."""
    _must_explain(subject)
    for situation in situations(subject):
        meeting = Meeting(subject.make(), situation)
        for step in range(situation.cap + 1):
            try:
                explanation_of(meeting.agent, situation.n_arms)
            except CallableError as error:
                raise FailedCheckError(f"{error.told} (after step {step}: {situation})") from error
            meeting.go_on(1)


def explains_without_a_trace(subject: Subject) -> None:
    """Asked after every step what it thinks, it does what it does when nobody asks."""
    _must_explain(subject)
    for situation in situations(subject):
        meeting = Meeting(subject.make(), situation)
        for _ in range(situation.cap):
            explanation_of(meeting.agent, situation.n_arms)
            meeting.go_on(1)
        when = "while it was asked to explain()"
        expect_alike(meeting.end(), run_of(subject.make(), situation), situation, when)


def _must_explain(subject: Subject) -> None:
    if not callable(getattr(subject.make(), "explain", None)):
        raise NotAskedError("it has no explain()")
