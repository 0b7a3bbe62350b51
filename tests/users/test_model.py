"""Schedules of rho_t and laws of rewards: the package's, and those of one's own."""

import math
import pickle

import numpy as np
import pytest
from one_user import gamma, new_user
from other_users import low_means, random_arms, started
from own_laws import COIN, LAPLACE, POSITIVE, coin, laplace_reward, short_reward

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError, Population, Schedule
from explorative_user_env.agents import Uniform
from explorative_user_env.users import model as rules
from explorative_user_env.users.behaviours import drifting, forgetful
from explorative_user_env.users.model import (
    REWARD_LAWS,
    acceptance_rate_rule,
    as_reward_law,
    as_schedule,
    constant,
    constant_rule,
)
from explorative_user_env.users.population import PRINTED, RELEASED


def other_rule(parameters, n, t, n_arms):
    return acceptance_rate_rule(parameters, n, t, n_arms)


def rate(*parameters, ends=(1.0, 2.0)):
    return Schedule(acceptance_rate_rule, *ends, parameters)


@pytest.mark.parametrize(
    ("schedule", "is_counted"),
    [
        (rate(0.0, 0.0), True),
        (rate(0.5, 1.5), True),
        (constant(1.5), False),
        (Schedule(other_rule, 1.0, 2.0, (1.0, 2.0)), False),
        (rate(0.125, 2.0), False),  # half an acceptance of 4 arms
        (rate(1.0, 2.1), False),
        (rate(2.0, 1.0, ends=(1.0, 9.0)), False),
        (rate(0.0, math.inf), False),
    ],
)
def test_gamma_is_by_its_rule_whether_or_not_from_a_table(schedule, is_counted):
    user, state, rule, rng = new_user(PRINTED, [0.0] * 4, noise=0.5, rho=schedule)
    assert user.counted == is_counted
    for t in range(1, 60):
        rules.respond(user, state, rule, t % 4, rng)
        n = state.acceptances[0]
        rho = schedule.rule(schedule.parameters, n, t, 4)
        assert schedule.rho_0 <= rules.rho(user, state, rule) == rho <= schedule.rho_1
        expected = max(0.0, 2 * math.log(rho * n)) if n else 0.0
        assert gamma(state) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_rho_that_leaves_its_declared_range_is_an_error():
    for schedule in (
        rate(1.0, 2.0, ends=(1.6, 2.0)),
        Schedule(lambda parameters, n, t, n_arms: 1.0 + 0.4 * t, 1.0, 2.0),
    ):
        user, state, rule, rng = new_user(PRINTED, [0.0, 0.0], noise=0.5, rho=schedule)
        rest = (rules.respond(user, state, rule, t % 2, rng) for t in range(60))
        with pytest.raises(ValueError, match=r"rho_t is outside the range"):
            list(rest)


def test_a_schedule_is_asked_for_and_called_by_its_name_or_value(monkeypatch):
    monkeypatch.setattr(rules, "_SCHEDULES", dict(rules._SCHEDULES))
    own = Schedule(other_rule, 1.0, 2.0, (0.5, 3.0))
    assert own.title == "other_rule(0.5, 3)"
    for _ in range(2):  # saying it twice does no harm
        eu.register_schedule("own", own)
    with pytest.raises(
        InvalidArgumentError, match="name must be a name that no other schedule has"
    ):
        eu.register_schedule("acceptance_rate", own)
    for name in ("own", "acceptance_rate", "smoothed_acceptance_rate"):
        assert as_schedule(name).title == name
    assert as_schedule("own") is as_schedule(own) is own
    for number in (2, 2.0, np.float32(2.0), np.int64(2)):
        assert as_schedule(number) == constant(2.0)
        assert as_schedule(number).title == "2"


def test_what_is_no_schedule_is_refused():
    for rho in (0.0, math.nan, math.inf, 10**400, "no such rule", None, True, [1.0]):
        with pytest.raises(InvalidArgumentError, match="rho"):
            as_schedule(rho)
    for low, high in ((0.0, 1.0), (2.0, 1.0), (1.0, math.inf), ("1", 2.0), (1.0, None)):
        with pytest.raises(InvalidArgumentError, match="rho range"):
            Schedule(constant_rule, low, high)


