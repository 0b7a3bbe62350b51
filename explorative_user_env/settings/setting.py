"""What a setting is: every modelling choice of an experiment, one field each."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Literal

from explorative_user_env.agents import AGENTS
from explorative_user_env.record_checks import check_fields
from explorative_user_env.tasks import STEP_CAP
from explorative_user_env.users.confidence import Schedule
from explorative_user_env.validation import count, integer, positive


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
