# %% [markdown]
# # 1. Bandits and best-arm identification
#
# Five songs, and a listener who likes one of them best. Which one? Every play tells a little, and
# every play costs one. This lesson is about how many plays it takes to be sure.

# %%
import gymnasium as gym
import matplotlib.pyplot as plt
import numpy as np

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, FullInformation, SuccessiveElimination, Uniform
from explorative_user_env.teach import check_exercise, reveal
from explorative_user_env.users.instances import InstanceLaw

plt.rcParams.update({"figure.figsize": (8, 3.2), "figure.dpi": 100})

env = gym.make("ExplorativeUser-v0", n_arms=5, gap=0.5)
env.reset(seed=7)
instance = env.unwrapped.hidden_state().instance  # the truth, for teaching only
means, best = np.array(instance.means), instance.best_arm

rng = np.random.default_rng(1)
for arm, mean in enumerate(means):
    colour = "C1" if arm == best else "C0"
    plt.plot(mean + rng.standard_normal(60), arm + rng.uniform(-0.2, 0.2, 60), ".", c=colour, ms=4)
    plt.plot([mean, mean], [arm - 0.35, arm + 0.35], c="black", lw=2)
plt.yticks(range(5), [f"arm {arm}" for arm in range(5)])
plt.xlabel("reward")
plt.title("Sixty rewards of each arm; a black stroke is the true mean, orange the best arm")
plt.show()

# %% [markdown]
# **You will learn**
#
# - what a bandit is, and what the gap $\Delta$ says of how hard it is;
# - why finding the best arm is another aim than collecting reward;
# - how a confidence interval is made, and why looking at it often breaks it;
# - how successive elimination stops by itself, as sure as you ask for;
# - why this course needs something else: here the system sees no rewards at all.
#
# **Time** (80 minutes): the bandit, ten; two aims, fifteen; one mean, twenty; many looks, ten;
# elimination, fifteen; no rewards, ten.
#
# <!-- given: 80 (the plan of the class) -->

# %% [markdown]
# ## A bandit
#
# A **bandit** has $K$ **arms**. Arm $i$ pays **rewards** around its mean $\mu_i$, which nobody
# knows. Here a reward of arm $i$ is normal with mean $\mu_i$ and variance 1.
#
# - The **best arm** has the largest mean, $\mu_*$.
# - The **gap** of arm $i$ is $\Delta_i = \mu_* - \mu_i$. The smallest gap, $\Delta_1$, belongs to the
#   second best arm.
#   The best arm itself has no distance to anything: it is given $\Delta_1$ as well.
# - The **hardness** is $H = \sum_i 1 / \Delta_i^2$, over all arms. You will see soon why the gaps are
#   squared.
#
# In the picture arm {{best}} is the best by a gap of {{instance.gap:.1f}}. Cover the black strokes
# with your hand: would you have known?

# %%
for arm, gap in enumerate(instance.gaps):
    print(f"arm {arm}: mean {means[arm]:5.2f}, gap {gap:.2f}{'  (best)' if arm == best else ''}")
print(f"H = {instance.hardness:.1f}")

# %% [markdown]
# **Predict.** You take one reward of the best arm, and one of an arm that is worse by
# $\Delta = 0.5$. How often is the better arm's reward the larger one?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "nearly always", "two times in three" or "every second time"
prediction = "two times in three"
# END SOLUTION

# %%
better, worse = 0.5 + rng.standard_normal(100_000), rng.standard_normal(100_000)
how_often = (better > worse).mean()
chances = {"nearly always": 1, "two times in three": 2 / 3, "every second time": 1 / 2}
reveal(
    prediction,
    min(chances, key=lambda words: abs(chances[words] - how_often)),
    choices=tuple(chances),
    because=f"the noise is larger than the gap: it was {how_often:.0%} of 100000 pairs",
)

# %% [markdown]
# ## Two aims
#
# There are two things to want from a bandit.
#
# - **Little regret.** Every play of arm $i$ costs $\Delta_i$, as the best arm would have paid that
#   much more. The **regret** after $n$ plays is the expectation of the sum of these costs; you want
#   it small.
# - **Identification.** You want to name the best arm in the end. What you earn on the way does not
#   count.
#
# Three players, each on the same users. All of them see rewards:
#
# - **in turn** plays each arm as often as any other;
# - **greedy** plays what has paid best on average so far;
# - **optimist** plays the arm whose confidence interval reaches highest (UCB1).

# %%
law = InstanceLaw(5, gap=0.5)
draws = np.random.default_rng(2)
users = [law.draw(draws) for _ in range(300)]
mu = np.array([user.means for user in users])
star = np.array([user.best_arm for user in users])
row = np.arange(len(users))


