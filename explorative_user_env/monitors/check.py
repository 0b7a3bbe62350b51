"""What a run of BAIR kept to of what the paper proves, and what it broke."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import gymnasium as gym

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.episodes import Episode
from explorative_user_env.loop import rollout
from explorative_user_env.monitors.margins import (
    band_margin,
    drop_margin,
    interval_margin,
    n_rounds,
    phase_counts,
)
from explorative_user_env.monitors.trace import Given, Trace, Watch
from explorative_user_env.tasks import ANSWERED, DELTA
from explorative_user_env.theory import (
    early_rounds_bound,
    phase1_rejections_bound,
    phase1_rounds_bound,
    phase2_error_bound,
    phase2_length_bound,
    printed_phase2_length_bound,
    upper_bound,
)
from explorative_user_env.users.instances import Instance


class Claim(NamedTuple):
    """One thing the paper says of a run.

    Attributes:
        name: `<name>_broken` is its flag in a `TheoryCheck`.
        source: where the paper says it.
        on_bands: it may be broken with probability delta if it rests on the means keeping to their
            bands, or is promised with 1 - delta whatever N_1 is.
        on_answer: it may be broken besides where the best arm is eliminated: with probability delta
            for the paper's N_1, and else with `error_bound` of a `TheoryCheck`.
    """

    name: str
    source: str
    on_bands: bool = False
    on_answer: bool = False


CLAIMS = (
    Claim("band", "lm:iteratedlog, every arm and time", on_bands=True),
    Claim("interval", "lm:phase2bound1, events B", on_answer=True),
    Claim("answer", "lm:phase2bound1, answer", on_answer=True),
    Claim("rounds", "lm:algo4, rounds", on_bands=True),
    Claim("phase1_rejections", "lm:algo4, rejections", on_bands=True),
    Claim("drop", "lm:Er, every round"),
    Claim("phase2_length", "lm:phase2bound2, derived anew", on_bands=True, on_answer=True),
    Claim("phase2_length_printed", "lm:phase2bound2, as printed", on_bands=True),
    Claim("recommendations", "thm:upperbound2", on_bands=True, on_answer=True),
)
"""What a run of BAIR is held against, in the order in which tables have it."""


@dataclass(frozen=True)
class TheoryCheck:
    """What one run of BAIR kept to and what it broke.

    A run that is cut off by a step cap breaks only what it had broken by then.

    Attributes:
        agent: the agent's name.
        user_seed: the user's seed.
        n_arms: K.
        delta: the agent's delta.
        n1: N_1, as the agent used it.
        error_bound: `theory.phase2_error_bound` of this N_1; at most delta for the paper's.
        best_arm: the best arm.
        answer: the agent's answer.
        censored: whether the run ended before the agent stopped.
        answer_broken: whether the agent stopped and named another arm.
        band_margin: the least distance of an empirical mean to the edge of its band
            sqrt(2/n_i log(K n_i(n_i+1)/delta)), over all arms and times; infinite if there is none.
        interval_margin: the least distance of mu_i and mu_j to the edge of their intervals, over
            the rejections of Phase 2, of an arm i because of the arm j with the largest lcb.
        drop_margin: the least of (fall of the largest empirical mean) - 2 sqrt(Gamma/n(t_e)) over
            the complete rounds of Phase 1.
        rounds: complete rounds of Phase 1; the first sweep is none.
        rounds_bound: sqrt(2 N_1 log(2K/delta)), and the rounds that may begin with Gamma below 1.
        phase1_acceptances: acceptances of Phase 1.
        phase1_rejections: its rejections.
        phase2_length: recommendations of Phase 2.
        phase2_length_printed_bound: the bound with the constants of Eq. (8c).
        recommendations: all recommendations.
        band_broken: whether the margin is below 0; so for all flags of a margin, and for all
            others whether the figure is above its bound.
    """

    agent: str
    user_seed: int
    n_arms: int
    delta: float
    n1: float
    error_bound: float
    best_arm: int
    answer: int
    censored: bool
    answer_broken: bool
    band_margin: float
    band_broken: bool
    interval_margin: float
    interval_broken: bool
    drop_margin: float
    drop_broken: bool
    rounds: int
    rounds_bound: float
    rounds_broken: bool
    phase1_acceptances: int
    phase1_rejections: int
    phase1_rejections_bound: float
    phase1_rejections_broken: bool
    phase2_length: int
    phase2_length_bound: int
    phase2_length_broken: bool
    phase2_length_printed_bound: int
    phase2_length_printed_broken: bool
    recommendations: int
    recommendations_bound: float
    recommendations_broken: bool


def check_run(
    env: gym.Env[Any, Any],
    agent: AlgorithmAgent,
    seed: int,
    max_steps: int | None = None,
    delta: float = DELTA,
) -> TheoryCheck:
    """Let BAIR meet the user with this `seed`, as `rollout` does, and check what the paper says.

    The run is the same as without the check. The bounds are for a user of the paper's model:
    with click noise, or many private draws, even what is sure can break (see
    `theory.largest_mean_drop`).

    Args:
        env: an `ExplorativeUser-v0`, made or raw.
        agent: a `BAIR(...)`.
        seed: the user's seed, at least 0.
        max_steps: cut the run off after this many steps; None is the agent's own cap, if any.
        delta: of an agent without one of its own, in (0, 1).

    Raises:
        InvalidArgumentError: for another environment or agent, or an argument out of range.
    """
    watch = Watch(env, agent, delta)
    episode = rollout(env, watch, seed, max_steps)
    return examine(watch.trace, watch.given, episode)


def examine(trace: Trace, given: Given, episode: Episode) -> TheoryCheck:
    """Return what a run kept to and what it broke."""
    instance, counts = trace.instance, phase_counts(trace)
    margins = {
        "band": band_margin(trace, given.delta),
        "interval": interval_margin(trace),
        "drop": drop_margin(trace),
    }
    figures: dict[str, float] = {
        "rounds": n_rounds(trace),
        "phase1_rejections": counts.phase1_rejections,
        "phase2_length": counts.phase2_length,
        "recommendations": episode.stopping_time,
    }
    bounds = _bounds(instance, given)
    printed = printed_phase2_length_bound(
        instance, given.delta, given.alpha, given.rho_0, given.rho_1
    )
    fields: dict[str, Any] = {f"{name}_margin": margin for name, margin in margins.items()}
    fields |= {f"{name}_broken": margin < 0.0 for name, margin in margins.items()}
    fields |= figures
    fields |= {f"{name}_bound": bound for name, bound in bounds.items()}
    fields |= {f"{name}_broken": figures[name] > bound for name, bound in bounds.items()}
    return TheoryCheck(
        agent=episode.agent,
        user_seed=episode.seed,
        n_arms=instance.n_arms,
        delta=given.delta,
        n1=given.n1,
        error_bound=phase2_error_bound(given.n1, instance.n_arms, given.alpha, given.rho_0),
        best_arm=instance.best_arm,
        answer=episode.answer,
        censored=episode.end != ANSWERED,
        answer_broken=episode.end == ANSWERED and episode.answer != instance.best_arm,
        phase1_acceptances=counts.phase1_acceptances,
        phase2_length_printed_bound=printed,
        phase2_length_printed_broken=counts.phase2_length > printed,
        **fields,
    )


def _bounds(instance: Instance, given: Given) -> dict[str, float]:
    """Return what the paper says that each figure is at most."""
    n_arms = instance.n_arms
    delta, n1, alpha, rho_0, rho_1, order = given
    whole = upper_bound(instance, delta, alpha, rho_0, rho_1, n1=n1, order=order)
    return {
        "rounds": early_rounds_bound(alpha, rho_0) + phase1_rounds_bound(n1, n_arms, delta),
        "phase1_rejections": phase1_rejections_bound(n1, n_arms, delta, alpha, rho_0),
        "phase2_length": phase2_length_bound(instance, n1, delta, alpha, rho_1, order),
        "recommendations": whole.total,
    }
