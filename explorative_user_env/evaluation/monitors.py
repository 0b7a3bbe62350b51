"""Monitors, which compare runs of BAIR and the users' hidden states with the paper's bounds."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import gymnasium as gym
import numpy as np
import pandas as pd

from explorative_user_env import theory
from explorative_user_env.agents import AlgorithmAgent, informed
from explorative_user_env.agents.adaptive_bair import ALGORITHM as BAIR_C
from explorative_user_env.agents.bair import ALGORITHM, ELIMINATION, ROUNDS
from explorative_user_env.envs.user import ExplorativeUserEnv, population_in
from explorative_user_env.protocol import ANSWERED, DELTA
from explorative_user_env.results.intervals import proportion_interval
from explorative_user_env.runs.loop import Episode, rollout
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError, risk

__all__ = [
    "CLAIMS",
    "Claim",
    "TheoryCheck",
    "broken_table",
    "check_run",
    "eliminates_best",
    "is_bair",
]


@dataclass
class Trace:
    """The record of a run and of the user's hidden state, at the start and after each step.

    Attributes:
        instance: the true means.
        estimates: hat mu_i before the first step.
        counts: n_i before the first step, with the rewards that the user drew in private.
        gammas: Gamma before the first step and after each step.
        steps: for each step the part of BAIR (`SWEEP` and then `ROUNDS` in Phase 1, `ELIMINATION`
            in Phase 2), the recommended arm, the response, and the arm's hat mu_i and n_i after the
            step.
    """

    instance: Instance
    estimates: list[float]
    counts: list[int]
    gammas: list[float]
    steps: list[tuple[int, int, bool, float, int]] = field(default_factory=list)


def is_bair(agent: Any) -> bool:
    """Return whether an agent is BAIR, or SE, which is BAIR with N_1 = 0."""
    # `agent.algorithm` may be a copy of `ALGORITHM` in another process, with equal functions.
    return isinstance(agent, AlgorithmAgent) and agent.algorithm.observe is ALGORITHM.observe


class Watch:
    """An agent that wraps BAIR and records the run in `trace`."""

    trace: Trace

    def __init__(self, env: ExplorativeUserEnv, agent: Any) -> None:
        self.env, self.agent = env, agent
        self.name, self.max_steps = agent.name, agent.max_steps
        self.act: Callable[[], int | None] = agent.act
        self.answer: Callable[[], int] = agent.answer

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Reset the agent and start a new trace; call it after the reset of the environment."""
        self.agent.reset(n_arms, rng, horizon)
        # `hidden_state()` has the same values, but is many times slower.
        state: Any = self.env._state
        start = (list(state.estimates), list(state.counts), [state.spread[0] ** 2])
        self.trace = Trace(self.env.instance(), *start)

    def observe(self, arm: int, accepted: bool) -> None:
        """Pass the response to the agent and record the user's hidden state."""
        trace, state = self.trace, cast("Any", self.env._state)
        part = int(self.agent._state.part[0])
        self.agent.observe(arm, accepted)
        trace.steps.append((part, arm, accepted, state.estimates[arm], state.counts[arm]))
        trace.gammas.append(state.spread[0] ** 2)


def band_margin(trace: Trace, delta: float) -> float:
    """Return the least distance of an empirical mean to the edge of its confidence band.

    The minimum is over all arms and steps, and infinite if the user received no reward. An
    arm's empirical mean stays in its band at all times with probability at least 1 - delta/K.
    """
    truth, before = np.array(trace.instance.means), zip(trace.estimates, trace.counts, strict=True)
    known = [(arm, *each) for arm, each in enumerate(before)]
    known += [step[1:2] + step[3:] for step in trace.steps if step[2]]
    seen = np.array([each for each in known if each[2] > 0], float).reshape(-1, 3)
    arms, means, numbers = seen[:, 0].astype(int), seen[:, 1], seen[:, 2].astype(int)
    bands = theory.iterated_log_band(numbers, delta / len(truth))
    return float(np.min(bands - np.abs(means - truth[arms]), initial=math.inf))


