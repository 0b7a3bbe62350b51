# %% [markdown]
# # 2. The explorative user
#
# She says yes or no, and no more than that. And she is still learning what she likes. Today you
# look into her head, where no algorithm can look. Here is what you will find.

# %%
import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import explorative_user_env as eu
from explorative_user_env.agents import Uniform
from explorative_user_env.teach import check_exercise, reveal

MEANS = (1.0, 0.5, -1.0)
IN_TURN = [0, 1, 2] * 5 + [0, 1]


def meet(seed, arms, **options):
    """Return a user to whom these arms were recommended, one after the other."""
    she = eu.ExplorativeUserEnv(
        n_arms=3, means=MEANS, render_mode="svg", render_intervals=True, **options
    )
    she.reset(seed=seed)
    for arm in arms:
        she.step(arm)
    return she


she = meet(seed=4, arms=IN_TURN)
she

# %% [markdown]
# Each row is an arm. On the left is what *you* see: her answers so far. On the right is what *she*
# knows: an interval for every arm, around her own estimate. The true means are marked too; neither
# of you sees those.
#
# ## What you will learn
#
# - what she remembers, and how wide her intervals are;
# - when she rejects, and why so rarely;
# - what a rejection proves, and why an acceptance proves so little;
# - what changes if she had a look at every arm before she met you;
# - how the same rule makes patient and impatient users.
#
# ## Time plan
#
# <!-- given: 10, 15, 20 (minutes of class) -->
# | part | minutes |
# | :--- | ---: |
# | What she knows | 15 |
# | Her rule | 15 |
# | What a rejection proves | 15 |
# | What an acceptance proves | 20 |
# | A look at everything beforehand | 10 |
# | Being her mind, and the exam question | 10 |

# %% [markdown]
# ## What she knows
#
# She has $K$ arms. Of arm $i$ she remembers how often she accepted it, $n_i$, and the mean of the
# rewards that it gave her, $\hat\mu_i$. A reward is drawn around the true mean $\mu_i$, with
# variance 1. A recommendation that she rejects teaches her nothing about its arm.
#
# You can ask for all of this by name. No algorithm may.

# %%
hidden = she.hidden_state()
pd.DataFrame({"her estimate": hidden.estimates, "n_i": hidden.counts, "true mean": MEANS}).round(2)

# %% [markdown]
# She was asked {{hidden.interactions}} times and accepted {{hidden.acceptances}} times. Her
# estimate of arm 1 is {{hidden.estimates[1]:.2f}}, where the truth is {{MEANS[1]}}: after
# {{hidden.counts[1]}} rewards she cannot know better.
#
# ### How sure she is
#
# She knows that she does not know. Her interval for arm $i$ is
#
# $$
# (\mathit{lcb}_i, \mathit{ucb}_i) = \hat\mu_i \mp \sqrt{\Gamma_t / n_i}, \qquad
# \Gamma_t = \max\{0,\ 2 \alpha \log(\rho_t\, n(t))\}.
# $$
#
# Here $n(t) = \sum_i n_i$ counts all her acceptances. $\alpha$ is her willingness to explore.
# $\rho_t$ is her trust in you; in the paper's experiments $\rho_t = 1 + n(t)/t$, so that it is
# between 1 and 2.
#
# **Exercise 2.1.** Write $\Gamma$. While she has accepted nothing, $n(t) = 0$, it is 0.


# %% tags=["exercise"]
def gamma(n, rho, alpha):
    """Return Gamma after n acceptances."""
    # BEGIN SOLUTION
    return max(0.0, 2 * alpha * math.log(rho * n)) if n > 0 else 0.0
    # END SOLUTION


# %%
check_exercise("2.1", gamma)

# %% [markdown]
# **Exercise 2.2.** Write her interval for one arm. Of an arm that she has never accepted she knows
# nothing: its interval is everything, from `-math.inf` to `math.inf`, whatever $\Gamma$ is.


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
# Two forces pull at an interval. Her acceptances of *this* arm make it narrow, as $1/\sqrt{n_i}$.
# Her acceptances of *all* arms make it wide, as $\sqrt{\log n(t)}$. So an arm that is left alone
# slowly becomes interesting again.

