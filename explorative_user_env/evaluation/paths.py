"""The three forms of a run: step by step, compiled, and with many users in step.

In best-arm identification each form yields figures of runs by name. Over a horizon, where a run
with one user is an episode of the task "population" with one user, each yields plays, and one
function returns the figures of a play.
"""

import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import protocol
from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.envs.lanes import Lanes, Step
from explorative_user_env.envs.user import ExplorativeUserEnv, environment_of
from explorative_user_env.envs.user_vector import new_lanes
from explorative_user_env.kernels.compiler import can_compile, errors_of_compiling, short
from explorative_user_env.kernels.loops import Met, compiled_loop
from explorative_user_env.protocol import Array, name_of
from explorative_user_env.runs.loop import Episode, Members, rollout
from explorative_user_env.seeding import agent_generator, member_seeds, user_generator
from explorative_user_env.users import model
from explorative_user_env.users.instances import Instance, instances_of
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, handed_in, integer

#: The figures of a run of best-arm identification from a compiled loop, besides the best arm.
OUTCOMES = ("acceptances", "rejections", "answer", "end")

#: Steps of which the figures are computed at once: allocating more memory takes longer.
AT_ONCE = 50_000

#: Users that an agent meets at once. Each has one run and all runs count: the first runs to end,
#: out of many that go on, would be the short ones.
USERS_IN_STEP = 1024

#: Steps in plain Python before code that was handed in is compiled.
LOOKED_AT = 100

Seeds = Sequence[int]

Figures = dict[str, Array]


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


def figures(play: Play) -> Figures:
    """Return the figures of a play by name, a number for each user.

    Regret is the sum of mu_* - mu_a over the recommendations a, utility the sum of mu_a over the
    accepted ones. A step after a user has left counts as much regret as her worst arm, and no
    utility. The most accepted arm is the first of those accepted equally often; that it is the best
    counts 1/n if the best is one of n such arms, so no agent gains by the numbers of arms.
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
    if (there := play.there()) is not None:
        rewards = rewards * there
        left = (horizon - play.stayed) * (play.means.min(axis=1) - best_means)
    # Products, as a choice by the response takes ten times as long; no sum is -0.
    counted = play.accepted.ravel().astype(float)
    utilities = values * play.accepted + 0.0
    counts = np.bincount(places.ravel(), counted, n_users * n_arms).reshape(n_users, n_arms)
    most = counts == counts.max(axis=1, keepdims=True)
    return {
        "best_arm": best_arms.copy(),  # the memory of a play is used again
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
    """Return the figures of some users after others as one."""
    if not parts[1:]:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


class Runs(NamedTuple):
    """The runs of one agent with users of one kind.

    Attributes:
        population: the users.
        agent: the agent, with its open options filled in.
        cap: steps of a run at most; over a horizon, the horizon.
        horizon: the number of steps that the agent is told, if any.
        task: best-arm identification by default.
        members: the users of an episode, in the task "population".
    """

    population: Population
    agent: Any
    cap: int
    horizon: int | None = None
    task: protocol.Task = protocol.BAI
    members: Members | None = None

    @property
    def plays(self) -> int:
        """The users of a run of whom every step is kept; 0 in best-arm identification."""
        if self.task.ends_itself:
            return 0
        return 1 if self.members is None else self.members.n_users

    def figures(self, form: str, seeds: Seeds, halt: Array | None = None) -> Figures:
        """Return the figures of runs by name, the same in every form.

        Args:
            form: "readable", step by step; "compiled"; or "in_step", with all users at once.
            seeds: the users' seeds, or those of episodes.
            halt: an array of one. If another thread puts a number other than 0 into it, compiled
                runs end within milliseconds, and the figures mean nothing.

        Returns:
            `best_arm` and `OUTCOMES` of each run; over a horizon those of
            a play, of each user of each run.
        """
        parts = [
            figures(part) if isinstance(part, Play) else part
            for part in FORMS[form](self, seeds, halt)
        ]
        found = joined(parts)
        if halt is not None and halt[0]:  # there may be fewer than asked for
            return found
        if self.plays and form == "in_step":  # the first users of all runs, then the second ones
            by_user = {name: each.reshape(self.plays, -1) for name, each in found.items()}
            return {name: np.ascontiguousarray(each.T) for name, each in by_user.items()}
        if self.plays:
            return {name: each.reshape(-1, self.plays) for name, each in found.items()}
        return found

    def play(self, form: str, seeds: Seeds) -> Play:
        """Return all plays of runs over a horizon as one; see `figures`."""
        copies = [[array.copy() for array in play] for play in FORMS[form](self, seeds, None)]
        return Play(*map(np.concatenate, zip(*copies, strict=True)))

    def columns(self, of: Figures) -> Figures:
        """Return figures as columns of a table of runs, but not the users' numbers and seeds.

        In best-arm identification they are as the setting reports them.
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
        own = agent.algorithm.name if isinstance(agent, AlgorithmAgent) else name_of(agent)
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
            "rejections": of["rejections"] + private_draws * setting.reports_as_rejected(own),
        }


