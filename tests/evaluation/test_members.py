"""Users who come one after another in an evaluation: every path, against a slow one."""

import numpy as np
import pandas as pd
import pytest
from reference_user import ReferenceUser
from toy_agents import Wanderer

import explorative_user_env as eu
from explorative_user_env.envs.user_vector import COMPILED_FROM
from explorative_user_env.results.metrics import regrets_by_user
from explorative_user_env.seeding import agent_generator, member_seeds, user_generator

N_ARMS, N_USERS, HORIZON = 5, 3, 50
SMALL = {"task": "population", "n_arms": N_ARMS, "n_users": N_USERS, "horizon": HORIZON}
SMALL |= {"n_instances": 4, "seed": 5, "progress": False}
EVERYONE = ["SE-transfer", "UNI"]
"""One that carries over what it learnt, and one that does not."""


class Afresh:
    """Every second time the arm that was accepted most by all, else one by chance; 40 times."""

    name = "afresh"

    def reset(self, n_arms, rng, horizon=None):
        self.rng, self.all = rng, [0] * n_arms
        self.follow()

    def follow(self):
        self.own, self.steps = [0] * len(self.all), 0

    def act(self):
        if self.steps == 40:
            return None
        by_chance = self.steps % 2 == 1
        return int(self.rng.random() * N_ARMS) if by_chance else self.all.index(max(self.all))

    def observe(self, arm, accepted):
        self.steps += 1
        self.own[arm] += accepted
        self.all[arm] += accepted

    def answer(self):
        return self.own.index(max(self.own))


class Carrying(Afresh):
    name = "carrying"
    next_user = Afresh.follow


def evaluated(agents, **options):
    return eu.evaluate(agents, **SMALL | options)


def slowly(seed, name, carries):
    rng = agent_generator(seed, name)
    popularity = user_generator(seed).standard_normal(N_ARMS)
    everybody, regrets = [0] * N_ARMS, []
    for member in member_seeds(seed, N_USERS):
        user = ReferenceUser([0.0] * N_ARMS, 1.0, 0.0, released=False, seed=member)
        means = popularity + 0.3 * user.rng.standard_normal(N_ARMS)
        best = int(means.argmax())
        means[best] = max(np.delete(means, best)) + 0.5
        user.means = means.tolist()
        own, regret = [0] * N_ARMS, 0.0
        everybody = everybody if carries else [0] * N_ARMS
        for step in range(HORIZON):
            liked = everybody if step < 40 else own
            arm = liked.index(max(liked))
            if step % 2 == 1 and step < 40:
                arm = int(rng.random() * N_ARMS)
            regret += means[best] - means[arm]
            if user.respond(arm) and step < 40:
                own[arm] += 1
                everybody[arm] += 1
        regrets.append(regret)
    return regrets


def test_runs_are_those_of_a_slow_loop_written_anew():
    for agent in (Afresh(), Carrying()):
        runs = evaluated([agent], compiled=False).runs
        found = regrets_by_user(runs)
        wanted = [slowly(seed, agent.name, agent.name == "carrying") for seed in runs["user_seed"]]
        assert np.allclose(found, wanted, rtol=0, atol=1e-9)
        assert np.allclose(runs["regret"], found.sum(axis=1), rtol=0, atol=1e-9)


@pytest.mark.slow
def test_runs_are_the_same_on_every_path_and_are_replayed_with_all_users():
    results = evaluated(EVERYONE)
    for how in ({"compiled": False, "n_instances": 3}, {"workers": 2}):
        other = evaluated(EVERYONE, **how).runs
        ours = results.runs[results.runs["instance"] <= other["instance"].max()]
        pd.testing.assert_frame_equal(ours.reset_index(drop=True), other, check_exact=True)
    for row in (0, 2, len(results.runs) - 1):
        episode, run = results.replay(row), results.runs.loc[row]
        assert len(episode.arms) == N_USERS * HORIZON
        assert -sum(episode.rewards) == pytest.approx(run["regret"], abs=1e-9)
        assert episode.acceptances == run["acceptances"]
    own = regrets_by_user(results.runs)[(results.runs["agent"] == "UNI").to_numpy()]
    row = results.summary().set_index("agent").loc["UNI"]
    assert row["regret_of_first"] == pytest.approx(own[:, 0].mean())
    assert row["regret_of_last"] == pytest.approx(own[:, -1].mean())
    assert row["regret"] == pytest.approx(own.sum(axis=1).mean())
    # More users than there are streams to lend, of which an episode is not cut.
    many = {"n_users": 130, "horizon": 20, "n_instances": 2}
    fast, slow = (evaluated(["SE-transfer"], compiled=way, **many) for way in (True, False))
    pd.testing.assert_frame_equal(fast.runs, slow.runs, check_exact=True)


class Wandering(Wanderer):
    """Goes on from user to user with what it knows, and counts how often."""

    followed = 0

    def next_user_all(self):
        self.followed += 1


def test_users_in_step_are_users_one_by_one():
    for agent in (Wanderer(), Wandering()):
        in_step = evaluated([agent], n_instances=5).runs
        alone = evaluated([agent], n_instances=5, compiled=False).runs
        pd.testing.assert_frame_equal(in_step, alone, check_exact=True)
    assert agent.followed == (1 + 5) * (N_USERS - 1)
    many = evaluated([Wanderer()], n_instances=COMPILED_FROM, horizon=5).runs
    few = evaluated([Wanderer()], n_instances=3, horizon=5).runs
    pd.testing.assert_frame_equal(many.head(3), few, check_exact=True)


def test_what_is_kept_is_gone_on_from_and_other_users_are_others(tmp_path):
    path, how = tmp_path / "runs.sqlite", {"compiled": False, "horizon": 9, "n_instances": 3}
    with eu.results.store.Store(path, {"command": "evaluate"}) as store:
        few = evaluated(["SE-transfer"], store=store, **how | {"n_instances": 2})
        more = evaluated(["SE-transfer"], store=store, **how)
        other = evaluated(["SE-transfer"], n_users=2, store=store, **how)
        far = evaluated(["SE-transfer"], deviation=1.0, store=store, **how)
        again = evaluated(["SE-transfer"], store=store, **how | {"n_instances": 2})
        assert store.n_runs() == 3 + 3 + 3
    assert again.runs.equals(few.runs)
    assert (more.runs.iloc[:2] == few.runs).all().all()
    assert (other.runs["regret"] < more.runs["regret"]).all()
    assert (far.runs["regret"] != more.runs["regret"]).all()
    assert eu.load(path).cells[1].runs.equals(more.runs)
