"""Users of other kinds: each does what is said of her, and the same on every path."""

import copy
import math
import pickle
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from scipy import special, stats

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.population import Population
from explorative_user_env.protocol import STOP, ManyUserAgent
from explorative_user_env.settings import PRINTED, Setting
from explorative_user_env.users import explorative as rules
from explorative_user_env.users import others
from explorative_user_env.users.behaviour import EXPLORATIVE, Behaviour
from explorative_user_env.users.confidence import Rule
from explorative_user_env.users.others import (
    acceptance_probability,
    as_behaviour,
    drifting,
    forgetful,
    logistic,
    omniscient,
    register_behaviour,
)
from explorative_user_env.users.reward_laws import REWARD_LAWS
from explorative_user_env.users.state import RememberingState, User

KINDS = (EXPLORATIVE, omniscient(0.1), forgetful(9), drifting(0.05), logistic(0.3))


def low_means(n_arms: int, rng: np.random.Generator) -> np.ndarray:
    return 0.6 * rng.random(n_arms)


def started(seed: int = 0, **options: Any) -> eu.ExplorativeUserEnv:
    arguments: dict[str, Any] = {"n_arms": 4, "reward": "realized"} | options
    env = eu.ExplorativeUserEnv(**arguments)
    env.reset(seed=seed)
    return env


def random_arms(steps: int, n_arms: int = 4, seed: int = 0) -> list[int]:
    arms: list[int] = np.random.default_rng(seed).integers(n_arms, size=steps).tolist()
    return arms


# The omniscient user


@pytest.mark.parametrize("tolerance", [0.0, 0.4])
def test_an_omniscient_user_accepts_what_is_as_good_as_the_best(
    setting: Setting, tolerance: float
) -> None:
    for seed in range(20):
        env = started(seed, setting=setting, behaviour=omniscient(tolerance), gap=0.3)
        means = env.hidden_state().instance.means
        good = [mean >= max(means) - tolerance for mean in means]
        arms = random_arms(100)
        assert [env.step(arm)[0] == 1 for arm in arms] == [good[arm] for arm in arms]
        assert sum(good) == 1 if tolerance == 0.0 else sum(good) >= 2


# The forgetful user


def remembered(window: list[tuple[int, float]], n_arms: int) -> tuple[list[int], list[float]]:
    """n_i and hat mu_i from the rewards that she remembers."""
    rewards = [[reward for arm, reward in window if arm == each] for each in range(n_arms)]
    return [len(own) for own in rewards], [math.fsum(own) / max(1, len(own)) for own in rewards]


def rejects(window: list[tuple[int, float]], arm: int, gamma: float, ties: bool) -> bool:
    """By the definition: is some other arm clearly better? Nothing is, than an arm not seen."""
    counts, estimates = remembered(window, 4)
    if counts[arm] == 0:
        return False
    bar = estimates[arm] + math.sqrt(gamma / counts[arm])
    lows = [estimates[j] - math.sqrt(gamma / counts[j]) for j in range(4) if j != arm and counts[j]]
    return any(low >= bar if ties else low > bar for low in lows)


@pytest.mark.parametrize("window", [1, 3, 12, 60])
@pytest.mark.parametrize("law", ["gaussian", "bounded"])
def test_a_forgetful_user_is_one_who_has_seen_her_last_rewards_only(
    setting: Setting, window: int, law: str
) -> None:
    # Her list of all rewards is kept here, and everything is computed from its end at each step.
    n_rejections = n_forgotten = 0
    for seed in range(5):
        env = eu.ExplorativeUserEnv(
            4,
            setting=setting,
            alpha=0.2,
            reward="realized",
            reward_law=law,
            behaviour=forgetful(window),
        )
        env.reset(seed=seed)
        whole = started(seed, setting=setting, reward_law=law)  # she remembers her private draws
        private = setting.private_draws * [*enumerate(whole.hidden_state().estimates)]
        rewards: list[tuple[int, float]] = [*private]
        for arm in random_arms(400, seed=seed):
            hidden = env.hidden_state()
            counts, estimates = remembered(rewards[-window:], 4)
            assert list(hidden.counts) == counts
            assert np.allclose(hidden.estimates, estimates, rtol=0.0, atol=1e-10)
            n_forgotten += 0 in counts and len(rewards) > 20
            expected = not rejects(rewards[-window:], arm, hidden.gamma, setting.rejects_ties)
            answer, reward, *_ = env.step(arm)
            assert (answer == 1) == expected
            if answer:
                rewards.append((arm, float(reward)))
            n_rejections += not answer
    assert n_rejections > 50 or window == 1
    assert n_forgotten > 100 or window > 12


