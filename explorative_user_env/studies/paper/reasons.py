"""Why a published figure cannot be had: each reason with what it concerns and how it is tested.

A reason stands beside a figure only if its test, made in this very run, holds: an alternative gives
all published figures of the cell at once, or digits are compared. What no reason explains
"differs".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from explorative_user_env.studies.paper.inquiry import Row
from explorative_user_env.studies.paper.reason_tests import (
    COPIED,
    LARGEST_CAP_WITH_NOISE,
    by_alternatives,
    by_caps,
    by_digits,
    by_share_of_n1,
    longer,
    one_pass,
    rejections,
)
from explorative_user_env.studies.paper.records import EXPERIMENTS, Experiment


@dataclass(frozen=True)
class Reason:
    """One reason.

    Attributes:
        key: a letter, by which tables refer to it.
        title: what it is.
        text: what it says, and what the test is.
        concerns: whether it may explain a figure (a row of `verdicts`).
        test: `(experiment, rows, options)` returns a row for each figure of `rows`: the same
            columns, `found` and `at` (what gave it), and whether it is `explained`.
    """

    key: str
    title: str
    text: str
    concerns: Callable[[Row], bool]
    test: Callable[[Experiment, Sequence[Row], dict[str, Any]], pd.DataFrame]


def _is(*experiments: str, agents: Sequence[str]) -> Callable[[Row], bool]:
    return lambda row: row["experiment"] in experiments and row["agent"] in agents


def _other_caps_can_be_tried(row: Row) -> bool:
    """Return whether it is Track-and-Stop, and not with the largest cap that is tried already."""
    tracking = _is("table2", "table3", "table5", "table6", agents=("T&S",))(row)
    noisy = EXPERIMENTS[row["experiment"]].noise > 0.0 if tracking else False
    return tracking and not (noisy and 1_000 * row["n_arms"] >= LARGEST_CAP_WITH_NOISE)


REASONS = (
    Reason(
        "a",
        "the step cap of Track-and-Stop is not printed",
        "Track-and-Stop hardly ever answers wrongly here. It fails when the best arm is rejected "
        "in its first pulls and comes back through forced exploration only, after a very long "
        "time: the released code then cuts the run off, leaves it out of the mean time and counts "
        "it as a failure. So time and success follow from the cap, which the paper does not print. "
        "The cap used here, max(10 000, 1000 K), was fitted to the larger deltas. The test looks "
        "for a cap that gives time, rejection rate and success of the cell at once.",
        _other_caps_can_be_tried,
        by_caps,
    ),
    Reason(
        "b",
        "UNI and EXP3 look run to another T",
        "UNI and EXP3 run to BAIR's published stopping time, as the paper says. The test runs them "
        "to other multiples of it.",
        _is("table2", "table3", "table5", "table6", agents=("UNI", "EXP3")),
        partial(by_alternatives, longer),
    ),
    Reason(
        "c",
        "m = 2 log(K/delta) rejections in all are too few",
        "With click noise p even the best arm is rejected with probability p/2 at every "
        "recommendation, so that 2 log(K/delta) rejections counted over the whole of Phase 2 drop "
        "it sooner or later. The published figures need a larger m; the test tries some. Counting "
        "consecutive rejections succeeds with the printed m.",
        _is("table3", agents=("BAIR(m) printed", "BAIR(m) released")),
        partial(by_alternatives, rejections),
    ),
    Reason(
        "d",
        "the digits are Table 2's",
        "BAIR's time in this table is Table 2's less 2(K-1)/delta, digit by digit, but for one "
        "cell: Phase 1 was not measured. Where Table 2's own time cannot be had, this one cannot. "
        "BAIR's rejection rates are those of its whole run in Table 2, and one time of T&S "
        "is Table 2's as well. The test compares the digits.",
        lambda row: (row["experiment"], row["agent"], row["figure"]) in COPIED,
        by_digits,
    ),
    Reason(
        "e",
        "one pass over the arms, not N_1 = K acceptances",
        "The paper explains N_1 = K as pulling each arm once. That is one pass over the arms, "
        "whatever the number of acceptances; N_1 = K acceptances take another where one is "
        "rejected. The test runs one pass, and also leaves out runs that take longer than 500 K "
        "steps.",
        _is("table7", agents=("N_1 = K",)),
        partial(by_alternatives, one_pass),
    ),
    Reason(
        "f",
        "delta acts through N_1 alone, and N_1 is a small part of the time",
        "With alpha = 2, N_1 grows with the square root of 1/delta and stays below a twentieth of "
        "the stopping time, so BAIR, which uses delta for nothing else, stops when it does for any "
        "of these delta. The published growth does not follow from the algorithm. The test "
        "compares N_1 with the published time.",
        _is("table5", agents=("BAIR",)),
        by_share_of_n1,
    ),
)
