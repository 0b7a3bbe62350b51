"""How a run began and ended, in words."""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

import gymnasium as gym
import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.envs.history import Truths, seen_in_lane
from explorative_user_env.envs.meeting import environment_of, population_in
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.protocol import (
    ANSWERED,
    CENSORED,
    LEFT,
    Against,
    Agent,
    cap_of,
    name_of,
    needs_horizon,
    sees_rewards,
)
from explorative_user_env.show.explanations import Explained, Flags, explanation_of, is_flags
from explorative_user_env.show.panel import number_in_words
from explorative_user_env.show.words import (
    Grounds,
    Seen,
    brief,
    grounds_of,
    in_a_word,
    reason,
    rounded,
)
from explorative_user_env.theory import iterated_log_band
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.population import Population
from explorative_user_env.validation import CallableError, InvalidArgumentError


class Moment(NamedTuple):
    """A step of a run; the first is before any.

    Attributes:
        seen: what the system has seen by then.
        decided: the truth when she decided, None before the first step.
        hidden: the truth after the step.
        said: what the agent says of itself after the step.
    """

    seen: Seen
    decided: HiddenState | None
    hidden: HiddenState
    said: Mapping[str, Explained]


Hear = Callable[[Moment], None]
Again = Callable[[gym.Env[Any, Any], Agent], Any]
"""What lets an agent meet the user of an environment, as it did before."""


def shoot(env: ExplorativeUserEnv, agent: Agent, again: Again, hear: Hear) -> Any:
    """Let an agent meet a user by `again`, and hand every moment to `hear`.

    Args:
        env: her environment.
        agent: the agent.
        again: runs them; called with an environment and an agent that do what these do.
        hear: called with each moment, the first before any step.

    Returns:
        What `again` returns.

    Raises:
        CallableError: if the agent says of itself what cannot be shown.
    """
    camera = _Camera(env, agent, hear)
    returned = again(_FilmedEnv(env, camera), _FilmedAgent(agent, camera))
    camera.pass_on()
    return returned


class _Camera:
    """Keeps a step until the agent has thought about it."""

    def __init__(self, env: ExplorativeUserEnv, agent: Agent, hear: Hear) -> None:
        self.env, self.agent, self.hear = env, agent, hear
        self.history = env.remember()
        self.truths, self.waiting = Truths(1), False

    def begin(self) -> None:
        """Note who she is, before any step."""
        self.truths.begin([0], lambda _: self.env.hidden_state())
        self.waiting = True

    def step(self) -> None:
        """Note what a step has changed."""
        self.truths.go_on([0], lambda _: self.env.hidden_state())
        self.waiting = True

    def pass_on(self) -> None:
        """Tell of the last step, if that was not done: the agent has had its time."""
        now = self.truths.now[0]
        if self.waiting and now is not None:
            self.waiting = False
            said = explanation_of(self.agent, self.env.user.n_arms)
            self.hear(Moment(seen_in_lane(self.history, 0), self.truths.decided[0], now, said))


class _FilmedEnv(gym.Wrapper[int, int, int, int]):
    def __init__(self, env: ExplorativeUserEnv, camera: _Camera) -> None:
        super().__init__(env)
        self._camera = camera

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        returned = self.env.reset(seed=seed, options=options)
        self._camera.begin()
        return returned

    def step(self, action: int) -> tuple[int, Any, bool, bool, dict[str, Any]]:
        self._camera.pass_on()
        returned = self.env.step(action)
        self._camera.step()
        return returned


class _FilmedAgent(Agent):
    """An agent as it is to whoever runs it."""

    def __init__(self, agent: Agent, camera: _Camera) -> None:
        self._agent, self._camera = agent, camera
        self.name, self.max_steps = name_of(agent), cap_of(agent)
        self.needs_horizon, self.sees_rewards = needs_horizon(agent), sees_rewards(agent)

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self._agent.reset(n_arms, rng, horizon)

    def act(self) -> int | None:
        self._camera.pass_on()
        return self._agent.act()

    def observe(self, arm: int, accepted: bool) -> None:
        self._agent.observe(arm, accepted)

    def learn(self, arm: int, reward: float) -> None:
        self._agent.learn(arm, reward)  # type: ignore[attr-defined]

    def answer(self) -> int:
        self._camera.pass_on()
        return self._agent.answer()


