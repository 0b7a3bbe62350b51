# %% [markdown]
# # 4. BAIR, step by step
#
# Early on, the user may reject an arm that is the best for her. An agent that trusts these
# rejections loses her best arm. In this lesson you write the agent that waits until her rejections
# are reliable: the paper's BAIR, **B**est **A**rm **I**dentification under **R**evealed
# preferences. Your agent will make the same recommendations as the package's agent, in every step.

# %%
import gymnasium as gym
import matplotlib.pyplot as plt

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Phase1, SuccessiveElimination
from explorative_user_env.teach import check_exercise, hint, reveal
from explorative_user_env.theory import phase1_acceptances_needed

plt.rcParams["figure.dpi"] = 100


def show_run(episode, phase2=None):
    """Plot the recommended arm of each step: a dot for an acceptance, a cross for a rejection."""
    _, axes = plt.subplots(figsize=(8, 0.8 + 0.5 * (max(episode.arms) + 1)))
    for step, (arm, accepted) in enumerate(zip(episode.arms, episode.accepted, strict=True), 1):
        axes.plot(step, arm, "o" if accepted else "X", color="tab:blue" if accepted else "tab:red")
    if phase2 is not None:
        axes.axvline(phase2 + 0.5, color="grey", linestyle=":")
        axes.text(phase2 + 0.7, -0.65, "Phase 2", color="grey", va="center")
    axes.set(xlabel="t", ylabel="arm", yticks=range(max(episode.arms) + 1))
    axes.set_ylim(max(episode.arms) + 0.6, -1)
    axes.xaxis.get_major_locator().set_params(integer=True)
    plt.show()


env = gym.make("ExplorativeUser-v0", n_arms=3, gap=1.0, alpha=0.25, max_episode_steps=-1)
shown = eu.rollout(env, BAIR(n1=20), seed=80)
show_run(shown, eu.rollout(env, Phase1(n1=20), seed=80).stopping_time)

# %% [markdown]
# The plot shows a complete run of BAIR with one user and three arms: a dot is an acceptance, a
# cross a rejection. Her best arm is arm {{shown.answer}}. She rejected it at $t = 4$, and BAIR
# names it in the end. After this lesson you can explain every point of the plot.
#
# If you are stuck in exercise 4.1, run `hint("4.1")`: it says where to look. `hint("4.1", level=2)`
# describes the steps. Every exercise has such hints.
#
# **You will be able to**
#
# - explain the errors of an agent without Phase 1, and measure how frequent they are;
# - compute $N_1$, and explain the cost of each of its parameters;
# - write Phase 1, Phase 2 and the complete agent, and find the first step at which a wrong agent
#   differs from the right one;
# - adapt the agent to a user with click noise.
#
# <!-- given: 75, 15, 10, 20, 15, 15 (the minutes of the plan) -->
#
# | part | minutes |
# | :--- | ---: |
# | 1. Early rejections | 15 |
# | 2. How many acceptances are enough? | 10 |
# | 3. Phase 1 | 20 |
# | 4. Phase 2, and the complete agent | 15 |
# | 5. Click noise | 15 |
#
# These are 75 minutes; the exam question is homework.

# %% [markdown]
# ## 1. Early rejections
#
# A rejection is the only evidence that an agent observes: she rejects arm $i$ if and only if the
# interval of another arm lies above that of arm $i$. So why not eliminate an arm at its first
# rejection, and stop when one arm is left? This agent is **successive elimination** (SE). We run it
# with another user.

# %%
hasty = eu.rollout(env, SuccessiveElimination(), seed=348)
for t in range(1, 7):
    response = "accepted" if hasty.accepted[t - 1] else "REJECTED"
    print(f"t = {t}: arm {hasty.arms[t - 1]} {response}")

# %% [markdown]
# Her best arm is arm 0. She has accepted it twice. SE recommends it again, at $t = 7$.
#
# **Predict.** Does she accept or reject?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "accepts" or "rejects"
prediction = "rejects"
# END SOLUTION

# %%
happened = "accepts" if hasty.accepted[6] else "rejects"
reveal(
    prediction,
    happened,
    because="the first two rewards of arm 1 were high: its interval lies above that of arm 0",
)


