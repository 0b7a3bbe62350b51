"""One list of what can be said of users: every place that meets users has it, and nothing else."""

import inspect
import pickle
from dataclasses import replace
from typing import Unpack, get_type_hints

import pytest
from other_users import low_means

import explorative_user_env as eu
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.studies.suite import robustness
from explorative_user_env.studies.tuning import tune_n1
from explorative_user_env.users.behaviours import forgetful
from explorative_user_env.users.model import SMOOTHED_ACCEPTANCE_RATE, Schedule, constant_rule
from explorative_user_env.users.population import (
    OPTIONS,
    PRINTED,
    Population,
    UserOptions,
    lists_user_options,
    population_of,
)

NAMES = [option.name for option in OPTIONS]


def test_whoever_meets_users_and_type_checkers_know_every_option():
    assert list(UserOptions.__annotations__) == NAMES
    hints = get_type_hints(eu.evaluate, include_extras=True)
    assert hints["user"] == Unpack[UserOptions]
    for function in (eu.ExplorativeUserEnv, robustness, tune_n1):
        shown = inspect.signature(function).parameters
        assert {shown[name].kind for name in NAMES} == {inspect.Parameter.KEYWORD_ONLY}
        assert shown["n_arms"].default == (20 if function is tune_n1 else 5)


def test_a_default_of_its_own_holds_unless_an_option_or_a_record_is_given():
    @lists_user_options(n_arms=20, noise=0.1)
    def met(population=None, **user):
        return population_of(population, user)

    assert met(n_arms=3) == Population(n_arms=3, noise=0.1)
    assert met(population=Population(alpha=2.0)) == Population(alpha=2.0)


def test_another_schedule_starts_within_its_own_range(setting):
    low = Schedule(constant_rule, 0.25, 0.5, (0.5,))
    high = Schedule(constant_rule, 3.0, 4.0, (3.0,))
    assert Population(setting=setting, rho=low).user.rho_at_start == 0.5
    assert Population(setting=setting, rho=high).user.rho_at_start == 3.0


def test_unknown_options_and_both_forms_at_once_are_refused():
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'gapp'"):
        eu.ExplorativeUserEnv(gapp=0.5)
    with pytest.raises(TypeError, match="give a population or its options, not both"):
        eu.evaluate(["bair"], population=Population(), gap=0.5)
    for make in (eu.ExplorativeUserEnv, ExplorativeUserBAIEnv):
        assert make(3, gap=0.2).population == Population(n_arms=3, gap=0.2)
        with pytest.raises(TypeError, match="multiple values for argument 'n_arms'"):
            make(3, n_arms=4)


def test_it_is_a_value_that_can_be_sent_with_the_means_as_they_were_given():
    means = [0.0, 1.0]
    users = Population(behaviour=forgetful(5), means=means, n_arms=2, rho=1.5)
    again = pickle.loads(pickle.dumps(users))
    assert again == users == replace(users)
    assert again.user == users.user
    assert again != replace(users, noise=0.1)
    means[0] = 5.0
    assert users.means == (0.0, 1.0)
    assert users.words()["means"] == [0.0, 1.0]


def test_words_have_every_option_as_a_file_can_keep_it_and_a_title_of_what_was_changed():
    smooth = replace(PRINTED, rho=SMOOTHED_ACCEPTANCE_RATE)
    rows = [
        ("released", {"setting": "released"}),
        ("printed (bair_n1=proof)", {"setting": replace(PRINTED, bair_n1="proof")}),
        ("printed (rho=smoothed_acceptance_rate)", {"setting": smooth}),
        ("mine", {"setting": replace(PRINTED, name="mine", least_n=1)}),
        ("printed", {"rho": "acceptance_rate", "means": "normal"}),
        ("printed (means=uniform, rho=1.5)", {"means": "uniform", "rho": 1.5}),
        ("printed (means=low_means)", {"means": low_means}),
        ("printed (means=given)", {"means": [0.0, 1.0], "n_arms": 2}),
    ]
    for title, options in rows:
        assert Population(**options).words()["setting"] == title
    words = Population(n_arms=3, behaviour="drifting", rho=2).words()
    assert list(words) == NAMES
    numbers = {"n_arms": 3, "alpha": 1.0, "gap": 0.5, "noise": 0.0, "rho": "2"}
    named = {"means": "normal", "reward_law": "gaussian", "behaviour": "drifting"}
    assert words == {"setting": "printed (rho=2)"} | numbers | named
    assert repr(Population(n_arms=3, rho=2)) == "Population(n_arms=3, rho='2')"
