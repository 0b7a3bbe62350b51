"""The readable loop, which runs an agent on users step by step, and the record of a run."""

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym

from explorative_user_env import protocol, seeding, validation
from explorative_user_env.agents import AlgorithmAgent, informed, with_facts
from explorative_user_env.envs.user import as_action, environment_of, population_in
from explorative_user_env.protocol import Agent, name_of
from explorative_user_env.users.population import MemberLaw, Population
from explorative_user_env.validation import CallableError, InvalidArgumentError

if TYPE_CHECKING:
    from explorative_user_env.runs.films import Film
    from explorative_user_env.runs.moments import Explanation

LONGEST_SHOWN = 100_000  # most steps of a run that a notebook shows as a film


@dataclass(frozen=True)
class Rerun:
    """The data to repeat a run; call `again` with an environment, an agent and an `on_step`."""

    population: Population
    agent: Agent
    delta: float
    shows_intervals: bool
    again: Callable[..., Any]


@dataclass(frozen=True, repr=False)
class Episode:
    """The record of a run of an agent with a user.

    Attributes:
        agent: the agent's name.
        seed: the user's seed; `rollout(env, agent, seed=seed)` repeats the run.
        arms: the recommended arm of each step.
        accepted: the response of each step.
        rewards: the environment's reward of each step, which the agent did not observe.
        answer: the arm that the agent names as the best.
        censored: whether a cap or time limit ended the run before the agent stopped.
        left: whether the user left after the last response.
        rerun: the data to repeat the run for a film; it is not pickled.
    """

    agent: str
    seed: int
    arms: tuple[int, ...]
    accepted: tuple[bool, ...]
    rewards: tuple[float, ...]
    answer: int
    censored: bool
    left: bool = False
    rerun: Rerun | None = field(default=None, compare=False)

    @property
    def stopping_time(self) -> int:
        """The number of recommendations."""
        return len(self.arms)

    @property
    def acceptances(self) -> int:
        """The number of accepted recommendations, n(t)."""
        return sum(self.accepted)

    @property
    def rejections(self) -> int:
        """The number of rejected recommendations."""
        return len(self.accepted) - sum(self.accepted)

    @property
    def end(self) -> int:
        """The end of the run, one of `ANSWERED`, `CENSORED` and `LEFT`."""
        if self.left:
            return protocol.LEFT
        return protocol.CENSORED if self.censored else protocol.ANSWERED

    def explain(self) -> "Explanation":
        """Return the important events of the run in words, explained by the user's hidden state.

        Raises:
            InvalidArgumentError: if the run cannot be repeated (see `film`).
        """
        return self.film(reveal=True).explanation

    def film(self, reveal: bool | None = None) -> "Film":
        """Return a film of the run, step by step, with the agent's explanations.

        The film repeats the run with a copy of the agent. An episode that was pickled and loaded
        has no copy of the agent, so it has no film.

        Args:
            reveal: whether to show the user's intervals and true means; None is the
                environment's `render_intervals`.

        Raises:
            InvalidArgumentError: if the episode was pickled and loaded, or the agent has changed.
        """
        from explorative_user_env.runs.films import film_of

        return film_of(self, reveal)

    def save(self, path: Path | str, reveal: bool | None = None, overwrite: bool = False) -> None:
        """Write the run as a film (.html, .gif or .mp4) or as a picture (.svg or .png).

        Args:
            path: the file.
            reveal: as in `film`.
            overwrite: whether to replace an existing file.
        """
        self.film(reveal).save(path, overwrite)

    def _repr_html_(self) -> str | None:
        if self.rerun is not None and len(self.arms) <= LONGEST_SHOWN:
            with suppress(InvalidArgumentError):  # a changed agent has no film: show `__repr__`
                return self.film()._repr_html_()
        return None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "rerun"}

    def __repr__(self) -> str:
        names = ["agent", "seed", "stopping_time", "acceptances", "answer", "censored"]
        names += ["left"] if self.left else []
        return f"Episode({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