# %%
n = np.arange(1, 201)
figure, axes = plt.subplots(figsize=(7, 3))
axes.plot(n, np.sqrt(2 * np.log(2 * n) / n), label="the only arm she is given: $n_i = n(t)$")
axes.plot(
    n[4:], np.sqrt(2 * np.log(2 * n[4:]) / 5), label="left alone after 5 acceptances: $n_i = 5$"
)
axes.set(xlabel="acceptances of all arms, n(t)", ylabel="half width", ylim=(0, 2))
axes.legend()
figure.tight_layout()

# %% [markdown]
# ## Her rule
#
# > She rejects arm $i$ if and only if another arm $j \ne i$ is clearly better:
# > $\mathit{lcb}_j \ge \mathit{ucb}_i$.
#
# Else she accepts, takes the reward, and learns. Look at the picture at the top again. Her estimate
# of arm 1 is far below that of arm 0. You recommend arm 1.
#
# **What will she do?** Write down your guess before you go on.

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "accepts" or "rejects"
prediction = "accepts"
# END SOLUTION

# %%
asked_for_1 = meet(seed=4, arms=IN_TURN)
before = asked_for_1.hidden_state()
accepted, *_ = asked_for_1.step(1)
reveal(
    prediction,
    "accepts" if accepted else "rejects",
    because=f"the lcb of arm 0 was {before.lower_bounds[0]:.2f} and the ucb of arm 1 was "
    f"{before.upper_bounds[1]:.2f}: their intervals meet, so that arm 1 may be the better one.",
)

# %% [markdown]
# Now the same user, at the same moment, and you recommend arm 2.

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "accepts" or "rejects"
prediction = "rejects"
# END SOLUTION

# %%
asked_for_2 = meet(seed=4, arms=IN_TURN)
accepted, *_ = asked_for_2.step(2)
reveal(
    prediction,
    "accepts" if accepted else "rejects",
    because=f"the lcb of arm 0 was {before.lower_bounds[0]:.2f} and the ucb of arm 2 was "
    f"{before.upper_bounds[2]:.2f}: whatever the truth is within her intervals, arm 0 is better.",
)

# %%
asked_for_2

# %% [markdown]
# **Exercise 2.3.** Write her rule. `lower` and `upper` hold the lcb and the ucb of every arm. Think
# of two intervals that only touch, and of an arm that she has never accepted.


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
# A rejection has a cause: some arm is clearly better in her eyes. Call the one with the largest lcb
# the *witness*. It is marked in the picture above, with a line at its lcb.
#
# **Exercise 2.4.** Return the witness against an arm, or `None` where she accepts.


# %% tags=["exercise"]
def witness(arm, lower, upper):
    """Return the arm with the largest lcb among those that are clearly better, or None."""
    # BEGIN SOLUTION
    better = [j for j in range(len(lower)) if j != arm and lower[j] >= upper[arm]]
    return max(better, key=lambda j: lower[j], default=None)
    # END SOLUTION


# %%
check_exercise("2.4", witness)

# %% [markdown]
# You never learn who the witness is. You learn that there is one: *the rejected arm is not the
# best*, unless her intervals deceive her. How often do they?
#
# Below many users are asked for their arms in turn until each rejects for the first time. The means
# are drawn anew for each of them, from $N(0, 1)$, with the best arm $\Delta_1 = 0.5$ above the
# second.


# %%
def first_rejection(she, seed, most=300):
    """Recommend in turn until she rejects; return the arm, the step, and what she knew then."""
    she.reset(seed=seed)
    for step in range(1, most + 1):
        arm = (step - 1) % she.user.n_arms
        knew = she.hidden_state()
        accepted, *_ = she.step(arm)
        if not accepted:
            return arm, step, knew
    return None


