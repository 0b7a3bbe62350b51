# %% [markdown]
# # 6. Learning agents against BAIR
#
# BAIR was written by people who understood the user. Could a learner find such a rule by itself,
# from nothing but trying? Here is the bar that it has to reach: what each agent of this course costs
# over $500$ recommendations.

# %%
import gymnasium as gym
import matplotlib.pyplot as plt
import numpy as np

import explorative_user_env as eu
from explorative_user_env.seeding import training_seeds
from explorative_user_env.teach import check_exercise, reveal

plt.rcParams.update({"figure.figsize": (8, 3), "figure.dpi": 100})

K, T = 5, 500
USERS = {
    "task": "regret",
    "n_arms": K,
    "horizon": T,
    "n_instances": 200,
    "seed": 0,
    "progress": False,
}

bar = eu.evaluate(["SE", "BAIR", "UNI"], **USERS).summary().set_index("agent")
error = bar["regret_high"] - bar["regret"]
plt.barh(bar.index, bar["regret"], xerr=error, color=["C0", "C0", "0.7"])
plt.gca().invert_yaxis()
plt.xlabel(f"regret over {T} recommendations (less is better)")
plt.show()

# %% [markdown]
# **You will learn**
#
# - what a learner has to see, and why one bit is too little;
# - how REINFORCE learns a policy from returns, in a page of NumPy;
# - three traps: a short sight, a reward for acceptance, and always taking the likeliest action;
# - how to say honestly that one agent is better than another.
#
# **Time** (75 minutes): the task, five; what to see, fifteen; REINFORCE, twenty-five; three traps,
# twenty; who is better, ten.
#
# <!-- given: 75 (the plan of the class) -->

# %% [markdown]
# ## The task
#
# An episode is one user and $T = 500$ recommendations. The **action** is the arm. The **observation**
# is what the learner is shown of her responses. The **reward** of a step is $\mu_a - \mu_*$: nothing
# for her best arm, and less the worse the arm is. Its sum is minus the regret.
#
# Nobody sees $\mu_a - \mu_*$ in earnest; who did would know the best arm. It is a **training
# signal**: the learner is paid by it while it learns, with simulated users whom we know. Then it is
# set to work with users whom it has never met, and hears *yes* and *no* only.

# %% [markdown]
# ## What to see
#
# `ExplorativeUser-v0` shows one bit: her last response. Take a policy **without memory** on it. It has
# one set of chances for after a *yes*, another for after a *no*, and nothing else.
#
# **Predict.** It may train as long as it likes. UNI costs a good {{round(bar["regret"]["UNI"], -1):.0f}},
# BAIR {{bar["regret"]["BAIR"]:.0f}}. Where does the policy on one bit come out?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "as BAIR", "half way" or "as UNI"
prediction = "as UNI"
# END SOLUTION

# %% [markdown]
# You will see below, once there is a learner. What would help? Whatever the bit leaves out: **which**
# arms were accepted and rejected, and how often. `ExplorativeUserCounts-v0` shows for each arm its
# acceptances, its rejections, its last response, and its rejections since the last acceptance; and
# the time. Counts are on a log scale, as the step from 1 to 2 says more than that from 101 to 102.
#
# There is one more trick. Her arms have no names: what holds for arm 3 holds for arm 0. So the arms
# are **sorted**, the most accepted first, and the action is a **rank**.
#
# <!-- given: 101 (an example), 102 (an example) -->
#
# ### Exercise 6.1
#
# Given the acceptances of the arms, return the arm of each rank, the most accepted first. Tied arms
# are in the order of their numbers.


# %% tags=["exercise"]
def arm_of_each_rank(acceptances):
    """Return a list: first the most accepted arm, and so on."""
    # BEGIN SOLUTION
    return sorted(range(len(acceptances)), key=lambda arm: -acceptances[arm])
    # END SOLUTION


# %%
check_exercise("6.1", arm_of_each_rank)

# %%
users = gym.make_vec("ExplorativeUserCounts-v0", num_envs=64, n_arms=K)
observation, _ = users.reset(seed=training_seeds(0, 64))
for _ in range(40):
    observation, reward, *_ = users.step(np.full(64, 4))  # the least accepted arm
