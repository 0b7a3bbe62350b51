# %% [markdown]
# # 5. The price of revealed preference
#
# An agent that observes rewards finds the best arm with $O(\log 1/\delta)$ rewards. An agent that
# observes only responses needs $O(1/\delta)$ recommendations to a user with $\alpha = 1$
# ($\delta^{-1/\alpha}$ in general), and no agent needs much fewer. In this lesson you measure both
# numbers, and see the reason: two users with different best arms and the same responses.

# %%
import gymnasium as gym
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import binomtest, linregress

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, FullInformation, Uniform
from explorative_user_env.seeding import user_seeds
from explorative_user_env.studies.lower_bound import (
    histories,
    standard_bandit_needs,
    standard_bandit_success,
)
from explorative_user_env.teach import check_exercise, hint, reveal
from explorative_user_env.theory import hard_pair, phase1_acceptances_needed, upper_bound

plt.rcParams["figure.dpi"] = 100


def show_run(axes, episode, title):
    """Plot the recommended arm of each step: a dot for an acceptance, a cross for a rejection."""
    for step, (arm, accepted) in enumerate(zip(episode.arms, episode.accepted, strict=True), 1):
        axes.plot(step, arm, "o" if accepted else "X", color="tab:blue" if accepted else "tab:red")
    axes.set(title=title, ylabel="arm", yticks=[0, 1], yticklabels=[1, 2], ylim=(1.5, -0.5))


pair = hard_pair(0.1, alpha=0.25, n0=30, gap=0.5)
users = [
    gym.make("ExplorativeUser-v0", n_arms=2, means=instance.means, alpha=0.25, rho=1.0)
    for instance in (pair.nu, pair.nu_prime)
]
alike = [eu.rollout(user, Uniform(horizon=60), seed=387) for user in users]
figure, both = plt.subplots(2, 1, figsize=(8, 3), sharex=True, layout="constrained")
show_run(both[0], alike[0], "a user of ν: the best arm is arm 2")
show_run(both[1], alike[1], "a user of ν': the best arm is arm 1")
both[1].set_xlabel("t")
plt.show()

# %% [markdown]
# Both users respond to {{alike[0].stopping_time}} recommendations, and all their responses are
# equal. Their best arms differ. An agent that observes only responses cannot distinguish the two
# users, so it is wrong for one of them.
#
# If you are stuck in exercise 5.1, run `hint("5.1")`: it says where to look. `hint("5.1", level=2)`
# describes the steps. Every exercise has such hints.
#
# **You will be able to**
#
# - read an order of growth from a log-log plot, by its slope;
# - bound the error probability of BAIR, and explain the term $\delta^{-1/\alpha}$;
# - construct the two users, and compute how much a history reveals about the user;
# - decide from finished runs which $N_1$ is sufficient, with a confidence interval.
#
# <!-- given: 80, 20, 15, 25, 20 (the minutes of the plan) -->
#
# | part | minutes |
# | :--- | ---: |
# | 1. Two orders of growth | 20 |
# | 2. The error probability of BAIR | 15 |
# | 3. Two indistinguishable users | 25 |
# | 4. A sufficient $N_1$ in practice | 20 |
#
# These are 80 minutes; the exam question is homework.

# %% [markdown]
# ## 1. Two orders of growth
#
# First, an agent that observes rewards: two arms, rewards from $N(\mu_i, 1)$, a gap of $0.5$. It
# draws from each arm equally often and names the arm with the larger mean. This is the **standard
# bandit**. The table compares a simulation with the exact error probability:

# %%
rng = np.random.default_rng(5)
standard = eu.Instance((0.5, 0.0), 0)
n_rewards = np.array([8, 16, 32, 64])  # of each arm
means = [rng.normal(standard.means, 1 / np.sqrt(m), size=(100_000, 2)) for m in n_rewards]
simulated = [(each[:, 1] > each[:, 0]).mean() for each in means]
exact = [1 - standard_bandit_success(standard, int(m)) for m in n_rewards]
pd.DataFrame({"rewards": 2 * n_rewards, "wrong, simulated": simulated, "wrong, exact": exact})

