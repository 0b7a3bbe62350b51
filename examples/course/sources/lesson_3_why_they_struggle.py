# %% [markdown]
# # 3. Why UNI, EXP3 and Track-and-Stop struggle
#
# Three good algorithms recommend to the explorative user of lesson 2. All three treat her
# acceptances as rewards. We compare them with BAIR, which does not; lesson 4 explains BAIR.
# <!-- given: 2, 4 (lessons) -->

# %%
import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import explorative_user_env as eu
from explorative_user_env.agents import EXP3
from explorative_user_env.studies.paper import published_for
from explorative_user_env.teach import check_exercise, hint, reveal

LINE_UP = ["BAIR", "T&S", "UNI", "EXP3"]
results = eu.evaluate(LINE_UP, setting="released", n_arms=5, n_instances=200, seed=0)
results.plot()

# %% [markdown]
# Every line is an algorithm, with the same {{results.runs.instance.nunique()}} users. It shows the
# share of runs that have stopped *and* named her best arm, by the number of steps.
#
# If you are stuck in exercise 3.1, run `hint("3.1")`: it says where to look. `hint("3.1", level=2)`
# describes the steps. Every exercise has such hints.
#
# ## What you will learn
#
# - why an acceptance rate does not estimate a mean;
# - where UNI spends its recommendations;
# - why EXP3 settles on an arbitrary arm;
# - how Track-and-Stop decides when to stop, and how one early rejection can block it for very long;
# - how to read $T$ together with success, and how to treat censored runs.
#
# ## Time plan
#
# <!-- given: 10, 15, 20, 25 (minutes of class) -->
# | part | minutes |
# | :--- | ---: |
# | The table | 10 |
# | UNI: a rate is not a mean | 20 |
# | EXP3: a random walk | 15 |
# | Track-and-Stop: evidence about acceptance | 25 |
# | The cost of a run, the published figures, the exam question | 15 |

# %% [markdown]
# ## The table
#
# The users are those of the paper's tables: $K = 5$ arms, $\Delta_1 = 0.5$, $\alpha = 1$, and a
# private draw of every arm before the first recommendation (`setting="released"`). BAIR and
# Track-and-Stop (T&S) have a stopping rule, at $\delta = 0.1$. UNI and EXP3 have none: they run for
# the mean stopping time of BAIR.

# %%
results

# %%
summary = results.summary().set_index("agent")
T = results.cell["horizon"]

# %% [markdown]
# A run *succeeds* if it stops and names the best arm. It is *wrong* if it stops and names another
# arm. It is *censored* if it has not stopped at the step cap. UNI succeeds in
# {{summary.success["UNI"]:.1%}} of its runs and EXP3 in {{summary.success["EXP3"]:.1%}}. T&S
# succeeds in {{summary.success["T&S"]:.1%}} and is wrong in {{summary.wrong["T&S"]:.1%}}; its other
# runs are censored.
#
# ## UNI: a rate is not a mean
#
# UNI recommends all arms in turn for a given number of steps $T$. Then it names the arm with the
# most acceptances. Let $N_a$ be the number of recommendations of arm $a$, and $S_a$ the number of
# its acceptances.
#
# **Exercise 3.1.** Return the acceptance rates $S_a / N_a$ of all arms. For an arm without
# recommendations, return `math.nan`.


# %% tags=["exercise"]
def acceptance_rates(arms, accepted, n_arms):
    """Return the acceptance rate of each arm; `arms` and `accepted` have one element per step."""
    # BEGIN SOLUTION
    rates = []
    for arm in range(n_arms):
        responses = [yes for each, yes in zip(arms, accepted, strict=True) if each == arm]
        rates.append(sum(responses) / len(responses) if responses else math.nan)
    return rates
    # END SOLUTION


# %%
check_exercise("3.1", acceptance_rates)

# %% [markdown]
# If responses were rewards, this rate would be the natural estimate of $\mu_a$, and it would be
# accurate: UNI recommends each arm {{T // 5}} times.
#
# **Predict.** The mean of the second best arm is $0.5$ below that of the best. What is its mean
# acceptance rate over all users?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "about half the time", "about 7 times in 10" or "more than 9 times in 10"
prediction = "more than 9 times in 10"
# END SOLUTION

