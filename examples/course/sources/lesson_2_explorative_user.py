# %% [markdown]
# # 2. The explorative user
#
# She accepts or rejects a recommendation, and the system observes nothing else. She is still
# learning which arms are good for her. In this lesson you look at her hidden state, which no
# algorithm observes.

# %%
import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import explorative_user_env as eu
from explorative_user_env.agents import Uniform
from explorative_user_env.teach import check_exercise, hint, reveal

MEANS = (1.0, 0.5, -1.0)
IN_TURN = [0, 1, 2] * 5 + [0, 1]


def user_after(arms, seed, **options):
    """Return the environment of a user after the recommendation of `arms`, in order."""
    env = eu.ExplorativeUserEnv(
        n_arms=3, means=MEANS, render_mode="svg", render_intervals=True, **options
    )
    env.reset(seed=seed)
    for arm in arms:
        env.step(arm)
    return env


env = user_after(IN_TURN, seed=4)
env

# %% [markdown]
# Each row is an arm. The left half shows what the system observes: her responses so far. The right
# half shows her hidden state: an interval for every arm, around her estimate. Marks show the true
# means; neither the system nor the user knows them.
#
# If you are stuck in exercise 2.1, run `hint("2.1")`: it says where to look. `hint("2.1", level=2)`
# describes the steps. Every exercise has such hints.
#
# ## What you will learn
#
# - what she remembers, and how wide her intervals are;
# - when she rejects, and why rejections are rare;
# - what a rejection proves, and why an acceptance proves little;
# - how one private draw of every arm before the first recommendation changes her;
# - how the same rule describes patient and impatient users.
#
# ## Time plan
#
# <!-- given: 10, 15, 20 (minutes of class) -->
# | part | minutes |
# | :--- | ---: |
# | Her hidden state | 15 |
# | Her rule | 15 |
# | What a rejection proves | 15 |
# | What an acceptance proves | 20 |
# | Private draws | 10 |
# | Her parameters, and the exam question | 10 |

# %% [markdown]
# ## Her hidden state
#
# She has $K$ arms. For arm $i$ she stores the number of acceptances, $n_i$, and the mean of the
# rewards, $\hat\mu_i$. A reward is normal with the true mean $\mu_i$ and variance 1. If she rejects
# a recommendation, she draws no reward and learns nothing.
#
# For teaching, you can read her hidden state. No algorithm may.

# %%
hidden = env.hidden_state()
pd.DataFrame({"her estimate": hidden.estimates, "n_i": hidden.counts, "true mean": MEANS}).round(2)

# %% [markdown]
# She responded {{hidden.interactions}} times and accepted {{hidden.acceptances}} times. Her
# estimate of arm 1 is {{hidden.estimates[1]:.2f}}, and the true mean is {{MEANS[1]}}: the estimate
# rests on only {{hidden.counts[1]}} rewards.
#
# ### Her intervals
#
# Her interval for arm $i$ describes her uncertainty:
#
# $$
# (\mathit{lcb}_i, \mathit{ucb}_i) = \hat\mu_i \mp \sqrt{\Gamma_t / n_i}, \qquad
# \Gamma_t = \max\{0,\ 2 \alpha \log(\rho_t\, n(t))\}.
# $$
#
# Here $n(t) = \sum_i n_i$ is the number of all her acceptances, $\alpha$ is her willingness to
# explore, and $\rho_t$ is her confidence in the system. In the paper's experiments
# $\rho_t = 1 + n(t)/t$, which is between 1 and 2.
#
# **Exercise 2.1.** Write $\Gamma$. Without acceptances, $n(t) = 0$, it is 0.


# %% tags=["exercise"]
def gamma(n, rho, alpha):
    """Return Gamma after n acceptances."""
    # BEGIN SOLUTION
    return max(0.0, 2 * alpha * math.log(rho * n)) if n > 0 else 0.0
    # END SOLUTION


# %%
check_exercise("2.1", gamma)

# %% [markdown]
# **Exercise 2.2.** Write her interval for one arm. Without acceptances of the arm, the interval is
# infinite, from `-math.inf` to `math.inf`, for every $\Gamma$.


# %% tags=["exercise"]
def interval(estimate, count, gamma):
    """Return (lcb, ucb) of an arm with this estimate and n_i."""
    # BEGIN SOLUTION
    if count == 0:
        return -math.inf, math.inf
    width = math.sqrt(gamma / count)
    return estimate - width, estimate + width
    # END SOLUTION


