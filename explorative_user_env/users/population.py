"""The options of users (`Population`), the paper's two settings, and the users of an episode."""

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from inspect import Parameter
from traceback import walk_tb
from typing import Any, Literal, TypedDict, TypeVar

import numpy as np

from explorative_user_env import validation
from explorative_user_env.seeding import user_generator
from explorative_user_env.users import instances, model
from explorative_user_env.users.behaviours import EXPLORATIVE, Behaviour, Checked, as_behaviour
from explorative_user_env.users.instances import DEFAULT_GAP, Instance, InstanceLaw, Means
from explorative_user_env.users.model import AnyRewardLaw, Schedule, User, rule_name
from explorative_user_env.validation import CallableError, InvalidArgumentError, of_class, positive

#: The names of the agents in the paper's tables.
PAPER_AGENTS = ("BAIR", "T&S", "UNI", "EXP3")


@dataclass(frozen=True)
class Setting:
    """All modelling choices of an experiment.

    Attributes:
        name: the name of the setting.
        means: law of the arm means, "normal" N(0, 1) or "uniform" on (0, 1).
        private_draws: rewards of each arm before the first step; they count in n_i, not in n(t).
        least_n: lower limit of n(t) in Gamma.
        rho: the schedule of rho_t.
        rho_refresh: whether rho_t is updated at every "response" or only at an "acceptance".
        rho_at_start: rho_t before the first response.
        rejects_ties: whether she rejects i if lcb_j = ucb_i.
        bair_n1: N_1 is (2K/delta)^(1/alpha)/rho_0 ("paper"), or 2(K-1) replaces 2K ("proof").
        bair_phase1_counts: whether Phase 1 ends after N_1 "acceptances" or N_1 "steps".
        bair_first_sweep: the passes at the start of Phase 1 recommend all remaining arms ("full"),
            or all but the arms that follow a rejected arm, and complete the last pass ("skipping").
        bair_phase2: whether Phase 2 picks arms by the "fewest acceptances" or by "round robin".
        bair_m: rejections that eliminate an arm of a user with click noise: m = 2 log(K/delta)
            ("paper") or the released code's threshold ("released").
        uniform_order: whether UNI recommends arms in turn ("round robin") or at "random".
        uniform_whole_passes: whether round robin completes the pass in which it reaches T.
        exp3_learning_rate: c in the learning rate sqrt(c log K / (K T)).
        exp3_answer: whether the answer is the arm "accepted" or "recommended" most.
        tas_primed: whether T&S starts as if each arm had been recommended and accepted once, or
            recommends each arm once.
        tas_max_steps: step cap of T&S for few arms. A run that the cap stops is censored.
        tas_max_steps_per_arm: T&S's step cap is K times this number if the product is larger. The
            paper has no cap. The released setting's cap fits the published stopping times.
        answer_ties: whether a "random" arm or the "first" arm of tied arms is the answer.
        counts_private_draws: whether reported stopping times include the K private draws.
        private_draws_rejected: names of agents whose reported rejections include private draws.
        rejection_rate: the reported rate, "mean of ratios" over runs or "ratio of means".
        drops_censored: whether mean times and rejection rates exclude censored runs.

    Raises:
        InvalidArgumentError: if a field's value does not fit its type; the message names the field.
    """

    name: str
    means: Literal["normal", "uniform"]
    private_draws: int
    least_n: int
    rho: Schedule
    rho_refresh: Literal["response", "acceptance"]
    rho_at_start: float
    rejects_ties: bool
    bair_n1: Literal["paper", "proof"]
    bair_phase1_counts: Literal["acceptances", "steps"]
    bair_first_sweep: Literal["full", "skipping"]
    bair_phase2: Literal["fewest acceptances", "round robin"]
    bair_m: Literal["paper", "released"]
    uniform_order: Literal["round robin", "random"]
    uniform_whole_passes: bool
    exp3_learning_rate: float
    exp3_answer: Literal["accepted", "recommended"]
    tas_primed: bool
    tas_max_steps: int
    tas_max_steps_per_arm: int
    answer_ties: Literal["random", "first"]
    counts_private_draws: bool
    private_draws_rejected: tuple[str, ...]
    rejection_rate: Literal["mean of ratios", "ratio of means"]
    drops_censored: bool

    def agent_options(self, algorithm: str, n_arms: int) -> dict[str, Any]:
        """Return the options of an algorithm, given by name, under this setting."""
        if algorithm == "BAIR":
            parts = ("n1", "phase1_counts", "first_sweep", "phase2", "m")
            return {part: getattr(self, f"bair_{part}") for part in parts}
        cap = max(self.tas_max_steps, self.tas_max_steps_per_arm * n_arms)
        options: dict[str, dict[str, Any]] = {
            "UNI": {"order": self.uniform_order, "whole_passes": self.uniform_whole_passes},
            "EXP3": {"learning_rate": self.exp3_learning_rate, "counts": self.exp3_answer},
            "T&S": {"primed": self.tas_primed, "max_steps": cap},
        }
        return {"ties": self.answer_ties, **options[algorithm]} if algorithm in options else {}

    def reports_as_rejected(self, agent: str) -> bool:
        """Return whether the reported rejections of an agent include the user's private draws.

        An agent that is not in the paper follows most agents of the paper. This makes rejection
        rates comparable.
        """
        listed = self.private_draws_rejected
        return agent in listed or (bool(listed) and agent not in PAPER_AGENTS)

    def changes_of(self, original: "Setting") -> dict[str, str]:
        """Return the fields that differ from those of `original`, with their values in words."""
        return {
            name: value.title if isinstance(value, Schedule) else str(value)
            for name, value in vars(self).items()
            if value != getattr(original, name)
        }