# %%
env = eu.ExplorativeUserEnv(n_arms=5, setting="released")


def true_means(row):
    """Return the true means of the user of a run; her seed recreates her."""
    env.reset(seed=int(row.user_seed))
    return np.array(env.instance().means)


def in_order(row):
    """Return the arms of the user of a run, the best first."""
    return np.argsort(-true_means(row))


def rates_by_rank(steps=None):
    """Return acceptance rates in the first `steps` steps, shape (users, K), the best arm first."""
    rates = []
    for (_, row), episode in zip(of_uni.iterrows(), episodes, strict=True):
        arms, accepted = np.array(episode.arms)[:steps], np.array(episode.accepted)[:steps]
        rates.append([accepted[arms == arm].mean() for arm in in_order(row)])
    return np.array(rates)


of_uni = results.runs[results.runs.agent == "UNI"]
episodes = [results.replay(place) for place in of_uni.index]
gaps = np.array(
    [true_means(row).max() - np.sort(true_means(row))[::-1] for _, row in of_uni.iterrows()]
)
rates = rates_by_rank()
second = rates[:, 1].mean()
CHOICES = ("about half the time", "about 7 times in 10", "more than 9 times in 10")
reveal(
    prediction,
    CHOICES[int(second > 0.6) + int(second > 0.9)],
    choices=CHOICES,
    because=f"the mean rate is {second:.3f}: she rejects it only once its interval is narrow, "
    "which requires many acceptances.",
)

# %%
early = rates_by_rank(steps=50)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True)
panels = zip(axes, (early, rates), ("first 50 steps", f"all {T} steps"), strict=True)
for panel, shown, title in panels:
    panel.plot(gaps.ravel(), shown.ravel(), ".", alpha=0.4)
    panel.set(xlabel="distance to the mean of the best arm", title=title)
axes[0].set_ylabel("acceptance rate")
figure.tight_layout()

# %%
tied = (rates[:, 0] == rates[:, 1]).mean()
pd.DataFrame(
    {"first 50 steps": early.mean(axis=0), "all steps": rates.mean(axis=0)},
    index=["best arm", "second", "third", "fourth", "worst"],
).round(3)

# %% [markdown]
# Each dot is one arm of one user. The acceptance rate has three defects as an estimate:
#
# 1. **It saturates.** The best arm has the rate {{rates[:, 0].mean():.3f}}, the second best
#    {{second:.3f}}. For {{tied:.0%}} of the users the two rates are exactly equal: both arms were
#    always accepted. Then UNI's answer is a tie break.
# 2. **It changes over time.** In the first 50 steps even the worst arm has the rate
#    {{early[:, 4].mean():.3f}}; over all steps it has {{rates[:, 4].mean():.3f}}. Her responses do
#    not come from one fixed law: they depend on all her earlier rewards.
# 3. **It depends on the algorithm.** Her knowledge of arm $a$ relative to other arms depends on how
#    often the algorithm recommended the others.
#
# So UNI recommends each arm {{T // 5}} times and still cannot detect $\Delta_1 = 0.5$. It also
# never stops recommending bad arms, and learns nothing from them: she draws no reward when she
# rejects.
# <!-- given: 50 (steps) -->

# %%
axes = results.plot("rejections", progress=False)
axes.set_xlim(0, 2000)
axes

# %% [markdown]
# She rejects UNI at a constant rate until the end: {{summary.rejection_rate["UNI"]:.1%}} of all its
# recommendations. The other algorithms stop recommending the rejected arms.
#
# ## EXP3: a random walk
#
# EXP3 is made for rewards that an adversary may choose. It recommends at random, with probabilities
#
# $$
# p_a = (1 - \varepsilon) \frac{w_a}{\sum_b w_b} + \frac{\varepsilon}{K}.
# $$
#
# If she accepts arm $a$, EXP3 multiplies $w_a$ by $\exp(\gamma / p_a)$. A rejection is a reward of
# 0 and changes no weight. The division by $p_a$ compensates for rare recommendations.
#
# The weights overflow. So store $G_a = \log w_a$: subtracting the same number from every $G_b$ does
# not change $w_a / \sum_b w_b$.
#
# **Exercise 3.2.** EXP3 has the log-weights $G$, recommends `arm`, and observes her response.
# Return the probabilities of its *next* recommendation. Do not change the list of log-weights.


