# %% [markdown]
# # 1. Bandits and best-arm identification
#
# A listener likes one of five songs best. Which one? Every play of a song gives a little
# information and has a cost. This lesson shows how many plays are necessary to be confident.

# %%
import gymnasium as gym
import matplotlib.pyplot as plt
import numpy as np

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, FullInformation, SuccessiveElimination, Uniform
from explorative_user_env.teach import check_exercise, hint, reveal
from explorative_user_env.users.instances import InstanceLaw

plt.rcParams.update({"figure.figsize": (8, 3.2), "figure.dpi": 100})

env = gym.make("ExplorativeUser-v0", n_arms=5, gap=0.5)
env.reset(seed=7)
instance = env.unwrapped.hidden_state().instance  # hidden from agents; used here for teaching
means, best = np.array(instance.means), instance.best_arm

rng = np.random.default_rng(1)
for arm, mean in enumerate(means):
    colour = "C1" if arm == best else "C0"
    plt.plot(mean + rng.standard_normal(60), arm + rng.uniform(-0.2, 0.2, 60), ".", c=colour, ms=4)
    plt.plot([mean, mean], [arm - 0.35, arm + 0.35], c="black", lw=2)
plt.yticks(range(5), [f"arm {arm}" for arm in range(5)])
plt.xlabel("reward")
plt.title("Sixty rewards of each arm; black lines: true means; orange: best arm")
plt.show()

# %% [markdown]
# If you are stuck in exercise 1.1, run `hint("1.1")`: it says where to look. `hint("1.1", level=2)`
# describes the steps. Every exercise has such hints.
#
# **You will learn**
#
# - what a bandit is, and how the gap $\Delta$ determines its difficulty;
# - how finding the best arm differs from collecting reward;
# - how to compute a confidence interval, and why repeated looks invalidate it;
# - how successive elimination stops by itself, with an error probability that you choose;
# - why this course needs another method: here the system observes no rewards.
#
# **Time** (80 minutes): the bandit, ten; two goals, fifteen; one mean, twenty; repeated looks, ten;
# elimination, fifteen; no rewards, ten.
#
# <!-- given: 80 (the plan of the class) -->

# %% [markdown]
# ## A bandit
#
# A **bandit** has $K$ **arms**. Arm $i$ gives random **rewards** with an unknown mean $\mu_i$. In
# this lesson a reward of arm $i$ is normal with mean $\mu_i$ and variance 1.
#
# - The **best arm** has the largest mean, $\mu_*$.
# - The **gap** of arm $i$ is $\Delta_i = \mu_* - \mu_i$. The smallest gap, $\Delta_1$, belongs to
#   the second best arm. The best arm itself gets the gap $\Delta_1$ as well.
# - The **hardness** is $H = \sum_i 1 / \Delta_i^2$, over all arms. Exercise 1.2 shows why the gaps
#   are squared.
#
# In the plot arm {{best}} is the best, by a gap of {{instance.gap:.1f}}. Cover the black lines with
# your hand: can you still see which arm is best?
# <!-- given: 1.2 (an exercise) -->

# %%
for arm, gap in enumerate(instance.gaps):
    print(f"arm {arm}: mean {means[arm]:5.2f}, gap {gap:.2f}{'  (best)' if arm == best else ''}")
print(f"H = {instance.hardness:.1f}")

# %% [markdown]
# **Predict.** You draw one reward of the best arm, and one of an arm that is worse by
# $\Delta = 0.5$. How often is the reward of the better arm larger?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "nearly always", "two times in three" or "every second time"
prediction = "two times in three"
# END SOLUTION

# %%
better, worse = 0.5 + rng.standard_normal(100_000), rng.standard_normal(100_000)
share = (better > worse).mean()
chances = {"nearly always": 1, "two times in three": 2 / 3, "every second time": 1 / 2}
reveal(
    prediction,
    min(chances, key=lambda words: abs(chances[words] - share)),
    choices=tuple(chances),
    because=f"the noise is larger than the gap: it was larger in {share:.0%} of 100000 pairs",
)

# %% [markdown]
# ## Two goals
#
# A bandit algorithm can have two goals.
#
# - **Little regret.** Every play of arm $i$ costs $\mu_* - \mu_i$, because the best arm pays that
#   much more on average. The **regret** after $n$ plays is the expected sum of these costs,
#   $R_n = \mathbb{E} \sum_{t=1}^{n} (\mu_* - \mu_{a_t})$, where $a_t$ is the arm of play $t$. We
#   estimate it by a mean over instances.
# - **Identification.** The algorithm names the best arm at the end. The rewards on the way do not
#   count.
#
# We compare three algorithms on the same instances. All three observe rewards:
#
# - **in turn** plays all arms equally often;
# - **greedy** plays the arm with the largest average reward so far;
# - **optimist** plays the arm whose confidence interval has the largest upper end (UCB1).