# %%
def state_after(env, arms, seed):
    """Return a user's hidden state after the recommendation of `arms`, in order."""
    env.reset(seed=seed)
    for arm in arms:
        env.step(arm)
    return env.unwrapped.hidden_state()


state = state_after(env, hasty.arms[:6], seed=348)
_, axes = plt.subplots(figsize=(8, 2.2))
for arm, (low, high) in enumerate(zip(state.lower_bounds, state.upper_bounds, strict=True)):
    axes.plot([low, high], [arm, arm], linewidth=6, solid_capstyle="butt", alpha=0.5)
    axes.plot(state.instance.means[arm], arm, "k|", markersize=16)
axes.axvline(state.lower_bounds[1], color="grey", linestyle=":")
axes.set(xlabel="reward (black: true means)", ylabel="arm", yticks=[0, 1, 2])
axes.set_ylim(2.6, -0.6)
plt.show()

# %% [markdown]
# The mean of arm 1 is {{state.instance.means[1]:.2f}}, but the mean of its first two rewards is
# {{state.estimates[1]:.2f}}. The interval of arm 1 starts at {{state.lower_bounds[1]:.2f}}, and the
# interval of arm 0 ends at {{state.upper_bounds[0]:.2f}}. So she rejects her best arm. SE stops
# after {{hasty.stopping_time}} recommendations and answers arm {{hasty.answer}}, whose mean is
# {{state.instance.means[0] - state.instance.means[hasty.answer]:.2f}} below the best.
#
# With few acceptances $n(t)$, her $\Gamma = 2\alpha\log(\rho_t\, n(t))$ is small, so her intervals
# are too narrow for the number of rewards. **The remedy: collect many acceptances first, and use
# her rejections only afterwards.** This is Phase 1, and $N_1$ is its number of acceptances.
#
# One unlucky user proves little. The next cell runs many users with five arms, and varies only
# $N_1$.

# %%
n1s = [1, 10, 30, 100, 300, 1000]
agents = [BAIR(n1=n1, name=f"N_1 = {n1}") for n1 in n1s]
results = eu.evaluate(agents, n_arms=5, alpha=0.25, n_instances=2000, seed=4)
summary = results.summary().set_index("agent")
hasty_runs = results.runs[results.runs["agent"] == "N_1 = 1"]
summary["median T"] = results.runs.groupby("agent")["interactions"].median()
summary[["wrong", "censored", "median T", "n_runs"]]

# %%
_, axes = plt.subplots(figsize=(6, 3))
axes.plot(n1s, 100 - 100 * summary["success"], "o-")
axes.fill_between(
    n1s, 100 - 100 * summary["success_high"], 100 - 100 * summary["success_low"], alpha=0.2
)
axes.set(xscale="log", ylim=(0, None), xlabel="$N_1$", ylabel="failed runs in % (band: 95%)")
plt.show()

# %% [markdown]
# With $N_1 = 1$ (one pass over the arms) {{100 * summary.loc["N_1 = 1", "wrong"]:.1f}} % of the
# answers are wrong, with $N_1 = 1000$ {{100 * summary.loc["N_1 = 1000", "wrong"]:.1f}} %. With
# $N_1 = 1$ the wrong answers come early: half of them before step
# {{hasty_runs[~hasty_runs["correct"]]["interactions"].median():.0f}}.
#
# (The table shows medians for a reason. If an agent eliminates her best arm by mistake, two close
# arms may remain, and distinguishing them may take very long. The longest run here has
# {{hasty_runs["interactions"].max():,}} steps, the step cap, which is
# {{100 * hasty_runs["interactions"].max() / hasty_runs["interactions"].sum():.0f}} % of all steps
# with $N_1 = 1$. This single run would dominate a mean.)
#
# This user is impatient, with $\alpha = 0.25$. Are the errors as frequent with $\alpha = 1$?

# %%
patient = eu.evaluate(agents[:4], n_arms=5, alpha=1.0, n_instances=2000, seed=4)
patient_runs = patient.runs[patient.runs["agent"] == "N_1 = 1"]
patient.summary().set_index("agent")[["wrong", "censored", "n_runs"]]

# %% [markdown]
# No. With $N_1 = 1$, {{(~patient_runs["correct"]).sum()}} of {{len(patient_runs)}} runs do not name
# the best arm. With $\alpha = 1$ her intervals are twice as wide. So Phase 1 is necessary for a
# *guarantee* for every user, rather than for the average user. Lesson 5 shows the users that
# require it.
# <!-- given: 5 (a lesson) -->

