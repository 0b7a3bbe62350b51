"""Functions of the theory, agents, records, environments and evaluations."""

import inspect
import math
from dataclasses import fields, replace

import gymnasium as gym
import numpy as np
from fuzz.fuzzing import NAMES, USERS, Door
from gymnasium.envs.registration import load_env_creator
from gymnasium.error import Error as GymnasiumError
from specimens import Honest

import explorative_user_env as eu
from explorative_user_env import agents, envs, theory
from explorative_user_env.users import model as confidence
from explorative_user_env.users.behaviours import as_behaviour
from explorative_user_env.users.instances import Instance, InstanceLaw
from explorative_user_env.users.population import PRINTED, RELEASED


def no_nan(found, given):
    if isinstance(found, tuple):
        for part in found:
            no_nan(part, given)
    elif isinstance(found, float | np.ndarray):
        assert not np.isnan(found).any(), "a number is NaN"


INSTANCES = (Instance((1.0, 0.5, 0.0), 0), Instance((0.0, 1e-9), 1), Instance((3.0, -1e6), 0))

THEORY = {
    **{"instance": INSTANCES, "delta": (0.1, 0.5, 1e-9), "alpha": (1.0, 0.3, 4.0)},
    **{"rho_0": (1.0, 0.1), "rho_1": (2.0, 1.0), "n_arms": (2, 5, 200), "n1": (100.0, 3, 250, 1e7)},
    **{"gap": (0.5, 1e-6, 3), "c": (0.25, 0.9), "n": (1, 250, np.arange(1, 9))},
    "n0": (30, 250, 1000),
    **{"gamma": (1.0, 7.0), "acceptances": (1, 250), "form": ("paper", "proof")},
    **{"order": ("round robin", "fewest acceptances")},
    "pair": (theory.hard_pair(0.01), theory.hard_pair(0.1, gap=0.5, n_arms=3)),
}


def needed_of(function):
    parameters = inspect.signature(function).parameters.values()
    return frozenset(each.name for each in parameters if each.default is each.empty)


INSIDE = ("exponent_loss", "log_lower_bound", "unique_gap")


def of_theory():
    for name, function in inspect.getmembers(theory, inspect.isfunction):
        if function.__module__ == theory.__name__ and name[0] != "_" and name not in INSIDE:
            usual = {each: THEORY[each] for each in inspect.signature(function).parameters}
            yield Door(f"theory.{name}", function, usual, needed_of(function), look=no_nan)


AGENTS = {
    **{"delta": (0.1,), "n1": ("paper", "proof", 10.0), "m": ("paper", 1, 5)},
    **{"rejections": ("all", "consecutive"), "alpha": (1.0,), "rho_0": (1.0,), "noise": (0.1,)},
    **{"phase1_counts": ("acceptances", "steps"), "first_sweep": ("full", "skipping")},
    **{"phase2": ("fewest acceptances", "round robin"), "max_steps": (40,), "horizon": (30,)},
    **{"learning_rate": (0.1,), "counts": ("accepted", "recommended"), "ties": ("random", "first")},
    **{"exploration": (2.0,), "prior_mean": (0.0,), "prior_variance": (1.0,), "prior": ((1, 1),)},
    **{"threshold": ("log(t/delta)",), "primed": (True, False), "whole_passes": (True,)},
    **{"tied": ("random", "least recommended"), "order": ("round robin", "random")},
    "name": ("mine", "BAIR"),
}

MAKERS = (
    *(agents.BAIR, agents.EXP3, agents.UCB1, agents.FullInformation, agents.Phase1),
    *(agents.SuccessiveElimination, agents.Thompson, agents.TrackAndStop, agents.Uniform),
)


def of_agents():
    for make in MAKERS:
        usual = {each: AGENTS[each] for each in inspect.signature(make).parameters}
        yield Door(f"agents.{make.__name__}", _played(make), usual)
    named = {"name": (*NAMES, "bair"), "max_steps": (10,)}
    yield Door("agents.agent_named", agents.agent_named, named, frozenset({"name"}))


def _played(make):
    def play(**options):
        agent = make(**options)
        agent.reset(3, np.random.default_rng(0), horizon=20)
        for step in range(10):
            arm = agent.act()
            if arm is None:
                break
            assert arm in range(3), f"arm {arm}"
            agent.observe(arm, step % 3 != 1)
        assert agent.answer() in range(3), "no arm for an answer"
        return agent

    return play