USERS = 200
she = eu.ExplorativeUserEnv(n_arms=5)
rejections = [found for seed in range(USERS) if (found := first_rejection(she, seed))]
of_the_best = sum(arm == knew.instance.best_arm for arm, _, knew in rejections)
median_step = int(np.median([step for _, step, _ in rejections]))
f"{of_the_best} of {len(rejections)} first rejections hit the best arm"

# %% [markdown]
# Of {{USERS}} users {{len(rejections)}} rejected something within the time we gave them, and
# {{of_the_best}} of them rejected the best arm. A rejection is strong evidence. But it is slow to
# come: half of them waited for step {{median_step}} or longer.
#
# ## What an acceptance proves
#
# Take a new user, and recommend the *worst* arm of all, arm 2, a hundred times in a row.
#
# **What will she do?**

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "accepts every time" or "rejects in the end"
prediction = "accepts every time"
# END SOLUTION

# %%
only_the_worst = meet(seed=4, arms=[2] * 100)
worst = only_the_worst.hidden_state()
reveal(
    prediction,
    "accepts every time" if worst.acceptances == worst.interactions else "rejects in the end",
    choices=("accepts every time", "rejects in the end"),
    because="she knows of no other arm: their intervals are infinite, and none is clearly better.",
)

# %%
only_the_worst

# %% [markdown]
# {{worst.acceptances}} acceptances in {{worst.interactions}} recommendations, of an arm with the
# mean {{MEANS[2]}}. She knows it well by now: her estimate is {{worst.estimates[2]:.2f}}. She goes
# on accepting. Her yes does not mean "I like it". It means **"I know of nothing that is clearly
# better"**.
#
# That is why acceptances must never be read as rewards. Notebook 3 shows what happens to those who
# do.
#
# ### Until she says no
#
# Give her something to compare with. Suppose that the largest lcb of the other arms is $L$, and
# that her estimate $\hat\mu_i$ and $\Gamma$ stay as they are while she accepts arm $i$ again and
# again. Her ucb falls:
#
# $$
# \hat\mu_i + \sqrt{\Gamma / n_i} \le L .
# $$
#
# **Exercise 2.5.** After how many acceptances $n_i$ does she reject arm $i$ for the first time? An
# arm that she has never accepted is never rejected. If it never happens, return `math.inf`.


# %% tags=["exercise"]
def acceptances_until_rejected(estimate, bound, gamma):
    """Return the least n_i at which the ucb is no longer above the bound."""
    # BEGIN SOLUTION
    if estimate >= bound:
        return math.inf
    return max(1, math.ceil(gamma / (bound - estimate) ** 2))
    # END SOLUTION


# %%
check_exercise("2.5", acceptances_until_rejected)

# %% [markdown]
# The user of the first picture rejected arm 2 after {{before.counts[2]}} acceptances. Her estimate
# of it was {{before.estimates[2]:.2f}} at that moment, the lcb of arm 0 was
# {{before.lower_bounds[0]:.2f}}, and $\Gamma$ was {{before.gamma:.2f}}. From these the formula says
# {{math.ceil(before.gamma / (before.lower_bounds[0] - before.estimates[2]) ** 2)}}.
#
# Here is how it went on. UNI is the algorithm that recommends in turn. Move the slider, and watch
# each interval shrink when its arm is accepted, and all of them when she takes note of a rejection.

# %%
in_turn = eu.rollout(eu.ExplorativeUserEnv(n_arms=3, means=MEANS), Uniform(horizon=45), seed=4)
in_turn.film(reveal=True)

# %% [markdown]
# In {{in_turn.stopping_time}} steps she rejected {{in_turn.rejections}} times. A rejection moves no
# estimate, but it lowers $\rho_t$, and with it $\Gamma$: she trusts you less, and is quicker to say
# no.
#
# And how is it for others? All users below have the same three means. Chance alone makes them
# differ.


# %%
def acceptances_of_the_worst(seed, most=3000, **options):
    """Return how often a user accepts arm 2 before she first rejects it, asked in turn."""
    she = eu.ExplorativeUserEnv(n_arms=3, means=MEANS, **options)
    she.reset(seed=seed)
    for step in range(most):
        accepted, *_ = she.step(step % 3)
        if step % 3 == 2 and not accepted:
            return step // 3
    return most // 3


