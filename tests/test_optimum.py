"""The tiny task: its optimum, the exact scores of agents, and its environment."""

import dataclasses
import math

import gymnasium as gym
import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import BAIR, SuccessiveElimination, Thompson, Uniform
from explorative_user_env.agents.adapter import AlgorithmAgent, largest
from explorative_user_env.envs import TINY_ENV_ID
from explorative_user_env.optimum import (
    OptimalAgent,
    TinyTask,
    exact_score,
    gap_to_optimum,
    optimal_value,
)
from explorative_user_env.users import model

SE = SuccessiveElimination


def task(alpha, steps, cost):
    """Return the task with at most `steps` recommendations and the loss cost T + P(error)."""
    return TinyTask(alpha, steps + 1, 2.0 * cost)


def regret(alpha, steps):
    return TinyTask(alpha, steps, task="regret")


SHORT, LONG, FLAT, MIDDLE = (
    TinyTask(),
    task(0.25, 24, 0.005),
    task(0.25, 18, 0.01),
    task(0.15, 16, 0.005),
)


def least_loss(tiny):
    return exact_score(OptimalAgent(tiny), tiny).loss


def first_of_ties(params, state, rng):
    """Return the answer of SE with ties to the first arm."""
    for arm in range(params.n_arms):
        eliminated = state.part[0] == 2 and state.candidate[arm] == 0
        state.scores[arm] = -1 if eliminated else state.accepted[arm]
    return largest(state.scores, rng, first=True)


class Scripted:
    """The stream of a user whose next reward is given."""

    def random(self):
        return 0.0 if self.succeeds else 1.0


class BruteForce:
    """The optimum by all histories: each is replayed through `respond` with every reward."""

    def __init__(self, tiny):
        self.tiny, self.users, self.stream = tiny, tiny.population, Scripted()

    def replayed(self, moves):
        """Return a user after these (arm, success) recommendations; a rejection has None."""
        state = model.blank_state(self.users.user)
        state.means[:] = 0.5, 0.5
        model.start(self.users.user, state, self.stream)
        for arm, self.stream.succeeds in moves:
            rule = self.users.schedule.rule
            accepted = model.respond(self.users.user, state, rule, arm, self.stream)
            assert accepted == (self.stream.succeeds is not None)
        return state

    def best(self, worlds, t=0):
        """Return the best return, from the weight, better arm and moves of all possible users."""
        by_arm = [sum(weight for weight, better, _ in worlds if better == arm) for arm in (0, 1)]
        regret = self.tiny.task == "regret"
        if t == self.tiny.most_recommendations:
            return 0.0 if regret else 2.0 * max(by_arm) - sum(by_arm)
        values = [] if regret else [2.0 * max(by_arm) - sum(by_arm)]
        for arm in (0, 1):
            after = {True: [], False: []}
            for weight, better, moves in worlds:
                if model.rejects(self.users.user, self.replayed(moves), arm):
                    after[False].append((weight, better, [*moves, (arm, None)]))
                    continue
                mean = self.tiny.means[better != arm]
                for chance, success in ((mean, True), (1.0 - mean, False)):
                    after[True].append((weight * chance, better, [*moves, (arm, success)]))
            cost = self.tiny.step_cost * sum(by_arm)
            if regret:
                cost = by_arm[1 - arm] * (self.tiny.means[0] - self.tiny.means[1])
            values.append(sum(self.best(each, t + 1) for each in after.values() if each) - cost)
        return max(values)


@pytest.mark.parametrize("tiny", [TinyTask(0.01, 6, 0.02), TinyTask(0.005, 5, task="regret")])
def test_the_optimum_equals_brute_force_over_all_histories(tiny):
    value = BruteForce(tiny).best([(0.5, 0, []), (0.5, 1, [])])
    assert optimal_value(tiny) == pytest.approx(value, abs=1e-12)
    guess = -0.4 * tiny.horizon if tiny.task == "regret" else 0.0
    assert value > guess + 0.1  # rejections tell something within these few steps


@pytest.mark.parametrize(
    ("tiny", "loss"),
    [
        (SHORT, 0.114016),
        (MIDDLE, 0.17539),
        (FLAT, 0.5),
        pytest.param(task(0.1, 16, 0.01), 0.10724, marks=pytest.mark.slow),
        (LONG, 0.294012),
        (regret(0.1, 14), 3.04708),
        (regret(0.25, 22), 7.99615),
        pytest.param(regret(0.1, 16), 3.22316, marks=pytest.mark.slow),
    ],
)
def test_the_least_losses_equal_those_of_another_program(tiny, loss):
    found = exact_score(OptimalAgent(tiny), tiny)
    assert round(found.loss, 5 if round(loss, 5) == loss else 6) == loss
    assert found.value == pytest.approx(optimal_value(tiny), abs=1e-12)


@pytest.mark.parametrize(("tiny", "ratio"), [(SHORT, 1.012), (MIDDLE, 1.062), (FLAT, 1.120)])
def test_elimination_with_the_optimal_answer_equals_that_of_another_program(tiny, ratio):
    agent = OptimalAgent(tiny, SE())
    assert agent.name == "SE with the optimal answer"
    assert (
        round(exact_score(agent, tiny).loss / exact_score(OptimalAgent(tiny), tiny).loss, 3)
        == ratio
    )


