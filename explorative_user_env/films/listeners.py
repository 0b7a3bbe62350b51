"""What is noticed in a run while it goes on, each kind of thing by a listener of its own.

A listener hears every moment and keeps what it will tell; none keeps more than a little an arm.
"""

from collections.abc import Iterator
from enum import IntEnum
from typing import Protocol

from explorative_user_env.explanations import Flags, is_flags
from explorative_user_env.films.camera import Moment
from explorative_user_env.films.telling import Sentence
from explorative_user_env.rendering.words import Grounds, grounds_of, in_a_word, reason, rounded
from explorative_user_env.theory import iterated_log_band
from explorative_user_env.users.hidden_state import HiddenState


class Rank(IntEnum):
    """How much something matters, the most first."""

    END = 0  # and the beginning
    BEST = 1  # what befell the best arm
    TURN = 2  # of the agent, from phase to phase
    EVENT = 3  # what should not happen, and may
    FIRST = 4  # rejection of another arm


MOST_TURNS = 5
"""A word that an agent changes more often than this is no phase."""


class Listener(Protocol):
    """What notices one kind of thing."""

    def hear(self, moment: Moment) -> None:
        """Take in a step."""

    def tell(self) -> Iterator[Sentence]:
        """Yield what there is to say at the end."""


def called(arm: int, hidden: HiddenState) -> str:
    """Return what an arm is called, the best by this as well."""
    return f"arm {arm} (the best)" if arm == hidden.instance.best_arm else f"arm {arm}"


def missed(hidden: HiddenState, arm: int) -> bool:
    """Return whether her interval of an arm misses its true mean."""
    mean = hidden.instance.means[arm]
    return not hidden.lower_bounds[arm] <= mean <= hidden.upper_bounds[arm]


def misses_among(decided: HiddenState, grounds: Grounds) -> str:
    """Return in words which of the intervals that decided a rejection missed its true mean."""
    pair = (grounds.arm,) if grounds.witness is None else (grounds.arm, grounds.witness)
    told = []
    for arm in pair:
        if missed(decided, arm):
            low, high = rounded(decided.lower_bounds[arm]), rounded(decided.upper_bounds[arm])
            mean = rounded(decided.instance.means[arm])
            told.append(f"her interval of arm {arm}, {low} to {high}, misses its mean {mean}")
    return " and ".join(told)


class Rejections:
    """The first rejection of each arm, and which intervals misled her about the best."""

    def __init__(self) -> None:
        self._met: set[int] = set()
        self._sentences: list[Sentence] = []

    def hear(self, moment: Moment) -> None:
        """Take in a step."""
        grounds = grounds_of(moment.seen, moment.decided)
        if grounds is None or grounds.accepted or grounds.arm in self._met:
            return
        assert moment.decided is not None
        self._met.add(grounds.arm)
        best = grounds.arm == moment.decided.instance.best_arm
        text = f"she rejected {called(grounds.arm, moment.decided)} for the first time; "
        text += reason(grounds)
        if best and grounds.witness is not None:
            text += f" ({misses_among(moment.decided, grounds)})"
        self._sentences.append(Sentence(moment.seen.steps, text, Rank.BEST if best else Rank.FIRST))

    def tell(self) -> Iterator[Sentence]:
        """Yield what there is to say at the end."""
        yield from self._sentences


class Clicks:
    """Responses that her intervals do not give: the first of each kind, and how many there are."""

    def __init__(self) -> None:
        self._first: dict[bool, tuple[int, Grounds]] = {}
        self._n = {True: 0, False: 0}

    def hear(self, moment: Moment) -> None:
        """Take in a step."""
        grounds = grounds_of(moment.seen, moment.decided)
        if grounds is None or grounds.accepted != (grounds.witness is not None):
            return
        self._n[grounds.accepted] += 1
        self._first.setdefault(grounds.accepted, (moment.seen.steps, grounds))

    def tell(self) -> Iterator[Sentence]:
        """Yield what there is to say at the end."""
        for accepted, (step, grounds) in self._first.items():
            n = self._n[accepted]
            times = f", the first of {n} such responses" if n > 1 else ""
            told = f"she {in_a_word(accepted)} arm {grounds.arm} though her intervals say otherwise"
            yield Sentence(step, f"{told}{times}; {reason(grounds)}", Rank.EVENT)