# %% [markdown]
# ## 2. How many acceptances are enough?
#
# The paper's lemma on Phase 2: if Phase 1 ends with
#
# $$N_1 = \frac{1}{\rho_0}\left(\frac{2K}{\delta}\right)^{1/\alpha}$$
#
# acceptances, then Phase 2 answers with the best arm with probability at least $1 - \delta$. Here
# $\rho_0$ is the smallest value of her $\rho_t$.
#
# ### Exercise 4.1
# Write $N_1$.


# %% tags=["exercise"]
def acceptances_needed(n_arms, delta, alpha, rho_0):
    """Return N_1."""
    # BEGIN SOLUTION
    return (2 * n_arms / delta) ** (1 / alpha) / rho_0
    # END SOLUTION


# %%
check_exercise("4.1", acceptances_needed)

# %%
for alpha in [2.0, 1.0, 0.5, 0.25]:
    needed = [phase1_acceptances_needed(5, delta, alpha) for delta in (0.1, 0.01)]
    print(f"alpha = {alpha}: N_1 = {needed[0]:,.0f} for delta = 0.1, {needed[1]:,.0f} for 0.01")

# %% [markdown]
# For the impatient user above the lemma requires {{phase1_acceptances_needed(5, 0.1, 0.25):,.0f}}
# acceptances, although in the plot a thousand seem sufficient. Both are correct: the lemma holds
# for *every* user, the plot shows random users.

# %% [markdown]
# ## 3. Phase 1
#
# Phase 1 collects acceptances, with as few rejections as possible. The paper's Algorithm 1:
#
# > **input** $K$, $N_1$. Start with $F = [K]$ and all $n_i = 0$.
# >
# > **repeat** recommend each arm of $F$ once, and remove the rejected arms from $F$, **until** $F$
# > is empty or there are $N_1$ acceptances.
# >
# > **repeat** if $F$ is empty, set $F = [K]$; for each $i \in F$ recommend $i$ until she rejects
# > it, then remove it from $F$, **until** there are $N_1$ acceptances.
# >
# > **output** $n_1, \dots, n_K$.
#
# The pseudo-code leaves three details open. The package's agent decides them so:
#
# - $N_1$ counts **acceptances**. (The paper says "time step" here, and acceptances in its lemmas.)
# - The first loop checks $N_1$ **after each pass** over $F$; the second loop checks it **after
#   every response**.
# - Both loops visit the arms of $F$ in the order of their numbers.
#
# BAIR with $N_1 = 20$ recommends to the user of section 1. The first seven steps are the same as
# SE's: in the first loop she rejects arm 2 and then arm 0, so $F$ contains only arm 1, and $n(t)$
# is below $N_1$.
# <!-- given: 1 (a section) -->
#
# **Predict.** Which arm comes next?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # an arm: 0, 1 or 2
prediction = 1
# END SOLUTION

# %%
careful = eu.rollout(env, BAIR(n1=20), seed=348)
reveal(
    prediction,
    careful.arms[7],
    choices=(0, 1, 2),
    because="the first loop continues with the arms left in F, until F is empty or N_1 is reached",
)

# %% [markdown]
# ### Exercise 4.2
# Write Phase 1, in two steps. The attributes are given: `self.place` is the index of the next arm in
# `self.F`.
#
# 1. Write `act`, and `observe`, which updates $n_i$, $F$ and `place` after a response. Run the check:
#    it says when this step is right.
# 2. Write `end_step`, which every `observe` calls last. It decides whether a pass, the first loop or
#    Phase 1 is over, and sets `place`, `first_loop`, `over` and $F$.


