"""Wrong answers as students write them: each is told what is wrong with it."""

import math

import numpy as np
import pytest
from scipy.special import rel_entr
from scipy.stats import binomtest, norm

from explorative_user_env.teach import LESSONS, check_exercise, exercises_of


def kept(goes):
    """An answer to 1.3 from estimates and half-widths as arrays: the arms that do not go."""

    def answer(means, widths):
        m, w = np.array(means), np.array(widths)
        return [i for i in range(len(m)) if not goes(i, m, w)]

    return answer


def told_apart(i, m, w):
    return bool((np.delete(m - w, i) >= m[i] + w[i]).any())


def half_width(of):
    """An answer to 2.2 from n_i and Gamma."""
    return lambda mean, n, gamma: (mean - of(n, gamma), mean + of(n, gamma))


def softmax(levels, epsilon=0.0):
    weights = np.exp(np.array(levels) - max(levels))
    return (1 - epsilon) * weights / weights.sum() + epsilon / len(weights)


def exp3(reward, weights_alone=False, chances=softmax):
    """An answer to 3.2 that writes into the list, which changes nothing for the next."""

    def answer(g, epsilon, gamma, arm, accepted):
        g[arm] += gamma * reward(softmax(g, 0 if weights_alone else epsilon)[arm], accepted)
        return chances(g, epsilon)

    return answer


def overflows(g, epsilon):
    weights = [math.exp(level) for level in g]
    return [(1 - epsilon) * each / sum(weights) + epsilon / len(g) for each in weights]


def kl(p, q):
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def evidence(of):
    """An answer to 3.4 that also gets the rate of both arms together."""
    return lambda n, m, k, a: of(n, m, k, a, (n * m + k * a) / (n + k))


def cost(of):
    """An answer to 3.5 from arrays."""
    return lambda times, right, cut, c: of(c * np.array(times), np.array(right), np.array(cut))


def below(n0, alpha):
    m = n0 - 1
    spread = math.sqrt(2 * alpha * math.log(n0))
    return spread + (spread + 2 * math.sqrt(math.log(2 * m))) / math.sqrt(m)


def least(proved):
    """An answer to 5.5: the first N_1 whose wrong runs prove it."""
    return lambda n1s, wrong, n, delta: next(
        (n1 for n1, k in zip(n1s, wrong, strict=True) if proved(k, n, delta)), None
    )


def error_below(k, n, delta):
    return bool(binomtest(k, n, delta, alternative="less").pvalue <= 0.05)


