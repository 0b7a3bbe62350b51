"""Other people's wrappers between ours and the users: what is shown is true, or is refused."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces, wrappers
from gymnasium.vector import SyncVectorEnv, VectorWrapper
from gymnasium.wrappers import vector as of_many
from in_step import LANES
from pairs import pairs
from wrapped import HORIZON, LIMIT, N_ARMS, made, shown_by_hand, vector_of, wrapped

from explorative_user_env import BAI_ENV_ID, ENV_ID, InvalidArgumentError
from explorative_user_env import wrappers as one
from explorative_user_env.wrappers import vector as many

UNSORTED = ["CountsObservation", "LastStepObservation"]


def step_with(*bases, **methods):
    return type("Between", bases, methods)


class Noted(gym.Wrapper):
    def reset(self, **kwargs):
        self.heard = []
        return self.env.reset(**kwargs)

    def step(self, action):
        outcome = self.env.step(action)
        if outcome[4]["has_response"]:
            self.heard.append((int(action), outcome[0]))
        return outcome


def twice(self, action):
    first = self.env.step(action)
    return first if first[2] or first[3] else self.env.step(action)


def several(env):
    n = int(env.action_space.n)
    env = wrappers.TransformAction(env, lambda action: (action + 1) % n, env.action_space)
    return wrappers.Autoreset(step_with(gym.Wrapper, step=twice)(wrappers.StickyAction(env, 0.3)))


@pairs(
    name=[ENV_ID, BAI_ENV_ID],
    observation=["counts", "last-step", "sorted-counts"],
    between=[wrappers.Autoreset, wrappers.RecordEpisodeStatistics, several],
)
def test_responses_of_one_user_are_shown_through_wrappers_between(name, observation, between):
    noted = Noted(made(name))
    if observation == "sorted-counts" and between is not several:
        # What hands the counts on may stand above them, too.
        env = one.SortedArms(between(one.CountsObservation(noted)))
    else:
        env = wrapped(one, observation, between(noted))
    rng, over, told = np.random.default_rng(0), True, 0
    for _ in range(200):
        if over:
            shown, info = env.reset(seed=int(rng.integers(99)))
        else:
            action = int(rng.integers(N_ARMS))
            if name == BAI_ENV_ID and rng.random() < 0.05:
                action += N_ARMS
            shown, _, terminated, truncated, info = env.step(action)
        over = not over and (terminated or truncated) and "Autoreset" not in str(env)
        np.testing.assert_allclose(
            shown, shown_by_hand(observation, noted.heard, HORIZON), rtol=2e-7
        )
        assert info["interactions"] == len(noted.heard)
        told += len(noted.heard) > 0
    assert told > 100


CHANGES = [
    (one, "MaxAndSkipObservation", wrappers.MaxAndSkipObservation),
    (one, "TransformObservation", lambda env: wrappers.TransformObservation(env, int, None)),
    (one, "LastStepObservation", one.LastStepObservation),
    (many, "TransformObservation", lambda env: of_many.TransformObservation(env, lambda o: o)),
    (many, "LastStepObservation", many.LastStepObservation),
]


def users(room, name=ENV_ID, **kwargs):
    return made(name, **kwargs) if room is one else vector_of(name, **kwargs)


@pytest.mark.parametrize("ours", UNSORTED)
def test_a_wrapper_that_changes_the_responses_is_refused_by_name(ours, subtests):
    for room, between, changes in CHANGES:
        with subtests.test(f"{room.__name__} {between}"):
            words = rf"^env must be .*unchanged .*\(put {between} around {ours}, .*, got <{between}"
            with pytest.raises(InvalidArgumentError, match=words):
                getattr(room, ours)(changes(users(room)))
            around = (wrappers if room is one else of_many).RecordEpisodeStatistics
            with pytest.raises(InvalidArgumentError, match="unchanged "):
                getattr(room, ours)(around(changes(users(room))))


@pytest.mark.parametrize("name", [ENV_ID, BAI_ENV_ID])
def test_arms_are_sorted_only_above_counts_as_they_are(name, subtests):
    space = spaces.Box(0, 1, (1,))
    no_arms = wrappers.TransformAction(made(name), lambda action: 0, space)
    no_arms_of_many = of_many.TransformAction(vector_of(name), lambda actions: 0, None, space)
    rows = [
        (one, wrappers.DelayObservation(one.CountsObservation(made(name)), 2)),
        (many, of_many.TransformObservation(many.CountsObservation(vector_of(name)), lambda o: o)),
        (one, None),
        (many, gym.make_vec("CartPole-v1", 2)),
        (one, one.CountsObservation(no_arms)),
        (many, many.CountsObservation(no_arms_of_many)),
    ]
    for room in (one, many):
        rows.append((room, users(room, name)))
        for n_arms in (N_ARMS, 7, 8):  # of which some have as many numbers as counts have
            rows.append((room, room.LastStepObservation(users(room, name, n_arms=n_arms))))
    words = r"^env must be (wrapped in CountsObservation|an environment whose act)"
    for room, env in rows:
        with subtests.test(str(env)), pytest.raises(InvalidArgumentError, match=words):
            room.SortedArms(env)


def test_an_environment_that_is_not_ours_is_refused_by_name(subtests):
    others = [(one, gym.make("CartPole-v1")), (one, None), (one, vector_of(ENV_ID))]
    others += [(many, made(ENV_ID)), (many, SyncVectorEnv([lambda: made(ENV_ID)]))]
    rows = [(ours, "ExplorativeUser-v0, Explor", *other) for ours in UNSORTED for other in others]
    for room in (one, many):
        rows.append(("PopulationCountsObservation", "ExplorativePopulation-v0", room, users(room)))
    for ours, named, room, env in rows:
        words = f"^env must be {'the vector form of ' if room is many else ''}{named}"
        with subtests.test(str(env)), pytest.raises(InvalidArgumentError, match=words):
            getattr(room, ours)(env, 10)


def flipped(self, action):
    response, *rest = self.env.step(action)
    return 1 - response, *rest


def silent(self, action):
    return *self.env.step(action)[:4], {}


def flipped_at_the_end(self, actions):
    *rest, infos = self.env.step(actions)
    if "final_obs" in infos:
        last = [None if each is None else 1 - each for each in infos["final_obs"]]
        infos = infos | {"final_obs": np.array(last, object)}
    return *rest, infos


def flipped_at_the_start(self, **kwargs):
    response, info = self.env.reset(**kwargs)
    return 1 - response, info


FALSE = [
    *((one, step_with(gym.Wrapper, step=step)) for step in (flipped, silent)),
    *((many, step_with(VectorWrapper, step=step)) for step in (flipped, silent)),
    (many, step_with(VectorWrapper, step=flipped_at_the_end)),
    (one, step_with(gym.Wrapper, reset=flipped_at_the_start)),
    (many, of_many.DictInfoToList),
]


def stepped(env, room):
    env.reset(seed=0)
    for _ in range(LIMIT):
        env.step(0 if room is one else np.zeros(LANES, int))


@pairs(ours=UNSORTED, name=[ENV_ID, BAI_ENV_ID])
def test_a_step_or_reset_that_contradicts_the_user_is_refused(name, ours, subtests):
    for place, (room, between) in enumerate(FALSE):
        with subtests.test(str(place)):
            below = made(name) if room is one else vector_of(name, "SameStep")
            env = getattr(room, ours)(between(below))
            with pytest.raises(InvalidArgumentError, match=r"^env must be .*unchanged.*, got <"):
                stepped(env, room)
    for room, base in ((one, gym.Wrapper), (many, VectorWrapper)):
        below = step_with(base, step=flipped)(room.CountsObservation(users(room, name)))
        with pytest.raises(InvalidArgumentError, match=r"around SortedArms, .*, got <Between"):
            stepped(room.SortedArms(below), room)


@pytest.mark.parametrize("ours", UNSORTED)
def test_a_wrapper_put_on_in_the_middle_of_an_episode_waits_for_a_reset(ours):
    for room, action, steps in ((one, 1, HORIZON), (many, np.zeros(LANES, int), LIMIT)):
        below = users(room)
        below.reset(seed=0)
        below.step(action)
        env = getattr(room, ours)(below)
        with pytest.raises(InvalidArgumentError, match=r"^env must be .*and reset both\)"):
            env.step(action)
        env.reset(seed=0)
        assert env.step(action)[0][..., -1] == pytest.approx(1 / steps)
