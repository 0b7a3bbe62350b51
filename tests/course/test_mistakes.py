"""Wrong answers as students write them: each is told what is wrong with it."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import rel_entr
from scipy.stats import binomtest, norm

from explorative_user_env.teach import LESSONS, check_exercise, exercises_of


def kept(goes: Any) -> Any:
    """An answer to 1.3 from estimates and half-widths as arrays: the arms that do not go."""

    def answer(means: Any, widths: Any) -> list[int]:
        m, w = np.array(means), np.array(widths)
        return [i for i in range(len(m)) if not goes(i, m, w)]

    return answer


def told_apart(i: int, m: Any, w: Any) -> bool:
    return bool((np.delete(m - w, i) >= m[i] + w[i]).any())


def half_width(of: Any) -> Any:
    """An answer to 2.2 from n_i and Gamma."""
    return lambda mean, n, gamma: (mean - of(n, gamma), mean + of(n, gamma))


def over(above: Any) -> Any:
    """An answer to 2.4: what is made of the arms whose lcb is above this one's ucb."""
    return lambda i, lower, upper: above(
        [j for j in range(len(lower)) if j != i and lower[j] >= upper[i]], lower, upper
    )


def acceptances(count: Any) -> Any:
    """An answer to 2.5 from the distance and Gamma."""
    return lambda mean, bound, gamma: math.inf if mean > bound else count(bound - mean, gamma)


def softmax(levels: Any, epsilon: float = 0.0) -> Any:
    weights = np.exp(np.array(levels) - max(levels))
    return (1 - epsilon) * weights / weights.sum() + epsilon / len(weights)


def exp3(reward: Any, weights_alone: bool = False, chances: Any = softmax) -> Any:
    """An answer to 3.2 that writes into the list, which changes nothing for the next."""

    def answer(g: Any, epsilon: float, gamma: float, arm: int, accepted: bool) -> Any:
        g[arm] += gamma * reward(softmax(g, 0 if weights_alone else epsilon)[arm], accepted)
        return chances(g, epsilon)

    return answer


def overflows(g: Any, epsilon: float) -> Any:
    weights = [math.exp(level) for level in g]
    return [(1 - epsilon) * each / sum(weights) + epsilon / len(g) for each in weights]


def kl(p: float, q: float) -> Any:
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def evidence(of: Any) -> Any:
    """An answer to 3.4 that also gets the rate of both arms together."""
    return lambda n, m, k, a: of(n, m, k, a, (n * m + k * a) / (n + k))


def cost(of: Any) -> Any:
    """An answer to 3.5 from arrays."""
    return lambda times, right, cut, c: of(c * np.array(times), np.array(right), np.array(cut))


def bound(arms: Any) -> Any:
    """An answer to 5.2 that counts so many misses."""
    return lambda n1, k, alpha, rho: min(1, sum((rho * n1) ** -alpha for _ in range(arms(k))))


def below(n0: int, alpha: float) -> float:
    m = n0 - 1
    spread = math.sqrt(2 * alpha * math.log(n0))
    return spread + (spread + 2 * math.sqrt(math.log(2 * m))) / math.sqrt(m)


def least(proved: Any, turn: int = 1) -> Any:
    """An answer to 5.5: the first N_1 whose wrong runs prove it."""

    def answer(n1s: Any, wrong: Any, n: int, delta: float) -> Any:
        found = [n1 for n1, k in zip(n1s, wrong, strict=True) if proved(k, n, delta)][::turn]
        return found[0] if found else None

    return answer


def error_below(k: int, n: int, delta: float) -> bool:
    return bool(binomtest(k, n, delta, alternative="less").pvalue <= 0.05)