def measured(trace: Trace, delta: float) -> dict[str, Any]:
    """Return the measured values of a run, by the attribute names of `TheoryCheck`."""
    truth, n_arms = trace.instance.means, trace.instance.n_arms
    estimates, counts, gammas = list(trace.estimates), list(trace.counts), trace.gammas
    interval = drop = top = math.inf
    n_accepted = n_rejected = start = 0

    def largest() -> float:
        seen = zip(estimates, counts, strict=True)
        return max((estimate for estimate, count in seen if count > 0), default=-math.inf)

    # A round starts at step `start`, where `top` is the largest empirical mean.
    parts = [part for part, *_ in trace.steps]
    if ROUNDS in parts:
        start = parts.index(ROUNDS)
    for step, (part, arm, accepted, mean, number) in enumerate(trace.steps):
        if part == ROUNDS and step == start:
            top = largest()
        if accepted:
            estimates[arm], counts[arm] = mean, number
            n_accepted += 1
        elif part == ELIMINATION:
            # Events B of Lemma lm:phase2bound1: the user's intervals contain the true means of two
            # arms, the rejected arm and the arm with the largest lcb.
            gamma = gammas[step]
            others = [other for other in range(n_arms) if other != arm and counts[other] > 0]
            # Click noise can reject an arm although no other arm has a reward.
            pair = [arm] if counts[arm] > 0 else []
            if others:
                pair.append(max(others, key=lambda j: estimates[j] - math.sqrt(gamma / counts[j])))
            for i in pair:
                interval = min(
                    interval, math.sqrt(gamma / counts[i]) - abs(truth[i] - estimates[i])
                )
        elif part == ROUNDS:
            n_rejected += 1
            if n_rejected % n_arms == 0:
                now, end = largest(), step + 1
                if n_accepted > 0:
                    least = theory.largest_mean_drop(min(gammas[start : end + 1]), n_accepted)
                    drop = min(drop, top - now - least)
                start, top = end, now
    phase2_length = parts.count(ELIMINATION)
    phase1 = len(parts) - phase2_length  # Phase 2 comes last
    acceptances = sum(accepted for _, _, accepted, *_ in trace.steps[:phase1])
    return {
        "band_margin": band_margin(trace, delta),
        "interval_margin": interval,
        "drop_margin": drop,
        "rounds": n_rejected // n_arms,
        "phase1_acceptances": acceptances,
        "phase1_rejections": phase1 - acceptances,
        "phase2_length": phase2_length,
    }


class Claim(NamedTuple):
    """A claim of the paper about runs of BAIR.

    Attributes:
        name: the name; the attribute `<name>_broken` of a `TheoryCheck` states whether a run broke
            the claim.
        source: the lemma or theorem in the paper.
        on_bands: whether the claim holds only while all empirical means are in their bands. Some
            mean leaves its band with probability at most delta, for every N_1.
        on_answer: whether the claim holds only if BAIR keeps the best arm. BAIR eliminates the best
            arm with probability at most delta, or `error_bound` of a `TheoryCheck` if it is larger.
    """

    name: str
    source: str
    on_bands: bool = False
    on_answer: bool = False


#: The claims that are checked for each run, in the order of tables.
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


#: The claims with a margin in a `TheoryCheck`.
MARGINS = ("band", "interval", "drop")


