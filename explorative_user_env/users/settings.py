"""The two settings: what the paper prints, and what its tables were made with.

The paper's text and the code its authors released differ in many small choices, and the choices
decide the tables. Each difference is one field of `Setting`, so that `dataclasses.replace` can
change one at a time. An agent's option left open (None) takes the value a setting has for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

from explorative_user_env.agents import AGENTS
from explorative_user_env.protocol import STEP_CAP
from explorative_user_env.users.laws import (
    ACCEPTANCE_RATE,
    BERNOULLI,
    SMOOTHED_ACCEPTANCE_RATE,
    RewardLaw,
    Schedule,
    prior_counts,
    warn_of_ties,
)
from explorative_user_env.users.model import User, number_of_arms
from explorative_user_env.validation import (
    check_fields,
    choice,
    count,
    integer,
    of_class,
    positive,
    probability,
)

__all__ = [
    "COMPARED",
    "DIFFERENCES",
    "PRINTED",
    "RELEASED",
    "SETTINGS",
    "Difference",
    "Setting",
    "as_setting",
    "differences_of",
    "name_in",
    "title_of",
]


@dataclass(frozen=True)
class Setting:
    """Every modelling choice of an experiment, one field each.

    Attributes:
        name: what the setting is called.
        means: law of the arm means, "normal" N(0, 1) or "uniform" on (0, 1).
        private_draws: rewards of each arm the user has seen beforehand (in n_i, not in n(t)).
        least_n: n(t) counts as at least this much in Gamma.
        rho: the schedule of rho_t.
        rho_refresh: whether rho_t follows every "response" or every "acceptance" only.
        rho_at_start: rho_t before the first response.
        rejects_ties: whether lcb_j = ucb_i rejects i.
        bair_n1: N_1 = (2K/delta)^(1/alpha)/rho_0 ("paper"), or with 2(K-1) ("proof").
        bair_phase1_counts: whether N_1 is compared with "acceptances" or "steps".
        bair_first_sweep: whether the first sweep passes over all of F ("full") or skips the arm
            after a rejected one and ends the pass it is in ("skipping").
        bair_phase2: "fewest acceptances" over F, or "round robin" over F.
        bair_m: rejections that eliminate an arm of a user with click noise: m = 2 log(K/delta)
            ("paper") or the released code's threshold ("released").
        uniform_order: "round robin", or "random" arms.
        uniform_whole_passes: whether round robin finishes the pass in which it reaches T.
        exp3_learning_rate: c in the learning rate sqrt(c log K / (K T)).
        exp3_answer: the arm "accepted" or "recommended" most.
        tas_primed: whether N_a = S_a = 1 at the start stands in for recommending each arm once.
        tas_max_steps: step cap of Track-and-Stop, whatever K; a run that reaches it is censored.
        tas_max_steps_per_arm: the cap is this times K where that is more. The paper does not print
            its cap; the released setting's was fitted to the published times.
        answer_ties: the answer among tied arms, at "random" or the "first".
        counts_private_draws: whether reported stopping times include the K private draws.
        private_draws_rejected: the paper's agents whose private draws are reported as rejections.
        rejection_rate: the headline figure, "mean of ratios" over runs or "ratio of means".
        drops_censored: whether censored runs are left out of mean times and rejection rates.

    Raises:
        InvalidArgumentError: naming the field that does not hold what its type says.
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

    def __post_init__(self) -> None:
        least_1 = partial(integer, least=1)
        rates = {"rho_at_start": positive, "exp3_learning_rate": positive}
        draws = partial(count, least=0, most=STEP_CAP)
        check_fields(self, tas_max_steps=least_1, private_draws=draws, **rates)

    def agent_options(self, algorithm: str, n_arms: int) -> dict[str, Any]:
        """Return what this setting says for the options of an algorithm, by its name."""
        shared = {"ties": self.answer_ties}
        match algorithm:
            case "BAIR":
                return {
                    "n1": self.bair_n1,
                    "phase1_counts": self.bair_phase1_counts,
                    "first_sweep": self.bair_first_sweep,
                    "phase2": self.bair_phase2,
                    "m": self.bair_m,
                }
            case "UNI":
                return shared | {
                    "order": self.uniform_order,
                    "whole_passes": self.uniform_whole_passes,
                }
            case "EXP3":
                return shared | {
                    "learning_rate": self.exp3_learning_rate,
                    "counts": self.exp3_answer,
                }
            case "T&S":
                cap = max(self.tas_max_steps, self.tas_max_steps_per_arm * n_arms)
                return shared | {"primed": self.tas_primed, "max_steps": cap}
        return {}

    def reports_as_rejected(self, agent: str) -> bool:
        """Return whether an agent's private draws are reported as rejections.

        One that the paper does not have is reported as most of its agents are, so that rejection
        rates can be compared.
        """
        listed = self.private_draws_rejected
        return agent in listed or (bool(listed) and agent not in AGENTS)

    def changes_of(self, original: "Setting") -> dict[str, str]:
        """Return in words the fields that are different from those of `original`."""
        return {
            field.name: _in_words(getattr(self, field.name))
            for field in fields(self)
            if getattr(self, field.name) != getattr(original, field.name)
        }


