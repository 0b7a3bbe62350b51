"""The two settings: what the paper prints, and what its tables were made with.

The paper's text and the code its authors released differ in many small choices, and the choices
decide the tables. Each difference is one field here, so that `dataclasses.replace` can change one
at a time. An agent's option left open (None) takes the value a setting has for it.
"""

from dataclasses import dataclass
from typing import Any, Literal

from explorative_user_env.users.confidence import (
    ACCEPTANCE_RATE,
    SMOOTHED_ACCEPTANCE_RATE,
    Schedule,
    as_schedule,
    prior_counts,
)
from explorative_user_env.users.explorative import User
from explorative_user_env.users.reward_laws import reward_law_named
from explorative_user_env.validation import choice, integer, positive, probability


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
        private_draws_rejected: agents whose private draws are reported as rejections.
        rejection_rate: the headline figure, "mean of ratios" over runs or "ratio of means".
        drops_censored: whether censored runs are left out of mean times and rejection rates.
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


PRINTED = Setting(
    name="printed",
    means="normal",
    private_draws=0,
    least_n=0,
    rho=ACCEPTANCE_RATE,
    rho_refresh="response",
    rho_at_start=1.0,
    rejects_ties=True,
    bair_n1="paper",
    bair_phase1_counts="acceptances",
    bair_first_sweep="full",
    bair_phase2="fewest acceptances",
    bair_m="paper",
    uniform_order="round robin",
    uniform_whole_passes=False,
    exp3_learning_rate=1.0,
    exp3_answer="accepted",
    tas_primed=False,
    tas_max_steps=1_000_000,
    tas_max_steps_per_arm=0,
    answer_ties="random",
    counts_private_draws=False,
    private_draws_rejected=(),
    rejection_rate="mean of ratios",
    drops_censored=False,
)
"""The paper's text."""

RELEASED = Setting(
    name="released",
    means="uniform",
    private_draws=1,
    least_n=1,
    rho=SMOOTHED_ACCEPTANCE_RATE,
    rho_refresh="acceptance",
    rho_at_start=2.0,
    rejects_ties=False,
    bair_n1="proof",
    bair_phase1_counts="acceptances",
    bair_first_sweep="skipping",
    bair_phase2="round robin",
    bair_m="released",
    uniform_order="round robin",
    uniform_whole_passes=True,
    exp3_learning_rate=2.0,
    exp3_answer="recommended",
    tas_primed=True,
    tas_max_steps=10_000,
    tas_max_steps_per_arm=1_000,
    answer_ties="first",
    counts_private_draws=True,
    private_draws_rejected=("BAIR", "UNI", "EXP3"),
    rejection_rate="ratio of means",
    drops_censored=True,
)
"""The code the paper's tables were made with."""

SETTINGS = {setting.name: setting for setting in (PRINTED, RELEASED)}


def as_setting(setting: Setting | str) -> Setting:
    """Return the setting meant by `setting`: itself, or the one of that name."""
    if isinstance(setting, Setting):
        return setting
    return SETTINGS[choice("setting", setting, SETTINGS)]


def user_of(
    setting: Setting,
    n_arms: int,
    alpha: float = 1.0,
    noise: float = 0.0,
    rho: Schedule | str | float | None = None,
    reward_law: str = "gaussian",
) -> tuple[User, Schedule]:
    """Return the numbers of a user under `setting`, and the schedule of her rho_t.

    Args:
        setting: the modelling choices.
        n_arms: K, at least 2.
        alpha: her willingness to explore, above 0.
        noise: p in [0, 1], the probability of a coin-flip decision.
        rho: another schedule, its registered name or a constant; None is the setting's.
        reward_law: of her rewards around mu_i, "gaussian", "bernoulli" or "bounded".

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    schedule = setting.rho if rho is None else as_schedule(rho)
    n_arms = integer("n_arms", n_arms, 2)
    prior = prior_counts(schedule, n_arms)
    user = User(
        n_arms=n_arms,
        alpha=positive("alpha", alpha),
        noise=probability("noise", noise),
        reward_law=reward_law_named(reward_law),
        rejects_ties=setting.rejects_ties,
        private_draws=setting.private_draws,
        least_n=setting.least_n,
        refreshes_on_rejection=setting.rho_refresh == "response",
        rho_at_start=min(max(setting.rho_at_start, schedule.low), schedule.high),
        rho_low=schedule.low,
        rho_high=schedule.high,
        rho_parameters=schedule.parameters,
        counted=prior is not None,
        prior_acceptances=prior[0] if prior else 0,
        prior_interactions=prior[1] if prior else 0,
    )
    return user, schedule
