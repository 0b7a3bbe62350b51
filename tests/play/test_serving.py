"""The page is for this machine alone, is there when it says so, and ends when it is told to."""

import os
import signal
import socket
import sys
import webbrowser
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the page needs the extra play")
httpx = pytest.importorskip("httpx", reason="pages are asked for with httpx")

from page_server import address_of, started

from explorative_user_env import commands
from explorative_user_env.play import page as serving
from explorative_user_env.validation import InvalidArgumentError


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_in_order_though_somebody_is_connected(sent: signal.Signals) -> None:
    server = started("--port", "0", "--seed", "7")
    address = address_of(server)
    assert address.endswith("/play?gap=2&seed=7")
    with httpx.Client() as browser:
        assert browser.get(address).status_code == 200
        server.send_signal(sent)
        printed, errors = server.communicate(timeout=60)
    assert (server.returncode, errors) == (0, "")
    assert printed.splitlines()[-1].startswith("The page is closed.")


@pytest.mark.slow
def test_a_port_that_is_taken_is_refused_in_one_line() -> None:
    with socket.socket() as other:
        other.bind((serving.LOOPBACK, 0))
        other.listen()
        port = other.getsockname()[1]
        printed, errors = (server := started("--port", str(port))).communicate(timeout=60)
    assert (server.returncode, printed) == (2, "")
    assert errors.startswith("error: --port must be free (")
    assert errors.count("\n") == 1


def test_it_listens_to_this_machine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for port in (0, None):
        with serving._listening(port) as heard:
            assert heard.getsockname()[0] == "127.0.0.1"
    with serving._listening(0) as taken:
        monkeypatch.setattr(serving, "USUAL_PORT", taken.getsockname()[1])
        with serving._listening(None) as another:  # the usual one, or else any
            assert another.getsockname()[1] != serving.USUAL_PORT


@pytest.mark.parametrize("port", [-1, 65536, True])
def test_what_is_no_port_is_refused(port: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"port must be an integer in 0\.\.65535"):
        serving.serve(port, print)


def test_without_the_extra_one_line_names_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "explorative_user_env.play.page", None)  # nobody imports it
    monkeypatch.setattr("explorative_user_env.validation.find_spec", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["explorative-user", "play"])
    with pytest.raises(SystemExit, match="2"):
        commands.main()
    told = capsys.readouterr().err
    assert told.startswith("error: the page needs jinja2 and starlette and uvicorn: pip install")


def test_no_browser_is_opened_where_there_is_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def shown(page: str) -> bool:
        opened.append(page)
        return True

    monkeypatch.setattr(webbrowser, "open", shown)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not serving.open_browser("page")
    monkeypatch.setitem(os.environ, "DISPLAY", ":0")
    assert serving.open_browser("page")
    assert opened == ["page"]

    def none(page: str) -> bool:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "open", none)
    assert not serving.open_browser("page")
