"""Each address has its answer, whoever asks; nobody else is asked, and nothing is kept."""

import re
import threading

import pytest
from page_client import HOST, PageClient

from explorative_user_env.display.plots import COLOURS
from explorative_user_env.play import game as rivals
from explorative_user_env.play.game import (
    PLAYED,
    SURPRISES,
    Game,
    game_of,
    heard_in,
    moves_as_text,
    pairs_in,
    response_in_words,
)

GAME = "n_arms=3&gap=2&seed=7"
PLACES = (
    "/",
    "/colours.css",
    "/static/page.css",
    "/static/page.js",
    "/static/icon.svg",
    f"/play?{GAME}",
    f"/play?{GAME}&moves=0.1x30.2",
    f"/play?{GAME}&moves=0.1&answer=1",
    f"/mind?{GAME}&moves=0.1x30.2&guesses={'y' * 31}n",
    f"/mind?{GAME}&by=you&asked=2",
    "/play?seed=x",
    "/nowhere",
)


@pytest.fixture(autouse=True)
def _no_model_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "shipped_for", lambda *asked, **users: None)


@pytest.mark.parametrize("place", PLACES)
def test_every_answer_is_guarded_and_sets_no_cookie(client: PageClient, place: str) -> None:
    headers = client.get(place).headers
    assert "set-cookie" not in headers
    policy = headers["content-security-policy"].split("; ")
    assert policy[0] == "default-src 'self'"
    assert not any("unsafe" in part or "http" in part or "*" in part for part in policy)
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_fetched_from_elsewhere(client: PageClient, place: str) -> None:
    text = client.get(place).text.replace(HOST, "").replace("http://www.w3.org/2000/svg", "")
    assert "//" not in re.sub(r"(?m)^\s*//.*$|; // .*$", "", text)  # but in comments of the script
    assert "style=" not in text  # which the policy would not let
    assert "onclick" not in text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil"])
def test_a_page_by_another_name_is_somebody_elses(client: PageClient, host: str) -> None:
    answer = client.get(f"/play?{GAME}", host=host)
    assert answer.status_code == 400
    assert "arm" not in answer.text
    assert client.get("/", host="localhost:8421").status_code == 200


def test_a_new_game_gets_a_seed_and_an_address(client: PageClient) -> None:
    seeds = set()
    for _ in range(5):
        answer = client.get("/new?n_arms=3&gap=2&seed=&noise=0", follows=False)
        assert answer.status_code == 303
        place, _, query = answer.headers["location"].partition("?")
        game = game_of(pairs_in(query))
        assert place == "/play"
        assert game.options == {"n_arms": 3, "gap": 2.0}
        assert 0 <= game.seed < SURPRISES
        seeds.add(game.seed)
    assert len(seeds) > 1
    mind = client.get("/new?n_arms=3&gap=2&seed=7&mode=mind", follows=False)
    assert mind.headers["location"] == f"/mind?{GAME}"


def test_the_first_form_begins_with_the_game_that_is_usual(client: PageClient) -> None:
    text = client.get("/").text
    for name, value in PLAYED.items():
        assert re.search(rf'name="{name}"[^>]* value="{value:g}"', text)


def test_a_recommendation_is_an_address_that_has_it_too(client: PageClient) -> None:
    query, game = GAME, Game(options={"n_arms": 3, "gap": 2.0}, seed=7)
    for more in ("0", "1x10", "2x10", "0", "0x10"):
        answer = client.get(f"/recommend?{query}&more={more}")
        query = str(answer.url).partition("?")[2]
        arm, _, times = more.partition("x")
        game = game.recommending((int(arm),) * int(times or 1))
        heard = heard_in(game)
        assert query == f"{GAME}&moves={moves_as_text(game.moves)}"
        assert response_in_words(int(arm), heard.responses[-1]) in answer.text
    assert not all(heard_in(game).responses)
    assert client.get(f"/play?{query}").text == answer.text


def test_the_reveal_has_the_truth_the_agents_and_a_moral(client: PageClient) -> None:
    text = client.get(f"/play?{GAME}&moves=0x5.1x5.2x5&answer=1").text
    env = game_of(pairs_in(f"{GAME}&moves=0x5.1x5.2x5"))
    from explorative_user_env.play.game import instance_at_end

    for mean in instance_at_end(env).means:
        assert f"<td>{mean:.2f}</td>" in text
    for name in ("you", "BAIR", "T&amp;S"):
        assert f'<th scope="row">{name}</th>' in text
    assert text.count("<blockquote>") == 1


