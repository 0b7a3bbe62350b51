"""Users of one kind: the options that describe them, and users who share what is popular."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from traceback import walk_tb
from typing import Any, ParamSpec, TypedDict, TypeVar

import numpy as np

from explorative_user_env.seeding import user_generator
from explorative_user_env.users import model
from explorative_user_env.users.behaviours import EXPLORATIVE, Behaviour, Checked, as_behaviour
from explorative_user_env.users.instances import (
    DEFAULT_GAP,
    Instance,
    InstanceLaw,
    Means,
    separated,
)
from explorative_user_env.users.laws import (
    BERNOULLI,
    GAUSSIAN_LAW,
    AnyRewardLaw,
    Schedule,
    as_reward_law,
    as_schedule,
    prior_counts,
    reflected,
    rule_name,
    usual_means,
    warn_of_ties,
)
from explorative_user_env.users.model import User, number_of_arms
from explorative_user_env.users.settings import PRINTED, Setting, as_setting, title_of
from explorative_user_env.validation import (
    CallableError,
    InvalidArgumentError,
    not_negative,
    number_or_word,
    of_class,
    positive,
    probability,
)

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class UserOptions(TypedDict, total=False):
    """The options as type checkers see them: records, or their names."""

    setting: Setting | str
    n_arms: int
    alpha: float
    gap: float | None
    noise: float
    means: Means | None
    rho: Schedule | str | float | None
    reward_law: AnyRewardLaw
    behaviour: Behaviour | str


def option(
    default: Any, kind: Callable[[str], Any], about: str, *, if_open: str | None = None
) -> Any:
    """Return the field of an option.

    `kind` reads it from a command line, whose help is `about`; None means `if_open`.
    """
    return field(default=default, metadata={"kind": kind, "about": about, "if_open": if_open})


@dataclass(frozen=True, kw_only=True, repr=False)
class Population:
    """Users of one kind, with instances from one law.

    Attributes:
        setting: every other modelling choice: "printed" (the paper's text), "released" (its code),
            or a `Setting`.
        n_arms: K, in 2..1000000.
        alpha: willingness to explore, above 0.
        gap: Delta_1 > 0, from the best mean to the second best; None is 0.5, or leaves given means
            as they are.
        noise: probability in [0, 1] that a decision is a coin flip.
        means: "normal", "uniform", "uniform_with_room" (on [0, 1 - gap]), K numbers, or a callable
            `(n_arms, rng) -> K numbers`; None is the setting's law, or "uniform_with_room" if the
            reward law, as bernoulli's, allows only some means.
        rho: schedule of rho_t: a registered name, a constant's value, or a `Schedule`; None is the
            setting's.
        reward_law: of rewards around mu_i: "gaussian", "bernoulli", "bounded", a registered name, a
            callable `(mean, rng) -> reward`, or a `RewardLaw`, which declares its range of means.
        behaviour: another kind of user: "omniscient", "forgetful", "drifting", "logistic",
            "impatient", "varied", with parameters as in "drifting(sigma=0.01)", a registered name
            or a `Behaviour`.
        user: the numbers of every user, which follow from the above.
        schedule: the schedule of rho_t.
        instance_law: the law of instances.

    Raises:
        InvalidArgumentError: naming the option that is out of range.
    """

    setting: Setting = option(
        PRINTED, str, "Modelling choices: printed (the paper's text) or released (its code)."
    )
    n_arms: int = option(5, int, "Number of arms K, in 2..1000000.")
    alpha: float = option(1.0, float, "Users' willingness to explore, above 0.")
    gap: float | None = option(
        None, float, "Gap Delta_1 of the best arm, above 0.", if_open=f"{DEFAULT_GAP:g}"
    )
    noise: float = option(0.0, float, "Probability in [0, 1] that a decision is a coin flip.")
    means: Means | None = option(
        None, str, "Means: normal, uniform, uniform_with_room (bernoulli).", if_open="the setting's"
    )
    rho: Schedule | None = option(
        None,
        number_or_word,
        "rho_t: a constant, acceptance_rate or smoothed_acceptance_rate.",
        if_open="the setting's",
    )
    reward_law: AnyRewardLaw = option(
        GAUSSIAN_LAW, str, "Law of rewards: gaussian, bernoulli or bounded."
    )
    behaviour: Behaviour = option(
        EXPLORATIVE,
        str,
        "Users: explorative, omniscient, forgetful, drifting, logistic, impatient or varied; or as "
        "'drifting(sigma=0.01)'.",
    )
    user: User = field(init=False, compare=False)
    schedule: Schedule = field(init=False, compare=False)
    instance_law: InstanceLaw = field(init=False, compare=False)

    def __post_init__(self) -> None:
        setting = as_setting(self.setting)
        rho = None if self.rho is None else as_schedule(self.rho)
        schedule, reward_law = rho or setting.rho, as_reward_law(self.reward_law)
        n_arms = number_of_arms(self.n_arms)
        prior = prior_counts(schedule, n_arms)
        least_mean, largest_mean = reward_law.range_of_means
        if reward_law.place == BERNOULLI and setting.rejects_ties and not setting.private_draws:
            warn_of_ties(schedule, n_arms)
        user = User(
            n_arms=n_arms,
            alpha=positive("alpha", self.alpha),
            noise=probability("noise", self.noise),
            reward_law=reward_law.place,
            own_law=reward_law,
            least_mean=least_mean,
            largest_mean=largest_mean,
            rejects_ties=setting.rejects_ties,
            private_draws=setting.private_draws,
            least_n=setting.least_n,
            refreshes_on_rejection=setting.rho_refresh == "response",
            rho_at_start=min(max(setting.rho_at_start, schedule.rho_0), schedule.rho_1),
            rho_0=schedule.rho_0,
            rho_1=schedule.rho_1,
            rho_parameters=schedule.parameters,
            counted=prior is not None,
            prior_acceptances=prior[0] if prior else 0,
            prior_interactions=prior[1] if prior else 0,
        )
        behaviour = as_behaviour(self.behaviour)
        means = usual_means(reward_law, setting.means) if self.means is None else self.means
        law = InstanceLaw(n_arms, means, self.gap, reward_law.means, behaviour.gap_factor)
        resolved: dict[str, Any] = {"setting": setting, "rho": rho, "behaviour": behaviour}
        resolved |= {"n_arms": n_arms, "alpha": user.alpha, "noise": user.noise}
        resolved |= {"reward_law": reward_law}
        if law.given is not None:
            resolved["means"] = tuple(law.given)  # the caller's list may change
        resolved |= {"user": user, "schedule": schedule, "instance_law": law}
        for name, value in resolved.items():
            object.__setattr__(self, name, value)

    def words(self) -> dict[str, Any]:
        """Return every option as a word or a number for tables and files.

        The setting's title names what else of it is changed, `means` and `rho` among them.
        """
        law, rho = self.instance_law.title, self.schedule.title
        changes = {"means": law if isinstance(law, str) else "given", "rho": rho}
        usual = {"means": self.setting.means, "rho": self.setting.rho.title}
        changes = {name: word for name, word in changes.items() if word != usual[name]}
        return {each.name: getattr(self, each.name) for each in OPTIONS} | {
            "setting": title_of(self.setting, changes),
            "gap": self.instance_law.gap,
            "means": law,
            "rho": rho,
            "reward_law": self.user.own_law.name,
            "behaviour": self.behaviour.name,
        }

    def __repr__(self) -> str:
        words = self.words()
        changed = [each.name for each in OPTIONS if getattr(self, each.name) != each.default]
        return f"Population({', '.join(f'{name}={words[name]!r}' for name in changed)})"

    def failure(self, error: Exception, where: str, law: InstanceLaw | None = None) -> Exception:
        """Return the error that names the caller's function that failed for a user.

        Args:
            error: what was raised as she started, responded or left.
            where: the user and the step, in words.
            law: the law of her instance; None is that of the population.
        """
        rule, own_law, law = self.schedule.rule, self.user.own_law, law or self.instance_law
        parts: dict[str, Sequence[Any]] = {
            f"means ({law.title})": [law.own],
            f"start of behaviour {self.behaviour.name!r}": [self.behaviour.start],
            f"respond of behaviour {self.behaviour.name!r}": [
                self.behaviour.respond,
                Checked.__call__,
            ],
            f"leaves of behaviour {self.behaviour.name!r}": [self.behaviour.leaves],
            f"rho ({rule_name(rule)})": [model.rho, rule],
            f"reward_law {own_law.name!r}": [model.realize, own_law.draw],
        }
        codes = {_code_of(each): name for name, several in parts.items() for each in several}
        frames = [frame for frame, _ in walk_tb(error.__traceback__)]
        last = frames[-1]
        if last.f_code is model.rho.__code__ and "current" in last.f_locals:
            error = self.rho_out_of_range(last.f_locals["current"])
        elif last.f_code is model.realize.__code__ and "reward" in last.f_locals:
            error = self.not_finite(last.f_locals["reward"])
        # The part nearest to where the error was raised.
        failed = [codes[frame.f_code] for frame in frames if frame.f_code in codes]
        if not failed and isinstance(error, InvalidArgumentError) and law.own is None:
            return error
        return CallableError.of(failed[-1] if failed else next(iter(parts)), error, where)

    def rho_out_of_range(self, rho: Any) -> InvalidArgumentError:
        """Return the error of a rho_t outside its declared range."""
        low, high, name = self.user.rho_0, self.user.rho_1, rule_name(self.schedule.rule)
        allowed = f"in [{low:g}, {high:g}], the range declared for {name}"
        return InvalidArgumentError("rho_t", _plain(rho), allowed)

    def not_finite(self, reward: Any) -> InvalidArgumentError:
        """Return the error of a reward that is not finite."""
        name = f"reward of reward_law {self.user.own_law.name!r}"
        return InvalidArgumentError(name, _plain(reward), "a finite number")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _code_of(function: Any) -> Any:
    """Return the code of a function, a partial, a method or a callable object; None of others."""
    while isinstance(function, functools.partial):
        function = function.func
    if not hasattr(function, "__code__"):
        function = getattr(type(function), "__call__", None)  # noqa: B004
    return getattr(function, "__code__", None)


OPTIONS: Sequence["Field[Any]"] = [each for each in fields(Population) if each.init]
"""The fields that are options."""

_NAMES = [each.name for each in OPTIONS]


def population_of(
    population: Population | None, user: Mapping[str, Any], n_arms: int | None = None
) -> Population:
    """Return a population, given as a record or by its options.

    Args:
        population: the record.
        user: the options.
        n_arms: K as a positional argument.

    Raises:
        TypeError: for an unknown option, or options beside a record.
    """
    if n_arms is not None:
        if "n_arms" in user:
            raise TypeError("got multiple values for argument 'n_arms'")
        user = {**user, "n_arms": n_arms}
    if population is not None and user:
        raise TypeError(f"give a population or its options, not {', '.join(user)} beside one")
    if population is not None:
        return of_class("population", population, Population)
    if unknown := [name for name in user if name not in _NAMES]:
        words = ", ".join(map(repr, unknown))
        raise TypeError(f"unexpected keyword argument {words}; of users there are {_NAMES}")
    return Population(**user)


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of users among others, and the others."""
    user = {name: value for name, value in options.items() if name in _NAMES}
    return user, {name: value for name, value in options.items() if name not in _NAMES}


def lists_user_options(
    **defaults: Any,
) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """Show the options in a function's signature: in place of `**user`, before `**kwargs`.

    Args:
        **defaults: default values that differ from those of `Population`.
    """

    def decorate(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        called: Callable[_Arguments, _Result] = function
        if defaults:

            @functools.wraps(function)
            def called(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
                given = kwargs if kwargs.get("population") is not None else {**defaults, **kwargs}
                return function(*args, **given)

        *first, rest = inspect.signature(function).parameters.values()
        usual = {each.name: each.default for each in OPTIONS} | defaults
        shown = [
            inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=getattr(usual[each.name], "name", usual[each.name]),  # a short one
                annotation=UserOptions.__annotations__.get(each.name, each.type),
            )
            for each in OPTIONS
        ]
        more = [] if rest.name == "user" else [rest]
        called.__signature__ = inspect.Signature([*first, *shown, *more])  # type: ignore[attr-defined]
        return called

    return decorate


def check_members(behaviour: Behaviour) -> None:
    """Refuse behaviours that the task population cannot have: means that move, users who leave."""
    if behaviour.moves_means or behaviour.leaves is not None:
        allowed = "one whose means stay, and who stays, in the task population"
        raise InvalidArgumentError("behaviour", behaviour.name, allowed)


class PopularityLaw:
    """The law of users who share what is popular.

    m_i is drawn from the law of the means; a user's means are m_i + deviation * N(0, 1), of which
    the best is moved to the second best + gap. If the reward law allows only some means, they are
    reflected at the ends of those that leave room for the gap.

    Args:
        law: of the means and the gap.
        deviation: standard deviation of a user's means around m_i, at least 0.

    Raises:
        InvalidArgumentError: for a deviation out of range.
    """

    def __init__(self, law: InstanceLaw, deviation: float) -> None:
        self.law, self.deviation = law, not_negative("deviation", deviation)

    def draw(self, rng: np.random.Generator) -> list[float]:
        """Return a draw of m_i for every arm."""
        return self.law.draw_unmoved(rng)

    def members(self, seed: int) -> "MemberLaw":
        """Return the law of the users in the episode of this seed."""
        return MemberLaw(self, self.draw(user_generator(seed)))

    def instance(self, popularity: list[float], rng: np.random.Generator) -> Instance:
        """Return the instance of a new user, drawn from her stream."""
        deviations = rng.standard_normal(self.law.n_arms).tolist()
        means = [
            popular + self.deviation * own
            for popular, own in zip(popularity, deviations, strict=True)
        ]
        if self.law.within is not None:
            low, high = self.law.within
            means = [reflected(mean, low, high - self.law.largest_gap) for mean in means]
        return separated(means, self.law.gap, rng, self.law.gap_factor)


class MemberLaw(InstanceLaw):
    """The law of the users of one episode, given what is popular.

    Args:
        around: the law of users who share what is popular.
        popularity: m_i of every arm, kept as an attribute.
    """

    def __init__(self, around: PopularityLaw, popularity: list[float]) -> None:
        vars(self).update(vars(around.law))  # which is validated
        self.named = self.given = self._fixed = None
        self._around, self.popularity = around, popularity

    def draw(self, rng: np.random.Generator) -> Instance:
        """Return the instance of a user, drawn from her stream."""
        return self._around.instance(self.popularity, rng)