# %%
check_exercise("2.2", interval)

# %% [markdown]
# Two effects change an interval. Acceptances of *this* arm narrow it, as $1/\sqrt{n_i}$.
# Acceptances of *all* arms widen it, as $\sqrt{\log n(t)}$. So the interval of an arm that is no
# longer recommended slowly grows, until she would accept the arm again.

# %%
n = np.arange(1, 201)
figure, axes = plt.subplots(figsize=(7, 3))
axes.plot(n, np.sqrt(2 * np.log(2 * n) / n), label="the only recommended arm: $n_i = n(t)$")
axes.plot(
    n[4:],
    np.sqrt(2 * np.log(2 * n[4:]) / 5),
    label="no longer recommended after 5 acceptances: $n_i = 5$",
)
axes.set(xlabel="acceptances of all arms, n(t)", ylabel="half-width", ylim=(0, 2))
axes.legend()
figure.tight_layout()

# %% [markdown]
# ## Her rule
#
# > She rejects arm $i$ if and only if another arm $j \ne i$ is clearly better:
# > $\mathit{lcb}_j \ge \mathit{ucb}_i$.
#
# Otherwise she accepts, draws a reward, and updates her estimate. Look at the first picture again.
# Her estimate of arm 1 is far below her estimate of arm 0. You recommend arm 1.
#
# **Predict.** Does she accept or reject?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "accepts" or "rejects"
prediction = "accepts"
# END SOLUTION

# %%
env_1 = user_after(IN_TURN, seed=4)
before = env_1.hidden_state()
accepted, *_ = env_1.step(1)
reveal(
    prediction,
    "accepts" if accepted else "rejects",
    because=f"the lcb of arm 0 was {before.lower_bounds[0]:.2f} and the ucb of arm 1 was "
    f"{before.upper_bounds[1]:.2f}: their intervals overlap.",
)

# %% [markdown]
# **Predict.** For the same user in the same state, you recommend arm 2 instead. Does she accept or
# reject?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "accepts" or "rejects"
prediction = "rejects"
# END SOLUTION

# %%
env_2 = user_after(IN_TURN, seed=4)
accepted, *_ = env_2.step(2)
reveal(
    prediction,
    "accepts" if accepted else "rejects",
    because=f"the lcb of arm 0 was {before.lower_bounds[0]:.2f} and the ucb of arm 2 was "
    f"{before.upper_bounds[2]:.2f}: arm 0 is clearly better.",
)

# %%
env_2

# %% [markdown]
# **Exercise 2.3.** Write her rule. `lower` and `upper` contain the lcb and the ucb of every arm.
# Consider two intervals that only touch, and an arm without acceptances.


# %% tags=["exercise"]
def rejects(arm, lower, upper):
    """Return whether she rejects an arm."""
    # BEGIN SOLUTION
    return any(lower[j] >= upper[arm] for j in range(len(lower)) if j != arm)
    # END SOLUTION


# %%
check_exercise("2.3", rejects)

# %% [markdown]
# ## What a rejection proves
#
# A rejection has a cause: another arm is clearly better according to her estimates. We call the
# clearly better arm with the largest lcb the *witness*. The picture above marks it, with a line at
# its lcb.
#
# **Exercise 2.4.** Return the witness against an arm, or `None` if she accepts.


# %% tags=["exercise"]
def witness(arm, lower, upper):
    """Return the clearly better arm with the largest lcb, or None."""
    # BEGIN SOLUTION
    better = [j for j in range(len(lower)) if j != arm and lower[j] >= upper[arm]]
    return max(better, key=lambda j: lower[j], default=None)
    # END SOLUTION


# %%
check_exercise("2.4", witness)

# %% [markdown]
# The system never observes which arm is the witness. It learns only that a witness exists: *the
# rejected arm is not the best*, unless her intervals miss the means. How often do they miss?
#
# In the next cell we recommend all arms in turn to many users, until each user rejects for the
# first time. Each user has her own means, drawn from $N(0, 1)$, with a gap of $\Delta_1 = 0.5$
# between the best arm and the second.


# %%
def first_rejection(env, seed, most=300):
    """Recommend in turn until she rejects; return the arm, the step and her hidden state."""
    env.reset(seed=seed)
    for step in range(1, most + 1):
        arm = (step - 1) % env.user.n_arms
        state = env.hidden_state()
        accepted, *_ = env.step(arm)
        if not accepted:
            return arm, step, state
    return None


