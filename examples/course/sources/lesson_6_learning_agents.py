# %% [markdown]
# # 6. Learning agents against BAIR
#
# People who understood the user designed BAIR. Can a learning algorithm find such a rule from
# experience alone? The plot shows the regret of agents of this course over $500$ recommendations:
# the learning algorithm should be as good.

# %%
import gymnasium as gym
import matplotlib.pyplot as plt
import numpy as np

import explorative_user_env as eu
from explorative_user_env.seeding import training_seeds
from explorative_user_env.teach import check_exercise, hint, reveal

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
# If you are stuck in exercise 6.1, run `hint("6.1")`: it says where to look. `hint("6.1", level=2)`
# describes the steps. Every exercise has such hints.
#
# **You will learn**
#
# - which observation a learning algorithm needs, and why one bit is not sufficient;
# - how REINFORCE learns a policy from returns, in a page of NumPy;
# - three traps: a small discount factor, a reward for acceptance, and a deterministic policy;
# - how to show that one agent is better than another.
#
# **Time** (75 minutes): the task, five; observations, fifteen; REINFORCE, twenty-five; three traps,
# twenty; comparison, ten.
#
# <!-- given: 75 (the plan of the class) -->

# %% [markdown]
# ## The task
#
# An episode is one user and $T = 500$ recommendations. The **action** is the arm. The
# **observation** describes her responses. The **reward** of a step is $\mu_a - \mu_*$: 0 for her
# best arm, and negative for other arms. The sum of the rewards is minus the regret.
#
# With real users nobody observes $\mu_a - \mu_*$. It is a **training signal**: the learning
# algorithm gets it during training, with simulated users whose means we know. Afterwards the policy
# runs with new users, and observes only their responses.

# %% [markdown]
# ## Observations
#
# `ExplorativeUser-v0` has an observation of one bit: her last response. Consider a policy **without
# memory** on this observation. It has one probability distribution after an acceptance, and another
# after a rejection.
#
# **Predict.** After any amount of training, how good is the policy on one bit? The regret of UNI is
# about {{round(bar["regret"]["UNI"], -1):.0f}}, that of BAIR is {{bar["regret"]["BAIR"]:.0f}}.

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "like BAIR", "in the middle" or "like UNI"
prediction = "like UNI"
# END SOLUTION

# %% [markdown]
# The answer follows below, after the training. A better observation contains what the bit leaves
# out: **which** arms she accepted and rejected, and how often. The observation of
# `ExplorativeUserCounts-v0` contains, for each arm, its acceptances, its rejections, its last
# response, and its rejections since the last acceptance; and the time. Counts are on a log scale,
# because the step from 1 to 2 matters more than the step from 101 to 102.
#
# Also, the numbers of the arms have no meaning: a rule for arm 3 holds for arm 0. So the
# observation **sorts** the arms, the most accepted first, and the action is a **rank**.
#
# <!-- given: 101 (an example), 102 (an example) -->
#
# ### Exercise 6.1
#
# Given the acceptances of the arms, return the arm of each rank, the most accepted first. Order
# tied arms by their numbers.


# %% tags=["exercise"]
def arm_of_each_rank(acceptances):
    """Return a list of the arms, the most accepted first."""
    # BEGIN SOLUTION
    return sorted(range(len(acceptances)), key=lambda arm: -acceptances[arm])
    # END SOLUTION


# %%
check_exercise("6.1", arm_of_each_rank)

# %%
users = gym.make_vec("ExplorativeUserCounts-v0", num_envs=64, n_arms=K)
observation, _ = users.reset(seed=training_seeds(0, 64))
for _ in range(40):
    observation, reward, *_ = users.step(np.full(64, 4))  # rank 4, the least accepted arm
np.set_printoptions(precision=2, suppress=True)
print("acceptances    ", observation[0, 0:5])
print("rejections     ", observation[0, 5:10])
print("last response  ", observation[0, 10:15])
print("since last acc.", observation[0, 15:20])
print("time           ", observation[0, 20:])

# %% [markdown]
# ## REINFORCE
#
# The policy is linear. Each rank $i$ has a vector of features $\phi_i$. The same weights $\theta$
# score all ranks, and a softmax converts the scores to probabilities:
#
# $$ \pi_\theta(i) = \frac{\exp(\theta \cdot \phi_i)}{\sum_j \exp(\theta \cdot \phi_j)}. $$
#
# After an episode, REINFORCE compares the return *after* each step with a baseline. If the return
# is higher, it increases the probability of the step's action:
#
# $$ \theta \leftarrow \theta + \eta \sum_t (G_t - b_t) \, \nabla_\theta \log \pi_\theta(a_t). $$
#
# You need the return $G_t$, and the gradient of the logarithm. (The baseline $b_t$ is the mean of
# $G_t$ over all users. It does not bias the gradient, and it reduces the noise.)
#
# ### Exercise 6.2
#
# Return $G_t = r_t + \gamma r_{t+1} + \gamma^2 r_{t+2} + \dots$ for every step $t$.