WRONG = {
    "1.1": {
        "it bounds one side only": lambda n, delta: math.sqrt(-2 * math.log(delta) / n),
        "for (1, 0.1) it fails with ValueError": lambda n, delta: math.sqrt(math.log(delta) / n),
    },
    "1.2": {"it rounds down": lambda gap, delta: int(8 * math.log(2 / delta) / gap**2)},
    "1.3": {
        "it asks the arm with the largest estimate only": kept(
            lambda i, m, w: i != m.argmax() and m[i] + w[i] <= (m - w)[m.argmax()]
        ),
        "a truth value": lambda m, w: np.isin(range(len(m)), kept(told_apart)(m, w)),
        "for ([0.2, 1.0, 0.9], [0.1, 0.1, 0.1])": lambda m, w: [[0], 1],
    },
    "1.4": {
        "with 300 successes of 300 its width is 0": lambda yes, n: (
            yes / n - norm.ppf(0.975) * math.sqrt(yes / n * (1 - yes / n) / n),
            yes / n + norm.ppf(0.975) * math.sqrt(yes / n * (1 - yes / n) / n),
        ),
        "Wilson's interval": lambda yes, n: binomtest(yes, n).proportion_ci(0.95, "wilson"),
    },
    "2.1": {
        "until the logarithm is below 0": lambda n, r, a: n and 2 * a * math.log(r * n),
        "for (0, 2.0, 1.0) it fails with": lambda n, r, a: max(0, 2 * a * math.log(r * n)),
    },
    "2.2": {
        "once the root is taken": half_width(lambda n, g: g**0.5 / n if n else math.inf),
        "as if it had been accepted once": half_width(lambda n, g: math.sqrt(g / (n or 1))),
        "a rule of its own": half_width(lambda n, g: (np.array([g]) / n)[0] ** 0.5),
    },
    "2.3": {
        "where two intervals only touch": lambda i, low, up: max(np.delete(low, i)) > up[i],
        "the roles of i and j are swapped": lambda i, low, up: any(low[i] >= np.delete(up, i)),
    },
    "2.4": {
        "the witness against itself": lambda i, low, up: (
            low.index(max(low)) if max(low) >= up[i] else None
        )
    },
    "2.5": {
        "it is one too many": lambda m, b, g: (
            math.inf if m >= b else max(1, int(g / (b - m) ** 2) + 1)
        ),
        "for (0.5, 0.5, 4.0) it fails with ZeroDivisionError": lambda m, b, g: (
            math.inf if m > b else max(1, math.ceil(g / (b - m) ** 2))
        ),
    },
    "3.1": {
        "by all recommendations, t": lambda arms, yes, k: (
            np.bincount(arms, yes, minlength=k) / len(arms)
        ),
        "it fails with ZeroDivisionError": lambda arms, yes, k: [
            sum(np.compress(np.equal(arms, arm), yes)) / arms.count(arm) for arm in range(k)
        ],
    },
    "3.2": {
        "by the share of the arm's weight": exp3(lambda p, yes: yes / p, weights_alone=True),
        "epsilon is added to every arm whole": exp3(
            lambda p, yes: yes / p, chances=lambda g, epsilon: (1 - epsilon) * softmax(g) + epsilon
        ),
        "it fails with OverflowError": exp3(lambda p, yes: yes / p, chances=overflows),
    },
    "3.3": {
        "p and q are swapped": lambda p, q: kl(q, p),
        "only 0 log 0 is 0": lambda p, q: kl(p, q) if 0 < p < 1 and 0 < q < 1 else 0,
    },
    "3.4": {
        "kl are swapped": evidence(lambda n, m, k, a, both: n * kl(both, m) + k * kl(both, a)),
        "is 3.3, which it uses, still blank?": lambda n, m, k, a: n * (lambda p, q: None)(m, a),
    },
    "3.5": {
        "whose best guess happens to be": cost(lambda t, yes, cut: t.mean() + 1 - yes.mean()),
        "censored runs are left out": cost(lambda t, yes, cut: (t + ~yes)[~cut].mean()),
    },
    "5.1": {
        "T has to be, too": lambda d, t: np.polyfit(np.log(1 / np.array(d)), t, 1)[0],
        "only the first and the last point": lambda d, t: (
            math.log(t[0] / t[-1]) / math.log(d[-1] / d[0])
        ),
    },
    "5.2": {
        "it is more than 1": lambda n1, k, alpha, rho: 2 * (k - 1) / (rho * n1) ** alpha,
        "for (100, 2, 1.0, 1.0) it gives 0.5, where 0.0": lambda n1, k, alpha, rho: 0.5,
    },
    "5.3": {"the gap is counted from 0": lambda n0, a, gap: (1 - below(n0, a), gap)},
    "5.4": {
        "how likely so low a reward is for a user of ν'": lambda d, prior: norm.sf(d),
        "the sign of d": lambda d, prior: 1 - (1 - prior) / (1 - prior + 2 * prior * norm.cdf(d)),
    },
    "5.5": {
        "the normal approximation": least(
            lambda k, n, delta: k / n + 1.64485362695147 * (k * (n - k) / n**3) ** 0.5 <= delta
        ),
        "every N_1 that is not": least(
            lambda k, n, delta: binomtest(k, n, delta, alternative="greater").pvalue >= 0.05
        ),
    },
    "6.1": {"the least accepted arm": lambda yes: sorted(range(len(yes)), key=yes.__getitem__)},
    "6.2": {
        "own reward is missing": lambda r, g: [np.polyval(r[:t:-1], g) for t in range(len(r))],
        "from the beginning of the run": lambda r, g: [
            sum(g**s * r[s] for s in range(t, len(r))) for t in range(len(r))
        ],
    },
    "6.3": {
        "by their chances": lambda p, x, arm: np.array(x[arm]) - sum(map(np.array, x)) / len(x)
    },
    "6.4": {
        "a rank is a whole number from 0 to 4, and once it returns 5": lambda seen: 5,
        "once it returns array([0])": lambda seen: np.array([0]),
        "the most accepted arm for ever": lambda seen: int(np.argmax(seen[:5])),
        "it settles before she can tell": lambda seen: 4 if seen[20] < 0.001 else 0,
    },
    "6.5": {
        "an interval that ends": lambda low, up: (
            "better" if up <= 0 else "worse" if low >= 0 else "level"
        )
    },
}


@pytest.mark.slow
def test_a_wrong_answer_is_told_what_is_wrong(subtests):
    for number, rows in WRONG.items():
        for words, answer in rows.items():
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
    "3.5": cost(lambda t, yes, cut: t.mean() + (~yes | cut).mean()),
    "5.3": lambda n0, alpha, gap: [1 - below(n0, alpha), 1 + gap],
    "5.4": lambda d, prior: prior * norm.sf(d) / (prior * norm.sf(d) + (1 - prior) / 2),
    "5.5": least(error_below),
    "6.3": lambda chances, features, arm: features[arm] - chances @ features,
    "6.4": streaks,
    "6.5": lambda low, high: "level" if low <= 0 <= high else "worse" if low > 0 else "better",
}


@pytest.mark.slow
def test_a_right_answer_is_right_however_it_is_written():
    shown = {one.number: one.shows for one in EVERY}
    for number, answer in RIGHT.items():
        assert check_exercise(number, answer) == (number, True, shown[number], "")