def test_an_arm_that_is_forgotten_has_an_infinite_interval_again() -> None:
    env = started(0, means=[0.0, 0.1, 0.2, 0.3], behaviour=forgetful(3), alpha=1e6)  # accepts all
    for arm in (0, 1, 1, 1):
        assert env.step(arm)[0] == 1
    hidden = env.hidden_state()
    assert hidden.counts == (0, 3, 0, 0)
    assert hidden.estimates[0] == 0.0
    assert (hidden.lower_bounds[0], hidden.upper_bounds[0]) == (-math.inf, math.inf)
    assert hidden.acceptances == 4


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_window_that_is_never_full_forgets_nothing(setting: Setting, noise: float) -> None:
    plain, other = (
        started(3, setting=setting, noise=noise, behaviour=kind)
        for kind in (EXPLORATIVE, forgetful(500))
    )
    for arm in random_arms(400):
        assert plain.step(arm) == other.step(arm)
    assert plain.hidden_state() == other.hidden_state()


def test_the_usual_window_is_fifty_for_each_arm() -> None:
    for n_arms in (2, 7):
        usual, same = forgetful().memory_of(n_arms), forgetful(50 * n_arms).memory_of(n_arms)
        assert len(usual) == len(same)


# The logistic user


def frozen(
    counts: Sequence[int], estimates: Sequence[float], spread: float, temperature: float
) -> tuple[User, RememberingState, Rule]:
    """A user at a moment of her life."""
    population = Population(setting=PRINTED, n_arms=len(counts))
    user, schedule = population.user, population.schedule
    state = logistic(temperature).blank(user)
    assert isinstance(state, RememberingState)
    rules.clear(user, state)
    state.counts[:], state.estimates[:], state.spread[0] = counts, estimates, spread
    state.scales[:] = [1 / math.sqrt(n) if n else math.inf for n in counts]
    state.means[:] = [0.0] * len(counts)
    return user, state, schedule.rule


def copied_of(state: RememberingState) -> RememberingState:
    """A copy that shares the long tables, which nobody changes."""
    names = [field.name for field in fields(state)]
    changing = [name for name in names if name not in ("logarithms", "inverse_roots")]
    return replace(state, **{name: list(getattr(state, name)) for name in changing})


MOMENTS = [([4, 9, 25], [0.2, 1.0, 0.7], 1.5), ([400, 400, 400], [0.0, 0.6, 1.0], 2.0)]


@pytest.mark.parametrize(("counts", "estimates", "spread"), MOMENTS)
@pytest.mark.parametrize("temperature", [0.1, 0.7])
def test_a_logistic_user_accepts_as_often_as_the_formula_says(
    counts: list[int], estimates: list[float], spread: float, temperature: float
) -> None:
    user, state, rule = frozen(counts, estimates, spread, temperature)
    rng, n = np.random.default_rng(0), 4000
    for arm in range(3):
        up = estimates[arm] + spread / math.sqrt(counts[arm])
        low = max(estimates[j] - spread / math.sqrt(counts[j]) for j in range(3) if j != arm)
        formula = float(special.expit((up - low) / temperature))
        assert acceptance_probability(user, state, arm) == pytest.approx(formula, rel=1e-12)
        accepted = sum(
            others.logistic_respond(user, copied_of(state), rule, arm, rng) for _ in range(n)
        )
        # Inside the central 99.99% of the binomial law: 1 of 1000 runs of this test would not be.
        low_end, high_end = stats.binom.interval(0.9999, n, formula)
        assert low_end <= accepted <= high_end


def test_infinite_intervals_and_large_ratios_are_no_trouble() -> None:
    user, state, _ = frozen([0, 5, 5], [0.0, 0.0, 1e3], 1.0, 1e-6)
    chances = [acceptance_probability(user, state, arm) for arm in range(3)]
    assert chances == [1.0, 0.0, 1.0]
    user, state, _ = frozen([5, 0, 0], [-1e300, 0.0, 0.0], 1.0, 1e-300)
    assert acceptance_probability(user, state, 0) == 1.0  # no rival is known


def test_a_cold_logistic_user_is_the_paper_s(setting: Setting) -> None:
    env = started(1, setting=setting, behaviour=logistic(1e-12))
    user, state = env.user, env._state
    assert isinstance(state, RememberingState)
    answers = set()
    for arm in random_arms(500):
        sure = acceptance_probability(user, state, arm)
        assert sure == (0.0 if rules.rejects(user, state, arm) else 1.0)
        answers.add(env.step(arm)[0])
    assert answers == {0, 1}


