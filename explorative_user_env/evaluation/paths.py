"""The three forms of runs: step by step, compiled, and all users at once.

In best-arm identification each form returns the metrics of runs. In tasks with a horizon each form
returns the interactions of runs as `Play` objects, and `figures` computes their metrics. The task
"regret" is the task "population" with one user in each episode.
"""

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import protocol
from explorative_user_env.agents import AlgorithmAgent, with_facts
from explorative_user_env.envs.lanes import Lanes, Step
from explorative_user_env.envs.user import ExplorativeUserEnv, environment_of
from explorative_user_env.envs.user_vector import new_lanes
from explorative_user_env.kernels.compiler import can_compile, errors_of_compiling, short
from explorative_user_env.kernels.loops import Inputs, compiled_loop
from explorative_user_env.protocol import Array, UserFailedError, name_of
from explorative_user_env.runs.loop import Episode, Members, rollout
from explorative_user_env.seeding import agent_generator, member_seeds, user_generator
from explorative_user_env.users import model
from explorative_user_env.users.instances import Instance, instances_of
from explorative_user_env.users.population import Population
from explorative_user_env.validation import (
    CallableError,
    InvalidArgumentError,
    integer,
    is_external,
)

#: The metrics that a compiled loop of best-arm identification returns, without the best arm.
OUTCOMES = ("acceptances", "rejections", "answer", "end")

#: Most steps for which metrics are computed at a time: larger arrays are slower to allocate.
AT_ONCE = 50_000

#: Users in step. Each has one run; counting the first runs that end would favour short runs.
USERS_IN_STEP = 1024

#: Steps of a trial in plain Python before custom code is compiled.
TRIAL_STEPS = 100

Seeds = Sequence[int]

Figures = dict[str, Array]


class Play(NamedTuple):
    """The interactions of an agent with n users over T steps; entries after a user left are 0."""

    means: Array  # mu_i, shape (n, K)
    best_arms: Array  # shape (n,)
    arms: Array  # recommended arms, shape (n, T)
    accepted: Array  # shape (n, T), bool
    answers: Array  # shape (n,)
    stayed: Array  # the number of steps of each user, shape (n,)
    left: Array  # whether the user left, possibly at the last step, shape (n,), bool

    @classmethod
    def blank(cls, n_users: int, n_arms: int, horizon: int) -> "Play":
        """Return a play in which all entries are 0 and all users stay."""
        truth = (np.zeros((n_users, n_arms)), np.zeros(n_users, int))
        shape = (n_users, horizon)
        steps = (np.zeros(shape, np.int32), np.zeros(shape, bool))
        ends = (np.zeros(n_users, int), np.full(n_users, horizon), np.zeros(n_users, bool))
        return cls(*truth, *steps, *ends)

    def present(self) -> Array | None:
        """Return whether each user is present in each step, shape (n, T); None if no user left."""
        horizon = self.arms.shape[1]
        if not (self.stayed < horizon).any():
            return None
        return np.arange(horizon) < self.stayed[:, np.newaxis]

    def blank_missed(self) -> None:
        """Set the entries after a user left to 0."""
        if (present := self.present()) is not None:
            self.arms[:] *= present
            self.accepted[:] &= present


