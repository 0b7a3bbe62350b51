"""How the runs of each task are had, by every path, and the columns that they become."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.envs.lanes import Step
from explorative_user_env.envs.meeting import begin_next_all, environment_of
from explorative_user_env.envs.user import (
    REGRET_REWARD,
    ExplorativeUserEnv,
    reward_of,
    reward_of_leaving,
)
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv, new_lanes
from explorative_user_env.kernels.arrays import as_arrays, user_arrays, user_tuple
from explorative_user_env.kernels.compiler import errors_of_compiling, short
from explorative_user_env.kernels.loops import (
    compiled_play_all,
    compiled_play_members,
    compiled_run_all,
)
from explorative_user_env.kernels.presence import can_compile
from explorative_user_env.protocol import (
    ANSWERED,
    BAI,
    CENSORED,
    LEFT,
    POPULATION,
    REGRET,
    STOP,
    Agent,
    Array,
    ManyUserAgent,
    Task,
    in_use,
    name_of,
)
from explorative_user_env.runs.loop import rollout
from explorative_user_env.runs.members import Members, laws_of_episodes, meet_members
from explorative_user_env.seeding import agent_generators, member_seeds, user_generator
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.instances import Instance, instances_of
from explorative_user_env.users.laws import ACCEPTANCE_RATE, GAUSSIAN_LAW, OWN, rule_name
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, handed_in, integer


class Play(NamedTuple):
    """What happened between an agent and n users over T steps, blank from where a user has left."""

    means: Array  # mu_i, shape (n, K)
    best_arms: Array  # shape (n,)
    arms: Array  # recommended, shape (n, T)
    accepted: Array  # shape (n, T), bool
    answers: Array  # shape (n,)
    stayed: Array  # for how many steps each user was there, shape (n,)
    left: Array  # whether she left, perhaps with the last step, shape (n,), bool

    @classmethod
    def blank(cls, n_users: int, n_arms: int, horizon: int) -> "Play":
        """Return a play to be written down, with users who stay."""
        truth = (np.zeros((n_users, n_arms)), np.zeros(n_users, int))
        shape = (n_users, horizon)
        steps = (np.zeros(shape, np.int32), np.zeros(shape, bool))
        ends = (np.zeros(n_users, int), np.full(n_users, horizon), np.zeros(n_users, bool))
        return cls(*truth, *steps, *ends)

    def write_truth(self, instances: Sequence[Instance]) -> None:
        """Write down the users' instances."""
        self.means[:] = [instance.means for instance in instances]
        self.best_arms[:] = [instance.best_arm for instance in instances]

    def there(self) -> Array | None:
        """Return in which steps each user was there, shape (n, T), bool; None is in all."""
        horizon = self.arms.shape[1]
        if not (self.stayed < horizon).any():
            return None
        return np.arange(horizon) < self.stayed[:, np.newaxis]

    def blank_missed(self) -> None:
        """Write down nothing where a user was not there any more, whatever stands there."""
        if (there := self.there()) is not None:
            self.arms[:] *= there
            self.accepted[:] &= there


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
FRACTIONAL = ("regret", "utility", "most_accepted_is_best")
"""Those of them that are no whole numbers."""


AT_ONCE = 50_000
"""Steps whose figures are found together: memory for more is asked for anew each time, and takes
longer than the figures."""