# %%
law = InstanceLaw(5, gap=0.5)
draws = np.random.default_rng(2)
instances = [law.draw(draws) for _ in range(300)]
mu = np.array([each.means for each in instances])
star = np.array([each.best_arm for each in instances])
row = np.arange(len(instances))


def play(choose, steps, rng):
    """Return, after each step, the mean regret and the share of right answers so far."""
    counts, sums = np.zeros(mu.shape), np.zeros(mu.shape)
    cost, right = [], []
    for t in range(steps):
        arm = np.full(len(instances), t) if t < 5 else choose(t, counts, sums)
        counts[row, arm] += 1
        sums[row, arm] += mu[row, arm] + rng.standard_normal(len(instances))
        cost.append((mu[row, star] - mu[row, arm]).mean())
        estimates = np.where(counts > 0, sums / np.maximum(counts, 1), -np.inf)
        right.append((estimates.argmax(axis=1) == star).mean())
    return np.cumsum(cost), np.array(right)


def in_turn(t, counts, sums):
    return np.full(len(instances), t % 5)


def greedy(t, counts, sums):
    return (sums / counts).argmax(axis=1)


def optimist(t, counts, sums):
    return (sums / counts + np.sqrt(2 * np.log(t + 1) / counts)).argmax(axis=1)


rules = {"in turn": in_turn, "greedy": greedy, "optimist": optimist}
plays = {name: play(choose, 500, np.random.default_rng(3)) for name, choose in rules.items()}

# %% [markdown]
# **Predict.** After $500$ plays, which algorithm names the best arm least often?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "in turn", "greedy" or "optimist"
prediction = "greedy"
# END SOLUTION

# %%
reveal(
    prediction,
    min(plays, key=lambda name: plays[name][1][-1]),
    choices=tuple(plays),
    because="it never plays an arm again whose first rewards were low",
)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4))
for name, (regret, correct) in plays.items():
    left.plot(regret, label=name)
    right.plot(correct, label=name)
left.set(xlabel="plays", ylabel="regret", title="Regret")
right.set(xlabel="plays", ylabel="share of instances", title="Largest estimate is the best arm's")
left.legend()
plt.show()

# %% [markdown]
# The regret of *in turn* grows in every round, to {{plays["in turn"][0][-1]:.0f}}, because it
# measures all arms equally well. The regret of *optimist* grows ever more slowly, to
# {{plays["optimist"][0][-1]:.0f}}. And *greedy* gets stuck: on {{1 - plays["greedy"][1][-1]:.0%}}
# of the instances it ends with a wrong arm, and its own plays never correct the error.
#
# Remember *greedy*. A user who accepts every arm that is not clearly worse traps many algorithms in
# the same way.

# %% [markdown]
# ## A confidence interval for one mean
#
# From $n$ rewards of an arm you compute the estimate $\hat\mu$. For normal rewards with variance 1
# (or any **sub-Gaussian** rewards with tails no heavier), the sub-Gaussian tail bound limits the
# error on each side:
#
# $$ \Pr(\hat\mu - \mu \ge \epsilon) \le \exp(-n \epsilon^2 / 2). $$
#
# The error must be $\epsilon$ or more, on either side, with probability at most $\delta$.
#
# ### Exercise 1.1
#
# Solve for $\epsilon$: return the half-width of the interval.


# %% tags=["exercise"]
def half_width(n, delta):
    """Return epsilon: P(|mean of n rewards - mu| >= epsilon) is at most delta."""
    # BEGIN SOLUTION
    return np.sqrt(2 * np.log(2 / delta) / n)
    # END SOLUTION


# %%
check_exercise("1.1", half_width)

# %% [markdown]
# Two arms differ by $\Delta$. You can distinguish them once their intervals no longer overlap, for
# example once each half-width is at most half the gap.
#
# ### Exercise 1.2
#
# How many rewards of **each** arm are necessary? Return the smallest integer.


# %% tags=["exercise"]
def samples_needed(gap, delta):
    """Return the smallest n for which the half-width is at most gap / 2."""
    # BEGIN SOLUTION
    return int(np.ceil(8 * np.log(2 / delta) / gap**2))
    # END SOLUTION


# %%
check_exercise("1.2", samples_needed)