# The drifting user


def test_means_do_a_random_walk_of_the_variance_that_is_said(setting: Setting) -> None:
    sigma, steps, given = 0.02, 50, [0.0, 0.5, -1.0, 2.0]
    moved = []
    for seed in range(300):
        env = started(seed, setting=setting, means=given, behaviour=drifting(sigma))
        for arm in random_arms(steps, seed=seed):
            env.step(arm)
        hidden = env.hidden_state()
        moved += [now - then for now, then in zip(hidden.instance.means, given, strict=True)]
        assert hidden.instance.best_arm == int(np.argmax(hidden.instance.means))
    # Sums of squares over sigma^2 T are chi-square: inside its central 99.9%, and centred alike.
    n = len(moved)
    total = sum(move**2 for move in moved) / (sigma**2 * steps)
    assert stats.chi2.ppf(0.0005, n) < total < stats.chi2.ppf(0.9995, n)
    assert abs(np.mean(moved)) < 4 * sigma * math.sqrt(steps / n)


def test_a_step_of_the_walk_by_hand_and_its_reflection_at_0_and_1() -> None:
    class Told:
        def __init__(self, *normals: float) -> None:
            self.normals = list(normals)

        def standard_normal(self) -> float:
            return self.normals.pop(0)

        def random(self) -> float:
            return 0.75

    for law, expected in (
        ("bounded", [1.25, -0.5, 4.0]),
        ("bernoulli", [0.75, 0.5, 0.0]),
    ):
        population = Population(setting=PRINTED, n_arms=3, reward_law=law)
        user, schedule = population.user, population.schedule
        behaviour = drifting(0.5)
        state: Any = behaviour.blank(user)
        state.means[:] = [0.75, 0.5, 1.0]
        behaviour.start(user, state, Told())
        behaviour.respond(user, state, schedule.rule, 0, Told(1.0, -2.0, 6.0))
        assert state.means == expected
        # Her reward is drawn around the mean as it is now: 0.75 of the way up, or 1 if u < mu.
        up = math.sqrt(3) / 2
        assert state.reward[0] == pytest.approx(expected[0] + up if law == "bounded" else 0.0)


@pytest.mark.parametrize("reward", ["regret", "utility"])
def test_rewards_of_a_drifting_user_are_by_the_means_of_the_moment(reward: str) -> None:
    env = started(2, reward=reward, behaviour=drifting(0.2))
    firsts = env.hidden_state().instance
    best_arms = {firsts.best_arm}
    for arm in random_arms(100):
        answer, value, *_ = env.step(arm)
        instance = env.hidden_state().instance
        mean, best = instance.means[arm], max(instance.means)
        assert value == (mean - best if reward == "regret" else mean * answer)
        best_arms.add(instance.best_arm)
    assert len(best_arms) > 1
    env.reset(seed=2)
    assert env.hidden_state().instance == firsts


@pytest.mark.parametrize("compiled", [True, False])
def test_an_answer_is_held_against_the_best_arm_of_that_moment(compiled: bool) -> None:
    options: dict[str, Any] = {"behaviour": drifting(0.1), "n_arms": 4}
    agent = Uniform(horizon=60, order="random")
    runs = eu.evaluate([agent], n_instances=20, compiled=compiled, progress=False, **options).runs
    moved = 0
    env = eu.ExplorativeUserEnv(reward="none", **options)
    for row in runs.itertuples():
        env.reset(seed=row.user_seed)
        first = env.hidden_state().instance.best_arm
        eu.rollout(env, agent, seed=row.user_seed)
        best_arm = int(np.argmax(env.hidden_state().instance.means))
        assert row.best_arm == best_arm
        assert row.correct == (row.answer == best_arm)
        moved += first != best_arm
    assert moved > 3


def test_the_best_arm_of_an_episode_is_that_of_the_answer() -> None:
    single = gym.make("ExplorativeUserBAI-v0", n_arms=3, behaviour=drifting(1.0)).unwrapped
    lanes: Any = gym.make_vec("ExplorativeUserBAI-v0", 2, n_arms=3, behaviour=drifting(1.0))
    for seed in range(20):
        single.reset(seed=seed)
        lanes.reset(seed=[seed, seed])
        single.step(0)
        lanes.step([0, 0])
        assert isinstance(single, eu.ExplorativeUserBAIEnv)
        best = int(np.argmax(single.hidden_state().instance.means))
        *_, info = single.step(3 + best)
        assert info["is_success"]
        *_, infos = lanes.step([3 + best, 3 + (best + 1) % 3])
        assert infos["is_success"].tolist() == [True, False]


