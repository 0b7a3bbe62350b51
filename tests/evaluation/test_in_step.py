from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env.evaluation import backends, in_step
from explorative_user_env.protocol import STOP, Agent, ManyUserAgent

Array = np.ndarray[Any, Any]
ONLY = np.zeros(1, int)
SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 30, "seed": 3, "progress": False}
TASKS: list[dict[str, Any]] = [
    {"task": "bai", "max_steps": 40},
    {"task": "regret", "horizon": 40},
]


class Wanderer:
    """Recommends, stops and answers at random, by each user's stream and what she accepted.

    It offers both protocols, and keeps what it is given.
    """

    name = "wanderer"

    def __init__(self, stops: float = 0.05) -> None:
        self.stops = stops
        self.sizes: list[int] = []
        self.told: list[Any] = []
        self.n_answers: list[int] = []

    def reset_all(
        self, n_arms: int, rngs: Sequence[np.random.Generator], horizon: int | None = None
    ) -> None:
        self.rngs, self.n_arms, self.horizon = rngs, n_arms, horizon
        self.accepted = np.zeros((len(rngs), n_arms), int)
        self.n_answers += [0] * len(rngs)
        self.first = len(self.n_answers) - len(rngs)
        self.sizes.append(len(rngs))

    def act_all(self, users: Array) -> Array:
        return np.array([self._arm(user) for user in users.tolist()], int)

    def _arm(self, user: int) -> int:
        rng = self.rngs[user]
        if rng.random() < self.stops:
            return STOP
        # What was accepted counts, so a response that goes astray shows.
        return int((rng.integers(self.n_arms) + self.accepted[user].sum()) % self.n_arms)

    def observe_all(self, users: Array, arms: Array, accepted: Array) -> None:
        self.told.append((users.copy(), arms.copy(), accepted.copy()))
        self.accepted[users, arms] += accepted

    def answer_all(self, users: Array) -> Array:
        for user in users.tolist():
            self.n_answers[self.first + user] += 1
        return np.array([self.rngs[user].integers(self.n_arms) for user in users.tolist()], int)

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.reset_all(n_arms, [rng], horizon)

    def act(self) -> int | None:
        arm = int(self.act_all(ONLY)[0])
        return None if arm == STOP else arm

    def observe(self, arm: int, accepted: bool) -> None:
        self.observe_all(ONLY, np.array([arm]), np.array([accepted]))

    def answer(self) -> int:
        return int(self.answer_all(ONLY)[0])


class Clock(Wanderer):
    """Stops with a user after a number of steps that is in her stream: 1, or very many."""

    name = "clock"
    short, long = 1, 200

    def reset_all(
        self, n_arms: int, rngs: Sequence[np.random.Generator], horizon: int | None = None
    ) -> None:
        super().reset_all(n_arms, rngs, horizon)
        self.left = np.array([self.long if rng.random() < 0.3 else self.short for rng in rngs])

    def _arm(self, user: int) -> int:
        self.left[user] -= 1
        return STOP if self.left[user] < 0 else 0


def assert_same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one, other, check_exact=True)


