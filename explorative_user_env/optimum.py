"""The tiny task, whose best possible agent is computed exactly.

A user has K = 2 arms with Bernoulli rewards; either arm is the better one with probability 1/2. An
agent knows the acceptances n_0 and n_1 and the step t. It does not know the better arm, nor the
number of successes s_0 and s_1 among the user's rewards. The agent's belief is the joint
distribution of the better arm, s_0 and s_1 given the responses. A response of the user rules out a
part of the belief, and after an acceptance one success or failure is added to the rest. Backward
recursion over all beliefs gives the best expected return. The same tree of beliefs gives the exact
return of a deterministic agent.
"""

import functools
import math
import pickle
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import validation
from explorative_user_env.protocol import BAI, REGRET, Agent, Array, name_of, needs_horizon
from explorative_user_env.users import model
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError

__all__ = [
    "ExactScore",
    "OptimalAgent",
    "TinyTask",
    "exact_score",
    "gap_to_optimum",
    "optimal_value",
]

#: The most steps of a tiny task; the number of beliefs grows exponentially.
LONGEST = 40

#: Beliefs that agree to this many digits are one belief.
DIGITS = 13

#: The action of `Solution.best` that ends the episode; the others are arms.
ANSWER = 2


@dataclass(frozen=True)
class EitherOrder:
    """The law of two means in either order, each with probability 1/2."""

    means: tuple[float, float]

    def __call__(self, n_arms: int, rng: np.random.Generator) -> tuple[float, ...]:
        """Return the means of a user."""
        return self.means if rng.random() < 0.5 else self.means[::-1]


@dataclass(frozen=True)
class TinyTask:
    """A task of `ExplorativeUserTiny-v0`, or the same user in the task "regret".

    Attributes:
        alpha: the user's willingness to explore, above 0.
        horizon: in 2..40. In "regret" the number of recommendations. In "bai" an episode ends
            after `horizon` recommendations without an answer, so an agent has to answer after at
            most `horizon` - 1 recommendations.
        step_cost: c, the cost of a recommendation in "bai", at least 0.
        task: "bai" or "regret".
        means: the means of the better and the other arm, in [0, 1].

    Raises:
        InvalidArgumentError: naming the attribute that is out of range.
    """

    alpha: float = 0.1
    horizon: int = 15
    step_cost: float = 0.02
    task: str = BAI.name
    means: tuple[float, float] = (0.9, 0.1)

    def __post_init__(self) -> None:
        steps = validation.integer("horizon", self.horizon, 2)
        if steps > LONGEST:
            raise InvalidArgumentError("horizon", steps, f"at most {LONGEST}")
        validation.choice("task", self.task, (BAI.name, REGRET.name))
        validation.not_negative("step_cost", self.step_cost)
        better, other = validation.finite_vector("means", self.means, 2)
        if not 0.0 <= other < better <= 1.0:
            raise InvalidArgumentError("means", self.means, "two numbers in [0, 1], larger first")
        object.__setattr__(self, "means", (better, other))
        _ = self.population  # validates alpha

    @property
    def most_recommendations(self) -> int:
        """The largest number of recommendations in a run; in "bai" the agent then answers."""
        return self.horizon - 1 if self.task == BAI.name else self.horizon

    @functools.cached_property
    def population(self) -> Population:
        """The users, as `evaluate` takes them."""
        return Population(**self.user_options)

    @property
    def user_options(self) -> dict[str, Any]:
        """The options of the users, for `evaluate` or `gym.make`."""
        law, gap = EitherOrder(self.means), self.means[0] - self.means[1]
        return {
            "n_arms": 2,
            "alpha": self.alpha,
            "reward_law": "bernoulli",
            "means": law,
            "gap": gap,
        }


#: The task of `ExplorativeUserTiny-v0` with default arguments.
DEFAULT = TinyTask()


class ExactScore(NamedTuple):
    """The exact score of an agent in a tiny task.

    Attributes:
        value: the expected return: 1 - c E[T] - 2 P(error), or minus the expected regret.
        time: E[T], the expected number of recommendations.
        error: the probability of a wrong answer; NaN in "regret".
    """

    value: float
    time: float
    error: float

    @property
    def loss(self) -> float:
        """The expected regret, or (c / 2) E[T] + P(error), which is (1 - value) / 2."""
        return -self.value if math.isnan(self.error) else (1.0 - self.value) / 2.0


