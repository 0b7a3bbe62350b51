"""The two settings: the paper's text, and the released code that made its tables.

The paper's text and the code of its authors differ in many small choices, which decide the tables.
Each choice is one field of `Setting`, so that `dataclasses.replace` can change one at a time. An
agent's option that is None takes the value of the setting.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

from explorative_user_env.protocol import STEP_CAP
from explorative_user_env.users.laws import (
    ACCEPTANCE_RATE,
    SMOOTHED_ACCEPTANCE_RATE,
    Schedule,
)
from explorative_user_env.validation import (
    check_fields,
    choice,
    count,
    integer,
    of_class,
    positive,
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

PAPER_AGENTS = ("BAIR", "T&S", "UNI", "EXP3")
"""The names of the agents in the paper's tables."""


@dataclass(frozen=True)
class Setting:
    """Every modelling choice of an experiment, one field each.

    Attributes:
        name: the name of the setting.
        means: law of the arm means, "normal" N(0, 1) or "uniform" on (0, 1).
        private_draws: rewards of each arm before the first recommendation (in n_i, not in n(t)).
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
        InvalidArgumentError: naming the field whose value does not fit its type.
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
        check_fields(
            self,
            tas_max_steps=partial(integer, least=1),
            private_draws=partial(count, least=0, most=STEP_CAP),
            rho_at_start=positive,
            exp3_learning_rate=positive,
        )

    def agent_options(self, algorithm: str, n_arms: int) -> dict[str, Any]:
        """Return the options that this setting gives an algorithm, by its name."""
        match algorithm:
            case "BAIR":
                parts = ("n1", "phase1_counts", "first_sweep", "phase2", "m")
                return {part: getattr(self, f"bair_{part}") for part in parts}
            case "UNI":
                order = {"order": self.uniform_order, "whole_passes": self.uniform_whole_passes}
                return {"ties": self.answer_ties, **order}
            case "EXP3":
                own = {"learning_rate": self.exp3_learning_rate, "counts": self.exp3_answer}
                return {"ties": self.answer_ties, **own}
            case "T&S":
                cap = max(self.tas_max_steps, self.tas_max_steps_per_arm * n_arms)
                return {"ties": self.answer_ties, "primed": self.tas_primed, "max_steps": cap}
        return {}

    def reports_as_rejected(self, agent: str) -> bool:
        """Return whether an agent's private draws are reported as rejections.

        Agents that the paper does not have are reported as most of its agents are, so that
        rejection rates can be compared.
        """
        listed = self.private_draws_rejected
        return agent in listed or (bool(listed) and agent not in PAPER_AGENTS)

    def changes_of(self, original: "Setting") -> dict[str, str]:
        """Return the fields that differ from those of `original`, with their values as words."""
        changed = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: value.title if isinstance(value, Schedule) else str(value)
            for name, value in changed.items()
            if value != getattr(original, name)
        }


@dataclass(frozen=True)
class Difference:
    """One point in which text and code differ.

    Attributes:
        point: what it is about.
        printed: what the text says.
        released: what the code does.
        fields: the fields of `Setting` that change together, each with its value in the text and
            in the code.
    """

    point: str
    printed: str
    released: str
    fields: Mapping[str, tuple[Any, Any]]

    def switched(self, setting: Setting) -> Setting:
        """Return `setting` with this point as the code has it."""
        changes: dict[str, Any] = {name: code for name, (_, code) in self.fields.items()}
        return replace(setting, **changes)


def _point(point: str, printed: str, released: str, **fields: tuple[Any, Any]) -> Difference:
    return Difference(point, printed, released, fields)


# fmt: off
DIFFERENCES = (
    _point("arm means", "N(0, 1)", "Uniform(0, 1)", means=("normal", "uniform")),
    _point("user at the start", "no history", "one private draw of every arm",
           private_draws=(0, 1)),
    _point("Gamma and rho_t before the first acceptance", "n(t) as it is, rho_t = 1",
           "max(n(t), 1), rho_t = 2", least_n=(0, 1), rho_at_start=(1.0, 2.0)),
    _point("rho_t", "1 + n(t)/t", "1 + (K + n(t))/(2K + t)",
           rho=(ACCEPTANCE_RATE, SMOOTHED_ACCEPTANCE_RATE)),
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
"""All differences: switched one after the other they lead from `PRINTED` to `RELEASED`."""

ALIKE: dict[str, Any] = {"bair_phase1_counts": "acceptances", "uniform_order": "round robin"}
"""Choices in which text and code agree, though another reading is possible."""


def _side(name: str, side: Literal[0, 1]) -> Setting:
    pairs = [each for difference in DIFFERENCES for each in difference.fields.items()]
    return Setting(name=name, **ALIKE, **{field: pair[side] for field, pair in pairs})


PRINTED = _side("printed", 0)
"""The paper's text."""

RELEASED = _side("released", 1)
"""The code that made the paper's tables."""

COMPARED = RELEASED.name
"""The setting for comparisons with the published figures; elsewhere the default is the text."""

SETTINGS = {setting.name: setting for setting in (PRINTED, RELEASED)}
"""The two settings by name."""


def as_setting(setting: Setting | str) -> Setting:
    """Return the setting of a record or a name."""
    if isinstance(setting, Setting):
        return setting
    return SETTINGS[choice("setting", setting, SETTINGS)]


def differences_of(setting: Setting) -> dict[str, str]:
    """Return the points in which a setting differs from the paper's text, each in words."""
    changes = replace(setting, name=PRINTED.name).changes_of(PRINTED)
    points = {}
    for difference in DIFFERENCES:
        words = {name: changes.pop(name) for name in difference.fields if name in changes}
        if difference.switched(setting) == setting:
            points[difference.point] = difference.released
        elif words:
            points[difference.point] = ", ".join(f"{name}={each}" for name, each in words.items())
    return points | changes


def title_of(setting: Setting, others: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a setting's name, followed by its changes to the setting of that name.

    Args:
        setting: the setting.
        others: words for fields that an option replaces.
    """
    of_class("setting", setting, Setting)
    changes = {**setting.changes_of(SETTINGS.get(setting.name, setting)), **others}
    words = ", ".join(f"{name}={word}" for name, word in changes.items())
    return f"{setting.name} ({words})" if words else setting.name


def name_in(title: str) -> str:
    """Return the setting's name in its title."""
    return title.split(" (")[0]
