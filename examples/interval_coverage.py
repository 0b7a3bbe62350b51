"""Coverage of every interval that the package prints, as Markdown tables.

The coverage of intervals of counts is an exact sum. The coverage of intervals of means is
simulated: samples are drawn from the runs of many users. The script takes about three minutes;
smaller N_USERS and N_SAMPLES make it faster.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy import stats

import explorative_user_env as eu
from explorative_user_env.display.tables import Column, markdown, table
from explorative_user_env.results.intervals import (
    LEVEL,
    log_evidence_against,
    mean_interval,
    median_interval,
    paired_difference_interval,
    proportion_interval,
    ratio_interval,
    share_interval,
)
from explorative_user_env.studies.lower_bound import overlap_probability, rejected_below
from explorative_user_env.theory import hard_pair

SEED = 0
N_USERS = 20_000
"""Users whose runs the samples are drawn from, for each setting and task."""
N_SAMPLES = 2000
"""Samples of each simulated coverage: a Monte Carlo error of .005 at .95."""

SIZES = (20, 100, 1000)
NAMED_SIZES = [f"n = {n}" for n in SIZES]
PAIR = ("BAIR", "T&S")
RATES = (0.001, 0.01, 0.05, 0.5, 0.95, 0.99, 0.999)
UNEQUAL = ((0.001, 0), (0.01, 0.001), (0.05, 0), (0.1, 0.01), (0.2, 0.2), (0.5, 0.01), (0.5, 0.5))
"""P(only the first agent of a pair succeeds), P(only the second agent succeeds)."""

Values = np.ndarray[Any, Any]
Interval = Callable[..., tuple[float, float]]


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Return Wilson's interval, which successes had in earlier versions."""
    ends = stats.binomtest(successes, n).proportion_ci(LEVEL, method="wilson")
    return float(ends.low), float(ends.high)


def student(values: Values) -> tuple[float, float]:
    """Return Student's interval, which means had in earlier versions."""
    error = float(stats.sem(values) * stats.t.ppf(0.5 + LEVEL / 2, len(values) - 1))
    return float(np.mean(values)) - error, float(np.mean(values)) + error


def of_proportion(interval: Interval, p: float, n: int) -> float:
    """Return the coverage of an interval of a proportion p after n trials: a finite sum."""
    counts = range(n + 1)
    weights = stats.binom.pmf(counts, n, p)
    held = [low <= p <= high for low, high in (interval(count, n) for count in counts)]
    return float(weights[held].sum())


def of_pairs(p: float, q: float, n: int) -> float:
    """Return the coverage of the interval of a paired difference p - q: a finite sum."""
    ranges = [
        np.arange(stats.binom.ppf(1e-8, n, each), stats.binom.isf(1e-8, n, each) + 1)
        for each in (p, q)
    ]
    total = 0.0
    for first in ranges[0].astype(int).tolist():
        seconds = ranges[1][ranges[1] <= n - first].astype(int)
        rest = n - first - seconds
        counts = np.stack([np.full_like(seconds, first), seconds, rest], axis=1)
        weights = stats.multinomial.pmf(counts, n, [p, q, 1.0 - p - q])
        for second, weight in zip(seconds.tolist(), weights.tolist(), strict=True):
            if weight > 1e-9:
                low, high = paired_difference_interval(first, second, n)
                total += weight * (low <= p - q + 1e-12 and p - q - 1e-12 <= high)
    return total


def ever_missed(p: float, horizon: int) -> float:
    """Return the exact probability that a confidence sequence misses p at any n <= horizon."""
    held, missed = np.array([1.0]), 0.0
    for n in range(1, horizon + 1):
        after = np.append(held * (1 - p), 0.0) + np.append(0.0, held * p)
        misses = log_evidence_against(p, np.arange(n + 1), n) >= -np.log(1 - LEVEL)
        missed += float(after[misses].sum())
        held = np.where(misses, 0.0, after)
    return missed


def samples(n: int, *columns: Values) -> Iterator[list[Values]]:
    """Yield samples of n rows of `columns`; columns of equal length get the same rows."""
    rng = np.random.default_rng([SEED, n])
    for _ in range(N_SAMPLES):
        users = rng.integers(len(columns[0]), size=n)
        yield [column[users] for column in columns]


def of_samples(interval: Interval, truth: float, n: int, *columns: Values) -> str:
    """Return the share of samples whose interval holds `truth`."""
    ends = [interval(*sample) for sample in samples(n, *columns)]
    return f"{np.mean([low <= truth <= high for low, high in ends]):.3f}"


def of_mean(values: Values, n: int, interval: Interval = mean_interval) -> str:
    """Return the coverage of the mean, and the coverage without values that are rarer than 3 in n.

    For the second, the interval has to overlap the range between the mean and the restricted mean:
    the mean after clipping the values of the longer tail at its quantile 3/n.
    """
    upwards = stats.skew(values) > 0
    rare = np.quantile(values, 1 - 3 / n if upwards else 3 / n)
    restricted = (np.minimum if upwards else np.maximum)(values, rare).mean()
    nearer, farther = sorted((restricted, values.mean()))
    ends = np.array([interval(*sample) for sample in samples(n, values)])
    full = (ends[:, 0] <= values.mean()) & (values.mean() <= ends[:, 1])
    without_rare = (ends[:, 0] <= farther) & (nearer <= ends[:, 1])
    return f"{full.mean():.3f} / {without_rare.mean():.3f}"