@dataclass(frozen=True)
class Rerun:
    """Who met in a run, and how.

    Attributes:
        population: the users.
        agent: the agent, as it was told of them. It is copied to be watched, and stays as it is.
        delta: of an agent without one of its own.
        shows_intervals: whether the user's intervals were to be seen all along.
        again: lets an agent meet the user of an environment in the same way.
    """

    population: Population
    agent: Agent
    delta: float
    shows_intervals: bool
    again: "Again"

    @property
    def delta_of_agent(self) -> float:
        """The agent's delta, or the one for those that have none."""
        own = self.agent.options.get("delta") if isinstance(self.agent, AlgorithmAgent) else None
        return self.delta if own is None else float(own)


def rerun_in(env: gym.Env[Any, Any], agent: Agent, delta: float, again: "Again") -> Rerun | None:
    """Return how the same happens again; None with users that are not this package's."""
    users = population_in(env)
    if users is None:
        return None
    shows = bool(getattr(env.unwrapped, "render_intervals", False))
    return Rerun(users, agent, delta, shows, again)


class Watchable(Protocol):
    """A run that may be watched again: an `Episode`."""

    @property
    def agent(self) -> str:
        """The agent's name."""

    @property
    def seed(self) -> int:
        """The user's seed."""

    @property
    def arms(self) -> tuple[int, ...]:
        """The recommended arm of each step."""

    @property
    def accepted(self) -> tuple[bool, ...]:
        """The response of each step."""

    @property
    def answer(self) -> int:
        """The arm that was named."""

    @property
    def end(self) -> int:
        """How it ended, as of an `Episode`."""

    @property
    def rerun(self) -> Rerun | None:
        """Who met, and how; None where that is not known any more."""


def rerun_of(run: Watchable) -> Rerun:
    """Return who met in a run, and how.

    Raises:
        InvalidArgumentError: where nobody knows any more.
    """
    if run.rerun is None:
        allowed = "one that rollout or replay has made here, with users of this package"
        raise InvalidArgumentError("episode", run, allowed)
    return run.rerun


def watch_again(run: Watchable, hear: "Hear") -> None:
    """Let the same happen again, and hand every moment of it to `hear`.

    Raises:
        InvalidArgumentError: if something else happens, as with an agent that has changed.
        CallableError: if the agent's code fails.
    """
    pass  # only who watches needs pictures

    rerun = rerun_of(run)
    try:
        agent = copy.deepcopy(rerun.agent)
    except Exception as error:
        raise CallableError.of(f"a copy of {run.agent}", error, "to watch it again") from error
    found = shoot(environment_of(rerun.population, agent), agent, rerun.again, hear)
    parts = ("arms", "accepted", "answer", "end")
    if any(getattr(found, part) != getattr(run, part) for part in parts):
        allowed = f"a run that {name_of(agent)} repeats; it, or its user, is another by now"
        raise InvalidArgumentError("episode", run, allowed)


MOST_SENTENCES = 15
"""What is told of a run at most; of the rest it is said how much there is."""


