"""Each address has its answer, which tells nothing of the truth, to this machine alone."""

import re
import signal
import socket
import sys
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from html import escape
from urllib.parse import urlencode

import httpx
import pytest
from page_client import HOST
from page_server import address_of, started

from explorative_user_env.play import game as rivals
from explorative_user_env.play import page as serving
from explorative_user_env.play.game import (
    SURPRISES,
    Game,
    game_of,
    heard_in,
    instance_at_end,
    moves_as_text,
    pairs_in,
    pairs_of,
    query_of,
    response_in_words,
)
from explorative_user_env.validation import InvalidArgumentError

GAME = "n_arms=3&gap=2&seed=7"


@pytest.fixture(autouse=True)
def _no_model_is_loaded(monkeypatch):
    monkeypatch.setattr(rivals, "shipped_for", lambda *asked, **users: None)


def test_every_answer_is_guarded_and_fetches_nothing_from_elsewhere(client):
    for place in (
        *("/", "/colours.css", "/static/page.css", "/static/page.js", "/static/icon.svg"),
        f"/play?{GAME}&moves=0.1x30.2",
        f"/play?{GAME}&moves=0.1&answer=1",
        f"/mind?{GAME}&moves=0.1x30.2&guesses={'y' * 31}n",
        f"/mind?{GAME}&by=you&asked=2",
        *("/play?seed=x", "/nowhere"),
    ):
        answer = client.get(place)
        assert "set-cookie" not in answer.headers
        policy = answer.headers["content-security-policy"].split("; ")
        assert policy[0] == "default-src 'self'"
        assert not any("unsafe" in part or "http" in part or "*" in part for part in policy)
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        text = answer.text.replace(HOST, "").replace("http://www.w3.org/2000/svg", "")
        assert "//" not in re.sub(r"(?m)^\s*//.*$|; // .*$", "", text)  # but in comments
        assert not re.search("style=|onclick", text)  # which the policy would not let


def test_a_page_by_another_name_is_somebody_elses_and_only_reading_is_answered(client):
    for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost.evil"):
        answer = client.get(f"/play?{GAME}", host=host)
        assert answer.status_code == 400
        assert "arm" not in answer.text
    assert client.get("/", host="localhost:8421").status_code == 200
    for method in ("POST", "PUT", "DELETE"):
        assert client.get(f"/play?{GAME}", method=method).status_code == 405


def test_a_new_game_gets_a_seed_and_an_address(client):
    seeds = set()
    for _ in range(3):
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


def test_a_recommendation_is_an_address_that_has_it_too(client):
    query, game = GAME, Game(options={"n_arms": 3, "gap": 2.0}, seed=7)
    for more in ("0", "1x10", "2x10", "0", "0x10"):
        answer = client.get(f"/recommend?{query}&more={more}")
        query = str(answer.url).partition("?")[2]
        arm, _, times = more.partition("x")
        game = game.recommending((int(arm),) * int(times or 1))
        heard = heard_in(game)
        assert query == f"{GAME}&moves={moves_as_text(game.moves)}"
        assert response_in_words(int(arm), heard.responses[-1]) in answer.text
        assert f'value="{HOST}/play?{escape(query)}"' in answer.text
    assert not all(heard_in(game).responses)
    assert client.get(f"/play?{query}").text == answer.text


def test_the_reveal_has_the_truth_the_agents_and_a_moral(client):
    query = f"{GAME}&moves=0x5.1x5.2x5"
    text = client.get(f"/play?{query}&answer=1").text
    means = [f"{mean:.2f}" for mean in instance_at_end(game_of(pairs_in(query))).means]
    for told in (*means, *("you", "BAIR", "T&amp;S")):
        assert f"<td>{told}</td>" in text or f'<th scope="row">{told}</th>' in text
    assert text.count("<blockquote>") == 1


def test_what_is_guessed_and_slid_is_in_the_address(client):
    asked = client.get(f"/mind/recommend?{GAME}&by=you&more=2", follows=False).headers["location"]
    assert asked == f"/mind?{GAME}&by=you&asked=2"
    told = client.get(f"/mind/guess?{GAME}&by=you&asked=2&guess=n", follows=False)
    assert told.headers["location"] == f"/mind?{GAME}&moves=2&guesses=n&by=you"
    assert "0 of 1 foretold" in client.get(told.headers["location"]).text
    place = "/mind/slide?n_arms=3&seed=7&moves=2&gap=1&alpha=0.5&noise=0.1&rho=1.5"
    slid = client.get(place, follows=False).headers["location"]
    assert slid == "/mind?n_arms=3&alpha=0.5&gap=1&noise=0.1&rho=1.5&seed=7&moves=2"
    assert "rho" not in client.get(f"{place}&follow=1.5", follows=False).headers["location"]