# %% [markdown]
# Each doubling of the rewards divides the error by a larger factor: by {{exact[0] / exact[1]:.1f}},
# by {{exact[1] / exact[2]:.1f}}, by {{exact[2] / exact[3]:.1f}}. The error falls **exponentially**,
# so an error of $\delta$ requires $O(\log 1/\delta)$ rewards.
#
# Next, BAIR, which observes responses, with five arms and random users with $\alpha = 1$.
#
# **Predict.** How much longer does BAIR take with $\delta = 0.0001$ than with $\delta = 0.001$?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "about as long", "twice as long" or "ten times as long"
prediction = "ten times as long"
# END SOLUTION

# %%
deltas = np.array([0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001])
runs = [
    eu.evaluate([BAIR(delta=delta)], n_arms=5, n_instances=100, seed=5) for delta in deltas.tolist()
]
times = np.array([each.summary()["stopping_time"][0] for each in runs])
ratio = times[-1] / times[-3]
guesses = {"about as long": 1, "twice as long": 2, "ten times as long": 10}
happened = min(guesses, key=lambda guess: abs(np.log(guesses[guess] / ratio)))
reveal(prediction, happened, choices=tuple(guesses), because="Phase 1 requires 2K/δ acceptances")

# %%
five = eu.Instance((0.5, 0.0, 0.0, 0.0, 0.0), 0)
rewards_seen = np.array([standard_bandit_needs(five, delta) for delta in deltas.tolist()])
_, axes = plt.subplots(figsize=(6.5, 3.6))
axes.plot(1 / deltas, times, "o-", label="BAIR, observes responses (measured)")
axes.plot(1 / deltas, 10 / deltas, ":", color="tab:blue", label="$N_1 = 2K/\\delta$")
axes.plot(1 / deltas, rewards_seen, "s-", label="standard bandit, observes rewards (exact)")
axes.set(xscale="log", yscale="log", xlabel="$1/\\delta$", ylabel="T")
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# At the left end, BAIR's time does not depend on $\delta$: distinguishing the arms takes about
# {{times[0]:.0f}} steps. At the right end $N_1$ dominates. From $\delta = 0.001$ to $0.0001$ BAIR
# takes {{ratio:.1f}} times as long, the standard bandit {{rewards_seen[-1] / rewards_seen[-3]:.2f}}
# times.
#
# ### Exercise 5.1
# A power $T = c\,\delta^{-s}$ is a straight line in this plot, with slope $s$. Write a function
# that fits the line (least squares, equal weights) and returns $s$.


# %% tags=["exercise"]
def slope(deltas, times):
    """Return the slope of log T against log(1/delta)."""
    # BEGIN SOLUTION
    return linregress(np.log(1 / np.array(deltas)), np.log(times)).slope
    # END SOLUTION


# %%
check_exercise("5.1", slope)

# %%
late = deltas <= 0.01
bair_slope = linregress(np.log(1 / deltas[late]), np.log(times[late])).slope
reward_slope = linregress(np.log(1 / deltas[late]), np.log(rewards_seen[late])).slope

# %% [markdown]
# For $\delta \le 0.01$ the slope of BAIR is {{bair_slope:.2f}}, and that of the standard bandit is
# {{reward_slope:.2f}}. The latter decreases further: $\log(1/\delta)$ is not a power of $1/\delta$.

# %% [markdown]
# ## 2. The error probability of BAIR
#
# The paper's upper bound is a sum of three terms: the acceptances of Phase 1, its rejections, and
# the length of Phase 2. `upper_bound` computes them with explicit constants. All gaps of our users
# are at least $0.5$, so the bound for five arms with gaps of exactly $0.5$ holds for them.