def test_regret_over_a_horizon_has_no_meaning_yet_if_means_move() -> None:
    with pytest.raises(eu.InvalidArgumentError, match="behaviour must be one whose means stay"):
        eu.evaluate(["UNI"], task="regret", behaviour="drifting")


# Every path


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("law", REWARD_LAWS)
def test_compiled_runs_are_the_readable_ones_to_the_last_bit(
    setting: Setting, kind: Behaviour, law: str
) -> None:
    agent = Uniform(order="random", horizon=150)
    for noise in (0.0, 0.1):
        options: dict[str, Any] = {
            "setting": setting,
            "n_arms": 4,
            "gap": 0.4,
            "alpha": 0.05,
            "means": low_means,
            "noise": noise,
            "reward_law": law,
            "behaviour": kind,
            "n_instances": 15,
            "progress": False,
        }
        fast = eu.evaluate([agent], **options).runs
        assert fast.equals(eu.evaluate([agent], compiled=False, **options).runs)
        assert fast["acceptances"].nunique() > 3


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_so_are_the_runs_of_an_agent_that_stops(kind: Behaviour) -> None:
    options: dict[str, Any] = {"n_instances": 15, "behaviour": kind, "progress": False}
    options |= {"max_steps": 1500, "setting": "released"}
    fast = eu.evaluate([BAIR()], **options).runs
    assert fast.equals(eu.evaluate([BAIR()], compiled=False, **options).runs)


@pytest.mark.parametrize("kind", KINDS[:3], ids=lambda kind: kind.name)
def test_so_are_the_runs_over_a_horizon(kind: Behaviour) -> None:
    options: dict[str, Any] = {"n_instances": 10, "behaviour": kind, "progress": False}
    options |= {"task": "regret", "horizon": 80}
    fast = eu.evaluate(["UNI"], **options).runs
    assert fast.equals(eu.evaluate(["UNI"], compiled=False, **options).runs)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("law", REWARD_LAWS)
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_lane_is_the_single_user(
    setting: Setting, kind: Behaviour, law: str, noise: float
) -> None:
    options: dict[str, Any] = {
        "n_arms": 4,
        "gap": 0.3,
        "means": low_means,
        "setting": setting,
        "behaviour": kind,
        "reward_law": law,
        "noise": noise,
        "info_level": "full",
    }
    lanes = eu.ExplorativeUserVectorEnv(3, compiled=True, **options)
    singles = [eu.ExplorativeUserEnv(**options) for _ in range(3)]
    lanes.reset(seed=5)
    for lane, env in enumerate(singles):
        env.reset(seed=5 + lane)
    assert lanes.compiled == (kind == EXPLORATIVE)
    for arms in np.random.default_rng(0).integers(4, size=(120, 3)).tolist():
        answers, rewards, _, _, infos = lanes.step(arms)
        each = [env.step(arm) for env, arm in zip(singles, arms, strict=True)]
        assert answers.tolist() == [answer for answer, *_ in each]
        assert rewards.tolist() == [reward for _, reward, *_ in each]
        assert infos["hidden_state"].tolist() == [info["hidden_state"] for *_, info in each]


class Sleepwalker:
    """Recommends and stops at random, with many users at once or with one."""

    name = "sleepwalker"

    def reset_all(self, n_arms: int, rngs: Any, horizon: int | None = None) -> None:
        self.rngs, self.n_arms = rngs, n_arms

    def act_all(self, users: Any) -> Any:
        draws = [(self.rngs[user].random(), self.rngs[user].integers(3)) for user in users]
        return np.array([STOP if chance < 0.05 else int(arm) for chance, arm in draws])

    def observe_all(self, users: Any, arms: Any, accepted: Any) -> None:
        pass

    def answer_all(self, users: Any) -> Any:
        return np.array([int(self.rngs[user].integers(3)) for user in users])

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.reset_all(n_arms, [rng])

    def act(self) -> int | None:
        arm = int(self.act_all([0])[0])
        return None if arm == STOP else arm

    def observe(self, arm: int, accepted: bool) -> None:
        pass

    def answer(self) -> int:
        return int(self.answer_all([0])[0])