def of_records():
    forgetful = as_behaviour("forgetful")
    for name, record in ("released", RELEASED), ("printed", PRINTED), ("forgetful", forgetful):
        usual = {each.name: (getattr(record, each.name),) for each in fields(record)}
        yield _record(f"{type(record).__name__} {name}", type(record), **usual)
    yield _record(
        *("Schedule", eu.Schedule),
        rule=(confidence.constant_rule, confidence.acceptance_rate_rule),
        **{"rho_0": (1.0, 0.5), "rho_1": (2.0, 3), "parameters": ((1.0, 1.0), (0.0, 0.0))},
    )
    yield _record("Instance", Instance, means=((0.0, 1.0),), best_arm=(1,))
    draw = (lambda mean, rng: mean,)
    yield _record("RewardLaw", eu.RewardLaw, name=("mine",), draw=draw, means=(None, (0, 1)))
    laws = {"means": ("uniform_with_room", [0.0, 0.5]), "n_arms": (2,)}
    laws |= {"within": (None, (0.0, 1.0)), "gap": (None, 0.5)}
    yield Door("InstanceLaw", InstanceLaw, laws, frozenset({"n_arms"}))


def _record(called, make, /, **usual):
    def look(record, given):
        assert replace(record) == record, "it is not equal to itself made again"

    return Door(called, make, usual, needed_of(make), look=look)


BAI = {"step_cost": (0.0005, 0), "horizon": (20, 50), "mask": ("rejections", "none")}
POPULATION = {
    **{"n_users": (2, 1), "deviation": (0.3, 0), "horizon": (3, 1)},
    "options_": (None, {}, {"popularity": [0.0, 1.0, 0.5]}, {"user": 0}),
}
ENVIRONMENTS = {
    eu.ENV_ID: {"reward": ("regret", "accept", "none"), "info_level": ("counts", "full")},
    **{eu.BAI_ENV_ID: BAI, envs.BAI_COUNTS_ENV_ID: BAI},
    eu.COUNTS_ENV_ID: {"horizon": (20, 50)},
    **{eu.POPULATION_ENV_ID: POPULATION, envs.POPULATION_COUNTS_ENV_ID: POPULATION},
}
EPISODE = {
    **{"seed_": (None, 0, 5), "options_": (None, {}, {"means": [0.0, 1.0, 0.5]})},
    "actions_": ((0, 1, 1), (np.int64(0), 2), (1,) * 9),
}


def _split(given):
    own = {name: value for name, value in given.items() if not name.endswith("_")}
    rest = {name.rstrip("_"): value for name, value in given.items() if name.endswith("_")}
    return own, rest


def of_environments():
    for name, own in ENVIRONMENTS.items():

        def live(name=name, **given):
            options, episode = _split(given)
            env = gym.make(name, disable_env_checker=True, **options).unwrapped
            env.reset(seed=episode.get("seed"), options=episode.get("options"))
            actions = episode.get("actions", (0, 1))
            for action in actions if isinstance(actions, tuple | list) else (actions,):
                _, reward, terminated, truncated, _ = env.step(action)
                assert math.isfinite(reward), "a reward is not finite"
                if terminated or truncated:
                    break

        usual = {**USERS, "render_mode": (None, "ansi", "svg"), **EPISODE, **own}
        yield Door(name, live, usual, spared=frozenset({"render_mode"}))


def of_vectors(paths=(None, True, False)):
    more = {"num_envs": (1, 3), "compiled": paths}
    more |= {"max_episode_steps": (None, 5), "autoreset_mode": ("NextStep", "SameStep", "Disabled")}
    more |= {"seed_": (None, 0, [1, 2, 3]), "actions_": (np.zeros(3, int), [0, 1, 1])}
    for name, own in ENVIRONMENTS.items():
        kind = load_env_creator(gym.spec(name).vector_entry_point)

        def live(kind=kind, **given):
            options, episode = _split(given)
            lanes = kind(**options)
            lanes.reset(seed=episode.get("seed"))
            usual = np.zeros(lanes.num_envs, int)
            for _ in range(3):
                _, rewards, *_ = lanes.step(episode.get("actions", usual))
                assert np.isfinite(rewards).all(), "a reward is not finite"

        usual = {**USERS, **own, **more}
        yield Door(f"vector {name}", live, usual, cost=2, refusals=(GymnasiumError,))


