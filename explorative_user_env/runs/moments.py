"""A run that is watched again: its moments, and what happened in it and why, in words."""

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

MOST_SENTENCES = 15  # of an explanation; a line gives the number of the others
MOST_TURNS = 5  # a word that an agent changes more often than this is no phase
GIVEN_UP = 2  # an arm not recommended in the last steps, so many for each arm, was given up
ENDS = {
    ANSWERED: "stopped and named",
    CENSORED: "was cut off; its guess is",
    LEFT: "lost the user, who left; its guess is",
}


class Moment(NamedTuple):
    """A step of a run; the first moment is before any step.

    Attributes:
        seen: what the system has seen by then.
        decided: the truth when she decided, None before the first step.
        hidden: the truth after the step.
        said: what the agent explains after the step.
    """

    seen: Seen
    decided: HiddenState | None
    hidden: HiddenState
    said: Mapping[str, Explained]


def rerun_of(run: Any) -> Any:
    """Return what repeats an `Episode`, or refuse one for which that is not known any more."""
    if run.rerun is None:
        allowed = "one that rollout or replay has made here, with users of this package"
        raise InvalidArgumentError("episode", run, allowed)
    return run.rerun


def watch_again(run: Any, hear: Callable[[Moment], None]) -> None:
    """Repeat an `Episode`, and call `hear` with every moment in the order of time.

    Raises:
        InvalidArgumentError: if something else happens, as with an agent that has changed.
        CallableError: if the agent's code fails, or explains what cannot be shown.
    """
    rerun = rerun_of(run)
    try:
        agent = copy.deepcopy(rerun.agent)
    except Exception as error:
        raise CallableError.of(f"a copy of {run.agent}", error, "to watch it again") from error
    env = environment_of(rerun.population, agent)
    history, now = env.remember(), list[HiddenState]()

    def on_step() -> None:
        now.append(env.hidden_state())
        said = words.explanation_of(agent, env.user.n_arms)
        hear(Moment(seen_in_lane(history, 0), now.pop(0) if now[1:] else None, now[-1], said))

    found = rerun.again(env, agent, on_step=on_step)
    parts = ("arms", "accepted", "answer", "end")
    if any(getattr(found, part) != getattr(run, part) for part in parts):
        allowed = f"a run that {run.agent} repeats; it, or its user, is another by now"
        raise InvalidArgumentError("episode", run, allowed)


class Rank(IntEnum):
    """How much an event matters, the most first."""

    END = 0  # and the beginning
    BEST = 1  # of the best arm
    TURN = 2  # of the agent, from phase to phase
    EVENT = 3  # what is rare
    FIRST = 4  # rejection of another arm


class Sentence(NamedTuple):
    """An event: its step t (0 before the first recommendation), what happened and why, its rank."""

    step: int
    text: str
    rank: int = 0

    def __str__(self) -> str:
        return f"t = {self.step}: {self.text}"