# %% tags=["exercise"]
def returns(rewards, gamma):
    """Return the list of G_t, one for each reward."""
    # BEGIN SOLUTION
    values, value = [], 0.0
    for reward in reversed(rewards):
        value = reward + gamma * value
        values.append(value)
    return values[::-1]
    # END SOLUTION


# %%
check_exercise("6.2", returns)

# %% [markdown]
# ### Exercise 6.3
#
# Return $\nabla_\theta \log \pi_\theta(a)$ for the softmax above.


# %% tags=["exercise"]
def score(chances, features, arm):
    """Return the gradient, an array like features[arm]; `features` has one row per rank."""
    # BEGIN SOLUTION
    return np.array(features)[arm] - np.array(chances) @ np.array(features)
    # END SOLUTION


# %%
check_exercise("6.3", score)

# %% [markdown]
# The next cell is the complete learning algorithm. It runs 64 users at once, so its arrays have one
# row per user: `chosen` is $\phi_a$ and `expected` is $\sum_i \pi(i) \phi_i$.
#
# <!-- given: 64 (users in step) -->


# %%
def counts_features(observation):
    """Return the features of each rank: its four counts, and its acceptances times the time."""
    ranks = observation[:, :-1].reshape(len(observation), 4, K).transpose(0, 2, 1)
    return np.concatenate([ranks, ranks[:, :, :1] * observation[:, -1:, None]], axis=2)


def bit_features(observation):
    """Return the features of each arm: a one-hot code of the arm and the last response."""
    return np.eye(2 * K)[2 * np.arange(K) + observation[:, None]]


def chances_of(theta, features):
    scores = features @ theta
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def drawn(chances, rng):
    return np.minimum((chances.cumsum(axis=1) < rng.random((len(chances), 1))).sum(axis=1), K - 1)


def reinforce(users, features_of, gamma=1.0, episodes=15, step=2.0, seed=0):
    """Return the weights after training, and the mean total reward of each episode."""
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
        gains, value = [], 0.0
        for reward in reversed(rewards):
            value = reward + gamma * value
            gains.append(value - value.mean())  # subtracts the baseline
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
places = {
    "like BAIR": bar["regret"]["BAIR"],
    "in the middle": middle,
    "like UNI": bar["regret"]["UNI"],
}
reveal(
    prediction,
    min(places, key=lambda place: abs(places[place] + course_bit[-3:].mean())),
    choices=tuple(places),
    because="after an acceptance, the usual response, the observation does not identify an arm",
)

# %% [markdown]
# In its last three episodes the policy on one bit has a regret of {{-course_bit[-3:].mean():.0f}},
# and the policy on sorted counts of {{-course[-3:].mean():.0f}}. The algorithm, the users and the
# reward are the same: the observation makes the difference.
#
# What did the policy learn? These are its weights:

# %%
names = ["acceptances", "rejections", "last response", "rejections since", "acceptances x time"]
for name, weight in zip(names, theta, strict=True):
    print(f"{name:20s}{weight:6.1f}")

# %% [markdown]
# Look at the signs. Rejections have a large negative weight: **the policy has learned
# elimination**. Early on it prefers arms with fewer acceptances, so it explores all arms; the last
# weight reverses this preference as time passes.

# %% [markdown]
# ## Evaluation with new users
#
# `eu.PolicyAgent` turns any policy into an agent. Then `eu.evaluate` compares it with BAIR, on the
# same users.


# %%
def agent_of(
    theta, name, features_of=counts_features, observation="sorted-counts", deterministic=False
):
    rng = np.random.default_rng(1)

    def policy(observation):
        chances = chances_of(theta, features_of(observation))
        return chances.argmax(axis=1) if deterministic else drawn(chances, rng)

    return eu.PolicyAgent(policy, observation=observation, horizon=T, batched=True, name=name)


results = eu.evaluate([agent_of(theta, "learned"), "BAIR", "SE", "UNI"], **USERS)
results

# %%
summary = results.summary().set_index("agent")
against_bair = results.compare("learned", "BAIR")
against_bair