@dataclass(frozen=True)
class TheoryCheck:
    """The measured values of one run of BAIR, and the paper's bounds on these values.

    If the step cap ends the run, the check covers the steps up to the cap.

    Attributes:
        agent: the agent's name.
        user_seed: the user's seed.
        n_arms: K.
        delta: the agent's delta.
        n1: the agent's N_1.
        error_bound: the bound on P(error) at this N_1, by `theory.phase2_error_bound`; at most
            delta for the paper's N_1.
        best_arm: the best arm.
        answer: the agent's answer.
        censored: whether the run ended before the agent stopped.
        answer_broken: whether the agent stopped and answered a wrong arm.
        band_margin: the least distance of an empirical mean to the edge of its band, over all arms
            and steps; infinite without rewards. The band around mu_i has the half-width
            sqrt(2/n_i log(K n_i(n_i+1)/delta)).
        interval_margin: the least distance of a true mean to the edge of the user's interval, over
            two arms at each rejection in Phase 2: the rejected arm and the other arm with the
            largest lcb.
        drop_margin: the smallest difference, over the complete rounds of Phase 1, between the fall
            of the largest empirical mean in the round and the bound 2 sqrt(Gamma/n(t_e)), where
            t_e is the end of the round.
        rounds: number of complete rounds of Phase 1. The first round starts when each arm has been
            rejected once.
        rounds_bound: sqrt(2 N_1 log(2K/delta)) plus the number of rounds that may start while
            Gamma < 1.
        phase1_acceptances: acceptances in Phase 1.
        phase1_rejections: rejections in Phase 1.
        phase2_length: recommendations in Phase 2.
        phase2_length_printed_bound: the bound with the constants of Eq. (8c).
        recommendations: recommendations in the run.
        band_broken: whether `band_margin` is negative. `interval_broken` and `drop_broken` state
            whether their margins are negative. Each other `<name>_broken` states whether `<name>`
            exceeds `<name>_bound`.
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
    """Run BAIR with the user of this seed, as `rollout` does, and check the paper's claims.

    The monitor does not change the run. The bounds hold for the paper's user. If a user has click
    noise, or draws many rewards in private before the run, even claims that the paper proves with
    probability 1 can fail (see `theory.largest_mean_drop`).

    Args:
        env: an `ExplorativeUser-v0`, with or without wrappers.
        agent: a `BAIR(...)`.
        seed: the user's seed, at least 0.
        max_steps: the step cap; None is the agent's own cap, if any.
        delta: the delta, in (0, 1), if the option `delta` of the agent is None.

    Raises:
        InvalidArgumentError: if `env` or `agent` has another type, or a value is out of range.
    """
    bare: Any = env.unwrapped
    if not is_bair(agent):
        raise InvalidArgumentError("agent", agent, "a BAIR")
    if not isinstance(bare, ExplorativeUserEnv) or bare.behaviour != EXPLORATIVE:
        raise InvalidArgumentError("env", env, "an ExplorativeUser-v0 with the paper's user")
    known: Any = informed(agent, population_in(env), delta)
    watch = Watch(bare, known)
    episode = rollout(env, watch, seed, max_steps)
    user, chosen = bare.user, known.options.get("delta")
    params = known.params(user.n_arms, None)
    return examine(
        watch.trace,
        episode,
        delta=ALGORITHM.defaults["delta"] if chosen is None else chosen,
        n1=params.n1,
        user=(user.alpha, user.rho_0, user.rho_1),
        order="round robin" if params.round_robin else "fewest acceptances",
    )


def examine(
    trace: Trace,
    episode: Episode,
    delta: float,
    n1: float,
    user: tuple[float, float, float],
    order: theory.Order,
) -> TheoryCheck:
    """Compare a run with the bounds; `user` is the user's alpha, rho_0 and rho_1."""
    instance, n_arms, (alpha, rho_0, rho_1) = trace.instance, trace.instance.n_arms, user
    answered, figures = episode.end == ANSWERED, measured(trace, delta)
    figures["recommendations"] = episode.stopping_time
    figures["answer_broken"] = answered and episode.answer != instance.best_arm
    figures |= {f"{name}_broken": figures[f"{name}_margin"] < 0.0 for name in MARGINS}
    for name, bound in {
        "rounds": theory.early_rounds_bound(alpha, rho_0)
        + theory.phase1_rounds_bound(n1, n_arms, delta),
        "phase1_rejections": theory.phase1_rejections_bound(n1, n_arms, delta, alpha, rho_0),
        "phase2_length": theory.phase2_length_bound(instance, n1, delta, alpha, rho_1, order),
        "phase2_length_printed": theory.printed_phase2_length_bound(instance, delta, *user),
        "recommendations": theory.upper_bound(instance, delta, *user, n1=n1, order=order).total,
    }.items():
        figures[f"{name}_bound"] = bound
        figures[f"{name}_broken"] = figures[name.removesuffix("_printed")] > bound
    return TheoryCheck(
        agent=episode.agent,
        user_seed=episode.seed,
        n_arms=n_arms,
        delta=delta,
        n1=n1,
        error_bound=theory.phase2_error_bound(n1, n_arms, alpha, rho_0),
        best_arm=instance.best_arm,
        answer=episode.answer,
        censored=not answered,
        **figures,
    )