STOPPING = (["BAIR"], ["T&S"], ["SE"], ["BAIR", "SE"], [agents.BAIR(m=2), "T&S"])

EVALUATED = {
    **USERS,
    **{"n_instances": (1, 2), "seed": (0, 9), "delta": (0.1, 0.5), "workers": (1,)},
    **{"progress": (False,), "executor": (None,)},
}
TASKS = {
    "bai": {
        **{"agents": STOPPING, "task": ("bai",), "horizon": (None,), "baseline_time": (None,)},
        **{"max_steps": (5, 30), "step_cost": (None, 0.01), "check_theory": (False,)},
    },
    "regret": {
        **{"agents": [[name] for name in NAMES], "task": ("regret",), "horizon": (None, 1, 30)},
        **{"max_steps": (None,), "baseline_time": (None,), "step_cost": (None,)},
    },
}

SPARED = frozenset({"compiled"})


def same_by_both_paths(results, given):
    repr(results), str(results)
    other = {**given, "compiled": not given["compiled"]}
    assert eu.evaluate(**other).runs.equals(results.runs), "the two paths differ"


def _short(given):
    return {"n_instances": 2, "max_steps": 30, "progress": False, **given}


def of_evaluations(paths=(True, False)):
    shared = {**EVALUATED, "compiled": paths}
    always = {"agents", "n_instances", "max_steps", "progress", "compiled"}
    for name, own in TASKS.items():
        usual, needed = {**shared, **own}, frozenset({*always, *own})
        door = Door(f"evaluate {name}", eu.evaluate, usual, needed, spared=SPARED, cost=8)
        yield replace(door, look=same_by_both_paths) if len(paths) > 1 else door
    rolled = {"setting": ("printed", "released"), "n_arms": (2, 3), "agent": NAMES, "seed": (0, 7)}
    rolled |= {"max_steps": (5, 30), "horizon": (None, 9), "commits": (False, True)}
    yield Door("rollout", _rolled, rolled, frozenset({"agent", "seed", "max_steps"}))


def _rolled(setting="printed", n_arms=3, **given):
    return eu.rollout(eu.ExplorativeUserEnv(setting=setting, n_arms=n_arms), **given)


def of_own_code():
    returned = {"answered": (0, 1), "recommended": (None, 0, 1), "named": ("mine",)}
    returned |= {"compiled": (True, False), "task": ("bai", "regret")}
    yield Door("own agent", _own_agent, returned)
    laws = {"mean": ([0.0, 1.0, 0.5], np.ones(3)), "drawn": (0.3,), "rho": (1.5,)}
    yield Door("own laws", _own_laws, laws | {"spoken": (True, False)})
    policies = {
        **{"action": (0, 1, np.int64(2)), "observation": ("sorted-counts", "counts", "last-step")},
        **{"horizon": (9,), "batched": (False,), "task": ("regret", "bai"), "name": ("p",)},
    }
    yield Door("own policy", _own_policy, policies)


def _own_agent(answered=0, recommended=0, named="mine", **given):
    class Own(Honest):
        name = named

        def act(self):
            return None if self.steps > 9 else recommended

        def answer(self):
            return answered

    return eu.evaluate([Own()], **_short(given))


def _own_laws(mean="normal", drawn=0.3, rho=1.5, spoken=True):
    behaviour = eu.Behaviour("own", respond=lambda user, state, rule, arm, rng: spoken)
    law = eu.RewardLaw("own", lambda mean, rng: drawn)
    schedule = eu.Schedule(lambda parameters, n, t, n_arms: rho, 1.0, 2.0)
    users = {"means": lambda n_arms, rng: mean, "n_arms": 3}
    for more in ({"reward_law": law}, {"rho": schedule}, {"behaviour": behaviour}):
        eu.evaluate(["UNI"], baseline_time=20, compiled=False, **_short({**users, **more}))


def _own_policy(action=0, **given):
    agent = eu.PolicyAgent(lambda observation: action, **given)
    return eu.evaluate([agent], task=agent.task, n_arms=3, **_short({}))