# %% [markdown]
# The regret of the learned policy is {{summary["regret"]["learned"]:.0f}}, that of BAIR
# {{summary["regret"]["BAIR"]:.0f}}, and that of SE, which is BAIR without Phase 1,
# {{summary["regret"]["SE"]:.0f}}. The training took a page of NumPy and a few seconds. But this is
# the task of *regret*: BAIR is designed to name the best arm with probability $1 - \delta$, and the
# learned policy has no such guarantee.

# %% [markdown]
# ## Trap 1: a small discount factor
#
# Many tasks use a discount factor, such as $\gamma = .98$. Then a reward after $50$ steps has the
# weight {{0.98**50:.2f}}, and a reward after 200 steps the weight {{0.98**200:.2f}}.
#
# <!-- given: 200 (an example) -->

# %%
theta_small, _ = reinforce(counts, counts_features, gamma=0.98, episodes=8)

# %% [markdown]
# ## Trap 2: a reward for acceptance
#
# With real users you cannot measure regret, but you can measure acceptance. So why not give each
# acceptance the reward 1, and each rejection 0?
#
# **Predict.** What does an algorithm learn from a reward for acceptance?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "finds her best arm", "never explores" or "learns nothing"
prediction = "never explores"
# END SOLUTION

# %%
accept_env = gym.make_vec("ExplorativeUserCounts-v0", num_envs=64, n_arms=K, reward="accept")
theta_accept, course_accept = reinforce(accept_env, counts_features, episodes=8)
print(f"acceptance rate: first {course_accept[0] / T:.0%}, last {course_accept[-1] / T:.1%}")

# %% [markdown]
# ## Trap 3: a deterministic policy
#
# Some libraries switch exploration off for evaluation: `deterministic=True` takes the most probable
# action instead of a random one. We do so with the policy on sorted counts.

# %%
traps = eu.evaluate(
    [
        agent_of(theta, "learned"),
        agent_of(theta_small, "small gamma"),
        agent_of(theta_accept, "acceptance"),
        agent_of(theta, "deterministic", deterministic=True),
        agent_of(theta_bit, "one bit", bit_features, "response"),
        "UNI",
    ],
    **USERS,
)
traps_summary = traps.summary().set_index("agent")
traps

# %%
never_explores = traps_summary["acceptance_rate"]["acceptance"] > 0.99
good = traps_summary["regret"]["acceptance"] < 1.5 * summary["regret"]["BAIR"]
reveal(
    prediction,
    "never explores"
    if never_explores and not good
    else "finds her best arm"
    if good
    else "learns nothing",
    choices=("finds her best arm", "never explores", "learns nothing"),
    because="she accepts almost every arm that is recommended repeatedly",
)

# %%
plt.barh(traps_summary.index, traps_summary["regret"], color=["C0", "C3", "C3", "C3", "C3", "0.7"])
plt.gca().invert_yaxis()
plt.xlabel("regret")
plt.show()

# %% [markdown]
# These three mistakes have the same effect: **she accepts for ever an arm that is recommended for
# ever.** She learns only about this arm, so no other arm becomes clearly better, and the agent
# never finds a better one.
#
# - With a small discount factor the regret is {{traps_summary["regret"]["small gamma"]:.0f}},
#   because exploration pays only later.
# - With a reward for acceptance she accepts {{traps_summary["acceptance_rate"]["acceptance"]:.1%}}
#   of the recommendations, and the regret is {{traps_summary["regret"]["acceptance"]:.0f}}. A
#   platform that counts clicks has the same problem.
# - The learned policy has the regret {{traps_summary["regret"]["learned"]:.0f}}, but
#   {{traps_summary["regret"]["deterministic"]:.0f}} if it always takes its most probable action:
#   its exploration was random.

# %% [markdown]
# ## A policy by hand
#
# ### Exercise 6.4
#
# Write a policy that is clearly better than UNI. Its argument is the observation of one user, the
# 21 numbers that you saw above: `observation[0:5]` are the acceptances of the ranks, `[5:10]` the
# rejections, `[10:15]` the last responses, `[15:20]` the rejections since the last acceptance,
# `[20]` is the time. It returns a rank from 0 to 4.
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
# ## Comparing two agents
#
# One of two means is always smaller, even by chance. Both agents ran with the **same** users, so
# compute the *difference* for each user, and a confidence interval of its mean. `results.compare`
# above did so.
#
# ### Exercise 6.5
#
# Given both ends of the interval of (regret of the first agent) - (regret of the second agent),
# return whether the first agent is `"better"` or `"worse"`, or whether the agents are `"level"`:
# the interval contains 0.


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
# The learned weights depend on the random seed of the training. The comparison holds for these
# weights. To show that the algorithm *REINFORCE* is better than BAIR, repeat the training with
# other seeds, and compare over the seeds. Try `reinforce(counts, counts_features, seed=1)`.