USERS = 200
env = eu.ExplorativeUserEnv(n_arms=5)
rejections = [first for seed in range(USERS) if (first := first_rejection(env, seed))]
of_the_best = sum(arm == state.instance.best_arm for arm, _, state in rejections)
median_step = int(np.median([step for _, step, _ in rejections]))
f"{of_the_best} of {len(rejections)} first rejections hit the best arm"

# %% [markdown]
# Of {{USERS}} users {{len(rejections)}} rejected at least once within 300 steps, and
# {{of_the_best}} of their first rejections hit the best arm. So a rejection is strong evidence. But
# it is slow: half of these users rejected at step {{median_step}} or later.
# <!-- given: 300 (the steps) -->
#
# ## What an acceptance proves
#
# For a new user, recommend the *worst* arm, arm 2, a hundred times in a row.
#
# **Predict.** Does she ever reject?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "always accepts" or "rejects in the end"
prediction = "always accepts"
# END SOLUTION

# %%
only_the_worst = user_after([2] * 100, seed=4)
worst = only_the_worst.hidden_state()
reveal(
    prediction,
    "always accepts" if worst.acceptances == worst.interactions else "rejects in the end",
    choices=("always accepts", "rejects in the end"),
    because="the intervals of the other arms are infinite, so no arm is clearly better.",
)

# %%
only_the_worst

# %% [markdown]
# She accepted {{worst.acceptances}} of {{worst.interactions}} recommendations of an arm with the
# mean {{MEANS[2]}}. She knows this arm well: her estimate is {{worst.estimates[2]:.2f}}. She still
# accepts it. An acceptance does not mean "this arm is good". It means **"no other arm is clearly
# better according to my estimates"**.
#
# So an algorithm must not treat acceptances as rewards. Lesson 3 shows algorithms that do.
# <!-- given: 3 (a lesson) -->
#
# ### The number of acceptances before a rejection
#
# Now she has other arms to compare with. Let $L$ be the largest lcb of the other arms. Suppose that
# her estimate $\hat\mu_i$ and $\Gamma$ do not change while she accepts arm $i$ repeatedly. Her ucb
# falls, and she rejects arm $i$ once
#
# $$
# \hat\mu_i + \sqrt{\Gamma / n_i} \le L .
# $$
#
# **Exercise 2.5.** After how many acceptances $n_i$ does she reject arm $i$ for the first time? She
# never rejects an arm without acceptances. If she never rejects arm $i$, return `math.inf`.


# %% tags=["exercise"]
def acceptances_until_rejected(estimate, bound, gamma):
    """Return the smallest n_i with ucb <= bound, or math.inf."""
    # BEGIN SOLUTION
    if estimate >= bound:
        return math.inf
    return max(1, math.ceil(gamma / (bound - estimate) ** 2))
    # END SOLUTION


# %%
check_exercise("2.5", acceptances_until_rejected)

# %% [markdown]
# The user of the first picture rejected arm 2 after {{before.counts[2]}} acceptances. At that time
# her estimate of arm 2 was {{before.estimates[2]:.2f}}, the lcb of arm 0 was
# {{before.lower_bounds[0]:.2f}}, and $\Gamma$ was {{before.gamma:.2f}}. With these values the
# formula gives {{math.ceil(before.gamma / (before.lower_bounds[0] - before.estimates[2]) ** 2)}}
# acceptances.
#
# The next cell continues the run. UNI is the algorithm that recommends all arms in turn. Move the
# slider: an acceptance narrows the interval of its arm, and a rejection narrows all intervals.

# %%
in_turn = eu.rollout(eu.ExplorativeUserEnv(n_arms=3, means=MEANS), Uniform(horizon=45), seed=4)
in_turn.film(reveal=True)

# %% [markdown]
# In {{in_turn.stopping_time}} steps she rejected {{in_turn.rejections}} times. A rejection changes
# no estimate, but it lowers $\rho_t$, and thus $\Gamma$: her confidence in the system falls, and
# she rejects earlier.
#
# The next cell simulates many users with the same three means. Only their random rewards differ.