def test_the_agent_of_these_tests_is_one_of_both_kinds() -> None:
    assert isinstance(Wanderer(), ManyUserAgent)
    assert isinstance(Wanderer(), Agent)


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
@pytest.mark.parametrize("stops", [0.0, 0.05, 0.5, 1.0])
@pytest.mark.parametrize("setting", ["printed", "released"])
def test_users_in_step_have_the_runs_they_have_one_by_one(
    facts: dict[str, Any], stops: float, setting: str
) -> None:
    facts = SMALL | facts | {"setting": setting, "noise": 0.1}
    agent = Wanderer(stops)
    together = eu.evaluate([agent], **facts).runs
    assert agent.sizes == [30]
    agent = Wanderer(stops)
    apart = eu.evaluate([agent], compiled=False, **facts).runs
    assert agent.sizes == [1] * 30
    assert_same(together, apart)


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
@pytest.mark.parametrize("n_instances", [1, 63, 64, 200])
def test_users_in_other_company_have_the_same_runs(facts: dict[str, Any], n_instances: int) -> None:
    # From 64 users on, the users themselves are in compiled code.
    few = eu.evaluate([Wanderer()], **SMALL | facts).runs
    many = eu.evaluate([Wanderer()], **SMALL | facts | {"n_instances": n_instances}).runs
    n = min(len(few), len(many))
    assert_same(few.head(n), many.head(n))


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
def test_users_who_do_not_fit_at_once_are_met_in_portions(
    facts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = eu.evaluate([Wanderer()], **SMALL | facts).runs
    monkeypatch.setattr(in_step, "USERS", 13)
    agent = Wanderer()
    told: list[tuple[str, int, int]] = []
    facts = SMALL | facts | {"progress": lambda *what: told.append(what)}
    assert_same(eu.evaluate([agent], **facts).runs, expected)
    assert agent.sizes == [13, 13, 4]
    assert told == [("wanderer", done, 30) for done in (0, 13, 26, 30)]


def test_over_a_horizon_portions_are_of_as_many_steps_as_memory_is_meant_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    facts: dict[str, Any] = SMALL | {"task": "regret", "horizon": 30}
    expected = eu.evaluate([Wanderer()], **facts).runs
    monkeypatch.setattr(backends, "LONGEST_PLAY", 11 * 30)
    agent = Wanderer()
    assert_same(eu.evaluate([agent], **facts).runs, expected)
    assert agent.sizes == [11, 11, 8]


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
def test_a_run_is_replayed_by_its_user_seed_alone(facts: dict[str, Any]) -> None:
    over_horizon = facts["task"] == "regret"
    runs = eu.evaluate([Wanderer()], **SMALL | facts).runs
    env = eu.ExplorativeUserEnv(n_arms=3)
    for _, run in runs.iterrows():
        seed = int(run["user_seed"])
        episode = eu.rollout(env, Wanderer(), seed, max_steps=40, commits=over_horizon)
        assert run["best_arm"] == env.hidden_state().instance.best_arm
        assert (run["answer"], run["acceptances"]) == (episode.answer, episode.acceptances)
        if over_horizon:
            assert run["last_arm"] == episode.arms[-1]
            assert run["regret"] == pytest.approx(-sum(episode.rewards))
        else:
            assert run["interactions"] == episode.stopping_time
            assert run["censored"] == episode.censored


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
def test_an_agent_hears_of_users_with_whom_it_goes_on_and_answers_each_once(
    facts: dict[str, Any],
) -> None:
    agent = Wanderer(0.1)
    eu.evaluate([agent], **SMALL | facts)
    assert agent.n_answers == [1] * 30
    going_on = set(range(30))
    for users, arms, accepted in agent.told:
        assert users.shape == arms.shape == accepted.shape
        assert accepted.dtype == bool
        assert users.size
        assert set(users.tolist()) <= going_on
        going_on = set(users.tolist())
    assert 0 < len(going_on) < 30


def test_in_regret_every_agent_is_told_the_horizon_and_in_bai_only_who_needs_it() -> None:
    agent = Wanderer()
    eu.evaluate([agent], **SMALL | TASKS[1])
    assert agent.horizon == 40
    eu.evaluate([agent], **SMALL | TASKS[0])
    assert agent.horizon is None
    needy: Any = Wanderer()
    needy.needs_horizon = True
    eu.evaluate([needy], baseline_time=17, **SMALL | TASKS[0])
    assert needy.horizon == 17


def test_every_user_has_one_run_however_long_so_that_short_ones_do_not_count_more() -> None:
    results = eu.evaluate([Clock()], **SMALL | {"n_instances": 150, "max_steps": 1000})
    runs = results.runs
    assert runs["user_seed"].nunique() == len(runs) == 150
    n_long = int((runs["interactions"] == Clock.long).sum())
    assert n_long + int((runs["interactions"] == Clock.short).sum()) == 150
    # 150 draws of a chance of .3: 45 and five standard deviations of 5.6.
    assert 17 <= n_long <= 73
    mean = (n_long * Clock.long + (150 - n_long) * Clock.short) / 150
    summary = results.summary().iloc[0]
    assert summary["n_runs"] == 150
    assert summary["stopping_time"] == pytest.approx(mean)
    assert not runs["censored"].any()


def test_long_and_short_runs_are_those_of_the_readable_loop() -> None:
    facts = SMALL | {"max_steps": 1000}
    together = eu.evaluate([Clock()], **facts).runs
    assert_same(together, eu.evaluate([Clock()], compiled=False, **facts).runs)
    assert together["interactions"].nunique() == 2


def test_runs_that_the_cap_ends_are_censored_and_have_an_answer() -> None:
    agent = Wanderer(stops=0.0)
    runs = eu.evaluate([agent], **SMALL | {"max_steps": 9}).runs
    assert runs["censored"].all()
    assert (runs["interactions"] == 9).all()
    assert agent.n_answers == [1] * 30


def test_a_run_that_stops_at_the_very_cap_is_not_censored() -> None:
    for compiled in (True, False):
        runs = eu.evaluate([Clock()], compiled=compiled, **SMALL | {"max_steps": Clock.long}).runs
        assert not runs["censored"].any()
        runs = eu.evaluate([Clock()], compiled=compiled, **SMALL | {"max_steps": Clock.long - 1})
        assert runs.runs["censored"].any()


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
@pytest.mark.parametrize(
    "arms",
    [
        lambda users: np.full(users.size, 3),
        lambda users: np.full(users.size, -2),
        lambda users: np.zeros(users.size),
        lambda users: np.zeros(users.size, bool),
        lambda users: np.zeros(users.size + 1, int),
        lambda users: np.zeros((users.size, 1), int),
        lambda users: 0,
        lambda users: None,
    ],
)
def test_wrong_arms_are_refused_by_name(facts: dict[str, Any], arms: Any) -> None:
    agent: Any = Wanderer()
    agent.act_all = arms
    message = r"arms of wanderer must be 30 integers in -1\.\.2"
    with pytest.raises(eu.InvalidArgumentError, match=message):
        eu.evaluate([agent], **SMALL | facts)


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
@pytest.mark.parametrize("answer", [-1, 3, 0.5])
@pytest.mark.parametrize("stops", [0.0, 1.0])
def test_wrong_answers_are_refused_by_name(
    facts: dict[str, Any], answer: float, stops: float
) -> None:
    agent: Any = Wanderer(stops)
    agent.answer_all = lambda users: np.full(users.size, answer)
    message = r"arms of wanderer must be 30 integers in 0\.\.2"
    with pytest.raises(eu.InvalidArgumentError, match=message):
        eu.evaluate([agent], **SMALL | facts)


def test_adding_others_changes_nothing() -> None:
    alone = eu.evaluate([Wanderer()], **SMALL | TASKS[0]).runs
    among = eu.evaluate(["BAIR", Wanderer(), Clock()], **SMALL | TASKS[0]).runs
    among = among[among["agent"] == "wanderer"].reset_index(drop=True)
    assert_same(alone, among)