counts = [acceptances_of_the_worst(seed) for seed in range(USERS)]
figure, axes = plt.subplots(figsize=(7, 3))
axes.hist(counts, bins=range(max(counts) + 2), align="left", rwidth=0.9)
axes.set(xlabel="acceptances of the worst arm before its first rejection", ylabel="users")
figure.tight_layout()

# %% [markdown]
# The worst arm, {{MEANS[0] - MEANS[2]}} below the best, is accepted {{np.median(counts):.0f}} times
# by the median user, and {{max(counts)}} times by the most patient one. Halve the distance, and the
# formula says four times as many.
#
# ## A look at everything beforehand
#
# The paper's text says that she begins without any history. The code that made its tables begins
# otherwise: every user has had **one private draw of every arm**. It is in $n_i$ and in
# $\hat\mu_i$, but not in $n(t)$. In this package that is `setting="released"`, and the text is
# `setting="printed"`.

# %%
meet(seed=4, arms=[], setting="released")

# %% [markdown]
# Nothing was recommended yet, and she has intervals already: narrow ones, as $\Gamma$ is small.
#
# **Can a released user reject your very first recommendation?**

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "never" or "now and then"
prediction = "now and then"
# END SOLUTION

# %%
rows = []
for setting in ("printed", "released"):
    she = eu.ExplorativeUserEnv(n_arms=5, setting=setting)
    found = [one for seed in range(USERS) if (one := first_rejection(she, seed))]
    rows.append(
        {
            "setting": setting,
            "rejects the first": sum(step == 1 for _, step, _ in found) / USERS,
            "median step": float(np.median([step for _, step, _ in found])),
            "of the best arm": sum(arm == knew.instance.best_arm for arm, _, knew in found)
            / len(found),
        }
    )
settings = pd.DataFrame(rows).set_index("setting")
reveal(
    prediction,
    "now and then" if settings.loc["released", "rejects the first"] > 0 else "never",
    choices=("never", "now and then"),
    because="one lucky private draw of another arm can be enough to speak against yours.",
)

# %%
settings.round(3)

# %% [markdown]
# She rejects the first recommendation in {{settings.loc["released", "rejects the first"]:.1%}} of
# the cases, and half of the first rejections come by step
# {{settings.loc["released", "median step"]:.0f}}. But these early rejections rest on one draw an
# arm. {{settings.loc["released", "of the best arm"]:.1%}} of them hit the **best** arm; under
# `printed` it was {{settings.loc["printed", "of the best arm"]:.1%}}. An algorithm that drops an
# arm for ever at its first rejection pays for that.
#
# ## Being her mind
#
# Three numbers make a user: $\alpha$, $\rho_t$, and the noise $p$ with which she answers by a coin.
# `explorative-user play` opens a page with sliders for them. "See her hidden state" shows every
# interval and lets you predict her responses. Here we simulate many users at once.
#
# If $\alpha$ doubles, $\Gamma$ doubles. How often will the worst arm be accepted then?

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
    ALPHAS, patience.quantile(0.25), patience.quantile(0.75), alpha=0.25, label="half of all users"
)
axes.set(xscale="log", yscale="log", xlabel="alpha", ylabel="acceptances")
axes.set_xticks(ALPHAS, [f"{alpha:g}" for alpha in ALPHAS])
axes.set_yticks([1, 3, 10, 30], ["1", "3", "10", "30"])
axes.minorticks_off()
axes.legend()
figure.tight_layout()

# %% [markdown]
# From $\alpha = 1$ to $\alpha = 2$ the median grows from {{patience[1.0].median():.0f}} to
# {{patience[2.0].median():.0f}}: more than twice, as $\Gamma$ also grows with $\log n(t)$ while she
# accepts.
#
# And noise? With $p = 0.1$ one answer in ten is a coin flip. Then a rejection may have no witness
# at all.