def figures(play: Play) -> Figures:
    """Return the metrics of a play by name, with one number for each user.

    Regret is the sum of mu_* - mu_a over the recommendations a; utility is the sum of mu_a over
    the acceptances. After a user left, each step has the regret of her worst arm and no utility. If
    n arms tie as most accepted and one of them is the best, `most_accepted_is_best` is 1/n, so that
    the order of the arms does not matter.
    """
    (n_users, n_arms), horizon = play.means.shape, play.arms.shape[1]
    if n_users > (size := max(1, AT_ONCE // horizon)):
        parts = (slice(first, first + size) for first in range(0, n_users, size))
        return joined([figures(Play(*(array[part] for array in play))) for part in parts])
    users, best_arms = np.arange(n_users), play.best_arms
    places = play.arms + (users * n_arms)[:, np.newaxis]
    values = play.means.ravel().take(places)
    best_means = play.means[users, best_arms]
    rewards = values - best_means[:, np.newaxis]
    left: Any = 0.0
    if (present := play.present()) is not None:
        rewards = rewards * present
        left = (horizon - play.stayed) * (play.means.min(axis=1) - best_means)
    # Products are ten times as fast as masks; adding 0.0 avoids -0.
    counted = play.accepted.ravel().astype(float)
    utilities = values * play.accepted + 0.0
    counts = np.bincount(places.ravel(), counted, n_users * n_arms).reshape(n_users, n_arms)
    most = counts == counts.max(axis=1, keepdims=True)
    return {
        "best_arm": best_arms.copy(),  # the next play reuses the memory
        "answer": play.answers.copy(),
        "acceptances": counts.sum(axis=1),
        "regret": -(rewards.sum(axis=1) + left),
        "utility": utilities.sum(axis=1),
        "last_arm": play.arms[users, play.stayed - 1],
        "most_accepted_arm": most.argmax(axis=1),
        "most_accepted_is_best": most[users, best_arms] / most.sum(axis=1),
        "interactions": play.stayed.copy(),
        "left": play.left.copy(),
    }


def joined(parts: Sequence[Figures]) -> Figures:
    """Concatenate the metrics of several groups of users."""
    if not parts[1:]:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


class Runs(NamedTuple):
    """The runs of one agent with the users of one population.

    Attributes:
        population: the users.
        agent: the agent, with its unset options filled in.
        cap: the step cap of a run, or the horizon.
        horizon: the horizon that `reset` passes to the agent, if any.
        task: best-arm identification by default.
        members: in the task "population", the users of an episode; else None.
        on_share: called after each step of all users at once with the share of the runs that is
            done, in [0, 1]; None calls nothing.
    """

    population: Population
    agent: Any
    cap: int
    horizon: int | None = None
    task: protocol.Task = protocol.BAI
    members: Members | None = None
    on_share: Callable[[float], None] | None = None

    @property
    def plays(self) -> int:
        """The number of users whose interactions a run returns; 0 in best-arm identification."""
        if self.task.ends_itself:
            return 0
        return 1 if self.members is None else self.members.n_users

    def figures(self, form: str, seeds: Seeds, halt: Array | None = None) -> Figures:
        """Return the metrics of runs by name; they are the same in every form.

        Args:
            form: "readable", step by step; "compiled"; or "in_step", with all users at once.
            seeds: the seeds of the users, or of the episodes.
            halt: an array of one number. If another thread sets it to 1, compiled runs end within
                milliseconds, and the metrics are invalid.

        Returns:
            In best-arm identification `best_arm` and the metrics in `OUTCOMES`, one number for
            each run. In tasks with a horizon the metrics that the function `figures` computes,
            one number for each user of each run.
        """
        parts = [
            figures(part) if isinstance(part, Play) else part
            for part in FORMS[form](self, seeds, halt)
        ]
        all_runs = joined(parts)
        if halt is not None and halt[0]:  # some runs may be missing
            return all_runs
        if self.plays and form == "in_step":  # the first users of all runs come first
            by_user = {name: each.reshape(self.plays, -1) for name, each in all_runs.items()}
            return {name: np.ascontiguousarray(each.T) for name, each in by_user.items()}
        if self.plays:
            return {name: each.reshape(-1, self.plays) for name, each in all_runs.items()}
        return all_runs

    def play(self, form: str, seeds: Seeds) -> Play:
        """Return the plays of all runs as one play; the arguments are those of `Runs.figures`."""
        copies = [[array.copy() for array in play] for play in FORMS[form](self, seeds, None)]
        return Play(*map(np.concatenate, zip(*copies, strict=True)))

    def columns(self, of: Figures) -> Figures:
        """Return the columns of a table of runs, except `instance` and `user_seed`.

        The population's setting determines whether `stopping_time` and `rejections` include the
        private draws of the user.
        """
        if self.members is not None:
            by_user = of["regret"].tolist()
            return {
                "acceptances": of["acceptances"].sum(axis=1),
                "regret": of["regret"].sum(axis=1),
                "utility": of["utility"].sum(axis=1),
                "regret_by_user": np.array([" ".join(map(repr, each)) for each in by_user]),
                "last_is_best": (of["last_arm"] == of["best_arm"]).mean(axis=1),
                "most_accepted_is_best": of["most_accepted_is_best"].mean(axis=1),
            }
        if self.plays:
            return {name: values[:, 0] for name, values in of.items()}
        setting, agent = self.population.setting, self.agent
        private_draws = setting.private_draws * self.population.n_arms
        algorithm = agent.algorithm.name if isinstance(agent, AlgorithmAgent) else name_of(agent)
        interactions = of["acceptances"] + of["rejections"]
        return {
            "best_arm": of["best_arm"],
            "answer": of["answer"],
            "correct": of["answer"] == of["best_arm"],
            "censored": of["end"] == protocol.CENSORED,
            "left": of["end"] == protocol.LEFT,
            "stopping_time": interactions + private_draws * setting.counts_private_draws,
            "interactions": interactions,
            "acceptances": of["acceptances"],
            "rejections": of["rejections"] + private_draws * setting.reports_as_rejected(algorithm),
        }


#: The current runs of a thread and their environment.
_OF_THREAD = threading.local()


def readable(runs: Runs, seeds: Seeds, halt: Array | None = None) -> Iterator[Figures | Play]:
    """Run the agent step by step, and yield the metrics or the play of each user in turn."""
    population, agent, cap, members = runs.population, runs.agent, runs.cap, runs.members
    if getattr(_OF_THREAD, "runs", None) is not runs:  # environments are slow to create
        _OF_THREAD.runs, _OF_THREAD.env = runs, environment_of(population, agent)
    env = _OF_THREAD.env
    for seed in seeds:
        if not runs.plays:
            episode = rollout(env, agent, seed, cap, runs.horizon)
            outcomes = {name: np.array([getattr(episode, name)]) for name in OUTCOMES}
            yield {"best_arm": np.array([env.instance().best_arm]), **outcomes}
            continue
        episodes: Iterable[tuple[Instance, Episode]]
        if members is None:
            episode = rollout(env, agent, seed, cap, cap, commits=True)
            episodes = [(env.instance(), episode)]
        else:
            episodes = members.run(population, agent, seed, cap)
        for instance, episode in episodes:
            play, steps = Play.blank(1, population.n_arms, cap), len(episode.arms)
            play.means[0], play.best_arms[0] = instance.means, instance.best_arm
            play.arms[0, :steps], play.accepted[0, :steps] = episode.arms, episode.accepted
            play.answers[0], play.stayed[0], play.left[0] = episode.answer, steps, episode.left
            yield play


def compiled(runs: Runs, seeds: Seeds, halt: Array | None = None) -> Iterator[Figures | Play]:
    """Run the agent in compiled code, and yield the metrics or the play of several users at a time.

    A play is valid until the next play, which reuses its memory. `Runs.figures` describes `halt`.
    """
    from explorative_user_env.kernels import seeds as kernel

    population, agent, members, plays = runs.population, runs.agent, runs.members, runs.plays
    user, law, behaviour = population.user, population.instance_law, population.behaviour
    halt, n_arms = np.zeros(1, int) if halt is None else halt, user.n_arms
    key = (agent.algorithm, population.schedule.rule, behaviour, user.law.compiled_in)
    loop = compiled_loop(*key, plays > 0, members is not None)
    most = min(kernel.N_STREAMS, len(seeds) if members is None else plays)
    buffer = Play.blank(most, n_arms if plays else 0, runs.cap if plays else 0)
    numbers, params = model.user_tuple(user), agent.params(n_arms, runs.horizon)
    user_state = model.user_arrays(user, behaviour.memory_of(n_arms))
    state = model.as_arrays(agent.algorithm.blank(params))
    law_of = None if members is None else members.laws(population)
    for episode in [None] if law_of is None else seeds:
        with kernel.streams() as users, kernel.streams() as agents:
            of_users = seeds
            if episode is not None and law_of is not None:
                law, of_users = law_of(episode), member_seeds(episode, plays)
                kernel.set_at_once(agents, [episode], agent.name)
            for first in range(0, len(of_users), kernel.N_STREAMS):
                part = of_users[first : first + kernel.N_STREAMS]
                kernel.set_at_once(users, part)
                if episode is None:
                    kernel.set_at_once(agents, part, agent.name)
                means, best_arms = kernel.draw_at_once(law, n_arms, len(part), users)
                its = (params, state, agents.states)
                inputs = Inputs(numbers, user_state, means, users.states, *its, users.draws)
                moves = behaviour.moves_means and not plays
                at_start = instances_of(means, best_arms) if moves else ()
                play = Play(*(array[: len(part)] for array in buffer))
                ends = np.zeros((len(part), len(OUTCOMES)), int)
                loop(inputs, first, runs.cap, play.arms, play.accepted, ends, halt)
                accepted, rejected, answers, end = ends.T
                for answer in answers[(answers < 0) | (answers >= n_arms)].tolist():
                    integer(f"answer of {agent.name}", answer, 0, n_arms - 1)
                if plays:
                    play.means[:], play.best_arms[:], play.answers[:] = means, best_arms, answers
                    play.stayed[:], play.left[:] = accepted + rejected, end == protocol.LEFT
                    play.blank_missed()
                    yield play
                else:
                    if moves:
                        now = map(behaviour.truth, at_start, means.tolist())
                        best_arms = np.array([instance.best_arm for instance in now])
                    yield {"best_arm": best_arms, **dict(zip(OUTCOMES, ends.T, strict=True))}
                if halt[0] and episode is None:  # an episode runs to its last user
                    return
        if halt[0]:
            return


def in_step(runs: Runs, seeds: Seeds, halt: Array | None = None) -> Iterator[Figures | Play]:
    """Run the agent with many users at once, and yield the metrics or the play of these users."""
    population, members, n_users = runs.population, runs.members, None
    if members is not None:
        n_users = members.n_users
    cell = {"task": runs.task.name, "max_steps": runs.cap, "n_users": n_users}
    agent: Any = with_facts(runs.agent, population, cell)
    runs = runs._replace(agent=agent)
    laws: Any = population.instance_law
    of_users = [[seed] for seed in seeds]
    if members is not None:
        of_users = [member_seeds(seed, members.n_users) for seed in seeds]
        laws = [*map(members.laws(population), seeds)]
    of_agent = [agent_generator(seed, name_of(agent)) for seed in seeds]
    single = ExplorativeUserEnv(population=population, reward="none")
    first = [user_generator(each[0]) for each in of_users]
    lanes = new_lanes(single, first, None, "user {}".format)
    with protocol.in_use(agent):
        for user in range(len(of_users[0])):
            for lane in range(len(seeds) if user else 0):
                lanes.reseed(lane, user_generator(of_users[lane][user]))
            lanes.begin(np.arange(len(seeds)), laws)
            following = getattr(agent, "next_user_all", None) if user else None
            if following is None:
                agent.reset_all(population.n_arms, of_agent, runs.horizon)
            else:
                following()
            try:
                ran = _run_in_step(runs, lanes, len(seeds), user)
            except UserFailedError as error:
                seed = seeds[error.user]
                who = f"the user of seed {seed}: rollout(env, agent, seed={seed}) repeats the run"
                if members is not None:
                    who = f"user {user} of the episode of seed {seed}"
                where = f"at step {error.step}, with {who}"
                error.args = CallableError(error.failure, where).args
                if error.kept is not None:
                    numbers, kept = error.kept
                    error.kept = [seeds[number] for number in numbers.tolist()], kept
                raise
            yield ran


def _run_in_step(runs: Runs, lanes: Lanes, n_users: int, n_before: int) -> Figures | Play:
    """Run an agent with all users at once; the caller has reset the agent.

    In tasks with a horizon the agent recommends its answers after it stops. `n_before` is the
    number of earlier users of each episode.
    """
    agent, name, n_arms = runs.agent, name_of(runs.agent), runs.population.n_arms
    acceptances, steps, answers, arms = np.zeros((4, n_users), int)
    left, active, step = np.zeros(n_users, bool), np.arange(n_users), Step.blank(n_users)
    instances = list(lanes.instances())  # the true means when the agent answers
    play = Play.blank(n_users, n_arms, runs.cap) if runs.plays else None

    def checked(chosen: Any, users: Array, least: int) -> Array:
        """Return `chosen` as an array, if its entries are integers from `least` to K - 1."""
        array: Array = np.asarray(chosen)
        fits = array.shape == users.shape and array.dtype.kind in "iu"
        if not fits or not least <= array.min() <= array.max() < n_arms:
            allowed = f"{users.size} integers in {least}..{n_arms - 1}"
            raise InvalidArgumentError(f"arms chosen by {name}", chosen, allowed)
        return array.astype(int, copy=False)

    def ask(users: Array) -> None:
        if not users.size:
            return
        if runs.population.behaviour.moves_means:
            present = lanes.instances()
            for user in users.tolist():
                instances[user] = present[user]
        # A copy, because the agent may write into its argument.
        answers[users] = checked(agent.answer_all(users.copy()), users, 0)

    def metrics(users: Array) -> Figures:
        best_arms = np.array([instances[user].best_arm for user in users.tolist()], int)
        ends = np.where(left[users], protocol.LEFT, protocol.ANSWERED)
        ends[np.isin(users, active)] = protocol.CENSORED
        parts = {"acceptances": acceptances, "answer": answers, "rejections": steps - acceptances}
        return {"best_arm": best_arms, "end": ends} | {n: each[users] for n, each in parts.items()}

    for number in range(runs.cap + 1):
        chosen = active
        if active.size:
            try:
                chosen = checked(agent.act_all(active.copy()), active, protocol.STOP)
            except UserFailedError as error:
                if play is None:
                    finished = np.setdiff1d(np.arange(n_users), active)
                    error.kept = finished, metrics(finished)
                raise
            stopped = active[chosen == protocol.STOP]
            ask(stopped)
            arms[stopped] = answers[stopped]
            active, chosen = active[chosen != protocol.STOP], chosen[chosen != protocol.STOP]
        present = active if play is None else np.flatnonzero(~left)
        if not present.size or number == runs.cap:
            break
        arms[active] = chosen
        lanes.respond(None if present.size == n_users else present, arms, step)
        accepted = step.responses == 1
        if active.size:
            agent.observe_all(active.copy(), chosen, accepted[active])
        steps[active] += 1
        acceptances[active] += accepted[active]
        leaving = step.left & ~left
        left |= leaving
        if play is not None:
            play.arms[:, number], play.accepted[:, number] = arms, accepted
            play.stayed[leaving] = number + 1
        ask(active[left[active]])
        active = active[~left[active]]
        if runs.on_share is not None:
            share = (n_before + (number + 1) / runs.cap) / max(1, runs.plays)
            runs.on_share(share if runs.plays else 1.0 - active.size / n_users)
    ask(active)
    if play is None:
        return metrics(np.arange(n_users))
    play.means[:] = [instance.means for instance in instances]
    play.best_arms[:] = [instance.best_arm for instance in instances]
    play.answers[:], play.left[:] = answers, left
    play.blank_missed()
    return play


#: Generators of metrics or plays, by the name of the form.
FORMS: dict[str, Any] = {"readable": readable, "compiled": compiled, "in_step": in_step}


def compiles(runs: Runs, seed: int) -> bool:
    """Compile the loop of the agent, by a run that halts before its first step.

    Return False, with a warning, if the loop does not compile. Return False, without a warning, if
    the agent is not an `AlgorithmAgent` or numba is missing.

    Raises:
        CallableError: if custom code fails when it runs.
    """
    population, agent, name = runs.population, runs.agent, name_of(runs.agent)
    if not isinstance(agent, AlgorithmAgent) or not can_compile():
        return False

    def try_plain() -> None:  # an error in plain Python names the failing function
        rollout(environment_of(population, agent), agent, seed, TRIAL_STEPS, runs.horizon)

    rule, behaviour, law = population.schedule.rule, population.behaviour, population.user.law
    custom_behaviour = any(map(is_external, behaviour.functions))
    if custom_behaviour:
        try_plain()  # compiled code would accept any return value
    try:
        runs.figures("compiled", [seed], halt=np.ones(1, int))
    except Exception as error:
        try_plain()
        if not isinstance(error, errors_of_compiling()):
            raise
        custom = {
            f"rho ({model.rule_name(rule)})": is_external(rule),
            f"behaviour {behaviour.name!r}": custom_behaviour,
            f"reward_law {law.name!r}": population.user.reward_law == model.CUSTOM,
            name: is_external(agent.algorithm.act),
        }
        culprit = " or ".join(part for part in custom if custom[part]) or name
        subject = "it" if culprit == name else name
        what = f"{culprit} does not compile, so {subject} runs in the slower readable loop"
        warnings.warn(f"{what}: {short(error)}", stacklevel=2)
        return False
    return True