# %%
def acceptances_of_the_worst(seed, most=3000, **options):
    """Recommend in turn; return the number of acceptances of arm 2 before its first rejection."""
    env = eu.ExplorativeUserEnv(n_arms=3, means=MEANS, **options)
    env.reset(seed=seed)
    for step in range(most):
        accepted, *_ = env.step(step % 3)
        if step % 3 == 2 and not accepted:
            return step // 3
    return most // 3


counts = [acceptances_of_the_worst(seed) for seed in range(USERS)]
figure, axes = plt.subplots(figsize=(7, 3))
axes.hist(counts, bins=range(max(counts) + 2), align="left", rwidth=0.9)
axes.set(xlabel="acceptances of the worst arm before its first rejection", ylabel="users")
figure.tight_layout()

# %% [markdown]
# The worst arm, {{MEANS[0] - MEANS[2]}} below the best, gets {{np.median(counts):.0f}} acceptances
# from the median user, and {{max(counts)}} from the most patient user. By the formula, half the
# distance gives four times as many.
#
# ## Private draws
#
# According to the paper's text, she starts without any rewards. In the code that produced the
# paper's tables, every user starts with **one private draw of every arm**. The draws count in $n_i$
# and in $\hat\mu_i$, but not in $n(t)$. In this package `setting="released"` follows the code, and
# `setting="printed"` follows the text.

# %%
user_after([], seed=4, setting="released")

# %% [markdown]
# She has intervals before the first recommendation. They are narrow, as $\Gamma$ is small.
#
# **Predict.** Does a user of the setting `released` ever reject your very first recommendation?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "never" or "sometimes"
prediction = "sometimes"
# END SOLUTION

# %%
rows = []
for setting in ("printed", "released"):
    env = eu.ExplorativeUserEnv(n_arms=5, setting=setting)
    firsts = [first for seed in range(USERS) if (first := first_rejection(env, seed))]
    rows.append(
        {
            "setting": setting,
            "rejects the first": sum(step == 1 for _, step, _ in firsts) / USERS,
            "median step": float(np.median([step for _, step, _ in firsts])),
            "of the best arm": sum(arm == state.instance.best_arm for arm, _, state in firsts)
            / len(firsts),
        }
    )
settings = pd.DataFrame(rows).set_index("setting")
reveal(
    prediction,
    "sometimes" if settings.loc["released", "rejects the first"] > 0 else "never",
    choices=("never", "sometimes"),
    because="one high private draw of another arm can make that arm clearly better.",
)

# %%
settings.round(3)

# %% [markdown]
# She rejects the first recommendation in {{settings.loc["released", "rejects the first"]:.1%}} of
# the cases, and half of the first rejections are at step
# {{settings.loc["released", "median step"]:.0f}} or earlier. But these early rejections rest on one
# draw of each arm. {{settings.loc["released", "of the best arm"]:.1%}} of them hit the **best**
# arm; in the setting `printed` it was {{settings.loc["printed", "of the best arm"]:.1%}}. An
# algorithm that eliminates an arm at its first rejection pays for these errors.
#
# ## Her parameters
#
# Three parameters describe a user: $\alpha$, $\rho_t$, and the click noise $p$, the probability
# that her response is random. `explorative-user play` opens a page with sliders for these
# parameters. Its button "See her hidden state" shows every interval and lets you predict her
# responses. Here we simulate many users.
#
# If $\alpha$ doubles, $\Gamma$ doubles. How many acceptances does the worst arm get then?

# %%
ALPHAS = (0.25, 0.5, 1.0, 2.0, 4.0)
patience = pd.DataFrame(
    {
        alpha: [acceptances_of_the_worst(seed, alpha=alpha) for seed in range(100)]
        for alpha in ALPHAS
    }
)
figure, axes = plt.subplots(figsize=(7, 3))
axes.plot(ALPHAS, patience.median(), "o-", label="median user")
axes.fill_between(
    ALPHAS,
    patience.quantile(0.25),
    patience.quantile(0.75),
    alpha=0.25,
    label="middle half of the users",
)
axes.set(xscale="log", yscale="log", xlabel="alpha", ylabel="acceptances")
axes.set_xticks(ALPHAS, [f"{alpha:g}" for alpha in ALPHAS])
axes.set_yticks([1, 3, 10, 30], ["1", "3", "10", "30"])
axes.minorticks_off()
axes.legend()
figure.tight_layout()