# %% tags=["exercise"]
def next_probabilities(log_weights, epsilon, gamma, arm, accepted):
    """Return p of all arms, as a list, after her response to `arm`."""
    # BEGIN SOLUTION
    n_arms = len(log_weights)

    def probabilities(levels):
        weights = [math.exp(level - max(levels)) for level in levels]
        return [(1 - epsilon) * weight / sum(weights) + epsilon / n_arms for weight in weights]

    after = list(log_weights)
    after[arm] += gamma * accepted / probabilities(log_weights)[arm]
    return probabilities(after)
    # END SOLUTION


# %%
check_exercise("3.2", next_probabilities)

# %% [markdown]
# What is the mean increase of $G_a$ in one step? With probability $p_a$ EXP3 recommends arm $a$,
# and if she accepts, $G_a$ increases by $\gamma / p_a$. The mean increase is $\gamma$, the same for
# **every arm that she accepts**: for the best arm and for an arm that is 0.5 below. EXP3 learns
# which arms she accepts, not which arm is best.
# <!-- given: 0.5 (the gap) -->
#
# Look at the user with the fewest rejections of EXP3.

# %%
runs = results.runs[results.runs.agent == "EXP3"]
kindest = runs.loc[runs.rejections.idxmin()]
of_kindest = results.replay(kindest)
means = true_means(kindest)
pd.DataFrame({"true mean": means}).round(2).T

# %% [markdown]
# She rejected {{of_kindest.rejections}} of {{of_kindest.stopping_time}} recommendations. Her best
# arm is {{means.max() - np.sort(means)[-2]:.2f}} better than the second best.
#
# **Predict.** Which arm does EXP3 recommend most often in the end?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "the best" or "another"
prediction = "another"
# END SOLUTION

# %%
reveal(
    prediction,
    "the best" if of_kindest.answer == int(kindest.best_arm) else "another",
    choices=("the best", "another"),
    because=f"EXP3 observed {of_kindest.acceptances} acceptances and {of_kindest.rejections} "
    "rejections. They say nothing about which arm is best; EXP3 settles on an arm by chance.",
)

# %%
moments = of_kindest.film(reveal=False).moments[::10]
chances = pd.DataFrame(
    [moment.explained["chance"] for moment in moments],
    index=[moment.seen.steps for moment in moments],
)
figure, axes = plt.subplots(figsize=(7, 3.2))
for arm in range(5):
    best = arm == int(kindest.best_arm)
    axes.plot(chances[arm], lw=2.5 if best else 1, label=f"arm {arm}{' (best)' if best else ''}")
axes.set(xlabel="step", ylabel="probability", ylim=(0, None))
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
figure.tight_layout()

# %% [markdown]
# The probabilities perform a random walk. An arm that rises in this plot may fall in the next run,
# the best arm, too. The next cell runs EXP3 with the same user again, with other random numbers.


# %%
def answer_with(seed):
    """Return EXP3's answer for the same user, with random numbers from this seed."""
    env.reset(seed=int(kindest.user_seed))
    agent = EXP3(horizon=T)
    agent.reset(5, np.random.default_rng(seed), T)
    for _ in range(T):
        arm = agent.act()
        accepted, *_ = env.step(arm)
        agent.observe(arm, bool(accepted))
    return agent.answer()


answers = np.bincount([answer_with(seed) for seed in range(50)], minlength=5)
others = np.delete(answers, int(kindest.best_arm))
pd.DataFrame({"answers": answers, "true mean": means.round(2)}, index=pd.RangeIndex(5, name="arm"))

# %% [markdown]
# <!-- given: 50 (runs) -->
# In 50 runs EXP3 names her best arm {{answers[int(kindest.best_arm)]}} times, and each of the other
# arms at least {{others.min()}} times. For other users EXP3 does abandon the rejected arms: its
# rejection rate is {{summary.rejection_rate["EXP3"]:.1%}}, far below UNI's. Among the remaining arms
# it walks at random.
#
# ## Track-and-Stop: evidence about acceptance
#
# Track-and-Stop is asymptotically optimal for small $\delta$, if the rewards of an arm are
# independent draws from a fixed law. At each step it computes the evidence that the leading arm is
# the best. The evidence uses the divergence of two Bernoulli laws,
#
# $$
# \mathrm{kl}(p, q) = p \log\frac{p}{q} + (1 - p) \log\frac{1 - p}{1 - q},
# \qquad 0 \log 0 = 0 .
# $$
#
# The divergence is infinite if $q$ gives probability 0 to an outcome that $p$ allows.
#
# **Exercise 3.3.** Write $\mathrm{kl}$, including its values at 0 and 1.


