# %% [markdown]
# # 5. The price of revealed preference
#
# An agent that sees rewards finds the best arm with $O(\log 1/\delta)$ of them. An agent that hears
# *yes* and *no* needs $O(1/\delta)$ recommendations of a user with $\alpha = 1$ ($\delta^{-1/\alpha}$ in
# general), and nobody can do much better. This notebook
# measures both, and shows where the difference comes from: two users who answer alike.

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
from explorative_user_env.teach import check_exercise, reveal
from explorative_user_env.theory import hard_pair, phase1_acceptances_needed, upper_bound

plt.rcParams["figure.dpi"] = 100


def show_run(axes, episode, title):
    """Draw what was recommended when: a dot was accepted, a cross rejected."""
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
show_run(both[0], alike[0], "a user of ν, whose best arm is arm 2")
show_run(both[1], alike[1], "a user of ν', whose best arm is arm 1")
both[1].set_xlabel("t")
plt.show()

# %% [markdown]
# Two users, {{alike[0].stopping_time}} recommendations each, and not one answer is different. Their
# best arms are. Whoever sees only dots and crosses cannot tell which of the two it is, and will be
# wrong about one of them.
#
# **You will be able to**
#
# - read an order of growth off a log-log plot, by its slope;
# - bound the probability that BAIR is wrong, and see where $1/\delta$ comes from;
# - build the two users, and say how much a history tells about who she is;
# - say from finished runs which $N_1$ is enough, with an interval that means what it says.
#
# <!-- given: 80, 20, 15, 25, 20 (the minutes of the plan) -->
#
# | part | minutes |
# | :--- | ---: |
# | 1. Two prices | 20 |
# | 2. Where BAIR's price comes from | 15 |
# | 3. Two users nobody can tell apart | 25 |
# | 4. What is enough in practice | 20 |
#
# That makes 80 minutes, with the exam question left for home.

# %% [markdown]
# ## 1. Two prices
#
# First somebody who sees rewards: two arms, rewards from $N(\mu_i, 1)$, a gap of $0.5$. It takes
# each arm equally often and names the one with the larger mean. This is the **standard bandit**.
# Simulated, next to the exact probability:

# %%
rng = np.random.default_rng(5)
standard = eu.Instance((0.5, 0.0), 0)
pulls = np.array([8, 16, 32, 64])  # of each arm
means = [rng.normal(standard.means, 1 / np.sqrt(m), size=(100_000, 2)) for m in pulls]
simulated = [(each[:, 1] > each[:, 0]).mean() for each in means]
exact = [1 - standard_bandit_success(standard, int(m)) for m in pulls]
pd.DataFrame({"rewards": 2 * pulls, "wrong, simulated": simulated, "wrong, exact": exact})

# %% [markdown]
# Each time the rewards double, the error is divided by more than before: by {{exact[0] / exact[1]:.1f}},
# by {{exact[1] / exact[2]:.1f}}, by {{exact[2] / exact[3]:.1f}}. It falls **exponentially**. So an error
# of $\delta$ takes $O(\log 1/\delta)$ rewards.
#
# Now BAIR, which hears yes and no, with five arms and users who are drawn at random. Before you
# look: it has been run with $\delta = 0.001$. With $\delta = 0.0001$, how much longer will it take?

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
reveal(prediction, happened, choices=tuple(guesses), because="Phase 1 asks for 2K/δ acceptances")

# %%
five = eu.Instance((0.5, 0.0, 0.0, 0.0, 0.0), 0)
rewards_seen = np.array([standard_bandit_needs(five, delta) for delta in deltas.tolist()])
_, axes = plt.subplots(figsize=(6.5, 3.6))
axes.plot(1 / deltas, times, "o-", label="BAIR, hears yes and no (measured)")
axes.plot(1 / deltas, 10 / deltas, ":", color="tab:blue", label="$N_1 = 2K/\\delta$")
axes.plot(1 / deltas, rewards_seen, "s-", label="standard bandit, sees rewards (exact)")
axes.set(xscale="log", yscale="log", xlabel="$1/\\delta$", ylabel="T")
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# On the left BAIR is as quick as her learning allows: whatever $\delta$ is, telling the arms apart
# takes some {{times[0]:.0f}} steps. On the right $N_1$ takes over. From $\delta = 0.001$ to
# $0.0001$ BAIR takes {{ratio:.1f}} times as long, the standard bandit
# {{rewards_seen[-1] / rewards_seen[-3]:.2f}} times.
#
# ### Exercise 5.1
# A power $T = c\,\delta^{-s}$ is a straight line in this plot, and $s$ is its slope. Write a
# function that fits the line (least squares, all points alike) and returns $s$.


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
# For $\delta \le 0.01$ BAIR's slope is {{bair_slope:.2f}}, and that of the standard bandit
# {{reward_slope:.2f}}, and falling: $\log(1/\delta)$ has no slope that stays.

