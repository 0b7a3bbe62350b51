"""Agents that meet many users at once, in the vector environment."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv
from explorative_user_env.evaluation.play import Play
from explorative_user_env.evaluation.study import Study
from explorative_user_env.protocol import STOP, Array, ManyUserAgent, name_of
from explorative_user_env.seeding import agent_generator
from explorative_user_env.users.behaviours import as_behaviour
from explorative_user_env.validation import InvalidArgumentError

USERS = 1024
"""Users that an agent meets at once. Every user has one run and all runs count: the first runs to
end, out of many that go on, would be the short ones."""


class _Meeting(NamedTuple):
    """What is known of each user, and of what is going on."""

    answers: Array
    acceptances: Array
    steps: Array
    going_on: Array  # the users with whom the agent has not stopped


def run_in_step(
    study: Study, agent: ManyUserAgent, seeds: Sequence[int], max_steps: int, horizon: int | None
) -> Array:
    """Run `agent` with the users of these `seeds` at once; see `study.run_readable`."""
    met, instances = _meet(study, agent, seeds, max_steps, horizon, None)
    censored = np.zeros(len(seeds), int)
    censored[met.going_on] = 1
    best_arms = [instance.best_arm for instance in instances]
    rejections = met.steps - met.acceptances
    return np.column_stack([best_arms, met.acceptances, rejections, met.answers, censored])


def play_in_step(
    study: Study, agent: ManyUserAgent, seeds: Sequence[int], max_steps: int, horizon: int | None
) -> Play:
    """Play with the users of these `seeds` at once over a horizon; see `play.play_readable`."""
    play = Play.blank(len(seeds), max_steps)
    met, instances = _meet(study, agent, seeds, max_steps, max_steps, play)
    return play._replace(instances=instances, answers=met.answers)


def _meet(
    study: Study,
    agent: ManyUserAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    play: Play | None,
) -> tuple[_Meeting, list[Any]]:
    """Let the agent meet users; with a `play` to write down, it goes on with its answers."""
    n_users, n_arms, name = len(seeds), study.n_arms, name_of(agent)
    envs = study.vector_environment(n_users)
    envs.reset(seed=list(seeds))
    instances = [hidden.instance for hidden in envs.hidden_states()]
    agent.reset_all(n_arms, [agent_generator(seed, name) for seed in seeds], horizon)
    acceptances, steps = np.zeros(n_users, int), np.zeros(n_users, int)
    answers, arms = np.zeros(n_users, int), np.zeros(n_users, int)
    going_on = np.arange(n_users)
    for step in range(max_steps + 1):
        chosen = going_on  # none, when the agent has stopped with all
        if going_on.size:
            chosen = _checked(agent.act_all(going_on), going_on, n_arms, STOP, name)
        stopped = going_on[chosen == STOP]
        if stopped.size:
            _renew(instances, study, envs, stopped)
            answers[stopped] = _checked(agent.answer_all(stopped), stopped, n_arms, 0, name)
            arms[stopped] = answers[stopped]
        going_on, chosen = going_on[chosen != STOP], chosen[chosen != STOP]
        if step == max_steps or (play is None and not going_on.size):
            break
        arms[going_on] = chosen
        accepted = envs.step(arms)[0] == 1
        if going_on.size:
            agent.observe_all(going_on, chosen, accepted[going_on])
        steps[going_on] += 1
        acceptances[going_on] += accepted[going_on]
        if play is not None:
            play.arms[:, step], play.accepted[:, step] = arms, accepted
    if going_on.size:
        _renew(instances, study, envs, going_on)
        answers[going_on] = _checked(agent.answer_all(going_on), going_on, n_arms, 0, name)
    return _Meeting(answers, acceptances, steps, going_on), instances


def _renew(
    instances: list[Any], study: Study, envs: ExplorativeUserVectorEnv, users: Array
) -> None:
    """Note these users' instances anew, if means move: an answer is held against the present."""
    if as_behaviour(study.behaviour).moves_means:
        truths = envs.hidden_states()
        for user in users.tolist():
            instances[user] = truths[user].instance


def _checked(arms: Any, users: Array, n_arms: int, least: int, name: str) -> Array:
    """Return an arm (or `STOP`, where that is `least`) for each of these users."""
    chosen: Array = np.asarray(arms)
    fits = chosen.shape == users.shape and chosen.dtype.kind in "iu"
    if not fits or not least <= chosen.min() <= chosen.max() < n_arms:
        raise InvalidArgumentError(
            f"arms of {name}", arms, f"{users.size} integers in {least}..{n_arms - 1}"
        )
    return chosen.astype(int, copy=False)
