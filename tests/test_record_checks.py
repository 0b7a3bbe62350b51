"""Records, settings and what is no option at all: checked when made, refused by name, copied."""

import copy
import math
import pickle
from dataclasses import fields, replace
from functools import partial

import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env import theory
from explorative_user_env.agents import SuccessiveElimination, agent_named
from explorative_user_env.protocol import as_task
from explorative_user_env.studies.lower_bound import overlap
from explorative_user_env.studies.suite import robustness
from explorative_user_env.studies.tuning import TunedAgent, tune_n1
from explorative_user_env.users import model as confidence
from explorative_user_env.users.behaviours import as_behaviour
from explorative_user_env.users.instances import Instance, InstanceLaw
from explorative_user_env.users.model import ACCEPTANCE_RATE, Schedule, constant
from explorative_user_env.users.population import (
    ALIKE,
    DIFFERENCES,
    PRINTED,
    RELEASED,
    Setting,
    as_setting,
    differences_of,
    name_in,
    title_of,
)

RECORDS = [
    *(RELEASED, ACCEPTANCE_RATE, constant(1.5), as_behaviour("forgetful")),
    Instance((0.5, 1.0), 1),
    eu.Population(noise=0.1, means=[1.0, 0.5, 0.0], n_arms=3, rho=constant(1.5)),
]


@pytest.mark.parametrize("record", RECORDS, ids=type)
def test_a_record_is_equal_after_pickle_and_copy_and_cannot_be_changed(record):
    copied = pickle.loads(pickle.dumps(record))
    for other in (copied, copy.copy(record), copy.deepcopy(record), replace(record)):
        assert other == record
        assert hash(other) == hash(record)
    with pytest.raises(AttributeError):
        setattr(record, fields(record)[0].name, None)


NO_TRUTH = np.array([1.0, 2.0])
NO_LIST = np.array(1)
RUN = {"n_instances": 2, "max_steps": 9, "progress": False}
OVER = {"task": "regret", "horizon": 50, "n_instances": 2, "progress": False}


def too_large(n_arms, rng):
    return [0.0, 1.0, -1e308]


def failing(n_arms, rng):
    raise LookupError("no")


many = eu.ExplorativeUserVectorEnv


def env():
    return eu.ExplorativeUserEnv(n_arms=2)


of = eu.Population
rate = confidence.acceptance_rate_rule

NO_MEANS = [(1.0,), [0.0, 1.0], (0.0, math.nan), (0.0, -math.inf), (0.0, 1e308)]
NO_MEANS += [("a", "b"), (None, 1.0), "ab", None]

REFUSED = [
    ("agent must be one of", lambda: agent_named(3)),
    ("setting must be one of printed, released", lambda: as_setting("Printed")),
    ("task must be one of bai, population, regret, got 'sleep'", lambda: as_task("sleep")),
    ("m must be", lambda: SuccessiveElimination(m=NO_TRUTH).reset(2, np.random.default_rng(0))),
    ("trained_on must be None or a dict of options", lambda: TunedAgent(3, trained_on=[1])),
    ("name must be a str", lambda: eu.RewardLaw(3, print)),
    # The fields of settings, instances and their laws
    *(("means must be a tuple of at least two", partial(Instance, each, 0)) for each in NO_MEANS),
    *(("best_arm must be ", partial(Instance, (0.0, 1.0), best)) for best in (-1, 2, True, None)),
    ("within must be None or a pair", lambda: InstanceLaw(2, within=(1.0, 0.0))),
    ("gap must be above 0 and at most 1e+150", lambda: InstanceLaw(2, gap=1e200)),
    ("parameters must be a tuple of at least 2 num", lambda: Schedule(rate, 1.0, 2.0, (1.0,))),
    # Options of users
    ("n_arms must be an integer of at least 2, got 1", lambda: of(n_arms=1)),
    ("n_arms must be at most 1000000, the", lambda: of(n_arms=1_000_001)),
    ("alpha must be a finite number above 0, got '1'", lambda: of(alpha="1")),
    ("noise must be a number in [0, 1], got 1.5", lambda: of(noise=1.5)),
    ("gap must be a finite number above 0, got -1", lambda: of(gap=-1.0)),
    ("rho must be ", lambda: of(rho="fast")),
    ("means must be one of normal, uniform, uniform_with_room", lambda: of(means="odd")),
    ("means must be in", lambda: of(means=[0.1, 2.0], reward_law="bernoulli", n_arms=2)),
    ("means (failing) raised LookupError: no", lambda: of(reward_law="bernoulli", means=failing)),
    ("reward_law must be ", lambda: of(reward_law="odd")),
    ("behaviour must be ", lambda: of(behaviour="odd")),
    # Environments and runs
    ("options must be a dict", lambda: env().reset(options=NO_TRUTH)),
    ("max_episode_steps must be an integer of at le", lambda: many(max_episode_steps=0)),
    ("commits must be True or False", lambda: eu.rollout(env(), "BAIR", 0, commits=NO_TRUTH)),
    ("compiled must be True or False", lambda: eu.evaluate(["BAIR"], compiled=NO_TRUTH, **RUN)),
    ("progress must be True, False or a c", lambda: eu.evaluate(["BAIR"], progress=NO_TRUTH)),
    ("agents must be an agent or a list", lambda: eu.evaluate(NO_LIST, **RUN)),
    ("means must be", lambda: eu.evaluate(["UNI"], n_arms=2, means=[0.0, 1e308], **OVER)),
    ("means must be", lambda: eu.evaluate(["UNI"], n_arms=3, means=too_large, **OVER)),
    ("deltas must be a list", lambda: eu.sweep(["BAIR"], deltas=NO_LIST, **RUN)),
    ("n_arms must be a list of at least one", lambda: eu.sweep(["BAIR"], n_arms=[], **RUN)),
    # Studies and theory
    ("error must be at least", lambda: tune_n1(error=5e-324)),
    ("users must be a list", lambda: robustness(users=NO_LIST)),
    ("users (each) must be a Variety", lambda: robustness(users=["paper"])),
    ("n0s must be a non-empty sequence", lambda: overlap([])),
    ("alpha must be small enough", lambda: theory.elimination_bound(0.5, 9, 2, 0.1, alpha=1e308)),
    ("n1 must be small enough", lambda: theory.phase1_rejections_bound(1e308, 2, 0.1)),
]


