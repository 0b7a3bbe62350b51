"""Users who come one after another in an evaluation: every path, against a slow one."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from reference_user import ReferenceUser
from toy_agents import Wanderer

import explorative_user_env as eu
from explorative_user_env.agents import AlgorithmAgent, TransferElimination
from explorative_user_env.envs.population import ExplorativePopulationEnv
from explorative_user_env.envs.user_vector import COMPILED_FROM
from explorative_user_env.protocol import STOP, Algorithm
from explorative_user_env.results.metrics import regrets_by_user
from explorative_user_env.results.results import Sweep
from explorative_user_env.seeding import member_seeds, user_generator, user_seeds
from explorative_user_env.users.population import Population
from explorative_user_env.validation import CallableError

N_ARMS, N_USERS, HORIZON = 5, 4, 60

SMALL: dict[str, Any] = {
    "task": "population",
    "n_arms": N_ARMS,
    "n_users": N_USERS,
    "horizon": HORIZON,
    "n_instances": 6,
    "seed": 5,
    "progress": False,
}


class Liked(NamedTuple):
    """How often each arm was accepted by this user and by all before her."""

    own: list[int]
    all: list[int]
    steps: list[int]


def forget(params: Any, state: Liked, rng: np.random.Generator) -> None:
    for arm in range(len(state.all)):
        state.all[arm] = 0
    follow(params, state, rng)


def follow(params: Any, state: Liked, rng: np.random.Generator) -> None:
    for arm in range(len(state.own)):
        state.own[arm] = 0
    state.steps[0] = 0


def liked(params: Any, state: Liked, rng: np.random.Generator) -> int:
    """Every second time the arm that was accepted most by all, else one by chance; 40 times."""
    if state.steps[0] == 40:
        return STOP
    best = 0
    for arm in range(len(state.all)):
        if state.all[arm] > state.all[best]:
            best = arm
    return best if state.steps[0] % 2 == 0 else int(rng.random() * len(state.all))


def count(params: Any, state: Liked, arm: int, accepted: bool) -> None:
    state.steps[0] += 1
    if accepted:
        state.own[arm] += 1
        state.all[arm] += 1


def favourite(params: Any, state: Liked, rng: np.random.Generator) -> int:
    best = 0
    for arm in range(len(state.own)):
        if state.own[arm] > state.own[best]:
            best = arm
    return best


class Arms(NamedTuple):
    n_arms: int


def numbers(options: Any, n_arms: int, horizon: int | None) -> Arms:
    return Arms(n_arms)


def nothing_liked(params: Arms) -> Liked:
    return Liked([0] * params.n_arms, [0] * params.n_arms, [0])


RULES = Algorithm(
    "liked", numbers, nothing_liked, forget, liked, count, favourite, next_user=follow
)
AFRESH = Algorithm("afresh", numbers, nothing_liked, forget, liked, count, favourite)


def everyone() -> list[Any]:
    """One who carries over what it learnt, of the package's and of one's own; one who does not."""
    return ["SE-transfer", "Full-information", AlgorithmAgent(RULES, {})]


def evaluated(agents: list[Any], **options: Any) -> Any:
    return eu.evaluate(agents, **SMALL | options)


@pytest.fixture(scope="module")
def results() -> Any:
    return evaluated(everyone())


def slowly(seed: int, name: str, carries: bool) -> list[float]:
    """The regret with each user of an episode of the agent above, as a loop of its own."""
    rng = eu.seeding.agent_generator(seed, name)
    popularity = user_generator(seed).standard_normal(N_ARMS)
    everybody, regrets = [0] * N_ARMS, []
    for member in member_seeds(seed, N_USERS):
        user = ReferenceUser([0.0] * N_ARMS, 1.0, 0.0, released=False, seed=member)
        means = popularity + 0.3 * user.rng.standard_normal(N_ARMS)
        best = int(means.argmax())
        means[best] = max(np.delete(means, best)) + 0.5
        user.means = means.tolist()
        own = [0] * N_ARMS
        if not carries:
            everybody = [0] * N_ARMS
        regret = 0.0
        for step in range(HORIZON):
            arm = everybody.index(max(everybody))
            if step % 2 == 1 and step < 40:
                arm = int(rng.random() * N_ARMS)
            if step >= 40:
                arm = own.index(max(own))
            regret += means[best] - means[arm]
            if user.respond(arm) and step < 40:
                own[arm] += 1
                everybody[arm] += 1
        regrets.append(regret)
    return regrets


@pytest.mark.slow
@pytest.mark.parametrize("rules", [RULES, AFRESH], ids=lambda rules: rules.name)
def test_runs_are_those_of_a_slow_loop_written_anew(rules: Algorithm) -> None:
    runs = evaluated([AlgorithmAgent(rules, {})], compiled=False).runs
    found = regrets_by_user(runs)
    wanted = [slowly(seed, rules.name, rules is RULES) for seed in runs["user_seed"]]
    assert np.allclose(found, wanted, rtol=0, atol=1e-9)
    assert np.allclose(runs["regret"], found.sum(axis=1), rtol=0, atol=1e-9)


@pytest.mark.slow
def test_runs_are_the_same_on_every_path_and_for_any_workers(results: Any) -> None:
    for how in ({"compiled": False, "n_instances": 3}, {"workers": 2}):
        other = evaluated(everyone(), **how).runs
        ours = results.runs[results.runs["instance"] < other["instance"].max() + 1]
        pd.testing.assert_frame_equal(ours.reset_index(drop=True), other, check_exact=True)


class Wandering(Wanderer):
    """Goes on from user to user with what it knows, and counts how often."""

    followed = 0

    def next_user_all(self) -> None:
        self.followed += 1


def test_users_in_step_are_users_one_by_one() -> None:
    for agent in (Wanderer(), Wandering()):
        in_step = evaluated([agent], n_instances=5).runs
        pd.testing.assert_frame_equal(
            in_step, evaluated([agent], n_instances=5, compiled=False).runs, check_exact=True
        )
    assert agent.followed == (1 + 5) * (N_USERS - 1)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_so_many_episodes_in_step_that_users_compile_are_the_same() -> None:
    how = {"n_instances": COMPILED_FROM, "n_users": 2, "horizon": 5}
    in_step = evaluated([Wanderer()], **how).runs
    fewer = evaluated([Wanderer()], **how | {"n_instances": 3}).runs
    pd.testing.assert_frame_equal(in_step.head(3), fewer, check_exact=True)


def test_a_run_is_an_episode_of_the_environment(results: Any) -> None:
    env = ExplorativePopulationEnv(n_arms=N_ARMS, n_users=N_USERS, horizon=HORIZON, deviation=0.3)
    runs = results.runs[results.runs["agent"] == "SE-transfer"]
    for _, run in runs.head(2).iterrows():
        agent = TransferElimination()
        rng = eu.seeding.agent_generator(run["user_seed"], "SE-transfer")
        agent.reset(N_ARMS, rng, HORIZON)
        env.reset(seed=int(run["user_seed"]))
        total, over, answer = 0.0, False, None
        while not over:
            arm = agent.act() if answer is None else answer
            if arm is None:
                arm = answer = agent.answer()
            observation, reward, over, _, info = env.step(arm)
            total += reward
            if answer is None:
                agent.observe(arm, observation == 1)
            if info["new_user"]:
                agent.next_user()
                answer = None
        assert total == pytest.approx(-run["regret"], abs=1e-9)
        assert info["all_acceptances"] == run["acceptances"]


def test_an_episode_of_one_user_is_she_herself() -> None:
    (seed,) = user_seeds(SMALL["seed"], 1)
    popularity = user_generator(seed).standard_normal(N_ARMS)

    def around(n_arms: int, rng: np.random.Generator) -> Any:
        return (popularity + 0.3 * rng.standard_normal(n_arms)).tolist()

    users = eu.ExplorativeUserEnv(population=Population(n_arms=N_ARMS, means=around, gap=0.5))
    (member,) = member_seeds(seed, 1)
    alone = eu.rollout(users, "SE", seed=member, horizon=HORIZON, commits=True)
    runs = evaluated(["SE"], n_instances=1, n_users=1, compiled=False).runs
    assert runs["regret"].iloc[0] == pytest.approx(-sum(alone.rewards), abs=1e-9)
    assert runs["acceptances"].iloc[0] == alone.acceptances


@pytest.mark.slow
def test_more_users_than_streams_are_lent_are_one_episode() -> None:
    many = {"n_users": 130, "horizon": 40, "n_instances": 2}
    fast, slow = (evaluated(["SE-transfer"], compiled=way, **many) for way in (True, False))
    pd.testing.assert_frame_equal(fast.runs, slow.runs, check_exact=True)
    fewer = evaluated(["SE-transfer"], **many | {"n_users": 110})
    first = [regrets_by_user(each.runs)[:, :110] for each in (fast, fewer)]
    assert (first[0] == first[1]).all()


@pytest.mark.slow
def test_a_run_is_replayed_with_all_of_its_users(results: Any) -> None:
    for row in (0, 13, len(results.runs) - 1):
        episode, run = results.replay(row), results.runs.loc[row]
        assert len(episode.arms) == N_USERS * HORIZON
        assert -sum(episode.rewards) == pytest.approx(run["regret"], abs=1e-9)
        assert episode.acceptances == run["acceptances"]


def test_what_is_kept_is_gone_on_from_and_other_users_are_others(tmp_path: Path) -> None:
    path, how = tmp_path / "runs.sqlite", {"compiled": False, "horizon": 9}
    with eu.results.store.Store(path, {"command": "evaluate"}) as store:
        few = evaluated(["SE-transfer"], n_instances=2, store=store, **how)
        more = evaluated(["SE-transfer"], n_instances=3, store=store, **how)
        other = evaluated(["SE-transfer"], n_instances=3, n_users=3, store=store, **how)
        far = evaluated(["SE-transfer"], n_instances=3, deviation=1.0, store=store, **how)
        assert store.n_runs() == 3 + 3 + 3
    assert (more.runs.iloc[:2] == few.runs).all().all()
    assert (other.runs["regret"] < more.runs["regret"]).all()
    assert (far.runs["regret"] != more.runs["regret"]).all()
    kept = eu.load(path)
    assert isinstance(kept, Sweep)
    kept = kept.cells[1]
    pd.testing.assert_frame_equal(kept.runs, more.runs, check_exact=True)
    assert (kept.cell["n_users"], kept.cell["deviation"]) == (N_USERS, 0.3)


@pytest.mark.slow
def test_a_table_says_what_the_first_and_the_last_user_cost(results: Any) -> None:
    summary, by_user = results.summary(), regrets_by_user(results.runs)
    own = by_user[(results.runs["agent"] == "liked").to_numpy()]
    row = summary[summary["agent"] == "liked"].iloc[0]
    assert row["regret_of_first"] == pytest.approx(own[:, 0].mean())
    assert row["regret_of_last"] == pytest.approx(own[:, -1].mean())
    assert row["regret"] == pytest.approx(own.sum(axis=1).mean())
    assert "4 x 60" in str(results)
    assert results.compare("liked", "SE-transfer").differences[0].value == pytest.approx(
        own.sum(axis=1).mean() - summary.set_index("agent").loc["SE-transfer", "regret"]
    )


class Failing:
    """Fails with its third user."""

    met = 0

    def reset(self, n_arms: int, rng: Any, horizon: int | None = None) -> None:
        self.met += 1

    def act(self) -> int:
        return 0 if self.met < 3 else 1 // 0

    def observe(self, arm: int, accepted: bool) -> None:
        pass

    def answer(self) -> int:
        return 0


def test_who_fails_is_told_with_whom() -> None:
    with pytest.raises(CallableError, match=r"at step 1, with user 2 of the episode of seed"):
        evaluated([Failing()], compiled=False, n_instances=1)


class ForgetsHow(Failing):
    """Fails as the next user comes."""

    def next_user(self) -> None:
        raise KeyError("liked")


def test_what_fails_as_a_user_follows_another_is_told_by_its_name() -> None:
    told = r"^next_user of ForgetsHow raised KeyError: 'liked' \(at the start, with user 1 of the "
    with pytest.raises(CallableError, match=told):
        evaluated([ForgetsHow()], compiled=False, n_instances=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_users": 0}, "n_users must be "),
        ({"deviation": -0.1}, "deviation must be "),
        ({"deviation": float("nan")}, "deviation must be "),
        ({"max_steps": 9}, "max_steps must be left out for the task population, where all run"),
        ({"task": "regret"}, "n_users must be left out, except for the task population"),
        ({"behaviour": "drifting"}, "behaviour must be one whose means stay, and who stays"),
        ({"behaviour": "impatient"}, "behaviour must be one whose means stay, and who stays"),
    ],
)
def test_what_means_nothing_for_these_users_is_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=message):
        evaluated(["SE"], **options)