np.set_printoptions(precision=2, suppress=True)
print("acceptances   ", observation[0, 0:5])
print("rejections    ", observation[0, 5:10])
print("last response ", observation[0, 10:15])
print("since last yes", observation[0, 15:20])
print("time          ", observation[0, 20:])

# %% [markdown]
# ## REINFORCE
#
# The policy is as simple as can be. Each rank $i$ has a few features $\phi_i$. The same weights
# $\theta$ score all ranks, and a softmax makes chances of the scores:
#
# $$ \pi_\theta(i) = \frac{\exp(\theta \cdot \phi_i)}{\sum_j \exp(\theta \cdot \phi_j)}. $$
#
# After an episode, REINFORCE asks of each step: was what came *after* it better than usual? If so,
# what was done there becomes likelier:
#
# $$ \theta \leftarrow \theta + \eta \sum_t (G_t - b_t) \, \nabla_\theta \log \pi_\theta(a_t). $$
#
# It needs two things: the return $G_t$, and the gradient of the logarithm. (The baseline $b_t$ is the
# mean of $G_t$ over all users; on average it turns the gradient nowhere, and takes out much of the noise.)
#
# ### Exercise 6.2
#
# Return $G_t = r_t + \gamma r_{t+1} + \gamma^2 r_{t+2} + \dots$ for every step $t$.


# %% tags=["exercise"]
def returns(rewards, gamma):
    """Return the list of G_t, one for each reward."""
    # BEGIN SOLUTION
    found, coming = [], 0.0
    for reward in reversed(rewards):
        coming = reward + gamma * coming
        found.append(coming)
    return found[::-1]
    # END SOLUTION


# %%
check_exercise("6.2", returns)

# %% [markdown]
# ### Exercise 6.3
#
# Return $\nabla_\theta \log \pi_\theta(a)$ for the softmax above. *Hint:* the logarithm of a quotient is
# a difference, and the gradient of the second part is a mean of features.


# %% tags=["exercise"]
def score(chances, features, arm):
    """Return the gradient, as long as a row of the features, which has a row for each rank."""
    # BEGIN SOLUTION
    return np.array(features)[arm] - np.array(chances) @ np.array(features)
    # END SOLUTION


# %%
check_exercise("6.3", score)

# %% [markdown]
# Here is all of the learner. It plays with 64 users at once, so its lines speak of many users where
# yours spoke of one: `chosen` is $\phi_a$ and `expected` is $\sum_i \pi(i) \phi_i$.
#
# <!-- given: 64 (users in step) -->


# %%
def counts_features(observation):
    """Return features of each rank: what was heard of it, and its acceptances times the time."""
    ranks = observation[:, :-1].reshape(len(observation), 4, K).transpose(0, 2, 1)
    return np.concatenate([ranks, ranks[:, :, :1] * observation[:, -1:, None]], axis=2)


def bit_features(observation):
    """Return features of each arm that tell arms and the last response apart, and nothing else."""
    return np.eye(2 * K)[2 * np.arange(K) + observation[:, None]]


def chances_of(theta, features):
    scores = features @ theta
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def drawn(chances, rng):
    return np.minimum((chances.cumsum(axis=1) < rng.random((len(chances), 1))).sum(axis=1), K - 1)


def reinforce(users, features_of, gamma=1.0, episodes=15, step=2.0, seed=0):
    """Return the weights after so many episodes, and the mean reward of each episode."""
    n = users.num_envs
    rng, rows = np.random.default_rng(seed), np.arange(n)
    seeds = training_seeds(seed, n * episodes)
    theta = momentum = size = 0.0
    course = []
    for episode in range(episodes):
        observation, _ = users.reset(seed=seeds[episode * n : (episode + 1) * n])
        gradients, rewards = [], []
        for _ in range(T):
            features = features_of(observation)
            theta = theta + np.zeros(features.shape[2])
            chances = chances_of(theta, features)
            action = drawn(chances, rng)
            chosen = features[rows, action]
            expected = (chances[:, :, None] * features).sum(axis=1)
            gradients.append(chosen - expected)
            observation, reward, *_ = users.step(action)
            rewards.append(reward)
        gains, coming = [], 0.0
        for reward in reversed(rewards):
            coming = reward + gamma * coming
            gains.append(coming - coming.mean())  # the baseline
        gains = np.array(gains[::-1])
        gradient = (gains[:, :, None] * np.array(gradients)).mean(axis=(0, 1)) / (
            gains.std() + 1e-8
        )
        momentum = 0.8 * momentum + 0.2 * gradient
        size = 0.9 * size + 0.1 * gradient**2
        theta = theta + step * (1 - episode / episodes) * momentum / (np.sqrt(size) + 1e-8)
        course.append(np.sum(rewards, axis=0).mean())
    return theta, np.array(course)


