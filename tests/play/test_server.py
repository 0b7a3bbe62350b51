"""Each address has its answer, which tells nothing of the truth, to this machine alone."""

import asyncio
import re
import signal
import sys
import webbrowser
from html import escape
from urllib.parse import urlencode

import httpx
import pytest
from page_server import check_end, started

from explorative_user_env.play import game as words
from explorative_user_env.play import page as serving
from explorative_user_env.play.game import Game, game_of, instance_at_end, log_of, pairs_in
from explorative_user_env.validation import InvalidArgumentError

GAME = "n_arms=3&gap=2&seed=7"
HOST = "http://127.0.0.1:8421"


def get(place, *, follows=True, method="GET", **headers):
    """Ask the page's application, in this process."""
    transport = httpx.ASGITransport(app=serving.application())

    async def asked():
        async with httpx.AsyncClient(transport=transport, base_url=HOST) as client:
            return await client.request(method, place, headers=headers, follow_redirects=follows)

    return asyncio.run(asked())


def sent_to(place):
    """Where a browser that asks for a place is sent."""
    answer = get(place, follows=False)
    assert answer.status_code == 303
    return answer.headers["location"]


def test_every_answer_is_guarded_and_fetches_nothing_from_elsewhere():
    for place in (
        *("/", "/colours.css", "/static/page.css", "/static/page.js", "/static/icon.svg"),
        f"/play?{GAME}&moves=0.1x30.2",
        f"/play?{GAME}&moves=0.1&answer=1",
        f"/mind?{GAME}&moves=0.1x30.2&guesses={'y' * 31}n",
        f"/mind?{GAME}&by=you&asked=2",
        *("/play?seed=x", "/nowhere"),
    ):
        answer = get(place)
        assert "set-cookie" not in answer.headers
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'self';")
        assert not re.search(r"unsafe|http|\*", policy)
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        text = answer.text.replace(HOST, "").replace("http://www.w3.org/2000/svg", "")
        assert "//" not in re.sub(r"(?m)^\s*//.*$|; // .*$", "", text)  # but in comments
        assert not re.search("style=|onclick", text)  # which the policy would not let


def test_a_page_by_another_name_is_somebody_elses_and_only_reading_is_answered():
    for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost.evil"):
        answer = get(f"/play?{GAME}", host=host)
        assert (answer.status_code, "arm" in answer.text) == (400, False)
    assert get("/", host="localhost:8421").status_code == 200
    assert get(f"/play?{GAME}", method="POST").status_code == 405


def test_a_new_game_gets_a_seed_and_an_address():
    seeds = set()
    for _ in range(3):
        place, _, query = sent_to("/new?n_arms=3&gap=2&seed=&noise=0").partition("?")
        game = game_of(pairs_in(query))
        assert (place, game.options) == ("/play", {"n_arms": 3, "gap": 2.0})
        assert 0 <= game.seed < words.SURPRISES
        seeds.add(game.seed)
    assert len(seeds) > 1
    assert sent_to("/new?n_arms=3&gap=2&seed=7&mode=mind") == f"/mind?{GAME}"


def test_a_recommendation_is_an_address_that_has_it_too():
    query, game = GAME, Game(options={"n_arms": 3, "gap": 2.0}, seed=7)
    for more in ("0", "1x10", "2x10", "0", "0x10"):
        answer = get(f"/recommend?{query}&more={more}")
        query = str(answer.url).partition("?")[2]
        arm, _, times = more.partition("x")
        game = game.recommending((int(arm),) * int(times or 1))
        log = log_of(game)
        assert query == f"{GAME}&moves={words.moves_as_text(game.moves)}"
        assert words.response_in_words(int(arm), log.responses[-1]) in answer.text
        assert f'value="{HOST}/play?{escape(query)}"' in answer.text
    assert not all(log_of(game).responses)
    assert get(f"/play?{query}").text == answer.text
    revealed = get(f"/play?{query}&answer=1").text
    means = [f"{mean:.2f}" for mean in instance_at_end(game).means]
    for told in (*means, "you", "BAIR", "T&amp;S"):
        assert f"<td>{told}</td>" in revealed or f'<th scope="row">{told}</th>' in revealed
    assert revealed.count("<blockquote>") == 1


