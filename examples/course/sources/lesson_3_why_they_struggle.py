# %% [markdown]
# # 3. Why UNI, EXP3 and Track-and-Stop struggle
#
# Three good algorithms meet the explorative user of notebook 2. Each of them takes her "yes" for a
# reward. Beside them runs BAIR, which does not; it has notebook 4 for itself.

# %%
import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import explorative_user_env as eu
from explorative_user_env.studies.paper import published_for
from explorative_user_env.teach import check_exercise, reveal

LINE_UP = ["BAIR", "T&S", "UNI", "EXP3"]
results = eu.evaluate(LINE_UP, setting="released", n_arms=5, n_instances=200, seed=0)
results.plot()

# %% [markdown]
# Every line is an algorithm, with the same {{results.runs.instance.nunique()}} users for each. It
# shows which share of the runs has stopped *and* named her best arm, when a run may take so long.
#
# ## What you will learn
#
# - why a rate of acceptance is no estimate of a mean;
# - what UNI spends its time on;
# - how EXP3 settles on an arm for no reason;
# - how Track-and-Stop stops by evidence, and how one early "no" can lock it in for very long;
# - how to read $T$ and success together, and what to do with runs that were cut off.
#
# ## Time plan
#
# <!-- given: 10, 15, 20, 25 (minutes of class) -->
# | part | minutes |
# | :--- | ---: |
# | The table | 10 |
# | UNI: a rate is no mean | 20 |
# | EXP3: a walk without a direction | 15 |
# | Track-and-Stop: evidence of what? | 25 |
# | One number for a run, the paper's figures, the exam question | 15 |

# %% [markdown]
# ## The table
#
# The users are those of the paper's tables: $K = 5$ arms, $\Delta_1 = 0.5$, $\alpha = 1$, and a
# private draw of every arm before you meet them (`setting="released"`). BAIR and Track-and-Stop
# (T&S) stop by themselves, at $\delta = 0.1$. UNI and EXP3 cannot: they are given BAIR's mean time.

# %%
results

# %%
summary = results.summary().set_index("agent")
T = results.cell["horizon"]

# %% [markdown]
# A run *succeeds* if it stops and names the best arm. It is *wrong* if it stops and names another.
# It is *censored* if it had not stopped when we cut it off. UNI succeeds in
# {{summary.success["UNI"]:.1%}} of its runs and EXP3 in {{summary.success["EXP3"]:.1%}}. T&S
# succeeds in {{summary.success["T&S"]:.1%}}, is wrong in {{summary.wrong["T&S"]:.1%}}, and the rest
# was cut off.
#
# ## UNI: a rate is no mean
#
# UNI recommends all arms in turn, up to a given time $T$. Then it names the arm that was accepted
# most. Write $N_a$ for the number of recommendations of arm $a$ and $S_a$ for her acceptances of
# it.
#
# **Exercise 3.1.** Return the rates $S_a / N_a$ of all arms. An arm that was never recommended has
# none: `math.nan`.


# %% tags=["exercise"]
def acceptance_rates(arms, accepted, n_arms):
    """Return each arm's rate from the recommended arms and her responses, step by step."""
    # BEGIN SOLUTION
    rates = []
    for arm in range(n_arms):
        said = [yes for each, yes in zip(arms, accepted, strict=True) if each == arm]
        rates.append(sum(said) / len(said) if said else math.nan)
    return rates
    # END SOLUTION


# %%
check_exercise("3.1", acceptance_rates)

# %% [markdown]
# If a response were a reward, this would be the natural estimate of $\mu_a$, and it would be near
# the truth: UNI recommends each arm {{T // 5}} times.
#
# **Guess:** the second best arm is $0.5$ below the best. In the mean over all users, how often is
# it accepted?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "about half the time", "about 7 times in 10" or "more than 9 times in 10"
prediction = "more than 9 times in 10"
# END SOLUTION

# %%
she = eu.ExplorativeUserEnv(n_arms=5, setting="released")