# %% tags=["exercise"]
class Sweeping:
    """Phase 1."""

    def __init__(self, n_arms, n1):
        self.n_arms, self.n1 = n_arms, n1
        self.accepted = [0] * n_arms  # n_i
        self.F = list(range(n_arms))
        self.place = 0  # the index of the next arm in F
        self.first_loop = True
        self.over = False

    def act(self):
        """Return the arm to recommend, or None when Phase 1 is over."""
        # BEGIN SOLUTION
        return None if self.over else self.F[self.place]
        # END SOLUTION

    def observe(self, arm, accepted):
        """Count the response, remove a rejected arm from F, and select the next arm."""
        # BEGIN SOLUTION
        if accepted:
            self.accepted[arm] += 1
        else:
            self.F.remove(arm)  # the next arm moves to its place
        if accepted and self.first_loop:
            self.place += 1
        # END SOLUTION
        self.end_step()

    def end_step(self):
        """Update the state after a pass, after a loop, and at the end of Phase 1."""
        # BEGIN SOLUTION
        enough = sum(self.accepted) >= self.n1
        if not self.first_loop:
            self.over = enough
        elif self.place == len(self.F):  # the pass is over
            self.place = 0
            self.over = enough
            self.first_loop = len(self.F) > 0
        if not self.F:
            self.F = list(range(self.n_arms))
        # END SOLUTION


# %%
check_exercise("4.2", Sweeping)

# %% [markdown]
# <!-- given: 20 (arms of the grader's users) -->
# The check runs the package's Phase 1 with users with 2, 5 and 20 arms, and prints the first step
# at which your answer differs. Some of these users have click noise, as in section 5: otherwise the
# second loop is rare.

# %% [markdown]
# ## 4. Phase 2, and the complete agent
#
# Now rejections count. The paper's Algorithm 2:
#
# > **input** $n_1, \dots, n_K$ from Phase 1. Start with $F = [K]$.
# >
# > **while** $\lvert F \rvert > 1$: recommend $a_t = \arg\min_{i \in [K]} n_i$; if she accepts,
# > increase $n_{a_t}$ by one; if she rejects, remove $a_t$ from $F$.
# >
# > **output** the arm in $F$.
#
# **The pseudo-code contains a trap.** A rejected arm keeps its $n_i$, so one step later the argmin
# over $[K]$ is the same arm, for ever. So take the argmin over $F$; if arms are tied, take the
# first.

# %%
begins = eu.rollout(env, Phase1(n1=20), seed=348).stopping_time
print(f"Phase 1 ends after {begins} steps")

# %% [markdown]
# $F = [K]$: the arms that Phase 1 removed are candidates again. In our run Phase 2 starts with arm
# {{careful.arms[begins]}}, which has the smallest $n_i$, and continues with arms that she rejected
# early. She rejected arm 0 at $t = 7$.
#
# **Predict.** Does she accept or reject arm 0 when Phase 2 recommends it again?

# %% tags=["exercise"]
# BEGIN SOLUTION
# | prediction = None  # "accepts" or "rejects"
prediction = "accepts"
# END SOLUTION

# %%
again = careful.arms.index(0, begins)
reveal(
    prediction,
    "accepts" if careful.accepted[again] else "rejects",
    because="later rewards of arm 1 were lower, so its interval is no longer above that of arm 0",
)

# %% [markdown]
# ### Exercise 4.3
# Write Phase 2. Its argument is the list of the $n_i$ from Phase 1.


# %% tags=["exercise"]
class Elimination:
    """Phase 2."""

    def __init__(self, accepted):
        self.accepted = list(accepted)  # n_i
        self.F = list(range(len(self.accepted)))

    def act(self):
        """Return the arm to recommend, or None when one arm is left."""
        # BEGIN SOLUTION
        if len(self.F) == 1:
            return None
        return min(self.F, key=lambda arm: self.accepted[arm])
        # END SOLUTION

    def observe(self, arm, accepted):
        """Count the response, and remove a rejected arm from F."""
        # BEGIN SOLUTION
        if accepted:
            self.accepted[arm] += 1
        else:
            self.F.remove(arm)
        # END SOLUTION

    def answer(self):
        """Return the arm that is left."""
        # BEGIN SOLUTION
        return self.F[0]
        # END SOLUTION


# %%
check_exercise("4.3", Elimination)

# %% [markdown]
# You can continue with a blank above: if exercise 4.2 or exercise 4.3 is not right yet, the next
# cell replaces your class by the right answer.

# %%
from explorative_user_env.teach import lesson_4

if not check_exercise("4.2", Sweeping).right:
    print("Exercise 4.2 is not right yet: the package's class replaces your Sweeping.")
    Sweeping = lesson_4.Sweeping