# %% tags=["exercise"]
def kl(p, q):
    """Return kl(p, q), for p and q in [0, 1]."""

    # BEGIN SOLUTION
    def term(a, b):
        if a == 0:
            return 0.0
        return a * math.log(a / b) if b > 0 else math.inf

    return term(p, q) + term(1 - p, 1 - q)
    # END SOLUTION


# %%
check_exercise("3.3", kl)

# %% [markdown]
# If your answer is not right yet, the next cell replaces it by the package's function.

# %%
from explorative_user_env.agents.optimal_weights import bernoulli_kl

if not check_exercise("3.3", kl).right:
    print("Exercise 3.3 is not right yet: the package's function replaces your kl.")
    kl = bernoulli_kl

# %% [markdown]
# Arm $b$ leads with the rate $m_b$ after $N_b$ recommendations; arm $a$ has the rate $m_a$ after
# $N_a$. If both arms had the same true rate, its best estimate would be the pooled rate
# $m = (N_b m_b + N_a m_a) / (N_b + N_a)$. The evidence that $b$ beats $a$ is
#
# $$
# Z = N_b\, \mathrm{kl}(m_b, m) + N_a\, \mathrm{kl}(m_a, m).
# $$
#
# **Exercise 3.4.** Write $Z$.


# %% tags=["exercise"]
def evidence(n_b, m_b, n_a, m_a):
    """Return the evidence that arm b beats arm a."""
    # BEGIN SOLUTION
    m = (n_b * m_b + n_a * m_a) / (n_b + n_a)
    return n_b * kl(m_b, m) + n_a * kl(m_a, m)
    # END SOLUTION


# %%
check_exercise("3.4", evidence)

# %% [markdown]
# Track-and-Stop stops when one arm leads and the smallest $Z$ against another arm exceeds
# $\log((1 + \log t) / \delta)$. While several arms share the highest rate, there is no test, and it
# recommends one of them at random.
#
# Here is a user of a censored run of Track-and-Stop.

# %%
stuck_runs = results.runs[(results.runs.agent == "T&S") & results.runs.censored]
row = stuck_runs.iloc[0]
stuck, best = results.replay(row), int(row.best_arm)
pd.DataFrame(
    {"arm": stuck.arms[:8], "accepted": stuck.accepted[:8]}, index=pd.RangeIndex(1, 9, name="step")
).T

# %% [markdown]
# Her best arm is arm {{best}}. Her private draw of it was low, and she rejects its first
# recommendation, at step {{stuck.arms.index(best) + 1}}. The run continues for
# {{stuck.stopping_time}} steps.
#
# **Predict.** How often does Track-and-Stop recommend arm {{best}} after this rejection?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "never", "sometimes" or "most of the time"
prediction = "never"
# END SOLUTION

# %%
times = stuck.arms.count(best)
CHOICES = ("never", "sometimes", "most of the time")
reveal(
    prediction,
    CHOICES[int(times > 1) + int(times > stuck.stopping_time / 2)],
    choices=CHOICES,
    because=f"its acceptance rate is 0 of {times}, and the leading arms have the rate 1.",
)

# %%
recommended = np.bincount(stuck.arms, minlength=5)
accepted = np.bincount(np.array(stuck.arms)[np.array(stuck.accepted)], minlength=5)
leading = int((accepted == recommended).sum())
pd.DataFrame(
    {"recommended": recommended, "accepted": accepted, "true mean": true_means(row).round(2)},
    index=pd.RangeIndex(5, name="arm"),
)