def true_means(row):
    """Return the true means of the user of a run, who is made again from her seed."""
    she.reset(seed=int(row.user_seed))
    return np.array(she.instance().means)


def in_order(row):
    """Return the arms of the user of a run, the best one first."""
    return np.argsort(-true_means(row))


def rates_by_rank(steps=None):
    """Return her rates of acceptance in the first steps, shape (users, K), the best arm first."""
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
GUESSES = ("about half the time", "about 7 times in 10", "more than 9 times in 10")
reveal(
    prediction,
    GUESSES[int(second > 0.6) + int(second > 0.9)],
    choices=GUESSES,
    because=f"the mean rate is {second:.3f}: she rejects it only once she is sure, and she has to "
    "accept it over and over to be sure.",
)

# %%
early = rates_by_rank(steps=50)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True)
panels = zip(axes, (early, rates), ("first 50 steps", f"all {T} steps"), strict=True)
for panel, shown, title in panels:
    panel.plot(gaps.ravel(), shown.ravel(), ".", alpha=0.4)
    panel.set(xlabel="how far below the best arm", title=title)
axes[0].set_ylabel("rate of acceptance")
figure.tight_layout()

# %%
tied = (rates[:, 0] == rates[:, 1]).mean()
pd.DataFrame(
    {"first 50 steps": early.mean(axis=0), "all steps": rates.mean(axis=0)},
    index=["best arm", "second", "third", "fourth", "worst"],
).round(3)

# %% [markdown]
# Each dot is an arm of a user. Three things are wrong with the rate as an estimate:
#
# 1. **It saturates.** The best arm has {{rates[:, 0].mean():.3f}}, the second {{second:.3f}}. For
#    {{tied:.0%}} of the users the two are equal to the last digit: both were always accepted. Then
#    UNI's answer is a matter of ties.
# 2. **It moves.** In the first steps even the worst arm has {{early[:, 4].mean():.3f}}; in the end
#    it has {{rates[:, 4].mean():.3f}}. Her answers are not drawn from one law: they depend on all
#    that she has seen.
# 3. **It depends on you.** What she knows of arm $a$ depends on how often *you* recommended the
#    others.
#
# So UNI has time for {{T // 5}} looks at each arm and still cannot see $\Delta_1 = 0.5$. And it
# never stops asking for hopeless arms, where nothing is to be learnt: she takes no reward from what
# she rejects.

# %%
axes = results.plot("rejections", progress=False)
axes.set_xlim(0, 2000)
axes

# %% [markdown]
# UNI is rejected at a steady rate to the end: {{summary.rejection_rate["UNI"]:.1%}} of all its
# steps. The others know better than to ask again.
#
# ## EXP3: a walk without a direction
#
# EXP3 was made for rewards that an adversary may choose. It recommends at random, with
# probabilities
#
# $$
# p_a = (1 - \varepsilon) \frac{w_a}{\sum_b w_b} + \frac{\varepsilon}{K},
# $$
#
# and when arm $a$ is accepted, it multiplies $w_a$ by $\exp(\gamma / p_a)$. A rejection is a reward
# of 0 and changes nothing. Dividing by $p_a$ is fair: an arm that is recommended rarely gets more
# for each acceptance.
#
# Weights grow beyond what a computer can hold. So keep $G_a = \log w_a$; then
# $w_a / \sum_b w_b$ does not change if the same number is subtracted from every $G_b$ first.
#
# **Exercise 3.2.** EXP3 has the log-weights $G$, recommends `arm`, and hears her response. Return
# the probabilities of its *next* recommendation. Leave the list of log-weights as it is.


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
# By how much does $G_a$ rise in one step, in the mean? With probability $p_a$ by $\gamma / p_a$ if
# she accepts: by $\gamma$. That is the same for **every arm that she accepts**, the best one and
# one that is 0.5 below. EXP3 learns who is accepted, not who is best.
# <!-- given: 0.5 (the gap) -->
#
# Look at the user who rejected EXP3 least often.