# %%
levels = [0.1, 0.01, 0.001, 0.0001]
in_turn = [upper_bound(five, delta, order="round robin") for delta in levels]
by_count = [upper_bound(five, delta) for delta in levels]
bounds = pd.DataFrame(index=[str(delta) for delta in levels])
bounds["Phase 1: acceptances"] = [each.phase1_acceptances for each in in_turn]
bounds["Phase 1: rejections"] = [each.phase1_rejections for each in in_turn]
bounds["Phase 2 in turn"] = [each.phase2_length for each in in_turn]
bounds["Phase 2 by n_i"] = [each.phase2_length for each in by_count]
bounds["measured T"] = times[[1, 3, 5, 7]]
bounds.round(0).astype(int)

# %% [markdown]
# Phase 1 grows with $1/\delta$, as $\alpha = 1$. Phase 2 grows like $\log 1/\delta$ if it
# recommends its arms in turn, as with observed rewards. (The printed BAIR recommends the arm with
# the fewest acceptances. Then a best arm with few acceptances in Phase 1 must catch up first, which
# may take another $N_1$ steps: the fourth column. This is rare, and does not show in a mean.) The
# bounds on the rejections and on Phase 2 are far above the measured values, because they hold with
# high probability rather than on average.
#
# Why must $N_1$ be so large? Phase 2 trusts her rejections, and a rejection is wrong only if an
# interval misses its mean. After $n(t)$ acceptances, an interval with half-width
# $\sqrt{\Gamma/n_i}$, $\Gamma = 2\alpha\log(\rho_t\,n(t))$, misses on the harmful side with
# probability at most
#
# $$e^{-\Gamma/2} = (\rho_t\, n(t))^{-\alpha} \le (\rho_0 N_1)^{-\alpha}.$$
#
# (The paper's proof treats the $n_i$ as fixed, although they depend on the rewards. We use its
# bound.) Her best arm loses to a given rival only if **the best arm's interval** or **the rival's
# interval** misses.
#
# ### Exercise 5.2
# Add these probabilities over all rivals (a union bound: it holds for dependent events). Return a
# bound on the probability of a wrong answer, at most 1.


# %% tags=["exercise"]
def error_bound(n1, n_arms, alpha, rho_0):
    """Return a bound on the probability that Phase 2 eliminates the best arm."""
    # BEGIN SOLUTION
    return min(1.0, 2 * (n_arms - 1) * (rho_0 * n1) ** -alpha)
    # END SOLUTION


# %%
check_exercise("5.2", error_bound)

# %% [markdown]
# This is the reason: the error falls like a **power** of the number of acceptances,
# $N_1^{-\alpha}$, and not exponentially, because $\Gamma$ grows only with $\log n(t)$. Solve
# $\delta = 2K(\rho_0 N_1)^{-\alpha}$ for $N_1$ to obtain the lemma.

# %% [markdown]
# ## 3. Two indistinguishable users
#
# Can another agent be better than BAIR? The paper's lower bound says no: for every agent there is
# an instance with error probability at least $\delta$, if the agent collects fewer than about
# $\delta^{-1/\alpha}$ acceptances. The proof uses the pair of the first plot: two instances with
# two arms ($\rho_t = 1$); arm 2 has mean 1 in both. (The paper counts arms from 1, the package from
# 0.)
#
# |  | mean of arm 1 | the best arm |
# | :--- | :--- | :--- |
# | $\nu$ | $1 - b$ | arm 2 |
# | $\nu'$ | $1 + \Delta_1$ | arm 1 |
#
# Under either instance the first reward of arm 1 may be as low as $1 - b$. Then her estimate of arm
# 1 is low, and she rejects it until she has accepted arm 2 so often that her intervals have grown.
# Let $M = N_0 - 1$ and
#
# $$b = \sqrt{2\alpha\log N_0}\left(1 + \frac{1}{\sqrt M}\right) + 2\sqrt{\frac{\log 2M}{M}}.$$
#
# With this $b$ she rejects arm 1 for at least $N_0$ acceptances, if the rewards of arm 2 are close
# to their mean.
#
# ### Exercise 5.3
# Return the mean of arm 1 under $\nu$ and under $\nu'$.