# %% [markdown]
# The package contains the right answers of this lesson, so you can continue with a blank above.

# %%
from explorative_user_env.teach.lesson_1 import half_width as epsilon
from explorative_user_env.teach.lesson_1 import samples_needed as needed
from explorative_user_env.teach.lesson_1 import survivors

# %% [markdown]
# **Predict.** The gap is halved. By which factor does the number of rewards grow?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # 2, 4 or 8
prediction = 4
# END SOLUTION

# %%
reveal(
    prediction,
    round(needed(0.25, 0.1) / needed(0.5, 0.1)),
    choices=(2, 4, 8),
    because="the gap is squared in n = 8 log(2 / delta) / gap^2",
)

# %%
gaps = np.geomspace(0.05, 2, 50)
for delta in (0.1, 0.01, 0.001):
    plt.loglog(gaps, [needed(gap, delta) for gap in gaps], label=f"$\\delta$ = {delta}")
plt.xlabel("gap $\\Delta$")
plt.ylabel("rewards of each arm")
plt.title("A small gap is expensive, a small error probability is cheap")
plt.legend()
plt.show()

# %% [markdown]
# At a gap of {{instance.gap:.1f}}, $\delta = 0.1$ requires {{needed(instance.gap, 0.1)}} rewards of
# each arm and $\delta = 0.001$ requires {{needed(instance.gap, 0.001)}}. A tenth of the gap, at
# $\delta = 0.1$, requires {{needed(instance.gap / 10, 0.1)}}.

# %% [markdown]
# ## Repeated looks
#
# The bound holds for **one** look, after a number $n$ of rewards that is fixed in advance. But you
# want to look after every reward, and stop as soon as possible.
#
# **Predict.** You check the interval for $\delta = 0.05$ after each of $1000$ rewards. How often
# does the interval miss the true mean *at least once*?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "at most 5 %, as required", "more than 5 %" or "nearly always"
prediction = "more than 5 %"
# END SOLUTION

# %%
n = np.arange(1, 1001)
errors = np.random.default_rng(4).standard_normal((2000, 1000)).cumsum(axis=1) / n
narrow = np.array([epsilon(k, 0.05) for k in n])
outside = np.abs(errors) >= narrow
missed = outside.any(axis=1).mean()
words = ("at most 5 %, as required", "more than 5 %", "nearly always")
reveal(
    prediction,
    words[int(missed > 0.05) + int(missed > 0.9)],
    choices=words,
    because=f"every look is another chance of a miss: it was {missed:.1%}, "
    f"although at most {outside.mean(axis=0).max():.1%} at any single look",
)

# %%
wide = np.array([epsilon(k, 0.05 / (k * (k + 1))) for k in n])
plt.plot(n, errors[:40].T, c="0.75", lw=0.6)
plt.plot(n, errors[outside.any(axis=1)][0], c="C3", lw=1.2, label="a run with a miss")
for edge, colour, label in ((narrow, "C0", "one look"), (wide, "C1", "all looks")):
    plt.plot(n, edge, c=colour, label=f"half-width for {label}")
    plt.plot(n, -edge, c=colour)
plt.ylim(-3, 3)
plt.xscale("log")
plt.xlabel("rewards n")
plt.ylabel("error of the estimate")
plt.legend()
plt.show()

# %% [markdown]
# The remedy is to split $\delta$ among the looks: look $n$ gets $\delta / (n (n + 1))$, and these
# shares add up to $\delta$. The interval gets wider by a logarithmic factor. In return it contains
# the true mean at *all* looks with probability at least $1 - \delta$. In our runs it missed the
# mean in {{(np.abs(errors) >= wide).any(axis=1).mean():.1%}} of the cases.
#
# A sharper analysis replaces $\log n$ by $\log \log n$ (Darling and Robbins 1967). No smaller term
# suffices: by the **law of the iterated logarithm** (LIL; Hartman and Wintner 1941), errors of about
# $\sqrt{2 \log \log n / n}$ occur again and again. *lil' UCB* below uses such a bound.
# <!-- given: 1967, 1941 (years) -->
#
# The user in the next lesson looks after every reward, too. Her half-width is
# $\sqrt{\Gamma / n_i}$ with $\Gamma = 2 \alpha \log(\rho_t n(t))$, where $n(t)$ is the number of all
# her acceptances. It contains no $\delta$: her intervals guarantee nothing, and early on they are
# too narrow.

