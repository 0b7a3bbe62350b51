"""An agent and a user who follows a script, step by step, so that a check can stop in between."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.envs.spaces import as_action
from explorative_user_env.protocol import Agent, name_of, needs_horizon, sees_rewards, trained_on
from explorative_user_env.seeding import agent_generator
from explorative_user_env.testing.checks import FailedCheckError, Subject, in_words
from explorative_user_env.validation import InvalidArgumentError

N_ARMS = 5
"""K where nothing else is said."""

MEETING_STEPS = 60
"""Of a meeting where nothing else is said: where the agent is cut off."""

Responds = Callable[[int], bool]
"""The response to a recommendation of an arm."""


class Fickle:
    """A user who accepts each arm with a chance of its own; a copy goes on as she would.

    Args:
        n_arms: K.
        seed: what the chances and the responses follow from.
    """

    def __init__(self, n_arms: int, seed: int) -> None:
        self._rng = np.random.default_rng([seed, n_arms])
        self._chances = self._rng.random(n_arms)

    def __call__(self, arm: int) -> bool:
        """Responds to a recommendation."""
        return bool(self._rng.random() < self._chances[arm])


class Always:
    """A user who has one answer to everything.

    Args:
        accepted: that answer.
    """

    def __init__(self, accepted: bool) -> None:
        self._accepted = accepted

    def __call__(self, arm: int) -> bool:
        """Responds to a recommendation."""
        return self._accepted


FICKLE, ACCEPTING, REJECTING = "by chance", "everything", "nothing"


@dataclass(frozen=True)
class Situation:
    """What an agent meets: printed, it is the end of a message.

    Attributes:
        n_arms: K.
        seed: the user's; the agent's stream follows from it and its name.
        user: what she accepts, one of the words above.
        cap: steps after which the agent is cut off.
        horizon: what the agent is told.
    """

    n_arms: int
    seed: int
    user: str = FICKLE
    cap: int = MEETING_STEPS
    horizon: int | None = None

    def respond(self) -> Responds:
        """Return the user, who has heard nothing yet."""
        if self.user == FICKLE:
            return Fickle(self.n_arms, self.seed)
        return Always(self.user == ACCEPTING)

    def __str__(self) -> str:
        told = "" if self.horizon is None else f", horizon {self.horizon}"
        return f"K = {self.n_arms}, seed {self.seed}, a user who accepts {self.user}{told}"


class Run(NamedTuple):
    """What an agent did."""

    arms: tuple[int, ...]
    accepted: tuple[bool, ...]
    answer: int
    stopped: bool  # by itself, not cut off


class Meeting:
    """An agent with a user, from the reset on.

    Args:
        agent: who is reset for it.
        situation: whom it meets.
        rng: its stream; None is what follows from the seed and the agent's name.
        follows: whether the user comes after another, and the agent goes on with its `next_user`.
    """

    def __init__(
        self,
        agent: Agent,
        situation: Situation,
        rng: np.random.Generator | None = None,
        follows: bool = False,
    ) -> None:
        self.agent, self.situation = agent, situation
        self.arms: list[int] = []
        self.accepted: list[bool] = []
        self.stopped = False
        self._respond = situation.respond()
        self._rewards = np.random.default_rng(situation.seed)
        if follows:
            self._call("next_user")
            return
        rng = agent_generator(situation.seed, name_of(agent)) if rng is None else rng
        self._call("reset", situation.n_arms, rng, situation.horizon)

    def go_on(self, n_steps: int | None = None) -> None:
        """Recommend and hear this many times, None as often as it takes until the end."""
        last = self.situation.cap
        if n_steps is not None:
            last = min(last, len(self.arms) + n_steps)
        while not self.stopped and len(self.arms) < last:
            arm = self._call("act")
            if arm is None:
                self.stopped = True
                return
            arm = self._arm("act", arm, " or None")
            accepted = self._respond(arm)
            self._call("observe", arm, accepted)
            if accepted and sees_rewards(self.agent):
                self._call("learn", arm, float(self._rewards.standard_normal()))
            self.arms.append(arm)
            self.accepted.append(accepted)

    def end(self) -> Run:
        """Go on to the end, ask for the answer and return what was done."""
        self.go_on()
        answer = self._arm("answer", self._call("answer"))
        return Run(tuple(self.arms), tuple(self.accepted), answer, self.stopped)

    def _call(self, method: str, *given: Any) -> Any:
        try:
            return getattr(self.agent, method)(*given)
        except Exception as error:
            raise FailedCheckError(f"{method} {in_words(error)} ({self._when})") from error

    def _arm(self, method: str, arm: Any, more: str = "") -> int:
        try:
            return as_action(arm, self.situation.n_arms)
        except InvalidArgumentError as error:
            allowed = f"an integer in 0..{self.situation.n_arms - 1}{more}"
            told = f"{method} returned {arm!r}, must be {allowed} ({self._when})"
            raise FailedCheckError(told) from error

    @property
    def _when(self) -> str:
        return f"at step {len(self.arms) + 1}: {self.situation}"


def run_of(agent: Agent, situation: Situation, rng: np.random.Generator | None = None) -> Run:
    """Return what an agent does in a situation, from its reset to its answer."""
    return Meeting(agent, situation, rng).end()


def usual_arms(subject: Subject, otherwise: int = N_ARMS) -> int:
    """Return the K that an agent was trained for, or else this one, that of most checks."""
    return int(trained_on(subject.make()).get("n_arms", otherwise))


def situations(subject: Subject, n_users: int = 3, **given: Any) -> Iterator[Situation]:
    """Yield what the agent is to meet in most checks: a few users who accept by chance.

    Args:
        subject: the agent.
        n_users: how many.
        **given: fields of the situations that are to be others.
    """
    n_arms = given.pop("n_arms", None) or usual_arms(subject)
    cap = given.pop("cap", MEETING_STEPS)
    told = {"horizon": cap} if needs_horizon(subject.make()) else {}
    for seed in range(subject.seed, subject.seed + n_users):
        yield Situation(n_arms, seed, cap=cap, **{**told, **given})


def expect_alike(found: Run, wanted: Run, situation: Situation, when: str) -> None:
    """Make sure that two runs are the same.

    Args:
        found: what was done.
        wanted: what was done before, or elsewhere.
        situation: what was met.
        when: in words, what was different about the second; nothing may follow from it.

    Raises:
        FailedCheckError: naming the first step at which they differ.
    """
    for step, (arm, other) in enumerate(zip(found.arms, wanted.arms, strict=False), 1):
        if arm != other:
            told = f"recommended arm {arm} instead of {other} at step {step} {when}"
            raise FailedCheckError(f"{told} ({situation})")
    n_steps = len(found.arms)
    if n_steps != len(wanted.arms):
        told = f"ended after {n_steps} steps instead of {len(wanted.arms)} {when}"
        raise FailedCheckError(f"{told} ({situation})")
    if found.stopped != wanted.stopped:
        ends = {True: "stopped", False: "was cut off"}
        told = f"{ends[found.stopped]} after {n_steps} steps and {ends[wanted.stopped]} before"
        raise FailedCheckError(f"{told} {when} ({situation})")
    if found.answer != wanted.answer:
        told = f"answered arm {found.answer} instead of {wanted.answer} {when}"
        raise FailedCheckError(f"{told}, after {n_steps} steps ({situation})")