def test_what_is_guessed_and_slid_is_in_the_address():
    asked = f"/mind?{GAME}&by=you&asked=2"
    assert sent_to(f"/mind/recommend?{GAME}&by=you&more=2") == asked
    told = f"/mind?{GAME}&moves=2&guesses=n&by=you"
    assert sent_to(f"/mind/guess?{GAME}&by=you&asked=2&guess=n") == told
    assert "0 of 1 predictions right" in get(told).text
    place = "/mind/slide?n_arms=3&seed=7&moves=2&gap=1&alpha=0.5&noise=0.1&rho=1.5"
    after_slide = "/mind?n_arms=3&alpha=0.5&gap=1&noise=0.1&rho=1.5&seed=7&moves=2"
    assert sent_to(place) == after_slide
    assert "rho" not in sent_to(f"{place}&follow=1.5")


def test_a_shared_address_is_opened_here():
    for address, place in (
        (f"http://127.0.0.1:1/play?{GAME}&moves=0", f"/play?{GAME}&moves=0"),
        (f"?{GAME}&moves=0x1.0", f"/play?{GAME}&moves=0x2"),
        (f" http://127.0.0.1:1/mind?{GAME}#main\n", f"/mind?{GAME}"),
        (f"{GAME}&asked=1", f"/mind?{GAME}&asked=1"),
        ("https://evil.example/play?seed=7", "/play?seed=7"),
    ):
        assert sent_to(f"/open?{urlencode({'address': address})}") == place


def test_a_bad_address_is_one_line_on_a_page():
    for place in (
        *("/play", "/play?seed=7&answer=%3Cscript%3E", "/play?%3Cb%3E=1", "/play?" + "a" * 30_000),
        *("/mind?seed=7&answer=1", "/mind/guess?seed=7&guess=y", "/recommend?seed=7&more=0x2001"),
        *("/recommend?seed=7&answer=1&more=0", "/mind/recommend?seed=7&by=you&more=0.0"),
        *("/new?n_arms=99", "/new?mode=sleep", "/open"),
    ):
        answer = get(place)
        assert answer.status_code == 400
        (line,) = re.findall(r'<p class="response" data-said>(.+)</p>', answer.text)
        assert " must be " in line
        assert not re.search("<script>|<b>", line)
    for place in ("nowhere", "static/no.js", "static/../page.py", "static/%2e%2e/page.py"):
        assert get(f"/{place}").status_code == 404


def answers(game):
    """Yield all that a player is sent on the way to where a game is, and there."""
    for done, arm in enumerate((*game.moves, 0)):
        so_far = Game(options=game.options, seed=game.seed, moves=game.moves[:done])
        query = words.query_of(words.pairs_of(so_far))
        for place in (f"/play?{query}", f"/recommend?{query}&more={arm}"):
            answer = get(place, follows=False)
            assert answer.status_code in (200, 303)
            yield f"{answer.headers.raw}\n{answer.text}".replace(str(game.seed), "SEED")


@pytest.mark.slow
def test_users_who_answer_alike_are_not_told_apart():
    for options, moves in (
        ({"n_arms": 2}, (0, 1, 0, 1, 1, 0)),
        ({"n_arms": 3, "gap": 2.0}, (1, 1, 0, 0, 1)),
        ({"behaviour": "logistic"}, (0, 0, 1)),
    ):
        known = {}
        for seed in range(100_000, 100_400):  # all of one length, which a page could show
            game = Game(options=options, seed=seed, moves=moves)
            other = known.setdefault(log_of(game).responses, game)
            if instance_at_end(other).best_arm != instance_at_end(game).best_arm:
                break
        else:
            raise AssertionError("there are none")
        assert [*answers(game)] == [*answers(other)]


@pytest.mark.slow
def test_an_interrupt_ends_it_in_order_though_somebody_is_connected():
    server, address = started("--seed", "7")
    assert address.endswith("/play?gap=2&seed=7")
    with httpx.Client() as browser:
        assert browser.get(address, timeout=60).status_code == 200
        server.send_signal(signal.SIGINT)
        check_end(server)


def test_it_listens_to_this_machine_alone_at_a_port_that_is_free(monkeypatch):
    with serving._listening(0) as taken:
        host, port = taken.getsockname()
        assert host == "127.0.0.1"
        for wrong, told in ((port, "free "), (-1, "an"), (65536, "an"), (True, "")):
            with pytest.raises(InvalidArgumentError, match=f"port must be {told}"):
                serving.serve(wrong, print)
        monkeypatch.setattr(serving, "USUAL_PORT", port)
        with serving._listening(None) as another:  # the usual one, or else any
            assert another.getsockname()[0] == "127.0.0.1"


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