# %% [markdown]
# ## 2. Where BAIR's price comes from
#
# The paper's upper bound adds up three things: the acceptances of Phase 1, its rejections, and all
# of Phase 2. `upper_bound` has them with explicit constants. Our users' arms are $0.5$ behind the
# best one or more, so what holds for five arms that are just $0.5$ behind holds for them.

# %%
levels = [0.1, 0.01, 0.001, 0.0001]
in_turn = [upper_bound(five, delta, order="round robin") for delta in levels]
by_count = [upper_bound(five, delta) for delta in levels]
bounds = pd.DataFrame(index=[str(delta) for delta in levels])
bounds["Phase 1: yes"] = [each.phase1_acceptances for each in in_turn]
bounds["Phase 1: no"] = [each.phase1_rejections for each in in_turn]
bounds["Phase 2 in turn"] = [each.phase2_length for each in in_turn]
bounds["Phase 2 by n_i"] = [each.phase2_length for each in by_count]
bounds["measured T"] = times[[1, 3, 5, 7]]
bounds.round(0).astype(int)

# %% [markdown]
# Phase 1 grows with $1/\delta$. Phase 2, if it goes round its arms in turn, grows like
# $\log 1/\delta$, as it would if rewards were seen. (BAIR as printed recommends the arm with the
# fewest acceptances. Then a best arm that was hardly accepted in Phase 1 has to catch up first, and
# that may take another $N_1$: the fourth column. It is rare, and no mean shows it.) The bounds on
# rejections and on Phase 2 are far above what is measured: they hold for all but the unluckiest
# users.
#
# So why must $N_1$ be so large? Phase 2 believes her *no*, and her *no* is wrong only if an
# interval misses its mean. When she has accepted $n(t)$ times, an interval with half-width
# $\sqrt{\Gamma/n_i}$, $\Gamma = 2\alpha\log(\rho_t\,n(t))$, misses on the harmful side with
# probability at most
#
# $$e^{-\Gamma/2} = (\rho_t\, n(t))^{-\alpha} \le (\rho_0 N_1)^{-\alpha}.$$
#
# (The paper's proof takes the $n_i$ as if they were fixed. They depend on the rewards, so take this
# as its bound, and no more.) Her best arm is lost to a given rival only if **the best arm's
# interval** or **the rival's** misses.
#
# ### Exercise 5.2
# Add these chances up (a union bound: it holds whatever depends on what) over all rivals. Return a
# bound on the probability of a wrong answer; as a probability it is never above 1.


# %% tags=["exercise"]
def error_bound(n1, n_arms, alpha, rho_0):
    """Return a bound on the probability that Phase 2 loses the best arm."""
    # BEGIN SOLUTION
    return min(1.0, 2 * (n_arms - 1) * (rho_0 * n1) ** -alpha)
    # END SOLUTION


# %%
check_exercise("5.2", error_bound)

# %% [markdown]
# That is the whole mystery. The error falls like a **power** of what she has accepted,
# $N_1^{-\alpha}$, and not exponentially, because her intervals grow with $\log n(t)$ only. Solve
# $\delta = 2K(\rho_0 N_1)^{-\alpha}$ for $N_1$, and there is the lemma.