def _in_words(value: Any) -> str:
    return value.title if isinstance(value, Schedule) else str(value)


@dataclass(frozen=True)
class Difference:
    """One point in which text and code differ.

    Attributes:
        point: what it is about.
        printed: what the text says.
        released: what the code does.
        fields: the fields of `Setting` that make it and change together, each with its value in
            the text and in the code.
    """

    point: str
    printed: str
    released: str
    fields: Mapping[str, tuple[Any, Any]]

    def switched(self, setting: Setting) -> Setting:
        """Return `setting` with this point as the code has it."""
        changes: dict[str, Any] = {name: code for name, (_, code) in self.fields.items()}
        return replace(setting, **changes)


DIFFERENCES = (
    Difference("arm means", "N(0, 1)", "Uniform(0, 1)", {"means": ("normal", "uniform")}),
    Difference(
        "user at the start",
        "no history",
        "one private draw of every arm",
        {"private_draws": (0, 1)},
    ),
    Difference(
        "Gamma and rho_t before the first acceptance",
        "n(t) as it is, rho_t = 1",
        "max(n(t), 1), rho_t = 2",
        {"least_n": (0, 1), "rho_at_start": (1.0, 2.0)},
    ),
    Difference(
        "rho_t",
        "1 + n(t)/t",
        "1 + (K + n(t))/(2K + t)",
        {"rho": (ACCEPTANCE_RATE, SMOOTHED_ACCEPTANCE_RATE)},
    ),
    Difference(
        "rho_t follows",
        "every response",
        "acceptances only",
        {"rho_refresh": ("response", "acceptance")},
    ),
    Difference(
        "she rejects i if", "lcb_j >= ucb_i", "lcb_j > ucb_i", {"rejects_ties": (True, False)}
    ),
    Difference(
        "BAIR: N_1",
        "(2K/delta)^(1/alpha)",
        "(2(K-1)/delta)^(1/alpha)",
        {"bair_n1": ("paper", "proof")},
    ),
    Difference(
        "BAIR: first sweep",
        "over all of F",
        "skips the arm after a rejected one",
        {"bair_first_sweep": ("full", "skipping")},
    ),
    Difference(
        "BAIR: Phase 2",
        "the fewest acceptances in F",
        "round robin",
        {"bair_phase2": ("fewest acceptances", "round robin")},
    ),
    Difference(
        "BAIR(m), with click noise",
        "m = 2 log(K/delta)",
        "a multiple of log(2K/delta) at p' = .9",
        {"bair_m": ("paper", "released")},
    ),
    Difference(
        "UNI", "stops at T", "ends the pass it is in", {"uniform_whole_passes": (False, True)}
    ),
    Difference(
        "EXP3: learning rate",
        "sqrt(log K/(KT))",
        "sqrt(2 log K/(KT))",
        {"exp3_learning_rate": (1.0, 2.0)},
    ),
    Difference(
        "EXP3: answer",
        "most accepted",
        "most recommended",
        {"exp3_answer": ("accepted", "recommended")},
    ),
    Difference(
        "T&S: start",
        "each arm recommended once",
        "counts of one taken for granted",
        {"tas_primed": (False, True)},
    ),
    Difference(
        "T&S: step cap",
        "none (a million)",
        "max(10 000, 1000 K), fitted",
        {"tas_max_steps": (1_000_000, 10_000), "tas_max_steps_per_arm": (0, 1_000)},
    ),
    Difference(
        "answer among tied arms", "at random", "the first", {"answer_ties": ("random", "first")}
    ),
    Difference(
        "reported time",
        "interactions",
        "and the K private draws",
        {"counts_private_draws": (False, True)},
    ),
    Difference(
        "reported rejections",
        "rejections",
        "and the K private draws, but for T&S",
        {"private_draws_rejected": ((), ("BAIR", "UNI", "EXP3"))},
    ),
    Difference(
        "rejection rate",
        "mean of ratios",
        "ratio of means",
        {"rejection_rate": ("mean of ratios", "ratio of means")},
    ),
    Difference(
        "runs cut off by the cap",
        "count in full",
        "left out of time and rejections",
        {"drops_censored": (False, True)},
    ),
)
"""All of them: switched one after the other they lead from `PRINTED` to `RELEASED`."""