WRONG: dict[str, dict[str, Any]] = {
    "1.1": {
        "it bounds one side only": lambda n, delta: math.sqrt(-2 * math.log(delta) / n),
        "a factor is lost": lambda n, delta: np.sqrt(np.log(2 / delta) / n),
        "the whole interval": lambda n, delta: np.sqrt(8 * np.log(2 / delta) / n),
        "for (1, 0.1) it fails with ValueError": lambda n, delta: math.sqrt(math.log(delta) / n),
    },
    "1.2": {
        "it rounds down": lambda gap, delta: int(8 * math.log(2 / delta) / gap**2),
        "one more than": lambda gap, delta: int(8 * math.log(2 / delta) / gap**2 + 2),
        "these reach all the way": lambda gap, delta: math.ceil(2 * math.log(2 / delta) / gap**2),
    },
    "1.3": {
        "it asks the arm with the largest estimate only": kept(
            lambda i, m, w: i != m.argmax() and m[i] + w[i] <= (m - w)[m.argmax()]
        ),
        "intervals that just touch": kept(
            lambda i, m, w: (np.delete(m - w, i) > m[i] + w[i]).any()
        ),
        "a truth value": lambda m, w: np.isin(range(len(m)), kept(told_apart)(m, w)),
        "an arm with itself": kept(lambda i, m, w: (m - w >= m[i] + w[i]).any()),
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
        "rho_t is missing": lambda n, r, a: 2 * a * np.log(max(n, 1)),
        "alpha is inside": lambda n, r, a: 2 * math.log(max(1.0, r * a * n)),
        "it has the base 10": lambda n, r, a: 2 * a * math.log10(max(1.0, r * n)),
        "for (0, 2.0, 1.0) it fails with": lambda n, r, a: max(0, 2 * a * math.log(r * n)),
    },
    "2.2": {
        "once the root is taken": half_width(lambda n, g: g**0.5 / n if n else math.inf),
        "there is no root": half_width(lambda n, g: g / n if n else math.inf),
        "as if its mean were known": half_width(lambda n, g: math.sqrt(g / n) if n else 0.0),
        "as if it had been accepted once": half_width(lambda n, g: math.sqrt(g / (n or 1))),
        "a rule of its own": half_width(lambda n, g: (np.array([g]) / n)[0] ** 0.5),
    },
    "2.3": {
        "where two intervals only touch": lambda i, low, up: max(np.delete(low, i)) > up[i],
        "the arm is compared with itself": lambda i, low, up: any(each >= up[i] for each in low),
        "every other arm has": lambda i, low, up: min(np.delete(low, i)) >= up[i],
        "the roles of i and j are swapped": lambda i, low, up: any(low[i] >= np.delete(up, i)),
        "her estimate": lambda i, low, up: any(np.delete(low, i) >= (low[i] + up[i]) / 2),
        "only the first of the": lambda i, low, up: bool(np.delete(low, i)[0] >= up[i]),
    },
    "2.4": {
        "the first arm that is clearly better": over(lambda js, low, up: js[0] if js else None),
        "the witness against itself": lambda i, low, up: (
            low.index(max(low)) if max(low) >= up[i] else None
        ),
        "where two intervals only touch there is no witness": lambda i, low, up: max(
            (j for j in range(len(low)) if low[j] > up[i]), key=low.__getitem__, default=None
        ),
    },
    "2.5": {
        "the distance is not squared": acceptances(lambda d, g: max(1, math.ceil(g / d))),
        "it is rounded down": acceptances(lambda d, g: max(int(g / d**2), 1)),
        "it is one too many": lambda m, b, g: (
            math.inf if m >= b else max(1, int(g / (b - m) ** 2) + 1)
        ),
        "the square hides the sign": lambda m, b, g: max(1, math.ceil(g / (b - m) ** 2)),
        "that she has never accepted": lambda m, b, g: (
            math.inf if m >= b else math.ceil(g / (b - m) ** 2)
        ),
        "for (0.5, 0.5, 4.0) it fails with ZeroDivisionError": acceptances(
            lambda d, g: max(1, math.ceil(g / d**2))
        ),
    },
    "3.1": {
        "by all recommendations, t": lambda arms, yes, k: (
            np.bincount(arms, yes, minlength=k) / len(arms)
        ),
        "by all acceptances, n(t)": lambda arms, yes, k: (
            np.bincount(arms, yes, minlength=k) / sum(yes)
        ),
        "has the rate 0 here": lambda arms, yes, k: (
            np.bincount(arms, yes, minlength=k) / np.maximum(np.bincount(arms, minlength=k), 1)
        ),
        "it fails with ZeroDivisionError": lambda arms, yes, k: [
            sum(np.compress(np.equal(arms, arm), yes)) / arms.count(arm) for arm in range(k)
        ],
    },
    "3.2": {
        "the reward is not divided": exp3(lambda p, yes: yes),
        "by the share of the arm's weight": exp3(lambda p, yes: yes / p, weights_alone=True),
        "a rejection lowers a weight": exp3(lambda p, yes: (2 * yes - 1) / p),
        "epsilon is missing in the end": exp3(
            lambda p, yes: yes / p, chances=lambda g, epsilon: softmax(g)
        ),
        "epsilon is added to every arm whole": exp3(
            lambda p, yes: yes / p, chances=lambda g, epsilon: (1 - epsilon) * softmax(g) + epsilon
        ),
        "it fails with OverflowError": exp3(lambda p, yes: yes / p, chances=overflows),
    },
    "3.3": {
        "p and q are swapped": lambda p, q: kl(q, p),
        "it has the base 2": lambda p, q: kl(p, q) / math.log(2),
        "only 0 log 0 is 0": lambda p, q: kl(p, q) if 0 < p < 1 and 0 < q < 1 else 0,
    },
    "3.4": {
        "the point halfway": lambda n, m, k, a: n * kl(m, (m + a) / 2) + k * kl(a, (m + a) / 2),
        "without the numbers": evidence(lambda n, m, k, a, both: kl(m, both) + kl(a, both)),
        "kl are swapped": evidence(lambda n, m, k, a, both: n * kl(both, m) + k * kl(both, a)),
        "is 3.3, which it uses, still blank?": lambda n, m, k, a: n * (lambda p, q: None)(m, a),
    },
    "3.5": {
        "whose best guess happens to be": cost(lambda t, yes, cut: t.mean() + 1 - yes.mean()),
        "counts as two": cost(lambda t, yes, cut: t.mean() + 1 - yes.mean() + cut.mean()),
        "censored runs are left out": cost(lambda t, yes, cut: (t + ~yes)[~cut].mean()),
        "their steps are left": cost(lambda t, yes, cut: t[~cut].mean() + (~yes | cut).mean()),
        "the steps of all runs": cost(lambda t, yes, cut: t.sum() + (~yes | cut).mean()),
    },
    "5.1": {
        "T has to be, too": lambda d, t: np.polyfit(np.log(1 / np.array(d)), t, 1)[0],
        "the axes are swapped": lambda d, t: np.polyfit(np.log(t), -np.log(d), 1)[0],
        "only the first and the last point": lambda d, t: (
            math.log(t[0] / t[-1]) / math.log(d[-1] / d[0])
        ),
    },
    "5.2": {
        "it is more than 1": lambda n1, k, alpha, rho: 2 * (k - 1) / (rho * n1) ** alpha,
        "one interval misses for each rival": bound(lambda k: k - 1),
        "α = 1": lambda n1, k, alpha, rho: min(1, 2 * (k - 1) / rho / n1),
        "for (100, 2, 1.0, 1.0) it gives 0.5, where 0.0": lambda n1, k, alpha, rho: 0.5,
    },
    "5.3": {
        "the gap is counted from 0": lambda n0, a, gap: (1 - below(n0, a), gap),
        "α is missing": lambda n0, a, gap: (1 - below(n0, 1), 1 + gap),
    },
    "5.4": {
        "how likely so low a reward is for a user of ν'": lambda d, prior: norm.sf(d),
        "the prior is missing": lambda d, prior: norm.cdf(-d) / (norm.cdf(-d) + 0.5),
        "the sign of d": lambda d, prior: 1 - (1 - prior) / (1 - prior + 2 * prior * norm.cdf(d)),
    },
    "5.5": {
        "the normal approximation": least(
            lambda k, n, delta: k / n + 1.64485362695147 * (k * (n - k) / n**3) ** 0.5 <= delta
        ),
        "every N_1 that is not": least(
            lambda k, n, delta: binomtest(k, n, delta, alternative="greater").pvalue >= 0.05
        ),
        "the largest N_1 that is enough": least(error_below, turn=-1),
    },
    "6.1": {
        "the least accepted arm": lambda yes: sorted(range(len(yes)), key=yes.__getitem__),
        "tied arms": lambda yes: sorted(range(len(yes)), key=yes.__getitem__)[::-1],
    },
    "6.2": {
        "own reward is missing": lambda r, g: [np.polyval(r[:t:-1], g) for t in range(len(r))],
        "nothing is discounted": lambda r, g: np.cumsum(r[::-1])[::-1],
        "from the beginning of the run": lambda r, g: [
            sum(g**s * r[s] for s in range(t, len(r))) for t in range(len(r))
        ],
    },
    "6.3": {
        "by their chances": lambda p, x, arm: np.array(x[arm]) - sum(map(np.array, x)) / len(x),
        "not of its logarithm": lambda p, x, arm: p[arm] * (np.array(x[arm]) - np.dot(p, x)),
    },
    "6.4": {
        "a rank is a whole number from 0 to 4, and once it returns 5": lambda seen: 5,
        "once it returns array([0])": lambda seen: np.array([0]),
        "the most accepted arm for ever": lambda seen: int(np.argmax(seen[:5])),
        "it goes on with arms that she has rejected": lambda seen: 4,
        "it settles before she can tell": lambda seen: 4 if seen[20] < 0.001 else 0,
    },
    "6.5": {
        "regret is a cost": lambda low, up: "better" if low > 0 else "worse" if up < 0 else "level",
        "an interval that ends": lambda low, up: (
            "better" if up <= 0 else "worse" if low >= 0 else "level"
        ),
    },
}

