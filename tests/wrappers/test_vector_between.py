"""Other people's wrappers between ours and many users: what is shown is true, or is refused."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorWrapper
from gymnasium.wrappers import vector as theirs
from pairs import pairs
from wrapped import LANES, LIMIT, N_ARMS, Heard, counts_of, last_step_of, made, ranks_of, vector_of

from explorative_user_env import BAI_ENV_ID, ENV_ID, InvalidArgumentError
from explorative_user_env.wrappers import vector as many

MODES = [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP]


class Asked(VectorWrapper):
    """What each user was asked and said, noted where it is true."""

    def reset(self, **kwargs: Any) -> Any:
        outcome = super().reset(**kwargs)
        self.heard: list[Heard] = [[] for _ in range(self.num_envs)]
        self.over = np.zeros(self.num_envs, bool)
        return outcome

    def step(self, actions: Any) -> Any:
        responses, _, terminated, truncated, infos = outcome = self.env.step(actions)
        done = terminated | truncated
        mode = self.env.metadata["autoreset_mode"]
        self.last: dict[int, Heard] = {}
        for lane, action in enumerate(np.asarray(actions).tolist()):
            if self.over[lane] and mode == AutoresetMode.NEXT_STEP:
                self.heard[lane] = []
                continue
            ended = done[lane] and mode == AutoresetMode.SAME_STEP
            response = infos["final_obs"][lane] if ended else responses[lane]
            if action < N_ARMS:
                self.heard[lane].append((action, int(response)))
            if ended:
                self.last[lane], self.heard[lane] = self.heard[lane], []
        self.over = done
        return outcome


class Sticky(VectorWrapper):
    """A wrapper of one's own: every other step does what the step before did."""

    def reset(self, **kwargs: Any) -> Any:
        self.before: Any = None
        return super().reset(**kwargs)

    def step(self, actions: Any) -> Any:
        actions = actions if self.before is None else self.before
        self.before = actions if self.before is None else None
        return self.env.step(actions)


class Flipped(VectorWrapper):
    """A wrapper of one's own that turns every response round."""

    def step(self, actions: Any) -> Any:
        responses, *rest = self.env.step(actions)
        return 1 - responses, *rest


class FlippedAtTheEnd(VectorWrapper):
    """A wrapper of one's own that turns last responses round."""

    def step(self, actions: Any) -> Any:
        *rest, infos = self.env.step(actions)
        if "final_obs" in infos:
            last = [None if each is None else 1 - each for each in infos["final_obs"]]
            infos = infos | {"final_obs": np.array(last, object)}
        return *rest, infos


class Silent(VectorWrapper):
    """A wrapper of one's own that keeps the counts to itself."""

    def step(self, actions: Any) -> Any:
        return *self.env.step(actions)[:4], {}


def next_actions(env: Any) -> Any:
    n_actions = int(env.single_action_space.n)
    return theirs.TransformAction(
        env, lambda actions: (actions + 1) % n_actions, env.action_space, env.single_action_space
    )


TRUE: dict[str, Any] = {
    "TransformAction": next_actions,
    "RecordEpisodeStatistics": theirs.RecordEpisodeStatistics,
    "Sticky": Sticky,
    "several": lambda env: Sticky(next_actions(env)),
}


def unit(env: Any) -> Any:
    return theirs.TransformObservation(env, lambda responses: responses)


CHANGES: dict[str, Any] = {
    "FlattenObservation": theirs.FlattenObservation,
    "DtypeObservation": lambda env: theirs.DtypeObservation(env, np.float32),
    "TransformObservation": unit,
    "LastStepObservation": many.LastStepObservation,
}


@pytest.fixture(params=[many.CountsObservation, many.LastStepObservation])
def wrapper(request: pytest.FixtureRequest) -> Any:
    return request.param


def by_hand(wrapper: Any, heard: Heard) -> list[float]:
    if wrapper is many.LastStepObservation:
        return last_step_of(heard, LIMIT)
    arms = ranks_of(heard) if wrapper is many.SortedArms else range(N_ARMS)
    return counts_of(heard, arms, LIMIT)


@pairs(
    mode=MODES,
    between=TRUE,
    wrapper=[many.CountsObservation, many.LastStepObservation, many.SortedArms],
)
def test_what_is_shown_is_what_each_user_heard_and_said(
    name: str, wrapper: Any, between: str, mode: AutoresetMode
) -> None:
    """Also where a lane answers, which no other lane may notice."""
    noted = Asked(vector_of(name, mode))
    below = TRUE[between](noted)
    if wrapper is many.SortedArms:
        below = many.CountsObservation(below)
    env, rng, n_last = wrapper(below), np.random.default_rng(0), 0
    env.reset(seed=0)
    for _ in range(4 * LIMIT):
        actions = rng.integers(N_ARMS, size=LANES)
        if name == BAI_ENV_ID:
            actions += N_ARMS * (rng.random(LANES) < 0.08)
        observations, *_, infos = env.step(actions)
        expected = [by_hand(wrapper, heard) for heard in noted.heard]
        np.testing.assert_allclose(observations, expected, rtol=2e-7)
        assert infos["interactions"].tolist() == list(map(len, noted.heard))
        for lane, heard in noted.last.items():
            last = infos["final_obs"][lane]
            np.testing.assert_allclose(last, by_hand(wrapper, heard), rtol=2e-7)
            n_last += 1
    assert (n_last > LANES) == (mode == AutoresetMode.SAME_STEP)