ALIKE: dict[str, Any] = {"bair_phase1_counts": "acceptances", "uniform_order": "round robin"}
"""Where the text and the code agree, and another reading is worth a try."""


def _side(name: str, side: Literal[0, 1]) -> Setting:
    values = {
        field: pair[side] for difference in DIFFERENCES for field, pair in difference.fields.items()
    }
    return Setting(name=name, **ALIKE, **values)


PRINTED = _side("printed", 0)
"""The paper's text."""

RELEASED = _side("released", 1)
"""The code the paper's tables were made with."""

COMPARED = RELEASED.name
"""The setting that is compared with the published figures; where nothing is compared with them, it
is the paper's text."""

SETTINGS = {setting.name: setting for setting in (PRINTED, RELEASED)}
"""The two settings by their names."""


def as_setting(setting: Setting | str) -> Setting:
    """Return the setting meant by `setting`: itself, or the one of that name."""
    if isinstance(setting, Setting):
        return setting
    return SETTINGS[choice("setting", setting, SETTINGS)]


def differences_of(setting: Setting) -> dict[str, str]:
    """Return the points in which a setting is not the paper's text, each with what it does."""
    changes = replace(setting, name=PRINTED.name).changes_of(PRINTED)
    told = {}
    for difference in DIFFERENCES:
        words = {name: changes.pop(name) for name in difference.fields if name in changes}
        pairs = difference.fields.items()
        if all(getattr(setting, name) == code for name, (_, code) in pairs):
            told[difference.point] = difference.released
        elif words:
            told[difference.point] = ", ".join(f"{name}={word}" for name, word in words.items())
    return told | changes


def title_of(setting: Setting, others: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a setting's name, and what is changed of the setting that has it.

    Args:
        setting: whose title it is.
        others: what else stands in for a field of it, in words.
    """
    of_class("setting", setting, Setting)
    changes = {**setting.changes_of(SETTINGS.get(setting.name, setting)), **others}
    told = ", ".join(f"{name}={word}" for name, word in changes.items())
    return f"{setting.name} ({told})" if told else setting.name


def name_in(title: str) -> str:
    """Return the name of the setting with this title."""
    return title.split(" (")[0]


def user_of(
    setting: Setting,
    schedule: Schedule,
    reward_law: RewardLaw,
    *,
    n_arms: int,
    alpha: float,
    noise: float,
) -> User:
    """Return the numbers of every user of a population, which are checked.

    Args:
        setting: what the options do not say.
        schedule: of rho_t.
        reward_law: of her rewards.
        n_arms: K, from 2 to a million.
        alpha: willingness to explore, above 0.
        noise: probability in [0, 1] that a decision is a coin flip.

    Raises:
        InvalidArgumentError: naming the option that is out of range.
    """
    prior = prior_counts(schedule, number_of_arms(n_arms))
    least_mean, largest_mean = reward_law.range_of_means
    if reward_law.place == BERNOULLI and setting.rejects_ties and not setting.private_draws:
        warn_of_ties(schedule, n_arms)
    return User(
        n_arms=int(n_arms),
        alpha=positive("alpha", alpha),
        noise=probability("noise", noise),
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