def test_users_who_would_reject_tied_arms_for_ever_are_warned_of():
    tied = {"rho": 0.2, "reward_law": "bernoulli", "means": (0.1, 0.2, 0.3, 0.4, 0.9), "n_arms": 5}
    with pytest.warns(UserWarning, match="if all 5 empirical .* can fall to 0.2: use rho_t"):
        for_ever = Population(**tied)
    facts = {"n_instances": 60, "compiled": False, "progress": False}
    # Any other warning is an error here.
    for users in (for_ever, Population(**tied | {"rho": 0.25})):
        runs = eu.evaluate([Uniform(horizon=300)], population=users, **facts).runs
        assert (runs["acceptances"] < 30).any() == (users is for_ever)
    Population(rho=0.2, n_arms=5)  # equal means have probability 0
    Population(setting=RELEASED, **tied)  # rejects only what is clearly worse


WRITTEN_ANEW = {
    "gaussian": lambda mean, rng: mean + rng.standard_normal(),
    "bernoulli": coin,
    # Of variance 1, as the square of its width is 12.
    "bounded": lambda mean, rng: mean + math.sqrt(3.0) * (2.0 * rng.random() - 1.0),
}


@pytest.mark.parametrize("law", REWARD_LAWS)
def test_a_law_written_anew_gives_the_packages_own_users(setting, law):
    own = eu.RewardLaw("mine", WRITTEN_ANEW[law], as_reward_law(law).means)
    options = {"setting": setting, "means": low_means, "gap": 0.3, "noise": 0.1}
    for behaviour in ("explorative", forgetful(9), drifting(0.01)):
        envs = [started(3, reward_law=each, behaviour=behaviour, **options) for each in (law, own)]
        steps = [[env.step(arm)[:2] for arm in random_arms(200)] for env in envs]
        assert steps[0] == steps[1]
        assert envs[0].hidden_state() == envs[1].hidden_state()


def test_numbers_of_less_precision_and_truth_values_are_whole_numbers_of_hers():
    for law in (short_reward, coin):
        env = started(reward_law=law, means=[0.1, 0.2, 0.3, 0.7])
        assert {type(env.step(arm)[1]) for arm in random_arms(50)} == {float}
        assert {type(estimate) for estimate in env.hidden_state().estimates} == {float}


def test_a_law_has_a_name_in_words_and_users_with_one_are_a_value(monkeypatch):
    for law, name in ((LAPLACE, "laplace"), (laplace_reward, "laplace_reward"), ("bounded",) * 2):
        users = Population(reward_law=law)
        again = pickle.loads(pickle.dumps(users))
        assert (again, again.user) == (users, users.user)
        assert users.words()["reward_law"] == name
    assert Population(reward_law=LAPLACE) != Population()
    monkeypatch.setattr(rules, "_REWARD_LAWS", dict(rules._REWARD_LAWS))
    eu.register_reward_law("pointed", LAPLACE)
    with pytest.raises(
        InvalidArgumentError, match="name must be a name that no other reward law has"
    ):
        eu.register_reward_law("pointed", COIN)
    assert Population(reward_law="pointed") == Population(reward_law=LAPLACE)


def test_what_is_no_law_is_refused():
    for law in ("poisson", None, 3, ["gaussian"]):
        with pytest.raises(InvalidArgumentError, match=r"^reward_law must be a RewardLaw"):
            eu.ExplorativeUserEnv(reward_law=law)
    with pytest.raises(InvalidArgumentError, match=r"^draw must be a callable \(mean, rng\)"):
        eu.RewardLaw("mine", 3)
    for means in ((1.0, 0.0), (0.0, 0.0), (0.0,), 0.5, ("a", "b"), (0.0, math.nan)):
        with pytest.raises(InvalidArgumentError, match="means of reward_law must be None or"):
            eu.RewardLaw("mine", coin, means)


def test_means_that_a_law_cannot_have_are_refused_and_the_usual_ones_fit():
    for law, words in (("bernoulli", r"in \[0, 1\]"), (POSITIVE, r"in \[0, inf\]")):
        usual = Population(reward_law=law, gap=0.5, behaviour="varied")  # whose gaps are up to 0.75
        assert usual.words()["setting"] == "printed (means=uniform_with_room)"
        rng = np.random.default_rng(2)
        means = [usual.instance_law.draw(rng).means for _ in range(100)]
        assert 0.0 <= np.min(means) <= np.max(means) <= 1.0
        for means in ("normal", [-0.5, 0.5]):
            with pytest.raises(InvalidArgumentError, match=f"^means must be .*{words}"):
                Population(reward_law=law, means=means, n_arms=2)
    Population(reward_law=POSITIVE, means="uniform")
    env = eu.ExplorativeUserEnv(2, means=[0.0, 1.0], reward_law="bernoulli")
    with pytest.raises(InvalidArgumentError, match=r"means must be in \[0, 1\]"):
        env.reset(seed=0, options={"means": [0.5, 2.0]})