# %% [markdown]
# ## Successive elimination
#
# Draw rewards of all arms in turn. As soon as another arm is clearly better than arm $i$, eliminate
# $i$ for good. Stop when one arm remains.
#
# ### Exercise 1.3
#
# Eliminate arm $i$ if the interval of another arm $j$ starts at or above the end of the interval of
# $i$: $\hat\mu_j - \epsilon_j \ge \hat\mu_i + \epsilon_i$ for some $j \ne i$. Return the arms that
# remain.


# %% tags=["exercise"]
def arms_left(means, half_widths):
    """Return a list of the arms that remain."""
    # BEGIN SOLUTION
    arms = range(len(means))
    low = [mean - width for mean, width in zip(means, half_widths, strict=True)]
    high = [mean + width for mean, width in zip(means, half_widths, strict=True)]
    return [i for i in arms if all(low[j] < high[i] for j in arms if j != i)]
    # END SOLUTION


# %%
check_exercise("1.3", arms_left)


# %%
def eliminate(means, delta, rng):
    """Return the estimates after each round, the round of each elimination, and the last arm."""
    left, rounds, dropped = list(range(len(means))), [], {}
    sums = np.zeros(len(means))
    while len(left) > 1:
        n = len(rounds) + 1
        sums[left] += means[left] + rng.standard_normal(len(left))
        width = epsilon(n, delta / (len(means) * n * (n + 1)))
        stay = survivors(sums[left] / n, [width] * len(left))
        dropped |= {left[i]: n for i in range(len(left)) if i not in stay}
        rounds.append(np.where(np.isin(np.arange(len(means)), left), sums / n, np.nan))
        left = [left[i] for i in stay]
    return np.array(rounds), dropped, left[0]


rounds, dropped, answer = eliminate(means, 0.1, np.random.default_rng(5))
n = np.arange(1, len(rounds) + 1)
width = np.array([epsilon(k, 0.1 / (len(means) * k * (k + 1))) for k in n])
for arm in range(len(means)):
    plt.fill_between(n, rounds[:, arm] - width, rounds[:, arm] + width, color=f"C{arm}", alpha=0.25)
    plt.plot(n, rounds[:, arm], c=f"C{arm}", label=f"arm {arm}")
plt.ylim(-3, 4)
plt.xscale("log")
plt.xlabel("rounds")
plt.ylabel("reward")
plt.title("An arm is eliminated when its interval is below another arm's")
plt.legend(loc="upper right", ncols=5, fontsize="small")
plt.show()

# %% [markdown]
# The second best arm is the last to be eliminated, after {{max(dropped.values())}} rounds; the
# first elimination is after {{min(dropped.values())}}. Clearly bad arms cost little: each costs
# about $1 / \Delta_i^2$ rewards. The sum of these costs is the hardness $H$.
#
# This problem is called **fixed confidence**: you fix the error probability $\delta$, and the
# algorithm stops as early as it can. In the **fixed budget** problem you fix the number of plays
# $T$ and minimise the error probability. The right plot of section "Two goals" shows fixed budgets.

# %% [markdown]
# ## A confidence interval for a success rate
#
# An algorithm with $300$ successes in $300$ runs may still fail sometimes. A success rate from a
# sample needs an interval.
#
# ### Exercise 1.4
#
# Return both ends of the exact interval (Clopper and Pearson) of the success probability, at level
# $.95$. Use SciPy: `scipy.stats.binomtest(successes, n).proportion_ci(...)`.


# %% tags=["exercise"]
def success_interval(successes, n):
    """Return (low, high) for the probability of a success."""
    # BEGIN SOLUTION
    from scipy.stats import binomtest

    interval = binomtest(successes, n).proportion_ci(0.95, method="exact")
    return interval.low, interval.high
    # END SOLUTION


# %%
check_exercise("1.4", success_interval)

# %% [markdown]
# ## A system without rewards
#
# So far you observed every reward. A recommender system does not. It recommends an arm, and the
# user **accepts** or **rejects** it. Her rewards stay hidden. She is still learning which arm is
# best for her, and she rejects an arm only when another arm is clearly better. The system observes
# only the left half of this picture.

# %%
env = gym.make("ExplorativeUser-v0", n_arms=5, render_mode="svg", render_intervals=True)
env.reset(seed=7)
accepted = [env.step(step % 5)[0] for step in range(150)]
env.unwrapped

# %% [markdown]
# After {{len(accepted)}} recommendations in turn she has rejected
# {{len(accepted) - sum(accepted)}}. An acceptance gives almost no information. A rejection means
# that another arm is clearly better according to her estimates. So the system can eliminate by
# *her* intervals without observing them: **eliminate the arms that she rejects**. This agent is
# called SE in this package. We compare it with *Full-information*, a reference agent that observes
# every reward.
#
# **Predict.** Which agent names the best arm more often after the same number of recommendations?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "observes rewards", "observes responses" or "both nearly always"
prediction = "both nearly always"
# END SOLUTION

