"""Users who behave in another way than the paper's: what an agent meets if the model is wrong."""

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import exp, inf, sqrt
from numbers import Integral
from types import CodeType, FrameType
from typing import Any, ParamSpec

import numpy as np

from explorative_user_env.protocol import STEP_CAP
from explorative_user_env.users import model as explorative
from explorative_user_env.users import model as rules
from explorative_user_env.users.instances import Instance, InstanceLaw, at_least_one
from explorative_user_env.users.laws import Rule, Stream, around_one, reflected, rule_name
from explorative_user_env.users.model import UNSEEN, RememberingState, User, UserState, blank_state
from explorative_user_env.validation import (
    CallableError,
    InvalidArgumentError,
    check_fields,
    count,
    handed_in,
    not_negative,
    positive,
    probability,
)
from explorative_user_env.validation import probability as share

__all__ = [
    "drifting",
    "forgetful",
    "impatient",
    "logistic",
    "omniscient",
    "register_behaviour",
    "varied",
]


MOST_REMEMBERED = 100_000_000
"""Numbers that one user keeps besides her state, which take most of a GB."""


@dataclass(frozen=True)
class Behaviour:
    """What a user does with a recommendation.

    Args:
        name: what it is called.
        start: `start(user, state, rng)` makes the state a new user's, whose `means` are set.
        respond: `respond(user, state, rule, arm, rng) -> accepted`, as `explorative.respond`. Plain
            arithmetic and `math` keep both compilable.
        parameters: numbers that the state's `memory` begins with.
        memory: how many further numbers a user keeps there, 0 at first.
        memory_per_arm: how many for each arm, besides.
        moves_means: whether mu_i changes while she lives. Her best arm is then the one with the
            largest mean at the time of the answer, and not that of her instance.
        leaves: `leaves(user, state, accepted, rng) -> bool`, asked after every response, of which
            `state` knows: whether she leaves now. Compilable as `respond` is; None is a user who
            never does.
        rho: `rho(user, state, rule) -> rho_t`, for who is shown the truth about her.
        gap_factor: at least 1; her own gap is log-uniform in [gap / factor, gap * factor].

    Raises:
        InvalidArgumentError: naming the field that does not hold what its type says.
    """

    name: str
    start: Callable[..., None] = explorative.start
    respond: Callable[..., bool] = explorative.respond
    parameters: tuple[float, ...] = ()
    memory: int = 0
    memory_per_arm: int = 0
    moves_means: bool = False
    leaves: Callable[..., bool] | None = None
    rho: Callable[..., float] = explorative.rho
    gap_factor: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self)

    def memory_of(self, n_arms: int) -> list[float]:
        """Return the memory of a user with K arms, to be filled by `start`.

        Raises:
            InvalidArgumentError: if it is too large.
        """
        size = self.memory + self.memory_per_arm * n_arms
        if size > MOST_REMEMBERED:
            allowed = f"one of whom a user of {n_arms} arms remembers {MOST_REMEMBERED} at most"
            raise InvalidArgumentError("behaviour", self.name, allowed)
        return [*self.parameters, *[0.0] * size]

    def blank(self, user: User) -> UserState:
        """Return a state of the right size, to be filled by `start`."""
        state = blank_state(user)
        memory = self.memory_of(user.n_arms)
        if not memory:
            return state
        own = {field.name: getattr(state, field.name) for field in fields(UserState)}
        return RememberingState(**own, memory=memory)

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """What it is made of."""
        own = (self.start, self.respond)
        return own if self.leaves is None else (*own, self.leaves)

    def checked_respond(self) -> Callable[..., bool]:
        """Return `respond` for a new user; if it is not the package's own, looked after.

        What compiled code takes in is `respond` itself.
        """
        if not handed_in(self.respond):
            return self.respond
        return Checked(self.respond, f"response of behaviour {self.name!r}")

    def checked_leaves(self) -> Callable[..., bool] | None:
        """Return `leaves` for a new user, looked after as by `checked_respond`."""
        if self.leaves is None or not handed_in(self.leaves):
            return self.leaves
        return Checked(self.leaves, f"leaving of behaviour {self.name!r}")

    def truth(self, instance: Instance, means: Sequence[float]) -> Instance:
        """Return a user's instance as it is now, from the one she had at first and her `means`."""
        if not self.moves_means:
            return instance
        values = tuple(means)
        return Instance(values, values.index(max(values)))