@dataclass(frozen=True)
class Difference:
    """A difference between the paper's text and its released code.

    Attributes:
        point: the subject of the difference.
        printed: what the text says.
        released: what the code does.
        fields: the fields of `Setting` that differ, each with its values for text and code.
    """

    point: str
    printed: str
    released: str
    fields: Mapping[str, tuple[Any, Any]]

    def switched(self, setting: Setting) -> Setting:
        """Return `setting` with the released code's values for the fields of this difference."""
        return replace(setting, **{name: code for name, (_, code) in self.fields.items()})


def _point(point: str, printed: str, released: str, **fields: tuple[Any, Any]) -> Difference:
    return Difference(point, printed, released, fields)


# fmt: off
#: All differences; together they turn `PRINTED` into `RELEASED`.
DIFFERENCES = (
    _point("arm means", "N(0, 1)", "Uniform(0, 1)", means=("normal", "uniform")),
    _point("user at the start", "no history", "one private draw of every arm",
           private_draws=(0, 1)),
    _point("Gamma and rho_t before the first acceptance", "n(t) as it is, rho_t = 1",
           "max(n(t), 1), rho_t = 2", least_n=(0, 1), rho_at_start=(1.0, 2.0)),
    _point("rho_t", "1 + n(t)/t", "1 + (K + n(t))/(2K + t)",
           rho=(model.ACCEPTANCE_RATE, model.SMOOTHED_ACCEPTANCE_RATE)),
    _point("rho_t follows", "every response", "acceptances only",
           rho_refresh=("response", "acceptance")),
    _point("she rejects i if", "lcb_j >= ucb_i", "lcb_j > ucb_i", rejects_ties=(True, False)),
    _point("BAIR: N_1", "(2K/delta)^(1/alpha)", "(2(K-1)/delta)^(1/alpha)",
           bair_n1=("paper", "proof")),
    _point("BAIR: first sweep", "over all of F", "skips the arm after a rejected one",
           bair_first_sweep=("full", "skipping")),
    _point("BAIR: Phase 2", "the fewest acceptances in F", "round robin",
           bair_phase2=("fewest acceptances", "round robin")),
    _point("BAIR(m), with click noise", "m = 2 log(K/delta)",
           "a multiple of log(2K/delta) at p' = .9", bair_m=("paper", "released")),
    _point("UNI", "stops at T", "ends the pass it is in", uniform_whole_passes=(False, True)),
    _point("EXP3: learning rate", "sqrt(log K/(KT))", "sqrt(2 log K/(KT))",
           exp3_learning_rate=(1.0, 2.0)),
    _point("EXP3: answer", "most accepted", "most recommended",
           exp3_answer=("accepted", "recommended")),
    _point("T&S: start", "each arm recommended once", "counts of one taken for granted",
           tas_primed=(False, True)),
    _point("T&S: step cap", "none (a million)", "max(10 000, 1000 K), fitted",
           tas_max_steps=(1_000_000, 10_000), tas_max_steps_per_arm=(0, 1_000)),
    _point("answer among tied arms", "at random", "the first", answer_ties=("random", "first")),
    _point("reported time", "interactions", "and the K private draws",
           counts_private_draws=(False, True)),
    _point("reported rejections", "rejections", "and the K private draws, but for T&S",
           private_draws_rejected=((), ("BAIR", "UNI", "EXP3"))),
    _point("rejection rate", "mean of ratios", "ratio of means",
           rejection_rate=("mean of ratios", "ratio of means")),
    _point("runs cut off by the cap", "count in full", "left out of time and rejections",
           drops_censored=(False, True)),
)
# fmt: on