# %% [markdown]
# {{leading}} arms have the rate 1 until the end: in {{stuck.stopping_time}} steps none of them
# became clearly worse than another for her. While they are tied, there is no test, and
# Track-and-Stop recommends only these {{leading}} arms. One early rejection, which rests on a
# single draw, has decided this run so far.
#
# So Track-and-Stop is almost never *wrong* here. It is *blocked*, with {{len(stuck_runs)}} of
# {{results.runs.instance.nunique()}} users.
#
# For how long? Suppose that the means of two tied arms differ by $d$. They stay tied until both of
# her intervals have a half-width of about $d / 2$: $2 \sqrt{\Gamma / n} = d$, which requires
# $n = 4 \Gamma / d^2$ acceptances of **each** arm. Only when one arm leads alone does
# Track-and-Stop test again, and recommend the other arms. The next cell allows a hundred times as
# many steps.

# %%
leaders = np.sort(true_means(row)[accepted == recommended])
closest = np.diff(leaders).min()
each_takes = 4 * 2 * math.log(2 * stuck.stopping_time) / closest**2
waited = eu.evaluate(
    ["T&S"],
    setting="released",
    n_arms=5,
    n_instances=200,
    seed=0,
    max_steps=100 * stuck.stopping_time,
)
late = waited.runs[waited.runs.instance.isin(stuck_runs.instance)]
late[["instance", "interactions", "correct", "censored"]]

# %% [markdown]
# The two closest of these arms differ by {{closest:.3f}}, which requires about
# {{round(each_takes, -3):.0f}} acceptances of each. With the larger step cap
# {{(~late.censored).sum()}} of the {{len(late)}} runs stop, {{late.correct.sum()}} of them with the
# best arm, after a median of {{late.interactions[~late.censored].median():.0f}} steps. No real user
# would respond that often.

# %%
results.plot("stopping_times")

# %% [markdown]
# The line of T&S does not reach 0: the marks at its end are the censored runs.
#
# With `setting="printed"` she has no private draws. Her first rejection is later, and rests on more
# rewards. (The setting also changes the law of her means, so compare the two agents, not the two
# settings.)

# %%
printed = eu.evaluate(["BAIR", "T&S"], n_arms=5, n_instances=200, seed=0)
of_printed = printed.summary().set_index("agent")
of_printed[["stopping_time", "rejection_rate", "success", "wrong", "censored"]].round(3)

# %% [markdown]
# In this setting {{of_printed.censored["T&S"]:.1%}} of the runs of T&S are censored and
# {{of_printed.wrong["T&S"]:.1%}} are wrong, but T&S takes
# {{of_printed.stopping_time["T&S"] / of_printed.stopping_time["BAIR"]:.2f}} times as many steps as
# BAIR. Evidence about acceptance accumulates slowly.
#
# ## The cost of a run
#
# $T$ alone favours an agent that answers immediately. Success alone favours an agent that takes
# forever. So let a step cost $c$ and a failure cost 1:
#
# $$
# \text{cost} = c\, \overline{T} + (1 - \text{success}).
# $$
#
# **Exercise 3.5.** Compute the mean cost of an agent's runs. Each run has a stopping time, a flag
# `correct` and a flag `censored`. $\overline{T}$ is the mean over all runs, including the censored
# ones. A censored run also has an answer, which may be correct: should it count as a success?


# %% tags=["exercise"]
def mean_cost(times, correct, censored, step_cost):
    """Return the mean cost of a run."""
    # BEGIN SOLUTION
    successes = [right and not cut for right, cut in zip(correct, censored, strict=True)]
    return step_cost * sum(times) / len(times) + 1 - sum(successes) / len(successes)
    # END SOLUTION


# %%
check_exercise("3.5", mean_cost)

# %%
summary[["stopping_time", "success", "wrong", "censored", "cost", "rank"]].round(3)

# %% [markdown]
# A step costs {{results.cell["step_cost"]}} here. The mean cost of BAIR is
# {{summary.cost["BAIR"]:.2f}} and that of T&S is {{summary.cost["T&S"]:.2f}}. The column
# `stopping_time` leaves out the censored runs, as in the paper's code: for T&S it is
# {{summary.stopping_time["T&S"]:.0f}} steps, although the censored runs took
# {{stuck.stopping_time}} steps each. The cost includes all runs.
#
# ### The published figures
#
# Table 2 of the paper has the same cell. The package contains its figures.