def figures(play: Play) -> Array:
    """Return a row of `PLAY_COLUMNS` for each user.

    Regret is the sum of mu_* - mu_a over the recommendations a, utility the sum of mu_a over the
    accepted ones. A step that a user has left before counts as much regret as her worst arm, and
    no utility; her last arm is the last that she was recommended. The most accepted arm is the
    first of those accepted equally often; that it is the best counts 1/n where the best is one of n
    such arms: nobody gains by the arms' numbers.
    """
    n_users, horizon = play.arms.shape
    size = max(1, AT_ONCE // horizon)
    parts = (slice(first, first + size) for first in range(0, n_users, size))
    return np.concatenate([_figures(Play(*(array[part] for array in play))) for part in parts])


def _figures(play: Play) -> Array:
    (n_users, n_arms), horizon = play.means.shape, play.arms.shape[1]
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
    # Products, as to choose by a response takes ten times as long; there is no -0 among the sums.
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


RUN_COLUMNS = ("best_arm", "acceptances", "rejections", "answer", "end")
"""What every path tells of a run of best-arm identification, as whole numbers."""


def run_readable(
    population: Population,
    agent: Agent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Array:
    """Run `agent` with the users of these `seeds`; return a row of `RUN_COLUMNS` for each.

    `halt` is what another thread breaks the runs off by, see `halting`.
    """
    env = environment_of(population, agent)
    rows = []
    for seed in seeds:
        episode = rollout(env, agent, seed, max_steps, horizon)
        counts = (episode.acceptances, episode.rejections)
        rows.append((env.instance().best_arm, *counts, episode.answer, episode.end))
    return np.array(rows, int)


def play_readable(
    population: Population,
    agent: Agent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Play:
    """Let `agent` play with the users of these `seeds` over a horizon; see `run_readable`."""
    env = environment_of(population, agent)
    play = Play.blank(len(seeds), population.n_arms, max_steps)
    instances = []
    for index, seed in enumerate(seeds):
        episode = rollout(env, agent, seed, max_steps, max_steps, commits=True)
        steps = episode.stopping_time
        play.arms[index, :steps], play.accepted[index, :steps] = episode.arms, episode.accepted
        play.answers[index] = episode.answer
        play.stayed[index], play.left[index] = steps, episode.left
        instances.append(env.instance())
    play.write_truth(instances)
    return play


def run_compiled(
    population: Population,
    agent: AlgorithmAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Array:
    """Run `agent` with the users of these `seeds`; see `readable.run_readable`.

    With another number than 0 put into `halt`, an array of one whole number, by another thread, all
    runs end within milliseconds, and the rows mean nothing.
    """
    halt = never() if halt is None else halt
    behaviour = population.behaviour
    rule, own_law = population.schedule.rule, population.user.own_law.compiled_in
    run_all = compiled_run_all(agent.algorithm, rule, behaviour, own_law)
    rows = np.zeros((len(seeds), len(RUN_COLUMNS)), int)
    for part, best_arms, given in portions(population, agent, seeds, horizon):
        outcomes = np.zeros((len(best_arms), len(RUN_COLUMNS) - 1), int)
        begun = instances_of(given[MEANS], best_arms) if behaviour.moves_means else ()
        run_all(*given, max_steps, outcomes, halt)
        if behaviour.moves_means:
            now = map(behaviour.truth, begun, given[MEANS].tolist())
            best_arms = np.array([instance.best_arm for instance in now])
        rows[part, 0] = best_arms
        rows[part, 1:] = outcomes
        if halt[0]:
            break
    check_answers(rows[:, RUN_COLUMNS.index("answer")], agent, population)
    return rows


def play_compiled(
    population: Population,
    agent: AlgorithmAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Play:
    """Let `agent` play with the users of these `seeds`; see `readable.play_readable`.

    `halt` is that of `run_compiled`.
    """
    whole = Play.blank(len(seeds), population.n_arms, max_steps)
    for part, play in plays_compiled(population, agent, seeds, max_steps, horizon, halt):
        for everyone, some in zip(whole, play, strict=True):
            everyone[part] = some
    return whole


def plays_compiled(
    population: Population,
    agent: AlgorithmAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Iterator[tuple[slice, Play]]:
    """Yield what `play_compiled` returns of some users after others: which they are, and a play.

    It is written over by the next, as memory that is used again is quicker than new.
    """
    from explorative_user_env.kernels.seeds import N_STREAMS

    halt = never() if halt is None else halt
    rule, behaviour = population.schedule.rule, population.behaviour
    own_law = population.user.own_law.compiled_in
    play_all = compiled_play_all(agent.algorithm, rule, behaviour, own_law)
    room = Play.blank(min(len(seeds), N_STREAMS), population.n_arms, max_steps)
    for part, best_arms, given in portions(population, agent, seeds, horizon):
        play = Play(*(array[: len(best_arms)] for array in room))
        play.means[:], play.best_arms[:] = given[MEANS], best_arms
        play_all(*given, play.arms, play.accepted, play.answers, play.stayed, play.left, halt)
        play.blank_missed()
        check_answers(play.answers, agent, population)
        yield part, play
        if halt[0]:
            break


def never() -> Array:
    """Return what halts no run."""
    return np.zeros(1, int)


def check_answers(answers: Array, agent: AlgorithmAgent, population: Population) -> None:
    """Make sure that every answer is an arm.

    Raises:
        InvalidArgumentError: for one that is none.
    """
    for answer in answers[(answers < 0) | (answers >= population.n_arms)].tolist():
        integer(f"answer of {agent.name}", answer, 0, population.n_arms - 1)


MEANS = 2
"""The place of the means in what every compiled loop begins with."""


def portions(
    population: Population, agent: AlgorithmAgent, seeds: Sequence[int], horizon: int | None
) -> Iterator[tuple[slice, Array, tuple[Any, ...]]]:
    """Yield as many users as there are streams to lend, again and again.

    Yields:
        Which of the seeds they are, their best arms, and what every compiled loop begins with: the
        user, her state, the means, her streams, the agent's numbers, state and streams, and what
        draws from them. They are good until the next portion.
    """
    from explorative_user_env.kernels.seeds import (
        N_STREAMS,
        draw_at_once,
        set_streams_at_once,
        streams,
    )

    user, law = population.user, population.instance_law
    params = agent.params(user.n_arms, horizon)
    memory = population.behaviour.memory_of(user.n_arms)
    numbers, user_state = user_tuple(user), user_arrays(user, memory)
    state = as_arrays(agent.algorithm.blank(params))
    for first in range(0, len(seeds), N_STREAMS):
        theirs = seeds[first : first + N_STREAMS]
        with streams() as users, streams() as own:
            set_streams_at_once(theirs, agent.name, users, own)
            means, best_arms = draw_at_once(law, user.n_arms, len(theirs), users)
            hers, its = (numbers, user_state, means, users.states), (params, state, own.states)
            yield slice(first, first + N_STREAMS), best_arms, (*hers, *its, users.draws)


def compiles(
    population: Population,
    agent: Agent,
    seed: int,
    horizon: int | None,
    run: Callable[..., Any] = run_compiled,
) -> bool:
    """Compile `agent`'s loop if it can be, with a run of no steps; warn if some code cannot.

    An agent without an algorithm record has nothing to compile, and without numba nothing can be.

    Raises:
        CallableError: if it is not the compiling that fails, but code that was handed in.
    """
    if not isinstance(agent, AlgorithmAgent) or not can_compile():
        return False
    if any(map(handed_in, population.behaviour.functions)):
        _look(population, agent, seed, horizon)  # compiled code takes any answer for a response
    try:
        run(population, agent, [seed], 0, horizon)
    except Exception as error:
        _look(population, agent, seed, horizon)
        if not isinstance(error, errors_of_compiling()):
            raise
        whose, name = _uncompiled(population, agent, seed, horizon, run), name_of(agent)
        warnings.warn(
            f"{whose} does not compile, so {'it' if whose == name else name} runs in the slower "
            f"readable loop: {short(error)}",
            stacklevel=2,
        )
        return False
    return True


LOOKED_AT = 100
"""Steps that are looked at before what was handed in is compiled."""


def _look(population: Population, agent: Agent, seed: int, horizon: int | None) -> None:
    """Run the first steps in plain Python, where what fails says by name what it is."""
    rollout(environment_of(population, agent), agent, seed, LOOKED_AT, horizon)


def _uncompiled(
    population: Population,
    agent: AlgorithmAgent,
    seed: int,
    horizon: int | None,
    run: Callable[..., Any],
) -> str:
    """Return what does not compile: that without which, of what was handed in, the loop does."""
    rule, behaviour = population.schedule.rule, population.behaviour
    own: dict[str, Any] = {}
    if handed_in(rule):
        own[f"rho ({rule_name(rule)})"] = {"rho": ACCEPTANCE_RATE}
    if any(map(handed_in, behaviour.functions)):
        own[f"behaviour {behaviour.name!r}"] = {"behaviour": EXPLORATIVE}
    if population.user.reward_law == OWN:
        own[f"reward_law {population.user.own_law.name!r}"] = {"reward_law": GAUSSIAN_LAW}
    for what, usual in own.items():
        try:
            run(replace(population, **usual), agent, [seed], 0, horizon)
        except Exception:
            continue
        return what
    return name_of(agent)


USERS = 1024
"""Users that an agent meets at once. Every user has one run and all runs count: the first runs to
end, out of many that go on, would be the short ones."""


def run_in_step(
    population: Population,
    agent: ManyUserAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Array:
    """Run `agent` with the users of these `seeds` at once; see `readable.run_readable`."""
    with in_use(agent):
        met, truth = _meeting(population, agent, seeds, max_steps, horizon, None)
        met.go_on(halt)
    ends = np.where(met.left, LEFT, ANSWERED)
    ends[met.going_on] = CENSORED
    best_arms = [instance.best_arm for instance in truth.instances]
    rejections = met.steps - met.acceptances
    return np.column_stack([best_arms, met.acceptances, rejections, met.answers, ends])


def play_in_step(
    population: Population,
    agent: ManyUserAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Play:
    """Play with the users of these `seeds` at once over a horizon; see `readable.play_readable`."""
    play = Play.blank(len(seeds), population.n_arms, max_steps)
    with in_use(agent):
        met, truth = _meeting(population, agent, seeds, max_steps, max_steps, play)
        met.go_on(halt)
    play.write_truth(truth.instances)
    play.answers[:], play.left[:] = met.answers, met.left
    play.blank_missed()
    return play


def _meeting(
    population: Population,
    agent: ManyUserAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    play: Play | None,
) -> tuple["MeetingOfMany", "_Truth"]:
    """Return an agent and the users of these seeds, about to begin, and what is true of them."""
    envs = ExplorativeUserVectorEnv(len(seeds), population=population, reward="none")
    envs.reset(seed=list(seeds))
    truth = _Truth(envs, population.behaviour.moves_means)
    agent.reset_all(population.n_arms, agent_generators(seeds, name_of(agent)), horizon)

    def respond(arms: Array) -> tuple[Array, Array]:
        responses, _, leaving, _, _ = envs.step(arms)
        return responses == 1, leaving

    size = (len(seeds), population.n_arms, max_steps)
    return MeetingOfMany(agent, respond, truth.renew, size, play), truth


class MeetingOfMany:
    """An agent and its users: who is there, and what is known of each, in arrays of shape (n,).

    Args:
        agent: who is ready for them.
        respond: recommends an arm to each user, and returns who accepts and who leaves.
        renew: called with users before the agent is asked for its answers.
        size: the numbers of users, of arms, and of steps at most.
        play: what is written down, if anything; the agent goes on with its answers then.
    """

    def __init__(
        self,
        agent: ManyUserAgent,
        respond: Callable[[Array], tuple[Array, Array]],
        renew: Callable[[Array], None],
        size: tuple[int, int, int],
        play: Play | None,
    ) -> None:
        n_users, self.n_arms, self.max_steps = size
        self.agent, self.name, self.play = agent, name_of(agent), play
        self._respond, self._renew = respond, renew
        self.acceptances, self.steps = np.zeros(n_users, int), np.zeros(n_users, int)
        self.answers, self.arms = np.zeros(n_users, int), np.zeros(n_users, int)
        self.left = np.zeros(n_users, bool)  # who did not stay: in her place is somebody new
        self.going_on = np.arange(n_users)  # with whom the agent has not stopped, and who is there

    def go_on(self, halt: Array | None) -> None:
        """Recommend and hear until all is over."""
        for step in range(self.max_steps + 1):
            chosen = self._chosen()
            over = not self.going_on.size if self.play is None else self.left.all()
            if over or step == self.max_steps:
                break
            self._step(step, chosen)
        self._ask(self.going_on)

    def _chosen(self) -> Array:
        """Return the arms for the users with whom the agent does not stop now."""
        if not self.going_on.size:  # the agent has stopped with all
            return self.going_on
        told = self.agent.act_all(self.going_on.copy())
        chosen = _checked(told, self.going_on, self.n_arms, STOP, self.name)
        stopped = self.going_on[chosen == STOP]
        self._ask(stopped)
        self.arms[stopped] = self.answers[stopped]
        going_on: Array = chosen != STOP
        self.going_on = self.going_on[going_on]
        arms: Array = chosen[going_on]
        return arms

    def _ask(self, users: Array) -> None:
        """Have the agent answer for these users."""
        if users.size:
            self._renew(users)
            # Copies, as the agent may write on what it is handed.
            told = self.agent.answer_all(users.copy())
            self.answers[users] = _checked(told, users, self.n_arms, 0, self.name)

    def _step(self, step: int, chosen: Array) -> None:
        """Recommend these arms to the users with whom the agent goes on, and its answers to all."""
        going_on, play = self.going_on, self.play
        self.arms[going_on] = chosen
        accepted, leaving = self._respond(self.arms)
        if going_on.size:
            self.agent.observe_all(going_on.copy(), chosen, accepted[going_on])
        self.steps[going_on] += 1
        self.acceptances[going_on] += accepted[going_on]
        if play is not None:
            play.arms[:, step], play.accepted[:, step] = self.arms, accepted
            play.stayed[leaving & ~self.left] = step + 1
            self.left |= leaving
        self.left[going_on] = leaving[going_on]
        gone = self.left[going_on]
        if gone.any():
            self._ask(going_on[gone])
            self.going_on = going_on[~gone]


class _Truth:
    """The users' instances; where means move, as they were when the agent was asked."""

    def __init__(self, envs: ExplorativeUserVectorEnv, moves: bool) -> None:
        self._envs, self._moves = envs, moves
        self.instances = list(envs.instances())

    def renew(self, users: Array) -> None:
        """Note these users' instances anew, if means move."""
        if self._moves:
            present = self._envs.instances()
            for user in users.tolist():
                self.instances[user] = present[user]


def _checked(arms: Any, users: Array, n_arms: int, least: int, name: str) -> Array:
    """Return an arm (or `STOP`, where that is `least`) for each of these users."""
    chosen: Array = np.asarray(arms)
    fits = chosen.shape == users.shape and chosen.dtype.kind in "iu"
    if not fits or not least <= chosen.min() <= chosen.max() < n_arms:
        raise InvalidArgumentError(
            f"arms of {name}", arms, f"{users.size} integers in {least}..{n_arms - 1}"
        )
    return chosen.astype(int, copy=False)


def members_readable(
    members: Members,
    population: Population,
    agent: Agent,
    seeds: Sequence[int],
    horizon: int,
    told: int | None,
    halt: Array | None = None,
) -> Array:
    """Let `agent` meet the users of the episodes of these `seeds`, each over a horizon.

    Args:
        members: how many users an episode has, and how far apart they are.
        population: of what kind they are.
        agent: anything with reset / act / observe / answer; see also `Agent.next_user`.
        seeds: the episodes'.
        horizon: how many steps each user stays, of which the agent is told.
        told: the same.
        halt: what another thread breaks the runs off by, see `halting`.

    Returns:
        A row of `plays.PLAY_COLUMNS` for each user, shape (episodes, users, columns).
    """
    rows, play = blank_rows(len(seeds), members), Play.blank(1, population.n_arms, horizon)
    for place, seed in enumerate(seeds):
        met = meet_members(members, population, agent, seed, horizon)
        for user, (instance, episode) in enumerate(met):
            play.arms[0], play.accepted[0] = episode.arms, episode.accepted
            play.answers[0] = episode.answer
            play.write_truth([instance])
            rows[place, user] = figures(play)[0]
    return rows


def blank_rows(n_episodes: int, members: Members) -> Array:
    """Return room for a row of `plays.PLAY_COLUMNS` for each user of each episode."""
    return np.zeros((n_episodes, members.n_users, len(PLAY_COLUMNS)))


def member_columns(agent: Agent, population: Population, rows: Array) -> dict[str, Array]:
    """Return the columns of runs with users who come one after another, one row an episode."""
    of = {name: rows[:, :, place] for place, name in enumerate(PLAY_COLUMNS)}
    return {
        "acceptances": of["acceptances"].sum(axis=1),
        "regret": of["regret"].sum(axis=1),
        "utility": of["utility"].sum(axis=1),
        "regret_by_user": np.array([" ".join(map(repr, each)) for each in of["regret"].tolist()]),
        "last_is_best": (of["last_arm"] == of["best_arm"]).mean(axis=1),
        "most_accepted_is_best": of["most_accepted_is_best"].mean(axis=1),
    }


def members_compiled(
    members: Members,
    population: Population,
    agent: AlgorithmAgent,
    seeds: Sequence[int],
    horizon: int,
    told: int | None,
    halt: Array | None = None,
) -> Array:
    """Return the rows of `members_readable.members_readable` from compiled code.

    `halt` is that of `compiled.run_compiled`.
    """
    rows = blank_rows(len(seeds), members)
    for place, users, play in members_played(
        members, population, agent, seeds, horizon, told, halt
    ):
        rows[place, users] = figures(play)
    return rows


def members_tried(*arguments: object, **halt: object) -> None:
    """Compile what `members_compiled` runs; it is called likewise, for no steps."""
    for _ in members_played(*arguments, **halt):  # type: ignore[arg-type]
        pass


def members_played(
    members: Members,
    population: Population,
    agent: AlgorithmAgent,
    seeds: Sequence[int],
    horizon: int,
    told: int | None,
    halt: Array | None = None,
) -> Iterator[tuple[int, slice, Play]]:
    """Yield what happens with some users of an episode after others, which the next writes over.

    Yields:
        The place of the episode's seed, which of its users they are, and their play.
    """
    from explorative_user_env.kernels.seeds import (
        N_STREAMS,
        set_agents_at_once,
        set_users_at_once,
        streams,
    )

    halt = never() if halt is None else halt
    user, behaviour, own_law = population.user, population.behaviour, population.user.own_law
    kernel = compiled_play_members(
        agent.algorithm, population.schedule.rule, behaviour, own_law.compiled_in
    )
    params = agent.params(user.n_arms, told)
    numbers, user_state = user_tuple(user), user_arrays(user, behaviour.memory_of(user.n_arms))
    state = as_arrays(agent.algorithm.blank(params))
    law_of = laws_of_episodes(members, population)
    room = Play.blank(min(members.n_users, N_STREAMS), user.n_arms, horizon)
    for place, seed in enumerate(seeds):
        law, hers = law_of(seed), member_seeds(seed, members.n_users)
        with streams() as users, streams() as own:
            set_agents_at_once([seed], agent.name, own)
            for first in range(0, len(hers), N_STREAMS):
                part = hers[first : first + N_STREAMS]
                set_users_at_once(part, users)
                play = Play(*(array[: len(part)] for array in room))
                play.write_truth([law.draw(rng) for rng in users.rngs[: len(part)]])
                given = (numbers, user_state, play.means, users.states, params, state)
                stream = (own.states[0], users.draws)
                kernel(*given, *stream, first, play.arms, play.accepted, play.answers, halt)
                check_answers(play.answers, agent, population)
                yield place, slice(first, first + len(part)), play
                if halt[0]:
                    return


def members_in_step(
    members: Members,
    population: Population,
    agent: ManyUserAgent,
    seeds: Sequence[int],
    horizon: int,
    told: int | None,
    halt: Array | None = None,
) -> Array:
    """Return the rows of `members_readable.members_readable`, for all episodes at once."""
    n_arms, n_episodes = population.n_arms, len(seeds)
    laws = list(map(laws_of_episodes(members, population), seeds))
    hers = [member_seeds(seed, members.n_users) for seed in seeds]
    own = agent_generators(seeds, name_of(agent))
    first = [user_generator(users[0]) for users in hers]
    single = ExplorativeUserEnv(population=population, reward="none")
    lanes = new_lanes(single, first, None, "episode {}".format)
    rows, play = blank_rows(n_episodes, members), Play.blank(n_episodes, n_arms, horizon)
    step, nobody = Step.blank(n_episodes), np.zeros(n_episodes, bool)
    size = (n_episodes, n_arms, horizon)

    def respond(arms: Array) -> tuple[Array, Array]:
        lanes.respond(None, arms, step)
        return step.responses == 1, nobody

    with in_use(agent):
        for user in range(members.n_users):
            for lane, law in enumerate(laws):
                lanes.reseed(lane, user_generator(hers[lane][user]))
                lanes.begin(np.array([lane]), law)
            if user == 0:
                agent.reset_all(n_arms, own, told)
            else:
                begin_next_all(agent, n_arms, own, told)
            met = MeetingOfMany(agent, respond, lambda users: None, size, play)
            met.go_on(halt)
            play.write_truth(lanes.instances())
            rows[:, user] = figures(play._replace(answers=met.answers))
    return rows


class Paths(NamedTuple):
    """The paths of a task; each is called with (population, agent, seeds, cap, horizon, halt=)."""

    task: Task
    readable: Callable[..., Array]
    compiled: Callable[..., Array]
    in_step: Callable[..., Array]
    tried: Callable[..., Any]  # what is compiled
    columns: Callable[[Agent, Population, Array], dict[str, Array]]  # of rows, but whose they are
    keeps_steps: bool  # whether the memory of a run grows with its length


def regret_readable(*arguments: Any, **halt: Any) -> Array:
    """Return rows of `plays.PLAY_COLUMNS`."""
    return figures(play_readable(*arguments, **halt))


def regret_compiled(
    population: Population,
    agent: AlgorithmAgent,
    seeds: Sequence[int],
    horizon: int,
    told: int | None,
    halt: Array | None = None,
) -> Array:
    """Return the rows of `regret_readable` from compiled code; see `compiled.run_compiled`."""
    rows = np.zeros((len(seeds), len(PLAY_COLUMNS)))
    for part, play in plays_compiled(population, agent, seeds, horizon, told, halt):
        rows[part] = figures(play)
    return rows


def regret_in_step(*arguments: Any, **halt: Any) -> Array:
    """Return the rows of `regret_readable` from the vector environment."""
    return figures(play_in_step(*arguments, **halt))


def quickest_play() -> Callable[..., Play]:
    """Return what lets an agent with an algorithm record play: compiled, where there is a compiler.

    It is called as `readable.play_readable` is.
    """
    return play_compiled if can_compile() else play_readable


def bai_columns(agent: Agent, population: Population, rows: Array) -> dict[str, Array]:
    """Return the columns of runs of best-arm identification as the setting reports them."""
    of = dict(zip(RUN_COLUMNS, rows.T, strict=True))
    setting = population.setting
    private_draws = setting.private_draws * population.n_arms
    own = agent.algorithm.name if isinstance(agent, AlgorithmAgent) else name_of(agent)
    interactions = of["acceptances"] + of["rejections"]
    reported = private_draws if setting.counts_private_draws else 0
    rejected = private_draws if setting.reports_as_rejected(own) else 0
    return {
        "best_arm": of["best_arm"],
        "answer": of["answer"],
        "correct": of["answer"] == of["best_arm"],
        "censored": of["end"] == CENSORED,
        "left": of["end"] == LEFT,
        "stopping_time": interactions + reported,
        "interactions": interactions,
        "acceptances": of["acceptances"],
        "rejections": of["rejections"] + rejected,
    }


def regret_columns(agent: Agent, population: Population, rows: Array) -> dict[str, Array]:
    """Return the columns of runs over a horizon."""
    return dict(zip(PLAY_COLUMNS, rows.T, strict=True))


PATHS = {
    paths.task: paths
    for paths in (
        Paths(
            BAI,
            run_readable,
            run_compiled,
            run_in_step,
            run_compiled,
            bai_columns,
            keeps_steps=False,
        ),
        Paths(
            REGRET,
            regret_readable,
            regret_compiled,
            regret_in_step,
            play_compiled,
            regret_columns,
            keeps_steps=True,
        ),
    )
}
"""By task, but for users who come one after another: how many there are says `members_paths`."""


def paths_of(task: Task, members: Members | None = None) -> Paths:
    """Return the paths of a task.

    Args:
        task: which it is.
        members: of the task "population", how many users come one after another.
    """
    return PATHS[task] if members is None else members_paths(members)


def members_paths(members: Members) -> Paths:
    """Return the paths of the task "population"."""
    return Paths(
        POPULATION,
        partial(members_readable, members),
        partial(members_compiled, members),
        partial(members_in_step, members),
        partial(members_tried, members),
        member_columns,
        keeps_steps=True,
    )
