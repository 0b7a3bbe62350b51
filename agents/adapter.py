"""`AlgorithmAgent`, an agent that calls the functions of an `Algorithm`, and helper functions."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from explorative_user_env import validation
from explorative_user_env.protocol import STOP, Agent, Algorithm
from explorative_user_env.validation import InvalidArgumentError, choice, integer, is_name

#: The option through which an algorithm receives the step cap.
CAP = "max_steps"

#: Appended to the docstring of every function that makes an agent.
LAST_ARGUMENTS = (
    "\n    max_steps: step cap; a run that reaches it is censored and answers its best guess."
    "\n    name: the agent's name in tables, which also seeds its random stream."
    "\n\nRaises:\n    InvalidArgumentError: naming the option that is out of range."
)


class AlgorithmAgent(Agent):
    """An agent that runs an algorithm with given options (see `explorative_user_env.protocol`).

    Args:
        algorithm: the record of the agent's functions and default options.
        options: values by option name. `informed` replaces None with a value of the population.
            An option that stays None has the algorithm's default.
        name: the agent's name in tables, which also seeds its random stream; by default the name
            of the algorithm.
        max_steps: step cap of a run, at least 1; by default the cap of the setting or evaluation.
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
            raise InvalidArgumentError("name", name, "a nonempty string")
        self.max_steps = None if max_steps is None else integer("max_steps", max_steps, 1)
        unknown = set(self.options) - set(self.known_options)
        if unknown:
            raise InvalidArgumentError("options", sorted(unknown), f"among {self.known_options}")
        # Validates the options now rather than in the first run.
        self.params(n_arms=2, horizon=2)

    @property
    def needs_horizon(self) -> bool:
        """Whether the algorithm needs a horizon and the agent's options do not set it."""
        return not self.algorithm.stops_itself and self.options.get("horizon") is None

    @property
    def sees_rewards(self) -> bool:
        """Whether the agent sees realized rewards, which `learn` receives."""
        return self.algorithm.learn is not None

    @property
    def known_options(self) -> list[str]:
        """The names of the algorithm's options, without the step cap."""
        return sorted({*self.algorithm.defaults} - {CAP})

    def informed(self, facts: Mapping[str, Any], max_steps: int | None = None) -> "AlgorithmAgent":
        """Return an agent whose unset options come from `facts`, or `self` if no option changes.

        Args:
            facts: values by option name. The entry `max_steps` is the cap of an agent without one.
            max_steps: the largest step cap that the returned agent may have; None sets no limit.
        """
        old = {each: self.options.get(each) for each in self.algorithm.defaults if each != CAP}
        filled = {name: facts.get(name) if value is None else value for name, value in old.items()}
        caps = [cap for cap in (self.max_steps, max_steps) if cap is not None]
        cap = min(caps, default=facts.get("max_steps"))
        if filled == old and cap == self.max_steps:
            return self
        return AlgorithmAgent(self.algorithm, filled, self.name, cap)

    def params(self, n_arms: int, horizon: int | None) -> Any:
        """Return the parameters of a run; `horizon` is None if the algorithm needs none."""
        given = {**self.options, CAP: self.max_steps}
        chosen = {
            name: default if given.get(name) is None else given[name]
            for name, default in self.algorithm.defaults.items()
        }
        return self.algorithm.prepare(chosen, n_arms, horizon)

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Start with a new user; see `protocol.Agent.reset`."""
        self._params = self.params(n_arms, horizon)
        self._rng = rng
        self._state = self.algorithm.blank(self._params)
        self.algorithm.start(self._params, self._state, rng)

    def next_user(self) -> None:
        """Start with the next user of an episode; see `protocol.Agent`."""
        begin = self.algorithm.next_user or self.algorithm.start
        begin(self._params, self._state, self._rng)

    def act(self) -> int | None:
        """Return the arm to recommend, or None to stop."""
        arm = self.algorithm.act(self._params, self._state, self._rng)
        return None if arm == STOP else arm

    def observe(self, arm: int, accepted: bool) -> None:
        """Learn from a response."""
        self.algorithm.observe(self._params, self._state, arm, accepted)

    def learn(self, arm: int, reward: float) -> None:
        """Learn from the realized reward of an accepted recommendation, after `observe`.

        Raises:
            TypeError: if `sees_rewards` is False.
        """
        if self.algorithm.learn is None:
            raise TypeError(f"{self.name} learns from responses only, not from rewards")
        self.algorithm.learn(self._params, self._state, arm, reward)

    def tell(self, best_arm: int) -> None:
        """Pass the best arm to the algorithm before the first step, if it has a function `tell`."""
        if self.algorithm.tell is not None:
            self.algorithm.tell(self._params, self._state, best_arm)

    def answer(self) -> int:
        """Return the answer, the arm believed to be the best."""
        return self.algorithm.verdict(self._params, self._state, self._rng)

    def explain(self) -> Mapping[str, Any]:
        """Return the algorithm's explanation of its state, or {} if it has no `explain`."""
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
    """Return a decorator for a function with an empty body, which then makes agents of `algorithm`.

    The decorated function has keyword arguments for the options (None by default), `max_steps` and
    `name`. The decorator adds a description of `max_steps` and `name` to the docstring.

    Args:
        algorithm: the record of the agent's functions and default options.
        name: default name of the agents; if it is None, the algorithm's name.
        options: options that a caller may set; if it is None, all options.
        **fixed: values of options that a caller may not set.
    """
    default = algorithm.name if name is None else name
    chosen = [each for each in algorithm.defaults if each != CAP] if options is None else options
    kind = inspect.Parameter.KEYWORD_ONLY
    values = {**dict.fromkeys([*chosen, CAP]), "name": default}
    signature = inspect.Signature(
        [inspect.Parameter(each, kind, default=value) for each, value in values.items()],
        return_annotation=AlgorithmAgent,
    )

    def decorate(described: Callable[[], AlgorithmAgent]) -> Callable[..., AlgorithmAgent]:
        @functools.wraps(described)
        def make(**given: Any) -> AlgorithmAgent:
            validation.known_names(given, values)
            full: dict[str, Any] = values | given
            options = fixed | {each: full[each] for each in chosen}
            return AlgorithmAgent(algorithm, options, full["name"], full[CAP])

        vars(make)["__signature__"] = signature
        make.__doc__ = f"{inspect.getdoc(described)}{LAST_ARGUMENTS}"
        return make

    return decorate


def given_horizon(option: int | None, horizon: int | None) -> int:
    """Return T: the agent's option `horizon`, or else the horizon of the run."""
    steps = horizon if option is None else option
    if steps is None:
        raise InvalidArgumentError("horizon", None, "given for an agent without a stopping rule")
    return integer("horizon", steps, 1)


def is_second(options: Mapping[str, Any], name: str, first: str, second: str) -> bool:
    """Return whether the option `name`, a choice of two words, has the value `second`."""
    return choice(name, options[name], (first, second)) == second


def largest(counts: Sequence[int], rng: np.random.Generator, first: bool = False) -> int:
    """Return the index of the largest count.

    If counts tie, `rng` draws one of the tied indices. If `first` is True, the function returns the
    smallest tied index. The released code does so, although it favours arms with small indices.
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