# %%
runs = results.runs[results.runs.agent == "EXP3"]
kindest = runs.loc[runs.rejections.idxmin()]
of_kindest = results.replay(kindest)
means = true_means(kindest)
pd.DataFrame({"true mean": means}).round(2).T

# %% [markdown]
# She rejected {{of_kindest.rejections}} of {{of_kindest.stopping_time}} recommendations. Her best
# arm is {{means.max() - np.sort(means)[-2]:.2f}} ahead of the next.
#
# **Guess:** which arm will EXP3 have recommended most in the end?

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
    because=f"EXP3 heard {of_kindest.acceptances} times yes and {of_kindest.rejections} times no. "
    "There was nothing in it about which arm is best; what it settles on is its own luck.",
)

# %%
moments = of_kindest.film(reveal=False).moments[::10]
chances = pd.DataFrame(
    [moment.said["chance"] for moment in moments], index=[moment.seen.steps for moment in moments]
)
figure, axes = plt.subplots(figsize=(7, 3.2))
for arm in range(5):
    best = arm == int(kindest.best_arm)
    axes.plot(chances[arm], lw=2.5 if best else 1, label=f"arm {arm}{' (best)' if best else ''}")
axes.set(xlabel="step", ylabel="probability", ylim=(0, None))
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
figure.tight_layout()

# %% [markdown]
# Each probability wanders, up or down, and may do so for long: of this user the best arm happened to
# gain. Nothing pulls it there, and another seed picks another arm. With other users EXP3 does leave the arms that are rejected: it is rejected in
# {{summary.rejection_rate["EXP3"]:.1%}} of its steps, far less than UNI. Among the arms that remain
# it has no direction.
#
# ## Track-and-Stop: evidence of what?
#
# Track-and-Stop is as good as an algorithm can be when $\delta$ is small, for rewards that are
# independent draws of a fixed law. It asks at each step: how unlikely is it that the arm which leads
# is not the best? Its measure is the divergence of two Bernoulli laws,
#
# $$
# \mathrm{kl}(p, q) = p \log\frac{p}{q} + (1 - p) \log\frac{1 - p}{1 - q},
# \qquad 0 \log 0 = 0 .
# $$
#
# It is infinite if the second law cannot produce what the first one does.
#
# **Exercise 3.3.** Write it, with its borders.


# %% tags=["exercise"]
def kl(p, q):
    """Return kl(p, q), for p and q from 0 to 1, the ends included."""

    # BEGIN SOLUTION
    def part(a, b):
        if a == 0:
            return 0.0
        return a * math.log(a / b) if b > 0 else math.inf

    return part(p, q) + part(1 - p, 1 - q)
    # END SOLUTION


# %%
check_exercise("3.3", kl)

# %% [markdown]
# Where yours is not right yet, the package's takes its place, so you can go on.

# %%
from explorative_user_env.agents.optimal_weights import bernoulli_kl

if not check_exercise("3.3", kl).right:
    kl = bernoulli_kl

# %% [markdown]
# Arm $b$ leads with the rate $m_b$ after $N_b$ recommendations, arm $a$ has $m_a$ after $N_a$. Were
# both rates one and the same, the likeliest would be
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
# Track-and-Stop stops when one arm leads and the least $Z$ against another arm is above
# $\log((1 + \log t) / \delta)$. While several arms share the highest rate there is no test, and one
# of them is recommended at random.
#
# Here is one of the users with whom it had not stopped when we cut it off.

# %%
stuck_runs = results.runs[(results.runs.agent == "T&S") & results.runs.censored]
row = stuck_runs.iloc[0]
stuck, best = results.replay(row), int(row.best_arm)
pd.DataFrame(
    {"arm": stuck.arms[:8], "accepted": stuck.accepted[:8]}, index=pd.RangeIndex(1, 9, name="step")
).T

# %% [markdown]
# Her best arm is arm {{best}}. Her private draw of it was a bad one, and she rejects it when it is
# recommended for the first time, at step {{stuck.arms.index(best) + 1}}. The run goes on for
# {{stuck.stopping_time}} steps.
#
# **Guess:** how often is arm {{best}} recommended after that?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "never", "now and then" or "most of the time"
prediction = "never"
# END SOLUTION