# %% tags=["exercise"]
def first_arm(n0, alpha, gap):
    """Return the mean of arm 1 under nu and under nu'."""
    # BEGIN SOLUTION
    m = n0 - 1
    wide = np.sqrt(2 * alpha * np.log(n0)) * (1 + 1 / np.sqrt(m))
    b = wide + 2 * np.sqrt(np.log(2 * m) / m)
    return 1 - b, 1 + gap
    # END SOLUTION


# %%
check_exercise("5.3", first_arm)

# %% [markdown]
# In the first plot $N_0 = 30$, $\alpha = 0.25$ and $\Delta_1 = 0.5$, so the means of arm 1 are
# {{pair.nu.means[0]:.2f}} and {{pair.nu_prime.means[0]:.2f}}; they differ by $d = b + \Delta_1 =$
# {{pair.d:.2f}}.
#
# How much does a history reveal? As in the proof, take the clearest case: the first reward of arm 1
# is below $1 - b$. For a user of $\nu$ this reward is below the mean, with probability $\frac12$.
# For a user of $\nu'$ it is $d$ below the mean, with probability $\Phi(-d)$. (Arm 2 has the same
# law in both.) The **likelihood ratio** is $\Phi(-d) / \frac12$.
#
# ### Exercise 5.4
# A share `prior` of all users has the instance $\nu'$, the others have $\nu$. The first reward of
# arm 1 of a user was below $1 - b$. Return the probability that her instance is $\nu'$. (`ndtr` is
# $\Phi$.)


# %% tags=["exercise"]
def chance_of_nu_prime(d, prior):
    """Return the probability of nu' given that the first reward is below 1 - b."""
    # BEGIN SOLUTION
    likely = prior * ndtr(-d)
    return likely / (likely + (1 - prior) / 2)
    # END SOLUTION


# %%
check_exercise("5.4", chance_of_nu_prime)

# %%
surest = ndtr(-pair.d) / (ndtr(-pair.d) + 0.5)
pair_runs = histories(pair, Uniform(horizon=60), 60, user_seeds(5, 3000))
seen, seen_prime = pair_runs.only_arm_2.mean(), pair_runs.only_arm_2_prime.mean()
print(f"share of users with the history: {seen:.3f} of nu, {seen_prime:.4f} of nu'")

# %% [markdown]
# If half of the users have each instance, this probability is {{surest:.4f}} in the clearest case.
# An agent that observes only the responses knows less, because a slightly higher first reward can
# lead to the same history: with UNI, {{100 * seen:.0f}} % of the users of $\nu$ and
# {{100 * seen_prime:.1f}} % of the users of $\nu'$ have this history. So
# {{seen_prime / (seen + seen_prime):.3f}} of all users with this history have $\nu'$. The best
# answer is arm 2, and it is wrong for these users.
#
# More steps do not help quickly. We run BAIR with increasing $N_1$ on users of $\nu'$, and also
# **Full-information**, a reference agent that *observes every reward* (Thompson sampling).
#
# **Predict.** How do the two compare after about four thousand steps?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "much better with rewards" or "about the same"
prediction = "about the same"
# END SOLUTION


# %%
def with_nu_prime(n):
    """Return the summary of BAIR with N_1 = n and of Full-information with n steps."""
    return eu.evaluate(
        [BAIR(n1=n), FullInformation(horizon=n)],
        n_arms=2,
        means=pair.nu_prime.means,
        alpha=0.25,
        rho=1.0,
        n_instances=2000,
        seed=5,
    ).summary()


grid = [16, 64, 256, 1024, 4096]
measured = pd.concat([with_nu_prime(n).assign(n=n) for n in grid])
measured["wrong"] = 1 - measured["success"]
wrong = measured.pivot(index="n", columns="agent", values="wrong")
last = wrong.loc[4096]
happened = (
    "much better with rewards" if last["Full-information"] < last["BAIR"] / 2 else "about the same"
)
reveal(
    prediction,
    happened,
    choices=("much better with rewards", "about the same"),
    because="she rejects the best arm, so it gives no reward to observe",
)