counts = gym.make_vec("ExplorativeUserCounts-v0", num_envs=64, n_arms=K)
theta, course = reinforce(counts, counts_features)

one_bit = gym.make_vec("ExplorativeUser-v0", num_envs=64, n_arms=K, max_episode_steps=T)
theta_bit, course_bit = reinforce(one_bit, bit_features, episodes=8)

# %%
plt.plot(-course, "o-", label="sorted counts")
plt.plot(-course_bit, "o-", c="C3", label="one bit")
for name, style in (("UNI", ":"), ("BAIR", "--")):
    plt.axhline(bar["regret"][name], c="0.5", ls=style, label=name)
plt.ylim(0, None)
plt.xlabel("episodes, each with 64 users")
plt.ylabel("regret")
plt.legend(ncols=2)
plt.show()

# %%
middle = (bar["regret"]["UNI"] + bar["regret"]["BAIR"]) / 2
places = {"as BAIR": bar["regret"]["BAIR"], "half way": middle, "as UNI": bar["regret"]["UNI"]}
reveal(
    prediction,
    min(places, key=lambda place: abs(places[place] + course_bit[-3:].mean())),
    choices=tuple(places),
    because="after a yes, which is nearly always, it knows of no arm more than of another",
)

# %% [markdown]
# In its last three episodes the policy on one bit costs {{-course_bit[-3:].mean():.0f}}, that on sorted
# counts {{-course[-3:].mean():.0f}}. One learner, one user, one reward: the observation makes the
# difference.
#
# And what has it learned? These are its weights:

# %%
names = ["acceptances", "rejections", "last response", "rejections since", "acceptances x time"]
for name, weight in zip(names, theta, strict=True):
    print(f"{name:20s}{weight:6.1f}")

# %% [markdown]
# Read the signs. Arms that were rejected get a large minus: **it has found elimination**. Early on it
# prefers arms that were accepted less, so it goes round; the last weight turns that round as time
# goes by.

# %% [markdown]
# ## With users it has never met
#
# Any policy, whatever made it, becomes an agent by `eu.PolicyAgent`. Then the harness compares it
# with BAIR, on the same users.


# %%
def agent_of(
    theta, name, features_of=counts_features, observation="sorted-counts", likeliest=False
):
    rng = np.random.default_rng(1)

    def policy(observation):
        chances = chances_of(theta, features_of(observation))
        return chances.argmax(axis=1) if likeliest else drawn(chances, rng)

    return eu.PolicyAgent(policy, observation=observation, horizon=T, batched=True, name=name)


results = eu.evaluate([agent_of(theta, "learned"), "BAIR", "SE", "UNI"], **USERS)
results

# %%
told = results.summary().set_index("agent")
against_bair = results.compare("learned", "BAIR")
against_bair

# %% [markdown]
# The learner costs {{told["regret"]["learned"]:.0f}}, BAIR {{told["regret"]["BAIR"]:.0f}} and SE, which is
# BAIR without its first phase, {{told["regret"]["SE"]:.0f}}. It took a page of NumPy and a few seconds.
# Mind that this is the task of *regret*: BAIR was made to name the best arm with a probability of
# $1 - \delta$, and nobody promises that of the learner.

# %% [markdown]
# ## Trap 1: a short sight
#
# In many tasks one discounts, with $\gamma = .98$, say. Then a reward $50$ steps later counts
# {{0.98**50:.2f}} of one now, and one that is 200 steps later {{0.98**200:.2f}}.
#
# <!-- given: 200 (an example) -->

# %%
theta_short, _ = reinforce(counts, counts_features, gamma=0.98, episodes=8)

# %% [markdown]
# ## Trap 2: a reward for acceptance
#
# Regret cannot be measured in earnest. Acceptance can. So why not reward each *yes* with 1, each *no*
# with 0?
#
# **Predict.** What will a learner do that is paid for acceptance?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "finds her best arm", "never explores" or "learns nothing"
prediction = "never explores"
# END SOLUTION