def test_what_is_guessed_and_slid_is_in_the_address(client: PageClient) -> None:
    asked = client.get(f"/mind/recommend?{GAME}&by=you&more=2", follows=False).headers["location"]
    assert asked == f"/mind?{GAME}&by=you&asked=2"
    told = client.get(f"/mind/guess?{GAME}&by=you&asked=2&guess=n", follows=False)
    assert told.headers["location"] == f"/mind?{GAME}&moves=2&guesses=n&by=you"
    assert "0 of 1 foretold" in client.get(told.headers["location"]).text
    place = "/mind/slide?n_arms=3&seed=7&moves=2&gap=1&alpha=0.5&noise=0.1&rho=1.5"
    slid = client.get(place, follows=False).headers["location"]
    assert slid == "/mind?n_arms=3&alpha=0.5&gap=1&noise=0.1&rho=1.5&seed=7&moves=2"
    assert "rho" not in client.get(f"{place}&follow=1.5", follows=False).headers["location"]


@pytest.mark.parametrize(
    ("address", "place"),
    [
        (f"http://127.0.0.1:1/play?{GAME}&moves=0", f"/play?{GAME}&moves=0"),
        (f"{GAME}&moves=0x1.0", f"/play?{GAME}&moves=0x2"),
        (f"http://127.0.0.1:1/mind?{GAME}", f"/mind?{GAME}"),
        (f"{GAME}&asked=1", f"/mind?{GAME}&asked=1"),
        ("https://evil.example/play?seed=7", "/play?seed=7"),
    ],
)
def test_a_shared_address_is_opened_here(client: PageClient, address: str, place: str) -> None:
    import urllib.parse

    query = urllib.parse.urlencode({"address": address})
    assert client.get(f"/open?{query}", follows=False).headers["location"] == place


@pytest.mark.parametrize(
    "place",
    [
        "/play",
        "/play?seed=7&moves=9",
        "/play?seed=7&guesses=y",
        "/play?seed=7&answer=%3Cscript%3E",
        "/play?%3Cb%3E=1",
        "/mind?seed=7&answer=1",
        "/mind/guess?seed=7&guess=y",
        "/recommend?seed=7&more=0x2001",
        "/recommend?seed=7&answer=1&more=0",
        "/new?n_arms=99",
        "/new?mode=sleep",
        "/new?colour=red",
        "/open",
        "/open?address=nonsense",
        "/play?" + "a" * 30_000,
    ],
)
def test_a_bad_address_is_one_line_on_a_page(client: PageClient, place: str) -> None:
    answer = client.get(place)
    assert answer.status_code == 400
    (line,) = re.findall(r'<p class="response" data-said>(.+)</p>', answer.text)
    assert " must be " in line
    assert "<script>" not in line
    assert "<b>" not in line


def test_what_is_not_there_is_said(client: PageClient) -> None:
    outside = ("/static/../server.py", "/static/%2e%2e/game.py")
    for place in ("/nowhere", "/static/nothing.js", *outside):
        answer = client.get(place)
        assert answer.status_code == 404
        assert "There is nothing at this address." in answer.text


def test_only_reading_is_answered(client: PageClient) -> None:
    for method in ("POST", "PUT", "DELETE"):
        assert client.get(f"/play?{GAME}", method=method).status_code == 405


def test_many_players_at_once_have_each_a_user_of_their_own(client: PageClient) -> None:
    def query(seed: int) -> str:
        return f"/play?gap=2&seed={seed}&moves=0x30.1x30.2x30"

    alone = {seed: client.get(query(seed)).text for seed in range(8)}
    assert len({re.sub("seed.{1,9}", "", text) for text in alone.values()}) == 8
    found: dict[int, set[str]] = {seed: set() for seed in alone}

    def play(seed: int) -> None:
        for _ in range(5):
            found[seed].add(client.get(query(seed)).text)

    threads = [threading.Thread(target=play, args=(seed,)) for seed in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {seed: {text} for seed, text in alone.items()}


def test_the_page_has_the_colours_of_the_pictures(client: PageClient) -> None:
    sheet = client.get("/colours.css").text
    light, _, dark = sheet.partition("@media")
    for role, colour in COLOURS.items():
        assert re.search(rf"--eu-{role}:{colour.light}\b", light)
        assert re.search(rf"--eu-{role}:{colour.dark}\b", dark)
    used = set(re.findall(r"var\(--([\w-]+)\)", client.get("/static/page.css").text))
    assert used <= set(re.findall(r"--([\w-]+):", light))
    assert "eu-font" in used
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b", client.get("/static/page.css").text)