#: Choices that are the same in text and code, although the text allows another reading.
ALIKE: dict[str, Any] = {"bair_phase1_counts": "acceptances", "uniform_order": "round robin"}


def _side(name: str, side: Literal[0, 1]) -> Setting:
    pairs = [each for difference in DIFFERENCES for each in difference.fields.items()]
    return Setting(name=name, **ALIKE, **{field: pair[side] for field, pair in pairs})


#: The paper's text.
PRINTED = _side("printed", 0)

#: The code that made the paper's tables.
RELEASED = _side("released", 1)

#: The default setting of commands that compare with published figures.
COMPARED = RELEASED.name

#: The two settings by name.
SETTINGS = {setting.name: setting for setting in (PRINTED, RELEASED)}


def as_setting(setting: Setting | str) -> Setting:
    """Return the setting for a `Setting` or a name."""
    if isinstance(setting, Setting):
        return setting
    return SETTINGS[validation.choice("setting", setting, SETTINGS)]


def differences_of(setting: Setting) -> dict[str, str]:
    """Return how a setting differs from the paper's text, as a mapping: subject -> difference."""
    changes = replace(setting, name=PRINTED.name).changes_of(PRINTED)
    points = {}
    for difference in DIFFERENCES:
        words = {name: changes.pop(name) for name in difference.fields if name in changes}
        if difference.switched(setting) == setting:
            points[difference.point] = difference.released
        elif words:
            points[difference.point] = ", ".join(f"{name}={each}" for name, each in words.items())
    return points | changes


def title_of(setting: Setting, others: Mapping[str, str] | None = None) -> str:
    """Return a setting's name and the fields that differ from the package's setting of this name.

    Args:
        setting: the setting.
        others: options of the population that replace a field of the setting, with values in words.
    """
    of_class("setting", setting, Setting)
    changes = setting.changes_of(SETTINGS.get(setting.name, setting)) | dict(others or {})
    words = ", ".join(f"{name}={word}" for name, word in changes.items())
    return f"{setting.name} ({words})" if words else setting.name


def name_in(title: str) -> str:
    """Return the name of a setting, given the title that `title_of` returns."""
    return title.split(" (")[0]


_Function = TypeVar("_Function", bound=Callable[..., Any])


class UserOptions(TypedDict, total=False):
    """The types of users' options. A name can stand for an object such as a `Setting`."""

    setting: Setting | str
    n_arms: int
    alpha: float
    gap: float | None
    noise: float
    means: Means | None
    rho: Schedule | str | float | None
    reward_law: AnyRewardLaw
    behaviour: Behaviour | str


def option(default: Any, kind: Callable[[str], Any], about: str, if_open: str | None = None) -> Any:
    """Return the dataclass field of an option.

    On a command line, `kind` parses the option, `about` describes it, and `if_open` describes None.
    """
    return field(default=default, metadata={"kind": kind, "about": about, "if_open": if_open})


