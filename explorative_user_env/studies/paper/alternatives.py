"""Other ways to run an agent in a cell, one of which may give its published figures."""

from collections.abc import Sequence

import numpy as np

from explorative_user_env.agents import AGENTS, BAIR
from explorative_user_env.agents.bair_thresholds import released_rejections
from explorative_user_env.studies.paper.inquiry import Alternative, Row
from explorative_user_env.studies.paper.records import Experiment

NAMED_CAPS = (100_000, 1_000_000)
"""Step caps of Track-and-Stop in the released code: its default, and the one its readme passes."""

LARGEST_CAP_WITH_NOISE = 100_000
"""Track-and-Stop's steps take ten times as long with click noise."""

OTHER_HORIZONS = (0.7, 0.8, 0.9, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
MULTIPLIERS = {2: (7, 6), 5: (5,), 20: (4,), 100: (3,)}
"""By K, of the released code's threshold of rejections, where they give the published figures."""
REJECTIONS = (5, 10, 15, 20, 25, 30, 35, 40, 50)


def named_caps(experiment: Experiment) -> Sequence[int]:
    """Return the step caps that the released code names, but for those that take too long."""
    most = LARGEST_CAP_WITH_NOISE if experiment.noise else max(NAMED_CAPS)
    return [cap for cap in NAMED_CAPS if cap <= most]


def other_caps(experiment: Experiment) -> Sequence[int]:
    """Return step caps up to the largest that the released code names."""
    return [round(cap) for cap in np.geomspace(2_000, max(named_caps(experiment)), 60)]


def real_steps(row: Row) -> list[Alternative]:
    """Return the agent run to its T in real steps, the private draws not taken off."""
    time = row["horizon"] + row["n_arms"]
    return [Alternative(f"T = {time} real steps", AGENTS[row["agent"]](), time)]


def longer(row: Row) -> list[Alternative]:
    """Return the agent run to other multiples of its T."""
    make = AGENTS[row["agent"]]
    times = [round(factor * row["horizon"]) for factor in OTHER_HORIZONS]
    return [Alternative(f"T = {time}", make(), time) for time in times]


def multipliers(row: Row) -> list[Alternative]:
    """Return BAIR(m) with the threshold of the released code times what it may have been given."""
    found = []
    for multiplier in MULTIPLIERS.get(row["n_arms"], ()):
        m = released_rejections(row["n_arms"], row["delta"], multiplier)
        what = f"{multiplier} times the threshold: m = {m}"
        found.append(Alternative(what, BAIR(m=m, rejections="all")))
    return found


def rejections(row: Row) -> list[Alternative]:
    """Return BAIR(m) with other numbers of rejections."""
    return [Alternative(f"m = {m}", BAIR(m=m, rejections="all")) for m in REJECTIONS]


def captions_n1(row: Row) -> list[Alternative]:
    """Return BAIR with N_1 as the paper's caption has it."""
    return [Alternative("N_1 = (2K/delta)^(1/alpha)", BAIR(n1="paper"))]


def counts_steps(row: Row) -> list[Alternative]:
    """Return BAIR whose N_1 is compared with time steps, as Algorithm 1 has it."""
    return [Alternative("N_1 steps", BAIR(phase1_counts="steps"))]


def one_pass(row: Row) -> list[Alternative]:
    """Return BAIR with one pass over the arms as its Phase 1, N_1 = 1."""
    cap = 500 * row["n_arms"]
    return [
        Alternative("one pass over the arms", BAIR(n1=1)),
        Alternative("one pass over the arms, capped at 500 K steps", BAIR(n1=1, max_steps=cap)),
    ]
