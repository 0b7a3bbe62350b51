"""The three forms of a run: step by step, compiled, and with many users in step.

Over a horizon a run with one user is an episode of the task "population" with one user: all forms
give plays, and one function has the figures of a play.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.envs.lanes import Lanes, Step
from explorative_user_env.envs.meeting import begin_next_all, environment_of
from explorative_user_env.envs.user import (
    REGRET_REWARD,
    ExplorativeUserEnv,
    reward_of,
    reward_of_leaving,
)
from explorative_user_env.envs.user_vector import new_lanes
from explorative_user_env.kernels.compiler import can_compile, errors_of_compiling, short
from explorative_user_env.kernels.loops import Met, compiled_loop
from explorative_user_env.protocol import (
    ANSWERED,
    BAI,
    CENSORED,
    LEFT,
    STOP,
    Array,
    Task,
    in_use,
    name_of,
)
from explorative_user_env.runs.episodes import Episode
from explorative_user_env.runs.loop import rollout
from explorative_user_env.runs.members import Members, laws_of_episodes, meet_members
from explorative_user_env.seeding import agent_generators, member_seeds, user_generator
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.instances import Instance, instances_of
from explorative_user_env.users.model import (
    ACCEPTANCE_RATE,
    GAUSSIAN_LAW,
    OWN,
    as_arrays,
    rule_name,
    user_arrays,
    user_tuple,
)
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, handed_in, integer

#: The figures of a run of best-arm identification, all of them whole numbers.
RUN_COLUMNS = ("best_arm", "acceptances", "rejections", "answer", "end")

#: The figures of a play.
PLAY_COLUMNS = (
    "best_arm",
    "answer",
    "acceptances",
    "regret",
    "utility",
    "last_arm",
    "most_accepted_arm",
    "most_accepted_is_best",
    "interactions",
    "left",
)

#: Steps of which the figures are computed at once: allocating more memory takes longer.
AT_ONCE = 50_000

#: Users that an agent meets at once. Each has one run and all runs count: the first runs to end,
#: out of many that go on, would be the short ones.
USERS_IN_STEP = 1024

#: Steps in plain Python before code that was handed in is compiled.
LOOKED_AT = 100

Seeds = Sequence[int]


class Play(NamedTuple):
    """What happened between an agent and n users over T steps; zeros after a user has left."""

    means: Array  # mu_i, shape (n, K)
    best_arms: Array  # shape (n,)
    arms: Array  # recommended, shape (n, T)
    accepted: Array  # shape (n, T), bool
    answers: Array  # shape (n,)
    stayed: Array  # the number of steps of each user, shape (n,)
    left: Array  # whether the user left, perhaps with the last step, shape (n,), bool

    @classmethod
    def blank(cls, n_users: int, n_arms: int, horizon: int) -> "Play":
        """Return a play to be filled in, with users who stay."""
        truth = (np.zeros((n_users, n_arms)), np.zeros(n_users, int))
        shape = (n_users, horizon)
        steps = (np.zeros(shape, np.int32), np.zeros(shape, bool))
        ends = (np.zeros(n_users, int), np.full(n_users, horizon), np.zeros(n_users, bool))
        return cls(*truth, *steps, *ends)

    @classmethod
    def joined(cls, plays: Iterable["Play"]) -> "Play":
        """Return the plays of some users after others as one."""
        copies = [[array.copy() for array in play] for play in plays]
        return cls(*map(np.concatenate, zip(*copies, strict=True)))

    def write_truth(self, instances: Sequence[Instance]) -> None:
        """Fill in the users' instances."""
        self.means[:] = [instance.means for instance in instances]
        self.best_arms[:] = [instance.best_arm for instance in instances]

    def there(self) -> Array | None:
        """Return in which steps each user was there, shape (n, T), bool; None if in all."""
        horizon = self.arms.shape[1]
        if not (self.stayed < horizon).any():
            return None
        return np.arange(horizon) < self.stayed[:, np.newaxis]

    def blank_missed(self) -> None:
        """Write zeros after a user has left."""
        if (there := self.there()) is not None:
            self.arms[:] *= there
            self.accepted[:] &= there