@dataclass(slots=True)
class Checked:
    """A `respond` or `leaves` that was handed in: its answers are looked at, its calls counted.

    Raises:
        InvalidArgumentError: naming `what` is neither True nor False.
    """

    asked: Callable[..., Any]
    what: str
    steps: int = 0

    def __call__(self, *arguments: Any) -> bool:
        """Return what the user says."""
        self.steps += 1
        told = self.asked(*arguments)
        if not isinstance(told, bool | np.bool_):
            raise InvalidArgumentError(self.what, told, "True or False")
        return bool(told)


def steps_of(respond: Callable[..., bool], state: UserState) -> int:
    """Return which step a user is in while she responds, by a `checked_respond`."""
    return respond.steps if isinstance(respond, Checked) else state.interactions[0]


EXPLORATIVE = Behaviour("explorative")
"""The paper's user (section 2), whose rule is `users.explorative`."""


_Parameters = ParamSpec("_Parameters")

_FORM = re.compile(r"([^()]+)\(([^()]*)\)")
_NONE = str(None)


def worded(factory: Callable[_Parameters, Behaviour]) -> Callable[_Parameters, Behaviour]:
    """Let the behaviours of a factory be called by the words that ask for them.

    Args:
        factory: returns the behaviour of its name; its parameters are numbers, or None.

    Returns:
        The factory, whose behaviours are called "name" with the usual parameters, and else
        "name(parameter=number)", with those that are not usual.
    """
    signature = inspect.signature(factory)

    @functools.wraps(factory)
    def named(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Behaviour:
        behaviour = factory(*args, **kwargs)  # which refuses what is no parameter of its
        given = signature.bind(*args, **kwargs).arguments
        usual = signature.parameters
        told = {name: value for name, value in given.items() if value != usual[name].default}
        return replace(behaviour, name=_words(factory.__name__, told)) if told else behaviour

    return named


def behaviour_in_words(
    text: str, factories: Mapping[str, Callable[..., Behaviour]]
) -> Behaviour | None:
    """Return the behaviour written as "name(parameter=number, ...)"; None if it is none so written.

    Args:
        text: what is written, as `Behaviour.name` is.
        factories: what may be asked for, by name.

    Raises:
        InvalidArgumentError: naming what is written wrong, or the parameter that is out of range.
    """
    form = _FORM.fullmatch(text.strip())
    name = form[1].strip() if form else ""
    if form is None or name not in factories:
        return None
    factory = factories[name]
    given: dict[str, float | None] = {}
    for parameter, value in _pairs(text, form[2], factory):
        if parameter in given:
            raise InvalidArgumentError("behaviour", text, f"one that says {parameter} once")
        given[parameter] = value
    try:
        return factory(**given)
    except InvalidArgumentError as error:
        whose = f"{error.name} of behaviour {name!r}"
        error.args, error.name = (error.spelled({error.name: whose}),), whose
        raise


def form_of(factory: Callable[..., Behaviour]) -> str:
    """Return how the behaviours of a factory are written."""
    return _words(factory.__name__, dict.fromkeys(inspect.signature(factory).parameters, "..."))


def _pairs(
    text: str, inner: str, factory: Callable[..., Behaviour]
) -> Iterator[tuple[str, float | None]]:
    """Yield each parameter with what is written as its value."""
    name, known = factory.__name__, [*inspect.signature(factory).parameters]
    for part in inner.split(",") if inner.strip() else ():
        parameter, equals, value = (each.strip() for each in part.partition("="))
        if not equals:
            raise InvalidArgumentError("behaviour", text, f"written as {form_of(factory)}")
        if parameter not in known:
            allowed = f"one whose parameters are among {', '.join(known)}"
            raise InvalidArgumentError("behaviour", text, allowed)
        yield parameter, _value(f"{parameter} of behaviour {name!r}", value)


def _value(name: str, text: str) -> float | None:
    """Return what is written as a whole number as one, another number as such, None as None."""
    if text == _NONE:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    raise InvalidArgumentError(name, text, "a number or None")


def _words(name: str, told: Mapping[str, Any]) -> str:
    return f"{name}({', '.join(f'{each}={_word(value)}' for each, value in told.items())})"


def _word(value: Any) -> str:
    """Return a number as it is read back to the bit, anything else as it is."""
    if value is None or isinstance(value, Integral | str):
        return str(value)
    return repr(float(value)).removesuffix(".0")


def failed_response(
    error: Exception,
    user: User,
    rule: Rule,
    behaviour: Behaviour,
    where: str,
) -> CallableError:
    """Return the error of a response: of the rule of rho_t, of its value, or of the behaviour.

    Args:
        error: what was raised.
        user: the numbers of the user.
        rule: the rule of rho_t.
        behaviour: whose `respond` it was.
        where: with whom and when.
    """
    frames = list(_frames_of(error))
    error = _of_value(frames, user, rule) or error
    rho, law = (explorative.rho, rule), (explorative.realize, user.own_law.draw)
    part = _deepest(frames, rho=rho, law=law, respond=(behaviour.respond,))
    named = {"rho": f"rho ({rule_name(rule)})", "law": law_in_words(user)}
    whose = named.get(part or "", f"respond of behaviour {behaviour.name!r}")
    return CallableError.of(whose, error, where)


def failed_leaving(error: Exception, behaviour: Behaviour, where: str) -> CallableError:
    """Return the error of a behaviour's `leaves`.

    Args:
        error: what was raised.
        behaviour: whose it was.
        where: with whom and when.
    """
    return CallableError.of(f"leaves of behaviour {behaviour.name!r}", error, where)


def law_in_words(user: User) -> str:
    """Return what a reward law of one's own is called."""
    return f"reward_law {user.own_law.name!r}"


def not_finite(user: User, reward: Any) -> InvalidArgumentError:
    """Return the error of a reward that is no finite number."""
    return InvalidArgumentError(
        f"reward of {law_in_words(user)}", _plain(reward), "a finite number"
    )


def _plain(value: Any) -> Any:
    """Return a number of NumPy's as one of Python's, anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def _of_value(frames: Sequence[FrameType], user: User, rule: Rule) -> Exception | None:
    """Return what is wrong with a value that came back, and cannot be asked for again."""
    last = frames[-1]
    if last.f_code is _code_of(explorative.rho) and "current" in last.f_locals:
        allowed = f"in [{user.rho_0:g}, {user.rho_1:g}], the range declared for {rule_name(rule)}"
        return InvalidArgumentError("rho_t", _plain(last.f_locals["current"]), allowed)
    return _of_reward(frames, user)


def _of_reward(frames: Sequence[FrameType], user: User) -> Exception | None:
    last = frames[-1]
    if last.f_code is _code_of(explorative.realize) and "reward" in last.f_locals:
        return not_finite(user, last.f_locals["reward"])
    return None


def failed_start(
    error: Exception, user: User, law: InstanceLaw, behaviour: Behaviour, who: str
) -> Exception:
    """Return the error of a user's start: of the callable that gives the means, or of `start`.

    Or of the reward law, by which she takes her private draws. An instance that cannot be, where no
    callable gave it, is an error as it is.
    """
    where = f"at the start of {who}"
    frames = list(_frames_of(error))
    drawing = (explorative.realize, user.own_law.draw)
    part = _deepest(frames, means=(law.own,), law=drawing, start=(behaviour.start,))
    if part == "law":
        return CallableError.of(law_in_words(user), _of_reward(frames, user) or error, where)
    if part is None and isinstance(error, InvalidArgumentError) and law.own is None:
        return error
    if part == "start":
        return CallableError.of(f"start of behaviour {behaviour.name!r}", error, where)
    return CallableError.of(f"means ({law.title})", error, where)


def met(seed: int, later: int, given: bool = False, lane: int | None = None) -> str:
    """Return in words the user of an environment, by what meets her again if anything does.

    Args:
        seed: the seed of the last reset that had one.
        later: how many users came after the one whom it met. Where a stream goes on from depends
            on how long its users were there, so that seeds alone do not meet these again.
        given: whether her means were given to the reset.
        lane: hers among many.
    """
    her = "the user" if lane is None else f"the user in lane {lane}"
    if later:
        place = f"number {later + 1} on the stream of seed {seed}"
        return f"{her}, {place}, which goes on where the one before left it"
    reset = f"env.reset(seed={seed}{', options=...' if given else ''})"
    if lane is None:
        return f"{her} that {reset} meets again"
    return f"{her}, whom {reset} of a single environment meets again"


def _frames_of(error: BaseException) -> Iterator[FrameType]:
    """Yield the frames that an error came by, the one that raised it last."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _deepest(frames: Iterable[FrameType], **asked: Iterable[Any]) -> str | None:
    """Return the name of the callables whose code is nearest to where the error was raised."""
    names = {_code_of(each): name for name, functions in asked.items() for each in functions}
    found = [names[frame.f_code] for frame in frames if frame.f_code in names]
    return found[-1] if found else None


def _code_of(function: Any) -> CodeType | None:
    """Return the code of a function, a method or an object that is called; None of one in C."""
    while isinstance(function, functools.partial):
        function = function.func
    if not hasattr(function, "__code__"):
        function = type(function).__call__
    return getattr(function, "__code__", None)


LEAVING = 0.02
"""Probability that a rejection makes an impatient user leave unless another is given."""


@worded
def impatient(probability: float = LEAVING, patience: int | None = None) -> Behaviour:
    """Return the behaviour of a user who decides as the paper's does, and may leave for good.

    Every rejection makes her leave with a probability q; and she leaves after r rejections in a
    row, whichever comes first.

    Args:
        probability: q, in [0, 1]. It takes a draw from her stream if it is neither 0 nor 1.
        patience: r, at least 1; None bears any number.
    """
    run = NO_END if patience is None else count("patience", patience, 1, STEP_CAP)
    return Behaviour(
        "impatient",
        start=impatient_start,
        parameters=(share("probability", probability), float(run)),
        memory=1,
        leaves=impatient_leaves,
    )


NO_END = 0
"""The length of a run of rejections that no user leaves after."""


def impatient_start(user: User, state: RememberingState, rng: Stream) -> None:
    """Make `state` a new user's, who was recommended nothing that she did not want."""
    rules.start(user, state, rng)
    state.memory[2] = 0.0


def impatient_leaves(user: User, state: RememberingState, accepted: bool, rng: Stream) -> bool:
    """Return whether she leaves; her memory is q, r, and how many rejections she has in a row."""
    memory = state.memory
    if accepted:
        memory[2] = 0.0
        return False
    memory[2] += 1.0
    probability = memory[0]
    leaves = probability == 1.0
    if 0.0 < probability < 1.0:
        leaves = rng.random() < probability
    return leaves or 0.0 < memory[1] <= memory[2]


ALPHA_FACTOR, MOST_NOISE, OWN_ALPHA, OWN_RHO, OWN_NOISE = range(5)
"""The places in her memory: the two parameters, then what is hers."""


@worded
def varied(alpha_factor: float = 2.0, noise: float = 0.2, gap_factor: float = 1.5) -> Behaviour:
    """Return the behaviour of users each of whom is the paper's with numbers of her own.

    What is said of all of them is their middle. At her start each user draws

    - her alpha, log-uniform in [alpha / alpha_factor, alpha * alpha_factor];
    - her rho_t, which stays as it is: uniform in [rho_0, rho_1] of the schedule of rho_t, which is
      [1, 2] unless another is given;
    - her own click noise, uniform in [0, noise], on top of everybody's;

    and before these, with her means, her gap: log-uniform in [gap / gap_factor, gap * gap_factor].
    Agents are told of the middle alone.

    Args:
        alpha_factor: at least 1.
        noise: in [0, 1].
        gap_factor: at least 1.
    """
    factor = at_least_one("alpha_factor", alpha_factor)
    return Behaviour(
        "varied",
        start=varied_start,
        respond=varied_respond,
        parameters=(factor, probability("noise", noise)),
        memory=3,
        rho=varied_rho,
        gap_factor=at_least_one("gap_factor", gap_factor),
    )


def varied_start(user: User, state: RememberingState, rng: Stream) -> None:
    """Draw what is hers alone; else as `explorative.start`."""
    memory = state.memory
    memory[OWN_ALPHA] = user.alpha * around_one(memory[ALPHA_FACTOR], rng)
    memory[OWN_RHO] = user.rho_0 + (user.rho_1 - user.rho_0) * rng.random()
    memory[OWN_NOISE] = memory[MOST_NOISE] * rng.random()
    rules.start(user, state, rng)
    widen(user, state)


def varied_respond(user: User, state: RememberingState, rule: Rule, arm: int, rng: Stream) -> bool:
    """Decide with her own noise, respond as `explorative.respond`, and widen by her own rho."""
    wants = rules.with_noise(not rules.rejects(user, state, arm), state.memory[OWN_NOISE], rng)
    accepted = rules.respond(user, state, rule, arm, rng, wants)
    widen(user, state)
    return accepted


def widen(user: User, state: RememberingState) -> None:
    """Give her intervals their width."""
    n = max(state.acceptances[0], user.least_n)
    state.spread[0] = rules.spread_of(state.memory[OWN_ALPHA], state.memory[OWN_RHO], n)


def varied_rho(user: User, state: RememberingState, rule: Rule) -> float:
    """Return her rho_t."""
    return state.memory[OWN_RHO]


WINDOW_PER_ARM = 50
"""Rewards that a forgetful user remembers, for each of her arms, unless a window is given."""

DRIFT = 0.005
"""Standard deviation of a drifting mean's step: 0.16 in a thousand interactions."""

TEMPERATURE = 0.1
"""Of a logistic user: a fifth of the usual gap."""


@worded
def omniscient(tolerance: float = 0.0) -> Behaviour:
    """Return the behaviour of a user who knows mu and accepts her best arms only.

    The classical user, whose responses are the labels of a perfect classifier: she accepts i if
    and only if mu_i >= mu_* - tolerance.

    Args:
        tolerance: how much worse than the best an acceptable arm may be, at least 0.
    """
    parameters = (not_negative("tolerance", tolerance),)
    return Behaviour("omniscient", respond=omniscient_respond, parameters=parameters)


def omniscient_respond(
    user: User, state: RememberingState, rule: Rule, arm: int, rng: Stream
) -> bool:
    """Decide by the true means; else as `explorative.respond`."""
    best = -inf
    for mean in state.means:
        best = max(best, mean)
    wants = state.means[arm] >= best - state.memory[0]
    return rules.respond(user, state, rule, arm, rng, wants)


@worded
def logistic(temperature: float = TEMPERATURE) -> Behaviour:
    """Return the behaviour of a user who decides by chance where the paper's does by a rule.

    She accepts i with probability 1 / (1 + exp(-x / temperature)), x = ucb_i - max_{j != i} lcb_j:
    always where an interval is infinite, half of the time where the two bounds meet. As the
    temperature falls she becomes the paper's user.

    Args:
        temperature: how wide the doubt around x = 0 is, above 0.
    """
    parameters = (positive("temperature", temperature),)
    return Behaviour("logistic", respond=logistic_respond, parameters=parameters)


def logistic_respond(
    user: User, state: RememberingState, rule: Rule, arm: int, rng: Stream
) -> bool:
    """Decide by one draw from the acceptance probability; else as `explorative.respond`."""
    wants = rng.random() < acceptance_probability(user, state, arm)
    return rules.respond(user, state, rule, arm, rng, wants)


def acceptance_probability(user: User, state: RememberingState, arm: int) -> float:
    """Return the probability that a logistic user accepts `arm`, before click noise."""
    rival = -inf
    for other in range(user.n_arms):
        if other != arm:
            rival = max(rival, rules.lcb(state, other))
    x = (rules.ucb(state, arm) - rival) / state.memory[0]
    if x >= 0.0:
        return 1.0 / (1.0 + exp(-x))
    odds = exp(x)  # at most 1: exp(-x) could overflow
    return odds / (1.0 + odds)


@worded
def drifting(sigma: float = DRIFT) -> Behaviour:
    """Return the behaviour of a user whose taste changes: every mu_i does a random walk.

    Each interaction begins with a step of N(0, sigma^2) for every arm, and her reward is drawn
    around the new mean. Her own estimates do not know of it. Means are reflected at the ends of
    what her reward law allows, Bernoulli's at 0 and 1.

    Args:
        sigma: standard deviation of a step, at least 0.
    """
    parameters = (not_negative("sigma", sigma),)
    return Behaviour("drifting", respond=drifting_respond, parameters=parameters, moves_means=True)


def drifting_respond(
    user: User, state: RememberingState, rule: Rule, arm: int, rng: Stream
) -> bool:
    """Move the means, then do as `explorative.respond`."""
    for other in range(user.n_arms):
        mean = state.means[other] + state.memory[0] * rng.standard_normal()
        if not user.least_mean <= mean <= user.largest_mean:
            mean = reflected(mean, user.least_mean, user.largest_mean)
        state.means[other] = mean
    return rules.respond(user, state, rule, arm, rng)


@worded
def forgetful(window: int | None = None) -> Behaviour:
    """Return the behaviour of a user who remembers only her last W rewards.

    One that falls out of the window is taken out of n_i and hat mu_i; an arm without any left has
    an infinite interval again. Private draws are her first rewards. n(t) goes on counting every
    acceptance, so Gamma grows as the paper's.

    Args:
        window: W, at least 1; None is 50 K.
    """
    if window is None:
        return _forgetful(memory=1, memory_per_arm=2 * WINDOW_PER_ARM)
    return _forgetful(memory=1 + 2 * count("window", window, 1, STEP_CAP))


def _forgetful(memory: int, memory_per_arm: int = 0) -> Behaviour:
    """Memory: the place to fill next, then W places of an arm (-1: none) and a reward."""
    return Behaviour(
        "forgetful",
        start=forgetful_start,
        respond=forgetful_respond,
        memory=memory,
        memory_per_arm=memory_per_arm,
    )


def forgetful_start(user: User, state: RememberingState, rng: Stream) -> None:
    """Make `state` a new user's; her private draws, if any, enter the window."""
    rules.clear(user, state)
    for place in range(len(state.memory)):
        state.memory[place] = -1.0
    state.memory[0] = 0.0
    for _ in range(user.private_draws):
        for arm in range(user.n_arms):
            reward = rules.realize(user, state, arm, rng)
            rules.learn(state, arm, reward)
            remember(state, arm, reward)


def forgetful_respond(
    user: User, state: RememberingState, rule: Rule, arm: int, rng: Stream
) -> bool:
    """Do as `explorative.respond`, then forget what a new reward pushes out of the window."""
    accepted = rules.respond(user, state, rule, arm, rng)
    if accepted:
        remember(state, arm, state.reward[0])
    return accepted


def remember(state: RememberingState, arm: int, reward: float) -> None:
    """Put a reward that has been learned in the place of the oldest, which is unlearned."""
    memory = state.memory
    place = int(memory[0])
    oldest = int(memory[1 + 2 * place])
    if oldest >= 0:
        unlearn(state, oldest, memory[2 + 2 * place])
    memory[1 + 2 * place] = float(arm)
    memory[2 + 2 * place] = reward
    memory[0] = float((place + 1) % (len(memory) // 2))


def unlearn(state: UserState, arm: int, reward: float) -> None:
    """Take a reward out of n_i and the empirical mean, the opposite of `explorative.learn`."""
    n = state.counts[arm] - 1
    state.counts[arm] = n
    if n == 0:
        state.estimates[arm] = 0.0
        state.scales[arm] = UNSEEN
    else:
        state.estimates[arm] -= (reward - state.estimates[arm]) / n
        state.scales[arm] = 1.0 / sqrt(n)
    # Some lcb may be larger than before: no ceiling holds until she looks at all arms again.
    state.ceiling_spread[0] = inf


_FACTORIES: dict[str, Callable[..., Behaviour]] = {
    factory.__name__: factory
    for factory in (omniscient, forgetful, drifting, logistic, impatient, varied)
}
"""What can be asked for by name, and with its parameters in words."""

_BEHAVIOURS: dict[str, Behaviour] = {EXPLORATIVE.name: EXPLORATIVE} | {
    name: factory() for name, factory in _FACTORIES.items()
}


def register_behaviour(name: str, behaviour: Behaviour) -> None:
    """Let `behaviour` be asked for by `name`, as `gym.make(..., behaviour=name)` must to stay JSON.

    Raises:
        InvalidArgumentError: if another behaviour has that name already.
    """
    if _BEHAVIOURS.get(name, behaviour) != behaviour:
        raise InvalidArgumentError("name", name, "a name no other behaviour has")
    _BEHAVIOURS[name] = behaviour


def as_behaviour(behaviour: Behaviour | str) -> Behaviour:
    """Return the behaviour meant: itself, or the one that these words ask for.

    Args:
        behaviour: a record; a registered name; or a name of the package's with its parameters, as
            "drifting(sigma=0.01)".

    Raises:
        InvalidArgumentError: for words that ask for none, or a parameter that is out of range.
    """
    if isinstance(behaviour, Behaviour):
        return behaviour
    if isinstance(behaviour, str):
        if behaviour in _BEHAVIOURS:
            return _BEHAVIOURS[behaviour]
        if (asked := behaviour_in_words(behaviour, _FACTORIES)) is not None:
            return asked
    allowed = "a Behaviour or one of " + ", ".join(sorted(_BEHAVIOURS))
    forms = ", ".join(form_of(_FACTORIES[name]) for name in sorted(_FACTORIES))
    allowed += f", or one with parameters (in quotes in a shell): {forms}"
    raise InvalidArgumentError("behaviour", behaviour, allowed)