# %%
times = stuck.arms.count(best)
OFTEN = ("never", "now and then", "most of the time")
reveal(
    prediction,
    OFTEN[int(times > 1) + int(times > stuck.stopping_time / 2)],
    choices=OFTEN,
    because=f"its rate is 0 of {times}, and the arms that lead have been accepted every time.",
)

# %%
n_asked = np.bincount(stuck.arms, minlength=5)
n_yes = np.bincount(np.array(stuck.arms)[np.array(stuck.accepted)], minlength=5)
leading = int((n_yes == n_asked).sum())
pd.DataFrame(
    {"recommended": n_asked, "accepted": n_yes, "true mean": true_means(row).round(2)},
    index=pd.RangeIndex(5, name="arm"),
)

# %% [markdown]
# {{leading}} arms share the rate 1 to the end: in {{stuck.stopping_time}} steps she found none of them
# clearly worse. As long as they are tied there is no test, and nothing but these {{leading}} is
# recommended. One "no" at the start, which rested on a single draw, has decided the run so far.
#
# This is how Track-and-Stop fails here. It is almost never *wrong*. It is *stuck*, with
# {{len(stuck_runs)}} of {{results.runs.instance.nunique()}} users.
#
# For how long? Two tied arms whose means are $d$ apart stay tied until both her intervals have
# half-widths of some $d / 2$: until $2 \sqrt{\Gamma / n} = d$, which is after $n = 4 \Gamma / d^2$
# acceptances of **each**. Only when one arm leads alone is there a test again, and a look at the
# arms that were left behind. So let us wait a hundred times as long.

# %%
leaders = np.sort(true_means(row)[n_yes == n_asked])
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
# The two closest of the arms above are {{closest:.3f}} apart, which is some
# {{round(each_takes, -3):.0f}} acceptances of each. With that patience {{(~late.censored).sum()}} of
# the {{len(late)}} runs do end, {{late.correct.sum()}} of them with the best arm, after
# {{late.interactions[~late.censored].median():.0f}} steps in the median. A user who is asked so
# often has long gone.

# %%
results.plot("stopping_times")

# %% [markdown]
# The line of T&S does not come down to 0: the strokes at its end are the runs that were cut off.
#
# Under `setting="printed"` she has no private draws. Her first "no" comes later then, and rests on
# more. (Her means are drawn from another law too, so compare the two agents, not the two settings.)

# %%
printed = eu.evaluate(["BAIR", "T&S"], n_arms=5, n_instances=200, seed=0)
of_printed = printed.summary().set_index("agent")
of_printed[["stopping_time", "rejection_rate", "success", "wrong", "censored"]].round(3)