# %%
pays_yes = gym.make_vec("ExplorativeUserCounts-v0", num_envs=64, n_arms=K, reward="accept")
theta_yes, course_yes = reinforce(pays_yes, counts_features, episodes=8)
print(f"accepted at first {course_yes[0] / T:.0%}, at last {course_yes[-1] / T:.1%}")

# %% [markdown]
# ## Trap 3: always the likeliest action
#
# Some libraries switch exploration off when they evaluate: `deterministic=True` takes the likeliest
# action in place of a drawn one. Let us do so with the policy that did well.

# %%
traps = eu.evaluate(
    [
        agent_of(theta, "learned"),
        agent_of(theta_short, "short sight"),
        agent_of(theta_yes, "paid for yes"),
        agent_of(theta, "likeliest", likeliest=True),
        agent_of(theta_bit, "one bit", bit_features, "response"),
        "UNI",
    ],
    **USERS,
)
fell = traps.summary().set_index("agent")
traps

# %%
explores_not = fell["acceptance_rate"]["paid for yes"] > 0.99
good = fell["regret"]["paid for yes"] < 1.5 * told["regret"]["BAIR"]
reveal(
    prediction,
    "never explores"
    if explores_not and not good
    else "finds her best arm"
    if good
    else "learns nothing",
    choices=("finds her best arm", "never explores", "learns nothing"),
    because="whatever is recommended again and again is accepted again and again",
)

# %%
plt.barh(fell.index, fell["regret"], color=["C0", "C3", "C3", "C3", "C3", "0.7"])
plt.gca().invert_yaxis()
plt.xlabel("regret")
plt.show()

# %% [markdown]
# Three different mistakes, one end: **an arm that is recommended for ever is accepted for ever.** She
# gets to know it, no other arm is ever clearly better, and nobody finds out what she would have liked.
#
# - With a short sight the learner costs {{fell["regret"]["short sight"]:.0f}}, as looking round pays only
#   later.
# - Paid for acceptance it is accepted {{fell["acceptance_rate"]["paid for yes"]:.1%}} of the time, and
#   costs {{fell["regret"]["paid for yes"]:.0f}}. A platform that counts clicks should worry.
# - The very policy that cost {{fell["regret"]["learned"]:.0f}} costs
#   {{fell["regret"]["likeliest"]:.0f}} when its likeliest action is taken: it explored by chance alone.

# %% [markdown]
# ## A policy by hand
#
# ### Exercise 6.4
#
# Now you are the learner. Write a policy that is clearly better than UNI. It gets the observation of
# one user, the 21 numbers that you saw above: `observation[0:5]` are the acceptances of the ranks,
# `[5:10]` the rejections, `[10:15]` the last responses, `[15:20]` the rejections since the last
# acceptance, `[20]` is the time. It returns a rank from 0 to 4.
#
# <!-- given: 21 (four numbers for each of five arms, and the time) -->


# %% tags=["exercise"]
def policy(observation):
    """Return the rank to recommend."""
    # BEGIN SOLUTION
    never_rejected = [rank for rank in range(5) if observation[5 + rank] == 0]
    return never_rejected[-1] if never_rejected else 0
    # END SOLUTION


# %%
check_exercise("6.4", policy)

# %% [markdown]
# ## Who is better?
#
# Two means are two numbers; one of them is always the smaller. Both agents met the **same** users, so
# look at the *difference* with each user, and at the interval of its mean. That is what
# `results.compare` did above.
#
# ### Exercise 6.5
#
# Given both ends of the interval of (regret of the first) - (regret of the second), say whether the
# first is `"better"`, `"worse"`, or whether they are `"level"`.


# %% tags=["exercise"]
def reading(low, high):
    """Return "better", "worse" or "level"."""
    # BEGIN SOLUTION
    if high < 0:
        return "better"
    return "worse" if low > 0 else "level"
    # END SOLUTION


# %%
check_exercise("6.5", reading)

# %% [markdown]
# The learner's weights also came by chance: another seed, other weights. To say that *REINFORCE* is
# better than BAIR, and not that these weights are, you train again with other seeds, and compare the
# seeds. Try `reinforce(counts, counts_features, seed=1)`.