#: The runs that a thread has readable runs of, and their environment.
_OF_THREAD = threading.local()


def readable(runs: Runs, seeds: Seeds, halt: Array | None = None) -> Iterator[Figures | Play]:
    """Yield the figures or the play with each user in turn, step by step."""
    population, agent, cap, members = runs.population, runs.agent, runs.cap, runs.members
    if getattr(_OF_THREAD, "runs", None) is not runs:  # to make an environment takes time
        _OF_THREAD.runs, _OF_THREAD.env = runs, environment_of(population, agent)
    env = _OF_THREAD.env
    for seed in seeds:
        if not runs.plays:
            episode = rollout(env, agent, seed, cap, runs.horizon)
            found = {name: np.array([getattr(episode, name)]) for name in OUTCOMES}
            yield {"best_arm": np.array([env.instance().best_arm]), **found}
            continue
        met: Iterable[tuple[Instance, Episode]]
        if members is None:
            episode = rollout(env, agent, seed, cap, cap, commits=True)
            met = [(env.instance(), episode)]
        else:
            met = members.meet(population, agent, seed, cap)
        for instance, episode in met:
            play, steps = Play.blank(1, population.n_arms, cap), len(episode.arms)
            play.means[0], play.best_arms[0] = instance.means, instance.best_arm
            play.arms[0, :steps], play.accepted[0, :steps] = episode.arms, episode.accepted
            play.answers[0], play.stayed[0], play.left[0] = episode.answer, steps, episode.left
            yield play


def compiled(runs: Runs, seeds: Seeds, halt: Array | None = None) -> Iterator[Figures | Play]:
    """Yield what `readable` yields from compiled code, of some users after others.

    A play is valid until the next: using its memory again is faster. `halt`: see `Runs.figures`.
    """
    from explorative_user_env.kernels import seeds as kernel

    population, agent, members, plays = runs.population, runs.agent, runs.members, runs.plays
    user, law, behaviour = population.user, population.instance_law, population.behaviour
    halt, n_arms = np.zeros(1, int) if halt is None else halt, user.n_arms
    key = (agent.algorithm, population.schedule.rule, behaviour, user.own_law.compiled_in)
    loop = compiled_loop(*key, plays > 0, members is not None)
    most = min(kernel.N_STREAMS, len(seeds) if members is None else plays)
    room = Play.blank(most, n_arms if plays else 0, runs.cap if plays else 0)
    numbers, params = model.user_tuple(user), agent.params(n_arms, runs.horizon)
    user_state = model.user_arrays(user, behaviour.memory_of(n_arms))
    state = model.as_arrays(agent.algorithm.blank(params))
    law_of = None if members is None else members.laws(population)
    for episode in [None] if law_of is None else seeds:
        with kernel.streams() as users, kernel.streams() as own:
            hers = seeds
            if episode is not None and law_of is not None:
                law, hers = law_of(episode), member_seeds(episode, plays)
                kernel.set_at_once(own, [episode], agent.name)
            for first in range(0, len(hers), kernel.N_STREAMS):
                part = hers[first : first + kernel.N_STREAMS]
                kernel.set_at_once(users, part)
                if episode is None:
                    kernel.set_at_once(own, part, agent.name)
                means, best_arms = kernel.draw_at_once(law, n_arms, len(part), users)
                its = (params, state, own.states)
                met = Met(numbers, user_state, means, users.states, *its, users.draws)
                moves = behaviour.moves_means and not plays
                begun = instances_of(means, best_arms) if moves else ()
                play = Play(*(array[: len(part)] for array in room))
                ends = np.zeros((len(part), len(OUTCOMES)), int)
                loop(met, first, runs.cap, play.arms, play.accepted, ends, halt)
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
                        now = map(behaviour.truth, begun, means.tolist())
                        best_arms = np.array([instance.best_arm for instance in now])
                    yield {"best_arm": best_arms, **dict(zip(OUTCOMES, ends.T, strict=True))}
                if halt[0] and episode is None:  # an episode has all its users
                    return
        if halt[0]:
            return


def in_step(runs: Runs, seeds: Seeds, halt: Array | None = None) -> Iterator[Figures | Play]:
    """Yield figures, or a play, with the first users of all runs, then with all second ones."""
    population, agent, members = runs.population, runs.agent, runs.members
    laws: Any = population.instance_law
    hers = [[seed] for seed in seeds]
    if members is not None:
        hers = [member_seeds(seed, members.n_users) for seed in seeds]
        laws = [*map(members.laws(population), seeds)]
    agents_own = [agent_generator(seed, name_of(agent)) for seed in seeds]
    single = ExplorativeUserEnv(population=population, reward="none")
    first = [user_generator(each[0]) for each in hers]
    lanes = new_lanes(single, first, None, "user {}".format)
    with protocol.in_use(agent):
        for user in range(len(hers[0])):
            for lane in range(len(seeds) if user else 0):
                lanes.reseed(lane, user_generator(hers[lane][user]))
            lanes.begin(np.arange(len(seeds)), laws)
            following = getattr(agent, "next_user_all", None) if user else None
            if following is None:
                agent.reset_all(population.n_arms, agents_own, runs.horizon)
            else:
                following()
            yield _met_in_step(runs, lanes, len(seeds))