def play(choose, steps, rng):
    """Return after each step the mean regret so far, and how often the best mean is the best arm."""
    counts, sums = np.zeros(mu.shape), np.zeros(mu.shape)
    cost, right = [], []
    for t in range(steps):
        arm = np.full(len(users), t) if t < 5 else choose(t, counts, sums)
        counts[row, arm] += 1
        sums[row, arm] += mu[row, arm] + rng.standard_normal(len(users))
        cost.append((mu[row, star] - mu[row, arm]).mean())
        seen = np.where(counts > 0, sums / np.maximum(counts, 1), -np.inf)
        right.append((seen.argmax(axis=1) == star).mean())
    return np.cumsum(cost), np.array(right)


def in_turn(t, counts, sums):
    return np.full(len(users), t % 5)


def greedy(t, counts, sums):
    return (sums / counts).argmax(axis=1)


def optimist(t, counts, sums):
    return (sums / counts + np.sqrt(2 * np.log(t + 1) / counts)).argmax(axis=1)


players = {"in turn": in_turn, "greedy": greedy, "optimist": optimist}
plays = {name: play(choose, 500, np.random.default_rng(3)) for name, choose in players.items()}

# %% [markdown]
# **Predict.** After $500$ plays, who names the best arm least often?

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
    because="who takes what looks best now never hears again of an arm that began badly",
)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4))
for name, (regret, correct) in plays.items():
    left.plot(regret, label=name)
    right.plot(correct, label=name)
left.set(xlabel="plays", ylabel="regret so far", title="The cost of the plays")
right.set(xlabel="plays", ylabel="share of users", title="Best mean so far is the best arm")
left.legend()
plt.show()

# %% [markdown]
# The regret of *in turn* grows with every round, to {{plays["in turn"][0][-1]:.0f}}. It pays for
# knowing all arms equally well. The *optimist* pays less and less,
# {{plays["optimist"][0][-1]:.0f}} in all. And *greedy* is caught: for
# {{1 - plays["greedy"][1][-1]:.0%}} of the users it is sure of a wrong arm, and nothing that it does
# will tell it so.
#
# Keep *greedy* in mind. A user who accepts everything that is not clearly worse will catch many
# algorithms in just that way.

# %% [markdown]
# ## How sure is one mean?
#
# From $n$ rewards of an arm you have the estimate $\hat\mu$. For rewards like these, normal with variance
# 1 (or **sub-Gaussian**: spread no more than that), the bound of Hoeffding's kind says how far off it
# may be on each side:
#
# $$ \Pr(\hat\mu - \mu \ge \epsilon) \le \exp(-n \epsilon^2 / 2). $$
#
# You want to be off by $\epsilon$ or more, on either side, with probability $\delta$ at most.
#
# ### Exercise 1.1
#
# Solve for $\epsilon$: return the half-width of the interval.


# %% tags=["exercise"]
def half_width(n, delta):
    """Return epsilon for n rewards, with probability delta of being off on either side."""
    # BEGIN SOLUTION
    return np.sqrt(2 * np.log(2 / delta) / n)
    # END SOLUTION


# %%
check_exercise("1.1", half_width)

# %% [markdown]
# Two arms differ by $\Delta$. When can you tell them apart? When their intervals do not meet any
# more, say when each reaches half way to the other mean.
#
# ### Exercise 1.2
#
# How many rewards of **each** arm does that take? Return the least whole number.


# %% tags=["exercise"]
def samples_needed(gap, delta):
    """Return the least n with which the half-width is at most gap / 2."""
    # BEGIN SOLUTION
    return int(np.ceil(8 * np.log(2 / delta) / gap**2))
    # END SOLUTION


# %%
check_exercise("1.2", samples_needed)

# %% [markdown]
# The right answers of this lesson are part of the package, so you can go on with a blank above.

# %%
from explorative_user_env.teach.lesson_1 import half_width as epsilon
from explorative_user_env.teach.lesson_1 import samples_needed as needed
from explorative_user_env.teach.lesson_1 import survivors

# %% [markdown]
# **Predict.** The gap becomes half as large. How many times as many rewards do you need?

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
plt.title("A small gap is dear, a small risk is cheap")
plt.legend()
plt.show()

# %% [markdown]
# At a gap of {{instance.gap:.1f}}, $\delta = 0.1$ takes {{needed(instance.gap, 0.1)}} rewards of each
# arm and $\delta = 0.001$ takes {{needed(instance.gap, 0.001)}}. A tenth of the gap, at $\delta = 0.1$,
# takes {{needed(instance.gap / 10, 0.1)}}.

