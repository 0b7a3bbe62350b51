"""The matrix of agents and users is what evaluations of each cell say."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.commands.robustness import robustness as command
from explorative_user_env.display import figures as plotting
from explorative_user_env.population import Population
from explorative_user_env.settings import RELEASED
from explorative_user_env.studies import robustness as room
from explorative_user_env.studies.robustness import VARIETIES, UniformBelow, Variety, robustness

SMALL: dict[str, Any] = {"n_instances": 8, "n_arms": 3, "seed": 5, "max_steps": 120}
USERS = tuple(variety for variety in VARIETIES if variety.name in ("paper", "bernoulli"))


@pytest.fixture(scope="module")
def matrix() -> pd.DataFrame:
    return robustness(["BAIR", "UNI"], USERS, setting="printed", **SMALL)


def test_each_cell_is_what_an_evaluation_says_of_it(matrix: pd.DataFrame) -> None:
    bernoulli = {"reward_law": "bernoulli", "means": UniformBelow(0.5)}
    for user, own in (("paper", {}), ("bernoulli", bernoulli)):
        options: dict[str, Any] = SMALL | own
        alone = eu.evaluate(["BAIR", "UNI"], gap=0.5, progress=False, **options).summary()
        found = matrix[matrix["user"] == user].drop(columns="user").reset_index(drop=True)
        pd.testing.assert_frame_equal(found, alone)
    assert list(matrix["user"]) == ["paper", "paper", "bernoulli", "bernoulli"]


def test_it_is_the_same_for_any_number_of_workers_and_company(matrix: pd.DataFrame) -> None:
    again = robustness(["BAIR", "UNI"], USERS[::-1], workers=2, **SMALL)
    both = pd.concat([again[2:], again[:2]], ignore_index=True)
    pd.testing.assert_frame_equal(both, matrix)


def test_progress_goes_from_user_to_user() -> None:
    told: list[tuple[str, int, int]] = []
    robustness(["BAIR"], USERS, progress=lambda *news: told.append(news), **SMALL)
    assert {what for what, _, _ in told} == {"paper: BAIR", "bernoulli: BAIR"}
    shares = [done / total for _, done, total in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_every_variety_can_be_met() -> None:
    for variety in VARIETIES:
        users = room.population_with(variety, Population(n_arms=3))
        env = eu.ExplorativeUserEnv(population=users)
        for seed in range(30):
            env.reset(seed=seed)
            env.step(0)


def test_bernoulli_means_leave_room_for_any_gap() -> None:
    rng = np.random.default_rng(0)
    bernoulli = Variety("b", {"reward_law": "bernoulli"})
    for gap in (0.01, 0.5, 0.99):
        law: Any = room.population_with(bernoulli, Population(gap=gap)).means
        means = np.array([law(2, rng) for _ in range(2000)])
        assert means.min() >= 0.0
        assert 0.98 * (1 - gap) < means.max() <= 1 - gap
    own = Variety("b", {"reward_law": "bernoulli", "means": "uniform"})
    assert room.population_with(own, Population()).means == "uniform"


def test_the_patient_bair_drops_an_arm_at_m_rejections_in_a_row() -> None:
    # m = 2 log(5 / .1) = 7.8 of an omniscient user: Phase 1's 100 acceptances of her one arm after
    # a rejection of each other one, then 8 rejections of each.
    agents = room.default_agents()
    assert [agent.name for agent in agents] == ["BAIR", "BAIR(m)", "T&S", "UNI", "EXP3"]
    found = robustness(agents[:2], [Variety("o", {"behaviour": "omniscient"})], n_instances=5)
    times = found.set_index("agent")["stopping_time"]
    assert times["BAIR(m)"] - times["BAIR"] == 4 * (8 - 1)


def test_runs_at_the_cap_are_reported_as_censored_and_no_successes() -> None:
    (row,) = robustness(["T&S"], USERS[:1], n_instances=6, max_steps=9).to_dict("records")
    assert (row["censored"], row["success"], row["stopping_time"]) == (1.0, 0.0, 9.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"users": []}, "users must be at least one"),
        ({"users": [VARIETIES[0], VARIETIES[0]]}, "users must be at least one, each of a name"),
        ({"gap": 1.0}, "gap must be below 1 for the user bernoulli"),
        ({"gap": -1.0}, "gap must be a finite number above 0"),
        ({"max_steps": 0}, "max_steps must be an integer of at least 1"),
        ({"agents": ["UNI"]}, "baseline_time must be a number, or an agent"),
    ],
)
def test_a_bad_argument_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=message):
        robustness(**options)


def test_an_unknown_user_is_refused_with_those_there_are() -> None:
    assert room.varieties_named(None) == VARIETIES
    assert [one.name for one in room.varieties_named(["logistic", "paper", "logistic"])] == [
        "logistic",
        "paper",
    ]
    with pytest.raises(eu.InvalidArgumentError, match=r"user must be one of paper, rho=1, .*'me'"):
        room.varieties_named(["me"])


# Tables and pictures


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


def text_of(tables: list[Any]) -> list[str]:
    from explorative_user_env.display.tables import as_text

    return [as_text(table) for table in tables]


def test_tables_show_a_few_agents_each_in_a_hundred_columns() -> None:
    first, second = text_of(room.tables_of(SHOWN))
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


def test_the_heat_map_has_agents_by_users() -> None:
    figure = room.heat_map(SHOWN)
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == list("ABCDEFG")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["paper", "odd"]
    assert np.array_equal(np.asarray(axes.images[0].get_array()), [[1.0, 0.5]] * 7)
    texts = [text.get_text() for text in axes.texts]
    assert texts[:2] == ["1.00\nT 550", ".500\nT 9000\n25.0% cut"]


# The command


def run(*arguments: str) -> None:
    app = typer.Typer()
    app.command()(command)
    app([*arguments], standalone_mode=False)


CELLS = ["--agent", "bair", "--user", "paper", "--user", "omniscient", "--n-instances", "4"]


def test_the_command_prints_the_table_and_writes_the_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(*CELLS, "--n-arms", "2", "--output", str(tmp_path))
    printed = capsys.readouterr().out
    names = ("table.md", "summary.csv", "heat_map.png")
    assert printed.splitlines()[-1] == "Files: " + ", ".join(str(tmp_path / one) for one in names)
    assert "4 users a cell, K=2" in printed
    summary = pd.read_csv(tmp_path / "summary.csv")
    assert list(summary["user"]) == ["paper", "omniscient"]
    assert (tmp_path / "heat_map.png").read_bytes()[:4] == b"\x89PNG"
    expected = robustness([BAIR(max_steps=20_000)], VARIETIES[::7], n_arms=2, n_instances=4)
    assert list(expected["user"]) == list(summary["user"])
    assert np.allclose(summary["stopping_time"], expected["stopping_time"])


def test_without_matplotlib_it_says_how_to_get_the_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plotting, "can_plot", lambda: False)
    run(*CELLS, "--n-arms", "2", "--output", str(tmp_path))
    assert 'For heat_map.png: pip install "explorative-user-env[plot]"' in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"table.md", "summary.csv"}


def test_quick_is_a_hundred_users_and_options_arrive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    def caught(agents: Any, users: Any, **options: Any) -> pd.DataFrame:
        asked.append({"agents": agents, "users": users, **options})
        return SHOWN

    monkeypatch.setattr(room, "robustness", caught)
    words = "--quick --gap 0.3 --delta 0.05 --setting released --baseline-time 70 --max-steps 77"
    run(*words.split(), "--seed", "9", "--workers", "1", "--output", str(tmp_path))
    (options,) = asked
    assert (options["agents"], options["users"]) == (None, VARIETIES)
    assert options["n_instances"] == 100
    assert options["population"] == Population(gap=0.3, setting=RELEASED)
    assert options["delta"] == 0.05
    assert (options["baseline_time"], options["max_steps"], options["seed"]) == (70, 77, 9)
    assert options["workers"] == 1


def test_the_command_names_every_user_there_is() -> None:
    words = command.__annotations__["user"].__metadata__[0].help
    assert all(variety.name in words for variety in VARIETIES)