# %% [markdown]
# ## What more computing buys
#
# Two networks come with the package, trained with Stable-Baselines3 for minutes where ours took
# seconds. This is the course of the training of one of them, as it was written down then:

# %%
import pandas as pd

from explorative_user_env.shipped import shipped_models

training = pd.read_csv(shipped_models()["regret-k5"] / "training.csv")
plt.plot(training["steps"] / 1e6, training["regret"], "o-", label="PPO, two layers")
plt.plot(np.arange(1, len(course) + 1) * 64 * T / 1e6, -course, ".-", label="ours")
plt.axhline(told["regret"]["SE"], c="0.5", ls="--", label="SE")
plt.xlabel("million steps")
plt.ylabel("regret")
plt.ylim(100, 320)
plt.legend()
plt.show()

# %% [markdown]
# After {{training["steps"].iloc[-1] / 1e6:.1f}} million steps it stood at
# {{training["regret"].iloc[-1]:.0f}}, level with SE. So neither a network nor more steps beat the
# elimination that the theory is built on: her rejections say what there is to hear. If you have the
# extra `rl` (which brings PyTorch), change the `False`:

# %%
HAVE_TORCH = False
if HAVE_TORCH:
    print(eu.evaluate(["sb3:regret-k5", "BAIR", "SE"], **USERS))
    print(eu.evaluate(["sb3:bai-k5", "BAIR", "SE"], n_arms=K, n_instances=200))

# %% [markdown]
# ## Exam question
#
# <!-- given: 61 (the seed) -->
# *Seed 61.* A colleague trains with `reinforce(counts, counts_features, gamma=0.9, episodes=8, seed=61)` and
# reports: "The reward of the last episode is no better than that of the first, so this user cannot be
# learned from."
#
# 1. Run it. What did the policy learn, and how do you see that from its acceptances?
# 2. Why does $\gamma = 0.9$ lead there, though each step's reward is minus the true regret of that
#    step? Use the sum of $\gamma^k$.
# 3. Name an agent of this course that falls into the same hole without any learning, and one that
#    cannot.
# 4. How would you show that $\gamma = 1$ is better, and not only luckier?

# %% [markdown] tags=["solution"]
# ### Answer and how to mark it

# %% tags=["solution"]
theta_exam, course_exam = reinforce(counts, counts_features, gamma=0.9, episodes=8, seed=61)
exam = eu.evaluate([agent_of(theta_exam, "exam")], **USERS).summary().iloc[0]

# %% [markdown] tags=["solution"]
# 1. It learned to recommend what is accepted: {{exam["acceptance_rate"]:.1%}} of its recommendations
#    are, and its regret is {{exam["regret"]:.0f}}. The reward of the first episode was
#    {{course_exam[0]:.0f}}, that of the last {{course_exam[-1]:.0f}}. (Three points; one for "it learned
#    nothing".)
# 2. The weights $\gamma^k$ add up to $1 / (1 - \gamma) = 10$: it looks some ten steps ahead. Within ten
#    steps a rejected or a poor arm only costs; what she learns, and we with her, pays after hundreds.
#    (Three points.)
# 3. *Greedy* of lesson 1, or EXP3 and UNI's answer by acceptances in lesson 3; SE and BAIR cannot, as
#    they go round until she rejects. (Two points.)
# 4. Several training seeds for each $\gamma$, all compared on the same users; the interval is of the
#    difference over seeds, not over users of one seed. (Two points.)

# %% [markdown]
# ## Further reading
#
# - R. Sutton and A. Barto, *Reinforcement Learning*: chapter 13 on REINFORCE and its baseline; section
#   17.3 on what to take for a state when one observation is not enough.
# - T. Lattimore and C. Szepesvári, *Bandit Algorithms*: chapter 1 on why bandits are the simplest
#   place to study exploration, chapter 37 on partial monitoring, where nobody sees the reward.
# - A. Slivkins, *Introduction to Multi-Armed Bandits*: chapter 11 on agents who have to be brought to
#   explore.
# - R. Williams, *Simple statistical gradient-following algorithms for connectionist reinforcement
#   learning*, 1992.
#
# <!-- given: 13 (chapter), 17.3 (section), 37 (chapter), 11 (chapter), 1992 (year) -->
