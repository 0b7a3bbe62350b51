"""The right answers of lessons 2 and 3 are what users and agents do in a run."""

import math

import numpy as np
import pytest

from explorative_user_env import ExplorativeUserEnv, rollout
from explorative_user_env.agents import EXP3, TrackAndStop
from explorative_user_env.teach import exercises_of
from explorative_user_env.users.hidden_state import witness_of

GAMMA, INTERVAL, RULE, WITNESS, HOW_OFTEN = (one.right for one in exercises_of(2))
RATES, NEXT_CHANCES, _, EVIDENCE, _ = (one.right for one in exercises_of(3))


@pytest.mark.parametrize("setting", ["printed", "released"])
def test_the_right_answers_are_what_a_user_does(setting):
    she = ExplorativeUserEnv(n_arms=4, setting=setting, alpha=0.7)
    she.reset(seed=1)
    rejected = 0
    for step in range(200):
        arm = step % 4
        knew = she.hidden_state()
        bounds = list(knew.lower_bounds), list(knew.upper_bounds)
        accepted, *_ = she.step(arm)
        if setting == "printed":  # the released one takes >, not >=, and n(t) for 1 at least
            assert GAMMA(knew.acceptances, knew.rho, 0.7) == pytest.approx(knew.gamma, abs=1e-12)
        known = zip(knew.estimates, knew.counts, zip(*bounds, strict=True), strict=True)
        for mean, n, interval in known:
            assert INTERVAL(mean, n, knew.gamma) == pytest.approx(interval)
        assert RULE(arm, *bounds) == (not accepted)
        assert WITNESS(arm, *bounds) == witness_of(knew, arm)
        rejected += not accepted
    assert 20 < rejected < 180


@pytest.mark.parametrize(
    ("estimate", "bound", "gamma"), [(-0.97, 0.28, 7.05), (0.0, 0.1, 3.0), (0.0, 5.0, 1.0)]
)
def test_so_many_acceptances_are_the_first_at_which_she_rejects(estimate, bound, gamma):
    n = HOW_OFTEN(estimate, bound, gamma)
    assert INTERVAL(estimate, n, gamma)[1] <= bound < INTERVAL(estimate, n - 1, gamma)[1]


def test_the_probabilities_are_those_of_exp3_in_a_run():
    episode = rollout(ExplorativeUserEnv(n_arms=3), EXP3(horizon=100), seed=3)
    epsilon, gamma = math.sqrt(3 * math.log(3) / 100), math.sqrt(math.log(3) / (3 * 100))
    weights, chances = [0.0] * 3, [1 / 3] * 3
    for moment in episode.film(reveal=False).moments[1:]:
        arm, accepted = moment.seen.last or (0, False)
        after = NEXT_CHANCES(weights, epsilon, gamma, arm, accepted)
        weights[arm] += gamma * accepted / chances[arm]
        chances = after
        assert chances == pytest.approx(moment.explained["chance"])
    assert min(weights) > 0.0
    assert 0 < episode.rejections < 50


def test_the_evidence_is_what_stops_track_and_stop():
    episode = rollout(ExplorativeUserEnv(n_arms=3), TrackAndStop(delta=0.1), seed=2)
    margins = []
    for t in (episode.stopping_time - 1, episode.stopping_time):
        arms, accepted = episode.arms[:t], episode.accepted[:t]
        rates = RATES(list(arms), list(accepted), 3)
        leader = int(np.argmax(rates))
        counted = [(arms.count(arm), rates[arm]) for arm in range(3)]
        best = counted.pop(leader)
        against = [EVIDENCE(*best, *other) for other in counted]
        margins.append(min(against) - math.log((1 + math.log(t)) / 0.1))
    assert margins[0] <= 0.0 < margins[1]
    assert leader == episode.answer
