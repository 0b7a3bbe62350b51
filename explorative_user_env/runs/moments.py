"""Repeat a run, record the moments after its steps, and explain its events in words."""

import copy
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from explorative_user_env.envs.history import seen_in_lane
from explorative_user_env.envs.user import environment_of
from explorative_user_env.protocol import ANSWERED, CENSORED, LEFT, Against
from explorative_user_env.show import words
from explorative_user_env.show.words import Explained, Grounds, Seen, number_in_words, rounded
from explorative_user_env.theory import iterated_log_band
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.validation import CallableError, InvalidArgumentError

MOST_SENTENCES = 15  # most sentences of an explanation
MOST_TURNS = 5  # texts of `explain()` that change more often give no events
GIVEN_UP = 2  # an arm is given up if it is absent from the last GIVEN_UP * K recommendations
ENDS = {
    ANSWERED: "stopped and named",
    CENSORED: "reached the step cap; its answer is",
    LEFT: "lost the user, who left; its answer is",
}


class Moment(NamedTuple):
    """The state after a step of a run; the first moment is before any step.

    Attributes:
        seen: the responses so far.
        decided: the hidden state when the user responded; None before the first step.
        hidden: the hidden state after the step.
        explained: the agent's explanation after the step.
    """

    seen: Seen
    decided: HiddenState | None
    hidden: HiddenState
    explained: Mapping[str, Explained]


def rerun_of(run: Any) -> Any:
    """Return the data to repeat an `Episode`; an `Episode` that was pickled raises an error."""
    if run.rerun is None:
        allowed = "an episode from rollout or replay in this process, with users of this package"
        raise InvalidArgumentError("episode", run, allowed)
    return run.rerun


def repeat(run: Any, on_moment: Callable[[Moment], None]) -> None:
    """Repeat an `Episode`, and call `on_moment` with every moment in order of time.

    Raises:
        InvalidArgumentError: if the repeated run differs, for example after a change of the agent.
        CallableError: if the agent's code fails, or its explanation cannot be shown.
    """
    rerun = rerun_of(run)
    try:
        agent = copy.deepcopy(rerun.agent)
    except Exception as error:
        raise CallableError.of(f"a copy of {run.agent}", error, "to repeat the run") from error
    env = environment_of(rerun.population, agent)
    history, now = env.remember(), list[HiddenState]()

    def on_step() -> None:
        now.append(env.hidden_state())
        explained = words.explanation_of(agent, env.user.n_arms)
        decided = now.pop(0) if now[1:] else None
        on_moment(Moment(seen_in_lane(history, 0), decided, now[-1], explained))

    repeated = rerun.again(env, agent, on_step=on_step)
    parts = ("arms", "accepted", "answer", "end")
    if any(getattr(repeated, part) != getattr(run, part) for part in parts):
        allowed = f"a run that can be repeated; {run.agent} or its user has changed"
        raise InvalidArgumentError("episode", run, allowed)


class Rank(IntEnum):
    """The importance of an event; the most important is 0."""

    END = 0  # an event at the first or the last moment of the run
    BEST = 1  # an event about the best arm
    TURN = 2  # a new phase of the agent
    EVENT = 3  # a rare event
    FIRST = 4  # the first rejection of another arm


class Sentence(NamedTuple):
    """An event: its step t (0 before the first recommendation), its text and its rank."""

    step: int
    text: str
    rank: int = 0

    def __str__(self) -> str:
        return f"t = {self.step}: {self.text}"


