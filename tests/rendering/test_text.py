import math
import re

import gymnasium as gym
import numpy as np
import pytest

from explorative_user_env import ENV_ID, ExplorativeUserEnv, Instance
from explorative_user_env.show.scene import BAR_WIDTH, text_of_user
from explorative_user_env.show.words import Seen
from explorative_user_env.users.hidden_state import HiddenState


def hidden(
    means: list[float], estimates: list[float], counts: list[int], radii: list[float]
) -> HiddenState:
    return HiddenState(
        instance=Instance(tuple(means), int(np.argmax(means))),
        estimates=tuple(estimates),
        counts=tuple(counts),
        lower_bounds=tuple(m - r for m, r in zip(estimates, radii, strict=True)),
        upper_bounds=tuple(m + r for m, r in zip(estimates, radii, strict=True)),
        gamma=1.0,
        rho=1.0,
        acceptances=sum(counts),
        interactions=sum(counts),
    )


def seen_of(responses: list[list[int]], last: tuple[int, bool] | None = None) -> Seen:
    yes, no = zip(*responses, strict=True)
    latest = [last[1] if last and last[0] == arm else None for arm in range(len(yes))]
    return Seen(yes, no, latest, last, sum(yes) + sum(no))


def bars(text: str) -> list[str]:
    return [line.split("|")[1] for line in text.splitlines() if "|" in line]


def test_the_counts_of_each_arm_are_shown() -> None:
    assert text_of_user(seen_of([[3, 1], [0, 12]], (1, False))).splitlines() == [
        "arm  accepted  rejected",
        "  0         3         1",
        "  1         0        12",
        "last: arm 1 rejected",
    ]


def test_the_last_response_is_shown() -> None:
    assert text_of_user(seen_of([[0, 0]] * 2)).endswith("no recommendation yet")
    assert text_of_user(seen_of([[1, 0], [0, 0]], (0, True))).endswith("last: arm 0 accepted")


def test_an_interval_reaches_from_its_lower_to_its_upper_bound() -> None:
    last = BAR_WIDTH - 1
    scene = hidden([0.0, last], [10.0, 20.0], [1, 1], [3.0, 2.0])  # one cell is one unit
    text = text_of_user(seen_of([[1, 0], [1, 0]], (1, True)), scene)
    first, second = bars(text)
    assert f"from 0.00 to {last:.2f}" in text.splitlines()[0]
    assert first == "*" + " " * 6 + "---o---" + " " * (BAR_WIDTH - 14)
    assert second == " " * 18 + "--o--" + " " * (BAR_WIDTH - 24) + "*"


def test_an_unseen_arm_has_a_full_bar_and_no_estimate() -> None:
    scene = hidden([1.0, 0.0], [0.0, 0.5], [0, 1], [math.inf, 0.25])
    unseen, seen = bars(text_of_user(seen_of([[0, 0], [1, 0]], (1, True)), scene))
    assert unseen == "-" * (BAR_WIDTH - 1) + "*"
    assert "o" in seen


def test_a_user_who_has_seen_nothing_can_be_drawn() -> None:
    scene = hidden([2.0, 2.0], [0.0, 0.0], [0, 0], [math.inf, math.inf])
    assert [len(bar) for bar in bars(text_of_user(seen_of([[0, 0]] * 2), scene))] == [BAR_WIDTH] * 2


def played(render_intervals: bool, setting: str = "printed") -> tuple[ExplorativeUserEnv, str, str]:
    env = gym.make(
        ENV_ID,
        n_arms=3,
        setting=setting,
        render_mode="ansi",
        render_intervals=render_intervals,
        noise=0.6,
    )
    env.reset(seed=0)
    tally = np.zeros((3, 2), dtype=int)
    for arm in np.random.default_rng(1).integers(3, size=60).tolist():
        response, *_ = env.step(arm)
        tally[arm, 1 - response] += 1
    assert (tally > 0).all()
    expected = [f"{arm} {yes} {no}" for arm, (yes, no) in enumerate(tally.tolist())]
    expected.append(f"last: arm {arm} {'accepted' if response else 'rejected'}")
    return env.unwrapped, env.render(), "\n".join(expected)  # type: ignore[return-value]


@pytest.mark.parametrize("name", ["printed", "released"])
def test_a_rendering_shows_the_responses_and_no_interval_or_mean(name: str) -> None:
    _, text, expected = played(render_intervals=False, setting=name)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "\n".join(lines) == "arm accepted rejected\n" + expected  # nothing besides


def test_the_intervals_are_shown_if_asked_for() -> None:
    env, text, expected = played(render_intervals=True)
    state = env.hidden_state()
    drawn = [*state.lower_bounds, *state.upper_bounds, *state.instance.means]
    axis = re.search(r"from (-?\d+\.\d\d) to (-?\d+\.\d\d)", text)
    assert axis is not None
    assert float(axis[1]) == pytest.approx(min(drawn), abs=0.005)
    assert float(axis[2]) == pytest.approx(max(drawn), abs=0.005)
    rows = [" ".join(line.split("|")[0].split()) for line in text.splitlines()[1:]]
    assert "\n".join(rows) == expected
    assert all("*" in bar for bar in bars(text))


def test_a_new_user_has_an_empty_table() -> None:
    env, _, _ = played(render_intervals=False)
    env.reset(seed=1)
    numbers = [line.split() for line in env.render().splitlines()[1:-1]]
    assert numbers == [["0", "0", "0"], ["1", "0", "0"], ["2", "0", "0"]]


def test_without_a_render_mode_nothing_is_rendered() -> None:
    env = ExplorativeUserEnv()
    env.reset(seed=0)
    assert env.render() is None