# %%
_, axes = plt.subplots(figsize=(6.5, 3.6))
for agent, marker in (("BAIR", "o"), ("Full-information", "^")):
    rows = measured[measured["agent"] == agent]
    axes.plot(rows["n"], rows["wrong"], f"{marker}-", label=agent)
    axes.fill_between(rows["n"], 1 - rows["success_high"], 1 - rows["success_low"], alpha=0.15)
half_gap = eu.Instance(pair.nu_prime.means, 0)
few = [n for n in grid if n <= 256]
axes.plot(
    few, [1 - standard_bandit_success(half_gap, n // 2) for n in few], "s-", label="standard bandit"
)
axes.set(
    xscale="log",
    yscale="log",
    xlabel="$N_1$ of BAIR, or steps",
    ylabel="share of wrong answers under ν'",
    ylim=(1e-4, 1),
)
axes.legend(frameon=False)
plt.show()

# %%
power = linregress(np.log(grid), np.log(wrong["BAIR"])).slope
wrong.round(4)

# %% [markdown]
# The standard bandit, which draws rewards of any arm, needs a few hundred. The errors of the other
# two agents fall slowly, along a straight line: a power. Its slope is {{power:.2f}}; by exercise
# 5.2 it is about $-\alpha = -0.25$. So an error of $\delta$ requires about $\delta^{-1/\alpha}$
# acceptances: $\delta^{-4}$ for these impatient users, and $1/\delta$ for the users of section 1,
# with $\alpha = 1$.
# <!-- given: 1 (a section) -->
#
# The *agent* does not lack information: **the user** does. She has drawn one low reward of arm 1,
# and she does not draw another.

# %% [markdown]
# ## 4. A sufficient $N_1$ in practice
#
# The theorems concern the worst users. For random users a smaller $N_1$ may be sufficient; how
# small is an open question of the paper, so we measure it. The table shows the **frontier** for
# impatient users ($\alpha = 0.25$) with five arms: the errors and the steps of a shorter Phase 1.

# %%
n1s = [1, 10, 30, 100, 300, 1000]
tried = [BAIR(n1=n1, name=str(n1)) for n1 in n1s]
frontier = eu.evaluate(tried, n_arms=5, alpha=0.25, n_instances=300, seed=5).runs
rows = frontier.groupby("agent", sort=False)
counts = [int(n) for n in rows["correct"].apply(lambda each: (~each).sum())]
table = pd.DataFrame({"N_1": n1s, "wrong of 300": counts})
table["median T"] = rows["interactions"].median().to_numpy()
table

# %% [markdown]
# <!-- given: 95, 95, 97.5 (levels) -->
# Suppose that you guarantee $\delta = 0.05$. Which $N_1$ is sufficient? With $N_1 = 10$ the share
# of wrong runs is {{100 * counts[1] / 300:.1f}} %, which is below 5 %. But the next three hundred
# users may have more errors. Your guarantee should be wrong in at most one of twenty studies: use
# the upper end of a **one-sided** interval of 95 %. SciPy's `binomtest` computes the exact interval
# of Clopper and Pearson; set its argument `alternative`. (The upper end of a *two-sided* interval
# of 95 % is a one-sided bound of 97.5 %, which is stricter than necessary.)
#
# ### Exercise 5.5
# Return the smallest $N_1$ whose runs prove, by this bound, that the error probability is at most
# $\delta$; return None if there is none. `wrong[i]` of `n_runs` runs with `n1s[i]` were wrong.


# %% tags=["exercise"]
def enough(n1s, wrong, n_runs, delta):
    """Return the smallest sufficient N_1, or None."""
    # BEGIN SOLUTION
    for n1, count in sorted(zip(n1s, wrong, strict=True)):
        interval = binomtest(count, n_runs, alternative="less").proportion_ci(0.95)
        if interval.high <= delta:
            return n1
    return None
    # END SOLUTION


# %%
check_exercise("5.5", enough)

# %%
lemma = phase1_acceptances_needed(5, 0.05, 0.25)
table["upper end"] = [
    binomtest(count, 300, alternative="less").proportion_ci(0.95).high for count in counts
]
proved = table["N_1"][table["upper end"] <= 0.05].tolist()
table.round(3)

# %% [markdown]
# The smallest is {{proved[0]}}, and the lemma requires {{lemma:,.0f}}. Two warnings. First, we
# compared {{len(n1s)}} values and took the first that passed, so the probability of a wrong choice
# is above 5 %; `explorative-user paper tune-n1` splits the error probability among all candidates,
# and confirms the result on new users. Second, the guarantee holds for *these* random users only.

# %% [markdown]
# ## Exam question
#
# <!-- given: 55, 400 (the seed and the users of the exam) -->
# BAIR ran with 400 users (seed 55) with $K = 2$ and $\alpha = 0.5$:

# %%
exam = eu.evaluate(
    [BAIR(n1=n1, name=f"N_1 = {n1}") for n1 in (1, 4, 16, 64)],
    n_arms=2,
    alpha=0.5,
    n_instances=400,
    seed=55,
).runs
exam_wrong = exam.groupby("agent", sort=False)["correct"].apply(lambda each: int((~each).sum()))
print(exam_wrong.to_string())

# %% [markdown]
# <!-- given: 95 (a level) -->
# (a) Which $N_1$ does the lemma require for $\delta = 0.02$ and $\rho_0 = 1$, and which for half of
# this $\delta$? (b) Which of the four values are sufficient for $\delta = 0.02$, and how do you
# know, without a computer? The one-sided bound of 95 % is about $3/n$ for no wrong run of $n$,
# $4.7/n$ for one, $6.3/n$ for two, $7.8/n$ for three, $9.2/n$ for four. (c) A colleague says:
# "These runs show that the lemma's $N_1$ is far too large." What do you answer?

# %% tags=["solution"]
exam_bounds = exam_wrong.apply(
    lambda count: binomtest(count, 400, alternative="less").proportion_ci(0.95).high
)
lemma_n1 = [phase1_acceptances_needed(2, delta, 0.5) for delta in (0.02, 0.01)]
exam_bounds.round(4)

# %% [markdown] tags=["solution"]
# ### Answer and marking (teachers only)
#
# (a) $(2K/\delta)^{1/\alpha}$ is {{lemma_n1[0]:,.0f}}, and with half of $\delta$ it is
# {{lemma_n1[1] / lemma_n1[0]:.0f}} times as large. *A common error is the square root instead of
# the square.*
#
# (b) {{", ".join(exam_bounds.index[exam_bounds <= 0.02])}}: their bounds are
# {{", ".join(f"{bound:.4f}" for bound in exam_bounds[exam_bounds <= 0.02])}}; the other bounds are
# {{", ".join(f"{bound:.4f}" for bound in exam_bounds[exam_bounds > 0.02])}}. *No marks for
# comparing the shares themselves with $\delta$; half for a two-sided interval.*
#
# (c) For these users, yes. But the lemma holds for every instance, also for the pair $\nu$, $\nu'$,
# whose error falls like $N_1^{-\alpha}$ and no faster. A sample says nothing about users outside
# its distribution. *Full marks require the difference between an average and a guarantee.*

# %% [markdown]
# ## Further reading
#
# <!-- given: 2020, 2019, 2018, 2016, 13, 16, 33, 11 (years and chapters) -->
# - The paper: Yao, Li, Nekipelov, Wang and Xu, *Learning the optimal recommendation from
#   explorative users*: both theorems, and the appendix for the pair; the discussion at the end asks
#   how small $N_1$ can be.
# - Lattimore and Szepesvari, *Bandit Algorithms* (2020): chapters 13 to 16 on lower bounds, which
#   also compare two similar instances; chapter 33 on pure exploration.
# - Slivkins, *Introduction to Multi-Armed Bandits* (2019): chapter 2 on lower bounds; chapter 11 on
#   incentives for users to explore.
# - Sutton and Barto, *Reinforcement Learning* (2018): chapter 2, on learning from observed rewards.
# - Garivier and Kaufmann, *Optimal best arm identification with fixed confidence* (2016): the order
#   $\log 1/\delta$ with observed rewards.