# %%
noisy = eu.ExplorativeUserEnv(n_arms=3, means=MEANS, noise=0.1)
by_coin = [found for seed in range(USERS) if (found := first_rejection(noisy, seed))]


def has_witness(arm, knew):
    """Return whether some other arm was clearly better when she decided."""
    return any(lcb >= knew.upper_bounds[arm] for j, lcb in enumerate(knew.lower_bounds) if j != arm)


without = sum(not has_witness(arm, knew) for arm, _, knew in by_coin) / len(by_coin)
f"{without:.0%} of the first rejections have no witness"

# %% [markdown]
# {{without:.0%}} of the first rejections are noise. Who meets such a user has to count rejections,
# and not believe a single one: that is BAIR(m), of which notebook 4 tells.
#
# ## In a nutshell
#
# - She accepts what is not clearly worse. Acceptance is curiosity, not praise.
# - She rejects what is clearly worse than something. Rejection is evidence, and it is rare.
# - To make her reject you have to let her learn: *you* pay for *her* exploration.
#
# ## Exam question
#
# <!-- given: 478 (seed) -->
# A user with $K = 4$, $\alpha = 2$ and the seed 478 (`eu.ExplorativeUserEnv(n_arms=4, alpha=2.0)`)
# is recommended the arms 0, 1, 2, 3 in turn, until she rejects for the first time.
#
# 1. At which step is that, and which arm does she reject?
# 2. Who is the witness? Give its lcb, and the ucb of the rejected arm.
# 3. Had she rejected at this very moment if her $\alpha$ were 1, with the same estimates and
#    counts?
# 4. You have seen only her answers. Which of your arms can you rule out, and which can you not?

# %%
# Your calculation.

# %% tags=["solution"]
examined = eu.ExplorativeUserEnv(n_arms=4, alpha=2.0)
rejected, step, knew = first_rejection(examined, seed=478)
against = max((j for j in range(4) if j != rejected), key=lambda j: knew.lower_bounds[j])
narrower = math.sqrt(knew.gamma / 2)
bounds = (
    knew.estimates[against] - narrower / math.sqrt(knew.counts[against]),
    knew.estimates[rejected] + narrower / math.sqrt(knew.counts[rejected]),
)
bounds

# %% [markdown] tags=["solution"]
# <!-- given: 10 (points) -->
# **Answers, and what they are worth (10 points).**
#
# 1. At step {{step}} she rejects arm {{rejected}}. *(2 points; 1 if counted from 0)*
# 2. The witness is arm {{against}}: its lcb is {{knew.lower_bounds[against]:.3f}}, and the ucb of
#    arm {{rejected}} is {{knew.upper_bounds[rejected]:.3f}}. *(3 points; 1 for the arm with the
#    largest mean without a look at the bounds)*
# 3. Half of $\alpha$ is half of $\Gamma$: the lcb would be {{bounds[0]:.3f}} and the ucb
#    {{bounds[1]:.3f}}, so {{"yes, all the more" if bounds[0] >= bounds[1] else "no"}}: narrower
#    intervals are apart sooner. *(3 points; 1 for "yes" without a reason)*
# 4. Arm {{rejected}} alone is ruled out, as something is clearly better. The acceptances of the
#    others rule out nothing, not even that one of them is worse than arm {{rejected}}. *(2 points)*

# %% [markdown]
# ## Further reading
#
# - Yao, Li, Nekipelov, Wang, Xu: *Learning the Optimal Recommendation from Explorative Users*,
#   section 2: the user of this notebook.
# - Lattimore and Szepesvári, *Bandit Algorithms*: chapter 5 on concentration, from which such
#   intervals come, and chapter 7 on UCB, which explores by them.
# - Slivkins, *Introduction to Multi-Armed Bandits*: chapter 1 on confidence bounds, and chapter 11
#   on bandits and agents, who explore only as far as it suits them.
#   <!-- given: 11, 2.7 (chapter and section) -->
# - Sutton and Barto, *Reinforcement Learning*, second edition: section 2.7 on upper confidence
#   bounds.