# %% [markdown]
# ## 3. Two users nobody can tell apart
#
# But perhaps another agent is cleverer than BAIR? The paper's lower bound says no: for any agent
# there is an instance with which it errs with probability at least $\delta$, if it has fewer than
# about $\delta^{-1/\alpha}$ acceptances. Its proof is the picture at the top. Two instances with
# two arms ($\rho_t = 1$), and arm 2 has mean 1 in both. (The paper counts arms from 1, the package
# from 0.)
#
# |  | mean of arm 1 | the best arm |
# | :--- | :--- | :--- |
# | $\nu$ | $1 - b$ | arm 2 |
# | $\nu'$ | $1 + \Delta_1$ | arm 1 |
#
# The first reward from arm 1 may be as bad as $1 - b$ under either. Then she takes arm 1 for a bad
# one, and goes on rejecting it until she has accepted arm 2 so often that her intervals have grown.
# With $M = N_0 - 1$,
#
# $$b = \sqrt{2\alpha\log N_0}\left(1 + \frac{1}{\sqrt M}\right) + 2\sqrt{\frac{\log 2M}{M}}$$
#
# is so far down that she does so for at least $N_0$ acceptances, if the rewards of arm 2 are
# ordinary.
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
# In the picture $N_0 = 30$, $\alpha = 0.25$ and $\Delta_1 = 0.5$, so the means of arm 1 are
# {{pair.nu.means[0]:.2f}} and {{pair.nu_prime.means[0]:.2f}}, $d = b + \Delta_1 =$ {{pair.d:.2f}}
# apart.
#
# How much does a history tell? Take the surest case, as the proof does: her first reward from arm 1
# is below $1 - b$, and from then on she answers as in the picture. For a user of $\nu$ that is
# below her mean, so it happens with probability $\frac12$. For a user of $\nu'$ it is $d$ below her
# mean, and happens with probability $\Phi(-d)$. (Arm 2 behaves in both alike.) The **likelihood
# ratio** is $\Phi(-d) / \frac12$.
#
# ### Exercise 5.4
# A share `prior` of all users are of $\nu'$, the others of $\nu$. Of one of them you know that her
# first reward from arm 1 was below $1 - b$. Return the probability that she is one of $\nu'$.
# (`ndtr` is $\Phi$.)


# %% tags=["exercise"]
def chance_of_nu_prime(d, prior):
    """Return the probability of nu', once the first reward is known to be so low."""
    # BEGIN SOLUTION
    likely = prior * ndtr(-d)
    return likely / (likely + (1 - prior) / 2)
    # END SOLUTION


# %%
check_exercise("5.4", chance_of_nu_prime)

# %%
surest = ndtr(-pair.d) / (ndtr(-pair.d) + 0.5)
met = histories(pair, Uniform(horizon=60), 60, user_seeds(5, 3000))
seen, seen_prime = met.only_arm_2.mean(), met.only_arm_2_prime.mean()
print(f"nu: {seen:.3f} of all users have the history, nu': {seen_prime:.4f}")

# %% [markdown]
# With half of the users of each kind it is {{surest:.4f}} in the surest case. Whoever has just the
# dots and crosses knows less, as a first reward that is not quite so bad can do as well: UNI meets
# the history with {{100 * seen:.0f}} % of all users of $\nu$ and {{100 * seen_prime:.1f}} % of
# those of $\nu'$, so {{seen_prime / (seen + seen_prime):.3f}} of all who have it are of $\nu'$. The
# best answer is arm 2, and it is wrong for those.
#
# And they do not go away soon. BAIR with growing $N_1$ meets users of $\nu'$, and so does
# **Full-information**, a reference that is *told every reward* of what she accepts (Thompson
# sampling). With some four thousand steps, how will the two compare?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "much better with rewards" or "about the same"
prediction = "about the same"
# END SOLUTION


# %%
def with_nu_prime(n):
    """Return what BAIR with n acceptances in Phase 1 and n steps with rewards come to."""
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
    because="an arm that she will not accept again gives no reward to see",
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
    ylabel="wrong on ν'",
    ylim=(1e-4, 1),
)
axes.legend(frameon=False)
plt.show()

# %%
power = linregress(np.log(grid), np.log(wrong["BAIR"])).slope
wrong.round(4)

# %% [markdown]
# The standard bandit, who pulls what it likes, is done at a few hundred. The two others creep down
# side by side, and theirs is a straight line: a power. Its slope is {{power:.2f}}, and $-\alpha$,
# by Exercise 5.2, is $-0.25$. Turn it round: an error of $\delta$ takes about $\delta^{-1/\alpha}$.
#
# It is not the agent that is short of information: **she** is. She has seen one bad reward of arm
# 1, and she will not look again.