if not check_exercise("4.3", Elimination).right:
    print("Exercise 4.3 is not right yet: the package's class replaces your Elimination.")
    Elimination = lesson_4.Eliminating

# %% [markdown]
# ### Exercise 4.4
# Combine your phases. An **agent** has four methods: `reset` starts a run with a new user, `act`
# returns an arm or `None`, `observe` receives her response, `answer` names the best arm. Use the
# lemma's $N_1$: `phase1_acceptances_needed(n_arms, delta, alpha, rho_0)`.


# %% tags=["exercise"]
class MyBAIR:
    """Phase 1, then Phase 2."""

    name = "mine"

    def __init__(self, delta=0.1, alpha=1.0, rho_0=1.0):
        self.delta, self.alpha, self.rho_0 = delta, alpha, rho_0

    def reset(self, n_arms, rng, horizon=None):
        """Start a run with a new user: discard all earlier state."""
        # BEGIN SOLUTION
        n1 = phase1_acceptances_needed(n_arms, self.delta, self.alpha, self.rho_0)
        self.phase1 = Sweeping(n_arms, n1)
        self.phase2 = None  # until Phase 1 is over
        # END SOLUTION

    def act(self):
        """Return the arm to recommend, or None to stop."""
        # BEGIN SOLUTION
        if self.phase2 is None:
            arm = self.phase1.act()
            if arm is not None:
                return arm
            self.phase2 = Elimination(self.phase1.accepted)
        return self.phase2.act()
        # END SOLUTION

    def observe(self, arm, accepted):
        """Update the state with the user's response."""
        # BEGIN SOLUTION
        phase = self.phase1 if self.phase2 is None else self.phase2
        phase.observe(arm, accepted)
        # END SOLUTION

    def answer(self):
        """Return the arm that the agent names as the best."""
        # BEGIN SOLUTION
        return self.phase2.answer()
        # END SOLUTION


# %%
check_exercise("4.4", MyBAIR)

# %% [markdown]
# If your answer is right, `eu.evaluate([BAIR(), MyBAIR()], n_instances=100)` prints two rows with
# the same numbers. (The package's agent is compiled, so yours is slower.)
#
# The next cell animates the run with the user of section 1. Press play, and pause at the start of
# Phase 2. The left part shows what the agent observes, the middle her hidden state, the right what
# BAIR computes.
# <!-- given: 1 (a section) -->

# %%
careful.film(reveal=True)

# %% [markdown]
# BAIR took {{careful.stopping_time}} recommendations, SE took {{hasty.stopping_time}}. BAIR got
# {{careful.rejections}} rejections, and answered arm {{careful.answer}}, her best arm.

# %% [markdown]
# ## 5. Click noise
#
# Real users make mistakes. With **click noise** $p$ each response is random with probability $p$: a
# fair coin decides it. Then a rejection proves nothing, and an agent that eliminates an arm at its
# first rejection loses good arms. How often is BAIR still right, with $p = 0.1$?

# %%
line_up = [BAIR(m=m, name=f"m = {m}") for m in (1, 2, 4, 8, 16)]
line_up.append(BAIR(m="paper", rejections="consecutive", name="in a row"))
slips = eu.evaluate(line_up, n_arms=5, noise=0.1, n_instances=300, seed=4).summary()
slips = slips.set_index("agent")
longer = slips.loc["m = 16", "stopping_time"] / slips.loc["m = 1", "stopping_time"]
slips[["success", "success_low", "success_high", "stopping_time"]].round(3)

# %% [markdown]
# With $m = 1$, BAIR is right for {{100 * slips.loc["m = 1", "success"]:.0f}} % of the users.
# **BAIR(m)** eliminates an arm in Phase 2 only at its $m$-th rejection; with $m = 16$ it is right
# for {{100 * slips.loc["m = 16", "success"]:.0f}} %, with {{longer:.1f}} times as many steps. The
# last row counts **consecutive** rejections: noise rarely rejects a good arm several times in a
# row, so this agent is right for {{100 * slips.loc["in a row", "success"]:.0f}} %.
#
# ### Exercise 4.5
# Change your Phase 2 to BAIR(m): eliminate an arm from $F$ at its $m$-th rejection in Phase 2.
# Count all rejections of the arm, consecutive or not.