# %% [markdown]
# ## Looking often
#
# The bound is about **one** look, after $n$ rewards that you chose before. But you want to
# look after every reward, and stop when you can.
#
# **Predict.** You watch the interval for $\delta = 0.05$ after each of $1000$ rewards. How often is
# the truth outside *at least once*?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "as promised, 5 % at most", "more than that" or "nearly always"
prediction = "more than that"
# END SOLUTION

# %%
n = np.arange(1, 1001)
errors = np.random.default_rng(4).standard_normal((2000, 1000)).cumsum(axis=1) / n
narrow = np.array([epsilon(k, 0.05) for k in n])
outside = np.abs(errors) >= narrow
missed = outside.any(axis=1).mean()
words = ("as promised, 5 % at most", "more than that", "nearly always")
reveal(
    prediction,
    words[int(missed > 0.05) + int(missed > 0.9)],
    choices=words,
    because=f"every look is another chance to be wrong: it was {missed:.1%}, "
    f"though {outside.mean(axis=0).max():.1%} at most at any one look",
)

# %%
wide = np.array([epsilon(k, 0.05 / (k * (k + 1))) for k in n])
plt.plot(n, errors[:40].T, c="0.75", lw=0.6)
plt.plot(n, errors[outside.any(axis=1)][0], c="C3", lw=1.2, label="one that leaves")
for edge, colour, which in ((narrow, "C0", "for one look"), (wide, "C1", "for all looks")):
    plt.plot(n, edge, c=colour, label=which)
    plt.plot(n, -edge, c=colour)
plt.ylim(-3, 3)
plt.xscale("log")
plt.xlabel("rewards n")
plt.ylabel("error of the estimate")
plt.legend()
plt.show()

# %% [markdown]
# The cure is to share out $\delta$ among the looks: look $n$ gets $\delta / (n (n + 1))$, and these
# add up to $\delta$. The interval is wider by a logarithm, and now the truth stays inside *for all
# time* but with probability $\delta$. In our runs it left
# {{(np.abs(errors) >= wide).any(axis=1).mean():.1%}} of the time.
#
# With more care $\log n$ becomes $\log \log n$, and no less will do: that is the **law of the iterated
# logarithm** (LIL; *lil' UCB* below has a bound of this kind). The user whom you meet in the next lesson looks after every reward, too. Her
# half-width is $\sqrt{\Gamma / n_i}$ with $\Gamma = 2 \alpha \log(\rho_t n(t))$, where $n(t)$ counts all
# that she has accepted. No $\delta$ is in it: she promises nothing, and early on it is small.

# %% [markdown]
# ## Successive elimination
#
# Take rewards of all arms in turn. As soon as some arm is clearly better than arm $i$, drop $i$ for
# good. Stop when one arm is left.
#
# ### Exercise 1.3
#
# Arm $i$ goes if the interval of another arm begins at or above the end of its own:
# $\hat\mu_j - \epsilon_j \ge \hat\mu_i + \epsilon_i$ for some $j \ne i$. Return the arms that stay.


# %% tags=["exercise"]
def arms_left(means, half_widths):
    """Return the numbers of the arms that stay, as a list."""
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
    """Return the estimates after each round and when each arm was dropped."""
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
plt.title("An arm ends where its interval falls below another's")
plt.legend(loc="upper right", ncols=5, fontsize="small")
plt.show()

# %% [markdown]
# The last rival, the second best arm, is dropped after {{max(dropped.values())}} rounds, the first
# arm after {{min(dropped.values())}}. Arms that are clearly bad cost little: each costs about
# $1 / \Delta_i^2$. Their sum is the hardness $H$.
#
# This is the aim of **fixed confidence**: you fix the risk $\delta$, and the algorithm decides when
# to stop, as early as it can. The other is **fixed budget**: you fix the number of plays $T$, and
# want to be wrong as seldom as possible. The right plot further up was about that.

# %% [markdown]
# ## How often was it right?
#
# An algorithm that was right for all of $300$ users may still be wrong now and then. You have seen a
# sample, and a sample has an interval.
#
# ### Exercise 1.4
#
# Return the two ends of the exact interval of the success probability, of Clopper and Pearson, at
# level $.95$. SciPy has it: `scipy.stats.binomtest(successes, n).proportion_ci(...)`.


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
# ## Here nobody sees the rewards
#
# So far you saw every reward. A recommender does not. It recommends, and the user **accepts** or
# **rejects**. What she thinks of it stays with her: she is learning herself what she likes, and says
# no only when another arm is clearly better. All that the system has is the left half of this.

# %%
env = gym.make("ExplorativeUser-v0", n_arms=5, render_mode="svg", render_intervals=True)
env.reset(seed=7)
accepted = [env.step(step % 5)[0] for step in range(150)]
env.unwrapped