# %% [markdown]
# From $\alpha = 1$ to $\alpha = 2$ the median grows from {{patience[1.0].median():.0f}} to
# {{patience[2.0].median():.0f}}. It more than doubles, because $\Gamma$ also grows with $\log n(t)$
# while she accepts.
#
# With click noise $p = 0.1$, one response in ten is random. Then a rejection may have no witness.

# %%
noisy = eu.ExplorativeUserEnv(n_arms=3, means=MEANS, noise=0.1)
by_noise = [first for seed in range(USERS) if (first := first_rejection(noisy, seed))]


def has_witness(arm, state):
    """Return whether another arm was clearly better in her hidden state."""
    return any(
        lcb >= state.upper_bounds[arm] for j, lcb in enumerate(state.lower_bounds) if j != arm
    )


without = sum(not has_witness(arm, state) for arm, _, state in by_noise) / len(by_noise)
f"{without:.0%} of the first rejections have no witness"

# %% [markdown]
# {{without:.0%}} of the first rejections are noise. For such a user, an agent must count rejections
# instead of trusting a single one. The agent BAIR(m) in lesson 4 does so.
# <!-- given: 4 (a lesson) -->
#
# ## Summary
#
# - She accepts every arm that is not clearly worse. An acceptance is exploration, not approval.
# - She rejects an arm that is clearly worse than another. A rejection is evidence, and it is rare.
# - She rejects only after she has learned: the *system* pays for *her* exploration.
#
# ## Exam question
#
# <!-- given: 478 (seed) -->
# For a user with $K = 4$, $\alpha = 2$ and the seed 478
# (`eu.ExplorativeUserEnv(n_arms=4, alpha=2.0)`), recommend the arms 0, 1, 2, 3 in turn, until she
# rejects for the first time.
#
# 1. At which step does she reject, and which arm?
# 2. Which arm is the witness? Give its lcb, and the ucb of the rejected arm.
# 3. Would she have rejected at this step with $\alpha = 1$, with the same estimates and counts?
# 4. Suppose that you observe only her responses. Which arms can you rule out as the best, and which
#    not?

# %%
# Your calculation.

# %% tags=["solution"]
examined = eu.ExplorativeUserEnv(n_arms=4, alpha=2.0)
rejected, step, state = first_rejection(examined, seed=478)
against = max((j for j in range(4) if j != rejected), key=lambda j: state.lower_bounds[j])
narrower = math.sqrt(state.gamma / 2)
bounds = (
    state.estimates[against] - narrower / math.sqrt(state.counts[against]),
    state.estimates[rejected] + narrower / math.sqrt(state.counts[rejected]),
)
bounds

# %% [markdown] tags=["solution"]
# <!-- given: 10 (points) -->
# **Answers and marking (10 points).**
#
# 1. At step {{step}} she rejects arm {{rejected}}. *(2 points; 1 if the step is counted from 0)*
# 2. The witness is arm {{against}}: its lcb is {{state.lower_bounds[against]:.3f}}, and the ucb of
#    arm {{rejected}} is {{state.upper_bounds[rejected]:.3f}}. *(3 points; 1 for the arm with the
#    largest estimate, without the bounds)*
# 3. Half of $\alpha$ gives half of $\Gamma$: the lcb would be {{bounds[0]:.3f}} and the ucb
#    {{bounds[1]:.3f}}, so the answer is {{"yes" if bounds[0] >= bounds[1] else "no"}}: narrower
#    intervals separate earlier. *(3 points; 1 for "yes" without a reason)*
# 4. Only arm {{rejected}} is ruled out, because another arm is clearly better. The acceptances of
#    the other arms rule out nothing, not even that one of them is worse than arm {{rejected}}. *(2
#    points)*

# %% [markdown]
# ## Further reading
#
# - Yao, Li, Nekipelov, Wang, Xu: *Learning the Optimal Recommendation from Explorative Users*,
#   section 2: the user of this lesson.
# - Lattimore and Szepesvári, *Bandit Algorithms*: chapter 5 on concentration bounds, which give
#   such intervals, and chapter 7 on UCB, which explores by such intervals.
# - Slivkins, *Introduction to Multi-Armed Bandits*: chapter 1 on confidence bounds, and chapter 11
#   on bandits and agents, who explore only if it is in their interest.
#   <!-- given: 11, 2.7 (chapter and section) -->
# - Sutton and Barto, *Reinforcement Learning*, second edition: section 2.7 on upper confidence
#   bounds.