# %% [markdown]
# T&S gets through with {{of_printed.censored["T&S"]:.1%}} of its runs censored and
# {{of_printed.wrong["T&S"]:.1%}} wrong, but it needs
# {{of_printed.stopping_time["T&S"] / of_printed.stopping_time["BAIR"]:.2f}} times the steps of
# BAIR. Evidence about the wrong thing is slow evidence.
#
# ## One number for a run
#
# $T$ alone can be gamed: name an arm at once. Success alone can be gamed: never stop. So let a step
# cost $c$ and a failure 1:
#
# $$
# \text{cost} = c\, \overline{T} + (1 - \text{success}).
# $$
#
# **Exercise 3.5.** Compute it from the runs of an agent: lists of the stopping times, of who named
# the best arm, and of who was censored. $\overline{T}$ is the mean over all runs, however they
# ended. For a censored run there is a best guess, which may be right. Think about what it is worth.


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
# A step costs {{results.cell["step_cost"]}} here. BAIR comes to {{summary.cost["BAIR"]:.2f}} a run
# and T&S to {{summary.cost["T&S"]:.2f}}. Look at the stopping time of T&S, though: as in the
# paper's code, the censored runs are left out of that mean. It says
# {{summary.stopping_time["T&S"]:.0f}} steps, and nothing of the runs that had taken
# {{stuck.stopping_time}} when they were cut off. The cost counts them all.
#
# ### Beside the paper
#
# The paper's Table 2 has the same cell. Its figures come with the package.

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
# The paper says of T&S {{cell.published_success["T&S"]}}, and does not say what the others did. You
# know it now: of our failures {{summary.censored["T&S"] / (1 - summary.success["T&S"]):.0%}} are
# runs that had not ended. A table that gave wrong and censored runs apart would have told its readers
# that the rule is not careless but stuck.
#
# ## In a nutshell
#
# - A rate of acceptance measures curiosity. It saturates, it moves, and it depends on you.
# - UNI does not listen to "no". EXP3 does, and walks at random among the rest. T&S can believe one
#   early "no" for a very long time.
# - What all three lack is a plan for *her* learning. That is what BAIR has.
#
# ## Exam question
#
# <!-- given: 1904 (seed) -->
# Let Track-and-Stop meet the user of seed 1904:
# `eu.rollout(eu.ExplorativeUserEnv(n_arms=3), "T&S", seed=1904)`.
#
# 1. When does it stop, and with which rates?
# 2. Compute $Z$ against each of the other arms, and the threshold at $\delta = 0.1$. Against which
#    arm is there the least evidence?
# 3. Is the answer right? Are the rates in the order of the true means?
# 4. "Stopping at this threshold, the answer is wrong with probability at most $\delta$." Which two
#    assumptions of this sentence does the user break?

# %%
# Your calculation.

# %% tags=["solution"]
env = eu.ExplorativeUserEnv(n_arms=3)
examined = eu.rollout(env, "T&S", seed=1904)
asked = np.bincount(examined.arms, minlength=3)
yes = np.bincount(np.array(examined.arms)[np.array(examined.accepted)], minlength=3)
m = yes / asked
b = examined.answer
against = {a: float(evidence(asked[b], m[b], asked[a], m[a])) for a in range(3) if a != b}
threshold = math.log((1 + math.log(examined.stopping_time)) / 0.1)
truth = env.instance()
closest = min(against, key=against.get)
ordered = list(np.argsort(-m)) == list(np.argsort(-np.array(truth.means)))
against, threshold, truth.means

# %% [markdown] tags=["solution"]
# <!-- given: 10 (points) -->
# **Answers, and what they are worth (10 points).**
#
# 1. After {{examined.stopping_time}} steps, with the rates {{m[0]:.3f}}, {{m[1]:.3f}} and
#    {{m[2]:.3f}}. *(2 points)*
# 2. $Z$ is {{", ".join(f"{z:.2f} against arm {a}" for a, z in against.items())}}; the threshold is
#    {{threshold:.2f}}. Arm {{closest}} has the least evidence against it. *(4 points: 2 for $Z$, 1
#    for the threshold, 1 for the arm)*
# 3. It names arm {{b}}; the best is arm {{truth.best_arm}}, so it is
#    {{"right" if b == truth.best_arm else "wrong"}}. The rates are
#    {{"" if ordered else "not "}}in the order of the means. *(2 points)*
# 4. That responses to an arm are independent, and that they come from one fixed law: hers depend on
#    everything that she has accepted before, of all arms. *(2 points, 1 each)*

# %% [markdown]
# ## Further reading
#
# <!-- given: 11, 33 (chapters) -->
# - Yao, Li, Nekipelov, Wang, Xu: *Learning the Optimal Recommendation from Explorative Users*, the
#   section on experiments: the same comparison.
# - Lattimore and Szepesvári, *Bandit Algorithms*: chapter 11 on EXP3, and chapter 33 on pure
#   exploration, where Track-and-Stop is.
# - Slivkins, *Introduction to Multi-Armed Bandits*: chapter 6 on adversarial bandits.
# - Sutton and Barto, *Reinforcement Learning*, second edition: chapter 2, where the section on
#   nonstationary problems is about rewards that move, as her answers do.
