"""Monitors: a run of BAIR with the hidden state in view, compared with what the paper proves."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import gymnasium as gym
import numpy as np
import pandas as pd

from explorative_user_env import theory
from explorative_user_env.agents import AlgorithmAgent, informed
from explorative_user_env.agents.bair import ALGORITHM, ELIMINATION, ROUNDS
from explorative_user_env.envs.user import ExplorativeUserEnv, population_in
from explorative_user_env.protocol import ANSWERED, DELTA
from explorative_user_env.results.intervals import proportion_interval
from explorative_user_env.runs.loop import Episode, rollout
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError, risk

__all__ = ["CLAIMS", "Claim", "TheoryCheck", "broken_table", "check_run", "is_bair"]


@dataclass
class Trace:
    """A run as the monitor sees it, one entry a step except for the state at the start.

    Attributes:
        instance: the true means.
        estimates: hat mu_i before the first step.
        counts: n_i before the first step, private draws included.
        gammas: Gamma before the first step and after every step.
        steps: the part of BAIR (first sweep, rounds, elimination), the recommended arm, the
            response, and hat mu_i and n_i of the arm after the step.
    """

    instance: Instance
    estimates: list[float]
    counts: list[int]
    gammas: list[float]
    steps: list[tuple[int, int, bool, float, int]] = field(default_factory=list)


def is_bair(agent: Any) -> bool:
    """Whether an agent's runs can be checked: BAIR, and SE, which is BAIR with N_1 = 0."""
    # In another process the record is a copy, and its functions are the same.
    return isinstance(agent, AlgorithmAgent) and agent.algorithm.observe is ALGORITHM.observe


