"""Who meets whom: the users of a study, and one agent's runs with a few of them, by either path."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.compiled.arrays import as_arrays, user_arrays, user_tuple
from explorative_user_env.compiled.compiler import short
from explorative_user_env.compiled.loops import Outcome, UserFunctions, compiled_run_all
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv
from explorative_user_env.loop import rollout
from explorative_user_env.protocol import Agent, name_of
from explorative_user_env.seeding import agent_generator, user_generator
from explorative_user_env.settings import Setting, user_of
from explorative_user_env.users import explorative as user_rules
from explorative_user_env.users.behaviours import Behaviour, as_behaviour
from explorative_user_env.users.confidence import Schedule
from explorative_user_env.users.instances import Instance, InstanceLaw, Means
from explorative_user_env.users.reward_laws import range_of_means
from explorative_user_env.validation import integer


@dataclass(frozen=True)
class Study:
    """The kind of user and instance that every agent meets."""

    setting: Setting
    n_arms: int
    gap: float | None
    alpha: float
    noise: float
    means: Means | None
    rho: Schedule | str | float | None
    reward_law: str = "gaussian"
    behaviour: Behaviour | str = "explorative"

    def environment_of(self, agent: Agent) -> ExplorativeUserEnv:
        """Return the environment of the readable path, which pays only who is there to see it."""
        reward = "realized" if getattr(agent, "sees_rewards", False) else "none"
        return ExplorativeUserEnv(**self._arguments(), reward=reward)

    def vector_environment(self, n_users: int) -> ExplorativeUserVectorEnv:
        """Return the environment of agents that meet many users at once."""
        return ExplorativeUserVectorEnv(n_users, **self._arguments(), reward="none")

    def _arguments(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def instance_law(self) -> InstanceLaw:
        """Return where the instances come from."""
        means = self.setting.means if self.means is None else self.means
        return InstanceLaw(self.n_arms, means, self.gap, range_of_means(self.user()[0].reward_law))

    def user(self) -> tuple[user_rules.User, Schedule]:
        """Return the numbers of the users and their schedule of rho_t."""
        return user_of(self.setting, self.n_arms, self.alpha, self.noise, self.rho, self.reward_law)

    def functions(self) -> UserFunctions:
        """Return what the users do, as compiled code takes it."""
        behaviour = as_behaviour(self.behaviour)
        return UserFunctions(behaviour.start, behaviour.respond, behaviour.moves_means)


Run = tuple[int, Outcome]
"""The best arm and what happened."""


def run_readable(
    study: Study, agent: Agent, seeds: Sequence[int], max_steps: int, horizon: int | None
) -> list[Run]:
    """Run `agent` with the users of these `seeds` step by step, in the environment."""
    env = study.environment_of(agent)
    runs = []
    for seed in seeds:
        episode = rollout(env, agent, seed, max_steps, horizon)
        outcome = Outcome(episode.acceptances, episode.rejections, episode.answer, episode.censored)
        runs.append((env.hidden_state().instance.best_arm, outcome))
    return runs


def run_compiled(
    study: Study, agent: AlgorithmAgent, seeds: Sequence[int], max_steps: int, horizon: int | None
) -> list[Run]:
    """Run `agent` with the users of these `seeds` in compiled code, to the same result."""
    run_all = compiled_run_all(agent.algorithm, study.user()[1].rule, study.functions())
    truth = as_behaviour(study.behaviour).truth
    runs = []
    for _, instances, given in compiled_portions(study, agent, seeds, horizon):
        figures = np.zeros((len(instances), 4), int)
        run_all(*given, max_steps, figures)
        means = given[MEANS].tolist()
        for instance, final, (acceptances, rejections, answer, censored) in zip(
            instances, means, figures.tolist(), strict=True
        ):
            integer(f"answer of {agent.name}", answer, 0, study.n_arms - 1)
            outcome = Outcome(acceptances, rejections, answer, bool(censored))
            runs.append((truth(instance, final).best_arm, outcome))
    return runs


MEANS = 2
"""The place of the means in what every compiled loop begins with."""


def compiled_portions(
    study: Study, agent: AlgorithmAgent, seeds: Sequence[int], horizon: int | None
) -> Iterator[tuple[slice, list[Instance], tuple[Any, ...]]]:
    """Yield as many users as there are streams to lend, again and again.

    Yields:
        Which of the seeds they are, their instances, and what every compiled loop begins with: the
        user, her state, the means, her streams, the agent's numbers, state and streams, and what
        draws from them. They are good until the next portion.
    """
    from explorative_user_env.compiled.generators import N_STREAMS, streams

    user, _ = study.user()
    law = study.instance_law()
    params = agent.params(study.n_arms, horizon)
    memory = as_behaviour(study.behaviour).memory_of(study.n_arms)
    numbers, user_state = user_tuple(user), user_arrays(user, memory)
    state = as_arrays(agent.algorithm.blank(params))
    for first in range(0, len(seeds), N_STREAMS):
        part = slice(first, first + N_STREAMS)
        with streams() as users, streams() as own:
            for seed, rng, own_rng in zip(seeds[part], users.rngs, own.rngs, strict=False):
                rng.bit_generator.state = user_generator(seed).bit_generator.state
                own_rng.bit_generator.state = agent_generator(seed, agent.name).bit_generator.state
            instances = [law.draw(rng) for rng in users.rngs[: len(seeds[part])]]
            means = np.array([instance.means for instance in instances])
            hers, its = (numbers, user_state, means, users.states), (params, state, own.states)
            yield part, instances, (*hers, *its, users.draws)


def compiles(
    study: Study,
    agent: Agent,
    seed: int,
    horizon: int | None,
    run: Callable[..., Any] = run_compiled,
) -> bool:
    """Compile `agent`'s loop if it can be, with a run of no steps; warn if its code cannot.

    An agent without an algorithm record has nothing to compile.
    """
    if not isinstance(agent, AlgorithmAgent):
        return False
    from numba.core.errors import NumbaError

    try:
        run(study, agent, [seed], 0, horizon)
    except (NumbaError, TypeError) as error:
        warnings.warn(
            f"{name_of(agent)} does not compile, so it runs in the slower readable loop: "
            f"{short(error)}",
            stacklevel=2,
        )
        return False
    return True