@dataclass(frozen=True, kw_only=True, repr=False)
class Population:
    """A distribution of users, described by its options.

    Attributes:
        setting: all choices that no other option makes: "printed" (the paper's text), "released"
            (its code), or a `Setting`.
        n_arms: K, in 2..1000000.
        alpha: willingness to explore, above 0.
        gap: distance of the best mean to the second best, above 0. If it is None, the gap is 0.5
            for drawn means, and K given numbers stay unchanged.
        noise: probability in [0, 1] that a coin flip replaces a decision.
        means: "normal", "uniform", "uniform_with_room" (on [0, 1 - gap]), K numbers, or a callable
            `(n_arms, rng) -> K numbers`. By default the setting's law, or "uniform_with_room" if
            the reward law restricts the means, as "bernoulli" does.
        rho: schedule of rho_t: a registered name, a constant, or a `Schedule`. By default the
            setting's schedule.
        reward_law: the law of rewards around mu_i: "gaussian", "bernoulli", "bounded", a registered
            name, a callable `(mean, rng) -> reward`, or a `RewardLaw`.
        behaviour: the rule of responses: "explorative", "omniscient", "forgetful", "drifting",
            "logistic", "impatient", "varied", with parameters as in "drifting(sigma=0.01)", a
            registered name or a `Behaviour`.
        user: the parameters of every user, computed from the options.
        schedule: the schedule of rho_t, computed from the options.
        instance_law: the law of instances, computed from the options.

    Raises:
        InvalidArgumentError: if an option is out of range; the message names the option.
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
        validation.number_or_word,
        "rho_t: a constant, acceptance_rate or smoothed_acceptance_rate.",
        if_open="the setting's",
    )
    reward_law: AnyRewardLaw = option(
        model.GAUSSIAN_LAW, str, "Law of rewards: gaussian, bernoulli or bounded."
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
        rho = None if self.rho is None else model.as_schedule(self.rho)
        schedule, reward_law = rho or setting.rho, model.as_reward_law(self.reward_law)
        n_arms = instances.number_of_arms(self.n_arms)
        prior = model.prior_counts(schedule, n_arms)
        seen_before = prior or (0, 0)
        least_mean, largest_mean = reward_law.range_of_means
        tied_for_ever = setting.rejects_ties and not setting.private_draws
        if reward_law.place == model.BERNOULLI and tied_for_ever and schedule.rho_0 * n_arms <= 1.0:
            # Gamma can be 0 after one acceptance of every arm. If all empirical means are then
            # equal, the user rejects every arm from then on and learns nothing more.
            warnings.warn(
                f"if all {n_arms} empirical means of a user with rewards of 0 and 1 are equal, she "
                f"may reject all arms for ever, because rho_t can fall to {schedule.rho_0:g}: "
                f"use rho_t above 1/K = {1 / n_arms:g}",
                stacklevel=3,
            )
        user = User(
            n_arms=n_arms,
            alpha=positive("alpha", self.alpha),
            noise=validation.probability("noise", self.noise),
            reward_law=reward_law.place,
            law=reward_law,
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
            prior_acceptances=seen_before[0],
            prior_interactions=seen_before[1],
        )
        behaviour, means = as_behaviour(self.behaviour), self.means
        if means is None:
            means = setting.means if reward_law.means is None else instances.ROOMY
        law = InstanceLaw(n_arms, means, self.gap, reward_law.means, behaviour.gap_factor)
        # Copy the means, because the caller may change the list.
        means = self.means if law.given is None else tuple(law.given)
        vars(self).update(setting=setting, n_arms=n_arms, alpha=user.alpha, noise=user.noise)
        vars(self).update(rho=rho, means=means, reward_law=reward_law, behaviour=behaviour)
        vars(self).update(user=user, schedule=schedule, instance_law=law)

    def words(self) -> dict[str, Any]:
        """Return every option as a word or a number for tables and files.

        The setting's title lists all changes to the setting, including `means` and `rho`.
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
            "reward_law": self.user.law.name,
            "behaviour": self.behaviour.name,
        }

    def __repr__(self) -> str:
        words = self.words()
        changed = [each.name for each in OPTIONS if getattr(self, each.name) != each.default]
        return f"Population({', '.join(f'{name}={words[name]!r}' for name in changed)})"

    def failure(self, error: Exception, where: str, law: InstanceLaw | None = None) -> Exception:
        """Return an error that names the custom function that failed for a user.

        Args:
            error: the error raised when she started, responded or left.
            where: the user and the step, in words.
            law: the law of her instance; by default the law of the population.
        """
        rule, reward_law, law = self.schedule.rule, self.user.law, law or self.instance_law
        hers = self.behaviour
        parts: dict[str, Sequence[Any]] = {
            f"means ({law.title})": [law.custom],
            f"start of behaviour {hers.name!r}": [hers.start],
            f"respond of behaviour {hers.name!r}": [hers.respond, Checked.__call__],
            f"leaves of behaviour {hers.name!r}": [hers.leaves],
            f"rho ({rule_name(rule)})": [model.rho, rule],
            f"reward_law {reward_law.name!r}": [model.realize, reward_law.draw],
        }
        codes = {_code_of(each): name for name, several in parts.items() for each in several}
        frames = [frame for frame, _ in walk_tb(error.__traceback__)]
        last = frames[-1]
        if last.f_code is model.rho.__code__ and "current" in last.f_locals:
            low, high = self.user.rho_0, self.user.rho_1
            allowed = f"in [{low:g}, {high:g}], the range declared for {rule_name(rule)}"
            error = InvalidArgumentError("rho_t", _plain(last.f_locals["current"]), allowed)
        elif last.f_code is model.realize.__code__ and "reward" in last.f_locals:
            error = self.not_finite(last.f_locals["reward"])
        # The function that failed is the last on the stack.
        failed = [codes[frame.f_code] for frame in frames if frame.f_code in codes]
        if not failed and isinstance(error, InvalidArgumentError) and law.custom is None:
            return error
        return CallableError.of(failed[-1] if failed else next(iter(parts)), error, where)

    def not_finite(self, reward: Any) -> InvalidArgumentError:
        """Return the error for a `reward` that is not a finite number."""
        name = f"reward of reward_law {self.user.law.name!r}"
        return InvalidArgumentError(name, _plain(reward), "a finite number")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _code_of(function: Any) -> Any:
    """Return the code object of a function, partial, method or callable object; else None."""
    while isinstance(function, functools.partial):
        function = function.func
    if not hasattr(function, "__code__"):
        function = getattr(type(function), "__call__", None)  # noqa: B004
    return getattr(function, "__code__", None)


