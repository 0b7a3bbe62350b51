"""Wrong answers as students write them: each is told what is wrong with it."""

import math

import numpy as np
import pytest
from scipy.special import rel_entr
from scipy.stats import binomtest, norm

from explorative_user_env.teach import LESSONS, check_exercise, exercises_of

WRONG = [
    ("1.1", "for (1, 0.1) it fails with ValueError", lambda n, d: math.sqrt(math.log(d) / n)),
    ("1.3", "for ([0.2, 1.0, 0.9], [0.1, 0.1, 0.1])", lambda means, widths: [[0], 1]),
    ("1.4", "Wilson's interval", lambda k, n: binomtest(k, n).proportion_ci(0.95, "wilson")),
    ("2.1", "for (0, 2.0, 1.0) it fails", lambda n, r, a: max(0, 2 * a * math.log(r * n))),
    ("2.4", "against itself", lambda i, low, up: np.argmax(low) if max(low) >= up[i] else None),
    (
        "3.1",
        "divided by all recommendations, t",
        lambda arms, yes, k: np.bincount(arms, yes, k) / len(arms),
    ),
    ("3.3", "p and q are swapped", lambda p, q: rel_entr(q, p) + rel_entr(1 - q, 1 - p)),
    ("3.4", "it calls your answer to 3.3: is that still blank?", lambda n, *rates: n * None),
    ("5.2", "for (100, 2, 1.0, 1.0) it gives 0.5, where 0.0", lambda n1, k, alpha, rho: 0.5),
    ("5.4", "for a user of ν'", lambda d, prior: norm.sf(d)),
    ("6.4", "a rank must be an integer from 0 to 4, got 5", lambda seen: 5),
    ("6.4", "got array([0])", lambda seen: np.array([0])),
    ("6.4", "it settles too early", lambda seen: 4 if seen[20] < 0.001 else 0),
]


@pytest.mark.slow
def test_a_wrong_answer_is_told_what_is_wrong(subtests):
    for number, words, answer in WRONG:
        with subtests.test(number, words=words), np.errstate(all="ignore"):
            remark = check_exercise(number, answer)
            assert not remark.right
            assert words in remark.words


EVERY = [one for lesson in LESSONS for one in exercises_of(lesson.number)]


@pytest.mark.slow
def test_the_packages_own_example_of_a_mistake_is_told_by_its_words():
    for one in EVERY:
        for words, answer in one.mistakes.items():
            remark = one.check(answer)
            assert (remark.words.split(" (with user")[0], remark.right) == (words, False)


def frequencies(arms, accepted, n_arms):
    rates = [accepted[arms == arm].mean() if (arms == arm).any() else None for arm in range(n_arms)]
    return [math.nan if rate is None else rate for rate in rates]


def means(n0, alpha, gap):
    m = n0 - 1
    spread = math.sqrt(2 * alpha * math.log(n0))
    return [1 - spread - (spread + 2 * math.sqrt(math.log(2 * m))) / math.sqrt(m), 1 + gap]


def least(n1s, wrong, n, delta):
    for n1, k in zip(n1s, wrong, strict=True):
        if binomtest(k, n, delta, alternative="less").pvalue <= 0.05:
            return n1
    return None


def streaks(observation):
    liked = np.flatnonzero(np.asarray(observation[10:15]) >= 0)
    return int(liked[-1]) if len(liked) else 0


RIGHT = {
    "1.3": lambda means, widths: {
        arm
        for arm, high in enumerate(means + widths)
        if not (np.delete(means - widths, arm) >= high).any()
    },
    "2.3": lambda arm, lower, upper: ((lower >= upper[arm]) & (np.arange(lower.size) != arm)).any(),
    "3.1": frequencies,
    "3.5": lambda times, right, cut, c: np.mean(c * np.array(times) + 1 - (right & ~np.array(cut))),
    "5.3": means,
    "5.4": lambda d, prior: prior * norm.sf(d) / (prior * norm.sf(d) + (1 - prior) / 2),
    "5.5": least,
    "6.3": lambda chances, features, arm: features[arm] - chances @ features,
    "6.4": streaks,
    "6.5": lambda low, high: "level" if low <= 0 <= high else "worse" if low > 0 else "better",
}


@pytest.mark.slow
def test_a_right_answer_is_right_however_it_is_written():
    shown = {one.number: one.shows for one in EVERY}
    for number, answer in RIGHT.items():
        assert check_exercise(number, answer) == (number, True, shown[number], "")