class Watch:
    """An agent that does what a BAIR does, and records the run in `trace`."""

    trace: Trace

    def __init__(self, env: ExplorativeUserEnv, agent: Any) -> None:
        self.env, self.agent = env, agent
        self.name, self.max_steps = agent.name, agent.max_steps
        self.act: Callable[[], int | None] = agent.act
        self.answer: Callable[[], int] = agent.answer

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Start the agent and a new trace; the environment has been reset before."""
        self.agent.reset(n_arms, rng, horizon)
        # `hidden_state()` gives the same as a record, at many times the cost.
        state: Any = self.env._state
        start = (list(state.estimates), list(state.counts), [state.spread[0] ** 2])
        self.trace = Trace(self.env.instance(), *start)

    def observe(self, arm: int, accepted: bool) -> None:
        """Pass the response on, and record what the user now knows."""
        trace, state = self.trace, cast("Any", self.env._state)
        part = int(self.agent._state.part[0])
        self.agent.observe(arm, accepted)
        trace.steps.append((part, arm, accepted, state.estimates[arm], state.counts[arm]))
        trace.gammas.append(state.spread[0] ** 2)


def band_margin(trace: Trace, delta: float) -> float:
    """Return the least distance of an empirical mean to the edge of its band at delta/K.

    Over all arms and times; infinite if the user never had a reward.
    """
    truth, before = np.array(trace.instance.means), zip(trace.estimates, trace.counts, strict=True)
    known = [(arm, *each) for arm, each in enumerate(before)]
    known += [step[1:2] + step[3:] for step in trace.steps if step[2]]
    seen = np.array([each for each in known if each[2] > 0], float).reshape(-1, 3)
    arms, means, numbers = seen[:, 0].astype(int), seen[:, 1], seen[:, 2].astype(int)
    bands = theory.iterated_log_band(numbers, delta / len(truth))
    return float(np.min(bands - np.abs(means - truth[arms]), initial=math.inf))


def measured(trace: Trace, delta: float) -> dict[str, Any]:
    """Return figures of a run by the names of `TheoryCheck`; a margin of nothing is infinite."""
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
            # Events B of Lemma lm:phase2bound1: the rejected arm i is in its interval, and so is
            # the arm j with the largest lcb, by which it was rejected.
            gamma = gammas[step]
            others = [other for other in range(n_arms) if other != arm and counts[other] > 0]
            # A coin flip can reject an arm that no other stands against.
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


#: What a run of BAIR is held against, in the order in which tables have it.
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


#: The claims of which a check has a margin.
MARGINS = ("band", "interval", "drop")


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
        error_bound: `upper.phase2_error_bound` of this N_1; at most delta for the paper's.
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

    The run is the same as without the check. The bounds are for a user of the paper's model: with
    click noise, or many private draws, even what is sure can break (see
    `theory.largest_mean_drop`).

    Args:
        env: an `ExplorativeUser-v0`, made or raw.
        agent: a `BAIR(...)`.
        seed: the user's seed, at least 0.
        max_steps: cut the run off after this many steps; None is the agent's own cap, if any.
        delta: of an agent without its own, in (0, 1).

    Raises:
        InvalidArgumentError: for another environment or agent, or an argument out of range.
    """
    bare: Any = env.unwrapped
    if not is_bair(agent):
        raise InvalidArgumentError("agent", agent, "a BAIR, whose bounds are checked")
    if not isinstance(bare, ExplorativeUserEnv) or bare.behaviour != EXPLORATIVE:
        raise InvalidArgumentError("env", env, "an ExplorativeUser-v0 with the paper's user")
    known: Any = informed(agent, population_in(env), delta)
    watch = Watch(bare, known)
    episode = rollout(env, watch, seed, max_steps)
    user, own = bare.user, known.options.get("delta")
    params = known.params(user.n_arms, None)
    return examine(
        watch.trace,
        episode,
        delta=ALGORITHM.defaults["delta"] if own is None else own,
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
    """Compare a run with the bounds; `user` is her alpha, rho_0 and rho_1."""
    instance, n_arms, (alpha, rho_0, rho_1) = trace.instance, trace.instance.n_arms, user
    answered, found = episode.end == ANSWERED, measured(trace, delta)
    found["recommendations"] = episode.stopping_time
    found["answer_broken"] = answered and episode.answer != instance.best_arm
    found |= {f"{name}_broken": found[f"{name}_margin"] < 0.0 for name in MARGINS}
    for name, bound in {
        "rounds": theory.early_rounds_bound(alpha, rho_0)
        + theory.phase1_rounds_bound(n1, n_arms, delta),
        "phase1_rejections": theory.phase1_rejections_bound(n1, n_arms, delta, alpha, rho_0),
        "phase2_length": theory.phase2_length_bound(instance, n1, delta, alpha, rho_1, order),
        "phase2_length_printed": theory.printed_phase2_length_bound(instance, delta, *user),
        "recommendations": theory.upper_bound(instance, delta, *user, n1=n1, order=order).total,
    }.items():
        found[f"{name}_bound"] = bound
        found[f"{name}_broken"] = found[name.removesuffix("_printed")] > bound
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
        **found,
    )


def broken_table(checks: pd.DataFrame, delta: float | None = None) -> pd.DataFrame:
    """Return how often each bound was broken, and how often it may be.

    Where a claim rests on the best arm not being eliminated, the paper promises that with 1 - delta
    for its own N_1; a smaller one (SE's is 0) may break it more often, and so much is allowed.

    Args:
        checks: one row a run, as `Results.checks`.
        delta: the allowed share is a multiple of this, in (0, 1); None is each agent's own.

    Returns:
        One row an agent and claim: `agent`, `claim`, `source` (in the paper), `broken` of `n_runs`,
        `put_to_test` (runs in which it could break: with a round, a rejection of Phase 2, an
        answer; none if it may break in every run, as then the claim is empty), `share` with its
        exact interval `low` to `high`, `allowed` (delta, or what this N_1 allows; 2 delta for what
        rests on two events, 0 for what is sure) and `holds`: whether a run put it to the test and
        `low` is at most `allowed`, so that the runs do not speak against the claim.

    Raises:
        InvalidArgumentError: for a delta out of range, or a table without checks.
    """
    if delta is not None:
        delta = risk("delta", delta)
    flags = [f"{claim.name}_broken" for claim in CLAIMS]
    if not {"agent", "delta", "error_bound", *flags} <= set(checks.columns):
        raise InvalidArgumentError("checks", list(checks.columns), "a table with one row a check")
    rows = []
    for (agent, own), runs in checks.groupby(["agent", "delta"], sort=False):
        used, n_runs = own if delta is None else delta, len(runs)
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