# %% [markdown]
# ## 4. What is enough in practice
#
# The theorems are about the worst users. If yours are drawn at random, $N_1$ can be smaller; how
# much is the paper's open question, and a matter of measuring. Here is the **frontier** for
# impatient users ($\alpha = 0.25$) with five arms: what a shorter Phase 1 costs, and what it saves.

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
# Say you promised $\delta = 0.05$. Which $N_1$ is enough? With $N_1 = 10$ the share of wrong runs
# is {{100 * counts[1] / 300:.1f}} %, which is below five. But the next three hundred users may be
# worse. What you want is to be wrong about your promise in at most one of twenty studies: the upper
# end of a **one-sided** interval of 95 %. `binomtest` of SciPy has exact ones, Clopper and
# Pearson's; mind its `alternative`. (The upper end of a *two-sided* interval of 95 % is a one-sided
# bound of 97.5 %: it asks for more than you promised.)
#
# ### Exercise 5.5
# Return the least $N_1$ of which the runs prove, in this sense, that a wrong run has a probability
# of at most $\delta$; None if there is none. `wrong[i]` of `n_runs` runs with `n1s[i]` were wrong.


# %% tags=["exercise"]
def enough(n1s, wrong, n_runs, delta):
    """Return the least N_1 that is enough, None if none is."""
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
# The least is {{proved[0]}}, where the lemma asks for {{lemma:,.0f}}. Two warnings. We looked at
# {{len(n1s)}} of them and picked the first that looked good, which is more than one chance to be
# wrong; `explorative-user paper tune-n1` shares the error among all that it tries, and confirms the
# result on fresh users. And it is a promise about *these* users, and about no others.

# %% [markdown]
# ## Exam question
#
# <!-- given: 55, 400 (the seed and the users of the exam) -->
# Somebody ran BAIR on 400 users (seed 55) with $K = 2$ and $\alpha = 0.5$:

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
# (a) What does the lemma ask for with $\delta = 0.02$ and $\rho_0 = 1$, and what if $\delta$ is
# halved? (b) Which of the four would you call enough for $\delta = 0.02$, and how do you know,
# without a computer? For no wrong run of $n$ the one-sided bound of 95 % is about $3/n$, for one
# $4.7/n$, for two $6.3/n$, for three $7.8/n$, for four $9.2/n$. (c) A colleague says: "These runs
# show that the lemma is far too careful." What do you answer?

# %% tags=["solution"]
exam_bounds = exam_wrong.apply(
    lambda count: binomtest(count, 400, alternative="less").proportion_ci(0.95).high
)
asked = [phase1_acceptances_needed(2, delta, 0.5) for delta in (0.02, 0.01)]
exam_bounds.round(4)

# %% [markdown] tags=["solution"]
# ### Answer and marking (teachers only)
#
# (a) $(2K/\delta)^{1/\alpha}$ is {{asked[0]:,.0f}}, and with half the $\delta$
# {{asked[1] / asked[0]:.0f}} times as much. *A common slip is the square root in place of the
# square.*
#
# (b) {{", ".join(exam_bounds.index[exam_bounds <= 0.02])}}: their bounds are
# {{", ".join(f"{bound:.4f}" for bound in exam_bounds[exam_bounds <= 0.02])}}; the others have
# {{", ".join(f"{bound:.4f}" for bound in exam_bounds[exam_bounds > 0.02])}}. *No marks for
# comparing the shares themselves with $\delta$; half for a two-sided interval.*
#
# (c) For these users, yes. The lemma speaks of every instance, among them the pair $\nu$, $\nu'$,
# where the error falls like $N_1^{-\alpha}$ and no faster. A sample of users says nothing of users
# that it has not got. *Full marks need the difference between an average and a guarantee.*

# %% [markdown]
# ## Further reading
#
# <!-- given: 2020, 2019, 2018, 2016, 13, 16, 33, 11 (years and chapters) -->
# - The paper: Yao, Li, Nekipelov, Wang and Xu, *Learning the optimal recommendation from
#   explorative users*: both theorems, and the appendix for the pair; the closing discussion asks
#   how small $N_1$ can be.
# - Lattimore and Szepesvari, *Bandit Algorithms* (2020): chapters 13 to 16 on lower bounds, the
#   same idea of two instances that look alike; chapter 33 on pure exploration.
# - Slivkins, *Introduction to Multi-Armed Bandits* (2019): chapter 2 on lower bounds; chapter 11 on
#   users who have to be persuaded to explore.
# - Sutton and Barto, *Reinforcement Learning* (2018): chapter 2, for what changes when rewards are
#   seen.
# - Garivier and Kaufmann, *Optimal best arm identification with fixed confidence* (2016): the
#   $\log 1/\delta$ to which all of this is compared.