@dataclass(frozen=True, repr=False)
class Explanation:
    """What happened in a run and why, printed a sentence a line.

    Attributes:
        sentences: in the order of time.
        left_out: the number of events that matter less.
    """

    sentences: tuple[Sentence, ...]
    left_out: int = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences as they are printed, and the number of others."""
        more = f"(Left out: {self.left_out} more, such as first rejections.)"
        return (*map(str, self.sentences), *([more] if self.left_out else []))

    def __str__(self) -> str:
        return "\n".join(self.lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from explorative_user_env.display.tables import paragraphs

        return paragraphs(self.lines)


def explanation_from(sentences: Sequence[Sentence], most: int = MOST_SENTENCES) -> Explanation:
    """Return the `most` sentences that matter most, the earliest of those that matter alike."""
    in_time = sorted(sentences, key=lambda each: each.step)
    ranked = sorted(range(len(in_time)), key=lambda place: in_time[place].rank)
    kept = tuple(in_time[place] for place in sorted(ranked[:most]))
    return Explanation(kept, len(in_time) - len(kept))


class Story:
    """The events of a run, gathered from its moments.

    Args:
        delta: the agent's, for the bands of the empirical means.
    """

    def __init__(self, delta: float) -> None:
        self._delta = delta
        self._ends: list[Moment] = []  # the first moment and the latest
        self._recommended: dict[int, tuple[int, int]] = {}  # how often, and when last
        self._rejected: dict[int, Sentence] = {}
        self._odd: dict[bool, list[tuple[int, Grounds]]] = defaultdict(list)
        self._off: dict[int, Sentence] = {}
        self._turns: dict[str, list[tuple[str, Sentence]]] = defaultdict(list)
        self._left: dict[str, Any] = {}  # None for flags that were not all true at first
        self._dropped: dict[tuple[str, int], tuple[Moment, Grounds]] = {}

    def hear(self, moment: Moment) -> None:
        """Take in a moment."""
        self._ends = [*self._ends[:1], moment]
        seen, decided, hidden, said = moment
        arms: Sequence[int] = range(len(hidden.counts))
        grounds = words.grounds_of(seen, decided)
        if seen.last is not None:
            arms = (seen.last[0],)
            self._recommended[arms[0]] = (self._recommended.get(arms[0], (0,))[0] + 1, seen.steps)
        if grounds is not None and decided is not None:
            arm, accepted, _, witness, _ = grounds
            if accepted == (witness is not None):  # a response that her intervals do not give
                self._odd[accepted].append((seen.steps, grounds))
            if not accepted and arm not in self._rejected:
                best = arm == decided.instance.best_arm
                text = f"she rejected {_called(arm, decided)} for the first time; "
                text += words.reason(grounds)
                if best and witness is not None:
                    text += f" ({_misses(decided, grounds)})"
                self._rejected[arm] = Sentence(seen.steps, text, Rank.BEST if best else Rank.FIRST)
        for arm in arms:  # one arm's mean can have moved, before the first step all
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
        for name, value in said.items():
            if isinstance(value, str):
                turns = self._turns[name]
                if not turns or turns[-1][0] != value:
                    text = f"the agent's {name}: {value}"
                    turns.append((value, Sentence(seen.steps, text, Rank.TURN)))
            elif words.is_flags(value):
                self._hear_flags(name, value, moment, grounds)

    def _hear_flags(self, name: str, value: Any, moment: Moment, grounds: Grounds | None) -> None:
        """Note which arms an agent drops after a rejection, if all were in at first."""
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
        """Return what happened, with an end in which the agent named `answer`."""
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
            # Those that cost the best arm, or that an interval without its mean decided: events B
            # in the proof of the paper's Lemma phase2bound1.
            assert decided is not None
            wrong, was_best = _misses(decided, grounds), arm == decided.instance.best_arm
            if was_best or wrong:
                text = f"{_called(arm, decided)} left {name} for good when rejected; "
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
        """Yield what the agent named, and what it was stuck on if it did not stop by itself."""
        seen, _, hidden, said = self._ends[-1]
        means, best, n_steps = hidden.instance.means, hidden.instance.best_arm, seen.steps
        if best != self._ends[0].hidden.instance.best_arm:
            yield Sentence(n_steps, f"by now arm {best} is the best", Rank.BEST)
        times, last = self._recommended.get(best, (0, 0))
        if answer != best and n_steps - last >= GIVEN_UP * len(means):
            how = f"recommended for the last time, of {times}" if times else "never recommended"
            yield Sentence(last, f"arm {best} (the best) was {how}", Rank.BEST)
        short = rounded(means[best] - means[answer])
        wrong = f"which is wrong: its mean is {short} below that of arm {best}"
        text = f"{named} arm {answer}, {'the best arm' if answer == best else wrong}"
        yes = words.brief(sum(seen.accepted))
        text += f". She accepted {yes} of {words.brief(n_steps)} recommendations"
        stuck = []
        for name, value in said.items():
            if isinstance(value, str):
                stuck.append(f"{name}: {value}")
            elif isinstance(value, Against) and isinstance(value.value, float):
                stuck.append(f"{name}: {' / '.join(map(number_in_words, value))}")
        if end != ANSWERED and stuck:
            text += f". It was left with {'; '.join(stuck)}"
        yield Sentence(n_steps, text, Rank.END)


def _called(arm: int, hidden: HiddenState) -> str:
    return f"arm {arm} (the best)" if arm == hidden.instance.best_arm else f"arm {arm}"


def _misses(decided: HiddenState, grounds: Grounds) -> str:
    """Return in words which intervals that decided a rejection miss their true means."""
    misses = []
    for arm in (grounds.arm, grounds.witness):
        if arm is not None:
            low, high = decided.lower_bounds[arm], decided.upper_bounds[arm]
            mean = decided.instance.means[arm]
            if not low <= mean <= high:
                interval = f"her interval of arm {arm}, {rounded(low)} to {rounded(high)},"
                misses.append(f"{interval} misses its mean {rounded(mean)}")
    return " and ".join(misses)
