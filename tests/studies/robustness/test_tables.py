from typing import Any

import numpy as np
import pandas as pd
import pytest

from explorative_user_env.display.tables import as_text
from explorative_user_env.studies import suite as room
from explorative_user_env.users.population import RELEASED, Population


def cell(user: str, agent: str, success: float, time: float, censored: float) -> dict[str, Any]:
    return {
        "user": user,
        "agent": agent,
        "success": success,
        "success_low": success - 0.1,
        "success_high": min(1.0, success + 0.1),
        "stopping_time": time,
        "stopping_time_high": time + 7,
        "censored": censored,
    }


SHOWN = pd.DataFrame(
    [
        cell(user, agent, success, time, censored)
        for user, success, time, censored in (("paper", 1.0, 550, 0.0), ("odd", 0.5, 9000, 0.25))
        for agent in "ABCDEFG"
    ]
)


def test_a_hundred_columns_show_a_few_agents_and_below_them_the_others() -> None:
    text = as_text(room.matrix_table(SHOWN))
    second_part = text.rindex("user")
    first, second = text[:second_part], text[second_part:]
    assert first.split()[:6] == ["user", *"ABCDE"]
    assert second.split()[:3] == ["user", *"FG"]
    assert max(map(len, first.splitlines())) <= 100
    assert first.count("1.00 [.900–1.00]") == first.count("550 ± 7") == 5
    assert second.count(".500 [.400–.600]") == second.count("25.0% cut") == 2


def test_the_page_has_a_row_a_user() -> None:
    page = room.matrix_page(SHOWN, "Title").splitlines()
    assert page[0] == "# Title"
    rows = [line for line in page if line.startswith("|")]
    assert len(rows) == 4
    assert rows[2].count("1.00 [.900–1.00]<br>550 ± 7 |") == 7
    assert rows[3].startswith("| odd | .500 [.400–.600]<br>9000 ± 7<br>25.0% cut |")
    assert page[-5::2] == [f"- {note}" for note in room.NOTES]


def test_the_heat_map_has_agents_by_users() -> None:
    pytest.importorskip("matplotlib")
    axes = room.heat_map(SHOWN)
    assert [label.get_text() for label in axes.get_yticklabels()] == list("ABCDEFG")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["paper", "odd"]
    assert np.array_equal(np.asarray(axes.images[0].get_array()), [[1.0, 0.5]] * 7)
    texts = [text.get_text() for text in axes.texts]
    assert axes.images[0].get_clim() == (0.0, 1.0)  # colours mean the same in every map
    shades = [text.get_color() for text in axes.texts]
    assert shades == ["black", "white"] * 7  # on yellow and on green
    assert texts == ["1.00\nT 550", ".500\nT 9000\n25.0% cut"] * 7


def test_the_title_says_who_met_whom() -> None:
    users = Population(n_arms=7, gap=0.25, setting=RELEASED)
    assert room.title_of_matrix(users, 0.05, 300, 9000) == (
        "Robustness, released: 300 users a cell, K=7, delta=0.05, gap=0.25, at most 9000 steps"
    )


def test_who_sees_rewards_is_marked_in_the_matrix_and_below_it() -> None:
    told = SHOWN.assign(sees_rewards=SHOWN["agent"] == "B")
    assert as_text(room.matrix_table(told)).split()[:3] == ["user", "A", "B†"]
    page = room.matrix_page(told, "title")
    assert "| B† |" in page
    assert page.count("- † a reference") == 1
    labels = [label.get_text() for label in room.heat_map(told).get_yticklabels()]
    assert labels[:3] == ["A", "B†", "C"]
    assert room.notes_of(SHOWN) == room.NOTES