def rollout(
    env: gym.Env[Any, Any],
    agent: Agent | str,
    seed: int,
    max_steps: int | None = None,
    horizon: int | None = None,
    commits: bool = False,
    delta: float = protocol.DELTA,
    on_step: Callable[[], None] | None = None,
) -> Episode:
    """Run `agent` with the user of this `seed`, step by step.

    The seed and the agent's name determine the agent's random stream, so the same seed repeats the
    run. An option of the agent that is None is computed from the users, as in `evaluate`.

    Args:
        env: an `ExplorativeUser-v0`, with or without the wrappers of `gym.make`.
        agent: an object with reset / act / observe / answer, or the name of a shipped agent.
        seed: the user's seed, at least 0.
        max_steps: the step cap; None is the agent's own cap, or else a million. A time limit of the
            environment below the cap ends the run earlier, with a warning. To remove the time
            limit, pass `max_episode_steps=-1` to `gym.make`, or use `env.unwrapped`.
        horizon: the number of steps that `reset` passes to the agent. None passes the environment's
            time limit if the agent needs a horizon or `commits` is True, else it passes None.
        commits: whether an agent that stops continues to recommend its answer until the step cap.
            With `commits` the default step cap is the horizon.
        delta: the delta, in (0, 1), if the option `delta` of the agent is None.
        on_step: called at the start and after each step, once the agent has observed the response.

    Raises:
        InvalidArgumentError: if the seed, cap or horizon is out of range, if another thread uses
            the agent, or if the agent observes rewards and the environment's reward is not
            "realized".
        CallableError: if the agent's code fails, or its recommendation or answer is not an arm.
    """
    seed, users = seeding.seed_number(seed), population_in(env)
    validation.flag("commits", commits)
    agent = informed(agent, users, validation.risk("delta", delta))
    if horizon is not None:
        horizon = validation.integer("horizon", horizon, 1)
    limit = getattr(env.spec, "max_episode_steps", None)
    if commits and max_steps is None:
        max_steps = horizon  # a run with `commits` ends at the horizon
    cap = protocol.cap_of(agent) if max_steps is None else max_steps
    if cap is None and commits and limit is None:
        raise InvalidArgumentError("max_steps", None, "given if commits is True")
    if horizon is None and (commits or protocol.needs_horizon(agent)):
        horizon = limit
    cap = validation.integer("max_steps", protocol.STEP_CAP if cap is None else cap, 1)
    task = protocol.REGRET if commits or horizon is not None else protocol.BAI
    most = cap if limit is None or limit < 1 else min(cap, limit)
    agent = with_facts(agent, users, {"task": task.name, "delta": delta, "max_steps": most})
    rng, n_arms = seeding.agent_generator(seed, name_of(agent)), int(env.action_space.n)  # type: ignore[attr-defined]
    who = f"the user of seed {seed}: rollout(env, agent, seed={seed}) repeats the run"
    with protocol.in_use(agent):
        begin = ("reset", functools.partial(agent.reset, n_arms, rng, horizon))
        run, cut_by_limit = _run(env, agent, seed, who, begin, cap, commits, on_step)
    if cut_by_limit:
        warnings.warn(
            f"the environment's time limit ended the run of {run.agent} after {len(run.arms)} "
            "steps; pass max_episode_steps=-1 to gym.make, or max_steps to rollout",
            stacklevel=2,
        )
    if users is not None:
        how: dict[str, Any] = {"seed": seed, "horizon": horizon, "commits": commits}
        how["max_steps"] = max(1, len(run.arms))  # the repeated run ends at this step
        given = agent.options.get("delta") if isinstance(agent, AlgorithmAgent) else None
        shows = bool(getattr(env.unwrapped, "render_intervals", False))
        delta, again = delta if given is None else float(given), functools.partial(rollout, **how)
        object.__setattr__(run, "rerun", Rerun(users, agent, delta, shows, again))
    return run


