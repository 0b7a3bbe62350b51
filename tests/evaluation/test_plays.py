import numpy as np
import pytest

from explorative_user_env.evaluation.paths import Play, figures


def played(
    means: np.ndarray, best_arms: np.ndarray, arms: np.ndarray, accepted: np.ndarray
) -> Play:
    """A play with users who stay."""
    n_users, horizon = arms.shape
    play = Play.blank(n_users, means.shape[1], horizon)
    for there, wanted in zip(play, (means, best_arms, arms, accepted), strict=False):
        there[:] = wanted
    return play


def test_the_figures_are_those_of_a_slow_loop() -> None:
    rng = np.random.default_rng(0)
    n_users, horizon, n_arms = 6, 40, 3
    means = rng.standard_normal((n_users, n_arms))
    best_arms = means.argmax(axis=1)
    arms = rng.integers(0, n_arms, (n_users, horizon)).astype(np.int32)
    accepted = rng.random((n_users, horizon)) < 0.5
    answers = rng.integers(0, n_arms, n_users)
    play = played(means, best_arms, arms, accepted)
    play.answers[:] = answers
    play.stayed[:] = (40, 39, 1, 17, 40, 40)
    play.left[:] = (False, True, True, True, True, False)
    play.blank_missed()
    found = figures(play)
    assert {values.shape for values in found.values()} == {(n_users,)}
    for user in range(n_users):
        regret = utility = 0.0
        accepted_arms = [0] * n_arms
        stayed = play.stayed[user]
        for arm, yes in zip(arms[user, :stayed].tolist(), accepted[user].tolist(), strict=False):
            regret += max(means[user]) - means[user][arm]
            if yes:
                utility += means[user][arm]
                accepted_arms[arm] += 1
        for _ in range(horizon - stayed):
            regret += max(means[user]) - min(means[user])
        row = {name: values[user] for name, values in found.items()}
        assert row["best_arm"] == best_arms[user]
        assert row["answer"] == answers[user]
        assert row["acceptances"] == sum(accepted_arms)
        assert row["regret"] == pytest.approx(regret)
        assert row["utility"] == pytest.approx(utility)
        assert row["last_arm"] == arms[user, stayed - 1]
        assert row["interactions"] == stayed
        assert row["left"] == play.left[user]
        assert row["most_accepted_arm"] == accepted_arms.index(max(accepted_arms))
        tied = [arm for arm in range(n_arms) if accepted_arms[arm] == max(accepted_arms)]
        credit = 1 / len(tied) if best_arms[user] in tied else 0.0
        assert row["most_accepted_is_best"] == credit