# %% [markdown]
# ## More computation
#
# The package contains two networks, which Stable-Baselines3 trained for minutes; ours took seconds.
# The plot shows the stored training progress of one of them:

# %%
import pandas as pd

from explorative_user_env.shipped import shipped_models

training = pd.read_csv(shipped_models()["regret-k5"] / "training.csv")
plt.plot(training["steps"] / 1e6, training["regret"], "o-", label="PPO, a network with two layers")
plt.plot(np.arange(1, len(course) + 1) * 64 * T / 1e6, -course, ".-", label="REINFORCE")
plt.axhline(summary["regret"]["SE"], c="0.5", ls="--", label="SE")
plt.xlabel("million steps")
plt.ylabel("regret")
plt.ylim(100, 320)
plt.legend()
plt.show()

# %% [markdown]
# After {{training["steps"].iloc[-1] / 1e6:.1f}} million steps its regret was
# {{training["regret"].iloc[-1]:.0f}}, level with SE. So neither a network nor more steps are better
# than elimination, the rule of the theory. If you installed the extra `rl` (with PyTorch), set
# `HAVE_TORCH` to `True`:

# %%
HAVE_TORCH = False
if HAVE_TORCH:
    print(eu.evaluate(["sb3:regret-k5", "BAIR", "SE"], **USERS))
    print(eu.evaluate(["sb3:bai-k5", "BAIR", "SE"], n_arms=K, n_instances=200))

# %% [markdown]
# ## Exam question
#
# <!-- given: 61 (the seed) -->
# *Seed 61.* A colleague trains with
# `reinforce(counts, counts_features, gamma=0.9, episodes=8, seed=61)` and reports: "The reward of
# the last episode is no better than that of the first, so it is impossible to learn from this
# user."
#
# 1. Run it. What did the policy learn, and how do its acceptances show it?
# 2. Why does $\gamma = 0.9$ have this effect, although each step's reward is minus the regret of
#    the step? Use the sum of $\gamma^k$.
# 3. Name an agent of this course that makes the same mistake without any learning, and an agent
#    that cannot make it.
# 4. How would you show that $\gamma = 1$ is better, and not only better by chance?

# %% [markdown] tags=["solution"]
# ### Answer and marking

# %% tags=["solution"]
theta_exam, course_exam = reinforce(counts, counts_features, gamma=0.9, episodes=8, seed=61)
exam = eu.evaluate([agent_of(theta_exam, "exam")], **USERS).summary().iloc[0]

# %% [markdown] tags=["solution"]
# 1. It learned to recommend arms that she accepts: she accepts {{exam["acceptance_rate"]:.1%}} of
#    its recommendations, and its regret is {{exam["regret"]:.0f}}. The reward of the first episode
#    was {{course_exam[0]:.0f}}, that of the last {{course_exam[-1]:.0f}}. (Three points; one for
#    "it learned nothing".)
# 2. The weights $\gamma^k$ add up to $1 / (1 - \gamma) = 10$: the return covers about ten steps.
#    Within ten steps, recommending a rejected or bad arm only costs; her learning pays after
#    hundreds of steps. (Three points.)
# 3. *Greedy* of lesson 1, or EXP3 and the answer of UNI in lesson 3, which depend on acceptances.
#    SE and BAIR cannot, because they recommend every arm until she rejects it. (Two points.)
# 4. Train with several seeds for each $\gamma$, and compare all policies on the same users; the
#    interval is that of the difference over seeds, not over the users of one seed. (Two points.)

# %% [markdown]
# ## Further reading
#
# - R. Sutton and A. Barto, *Reinforcement Learning*: chapter 13 on REINFORCE and its baseline;
#   section 17.3 on states for tasks where one observation is not sufficient.
# - T. Lattimore and C. Szepesvári, *Bandit Algorithms*: chapter 1 on bandits as the simplest
#   setting of exploration, chapter 37 on partial monitoring, where rewards are not observed.
# - A. Slivkins, *Introduction to Multi-Armed Bandits*: chapter 11 on incentives for agents to
#   explore.
# - R. Williams, *Simple statistical gradient-following algorithms for connectionist reinforcement
#   learning*, 1992.
#
# <!-- given: 13 (chapter), 17.3 (section), 37 (chapter), 11 (chapter), 1992 (year) -->
