"""Users who share what is popular: m_i of every arm, and each user's own deviation from it."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, ParamSpec, TypedDict, TypeVar

import numpy as np

from explorative_user_env.seeding import user_generator
from explorative_user_env.users.behaviours import EXPLORATIVE, Behaviour, as_behaviour
from explorative_user_env.users.instances import (
    DEFAULT_GAP,
    Instance,
    InstanceLaw,
    Means,
    separated,
)
from explorative_user_env.users.laws import (
    GAUSSIAN_LAW,
    AnyRewardLaw,
    Schedule,
    as_reward_law,
    as_schedule,
    reflected,
    usual_means,
)
from explorative_user_env.users.model import User
from explorative_user_env.users.settings import PRINTED, Setting, as_setting, title_of, user_of
from explorative_user_env.validation import InvalidArgumentError, not_negative, number_or_word

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class UserOptions(TypedDict, total=False):
    """What type checkers know of the options: in place of a record, its name will do."""

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

    `kind` reads it from a command line, which says `about` of it; None means `if_open`.
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
            `(n_arms, rng) -> K numbers`; None is the setting's law, or has room where the reward
            law, as bernoulli's, allows not all means.
        rho: schedule of rho_t: a registered name, a constant's value, or a `Schedule`; None is the
            setting's.
        reward_law: of rewards around mu_i: "gaussian", "bernoulli", "bounded", a registered name, a
            callable `(mean, rng) -> reward`, or a `RewardLaw`, which says what means it allows.
        behaviour: another kind of user: "omniscient", "forgetful", "drifting", "logistic",
            "impatient", "varied", with parameters as in "drifting(sigma=0.01)", a registered name
            or a `Behaviour`.
        user: the numbers of every user, which follow from the above.
        schedule: the schedule of rho_t.
        instance_law: where instances come from.

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
        schedule = setting.rho if rho is None else rho
        reward_law = as_reward_law(self.reward_law)
        user = user_of(
            setting,
            schedule,
            reward_law,
            n_arms=self.n_arms,
            alpha=self.alpha,
            noise=self.noise,
        )
        behaviour = as_behaviour(self.behaviour)
        means = usual_means(reward_law, setting.means) if self.means is None else self.means
        law = InstanceLaw(user.n_arms, means, self.gap, reward_law.means, behaviour.gap_factor)
        meant: dict[str, Any] = {"setting": setting, "rho": rho, "behaviour": behaviour}
        meant["reward_law"] = reward_law
        meant |= {"n_arms": user.n_arms, "alpha": user.alpha, "noise": user.noise}
        if law.given is not None:
            meant["means"] = tuple(law.given)  # the caller's own list may change
        meant |= {"user": user, "schedule": schedule, "instance_law": law}
        for name, value in meant.items():
            object.__setattr__(self, name, value)

    def words(self) -> dict[str, Any]:
        """Return every option as a word or a number that a table or a file can keep.

        The setting's title says what else of it is changed, `means` and `rho` among them.
        """
        law = self.instance_law.title
        changes = {"means": law if isinstance(law, str) else "given", "rho": self.schedule.title}
        usual = {"means": self.setting.means, "rho": self.setting.rho.title}
        own = {option.name: getattr(self, option.name) for option in OPTIONS}
        return own | {
            "setting": title_of(
                self.setting,
                {name: word for name, word in changes.items() if word != usual[name]},
            ),
            "gap": self.instance_law.gap,
            "means": law,
            "rho": self.schedule.title,
            "reward_law": self.user.own_law.name,
            "behaviour": self.behaviour.name,
        }

    def __repr__(self) -> str:
        words = self.words()
        told = [option.name for option in OPTIONS if getattr(self, option.name) != option.default]
        return f"Population({', '.join(f'{name}={words[name]!r}' for name in told)})"


OPTIONS: Sequence["Field[Any]"] = [each for each in fields(Population) if each.init]
"""The fields that are options."""


def population_of(
    population: Population | None, user: Mapping[str, Any], n_arms: int | None = None
) -> Population:
    """Return the population that is given, as a record or by its options.

    Args:
        population: the record.
        user: the options.
        n_arms: K where it is given by its place.

    Raises:
        TypeError: for an option that there is none of, or options beside a record.
    """
    if n_arms is not None:
        if "n_arms" in user:
            raise TypeError("got multiple values for argument 'n_arms'")
        user = {**user, "n_arms": n_arms}
    if population is not None and user:
        raise TypeError(f"give a population or its options, not {', '.join(user)} beside one")
    if population is not None:
        if not isinstance(population, Population):
            raise InvalidArgumentError("population", population, "a Population")
        return population
    names = [option.name for option in OPTIONS]
    unknown = [name for name in user if name not in names]
    if unknown:
        words = ", ".join(map(repr, unknown))
        raise TypeError(f"unexpected keyword argument {words}; of users there are {names}")
    options: dict[str, Any] = {**user}
    return Population(**options)


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of the users among others, and the others."""
    names = {option.name for option in OPTIONS}
    user = {name: value for name, value in options.items() if name in names}
    return user, {name: value for name, value in options.items() if name not in names}