def test_what_is_no_option_is_refused_by_name_in_one_line(subtests):
    for told, call in REFUSED:
        with subtests.test(told):
            with pytest.raises(eu.InvalidArgumentError) as refused:
                call()
            assert str(refused.value).startswith(told)
            assert len(str(refused.value).splitlines()) == 1


def test_the_differences_lead_from_the_text_to_the_code_and_are_each_told_alone():
    named = [name for difference in DIFFERENCES for name in difference.fields]
    assert sorted([*named, *ALIKE, "name"]) == sorted(field.name for field in fields(Setting))
    setting = PRINTED
    for difference in DIFFERENCES:
        for name, (text, code) in difference.fields.items():
            assert (getattr(PRINTED, name), getattr(RELEASED, name)) == (text, code)
            assert text != code
        alone = difference.switched(PRINTED)
        assert alone.changes_of(PRINTED).keys() == difference.fields.keys()
        assert difference.switched(alone) == alone
        assert differences_of(alone) == {difference.point: difference.released}
        setting = difference.switched(setting)
    assert replace(setting, name="released") == RELEASED
    own = replace(PRINTED, private_draws=3, rho_at_start=2.0, uniform_order="random")
    assert differences_of(own) == {
        "user at the start": "private_draws=3",
        "Gamma and rho_t before the first acceptance": "rho_at_start=2.0",
        "uniform_order": "random",
    }


def test_a_title_tells_what_was_changed():
    changed = replace(RELEASED, private_draws=2, drops_censored=False)
    assert title_of(changed) == "released (private_draws=2, drops_censored=False)"
    assert title_of(changed, {"means": "given"}).endswith("drops_censored=False, means=given)")
    assert title_of(replace(changed, name="own")) == "own"
    assert name_in(title_of(changed)) == name_in("released") == "released"
    assert [as_setting(each) for each in ("printed", changed)] == [PRINTED, changed]


def test_an_algorithm_gets_and_knows_its_options_of_the_setting():
    bair = {"n1": "proof", "phase1_counts": "acceptances", "first_sweep": "skipping"}
    expected = {
        "BAIR": bair | {"phase2": "round robin", "m": "released"},
        "UNI": {"ties": "first", "order": "round robin", "whole_passes": True},
        "EXP3": {"ties": "first", "learning_rate": 2.0, "counts": "recommended"},
        "T&S": {"ties": "first", "primed": True, "max_steps": 10_000},
    }
    for algorithm, options in expected.items():
        assert RELEASED.agent_options(algorithm, 2) == options
        informed = agent_named(algorithm).informed(options | {"delta": 0.1, "horizon": 9})
        assert informed.max_steps == options.pop("max_steps", None)
        assert options.items() <= informed.options.items()
    assert RELEASED.agent_options("an agent of one's own", 2) == {}
    for setting, cap in ((PRINTED, 1_000_000), (RELEASED, 100_000)):
        assert setting.agent_options("T&S", 100)["max_steps"] == cap