# %% tags=["exercise"]
class EliminationOfM:
    """Phase 2 of BAIR(m)."""

    def __init__(self, accepted, m):
        self.accepted = list(accepted)  # n_i
        self.m = m
        self.F = list(range(len(self.accepted)))
        # BEGIN SOLUTION
        self.rejected = [0] * len(self.accepted)
        # END SOLUTION

    def act(self):
        """Return the arm to recommend, or None when one arm is left."""
        # BEGIN SOLUTION
        if len(self.F) == 1:
            return None
        return min(self.F, key=lambda arm: self.accepted[arm])
        # END SOLUTION

    def observe(self, arm, accepted):
        """Count the response, and remove an arm from F at its m-th rejection."""
        # BEGIN SOLUTION
        if accepted:
            self.accepted[arm] += 1
            return
        self.rejected[arm] += 1
        if self.rejected[arm] == self.m:
            self.F.remove(arm)
        # END SOLUTION

    def answer(self):
        """Return the arm that is left."""
        # BEGIN SOLUTION
        return self.F[0]
        # END SOLUTION


# %%
check_exercise("4.5", EliminationOfM)

# %% [markdown]
# ## Exam question
#
# <!-- given: 150 (the seed of the exam) -->
# BAIR with $N_1 = 10$ runs with a user with four arms (seed 150). These are her responses, in
# order: A for an acceptance and R for a rejection.

# %%
exam_env = gym.make("ExplorativeUser-v0", n_arms=4, gap=1.0, alpha=0.25, max_episode_steps=-1)
exam = eu.rollout(exam_env, BAIR(n1=10), seed=150)
print("".join("A" if accepted else "R" for accepted in exam.accepted))

# %% [markdown]
# Without a computer: (a) write the recommended arm under every response; (b) name the first step of
# Phase 2, and its initial $n_i$; (c) name the answer; (d) explain what would change if $N_1$
# counted steps.

# %% tags=["solution"]
part = eu.rollout(exam_env, Phase1(n1=10), seed=150)
by_steps = eu.rollout(exam_env, Phase1(n1=10, phase1_counts="steps"), seed=150)
yes = [arm for arm, accepted in zip(part.arms, part.accepted, strict=True) if accepted]
show_run(exam, part.stopping_time)

# %% [markdown] tags=["solution"]
# ### Answer and marking (teachers only)
#
# (a) {{", ".join(map(str, exam.arms))}}. Two passes over all arms, the second of which removes two;
# a third pass over the remaining two, which removes one of them; then the last arm alone until
# there are ten acceptances. *Half of the marks. After an error, mark the following steps as if it
# were right.*
#
# (b) At step {{part.stopping_time + 1}}, with $n_i$ = {{[yes.count(arm) for arm in range(4)]}}: the
# arms rejected in Phase 1 are candidates again. *A common error is to leave them out.*
#
# (c) Arm {{exam.answer}}, the only arm without a rejection in Phase 2. It is her best arm, although
# Phase 2 recommended it {{exam.arms[part.stopping_time :].count(exam.answer)}} times. *Full marks
# require the reason.*
#
# (d) Phase 1 would end with the pass that contains the tenth step, after {{by_steps.stopping_time}}
# steps, with {{by_steps.acceptances}} acceptances instead of {{part.acceptances}}. She learns
# nothing from rejections, so Phase 2 would trust her rejections too early.

# %% [markdown]
# ## Further reading
#
# <!-- given: 2020, 2019, 2018, 2006, 33 (years and a chapter) -->
# - The paper: Yao, Li, Nekipelov, Wang and Xu, *Learning the optimal recommendation from
#   explorative users*: the section on learning from revealed preferences has both algorithms, the
#   appendix has the proof of the lemma.
# - Lattimore and Szepesvari, *Bandit Algorithms* (2020): chapter 6 on explore-then-commit, with an
#   exercise on elimination; chapter 33 on pure exploration.
# - Slivkins, *Introduction to Multi-Armed Bandits* (2019): chapter 1 has successive elimination.
# - Sutton and Barto, *Reinforcement Learning* (2018): chapter 2 shows agents that, unlike ours,
#   observe rewards.
# - Even-Dar, Mannor and Mansour, *Action elimination and stopping conditions* (2006): SE with
#   observed rewards.