@pytest.mark.parametrize(
    ("tiny", "ratio"),
    [(SHORT, 1.012), (MIDDLE, 1.114), pytest.param(LONG, 1.354, marks=pytest.mark.slow)],
)
def test_elimination_that_answers_the_first_tied_arm_equals_that_of_another_program(tiny, ratio):
    algorithm = dataclasses.replace(SE().algorithm, verdict=first_of_ties)
    loss = exact_score(AlgorithmAgent(algorithm, {"n1": 0}), tiny).loss
    assert round(loss / least_loss(tiny), 3) == ratio


@pytest.mark.parametrize(("tiny", "ratio"), [(regret(0.1, 14), 1.077), (regret(0.25, 22), 1.024)])
def test_the_regret_of_elimination_equals_that_of_another_program(tiny, ratio):
    assert round(exact_score(SE(), tiny).value / optimal_value(tiny), 3) == ratio


@pytest.mark.parametrize("tiny", [SHORT, MIDDLE, FLAT, regret(0.1, 14)])
def test_no_agent_is_better_than_the_optimum(tiny):
    uniform = Uniform(horizon=tiny.most_recommendations)
    for agent in (SE(), BAIR(n1=4), BAIR(n1=10), uniform, OptimalAgent(tiny, SE())):
        assert gap_to_optimum(agent, tiny) > 0.0


@pytest.mark.parametrize("tiny", [SHORT, LONG])
def test_the_exact_score_equals_the_mean_of_simulated_users(tiny):
    n_users = 4000
    agents = [SE(), BAIR(n1=10), OptimalAgent(tiny)]
    results = eu.evaluate(
        agents,
        n_instances=n_users,
        max_steps=tiny.most_recommendations,
        seed=28,
        progress=False,
        **tiny.user_options,
    )
    for agent in agents:
        runs = results.runs[results.runs["agent"] == agent.name]
        score = exact_score(agent, tiny)
        time, wrong = runs["stopping_time"], ~runs["correct"]
        assert abs(time.mean() - score.time) < 3.0 * time.std() / math.sqrt(n_users)
        assert abs(wrong.mean() - score.error) < 3.0 * wrong.std() / math.sqrt(n_users)


def test_the_optimal_agent_earns_its_value_in_the_environment():
    tiny, returns = SHORT, []
    arguments = {"alpha": tiny.alpha, "horizon": tiny.horizon, "step_cost": tiny.step_cost}
    env, agent = gym.make(TINY_ENV_ID, **arguments), OptimalAgent(tiny)
    for seed in range(2000):
        env.reset(seed=seed)
        agent.reset(2, np.random.default_rng(seed))
        earned, ended = 0.0, False
        while not ended:
            arm = agent.act()
            response, reward, ended, _, _ = env.step(2 + agent.answer() if arm is None else arm)
            earned += reward
            if arm is not None:
                agent.observe(arm, bool(response))
        assert max(agent.explain()["P(best)"]) == agent.explain()["P(best)"][agent.answer()]
        returns.append(earned)
    error = np.std(returns) / math.sqrt(len(returns))
    assert abs(np.mean(returns) - optimal_value(tiny)) < 3.0 * error
    assert gap_to_optimum(np.mean(returns), tiny) == optimal_value(tiny) - np.mean(returns)


def test_the_environment_ends_without_an_answer_at_its_horizon():
    env = gym.make(TINY_ENV_ID, horizon=3, step_cost=0.25)
    env.reset(seed=0)
    steps = [env.step(arm)[1:4] for arm in (0, 1, 0)]
    assert steps == [(-0.25, False, False)] * 2 + [(-1.25, True, False)]
    assert env.unwrapped.tiny == TinyTask(horizon=3, step_cost=0.25)


@pytest.mark.parametrize(
    ("refused", "words"),
    [
        (lambda: TinyTask(horizon=41), "horizon must be at most 40"),
        (lambda: TinyTask(means=(0.1, 0.9)), "means must be two numbers"),
        (lambda: TinyTask(task="population"), "task must be"),
        (lambda: TinyTask(alpha=0.0), "alpha must be"),
        (lambda: exact_score(Thompson(), SHORT), "agent must be deterministic"),
        (lambda: OptimalAgent().reset(3, None), "n_arms must be 2"),
        (lambda: gym.make(TINY_ENV_ID, noise=0.5), "argument must be one of"),
        (lambda: gym.make(TINY_ENV_ID, n_arms=3), "n_arms must be 2"),
    ],
)
def test_what_has_no_known_optimum_is_refused(refused, words):
    with pytest.raises(InvalidArgumentError, match=words):
        refused()


def test_the_optimal_agent_refuses_an_impossible_response():
    agent = OptimalAgent(SHORT)
    agent.reset(2, np.random.default_rng(0))
    with pytest.raises(InvalidArgumentError, match="accepted must be True at this step"):
        agent.observe(0, accepted=False)