class Bands:
    """The first time that an empirical mean leaves its band (paper, Lemma lm:iteratedlog).

    Args:
        delta: the band of each arm is that at delta/K.
    """

    def __init__(self, delta: float) -> None:
        self._delta = delta
        self._first: Sentence | None = None
        self._arms: set[int] = set()

    def hear(self, moment: Moment) -> None:
        """Take in a step: one arm's mean can have moved, before the first all."""
        hidden, last = moment.hidden, moment.seen.last
        for arm in range(len(hidden.counts)) if last is None else (last[0],):
            n = hidden.counts[arm]
            if n == 0 or arm in self._arms:
                continue
            band = iterated_log_band(n, self._delta / len(hidden.counts))
            estimate, mean = hidden.estimates[arm], hidden.instance.means[arm]
            if abs(estimate - mean) <= band:
                continue
            self._arms.add(arm)
            told = f"the empirical mean of {called(arm, hidden)} left its band: "
            told += f"{rounded(estimate)} is more than {rounded(band)} from {rounded(mean)}"
            self._first = self._first or Sentence(moment.seen.steps, told, Rank.EVENT)

    def tell(self) -> Iterator[Sentence]:
        """Yield what there is to say at the end."""
        if self._first is not None:
            more = len(self._arms) - 1
            others = f"those of {more} other arms" if more > 1 else "that of another arm"
            text = self._first.text + (f"; so did {others}" if more else "")
            yield self._first._replace(text=text)


class Turns:
    """The agent's phases: words that it changes now and then."""

    def __init__(self) -> None:
        self._now: dict[str, str] = {}
        self._turns: dict[str, list[Sentence]] = {}

    def hear(self, moment: Moment) -> None:
        """Take in a step."""
        for name, word in moment.said.items():
            if not isinstance(word, str) or self._now.get(name) == word:
                continue
            self._now[name] = word
            turns = self._turns.setdefault(name, [])
            if len(turns) <= MOST_TURNS:
                turns.append(Sentence(moment.seen.steps, f"the agent's {name}: {word}", Rank.TURN))

    def tell(self) -> Iterator[Sentence]:
        """Yield what there is to say at the end."""
        for turns in self._turns.values():
            if len(turns) <= MOST_TURNS:
                yield from turns


class Dropped:
    """Arms that an agent drops for good after a rejection, as far as it says which it has left.

    Those are the K truth values it names that are all true at first. Of these rejections it is told
    where they cost the best arm, and where an interval that decided misses its mean (events B in
    the proof of Lemma lm:phase2bound1).
    """

    def __init__(self) -> None:
        self._left: dict[str, Flags | None] = {}  # None where not all were in at first
        self._dropped: dict[tuple[str, int], tuple[Moment, Grounds]] = {}

    def hear(self, moment: Moment) -> None:
        """Take in a step."""
        for name, value in moment.said.items():
            if not is_flags(value):
                continue
            if name not in self._left:
                self._left[name] = value if all(value) else None
            before = self._left[name]
            if before is None:
                continue
            self._left[name] = value
            grounds = grounds_of(moment.seen, moment.decided)
            for arm, (was, flag) in enumerate(zip(before, value, strict=True)):
                if flag:
                    self._dropped.pop((name, arm), None)
                elif was and grounds is not None and grounds[:2] == (arm, False):
                    self._dropped[name, arm] = (moment, grounds)

    def tell(self) -> Iterator[Sentence]:
        """Yield what there is to say at the end."""
        for (name, arm), (moment, grounds) in self._dropped.items():
            decided = moment.decided
            assert decided is not None
            wrong = misses_among(decided, grounds)
            best = arm == decided.instance.best_arm
            if not (best or wrong):
                continue
            told = f"{called(arm, decided)} left {name} for good when rejected; {reason(grounds)}"
            told += f"; {wrong}" if wrong else ""
            yield Sentence(moment.seen.steps, told, Rank.BEST if best else Rank.EVENT)