def _run(
    env: gym.Env[Any, Any],
    agent: Agent,
    seed: int,
    who: str,
    begin: tuple[str, Callable[[], None]],
    cap: int,
    commits: bool,
    on_step: Callable[[], None] | None = None,
) -> tuple[Episode, bool]:
    """Return the record of a run, and whether the environment's time limit ended it.

    `who` describes the user in errors. `begin` has the name of the method that starts the agent's
    run, and a function that calls this method.

    Raises:
        CallableError: if a method of the agent or of the environment fails. The message names the
            method, the step and the user.
    """
    name, n_arms = name_of(agent), int(env.action_space.n)  # type: ignore[attr-defined]
    learn: Callable[[int, float], None] | None = None
    if protocol.sees_rewards(agent):
        reward = getattr(env.unwrapped, "reward", None)
        if reward != "realized":
            what, allowed = f"reward of the environment of {name}", '"realized", which it observes'
            raise InvalidArgumentError(what, reward, allowed)
        learn = agent.learn  # type: ignore[attr-defined]
    arms, responses, rewards = list[int](), list[bool](), list[float]()
    act, observe, answer = f"act of {name}", f"observe of {name}", f"answer of {name}"
    step, doing = "step of the environment", "reset of the environment"  # `doing` names the call
    committed: int | None = None
    started = left = truncated = False

    def as_arm(what: str, arm: Any) -> int:  # accepts any integer, or an array with one integer
        try:
            return as_action(arm, n_arms)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(what, arm, f"an arm in 0..{n_arms - 1}") from error

    try:
        env.reset(seed=seed)
        doing = f"{begin[0]} of {name}"
        begin[1]()
        if learn is not None and isinstance(agent, AlgorithmAgent):
            agent.tell(env.unwrapped.instance().best_arm)  # type: ignore[attr-defined]
        started = True
        if on_step is not None:
            on_step()
        while not left:
            doing = act
            arm = agent.act() if committed is None else committed
            if arm is None and commits:
                doing = answer
                committed = arm = as_arm(answer, agent.answer())
            if arm is None or truncated or len(arms) == cap:
                break
            if type(arm) is not int or not 0 <= arm < n_arms:
                arm = as_arm(f"arm chosen by {name}", arm)
            doing = step
            observation, reward, left, truncated, _ = env.step(arm)
            doing = observe
            if committed is None:
                agent.observe(arm, bool(observation))
                if learn is not None and observation:
                    learn(arm, float(reward))
            arms.append(arm)
            responses.append(bool(observation))
            rewards.append(float(reward))
            if on_step is not None:
                on_step()
        censored = arm is not None and committed is None and not left
        if committed is None:
            doing = answer
            committed = as_arm(answer, agent.answer())
    except Exception as error:
        if not started and type(error) is InvalidArgumentError:
            raise  # an argument of `reset` is invalid; no method failed
        when = "at the end" if doing == answer else f"at step {len(arms) + 1}"
        named = CallableError.of(doing, error, f"{when if started else 'at the start'}, with {who}")
        raise named from (error.__cause__ if isinstance(error, CallableError) else error)
    record = tuple(arms), tuple(responses), tuple(rewards)
    episode = Episode(name, seed, *record, committed, censored, bool(left))
    return episode, censored and truncated and not commits and len(arms) < cap


@dataclass(frozen=True)
class Members:
    """The members of an episode of the task "population": users with similar means.

    The members come one after another. Each has her own seed and random stream.

    Attributes:
        n_users: number of members, at least 1.
        deviation: standard deviation of a member's means around the arms' popularity, at least 0.

    Raises:
        InvalidArgumentError: if an attribute is out of range.
    """

    n_users: int = protocol.N_USERS
    deviation: float = protocol.DEVIATION

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_users", seeding.number_of_users(self.n_users, "n_users"))
        object.__setattr__(self, "deviation", validation.not_negative("deviation", self.deviation))

    def laws(self, population: Population) -> Callable[[int], MemberLaw]:
        """Return a function from an episode's seed to the law of its members."""
        return functools.partial(MemberLaw, population.instance_law, self.deviation)

    def run(self, population: Population, agent: Agent, seed: int, horizon: int) -> Iterator[Any]:
        """Run one agent with all members, and yield each member's instance and record.

        Args:
            population: the population.
            agent: an object with reset / act / observe / answer; see also `Agent.next_user`.
            seed: the seed of the episode.
            horizon: steps with each member; an agent that stops continues with its answer.

        Raises:
            CallableError: if the agent's code fails, or its recommendation or answer is not an arm.
        """
        env, n_arms = environment_of(population, agent, reward="regret"), population.n_arms
        env.instance_law = self.laws(population)(seed)
        rng = seeding.agent_generator(seed, name_of(agent))
        reset = first = ("reset", functools.partial(agent.reset, n_arms, rng, horizon))
        for each in ("next_user_all", "next_user"):  # `OneUserAtATime` has `next_user_all`
            if (method := getattr(agent, each, None)) is not None:
                reset = (each, method)
        with protocol.in_use(agent):
            for user, member in enumerate(seeding.member_seeds(seed, self.n_users)):
                who, begin = f"user {user} of the episode of seed {seed}", reset if user else first
                episode, _ = _run(env, agent, member, who, begin, horizon, commits=True)
                yield env.instance(), episode

    def episode(self, population: Population, agent: Agent, seed: int, horizon: int) -> Episode:
        """Run one agent with all members; return one `Episode`, with the answer of the last run."""
        parts = [part for _, part in self.run(population, agent, seed, horizon)]
        arms, accepted, rewards = (
            tuple(value for part in parts for value in getattr(part, name))
            for name in ("arms", "accepted", "rewards")
        )
        last = parts[-1]
        return Episode(name_of(agent), seed, arms, accepted, rewards, last.answer, last.censored)