def _met_in_step(runs: Runs, lanes: Lanes, n_users: int) -> Figures | Play:
    """Let an agent that is ready for them meet all users in step.

    Over a horizon the agent goes on with its answers after it stops.
    """
    agent, name, n_arms = runs.agent, name_of(runs.agent), runs.population.n_arms
    acceptances, steps, answers, arms = np.zeros((4, n_users), int)
    left, going_on, step = np.zeros(n_users, bool), np.arange(n_users), Step.blank(n_users)
    instances = list(lanes.instances())  # as they were when the agent answered
    play = Play.blank(n_users, n_arms, runs.cap) if runs.plays else None

    def checked(chosen: Any, users: Array, least: int) -> Array:
        """Return an arm (or `STOP`, if that is `least`) for each of these users."""
        found: Array = np.asarray(chosen)
        fits = found.shape == users.shape and found.dtype.kind in "iu"
        if not fits or not least <= found.min() <= found.max() < n_arms:
            allowed = f"{users.size} integers in {least}..{n_arms - 1}"
            raise InvalidArgumentError(f"arms of {name}", chosen, allowed)
        return found.astype(int, copy=False)

    def ask(users: Array) -> None:
        if not users.size:
            return
        if runs.population.behaviour.moves_means:
            present = lanes.instances()
            for user in users.tolist():
                instances[user] = present[user]
        # Copies, as the agent may write into its arguments.
        answers[users] = checked(agent.answer_all(users.copy()), users, 0)

    for number in range(runs.cap + 1):
        chosen = going_on
        if going_on.size:
            chosen = checked(agent.act_all(going_on.copy()), going_on, protocol.STOP)
            stopped = going_on[chosen == protocol.STOP]
            ask(stopped)
            arms[stopped] = answers[stopped]
            going_on, chosen = going_on[chosen != protocol.STOP], chosen[chosen != protocol.STOP]
        there = going_on if play is None else np.flatnonzero(~left)
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
        if play is not None:
            play.arms[:, number], play.accepted[:, number] = arms, accepted
            play.stayed[leaving] = number + 1
        ask(going_on[left[going_on]])
        going_on = going_on[~left[going_on]]
    ask(going_on)
    best_arms = np.array([instance.best_arm for instance in instances])
    if play is not None:
        play.means[:] = [instance.means for instance in instances]
        play.best_arms[:], play.answers[:], play.left[:] = best_arms, answers, left
        play.blank_missed()
        return play
    ends = np.where(left, protocol.LEFT, protocol.ANSWERED)
    ends[going_on] = protocol.CENSORED
    found = {"best_arm": best_arms, "acceptances": acceptances, "answer": answers}
    return found | {"rejections": steps - acceptances, "end": ends}


#: Generators of figures or plays by the name of a form.
FORMS: dict[str, Any] = {"readable": readable, "compiled": compiled, "in_step": in_step}


def compiles(runs: Runs, seed: int) -> bool:
    """Compile the agent's loop, with a run that is halted before its first step; warn if it fails.

    Returns False for an agent without an algorithm record, or without numba.

    Raises:
        CallableError: if not the compiling fails, but code that was handed in.
    """
    population, agent, name = runs.population, runs.agent, name_of(runs.agent)
    if not isinstance(agent, AlgorithmAgent) or not can_compile():
        return False

    def look() -> None:  # at the first steps in plain Python, where an error names what fails
        rollout(environment_of(population, agent), agent, seed, LOOKED_AT, runs.horizon)

    rule, behaviour, law = population.schedule.rule, population.behaviour, population.user.own_law
    own_behaviour = any(map(handed_in, behaviour.functions))
    if own_behaviour:
        look()  # compiled code takes any answer for a response
    try:
        runs.figures("compiled", [seed], halt=np.ones(1, int))
    except Exception as error:
        look()
        if not isinstance(error, errors_of_compiling()):
            raise
        own = {
            f"rho ({model.rule_name(rule)})": handed_in(rule),
            f"behaviour {behaviour.name!r}": own_behaviour,
            f"reward_law {law.name!r}": population.user.reward_law == model.OWN,
            name: handed_in(agent.algorithm.act),
        }
        culprit = " or ".join(part for part in own if own[part]) or name
        who = "it" if culprit == name else name
        what = f"{culprit} does not compile, so {who} runs in the slower readable loop"
        warnings.warn(f"{what}: {short(error)}", stacklevel=2)
        return False
    return True