@dataclass(frozen=True, repr=False)
class Explanation:
    """The important events of a run and their reasons; `print` shows one event on each line.

    Attributes:
        sentences: the events in order of time.
        left_out: the number of omitted, less important events.
    """

    sentences: tuple[Sentence, ...]
    left_out: int = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences as text, and the number of omitted events."""
        more = f"({self.left_out} less important events are left out.)"
        return (*map(str, self.sentences), *([more] if self.left_out else []))

    def __str__(self) -> str:
        return "\n".join(self.lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from explorative_user_env.display.tables import paragraphs

        return paragraphs(self.lines)


def explanation_from(sentences: Sequence[Sentence], most: int = MOST_SENTENCES) -> Explanation:
    """Return at most `most` sentences: the most important; if ranks are equal, the earliest."""
    in_time = sorted(sentences, key=lambda each: each.step)
    ranked = sorted(range(len(in_time)), key=lambda place: in_time[place].rank)
    shown = tuple(in_time[place] for place in sorted(ranked[:most]))
    return Explanation(shown, len(in_time) - len(shown))


class Story:
    """The events of a run, collected from its moments.

    Args:
        delta: the agent's delta, for the bands of the empirical means.
    """

    def __init__(self, delta: float) -> None:
        self._delta = delta
        self._ends: list[Moment] = []  # the first moment and the latest
        self._recommended: dict[int, tuple[int, int]] = {}  # arm: (recommendations, last step)
        self._rejected: dict[int, Sentence] = {}
        self._odd: dict[bool, list[tuple[int, Grounds]]] = defaultdict(list)
        self._off: dict[int, Sentence] = {}
        self._turns: dict[str, list[tuple[str, Sentence]]] = defaultdict(list)
        self._left: dict[str, Any] = {}  # the agent's latest flags; None if one began as False
        self._dropped: dict[tuple[str, int], tuple[Moment, Grounds]] = {}

    def add(self, moment: Moment) -> None:
        """Add a moment."""
        self._ends = [*self._ends[:1], moment]
        seen, decided, hidden, explained = moment
        arms: Sequence[int] = range(len(hidden.counts))
        grounds = words.grounds_of(seen, decided)
        if seen.last is not None:
            arms = (seen.last[0],)
            self._recommended[arms[0]] = (self._recommended.get(arms[0], (0,))[0] + 1, seen.steps)
        if grounds is not None and decided is not None:
            arm, accepted, _, witness, _ = grounds
            if accepted == (witness is not None):  # her intervals would give the other response
                self._odd[accepted].append((seen.steps, grounds))
            if not accepted and arm not in self._rejected:
                best = arm == decided.instance.best_arm
                text = f"she rejected {_called(arm, decided)} for the first time; "
                text += words.reason(grounds)
                if best and witness is not None:
                    text += f" ({_misses(decided, grounds)})"
                self._rejected[arm] = Sentence(seen.steps, text, Rank.BEST if best else Rank.FIRST)
        for arm in arms:  # the recommended arm, or before the first step all arms
            n, estimate, mean = (
                hidden.counts[arm],
                hidden.estimates[arm],
                hidden.instance.means[arm],
            )
            if n == 0 or arm in self._off:
                continue
            band = iterated_log_band(n, self._delta / len(hidden.counts))  # Lemma iteratedlog
            if abs(estimate - mean) > band:
                text = f"the empirical mean of {_called(arm, hidden)} left its band: "
                text += f"{rounded(estimate)} is more than {rounded(band)} from {rounded(mean)}"
                self._off[arm] = Sentence(seen.steps, text, Rank.EVENT)
        for name, value in explained.items():
            if isinstance(value, str):
                turns = self._turns[name]
                if not turns or turns[-1][0] != value:
                    text = f"the agent's {name}: {value}"
                    turns.append((value, Sentence(seen.steps, text, Rank.TURN)))
            elif words.is_flags(value):
                self._add_flags(name, value, moment, grounds)

    def _add_flags(self, name: str, value: Any, moment: Moment, grounds: Grounds | None) -> None:
        """Record an arm that leaves a set of arms in `explain()` when the user rejects this arm."""
        before = self._left.setdefault(name, value if all(value) else None)
        if before is None:
            return
        self._left[name] = value
        for arm, (was, flag) in enumerate(zip(before, value, strict=True)):
            if flag:
                self._dropped.pop((name, arm), None)
            elif was and grounds is not None and grounds[:2] == (arm, False):
                self._dropped[name, arm] = (moment, grounds)

    def explanation(self, agent: str, answer: int, end: int) -> Explanation:
        """Return the events of the run; the last event is the agent's answer."""
        instance = self._ends[0].hidden.instance
        means, best = instance.means, instance.best_arm
        second = max((arm for arm in range(len(means)) if arm != best), key=means.__getitem__)
        text = f"the best of {len(means)} arms is arm {best}, with mean {rounded(means[best])}"
        text += f"; arm {second} is next, {rounded(means[best] - means[second])} below"
        sentences = [Sentence(0, text, Rank.END)]
        for turns in self._turns.values():
            sentences += [turn for _, turn in turns] if len(turns) <= MOST_TURNS else []
        sentences += self._rejected.values()
        for (name, arm), ((seen, decided, *_), grounds) in self._dropped.items():
            # The explanation mentions an elimination if it removes the best arm, or if an interval
            # that caused it misses its true mean (events B in the proof of Lemma phase2bound1).
            assert decided is not None
            wrong, was_best = _misses(decided, grounds), arm == decided.instance.best_arm
            if was_best or wrong:
                text = f"the rejection of {_called(arm, decided)} removed it from {name} for good; "
                text += words.reason(grounds) + (f"; {wrong}" if wrong else "")
                rank = Rank.BEST if was_best else Rank.EVENT
                sentences.append(Sentence(seen.steps, text, rank))
        for accepted, odd in self._odd.items():
            step, grounds = odd[0]
            text = f"she {words.in_a_word(accepted)} arm {grounds.arm} though her intervals say "
            text += "otherwise"
            text += f", the first of {len(odd)} such responses" if len(odd) > 1 else ""
            sentences.append(Sentence(step, f"{text}; {words.reason(grounds)}", Rank.EVENT))
        if self._off:
            first, more = next(iter(self._off.values())), len(self._off) - 1
            others = f"those of {more} other arms" if more > 1 else "that of another arm"
            text = first.text + (f"; so did {others}" if more else "")
            sentences.append(first._replace(text=text))
        return explanation_from([*sentences, *self._ending(f"{agent} {ENDS[end]}", answer, end)])

    def _ending(self, named: str, answer: int, end: int) -> Iterator[Sentence]:
        """Yield the agent's answer, and if the agent did not stop, its last explanation."""
        seen, _, hidden, explained = self._ends[-1]
        means, best, n_steps = hidden.instance.means, hidden.instance.best_arm, seen.steps
        if best != self._ends[0].hidden.instance.best_arm:
            yield Sentence(n_steps, f"by now arm {best} is the best", Rank.BEST)
        times, last = self._recommended.get(best, (0, 0))
        if answer != best and n_steps - last >= GIVEN_UP * len(means):
            how = f"recommended for the last of {times} times" if times else "never recommended"
            yield Sentence(last, f"arm {best} (the best) was {how}", Rank.BEST)
        short = rounded(means[best] - means[answer])
        wrong = f"which is wrong: its mean is {short} below that of arm {best}"
        text = f"{named} arm {answer}, {'the best arm' if answer == best else wrong}"
        yes = words.brief(sum(seen.accepted))
        text += f". She accepted {yes} of {words.brief(n_steps)} recommendations"
        parts = []
        for name, value in explained.items():
            if isinstance(value, str):
                parts.append(f"{name}: {value}")
            elif isinstance(value, Against) and isinstance(value.value, float):
                parts.append(f"{name}: {' / '.join(map(number_in_words, value))}")
        if end != ANSWERED and parts:
            text += f". The agent's last state: {'; '.join(parts)}"
        yield Sentence(n_steps, text, Rank.END)


def _called(arm: int, hidden: HiddenState) -> str:
    return f"arm {arm} (the best)" if arm == hidden.instance.best_arm else f"arm {arm}"


def _misses(decided: HiddenState, grounds: Grounds) -> str:
    """Describe the intervals that caused a rejection and do not contain their true means."""
    misses = []
    for arm in (grounds.arm, grounds.witness):
        if arm is not None:
            low, high = decided.lower_bounds[arm], decided.upper_bounds[arm]
            mean = decided.instance.means[arm]
            if not low <= mean <= high:
                interval = f"her interval of arm {arm}, {rounded(low)} to {rounded(high)},"
                misses.append(f"{interval} misses its mean {rounded(mean)}")
    return " and ".join(misses)