def lists_user_options(
    **defaults: Any,
) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """Show the options in a function's signature: in place of `**user`, before `**kwargs`.

    Args:
        **defaults: the value of an option where it is another here than in `Population`.
    """

    def decorate(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        @functools.wraps(function)
        def called(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
            given = kwargs if kwargs.get("population") is not None else {**defaults, **kwargs}
            return function(*args, **given)

        *own, rest = inspect.signature(function).parameters.values()
        usual = {option.name: option.default for option in OPTIONS} | defaults
        shown = [
            inspect.Parameter(
                option.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=getattr(usual[option.name], "name", usual[option.name]),  # a short one
                annotation=UserOptions.__annotations__.get(option.name, option.type),
            )
            for option in OPTIONS
        ]
        more = [] if rest.name == "user" else [rest]
        called.__signature__ = inspect.Signature([*own, *shown, *more])  # type: ignore[attr-defined]
        return called

    return decorate


def check_members(behaviour: Behaviour) -> None:
    """Make sure that users who come one after another can be of this kind.

    Raises:
        InvalidArgumentError: for one whose means move, as what is popular would not last, or who
            leaves, as each stays for as many steps.
    """
    if behaviour.moves_means or behaviour.leaves is not None:
        allowed = "one whose means stay, and who stays, in the task population"
        raise InvalidArgumentError("behaviour", behaviour.name, allowed)


class PopularityLaw:
    """Where users come from who share what is popular.

    m_i is drawn from the law of the means; a user's means are m_i + deviation * N(0, 1), of which
    the best is moved to the second best + gap, as everywhere. Where a reward law allows not all
    means, they are reflected at the ends of those that leave room for the gap.

    Args:
        law: of the means and the gap.
        deviation: standard deviation of a user's means around m_i, at least 0.

    Raises:
        InvalidArgumentError: for a deviation out of range.
    """

    def __init__(self, law: InstanceLaw, deviation: float) -> None:
        self.law, self.deviation = law, not_negative("deviation", deviation)

    def draw(self, rng: np.random.Generator) -> list[float]:
        """Return what is popular: m_i of every arm."""
        return self.law.draw_unmoved(rng)

    def members(self, seed: int) -> "MemberLaw":
        """Return where the users of the episode of this seed come from."""
        return MemberLaw(self, self.draw(user_generator(seed)))

    def instance(self, popularity: list[float], rng: np.random.Generator) -> Instance:
        """Return the instance of a new user, drawn from her own stream."""
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
    """Where the users of one episode come from: what is popular is known by now.

    Args:
        around: where users come from who share what is popular.
        popularity: m_i of every arm.

    Attributes:
        popularity: the same.
    """

    def __init__(self, around: PopularityLaw, popularity: list[float]) -> None:
        vars(self).update(vars(around.law))  # which was checked when it was made
        self.named = self.given = self._fixed = None  # none of which these means come from
        self._around, self.popularity = around, popularity

    def draw(self, rng: np.random.Generator) -> Instance:
        """Return the instance of a user, drawn from her own stream."""
        return self._around.instance(self.popularity, rng)