class Solution:
    """The best actions in a tiny task, by backward recursion over beliefs.

    A belief is an array of probabilities, shape (2, n_0 + 1, n_1 + 1). Its entry [b, s_0, s_1] is
    the probability that arm b is better and that arms 0 and 1 have s_0 and s_1 successes.
    """

    def __init__(self, tiny: TinyTask) -> None:
        self.tiny = tiny
        self.first = np.full((2, 1, 1), 0.5)
        self._best: dict[tuple[Any, ...], tuple[float, int]] = {}
        self._decisions: dict[tuple[int, ...], Array] = {}

    def best(self, t: int, belief: Array) -> tuple[float, int]:
        """Return the best expected return of the remaining steps, and the action that gives it."""
        key = (t, belief.shape, belief.round(DIGITS).tobytes())
        if key not in self._best:
            self._best[key] = self._look_ahead(t, belief)
        return self._best[key]

    def _look_ahead(self, t: int, belief: Array) -> tuple[float, int]:
        tiny, better = self.tiny, belief.sum(axis=(1, 2))
        ends, regret = t == tiny.most_recommendations, tiny.task == REGRET.name
        choices = []
        if ends or not regret:  # the end of a regret run, or an answer
            choices.append((0.0 if regret else 2.0 * float(better.max()) - 1.0, ANSWER))
        for arm in () if ends else (0, 1):
            value = -tiny.step_cost
            if regret:
                value = -float(better[1 - arm]) * (tiny.means[0] - tiny.means[1])
            for probability, after in self.responses(t, belief, arm):
                if probability > 0.0:
                    value += probability * self.best(t + 1, after / probability)[0]
            choices.append((value, arm))
        return max(choices, key=lambda choice: choice[0])

    def responses(self, t: int, belief: Array, arm: int) -> list[tuple[float, Array]]:
        """Return (P(response), P(response) * next belief) for a rejection and an acceptance."""
        rejects = self._rejects(t, belief.shape)[arm]
        rejected, accepted = np.where(rejects, belief, 0.0), np.where(rejects, 0.0, belief)
        shape = list(belief.shape)
        shape[1 + arm] += 1
        grown, n = np.zeros(shape), shape[1 + arm] - 1
        for order in (0, 1):
            mean = self.tiny.means[order != arm]
            by_successes = np.moveaxis(grown[order], arm, 0)
            seen = np.moveaxis(accepted[order], arm, 0)
            by_successes[:n] += (1.0 - mean) * seen
            by_successes[1:] += mean * seen
        return [(float(weights.sum()), weights) for weights in (rejected, grown)]

    def _rejects(self, t: int, shape: tuple[int, ...]) -> Array:
        """Return an array whose entry [arm, s_0, s_1] states whether the user rejects the arm."""
        key = (t, *shape)
        if key in self._decisions:
            return self._decisions[key]
        users, counts = self.tiny.population, [shape[1] - 1, shape[2] - 1]
        state = model.blank_state(users.user)
        state.counts[:] = counts
        state.scales[:] = [1.0 / math.sqrt(n) if n else model.UNSEEN for n in counts]
        state.acceptances[0] = sum(counts)
        state.interactions[0] = state.refreshed[0] = t
        logarithm = model.log_confidence(users.user, state, users.schedule.rule)
        state.spread[0] = math.sqrt(max(0.0, 2.0 * users.alpha * logarithm))
        decisions = self._decisions[key] = np.zeros(shape, bool)
        for successes in np.ndindex(*shape[1:]):
            state.estimates[:] = [s / max(n, 1) for s, n in zip(successes, counts, strict=True)]
            for arm in (0, 1):
                state.ceiling[0], state.ceiling_spread[0] = -math.inf, math.inf
                decisions[(arm, *successes)] = model.rejects(users.user, state, arm)
        return decisions


@functools.lru_cache(16)
def solution(tiny: TinyTask) -> Solution:
    """Return the solution of a tiny task; it computes and stores values when they are needed."""
    return Solution(tiny)


def optimal_value(tiny: TinyTask = DEFAULT) -> float:
    """Return the best expected return of any agent in a tiny task."""
    solved = solution(validation.of_class("tiny", tiny, TinyTask))
    return solved.best(0, solved.first)[0]


