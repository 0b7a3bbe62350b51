"""The readable loop: an agent meets users step by step; the record of the run."""

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym

from explorative_user_env import protocol, seeding, validation
from explorative_user_env.agents import AlgorithmAgent, informed
from explorative_user_env.envs.user import as_action, environment_of, population_in
from explorative_user_env.protocol import Agent, name_of
from explorative_user_env.users.population import MemberLaw, Population
from explorative_user_env.validation import CallableError, InvalidArgumentError

if TYPE_CHECKING:
    from explorative_user_env.runs.films import Film
    from explorative_user_env.runs.moments import Explanation

LONGEST_SHOWN = 100_000  # steps of a run that is watched only because a notebook shows it


@dataclass(frozen=True)
class Rerun:
    """What repeats a run: `again` is called with an environment, an agent and an `on_step`."""

    population: Population
    agent: Agent
    delta: float
    shows_intervals: bool
    again: Callable[..., Any]


@dataclass(frozen=True, repr=False)
class Episode:
    """What happened between an agent and a user.

    Attributes:
        agent: the agent's name.
        seed: the user's seed; `rollout(env, agent, seed=seed)` repeats the run.
        arms: the recommended arm of each step.
        accepted: the response of each step.
        rewards: the environment's reward of each step, which the agent did not see.
        answer: the arm the agent names as the best.
        censored: whether the run was cut off before the agent stopped.
        left: whether the user left, which she does after a response.
        rerun: repeats the run so that it can be watched; it is not pickled.
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
        """How the run ended, one of `ANSWERED`, `CENSORED` and `LEFT`."""
        if self.left:
            return protocol.LEFT
        return protocol.CENSORED if self.censored else protocol.ANSWERED

    def explain(self) -> "Explanation":
        """Return in words what mattered in the run and why, by the user's hidden state.

        Raises:
            InvalidArgumentError: for a run that cannot be watched again (see `film`).
        """
        return self.film(reveal=True).explanation

    def film(self, reveal: bool | None = None) -> "Film":
        """Return a film of the run, step by step, with what the agent explains.

        A copy of the agent meets the user again, so an episode from another process has no film.

        Args:
            reveal: whether the user's intervals and the truth are shown; None is as in the
                environment's rendering, by its `render_intervals`.

        Raises:
            InvalidArgumentError: for an episode from another process, or if the agent has changed.
        """
        from explorative_user_env.runs.films import film_of

        return film_of(self, reveal)

    def save(self, path: Path | str, reveal: bool | None = None, overwrite: bool = False) -> None:
        """Write the run as a film (.html, .gif or .mp4) or as one picture (.svg or .png).

        Args:
            path: the file.
            reveal: as in `film`.
            overwrite: whether an existing file is replaced.
        """
        self.film(reveal).save(path, overwrite)

    def _repr_html_(self) -> str | None:
        if self.rerun is not None and len(self.arms) <= LONGEST_SHOWN:
            with suppress(InvalidArgumentError):  # the agent has changed: the record is shown
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
    """Let `agent` meet the user with this `seed`, step by step.

    The agent's stream follows from the seed and its name, and its open options from the
    environment's users, as in `evaluate`: so the seed alone repeats the run.

    Args:
        env: an `ExplorativeUser-v0`, made or raw.
        agent: anything with reset / act / observe / answer, or the name of one of the package's.
        seed: the user's seed, at least 0.
        max_steps: cut the run off after this many steps; None is the agent's own cap, or else a
            million. The environment's time limit cuts it off too, and warns if nobody asked for
            that: give `gym.make` a `max_episode_steps` of -1, or take `env.unwrapped`.
        horizon: number of steps that the agent is told; None is the environment's time limit, if
            any, for an agent that needs a horizon or a run that commits.
        commits: whether an agent that stops goes on with its answer until the run is cut off, at
            the horizon unless there is a cap.
        delta: of an agent without its own, in (0, 1).
        on_step: called at the start and after each step, once the agent has observed it.

    Raises:
        InvalidArgumentError: for a seed, cap or horizon out of range, an agent that another thread
            uses, or an environment that does not pay a reference agent the rewards it needs.
        CallableError: if the agent's code fails, or recommends or answers what is no arm.
    """
    seed, users = seeding.seed_number(seed), population_in(env)
    validation.flag("commits", commits)
    agent = informed(agent, users, validation.risk("delta", delta))
    if horizon is not None:
        horizon = validation.integer("horizon", horizon, 1)
    limit = getattr(env.spec, "max_episode_steps", None)
    if commits and max_steps is None:
        max_steps = horizon  # no run over a horizon stops before
    cap = protocol.cap_of(agent) if max_steps is None else max_steps
    if cap is None and commits and limit is None:
        raise InvalidArgumentError("max_steps", None, "given, as a run that commits has no end")
    if horizon is None and (commits or protocol.needs_horizon(agent)):
        horizon = limit
    cap = validation.integer("max_steps", protocol.STEP_CAP if cap is None else cap, 1)
    rng, n_arms = seeding.agent_generator(seed, name_of(agent)), int(env.action_space.n)  # type: ignore[attr-defined]
    who = f"the user of seed {seed}: rollout(env, agent, seed={seed}) meets her again"
    with protocol.in_use(agent):
        begin = ("reset", functools.partial(agent.reset, n_arms, rng, horizon))
        run, cut_by_limit = _met(env, agent, seed, who, begin, cap, commits, on_step)
    if cut_by_limit:
        warnings.warn(
            f"the environment's time limit cut the run of {run.agent} off after "
            f"{len(run.arms)} steps; give gym.make max_episode_steps=-1, or max_steps here",
            stacklevel=2,
        )
    if users is not None:
        how: dict[str, Any] = {"seed": seed, "horizon": horizon, "commits": commits}
        how["max_steps"] = max(1, len(run.arms))  # whatever ended the run, it ended after so many
        own = agent.options.get("delta") if isinstance(agent, AlgorithmAgent) else None
        shows = bool(getattr(env.unwrapped, "render_intervals", False))
        delta, again = delta if own is None else float(own), functools.partial(rollout, **how)
        object.__setattr__(run, "rerun", Rerun(users, agent, delta, shows, again))
    return run


def _met(
    env: gym.Env[Any, Any],
    agent: Agent,
    seed: int,
    who: str,
    begin: tuple[str, Callable[[], None]],
    cap: int,
    commits: bool,
    on_step: Callable[[], None] | None = None,
) -> tuple[Episode, bool]:
    """Return the record of a meeting, and whether the environment's time limit cut it off.

    `who` is the user in words; `begin` has the name of the agent's first method, and a call of it.

    Raises:
        CallableError: naming the code that failed, the step and the user.
    """
    name, n_arms = name_of(agent), int(env.action_space.n)  # type: ignore[attr-defined]
    learn: Callable[[int, float], None] | None = None
    if protocol.sees_rewards(agent):
        reward = getattr(env.unwrapped, "reward", None)
        if reward != "realized":
            what, allowed = f"reward of the environment of {name}", '"realized", which it sees'
            raise InvalidArgumentError(what, reward, allowed)
        learn = agent.learn  # type: ignore[attr-defined]
    arms, responses, rewards = list[int](), list[bool](), list[float]()
    act, observe, asked = f"act of {name}", f"observe of {name}", f"answer of {name}"
    step, doing = "step of the environment", "reset of the environment"  # the code that runs now
    committed: int | None = None
    begun = left = truncated = False

    def as_arm(what: str, arm: Any) -> int:  # any integer, or an array of one
        try:
            return as_action(arm, n_arms)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(what, arm, f"an arm in 0..{n_arms - 1}") from error

    try:
        env.reset(seed=seed)
        doing = f"{begin[0]} of {name}"
        begin[1]()
        begun = True
        if on_step is not None:
            on_step()
        while not left:
            doing = act
            arm = agent.act() if committed is None else committed
            if arm is None and commits:
                doing = asked
                committed = arm = as_arm(asked, agent.answer())
            if arm is None or truncated or len(arms) == cap:
                break
            if type(arm) is not int or not 0 <= arm < n_arms:
                arm = as_arm(f"arm of {name}", arm)
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
            doing = asked
            committed = as_arm(asked, agent.answer())
    except Exception as error:
        if not begun and type(error) is InvalidArgumentError:
            raise  # an argument of the run, not code that was handed in
        when = "at the end" if doing == asked else f"at step {len(arms) + 1}"
        told = CallableError.of(doing, error, f"{when if begun else 'at the start'}, with {who}")
        raise told from (error.__cause__ if isinstance(error, CallableError) else error)
    record = tuple(arms), tuple(responses), tuple(rewards)
    episode = Episode(name, seed, *record, committed, censored, bool(left))
    return episode, censored and truncated and not commits and len(arms) < cap


@dataclass(frozen=True)
class Members:
    """The users of an episode, who come one after another and share what is popular.

    Each is a user as any other, with a seed and a stream of her own, and stays for a horizon.

    Attributes:
        n_users: their number, at least 1.
        deviation: standard deviation of a user's means around what is popular, at least 0.

    Raises:
        InvalidArgumentError: naming the one that is out of range.
    """

    n_users: int = protocol.N_USERS
    deviation: float = protocol.DEVIATION

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_users", seeding.number_of_users(self.n_users, "n_users"))
        object.__setattr__(self, "deviation", validation.not_negative("deviation", self.deviation))

    def laws(self, population: Population) -> Callable[[int], MemberLaw]:
        """Return a function from an episode's seed to the law of its users."""
        return functools.partial(MemberLaw, population.instance_law, self.deviation)

    def meet(self, population: Population, agent: Agent, seed: int, horizon: int) -> Iterator[Any]:
        """Yield each user's instance and record, as one agent meets them step by step.

        Args:
            population: the kind of user.
            agent: anything with reset / act / observe / answer; see also `Agent.next_user`.
            seed: the episode's.
            horizon: steps that each user stays; an agent that stops goes on with its answer.

        Raises:
            CallableError: if the agent's code fails, or recommends or answers what is no arm.
        """
        env, n_arms = environment_of(population, agent, reward="regret"), population.n_arms
        env.instance_law = self.laws(population)(seed)
        rng = seeding.agent_generator(seed, name_of(agent))
        reset = first = ("reset", functools.partial(agent.reset, n_arms, rng, horizon))
        for each in ("next_user_all", "next_user"):  # the former of `OneUserAtATime`
            if (method := getattr(agent, each, None)) is not None:
                reset = (each, method)
        with protocol.in_use(agent):
            for user, member in enumerate(seeding.member_seeds(seed, self.n_users)):
                who, begin = f"user {user} of the episode of seed {seed}", reset if user else first
                episode, _ = _met(env, agent, member, who, begin, horizon, commits=True)
                yield env.instance(), episode

    def episode(self, population: Population, agent: Agent, seed: int, horizon: int) -> Episode:
        """Return the records of `meet` as one, with the answer for the last user."""
        met = [part for _, part in self.meet(population, agent, seed, horizon)]
        arms, accepted, rewards = (
            tuple(value for part in met for value in getattr(part, name))
            for name in ("arms", "accepted", "rewards")
        )
        last = met[-1]
        return Episode(name_of(agent), seed, arms, accepted, rewards, last.answer, last.censored)