# %%
agents = [SuccessiveElimination(), FullInformation(), BAIR(), Uniform()]
results = eu.evaluate(agents, n_arms=5, n_instances=300, seed=0, baseline_time="SE", progress=False)
summary = results.summary().set_index("agent")
success = summary["success"]
ahead = success["Full-information"] - success["SE"]
words = ("observes rewards", "observes responses", "both nearly always")
reveal(
    prediction,
    words[2] if abs(ahead) < 0.05 else words[int(ahead < 0)],
    choices=words,
    because="her rejections carry the information of her rewards",
)

# %%
results

# %% [markdown]
# SE is right for {{success["SE"]:.1%}} of the users, after {{summary["stopping_time"]["SE"]:.0f}}
# recommendations on average. Full-information, with the same number of recommendations, is right
# for {{success["Full-information"]:.1%}}. UNI recommends all arms in turn and names the arm with
# the most acceptances; it is right for {{success["UNI"]:.1%}}, because acceptances give little
# information.
#
# SE has no bound on its error probability. The agent BAIR lets you choose this bound: lesson 4 is
# about BAIR.
# <!-- given: 4 (a lesson) -->

# %% [markdown]
# ## Exam question
#
# <!-- given: 16 (the seed) -->
# *Seed 16.* `gym.make("ExplorativeUser-v0", n_arms=4, gap=0.4)` and `env.reset(seed=16)` create a
# user; `env.unwrapped.hidden_state().instance` is her instance.
#
# 1. What is the hardness $H$ of her instance?
# 2. How many rewards of each arm make all four half-widths at most half the smallest gap, if the
#    probability that any of the four intervals misses its mean at one look is at most $0.05$?
# 3. A colleague looks after every round, and stops as soon as the intervals of question 2 no longer
#    overlap. What is wrong, and what does the remedy cost?
# 4. *Eliminate the arms that she rejects* computes no intervals. Whose intervals does it use, and
#    what could make it eliminate the best arm?

# %% [markdown] tags=["solution"]
# ### Answer and marking

# %% tags=["solution"]
exam = gym.make("ExplorativeUser-v0", n_arms=4, gap=0.4)
exam.reset(seed=16)
truth = exam.unwrapped.hidden_state().instance
one_look = needed(truth.gap, 0.05 / 4)
cured = next(k for k in range(1, 10**6) if epsilon(k, 0.05 / (4 * k * (k + 1))) <= truth.gap / 2)

# %% [markdown] tags=["solution"]
# 1. $H$ = {{truth.hardness:.2f}}. (Two points; one without the best arm's own term.)
# 2. {{one_look}}: four intervals share the error probability, $\delta = 0.05 / 4$, and each
#    half-width is at most half of the smallest gap. (Three points; subtract one without the four,
#    one for rounding down.)
# 3. Every look is another chance of a miss, so the error probability is above $0.05$. With
#    $\delta / (4 n (n + 1))$ for look $n$ the intervals hold at all looks; this gap then requires
#    {{cured}} rewards of each arm instead of {{one_look}}. (Three points.)
# 4. It uses her intervals. She may reject the best arm while her estimates are poor, because her
#    early intervals may miss the means. (Two points. Lesson 4 is about this error.)

# %% [markdown]
# ## Further reading
#
# - T. Lattimore and C. Szepesvári, *Bandit Algorithms*: chapter 4 on what a bandit is, chapter 5 on
#   sub-Gaussian tail bounds, chapter 7 on the optimist, chapter 33 on pure exploration.
# - A. Slivkins, *Introduction to Multi-Armed Bandits*: chapter 1, with successive elimination.
# - R. Sutton and A. Barto, *Reinforcement Learning*: chapter 2.
# - E. Even-Dar, S. Mannor and Y. Mansour, *Action elimination and stopping conditions for the
#   multi-armed bandit and reinforcement learning problems*, 2006.
# - P. Hartman and A. Wintner, *On the law of the iterated logarithm*, 1941; D. Darling and
#   H. Robbins, *Confidence sequences for mean, variance, and median*, 1967.
# - K. Jamieson, M. Malloy, R. Nowak and S. Bubeck, *lil' UCB: an optimal exploration algorithm for
#   multi-armed bandits*, 2014.
#
# <!-- given: 33 (chapter), 2006, 1941, 1967, 2014 (years) -->