# %%
published = published_for(results.population)
cell = published[(published.delta == 0.1) & (published.n_arms == 5)].set_index("agent")
pd.DataFrame(
    {
        "T": summary.stopping_time.round(0),
        "T, paper": cell.published_stopping_time,
        "rejected": summary.rejection_rate.round(3),
        "rejected, paper": cell.published_rejection_rate,
        "success": summary.success.round(3),
        "success, paper": cell.published_success,
    }
).loc[LINE_UP]

# %% [markdown]
# The paper reports a success rate of {{cell.published_success["T&S"]}} for T&S, and does not
# describe the failures. Of our failures
# {{summary.censored["T&S"] / (1 - summary.success["T&S"]):.0%}} are censored runs. A table with
# separate columns for wrong and censored runs would show that Track-and-Stop is blocked, not
# careless.
#
# ## Summary
#
# - An acceptance rate does not measure a mean. It saturates, it changes over time, and it depends
#   on the algorithm.
# - UNI ignores rejections. EXP3 uses them, and walks at random among the other arms. T&S may follow
#   one early rejection for a very long time.
# - All three lack a plan for *her* learning. BAIR has one.
#
# ## Exam question
#
# <!-- given: 1904 (seed) -->
# Run Track-and-Stop with the user of seed 1904:
# `eu.rollout(eu.ExplorativeUserEnv(n_arms=3), "T&S", seed=1904)`.
#
# 1. At which step does it stop, and with which acceptance rates?
# 2. Compute $Z$ against each of the other arms, and the threshold at $\delta = 0.1$. Against which
#    arm is $Z$ smallest?
# 3. Is the answer right? Are the rates in the order of the true means?
# 4. "With this threshold, the answer is wrong with probability at most $\delta$." Which two
#    assumptions of this guarantee does the user violate?

# %%
# Your calculation.

# %% tags=["solution"]
env = eu.ExplorativeUserEnv(n_arms=3)
examined = eu.rollout(env, "T&S", seed=1904)
n = np.bincount(examined.arms, minlength=3)
yes = np.bincount(np.array(examined.arms)[np.array(examined.accepted)], minlength=3)
m = yes / n
b = examined.answer
against = {a: float(evidence(n[b], m[b], n[a], m[a])) for a in range(3) if a != b}
threshold = math.log((1 + math.log(examined.stopping_time)) / 0.1)
truth = env.instance()
closest = min(against, key=against.get)
ordered = list(np.argsort(-m)) == list(np.argsort(-np.array(truth.means)))
against, threshold, truth.means

# %% [markdown] tags=["solution"]
# <!-- given: 10 (points) -->
# **Answers and marking (10 points).**
#
# 1. It stops after {{examined.stopping_time}} steps, with the rates {{m[0]:.3f}}, {{m[1]:.3f}} and
#    {{m[2]:.3f}}. *(2 points)*
# 2. $Z$ is {{", ".join(f"{z:.2f} against arm {a}" for a, z in against.items())}}; the threshold is
#    {{threshold:.2f}}. $Z$ is smallest against arm {{closest}}. *(4 points: 2 for $Z$, 1 for the
#    threshold, 1 for the arm)*
# 3. It names arm {{b}}; the best is arm {{truth.best_arm}}, so the answer is
#    {{"right" if b == truth.best_arm else "wrong"}}. The rates are {{"" if ordered else "not "}}in
#    the order of the means. *(2 points)*
# 4. The responses to an arm are independent, and they come from one fixed law: her responses depend
#    on all her earlier rewards, of all arms. *(2 points, 1 each)*

# %% [markdown]
# ## Further reading
#
# <!-- given: 11, 33 (chapters) -->
# - Yao, Li, Nekipelov, Wang, Xu: *Learning the Optimal Recommendation from Explorative Users*, the
#   section on experiments: the same comparison.
# - Lattimore and Szepesvári, *Bandit Algorithms*: chapter 11 on EXP3, and chapter 33 on pure
#   exploration, with Track-and-Stop.
# - Slivkins, *Introduction to Multi-Armed Bandits*: chapter 6 on adversarial bandits.
# - Sutton and Barto, *Reinforcement Learning*, second edition: chapter 2, with a section on
#   nonstationary rewards, which change over time as her responses do.
