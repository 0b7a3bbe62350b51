"""The agent of a submission as `evaluate` sees it: whoever is asked sits in another process."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorative_user_env.grading import wire
from explorative_user_env.grading.apart import Apart
from explorative_user_env.grading.inside import NO_VALUE
from explorative_user_env.grading.reasons import CHEATS, GradingOutcome, SubmissionError


class SubmittedAgent:
    """Has the four methods of an agent, and asks the process of a submission for each.

    The user's response is told together with the question for the next arm: a step is one message
    there and one back.

    Args:
        process: where the agent is, started.
        told: what it says of itself.

    Attributes:
        failure: why it got no further, once it did not.

    Raises:
        SubmissionError: for what no agent may say.
    """

    def __init__(self, process: Apart, told: Mapping[str, Any]) -> None:
        self.name = str(told.get("name"))
        self.max_steps = _cap(told.get("max_steps"))
        self.needs_horizon = told.get("needs_horizon") is True
        self.failure: SubmissionError | None = None
        self._process = process
        self._awaits_arm = False
        self._n_arms, self._n_steps, self._n_users = 0, 0, 0
        if told.get("sees_rewards") is not False:
            raise SubmissionError(GradingOutcome.CHEATED, CHEATS["rewards"])

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Hand on that there is a new user, and the agent's own stream."""
        self._n_arms, self._n_steps = n_arms, 0
        self._n_users += 1
        words = np.asarray(rng.bit_generator.seed_seq.entropy, "<u4").tobytes()  # type: ignore[attr-defined]
        self._ask(
            "reset, or the first act",
            wire.RESET,
            n_arms,
            NO_VALUE if horizon is None else horizon,
            words,
        )

    def act(self) -> int | None:
        """Return the arm that the agent recommends, None where it stops."""
        if not self._awaits_arm:
            self._ask("act", wire.ACT)
        reply = self._heard(wire.ARM, wire.DONE)
        return None if reply.kind == wire.DONE else self._arm(reply)

    def observe(self, arm: int, accepted: bool) -> None:
        """Hand on the user's response."""
        self._n_steps += 1
        self._ask("observe, or the act after it", wire.OBSERVE, arm, accepted)

    def answer(self) -> int:
        """Return the agent's answer."""
        if self._awaits_arm:
            self._heard(wire.ARM, wire.DONE)
        self._ask("answer", wire.ANSWER)
        return self._arm(self._heard(wire.ARM))

    def check(self) -> None:
        """Make sure, at the end, that the submission left the package as it was.

        Raises:
            SubmissionError: if it did not.
        """
        self._process.send("the end", wire.CHECK)
        if name := self._process.received(wire.CHECK_DONE).text:
            raise SubmissionError(GradingOutcome.CHEATED, f"{CHEATS['package']} ({name})")

    def _ask(
        self, doing: str, kind: int, first: int = 0, second: int = 0, more: bytes = b""
    ) -> None:
        self._process.send(doing, kind, first, second, more)
        self._awaits_arm = kind != wire.ANSWER

    def _heard(self, *kinds: int) -> wire.Reply:
        self._awaits_arm = False
        try:
            return self._process.received(*kinds)
        except SubmissionError as error:
            where = f"at step {self._n_steps + 1} with user {self._n_users}"
            self.failure = SubmissionError(error.outcome, f"{error.reason}, {where}")
            raise self.failure from error

    def _arm(self, reply: wire.Reply) -> int:
        if not 0 <= reply.value < self._n_arms:
            self.failure = SubmissionError(GradingOutcome.CHEATED, CHEATS["channel"])
            raise self.failure
        return reply.value


def _cap(cap: object) -> int | None:
    """Return a step cap of its own.

    Raises:
        SubmissionError: if it is none.
    """
    if cap is None or (type(cap) is int and cap >= 1):
        return cap
    raise SubmissionError(
        GradingOutcome.FAILED, f"its max_steps is {cap!r}, not a number of at least 1"
    )