def broken_table(checks: pd.DataFrame, delta: float | None = None) -> pd.DataFrame:
    """Return the share of runs that broke each bound, and the allowed share.

    BAIR with the paper's N_1 keeps the best arm with probability 1 - delta. For a smaller N_1
    (0 for SE) this probability is smaller, so claims on the best arm have a larger allowed share.

    Args:
        checks: one row per run, as in `Results.checks`.
        delta: determines the allowed share, in (0, 1); None is each agent's own delta.

    Returns:
        One row per agent and claim. The columns are `agent`, `claim`, `source` (the lemma or
        theorem), `broken` (number of runs that broke the bound), `n_runs`, `put_to_test` (number of
        runs that could break the bound, or 0 if `allowed` is 1), `share` (`broken` / `n_runs`),
        `low` and `high` (the exact interval of the share), `allowed` (the probability with which
        the claim may fail: 0, delta, the error bound of this N_1, or the sum of the two) and
        `holds` (whether `put_to_test` is positive and `low` is at most `allowed`).

    Raises:
        InvalidArgumentError: if `delta` is out of range, or `checks` lacks a column.
    """
    if delta is not None:
        delta = risk("delta", delta)
    flags = [f"{claim.name}_broken" for claim in CLAIMS]
    if not {"agent", "delta", "error_bound", *flags} <= set(checks.columns):
        raise InvalidArgumentError("checks", list(checks.columns), "a table with one row per check")
    rows = []
    for (agent, stated), runs in checks.groupby(["agent", "delta"], sort=False):
        used, n_runs = stated if delta is None else delta, len(runs)
        error = max(used, runs["error_bound"].max())
        for claim, flag in zip(CLAIMS, flags, strict=True):
            if claim.name == "answer":
                tested = ~runs["censored"]
            elif claim.name in MARGINS:
                tested = np.isfinite(runs[f"{claim.name}_margin"])
            else:
                tested = runs[claim.name.removesuffix("_printed")] > 0
            broken = int(runs[flag].sum())
            low, high = proportion_interval(broken, n_runs)
            allowed = min(1.0, claim.on_bands * used + claim.on_answer * error)
            put_to_test = int(tested.sum()) if allowed < 1.0 else 0
            holds = put_to_test > 0 and low <= allowed
            of_whom, numbers = (agent, claim.name, claim.source), (broken, n_runs, put_to_test)
            rows.append((*of_whom, *numbers, broken / n_runs, low, high, allowed, holds))
    names = "agent claim source broken n_runs put_to_test share low high allowed holds"
    return pd.DataFrame(rows, columns=names.split())


def eliminates_best(
    env: gym.Env[Any, Any],
    agent: AlgorithmAgent,
    seed: int,
    max_steps: int | None = None,
    delta: float = DELTA,
) -> bool:
    """Run BAIR-C with the user of this seed; return whether BAIR-C ever eliminates the best arm.

    The conjecture about BAIR-C states that this happens with probability at most delta.

    Args:
        env: an `ExplorativeUser-v0`, with or without wrappers.
        agent: an `AdaptiveBAIR(...)`.
        seed: the user's seed, at least 0.
        max_steps: the step cap; None is the agent's own cap, if any.
        delta: the delta, in (0, 1), if the option `delta` of the agent is None.

    Raises:
        InvalidArgumentError: if `agent` has another type, or a value is out of range.
    """
    if getattr(agent, "algorithm", None) != BAIR_C:
        raise InvalidArgumentError("agent", agent, "an AdaptiveBAIR")
    known: Any = informed(agent, population_in(env), delta)
    lost, bare = [], cast("Any", env.unwrapped)

    def look() -> None:
        lost.append(not known.explain()["F"][bare.instance().best_arm])

    rollout(env, known, seed, max_steps, on_step=look)
    return any(lost)