def figures(play: Play) -> Array:
    """Return a row of `PLAY_COLUMNS` for each user.

    Regret is the sum of mu_* - mu_a over the recommendations a, utility the sum of mu_a over the
    accepted ones. A step after a user has left counts as much regret as her worst arm, and no
    utility. The most accepted arm is the first of those accepted equally often; that it is the best
    counts 1/n if the best is one of n such arms, so no agent gains by the numbers of arms.
    """
    (n_users, n_arms), horizon = play.means.shape, play.arms.shape[1]
    size = max(1, AT_ONCE // horizon)
    if n_users > size:
        parts = (slice(first, first + size) for first in range(0, n_users, size))
        return np.concatenate([figures(Play(*(array[part] for array in play))) for part in parts])
    means, best_arms = play.means, play.best_arms
    users = np.arange(n_users)
    places = play.arms + (users * n_arms)[:, np.newaxis]
    values = means.ravel().take(places)
    best_means = means[users, best_arms][:, np.newaxis]
    rewards: Any = reward_of(REGRET_REWARD, values, best_means, False, 0.0)  # type: ignore[arg-type]
    if (there := play.there()) is not None:
        rewards = rewards * there
    worst_means, missed = means.min(axis=1), horizon - play.stayed
    left = reward_of_leaving(REGRET_REWARD, worst_means, best_means[:, 0], missed)
    # Products, as a choice by the response takes ten times as long; no sum is -0.
    counted = play.accepted.ravel().astype(float)
    utilities = values * play.accepted + 0.0
    counts = np.bincount(places.ravel(), counted, n_users * n_arms).reshape(n_users, n_arms)
    most = counts == counts.max(axis=1, keepdims=True)
    return np.column_stack(
        [
            best_arms,
            play.answers,
            counts.sum(axis=1),
            -(rewards.sum(axis=1) + left),
            utilities.sum(axis=1),
            play.arms[users, play.stayed - 1],
            most.argmax(axis=1),
            most[users, best_arms] / most.sum(axis=1),
            play.stayed,
            play.left,
        ]
    )


class Runs(NamedTuple):
    """The runs of one agent with users of one kind.

    Attributes:
        population: the users.
        agent: the agent, with its open options filled in.
        cap: steps of a run at most; over a horizon, the horizon.
        horizon: the number of steps that the agent is told, if any.
        task: best-arm identification unless it says otherwise.
        members: the users of an episode, in the task "population".
    """

    population: Population
    agent: Any
    cap: int
    horizon: int | None = None
    task: Task = BAI
    members: Members | None = None

    @property
    def plays(self) -> int:
        """The users of a run of whom every step is kept; 0 in best-arm identification."""
        if self.task.ends_itself:
            return 0
        return 1 if self.members is None else self.members.n_users

    @property
    def loop_key(self) -> tuple[Any, Any, Any, Any]:
        """What a compiled loop is made for."""
        users, own_law = self.population, self.population.user.own_law.compiled_in
        return self.agent.algorithm, users.schedule.rule, users.behaviour, own_law

    def rows(self, form: str, seeds: Seeds, **halt: Array) -> Array:
        """Return the rows of runs, the same in every form.

        Args:
            form: "readable", step by step; "compiled"; or "in_step", with all users at once.
            seeds: the users' seeds, or those of episodes.
            **halt: in compiled runs `halt`, as in `run_compiled`.

        Returns:
            `RUN_COLUMNS` of each run; over a horizon `PLAY_COLUMNS`, of each user of each run.
        """
        run, plays = FORMS[form]
        if self.task.ends_itself:
            rows: Array = run(self, seeds, **halt)
            return rows
        n_runs, first = len(seeds), 0
        rows = np.zeros((n_runs * self.plays, len(PLAY_COLUMNS)))
        for play in plays(self, seeds, **halt):
            end = first + len(play.answers)
            rows[first:end], first = figures(play), end
        if form == "in_step":  # the first users of all runs, then the second ones
            by_user = rows.reshape(self.plays, n_runs, -1)
            return np.ascontiguousarray(by_user.swapaxes(0, 1))
        return rows.reshape(n_runs, self.plays, -1)

    def columns(self, rows: Array) -> dict[str, Array]:
        """Return the columns of a table of the task's runs, but not the users' numbers and seeds.

        In best-arm identification they are as the setting reports them.
        """
        names = RUN_COLUMNS if self.task.ends_itself else PLAY_COLUMNS
        of = dict(zip(names, np.moveaxis(rows, -1, 0), strict=True))
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
        if not self.task.ends_itself:
            return {name: values[:, 0] for name, values in of.items()}
        setting, agent = self.population.setting, self.agent
        private_draws = setting.private_draws * self.population.n_arms
        own = agent.algorithm.name if isinstance(agent, AlgorithmAgent) else name_of(agent)
        interactions = of["acceptances"] + of["rejections"]
        return {
            "best_arm": of["best_arm"],
            "answer": of["answer"],
            "correct": of["answer"] == of["best_arm"],
            "censored": of["end"] == CENSORED,
            "left": of["end"] == LEFT,
            "stopping_time": interactions + private_draws * setting.counts_private_draws,
            "interactions": interactions,
            "acceptances": of["acceptances"],
            "rejections": of["rejections"] + private_draws * setting.reports_as_rejected(own),
        }


def run_readable(runs: Runs, seeds: Seeds) -> Array:
    """Return a row of `RUN_COLUMNS` for the user of each seed."""
    env, rows = environment_of(runs.population, runs.agent), []
    for seed in seeds:
        episode = rollout(env, runs.agent, seed, runs.cap, runs.horizon)
        counts = (episode.acceptances, episode.rejections)
        rows.append((env.instance().best_arm, *counts, episode.answer, episode.end))
    return np.array(rows, int)


def plays_readable(runs: Runs, seeds: Seeds) -> Iterator[Play]:
    """Yield the play with each user in turn, of each episode if there are `members`."""
    population, agent, cap = runs.population, runs.agent, runs.cap
    env = environment_of(population, agent)
    for seed in seeds:
        met: Iterable[tuple[Instance, Episode]]
        if runs.members is not None:
            met = meet_members(runs.members, population, agent, seed, cap)
        else:
            episode = rollout(env, agent, seed, cap, cap, commits=True)
            met = [(env.instance(), episode)]
        for instance, episode in met:
            play, steps = Play.blank(1, population.n_arms, cap), len(episode.arms)
            play.write_truth([instance])
            play.arms[0, :steps], play.accepted[0, :steps] = episode.arms, episode.accepted
            play.answers[0], play.stayed[0], play.left[0] = episode.answer, steps, episode.left
            yield play


def run_compiled(runs: Runs, seeds: Seeds, halt: Array | None = None) -> Array:
    """Return the rows of `run_readable` from compiled code.

    If another thread puts a number other than 0 into `halt`, an array of one, all runs end within
    milliseconds, and the rows mean nothing.
    """
    behaviour, halt = runs.population.behaviour, np.zeros(1, int) if halt is None else halt
    loop = compiled_loop(*runs.loop_key)
    rows = np.zeros((len(seeds), len(RUN_COLUMNS)), int)
    for first, best_arms, given in _portions(runs, seeds):
        outcomes = np.zeros((len(best_arms), len(RUN_COLUMNS) - 1), int)
        begun = instances_of(given.means, best_arms) if behaviour.moves_means else ()
        unseen = Play.blank(len(best_arms), 0, 0)
        loop(given, first, runs.cap, unseen.arms, unseen.accepted, outcomes, halt)
        if behaviour.moves_means:
            now = map(behaviour.truth, begun, given.means.tolist())
            best_arms = np.array([instance.best_arm for instance in now])
        part = slice(first, first + len(best_arms))
        rows[part, 0], rows[part, 1:] = best_arms, outcomes
        if halt[0]:
            break
    _check_answers(rows[:, RUN_COLUMNS.index("answer")], runs)
    return rows


def plays_compiled(runs: Runs, seeds: Seeds, halt: Array | None = None) -> Iterator[Play]:
    """Yield the plays of `plays_readable` from compiled code, of some users after others.

    A play is valid until the next: using its memory again is faster. `halt` is as in
    `run_compiled`.
    """
    from explorative_user_env.kernels.seeds import N_STREAMS

    halt, members = np.zeros(1, int) if halt is None else halt, runs.members
    most = min(N_STREAMS, len(seeds) if members is None else members.n_users)
    room = Play.blank(most, runs.population.n_arms, runs.cap)
    loop = compiled_loop(*runs.loop_key, True, members is not None)
    for first, best_arms, given in _portions(runs, seeds):
        play = Play(*(array[: len(best_arms)] for array in room))
        play.means[:], play.best_arms[:] = given.means, best_arms
        ends = np.zeros((len(best_arms), len(RUN_COLUMNS) - 1), int)
        loop(given, first, runs.cap, play.arms, play.accepted, ends, halt)
        play.answers[:], play.left[:] = ends[:, 2], ends[:, 3] == LEFT
        play.stayed[:] = ends[:, 0] + ends[:, 1]
        play.blank_missed()
        if halt[0]:
            return
        _check_answers(play.answers, runs)
        yield play


def quickest_play(runs: Runs, seeds: Seeds) -> Play:
    """Return the play with the users of these seeds, from compiled code if there is a compiler."""
    return Play.joined((plays_compiled if can_compile() else plays_readable)(runs, seeds))


def _portions(runs: Runs, seeds: Seeds) -> Iterator[tuple[int, Array, Met]]:
    """Yield as many users as there are streams to lend, again and again.

    Yields:
        The first user's number (in her episode if there are `members`), the best arms, and the
        first arguments of a compiled loop: the user, her state, the means, her streams, the agent's
        numbers, state and streams (of the first only if there are `members`), and what draws from
        them. They are valid until the next portion.
    """
    from explorative_user_env.kernels.seeds import N_STREAMS, draw_at_once, set_at_once, streams

    population, agent, members = runs.population, runs.agent, runs.members
    user, law = population.user, population.instance_law
    params = agent.params(user.n_arms, runs.horizon)
    memory = population.behaviour.memory_of(user.n_arms)
    numbers, user_state = user_tuple(user), user_arrays(user, memory)
    state = as_arrays(agent.algorithm.blank(params))
    law_of = None if members is None else laws_of_episodes(members, population)
    for episode in [None] if members is None else seeds:
        with streams() as users, streams() as own:
            hers = seeds
            if episode is not None and members is not None and law_of is not None:
                law, hers = law_of(episode), member_seeds(episode, members.n_users)
                set_at_once(own, [episode], agent.name)
            for first in range(0, len(hers), N_STREAMS):
                part = hers[first : first + N_STREAMS]
                set_at_once(users, part)
                if episode is None:
                    set_at_once(own, part, agent.name)
                means, best_arms = draw_at_once(law, user.n_arms, len(part), users)
                its = (params, state, own.states)
                met = Met(numbers, user_state, means, users.states, *its, users.draws)
                yield first, best_arms, met


def _check_answers(answers: Array, runs: Runs) -> None:
    for answer in answers[(answers < 0) | (answers >= runs.population.n_arms)].tolist():
        integer(f"answer of {runs.agent.name}", answer, 0, runs.population.n_arms - 1)


def compiles(runs: Runs, seed: int) -> bool:
    """Compile the agent's loop, with a run that is halted before its first step; warn if it fails.

    Returns False for an agent without an algorithm record, or without numba.

    Raises:
        CallableError: if not the compiling fails, but code that was handed in.
    """
    population, agent, name = runs.population, runs.agent, name_of(runs.agent)
    if not isinstance(agent, AlgorithmAgent) or not can_compile():
        return False

    def tried(users: Population) -> None:
        runs._replace(population=users).rows("compiled", [seed], halt=np.ones(1, int))

    def look() -> None:  # at the first steps in plain Python, where an error names what fails
        rollout(environment_of(population, agent), agent, seed, LOOKED_AT, runs.horizon)

    rule, behaviour, law = population.schedule.rule, population.behaviour, population.user.own_law
    own_behaviour = any(map(handed_in, behaviour.functions))
    if own_behaviour:
        look()  # compiled code takes any answer for a response
    try:
        tried(population)
    except Exception as error:
        look()
        if not isinstance(error, errors_of_compiling()):
            raise
        own_law = population.user.reward_law == OWN
        culprit, usual = (
            name,
            {
                f"rho ({rule_name(rule)})": handed_in(rule) and {"rho": ACCEPTANCE_RATE},
                f"behaviour {behaviour.name!r}": own_behaviour and {"behaviour": EXPLORATIVE},
                f"reward_law {law.name!r}": own_law and {"reward_law": GAUSSIAN_LAW},
            },
        )
        for part, without in usual.items():
            with suppress(Exception):
                if without:
                    tried(replace(population, **without))
                    culprit = part
                    break
        warnings.warn(
            f"{culprit} does not compile, so {'it' if culprit == name else name} runs in the "
            f"slower readable loop: {short(error)}",
            stacklevel=2,
        )
        return False
    return True


def run_in_step(runs: Runs, seeds: Seeds) -> Array:
    """Return the rows of `run_readable` from one meeting with all users at once."""
    ((met, _),) = _meetings(runs, seeds)
    ends = np.where(met.left, LEFT, ANSWERED)
    ends[met.going_on] = CENSORED
    best_arms = [instance.best_arm for instance in met.instances]
    rejections = met.steps - met.acceptances
    return np.column_stack([best_arms, met.acceptances, rejections, met.answers, ends])


def plays_in_step(runs: Runs, seeds: Seeds) -> Iterator[Play]:
    """Yield a play with the first user of every episode, then with all second ones, and so on."""
    for met, play in _meetings(runs, seeds):
        play.write_truth(met.instances)
        play.answers[:], play.left[:] = met.answers, met.left
        play.blank_missed()
        yield play


def _meetings(runs: Runs, seeds: Seeds) -> Iterator[tuple["_Met", Play]]:
    """Yield the meeting with the first user of every episode, and its play, then with the next."""
    population, agent, members = runs.population, runs.agent, runs.members
    n_arms, everyone = population.n_arms, np.arange(len(seeds))
    laws: Any = population.instance_law
    hers = [[seed] for seed in seeds]
    if members is not None:
        hers = [member_seeds(seed, members.n_users) for seed in seeds]
        laws = [*map(laws_of_episodes(members, population), seeds)]
    agents_own = agent_generators(seeds, name_of(agent))
    single = ExplorativeUserEnv(population=population, reward="none")
    first = [user_generator(each[0]) for each in hers]
    lanes = new_lanes(single, first, None, "user {}".format)
    with in_use(agent):
        for user in range(len(hers[0])):
            for lane in range(len(seeds) if user else 0):
                lanes.reseed(lane, user_generator(hers[lane][user]))
            lanes.begin(everyone, laws)
            if user:
                begin_next_all(agent, n_arms, agents_own, runs.horizon)
            else:
                agent.reset_all(n_arms, agents_own, runs.horizon)
            play = Play.blank(len(seeds), n_arms, runs.cap if runs.plays else 0)
            yield _meet(runs, lanes, len(seeds), play), play


class _Met(NamedTuple):
    """How a meeting with many users ended; arrays of shape (n,)."""

    acceptances: Array
    steps: Array
    answers: Array
    left: Array
    going_on: Array  # the users with whom the agent had not stopped
    instances: list[Instance]  # as they were when the agent answered


def _meet(runs: Runs, lanes: Lanes, n_users: int, play: Play) -> _Met:
    """Let an agent that is ready for them meet all users in step.

    Over a horizon the steps of `play` are filled in, and the agent goes on with its answers after
    it stops.
    """
    agent, name, n_arms = runs.agent, name_of(runs.agent), runs.population.n_arms
    acceptances, steps, answers, arms = np.zeros((4, n_users), int)
    left, going_on, step = np.zeros(n_users, bool), np.arange(n_users), Step.blank(n_users)
    instances = list(lanes.instances())

    def ask(users: Array) -> None:
        if not users.size:
            return
        if runs.population.behaviour.moves_means:
            present = lanes.instances()
            for user in users.tolist():
                instances[user] = present[user]
        # Copies, as the agent may write into its arguments.
        answers[users] = _checked(agent.answer_all(users.copy()), users, n_arms, 0, name)

    for number in range(runs.cap + 1):
        chosen = going_on
        if going_on.size:
            chosen = _checked(agent.act_all(going_on.copy()), going_on, n_arms, STOP, name)
            stopped = going_on[chosen == STOP]
            ask(stopped)
            arms[stopped] = answers[stopped]
            going_on, chosen = going_on[chosen != STOP], chosen[chosen != STOP]
        there = np.flatnonzero(~left) if runs.plays else going_on
        if not there.size or number == runs.cap:
            break
        arms[going_on] = chosen
        lanes.respond(None if there.size == n_users else there, arms, step)
        accepted = step.responses == 1
        if going_on.size:
            agent.observe_all(going_on.copy(), chosen, accepted[going_on])
        steps[going_on] += 1
        acceptances[going_on] += accepted[going_on]
        leaving = step.left & ~left
        left |= leaving
        if runs.plays:
            play.arms[:, number], play.accepted[:, number] = arms, accepted
            play.stayed[leaving] = number + 1
        ask(going_on[left[going_on]])
        going_on = going_on[~left[going_on]]
    ask(going_on)
    return _Met(acceptances, steps, answers, left, going_on, instances)


def _checked(arms: Any, users: Array, n_arms: int, least: int, name: str) -> Array:
    """Return an arm (or `STOP`, if that is `least`) for each of these users."""
    chosen: Array = np.asarray(arms)
    fits = chosen.shape == users.shape and chosen.dtype.kind in "iu"
    if not fits or not least <= chosen.min() <= chosen.max() < n_arms:
        raise InvalidArgumentError(
            f"arms of {name}", arms, f"{users.size} integers in {least}..{n_arms - 1}"
        )
    return chosen.astype(int, copy=False)


#: Functions that give the rows of runs, and over a horizon their plays, in each form.
FORMS: Mapping[str, tuple[Callable[..., Array], Callable[..., Iterator[Play]]]] = {
    "readable": (run_readable, plays_readable),
    "compiled": (run_compiled, plays_compiled),
    "in_step": (run_in_step, plays_in_step),
}
