"""The user's confidence over the system, rho_t, in [rho_0, rho_1] (paper, section 2, Eq. 1)."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from explorative_user_env.old_names import renamed
from explorative_user_env.record_checks import check_fields
from explorative_user_env.validation import InvalidArgumentError, is_real, real

Rule = Callable[[tuple[float, ...], int, int, int], float]


def rule_name(rule: Callable[..., Any]) -> str:
    """Return what a rule is called, though it be an object or a part of another function."""
    return str(getattr(rule, "__name__", None) or type(rule).__name__)


@dataclass(frozen=True)
class Schedule:
    """A rule for rho_t with the range it keeps to.

    Args:
        rule: `rule(parameters, n, t, n_arms) -> rho_t` from the acceptances n(t) so far, the
            interactions t so far and K. Plain arithmetic and `math` keep it compilable; any other
            function works too, in the readable loop.
        rho_0: the least value of rho_t, above 0.
        rho_1: the largest, at least rho_0. A value outside of both is an error when it occurs.
        parameters: numbers handed to the rule.

    Raises:
        InvalidArgumentError: if the range is not positive and finite, or upside down, or naming the
            field that does not hold what its type says.
    """

    rule: Rule
    rho_0: float
    rho_1: float
    parameters: tuple[float, ...] = (0.0, 0.0)

    def __post_init__(self) -> None:
        allowed = "positive and finite, [rho_0, rho_1]"
        real_ends = is_real(self.rho_0) and is_real(self.rho_1)
        if not (real_ends and 0.0 < self.rho_0 <= self.rho_1 < math.inf):
            raise InvalidArgumentError("rho range", (self.rho_0, self.rho_1), allowed)
        check_fields(self, parameters=_check_parameters)
        needed = 2 if self.rule is acceptance_rate_rule else int(self.rule is constant_rule)
        if len(self.parameters) < needed:
            allowed = f"at least {needed} numbers for {rule_name(self.rule)}"
            raise InvalidArgumentError("parameters", self.parameters, allowed)

    @property
    def title(self) -> str:
        """What tables call it: its registered name, a constant's value, or its rule and numbers."""
        if self.rule is constant_rule:
            return f"{self.parameters[0]:g}"
        names = [name for name, schedule in _SCHEDULES.items() if schedule == self]
        numbers = ", ".join(f"{number:g}" for number in self.parameters)
        return names[0] if names else f"{rule_name(self.rule)}({numbers})"


def _check_parameters(name: str, values: object) -> None:
    """Make sure of numbers; what comes of one that is not finite is watched when it occurs."""
    if not isinstance(values, tuple) or not all(map(is_real, values)):
        raise InvalidArgumentError(name, values, "a tuple of numbers")


Schedule.__init__ = renamed(low="rho_0", high="rho_1")(Schedule.__init__)  # type: ignore[method-assign]


def acceptance_rate_rule(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """Return 1 + (n + a K) / (t + b K), with (a, b) = parameters; 2 before anything happened."""
    interactions = t + parameters[1] * n_arms
    if interactions == 0.0:
        return 2.0
    return 1.0 + (n + parameters[0] * n_arms) / interactions


def prior_counts(schedule: Schedule, n_arms: int) -> tuple[int, int] | None:
    """Return (a K, b K) of an acceptance-rate schedule if both are whole, None of any other."""
    if schedule.rule is not acceptance_rate_rule or len(schedule.parameters) < 2:
        return None
    a, b = schedule.parameters[:2]
    accepted, seen = a * n_arms, b * n_arms
    if not 0.0 <= accepted <= seen < 2**31 or int(accepted) != accepted or int(seen) != seen:
        return None
    if schedule.rho_0 > 1.0 or schedule.rho_1 < 2.0:
        return None
    return int(accepted), int(seen)


def constant_rule(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """Return parameters[0], whatever happens."""
    return parameters[0]


ACCEPTANCE_RATE = Schedule(acceptance_rate_rule, 1.0, 2.0, (0.0, 0.0))
"""rho_t = 1 + n(t)/t, the paper's experiments as printed."""

SMOOTHED_ACCEPTANCE_RATE = Schedule(acceptance_rate_rule, 1.0, 2.0, (1.0, 2.0))
"""rho_t = 1 + (K + n(t)) / (2K + t), the released code's form."""

_SCHEDULES: dict[str, Schedule] = {
    "acceptance_rate": ACCEPTANCE_RATE,
    "smoothed_acceptance_rate": SMOOTHED_ACCEPTANCE_RATE,
}


def constant(rho: float) -> Schedule:
    """Return the schedule rho_t = rho; rho = 1 with alpha = 1 is the classic UCB1 interval."""
    return Schedule(constant_rule, rho, rho, (rho, 0.0))


def register_schedule(name: str, schedule: Schedule) -> None:
    """Let `schedule` be asked for by `name`, as `gym.make(..., rho=name)` must to stay JSON.

    Raises:
        InvalidArgumentError: if another schedule has that name already.
    """
    if _SCHEDULES.get(name, schedule) != schedule:
        raise InvalidArgumentError("name", name, "a name no other schedule has")
    _SCHEDULES[name] = schedule


def as_schedule(rho: "Schedule | str | float") -> Schedule:
    """Return the schedule meant by `rho`: itself, a registered name, or a constant's value."""
    if isinstance(rho, Schedule):
        return rho
    if isinstance(rho, str) and rho in _SCHEDULES:
        return _SCHEDULES[rho]
    names = ", ".join(sorted(_SCHEDULES))
    return constant(real("rho", rho, f"a Schedule, a positive and finite number or one of {names}"))


def warn_of_ties(schedule: Schedule, n_arms: int) -> None:
    """Warn if rewards that are often equal can make a user reject every arm for ever.

    Where Gamma = max(0, 2 alpha log(rho_t n(t))) is still 0 once every arm was accepted, arms with
    equal means reject each other, and nothing she could learn from is accepted again.
    """
    if schedule.rho_0 * n_arms <= 1.0:
        warnings.warn(
            f"with rewards of 0 and 1 and rho_t down to {schedule.rho_0:g}, users whose {n_arms} "
            f"arms are tied reject them all for ever: take rho_t above 1/K = {1 / n_arms:g}",
            stacklevel=2,
        )