def test_a_shared_address_is_opened_here(client):
    for address, place in (
        (f"http://127.0.0.1:1/play?{GAME}&moves=0", f"/play?{GAME}&moves=0"),
        (f"?{GAME}&moves=0x1.0", f"/play?{GAME}&moves=0x2"),
        (f" http://127.0.0.1:1/mind?{GAME}#main\n", f"/mind?{GAME}"),
        (f"{GAME}&asked=1", f"/mind?{GAME}&asked=1"),
        ("https://evil.example/play?seed=7", "/play?seed=7"),
    ):
        answer = client.get(f"/open?{urlencode({'address': address})}", follows=False)
        assert answer.headers["location"] == place


def test_a_bad_address_is_one_line_on_a_page(client):
    for place in (
        *("/play", "/play?seed=7&moves=9", "/play?%3Cb%3E=1", "/play?" + "a" * 30_000),
        "/play?seed=7&answer=%3Cscript%3E",
        *("/mind?seed=7&answer=1", "/mind/guess?seed=7&guess=y"),
        *("/recommend?seed=7&more=0x2001", "/recommend?seed=7&answer=1&more=0"),
        *("/new?n_arms=99", "/new?mode=sleep", "/open"),
    ):
        answer = client.get(place)
        assert answer.status_code == 400
        (line,) = re.findall(r'<p class="response" data-said>(.+)</p>', answer.text)
        assert " must be " in line
        assert not re.search("<script>|<b>", line)
    for place in ("nowhere", "static/no.js", "static/../page.py", "static/%2e%2e/page.py"):
        assert client.get(f"/{place}").status_code == 404


def test_many_players_at_once_have_each_a_user_of_their_own(client):
    def page(seed):
        return client.get(f"/play?gap=2&seed={seed}&moves=0x30.1x30.2x30").text

    alone = [page(seed) for seed in range(4)]
    assert len({re.sub("seed.{1,9}", "", text) for text in alone}) == 4
    with ThreadPoolExecutor(8) as threads:
        assert [*threads.map(page, [*range(4)] * 4)] == alone * 4


def alike(options, moves):
    """Return two games with users who answer alike, though they like other arms."""
    known = {}
    for seed in range(100_000, 100_400):  # of one length, so that one stands where another stood
        game = Game(options=options, seed=seed, moves=moves)
        other = known.setdefault(heard_in(game).responses, game)
        if instance_at_end(other).best_arm != instance_at_end(game).best_arm:
            return other, game
    raise AssertionError("there are none")


def answers(client, game):
    """Yield all that a player is sent on the way to where a game is, and there."""
    for done, arm in enumerate((*game.moves, None)):
        so_far = Game(options=game.options, seed=game.seed, moves=game.moves[:done])
        query = query_of(pairs_of(so_far))
        for place in (f"/play?{query}", f"/recommend?{query}&more={arm or 0}"):
            answer = client.get(place, follows=False)
            assert answer.status_code in (200, 303)
            yield f"{answer.headers.raw}\n{answer.text}".replace(str(game.seed), "SEED")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "moves"),
    [
        ({"n_arms": 2}, (0, 1, 0, 1, 1, 0)),
        ({"n_arms": 3, "gap": 2.0}, (1, 1, 0, 0, 1)),
        ({"behaviour": "logistic"}, (0, 0, 1)),
    ],
)
def test_users_who_answer_alike_are_not_told_apart(client, options, moves):
    one, other = alike(options, moves)
    assert [*answers(client, one)] == [*answers(client, other)]


@pytest.mark.slow
def test_an_interrupt_ends_it_in_order_though_somebody_is_connected():
    server = started("--port", "0", "--seed", "7")
    address = address_of(server)
    assert address.endswith("/play?gap=2&seed=7")
    with httpx.Client() as browser:
        assert browser.get(address, timeout=60).status_code == 200
        server.send_signal(signal.SIGINT)
        printed, errors = server.communicate(timeout=60)
    assert (server.returncode, errors) == (0, "")
    assert printed.splitlines()[-1].startswith("The page is closed.")


def test_a_port_that_is_taken_or_is_none_is_refused():
    with socket.create_server((serving.LOOPBACK, 0)) as other:
        for port, told in (
            (other.getsockname()[1], "free "),
            (-1, "an"),
            (65536, "an"),
            (True, ""),
        ):
            with pytest.raises(InvalidArgumentError, match=f"port must be {told}"):
                serving.serve(port, print)


def test_it_listens_to_this_machine_alone(monkeypatch):
    for port in (0, None):
        with serving._listening(port) as heard:
            assert heard.getsockname()[0] == "127.0.0.1"
    with serving._listening(0) as taken:
        monkeypatch.setattr(serving, "USUAL_PORT", taken.getsockname()[1])
        with serving._listening(None) as another:  # the usual one, or else any
            assert another.getsockname()[1] != serving.USUAL_PORT


def test_no_browser_is_opened_where_there_is_no_screen(monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda page: not opened.append(page))
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not serving.open_browser("page")
    monkeypatch.setenv("DISPLAY", ":0")
    assert serving.open_browser("page")
    assert opened == ["page"]