#: The options among the fields of `Population`.
OPTIONS: Sequence["Field[Any]"] = [each for each in fields(Population) if each.init]

_NAMES = [each.name for each in OPTIONS]


def population_of(
    population: Population | None, user: Mapping[str, Any], n_arms: int | None = None
) -> Population:
    """Return `population`, or the population with the options `user` if `population` is None.

    Args:
        population: a `Population`, or None.
        user: options by name.
        n_arms: the option `n_arms`, if the caller passed it as a positional argument.

    Raises:
        TypeError: for an unknown option, or if both a `Population` and options are given.
    """
    if n_arms is not None:
        if "n_arms" in user:
            raise TypeError("got multiple values for argument 'n_arms'")
        user = {**user, "n_arms": n_arms}
    validation.known_names(user, [option.name for option in OPTIONS], "options of users")
    if population is None:
        return Population(**user)
    if user:
        raise TypeError(f"give a population or its options, not both (got {', '.join(user)})")
    return of_class("population", population, Population)


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split options into those of users and all others."""
    user = {name: value for name, value in options.items() if name in _NAMES}
    return user, {name: value for name, value in options.items() if name not in _NAMES}


def _parameters(defaults: Mapping[str, Any]) -> list[Parameter]:
    """Return the options of users as parameters; the default of a record is its name."""
    shown = []
    for each in OPTIONS:
        default = defaults.get(each.name, each.default)
        default = getattr(default, "name", default)
        kind = UserOptions.__annotations__.get(each.name, each.type)
        shown.append(Parameter(each.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind))
    return shown


_shown: Any = Population
_shown.__signature__ = inspect.Signature(_parameters({}))


def lists_user_options(**defaults: Any) -> Callable[[_Function], _Function]:
    """Return a decorator that lists the options of users in a function's signature.

    The options replace `**user`, or precede other `**kwargs`.

    Args:
        **defaults: default values that differ from those of `Population`.
    """

    def decorate(function: _Function) -> _Function:
        def with_defaults(*args: Any, **kwargs: Any) -> Any:
            given = kwargs if kwargs.get("population") is not None else {**defaults, **kwargs}
            return function(*args, **given)

        called: Any = functools.wraps(function)(with_defaults) if defaults else function
        *first, rest = inspect.signature(function).parameters.values()
        more = [] if rest.name == "user" else [rest]
        called.__signature__ = inspect.Signature([*first, *_parameters(defaults), *more])
        typed: _Function = called
        return typed

    return decorate


def check_members(behaviour: Behaviour) -> None:
    """Raise an error if means move or users leave, which the population task does not allow."""
    if behaviour.moves_means or behaviour.leaves is not None:
        allowed = "one without moving means and leaving users, in the task population"
        raise InvalidArgumentError("behaviour", behaviour.name, allowed)


class MemberLaw(InstanceLaw):
    """The law of the instances of one episode's users, whose means deviate from common means m_i.

    `law` draws m_i. A user's means are m_i + deviation * N(0, 1). If the reward law restricts
    means to [low, high], they are reflected into [low, high - gap]. Then the best mean is moved to
    `gap` above the second best.

    Args:
        law: the law of the means and the gap.
        deviation: standard deviation of a user's means around m_i, at least 0.
        seed: the seed of the episode.
        popularity: m_i of every arm; if it is None, `law` draws m_i.
    """

    def __init__(
        self, law: InstanceLaw, deviation: float, seed: int, popularity: list[float] | None = None
    ) -> None:
        vars(self).update(vars(law))  # `law` is validated
        self.named = self.given = self._fixed = None
        self._deviation = deviation
        self.popularity = popularity or law.draw_unmoved(user_generator(seed))

    def draw(self, rng: np.random.Generator) -> Instance:
        """Return the instance of a member, drawn from her stream."""
        deviations = rng.standard_normal(self.n_arms).tolist()
        pairs = zip(self.popularity, deviations, strict=True)
        means = [popular + self._deviation * each for popular, each in pairs]
        if self.within is not None:
            low, high = self.within
            means = [instances.reflected(mean, low, high - self.largest_gap) for mean in means]
        return instances.separated(means, self.gap, rng, self.gap_factor)