# %% [markdown]
# After {{len(accepted)}} recommendations in turn she has rejected
# {{len(accepted) - sum(accepted)}}. Each acceptance said next to nothing; each rejection said that
# another arm is clearly better, as far as she knows. So the system can eliminate with *her* intervals, though it never sees them:
# **drop what she rejects**. That agent is called SE in this package. Beside it you may look at an
# agent that cheats with permission, *Full-information*: it is told every reward.
#
# **Predict.** Who names the best arm more often after the same number of recommendations?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "told every reward", "hears yes or no" or "both nearly always"
prediction = "both nearly always"
# END SOLUTION

# %%
agents = [SuccessiveElimination(), FullInformation(), BAIR(), Uniform()]
results = eu.evaluate(agents, n_arms=5, n_instances=300, seed=0, baseline_time="SE", progress=False)
told = results.summary().set_index("agent")
success = told["success"]
ahead = success["Full-information"] - success["SE"]
words = ("told every reward", "hears yes or no", "both nearly always")
reveal(
    prediction,
    words[2] if abs(ahead) < 0.05 else words[int(ahead < 0)],
    choices=words,
    because="her rejections carry what her rewards have told her",
)

# %%
results

# %% [markdown]
# SE is right for {{success["SE"]:.1%}} of the users, after {{told["stopping_time"]["SE"]:.0f}}
# recommendations on average. Full-information, for as long, is right for
# {{success["Full-information"]:.1%}}. And UNI, which goes on recommending everything in turn and names
# what was accepted most, for {{success["UNI"]:.1%}}: it looks at acceptances, which say little.
#
# SE promises nothing, though: nothing bounds how often it is wrong. The agent BAIR lets you choose
# that bound, and it is where this course is going.

# %% [markdown]
# ## Exam question
#
# <!-- given: 16 (the seed) -->
# *Seed 16.* A user is made by `gym.make("ExplorativeUser-v0", n_arms=4, gap=0.4)` and
# `env.reset(seed=16)`; `env.unwrapped.hidden_state().instance` is her truth.
#
# 1. What is the hardness $H$ of her instance?
# 2. How many rewards of each arm make all four intervals so narrow that the best arm is told from
#    every other, if all four may miss with probability $0.05$ together, at one look?
# 3. A colleague stops as soon as the intervals of question 2 tell the arms apart, looking after
#    every round. What is wrong, and what does the cure cost?
# 4. *Drop what she rejects* needs no intervals. Whose intervals does it use, and what could make it
#    drop the best arm?

# %% [markdown] tags=["solution"]
# ### Answer and how to mark it

# %% tags=["solution"]
exam = gym.make("ExplorativeUser-v0", n_arms=4, gap=0.4)
exam.reset(seed=16)
truth = exam.unwrapped.hidden_state().instance
one_look = needed(truth.gap, 0.05 / 4)
cured = next(k for k in range(1, 10**6) if epsilon(k, 0.05 / (4 * k * (k + 1))) <= truth.gap / 2)

# %% [markdown] tags=["solution"]
# 1. $H$ = {{truth.hardness:.2f}}. (Two points; one if the best arm's own term is left out.)
# 2. {{one_look}}: the risk is shared by four intervals, $\delta = 0.05 / 4$, and each half-width is at
#    most half of the least gap. (Three points; one is lost without the four, one for rounding down.)
# 3. Each look is another chance of a miss, so the risk is above $0.05$. With
#    $\delta / (4 n (n + 1))$ for look $n$ the intervals hold for all time; for this gap that takes
#    {{cured}} rewards of each arm, where one look takes {{one_look}}. (Three points.)
# 4. It uses hers. She may reject the best arm herself while her estimates are poor: her intervals
#    miss, too, early on. (Two points. Lesson 4 is about that.)

# %% [markdown]
# ## Further reading
#
# - T. Lattimore and C. Szepesvári, *Bandit Algorithms*: chapter 4 on what a bandit is, chapter 5 on
#   Hoeffding's bound and its kind, chapter 7 on the optimist, chapter 33 on pure exploration.
# - A. Slivkins, *Introduction to Multi-Armed Bandits*: chapter 1, with successive elimination.
# - R. Sutton and A. Barto, *Reinforcement Learning*: chapter 2.
# - E. Even-Dar, S. Mannor and Y. Mansour, *Action elimination and stopping conditions for the
#   multi-armed bandit and reinforcement learning problems*, 2006.
# - K. Jamieson, M. Malloy, R. Nowak and S. Bubeck, *lil' UCB: an optimal exploration algorithm for
#   multi-armed bandits*, 2014.
#
# <!-- given: 33 (chapter), 2006, 2014 (years) -->