@cache
def runs(setting: str, task: str) -> dict[str, Any]:
    """Return the runs with K = 5 as a frame for each agent name."""
    names = ["BAIR", "T&S", "SE", "UNI"]
    results = eu.evaluate(
        names, setting=setting, task=task, n_instances=N_USERS, seed=SEED, progress=False
    )
    return dict(iter(results.runs.groupby("agent", sort=False)))


def times() -> dict[str, Values]:
    """Return values of stopping times: of agents, and of two known distributions."""
    rng = np.random.default_rng(SEED)
    laws: dict[str, Values] = {}
    for setting in ("printed", "released"):
        for agent in ("BAIR", "T&S", "SE"):
            of = runs(setting, "bai")[agent]
            of = of[~of["censored"]] if setting == "released" else of
            laws[f"{agent}, {setting}"] = of["stopping_time"].to_numpy(float)
    laws["geometric"] = rng.geometric(1 / 500, N_USERS).astype(float)
    laws["log-normal"] = rng.lognormal(6.0, 1.0, N_USERS)
    return laws


def means() -> dict[str, Values]:
    """Return values of the other figures with printed means; rejection rates are per-run ratios."""
    laws: dict[str, Values] = {}
    for agent in ("BAIR", "T&S", "UNI"):
        of = runs("printed", "bai")[agent]
        laws[f"{agent}, rejection rate"] = (of["rejections"] / of["stopping_time"]).to_numpy()
    for agent in ("BAIR", "UNI"):
        for name in ("regret", "utility"):
            laws[f"{agent}, {name}"] = runs("printed", "regret")[agent][name].to_numpy(float)
    for setting, task, name in (
        ("printed", "regret", "regret"),
        ("released", "bai", "stopping_time"),
    ):
        first, second = (runs(setting, task)[agent][name].to_numpy(float) for agent in PAIR)
        laws[f"{' minus '.join(PAIR)}, {name.replace('_', ' ')}"] = first - second
    pair = hard_pair(0.1)
    bounds = rejected_below([pair.n0], 1.0, pair.rho_1, 2, N_USERS, SEED)[0]
    laws["lower bound's overlap"] = overlap_probability(bounds, pair.nu_prime)
    return laws


def others() -> dict[str, tuple[Interval, float, Sequence[Values]]]:
    """Return medians, ratios of means and shares with ties: (interval, true value, columns)."""
    figures: dict[str, tuple[Interval, float, Sequence[Values]]] = {
        f"median T of {name}": (median_interval, float(np.median(law)), [law])
        for name, law in times().items()
    }
    for agent in ("BAIR", "UNI"):
        of = runs("printed", "bai")[agent]
        columns = [of[name].to_numpy(float) for name in ("rejections", "stopping_time")]
        ratio = float(columns[0].sum() / columns[1].sum())
        figures[f"{agent}, rejection rate as ratio of means"] = ratio_interval, ratio, columns
        shares = runs("printed", "regret")[agent]["most_accepted_is_best"].to_numpy(float)
        figures[f"{agent}, most acc. best"] = share_interval, float(shares.mean()), [shares]
    return figures


def print_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a heading and a table; the first column holds text."""
    columns = [Column(name, place, left=place == 0) for place, name in enumerate(header)]
    print(f"\n### {title}\n\n{markdown(table(rows, columns))}")


def print_exact() -> None:
    """Print the tables of exact sums."""
    print_table(
        "Proportions (exact; in brackets: Wilson's interval)",
        ["p", *NAMED_SIZES],
        [
            [
                f"{p:g}",
                *(
                    f"{of_proportion(proportion_interval, p, n):.3f} "
                    f"({of_proportion(wilson, p, n):.3f})"
                    for n in SIZES
                ),
            ]
            for p in RATES
        ],
    )
    print_table(
        "Paired differences of proportions (exact)",
        ["P(only the first), P(only the second)", *NAMED_SIZES],
        [[f"{p:g}, {q:g}", *(f"{of_pairs(p, q, n):.3f}" for n in SIZES)] for p, q in UNEQUAL],
    )
    print_table(
        "Confidence sequences, coverage at all times (exact)",
        ["p", "within 1000 trials"],
        [[f"{p:g}", f"{1.0 - ever_missed(p, 1000):.3f}"] for p in RATES],
    )


def print_simulated() -> None:
    """Print the simulated tables."""
    for interval, title in ((mean_interval, "Means"), (student, "Means, Student's interval")):
        laws = times() | (means() if interval is mean_interval else {})
        print_table(
            f"{title} (coverage / coverage without values rarer than 3 in n)",
            ["values", "skewness", *NAMED_SIZES],
            [
                [name, f"{stats.skew(law):.1f}", *(of_mean(law, n, interval) for n in SIZES)]
                for name, law in laws.items()
            ],
        )
    rows = [
        [name, *(of_samples(interval, truth, n, *columns) for n in SIZES)]
        for name, (interval, truth, columns) in others().items()
    ]
    print_table("Medians, ratios of means, shares", ["figure", *NAMED_SIZES], rows)


def main() -> None:
    """Print all tables."""
    print_exact()
    print_simulated()


if __name__ == "__main__":
    main()