class Sentence(NamedTuple):
    """Something that happened.

    Attributes:
        step: t, 0 before the first recommendation.
        text: what happened, and why.
        rank: how much it matters, 0 the most.
    """

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
        left_out: how many things more happened that matter less.
    """

    sentences: tuple[Sentence, ...]
    left_out: int = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences as they are printed, and what is left out."""
        more = f"(Left out: {self.left_out} more, such as first rejections.)"
        return (*map(str, self.sentences), *([more] if self.left_out else []))

    def __str__(self) -> str:
        return "\n".join(self.lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from explorative_user_env.display.tables import paragraphs

        return paragraphs(self.lines)


_ENDS = {
    ANSWERED: "stopped and named",
    CENSORED: "was cut off; its guess is",
    LEFT: "lost the user, who left; its guess is",
}


def named_at_the_end(agent: str, answer: int, end: int) -> str:
    """Return which arm an agent named, and how it came to that: `end` is that of an episode."""
    return f"{agent} {_ENDS[end]} arm {answer}"


def explanation_from(sentences: Sequence[Sentence], most: int = MOST_SENTENCES) -> Explanation:
    """Return the sentences that matter most, the earliest of those that matter alike.

    Args:
        sentences: what of the same step comes later is told later.
        most: how many are told at most.
    """
    in_time = sorted(sentences, key=lambda each: each.step)
    ranked = sorted(range(len(in_time)), key=lambda place: in_time[place].rank)
    told = [in_time[place] for place in sorted(ranked[:most])]
    return Explanation(tuple(told), len(in_time) - len(told))


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


GIVEN_UP = 2
"""An arm that was not recommended for so many steps an arm, at the end, was given up."""


class Beginning:
    """What there is to find."""

    def __init__(self) -> None:
        self._hidden: HiddenState | None = None

    def hear(self, moment: Moment) -> None:
        """Take in a step."""
        self._hidden = self._hidden or moment.hidden

    def tell(self) -> Iterator[Sentence]:
        """Yield what there is to say at the end."""
        assert self._hidden is not None
        means, best = self._hidden.instance.means, self._hidden.instance.best_arm
        second = max((arm for arm in range(len(means)) if arm != best), key=means.__getitem__)
        gap = rounded(means[best] - means[second])
        told = f"the best of {len(means)} arms is arm {best}, with mean {rounded(means[best])}"
        yield Sentence(0, f"{told}; arm {second} is next, {gap} below", Rank.END)


class Ending:
    """What the agent named, and what it was stuck on if it did not stop by itself.

    Args:
        agent: the agent's name.
        answer: what it named as the best.
        end: how the run ended, as of an `Episode`.
        n_steps: how long the run is.
    """

    def __init__(self, agent: str, answer: int, end: int, n_steps: int) -> None:
        self._agent, self._answer = agent, answer
        self._end, self._n_steps = end, n_steps
        self._first_best: int | None = None
        self._last: Moment | None = None
        self._recommended: dict[int, tuple[int, int]] = {}

    def hear(self, moment: Moment) -> None:
        """Take in a step."""
        if self._first_best is None:
            self._first_best = moment.hidden.instance.best_arm
        self._last = moment
        if moment.seen.last is not None:
            arm = moment.seen.last[0]
            times, _ = self._recommended.get(arm, (0, 0))
            self._recommended[arm] = (times + 1, moment.seen.steps)

    def tell(self) -> Iterator[Sentence]:
        """Yield what there is to say at the end."""
        assert self._last is not None
        truth = self._last.hidden.instance
        best, named = truth.best_arm, self._answer
        if best != self._first_best:
            yield Sentence(self._n_steps, f"by now arm {best} is the best", Rank.BEST)
        times, last = self._recommended.get(best, (0, 0))
        if named != best and self._n_steps - last >= GIVEN_UP * len(truth.means):
            told = f"arm {best} (the best) was never recommended"
            if times:
                told = f"arm {best} (the best) was recommended for the last time, of {times}"
            yield Sentence(last, told, Rank.BEST)
        yield Sentence(self._n_steps, self._how_it_ended(best, truth.means), Rank.END)

    def _how_it_ended(self, best: int, means: tuple[float, ...]) -> str:
        assert self._last is not None
        seen, named = self._last.seen, self._answer
        told = named_at_the_end(self._agent, named, self._end)
        if named == best:
            told += ", the best arm"
        else:
            short = rounded(means[best] - means[named])
            told += f", which is wrong: its mean is {short} below that of arm {best}"
        accepted = f"{brief(sum(seen.accepted))} of {brief(seen.steps)}"
        told += f". She accepted {accepted} recommendations"
        stuck = [_in_words(name, value) for name, value in self._last.said.items()]
        stuck = [each for each in stuck if each]
        if self._end != ANSWERED and stuck:
            told += f". It was left with {'; '.join(stuck)}"
        return told


def _in_words(name: str, value: Explained) -> str:
    """Return what an agent compares, or calls by a word; nothing of other things."""
    if isinstance(value, str):
        return f"{name}: {value}"
    if isinstance(value, Against) and isinstance(value.value, float):
        return f"{name}: {number_in_words(value.value)} / {number_in_words(value.target)}"
    return ""