def test_an_agent_that_meets_many_drifting_users_is_held_against_the_same_best_arms() -> None:
    options: dict[str, Any] = {"n_arms": 3, "n_instances": 40, "max_steps": 20, "progress": False}
    options |= {"behaviour": drifting(0.3)}
    assert isinstance(Sleepwalker(), ManyUserAgent)
    in_step = eu.evaluate([Sleepwalker()], **options).runs
    assert in_step.equals(eu.evaluate([Sleepwalker()], compiled=False, **options).runs)
    assert in_step["censored"].nunique() == 2


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_click_noise_comes_on_top(kind: Behaviour) -> None:
    # At noise 1 every decision is a coin flip: within 4.5 standard errors of a half.
    env = started(0, noise=1.0, behaviour=kind)
    accepted = sum(env.step(arm)[0] for arm in random_arms(4000))
    assert abs(accepted - 2000) < 4.5 * math.sqrt(1000)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike_and_apart(kind: Behaviour, copied: Callable[[Any], Any]) -> None:
    env = started(4, behaviour=kind)
    for arm in random_arms(60):
        env.step(arm)
    twin, before = copied(env), env.hidden_state()
    ahead = [twin.step(arm) for arm in random_arms(60, seed=1)]
    assert env.hidden_state() == before
    assert [env.step(arm) for arm in random_arms(60, seed=1)] == ahead


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_is_secret_stays_secret(kind: Behaviour) -> None:
    env = started(0, behaviour=kind, reward="none")
    for arm in random_arms(30):
        answer, reward, terminated, truncated, info = env.step(arm)
        assert set(info) == {"has_response", "interactions", "acceptances", "rejections"}
        assert (type(answer), reward, terminated, truncated) == (int, 0.0, False, False)


# Names, records and what is refused


@pytest.mark.parametrize("name", ["explorative", "omniscient", "forgetful", "drifting", "logistic"])
def test_a_behaviour_is_made_by_name_and_the_specification_is_json(name: str) -> None:
    env = gym.make(eu.ENV_ID, behaviour=name)
    assert env.spec is not None
    assert f'"behaviour": "{name}"' in env.spec.to_json()
    assert isinstance(env.unwrapped, eu.ExplorativeUserEnv)
    assert env.unwrapped.behaviour.name == name


def agreeable(user: Any, state: Any, rule: Any, arm: int, rng: Any) -> bool:
    """Accept whatever it is for a number of times, and count in a memory of one's own."""
    state.memory[1] += 1.0
    return rules.respond(user, state, rule, arm, rng, state.memory[1] <= state.memory[0])


def forget_count(user: Any, state: Any, rng: Any) -> None:
    rules.start(user, state, rng)
    state.memory[1] = 0.0


def test_a_behaviour_of_one_s_own_runs_on_every_path_and_can_be_registered() -> None:
    own = Behaviour("agreeable", forget_count, agreeable, parameters=(7.0,), memory=1)
    register_behaviour("agreeable", own)
    register_behaviour("agreeable", own)
    with pytest.raises(eu.InvalidArgumentError, match="name must be a name no other behaviour"):
        register_behaviour("agreeable", replace(own, parameters=(8.0,)))
    env = started(behaviour="agreeable")
    for seed in (1, 2):
        env.reset(seed=seed)
        assert [env.step(0)[0] for _ in range(9)] == [1] * 7 + [0] * 2
    options: dict[str, Any] = {"behaviour": "agreeable", "n_instances": 5, "progress": False}
    fast = eu.evaluate([Uniform(horizon=30)], **options).runs
    assert fast["acceptances"].tolist() == [7] * 5
    assert fast.equals(eu.evaluate([Uniform(horizon=30)], compiled=False, **options).runs)


@pytest.mark.parametrize("unknown", ["amnesic", None, 3])
def test_an_unknown_behaviour_is_refused_with_those_there_are(unknown: Any) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"a Behaviour or one of .*drifting, exp"):
        as_behaviour(unknown)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: omniscient(-0.1), r"tolerance must be a finite number of at least 0, got -0\.1"),
        (lambda: forgetful(0), r"window must be an integer of at least 1, got 0"),
        (lambda: forgetful(2.5), r"window must be an integer of at least 1, got 2\.5"),  # type: ignore[arg-type]
        (lambda: drifting(math.nan), r"sigma must be a finite number of at least 0, got nan"),
        (lambda: logistic(0.0), r"temperature must be a finite number above 0, got 0\.0"),
    ],
)
def test_a_bad_parameter_is_named(make: Callable[[], Behaviour], message: str) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=message):
        make()