@pytest.mark.parametrize("between", CHANGES)
def test_what_changes_the_responses_is_refused_by_name(
    name: str, wrapper: Any, between: str
) -> None:
    above = rf"\(put {between} above {wrapper.__name__}, "
    with pytest.raises(InvalidArgumentError, match=f"^env must be .*as they are {above}"):
        wrapper(CHANGES[between](vector_of(name)))


def test_what_changes_the_counts_is_refused_below_sorted_arms(name: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^env must be wrapped in CountsObservation"):
        many.SortedArms(unit(many.CountsObservation(vector_of(name))))


def stepped(env: Any) -> None:
    for _ in range(LIMIT):
        env.step(np.zeros(LANES, int))


@pytest.mark.parametrize("between", [Flipped, FlippedAtTheEnd, Silent])
def test_a_step_that_contradicts_a_user_is_refused(name: str, wrapper: Any, between: Any) -> None:
    env = wrapper(between(vector_of(name, AutoresetMode.SAME_STEP)))
    env.reset(seed=0)
    with pytest.raises(InvalidArgumentError, match=r"^env must be .*as they are .*") as error:
        stepped(env)
    assert "\n" not in str(error.value)


def test_counts_that_are_changed_in_between_are_not_sorted(name: str) -> None:
    class Halved(VectorWrapper):
        def step(self, actions: Any) -> Any:
            observations, *rest = self.env.step(actions)
            return observations / 2, *rest

    env = many.SortedArms(Halved(many.CountsObservation(vector_of(name))))
    env.reset(seed=0)
    with pytest.raises(InvalidArgumentError, match=r"above SortedArms, .*, got <Halved, "):
        env.step(np.zeros(LANES, int))


def test_responses_that_are_no_array_are_refused_at_the_reset(name: str, wrapper: Any) -> None:
    class Listed(VectorWrapper):
        def reset(self, **kwargs: Any) -> Any:
            responses, infos = self.env.reset(**kwargs)
            return list(responses), infos

    env = wrapper(Listed(vector_of(name)))
    with pytest.raises(InvalidArgumentError, match=r"^env must be .*, got <Listed, "):
        env.reset(seed=0)


def test_infos_as_lists_are_refused_at_the_reset(name: str, wrapper: Any) -> None:
    env = wrapper(theirs.DictInfoToList(vector_of(name)))
    with pytest.raises(InvalidArgumentError, match=r"^env must be .*, got <DictInfoToList, "):
        env.reset(seed=0)


def test_tensors_are_refused_at_the_reset(name: str, wrapper: Any) -> None:
    pytest.importorskip("torch", reason="needs the extra rl")
    pytest.importorskip("array_api_compat", reason="Gymnasium's conversion needs it")
    env = wrapper(theirs.NumpyToTorch(vector_of(name)))
    with pytest.raises(InvalidArgumentError, match=r"^env must be .*, got <NumpyToTorch, "):
        env.reset(seed=0)


def test_a_wrapper_put_on_in_the_middle_of_episodes_waits_for_a_reset(wrapper: Any) -> None:
    below = vector_of(ENV_ID)
    below.reset(seed=0)
    below.step(np.zeros(LANES, int))
    env = wrapper(below)
    with pytest.raises(InvalidArgumentError, match=r"^env must be .*and reset both\)"):
        env.step(np.zeros(LANES, int))
    env.reset(seed=0)
    times = env.step(np.zeros(LANES, int))[0][:, -1]
    assert times == pytest.approx(1 / LIMIT)


def foreign() -> list[Any]:
    return [gym.make_vec("CartPole-v1", 2), SyncVectorEnv([lambda: made(ENV_ID)]), made(ENV_ID)]


@pytest.mark.parametrize("other", range(3))
def test_an_environment_that_is_not_ours_is_refused_by_name(wrapper: Any, other: int) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^env must be the vector form of Explorativ"):
        wrapper(foreign()[other], 10)
    with pytest.raises(InvalidArgumentError, match=r"^env must be wrapped in CountsObservation"):
        many.SortedArms(foreign()[other])


def test_actions_that_are_no_arms_are_not_sorted(name: str) -> None:
    space = spaces.Box(0, 1, (1,))
    below = theirs.TransformAction(vector_of(name), lambda actions: actions, None, space)
    with pytest.raises(InvalidArgumentError, match=r"^env must be an environment whose actions"):
        many.SortedArms(many.CountsObservation(below))
