"""Nothing that is handed over leads to what a user keeps to herself, however far it is followed."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from keepers import Keeper, KeeperOfMany, secrets_of
from pairs import pairs
from wrapped import HORIZON, made, wrapped

import explorative_user_env as eu
from explorative_user_env.check.checks import Secrets, numbers_of
from explorative_user_env.seeding import member_seeds
from explorative_user_env.wrappers.observations import OBSERVATIONS
from explorative_user_env.wrappers.vector import make_task

SEED = 10**12 + 39  # no number that is anywhere for another reason
OPTIONS = {"n_arms": 3, "noise": 0.3, "gap": 0.4321}  # no share of a horizon
FEW = {"n_users": 4, "horizon": 4, "deviation": 0.2345, "gap": 0.4321}

FORMS = [
    (eu.ENV_ID, "response", {"reward": "realized"}),
    (eu.ENV_ID, "counts", {"reward": "realized"}),
    (eu.ENV_ID, "last-step", {"behaviour": "drifting"}),
    (eu.COUNTS_ENV_ID, "response", {"reward": "utility"}),
    (eu.BAI_ENV_ID, "response", {}),
    (eu.BAI_ENV_ID, "sorted-counts", {}),
    (eu.POPULATION_ENV_ID, "sorted-population-counts", FEW),
]


@pytest.mark.parametrize(("name", "observation", "kwargs"), FORMS)
def test_observations_and_infos_hold_no_secret(name, observation, kwargs):
    env = made(name, None if name in (eu.BAI_ENV_ID, eu.POPULATION_ENV_ID) else HORIZON, **kwargs)
    if observation != "response":
        env = wrapped(eu.wrappers, observation, env)
    user = env.unwrapped
    handed = [env.reset(seed=SEED)]
    numbers, seeds = numbers_of(user.hidden_state()), [SEED]
    if name == eu.POPULATION_ENV_ID:
        seeds += member_seeds(SEED, user.n_users)
        numbers += user.popularity()
    for step in range(15):
        observation, reward, *_, info = env.step(step % 3)
        handed.append((observation, info))
        numbers += [float(reward), *numbers_of(user.hidden_state())]
    if name == eu.BAI_ENV_ID:
        observation, _, *_, info = env.step(3)
        handed.append((observation, info, user.action_masks()))
        numbers = [number for number in numbers if number != -user.step_cost]
    assert [*Secrets(seeds, numbers).paths_from(handed)] == []


@pairs(
    compiled=[False, True],
    mode=list(AutoresetMode),
    task=["regret", "bai", "population"],
    observation=OBSERVATIONS,
)
def test_observations_and_infos_of_users_in_step_hold_no_secret(observation, task, mode, compiled):
    given = OPTIONS | {"horizon": 6, "compiled": compiled, "autoreset_mode": mode}
    if task == "population":
        given |= FEW
        observation = observation.replace("counts", "population-counts")
    envs = make_task(task, 4, observation, **given)
    users, streams = envs.unwrapped, [SEED + lane for lane in range(4)]
    handed, numbers, seeds = [envs.reset(seed=streams)], [], {*streams}
    for step in range(19 if task == "population" else 9):
        if task == "population":
            for seed in users.episode_seeds:
                seeds |= {seed, *member_seeds(seed, 4)}
            numbers += [number for popular in users.popularity() for number in popular]
        numbers += [n for truth in users.hidden_states() for n in numbers_of(truth)]
        observations, rewards, terminated, truncated, infos = envs.step(np.full(4, step % 3))
        handed.append((observations, terminated, truncated, infos))
        numbers += rewards.tolist() if task != "bai" else []
        if mode == AutoresetMode.DISABLED and (terminated | truncated).any():
            handed.append(envs.reset(options={"reset_mask": terminated | truncated}))
        if task == "bai":
            handed.append(users.action_masks())
    numbers += [n for truth in users.hidden_states() for n in numbers_of(truth)]
    assert [*Secrets([*seeds], numbers).paths_from(handed)] == []


@pairs(task=["bai", "regret"], make=[Keeper, KeeperOfMany], compiled=[True, False])
def test_what_an_agent_is_handed_leads_to_no_secret(task, make, compiled):
    agent, facts = make(), OPTIONS | ({"horizon": 12} if task == "regret" else {})
    found = eu.evaluate([agent], task=task, compiled=compiled, n_instances=5, **facts)
    handed = [*agent.kept]  # a replay hands over more
    assert len(handed) > 12
    assert [*secrets_of(found).paths_from(handed)] == []


@pairs(batched=[False, True], observation=OBSERVATIONS)
def test_what_a_policy_is_handed_leads_to_no_secret(observation, batched):
    kept = []

    def policy(seen):
        kept.append(seen)
        return np.zeros(len(seen), int) if batched else 0

    agent = eu.PolicyAgent(policy, observation=observation, batched=batched)
    found = eu.evaluate([agent], task="regret", horizon=9, n_instances=5, **OPTIONS)
    handed = [*kept]  # a replay hands over more
    assert handed
    assert [*secrets_of(found).paths_from([handed, agent])] == []


def test_the_walk_finds_what_is_hidden(subtests):
    env = eu.ExplorativeUserEnv(**OPTIONS)
    env.reset(seed=SEED)
    stream, means = env.np_random, np.array(env.instance().means)

    def closure():
        return means

    def failed(secret):
        try:
            raise ValueError("with a traceback")
        except ValueError as error:
            return error

    class Slotted:
        __slots__ = ("hidden",)

    begun = (seed for seed in [SEED, SEED])
    slotted, many = Slotted(), np.empty(2, object)
    next(begun)
    slotted.hidden, many[1] = env.hidden_state(), {"deep": [(env,)]}
    planted = {
        "an item": {"a": [({"b": means.tolist()},)]},
        "a key": {SEED: 0},
        "a closure": closure,
        "a method": env.step,
        "the base of a view": means.view(np.int64)[:1],
        "the base of a part": means[:0],
        "a generator": begun,
        "a traceback": failed(env),
        "a slot": slotted,
        "an array of objects": many,
        "her stream": stream,
        "a method of her stream": stream.random,
        "a seed": stream.bit_generator.seed_seq,
        "a copy in single precision": means.astype(np.float32),
    }
    secrets = Secrets([SEED], numbers_of(env.hidden_state()))
    for way, handed in planted.items():
        with subtests.test(way):
            assert next(secrets.paths_from([handed]))