class OptimalAgent(Agent):
    """The best possible agent in a tiny task, which recommends by the exact solution.

    Args:
        tiny: the task.
        agent: another agent that chooses the recommendations; then only the answer is optimal. None
            recommends by the exact solution.

    Raises:
        InvalidArgumentError: if there are not two arms, or after a response that the user of this
            task never gives.
    """

    def __init__(self, tiny: TinyTask = DEFAULT, agent: Agent | None = None) -> None:
        self.tiny, self.agent = validation.of_class("tiny", tiny, TinyTask), agent
        self.name = "optimum" if agent is None else f"{name_of(agent)} with the optimal answer"

    @property
    def trained_on(self) -> dict[str, Any]:
        """The kind of task and the K of the users, as arguments of `evaluate`."""
        return {"task": self.tiny.task, "n_arms": 2}

    @property
    def options(self) -> dict[str, Any]:
        """The task and the options of the other agent, which identify this agent."""
        other = {} if self.agent is None else {"agent": getattr(self.agent, "options", self.agent)}
        return asdict(self.tiny) | other

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Start with a new user."""
        if n_arms != 2:
            raise InvalidArgumentError("n_arms", n_arms, "2 for the optimal agent")
        if self.agent is not None:
            self.agent.reset(n_arms, rng, horizon)
        self._t, self._belief = 0, solution(self.tiny).first

    def act(self) -> int | None:
        """Return the arm to recommend, or None to answer."""
        if self._t >= self.tiny.most_recommendations:
            return None
        if self.agent is not None:
            return self.agent.act()
        action = solution(self.tiny).best(self._t, self._belief)[1]
        return None if action == ANSWER else action

    def observe(self, arm: int, accepted: bool) -> None:
        """Update the belief."""
        probability, weights = solution(self.tiny).responses(self._t, self._belief, arm)[accepted]
        if probability == 0.0:
            allowed = f"{not accepted} at this step for a user of {self.tiny}"
            raise InvalidArgumentError("accepted", accepted, allowed)
        if self.agent is not None:
            self.agent.observe(arm, accepted)
        self._t, self._belief = self._t + 1, weights / probability

    def answer(self) -> int:
        """Return the arm that is more probably the better arm."""
        return int(self._belief.sum(axis=(1, 2)).argmax())

    def explain(self) -> dict[str, Any]:
        """Return the probability that each arm is the better arm."""
        return {"P(best)": self._belief.sum(axis=(1, 2)).tolist()}


class _Tie:
    """A random stream for `exact_score`: the agent may use it only to answer one of tied arms."""

    agent = ""
    number: float | None = None  # decides a tie of two arms

    def __getattr__(self, name: str) -> Any:
        if name == "random" and self.number is not None:
            return lambda: self.number
        if name.startswith("__"):
            raise AttributeError(name)
        allowed = "deterministic, except for the answer among tied arms"
        raise InvalidArgumentError("agent", self.agent, allowed)

    def __reduce__(self) -> str:
        return "_TIE"  # copies of an agent share the stream


_TIE = _Tie()


def exact_score(agent: Agent, tiny: TinyTask = DEFAULT) -> ExactScore:
    """Return the exact score of a deterministic agent in a tiny task, without sampling.

    As in `evaluate` with `max_steps=horizon - 1`, an agent that reaches the step cap answers. In
    "regret" an agent that stops then recommends its answer. The agent may draw a random number only
    to answer one of several tied arms.

    Args:
        agent: an agent that can be pickled, with all options set.
        tiny: the task.

    Raises:
        InvalidArgumentError: if the agent draws other random numbers.
    """
    solved, regret = solution(validation.of_class("tiny", tiny, TinyTask)), tiny.task == REGRET.name
    _TIE.agent, timed = name_of(agent), regret or needs_horizon(agent)
    agent.reset(2, _TIE, tiny.most_recommendations if timed else None)  # type: ignore[arg-type]
    nodes = {(pickle.dumps(agent), solved.first.shape): solved.first}
    value = time = error = 0.0
    for t in range(tiny.most_recommendations + 1):
        after: dict[tuple[bytes, Any], Any] = defaultdict(float)
        for (node, _), weights in nodes.items():
            better, moved = weights.sum(axis=(1, 2)), pickle.loads(node)
            arm = None if t == tiny.most_recommendations else moved.act()
            if arm is None:
                wrong = float(better @ _wrong_answers(node))
                error += wrong
                left = tiny.horizon - t
                value -= (tiny.means[0] - tiny.means[1]) * left * wrong if regret else 2.0 * wrong
                continue
            time += float(better.sum())
            lost = float(better[1 - arm]) * (tiny.means[0] - tiny.means[1])
            value -= lost if regret else tiny.step_cost * float(better.sum())
            for accepted, (probability, next_weights) in enumerate(
                solved.responses(t, weights, arm)
            ):
                if probability > 0.0:
                    then = pickle.loads(pickle.dumps(moved))
                    then.observe(arm, bool(accepted))
                    after[pickle.dumps(then), next_weights.shape] += next_weights
        nodes = after
    if regret:
        return ExactScore(value, float(tiny.horizon), math.nan)
    return ExactScore(1.0 + value, time, error)


def _wrong_answers(node: bytes) -> Array:
    """Return P(wrong answer | arm b is better) for b = 0, 1; tied arms are equally likely."""
    chosen = []
    try:
        for _TIE.number in (0.25, 0.75):
            chosen.append(pickle.loads(node).answer())
    finally:
        _TIE.number = None
    return 1.0 - np.bincount(chosen, minlength=2) / 2.0


def gap_to_optimum(agent: Agent | float, tiny: TinyTask = DEFAULT) -> float:
    """Return the optimal expected return minus the agent's, at least 0.

    Args:
        agent: a deterministic agent, as in `exact_score`, or a measured mean return.
        tiny: the task.
    """
    value = exact_score(agent, tiny).value if isinstance(agent, Agent) else float(agent)
    return optimal_value(tiny) - value
