"""Whether an agent knows what it cannot know: by what it holds, and by what it does."""

from typing import Any

import numpy as np

from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.evaluation.in_step import run_in_step
from explorative_user_env.evaluation.readable import RUN_COLUMNS
from explorative_user_env.loop import rollout
from explorative_user_env.meeting import informed
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, ManyUserAgent, name_of, needs_horizon, sees_rewards
from explorative_user_env.seeding import agent_generator, user_seeds
from explorative_user_env.testing.checks import FailedCheckError, NotAskedError, Subject
from explorative_user_env.testing.meetings import Run, Situation, expect_alike, usual_arms
from explorative_user_env.testing.secrets import Secrets

FALSE_ALARM = 1e-6
"""The largest probability that a check by chance fails an agent that does nothing wrong."""

GUESSES = 60
"""Users with each of whom an agent can only guess."""

SAFE_ARMS = 20
"""K of users of whom nothing can be told, if an agent was not trained for another."""

BLIND_STEPS = 12
"""Steps with each of them, none of which she rejects."""

UNBOUNDED_PATIENCE = 1e9
"""alpha of users whose intervals are so wide that nothing is rejected for a long time."""

REPLAYED = 50
"""Steps of a run whose responses are given again."""


def holds_no_secret(subject: Subject) -> None:
    """From the agent no way leads to the user's means, estimates, bounds, seed or stream."""
    users = Population(n_arms=usual_arms(subject), gap=0.4321)
    for seed in user_seeds(subject.seed, 3):
        agent = informed(_agent(subject), users)
        env = _Watched(population=users, reward=_paid(subject))
        rollout(env, agent, seed, max_steps=REPLAYED, horizon=_horizon(agent, REPLAYED))
        numbers = env.means if sees_rewards(agent) else [*env.means, *env.numbers]
        secrets = Secrets([seed], numbers, truths=())
        for way in secrets.ways_from(agent):
            raise FailedCheckError(f"agent{way} is a secret of the user of seed {seed}")


def guesses_when_it_cannot_know(subject: Subject) -> None:
    """With users who have rejected nothing it is right no more often than one who guesses."""
    from scipy.stats import binom

    if sees_rewards(subject.make()):
        raise NotAskedError("it is told rewards, as a reference that is labelled so")
    n_arms, seeds = usual_arms(subject, SAFE_ARMS), user_seeds(subject.seed, GUESSES)
    users = Population(n_arms=n_arms, alpha=UNBOUNDED_PATIENCE)
    right = _right_one_by_one(subject, users, seeds)
    if isinstance(subject.make(), ManyUserAgent):
        right["answers, asked about many at once,"] = _right_in_step(subject, users, seeds)
    # Whatever it does, it is right by chance with each user: the figures share the false alarm.
    most = int(binom.isf(FALSE_ALARM / len(right), GUESSES, 1 / n_arms))
    for what, n_right in right.items():
        if n_right > most:
            raise FailedCheckError(
                f"it {what} the best of {n_arms} arms with {n_right} of {GUESSES} users who have "
                f"rejected nothing in {BLIND_STEPS} steps; by chance it is at most {most} with "
                f"probability 1 - {FALSE_ALARM:g} (users of seed {subject.seed})"
            )


def _right_one_by_one(subject: Subject, users: Population, seeds: list[int]) -> dict[str, int]:
    """Return with how many users an agent answers their best arm, and recommends it last."""
    env, right = ExplorativeUserEnv(population=users), {"answers": 0, "recommends": 0}
    for seed in seeds:
        agent = informed(_agent(subject), users)
        episode = rollout(env, agent, seed, BLIND_STEPS, _horizon(agent, BLIND_STEPS))
        assert episode.rejections == 0
        best = env.instance().best_arm
        right["answers"] += episode.answer == best
        right["recommends"] += bool(episode.arms) and episode.arms[-1] == best
    return right


def _right_in_step(subject: Subject, users: Population, seeds: list[int]) -> int:
    """Return with how many users an agent that meets all at once answers their best arms."""
    agent: Any = subject.make()
    rows = run_in_step(users, agent, seeds, BLIND_STEPS, _horizon(agent, BLIND_STEPS))
    of = dict(zip(RUN_COLUMNS, rows.T, strict=True))
    return int((of["answer"] == of["best_arm"]).sum())


def depends_on_responses_alone(subject: Subject) -> None:
    """The same responses from a user with another truth lead to the same recommendations."""
    if sees_rewards(subject.make()):
        raise NotAskedError("it is told rewards, as a reference that is labelled so")
    users = Population(n_arms=usual_arms(subject))
    for seed in user_seeds(subject.seed, 6):
        wanted = _played(subject, ExplorativeUserEnv(population=users), seed)
        other = _Replaying(population=users)
        other.responses = wanted.accepted
        found = _played(subject, other, seed, seed + 1)
        situation = Situation(users.n_arms, seed, "as she likes", REPLAYED)
        when = "with a user of another truth who gave the same responses"
        expect_alike(found, wanted, situation, when)


def _played(
    subject: Subject, env: ExplorativeUserEnv, seed: int, of_user: int | None = None
) -> Run:
    """Return a run of an agent whose stream follows from `seed`, with the user of another one."""
    agent = informed(_agent(subject), env.population)
    streamed = _Streamed(agent, agent_generator(seed, name_of(agent)))
    user = seed if of_user is None else of_user
    told = rollout(env, streamed, user, REPLAYED, _horizon(agent, REPLAYED))
    return Run(told.arms, told.accepted, told.answer, not told.censored)


def _agent(subject: Subject) -> Agent:
    agent: Agent = subject.make()
    return agent


def _paid(subject: Subject) -> str:
    return "realized" if sees_rewards(subject.make()) else "none"


def _horizon(agent: Agent, n_steps: int) -> int | None:
    return n_steps if needs_horizon(agent) else None


class _Streamed:
    """An agent that is handed a stream of the check's, whoever it meets."""

    def __init__(self, agent: Agent, rng: np.random.Generator) -> None:
        self._agent, self._rng, self.name = agent, rng, name_of(agent)

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self._agent.reset(n_arms, self._rng, horizon)

    def act(self) -> int | None:
        return self._agent.act()

    def observe(self, arm: int, accepted: bool) -> None:
        self._agent.observe(arm, accepted)

    def answer(self) -> int:
        return self._agent.answer()


class _Watched(ExplorativeUserEnv):
    """A user whose secrets are written down."""

    means: list[float]
    numbers: list[float]

    def reset(self, **given: Any) -> Any:
        begun = super().reset(**given)
        self.means, self.numbers = [*self.instance().means], []
        return begun

    def step(self, action: int) -> Any:
        heard = super().step(action)
        truth = self.hidden_state()
        for part in (truth.lower_bounds, truth.upper_bounds, truth.estimates):
            self.numbers += part
        return heard


class _Replaying(ExplorativeUserEnv):
    """A user who gives the responses that are written down, whatever she would say."""

    responses: tuple[bool, ...]

    def step(self, action: int) -> Any:
        _, *rest = super().step(action)
        step = self._state.interactions[0] - 1
        return (int(self.responses[step]) if step < len(self.responses) else 0, *rest)
