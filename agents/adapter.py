"""An algorithm record with its options as an agent, and what the algorithms share."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from explorative_user_env.protocol import STOP, Agent, Algorithm
from explorative_user_env.validation import InvalidArgumentError, choice, integer, is_name

#: The option of an algorithm that asks for the step cap.
CAP = "max_steps"

#: The end of the docstring of every function that makes an agent.
LAST_ARGUMENTS = (
    "\n    max_steps: step cap; a run that reaches it is censored and answers its best guess."
    "\n    name: what tables and the random stream call the agent."
    "\n\nRaises:\n    InvalidArgumentError: naming the option that is out of range."
)


class AlgorithmAgent(Agent):
    """An algorithm with its options, as an agent (`explorative_user_env.protocol.Agent`).

    Args:
        algorithm: the record with the rule.
        options: the algorithm's options; one left at None is open, to be filled by what is
            known of the users (`informed`) or else by the algorithm's default.
        name: what tables and the random stream call it; None is the algorithm's name.
        max_steps: step cap of a run, at least 1; None leaves it to the setting or the harness.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        options: Mapping[str, Any],
        name: str | None = None,
        max_steps: int | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.options = dict(options)
        self.name = algorithm.name if name is None else name
        if not is_name(self.name):
            raise InvalidArgumentError("name", name, "a word, as the random stream follows from it")
        self.max_steps = None if max_steps is None else integer("max_steps", max_steps, 1)
        unknown = set(self.options) - set(self.known_options)
        if unknown:
            raise InvalidArgumentError("options", sorted(unknown), f"among {self.known_options}")
        # A wrong option is an error where it is written, not where it is first used.
        self.params(n_arms=2, horizon=2)

    @property
    def needs_horizon(self) -> bool:
        """Whether the algorithm runs to a horizon, and none is among the options."""
        return not self.algorithm.stops_itself and self.options.get("horizon") is None

    @property
    def sees_rewards(self) -> bool:
        """Whether it is told realized rewards, as a reference is and no agent may be."""
        return self.algorithm.learn is not None

    @property
    def known_options(self) -> list[str]:
        """The names of the algorithm's options; the step cap is the agent's."""
        return sorted({*self.algorithm.defaults} - {CAP})

    def informed(self, facts: Mapping[str, Any], max_steps: int | None = None) -> "AlgorithmAgent":
        """Return this agent with its open options taken from `facts`, where they say something.

        It is the very same agent where nothing of it is open that they tell.

        Args:
            facts: values by the name of an option, `max_steps` among them.
            max_steps: a step cap that holds for everyone: the agent's own may only be smaller.
        """
        own = {each: self.options.get(each) for each in self.algorithm.defaults if each != CAP}
        filled = {name: facts.get(name) if value is None else value for name, value in own.items()}
        caps = [cap for cap in (self.max_steps, max_steps) if cap is not None]
        cap = min(caps, default=facts.get("max_steps"))
        if filled == own and cap == self.max_steps:
            return self
        return AlgorithmAgent(self.algorithm, filled, self.name, cap)

    def params(self, n_arms: int, horizon: int | None) -> Any:
        """Return the numbers of a run with `n_arms` arms, to `horizon` where one is needed."""
        given = {**self.options, CAP: self.max_steps}
        chosen = {
            name: default if given.get(name) is None else given[name]
            for name, default in self.algorithm.defaults.items()
        }
        return self.algorithm.prepare(chosen, n_arms, horizon)

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Get ready for a new user; see `protocol.Agent.reset`."""
        self._params = self.params(n_arms, horizon)
        self._rng = rng
        self._state = self.algorithm.blank(self._params)
        self.algorithm.start(self._params, self._state, rng)

    def next_user(self) -> None:
        """Begin with the user who comes after the last; see `protocol.Agent`."""
        begin = self.algorithm.next_user or self.algorithm.start
        begin(self._params, self._state, self._rng)

    def act(self) -> int | None:
        """Return the arm to recommend, or None when done."""
        arm = self.algorithm.act(self._params, self._state, self._rng)
        return None if arm == STOP else arm

    def observe(self, arm: int, accepted: bool) -> None:
        """Take in a response."""
        self.algorithm.observe(self._params, self._state, arm, accepted)

    def learn(self, arm: int, reward: float) -> None:
        """Take in the realized reward of an accepted recommendation, after its `observe`.

        Raises:
            TypeError: if the agent is none that `sees_rewards`.
        """
        if self.algorithm.learn is None:
            raise TypeError(f"{self.name} sees responses only, and may not be told a reward")
        self.algorithm.learn(self._params, self._state, arm, reward)

    def answer(self) -> int:
        """Return the arm believed to be the best."""
        return self.algorithm.verdict(self._params, self._state, self._rng)

    def explain(self) -> Mapping[str, Any]:
        """Return what the algorithm says of its state; nothing where its record has no words."""
        if self.algorithm.explain is None:
            return {}
        return self.algorithm.explain(self._params, self._state)

    def __repr__(self) -> str:
        given = {**self.options, CAP: self.max_steps}.items()
        shown = ", ".join(f"{name}={value!r}" for name, value in given if value is not None)
        return f"{self.name}({shown})"


def agent_maker(
    algorithm: Algorithm,
    *,
    name: str | None = None,
    options: Sequence[str] | None = None,
    **fixed: Any,
) -> Callable[[Callable[[], AlgorithmAgent]], Callable[..., AlgorithmAgent]]:
    """Make a function without a body into one that returns the agent of `algorithm`.

    Its keyword arguments are options of the algorithm, None where not given, which its docstring
    explains, `max_steps` and `name`, which are explained here.

    Args:
        algorithm: the record with the rule and the defaults of the options.
        name: the usual name of the agent; None is the algorithm's.
        options: the options that a caller may choose; None is all.
        **fixed: values of other options.
    """
    usual = algorithm.name if name is None else name
    chosen = [each for each in algorithm.defaults if each != CAP] if options is None else options
    kind = inspect.Parameter.KEYWORD_ONLY
    values = {**dict.fromkeys([*chosen, CAP]), "name": usual}
    signature = inspect.Signature(
        [inspect.Parameter(each, kind, default=value) for each, value in values.items()],
        return_annotation=AlgorithmAgent,
    )

    def decorate(described: Callable[[], AlgorithmAgent]) -> Callable[..., AlgorithmAgent]:
        @functools.wraps(described)
        def make(**given: Any) -> AlgorithmAgent:
            asked: dict[str, Any] = values | signature.bind(**given).arguments
            own = {each: asked[each] for each in chosen}
            return AlgorithmAgent(algorithm, fixed | own, asked["name"], asked[CAP])

        vars(make)["__signature__"] = signature
        make.__doc__ = f"{inspect.getdoc(described)}{LAST_ARGUMENTS}"
        return make

    return decorate


def given_horizon(own: int | None, horizon: int | None) -> int:
    """Return T: the agent's own option, or else what the run says."""
    steps = horizon if own is None else own
    if steps is None:
        raise InvalidArgumentError("horizon", None, "given to an agent that does not stop itself")
    return integer("horizon", steps, 1)


def is_second(options: Mapping[str, Any], name: str, first: str, second: str) -> bool:
    """Return whether an option of two words is the second."""
    return choice(name, options[name], (first, second)) == second


def largest(counts: Sequence[int], rng: np.random.Generator, first: bool = False) -> int:
    """Return the index of the largest count; among tied ones a random one, or the first.

    Breaking ties by the first index would favour low arms (a tie of all arms would always answer
    arm 0), so `first` is for the released code's habit only. Draws from `rng` only for a tie.
    """
    best = 0
    n_tied = 1
    for index in range(1, len(counts)):
        if counts[index] > counts[best]:
            best = index
            n_tied = 1
        elif counts[index] == counts[best]:
            n_tied += 1
    if first or n_tied == 1:
        return best
    skip = int(rng.random() * n_tied)
    for index in range(best, len(counts)):
        if counts[index] == counts[best]:
            if skip == 0:
                return index
            skip -= 1
    return best