slow_if_tried_on_many = [
    pytest.param(number, marks=[pytest.mark.slow] * (number == "6.4")) for number in WRONG
]


@pytest.mark.parametrize("number", slow_if_tried_on_many)
def test_a_wrong_answer_is_told_what_is_wrong(number: str) -> None:
    with np.errstate(all="ignore"):
        for words, answer in WRONG[number].items():
            remark = check_exercise(number, answer)
            assert not remark.right
            assert words in remark.words


EVERY = [one for lesson in LESSONS for one in exercises_of(lesson.number)]


@pytest.mark.slow
def test_the_packages_own_example_of_a_mistake_is_told_by_its_words() -> None:
    for one in EVERY:
        for words, answer in one.mistakes.items():
            remark = one.check(answer)
            assert (remark.words.split(" (with user")[0], remark.right) == (words, False)


def frequencies(arms: Any, accepted: Any, n_arms: int) -> Any:
    rates = [accepted[arms == arm].mean() if (arms == arm).any() else None for arm in range(n_arms)]
    return [math.nan if rate is None else rate for rate in rates]


def streaks(observation: Any) -> int:
    liked = np.flatnonzero(np.asarray(observation[10:15]) >= 0)
    return int(liked[-1]) if len(liked) else 0


RIGHT: dict[str, Any] = {
    "1.3": lambda means, widths: {
        arm
        for arm, high in enumerate(means + widths)
        if not (np.delete(means - widths, arm) >= high).any()
    },
    "2.3": lambda arm, lower, upper: ((lower >= upper[arm]) & (np.arange(lower.size) != arm)).any(),
    "3.1": frequencies,
    "3.4": evidence(lambda n, m, k, a, both: n * kl(m, both) + k * kl(a, both)),
    "3.5": cost(lambda t, yes, cut: t.mean() + (~yes | cut).mean()),
    "5.1": lambda deltas, times: np.polyfit(np.log(1 / deltas), np.log(times), 1)[0],
    "5.3": lambda n0, alpha, gap: [1 - below(n0, alpha), 1 + gap],
    "5.4": lambda d, prior: prior * norm.sf(d) / (prior * norm.sf(d) + (1 - prior) / 2),
    "5.5": least(error_below),
    "6.1": lambda yes: np.argsort(-yes, kind="stable"),
    "6.3": lambda chances, features, arm: features[arm] - chances @ features,
    "6.4": streaks,
    "6.5": lambda low, high: "level" if low <= 0 <= high else "worse" if low > 0 else "better",
}


@pytest.mark.slow
def test_a_right_answer_is_right_however_it_is_written() -> None:
    shown = {one.number: one.shows for one in EVERY}
    for number, answer in RIGHT.items():
        assert check_exercise(number, answer) == (number, True, shown[number], "")
