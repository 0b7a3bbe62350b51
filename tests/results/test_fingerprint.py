"""The fingerprint of the random streams: the same wherever runs are, another where a law is."""

import numpy as np
import pytest

from explorative_user_env.results import records as fingerprint
from explorative_user_env.results.records import stream_fingerprint
from explorative_user_env.users.instances import LAWS
from explorative_user_env.users.model import REWARD_LAWS


def draws_with(monkeypatch: pytest.MonkeyPatch, of: str, another: object) -> str:
    """Return the fingerprint with something else in the place of what it draws by."""
    monkeypatch.setattr(fingerprint, of, another)
    return stream_fingerprint.__wrapped__()


def test_it_is_that_of_the_streams_that_published_runs_rest_on() -> None:
    assert stream_fingerprint() == "bcabb15af166dc63"


def test_another_rule_of_seeds_has_another(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = draws_with(monkeypatch, "user_seeds", lambda seed, n: [seed + 1] * n)
    assert moved != stream_fingerprint()


def test_another_stream_of_agents_has_another(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = draws_with(monkeypatch, "agent_generator", lambda *_: np.random.default_rng(1))
    assert moved != stream_fingerprint()


@pytest.mark.parametrize("name", [*LAWS, *REWARD_LAWS, "beta", "integers"])
def test_every_law_counts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    drawn = [
        (of, value * (1 + 1e-6) + 1e-6 if of == name else value)
        for of, value in fingerprint._first_draws()
    ]
    assert name in {of for of, _ in drawn}
    assert draws_with(monkeypatch, "_first_draws", lambda: iter(drawn)) != stream_fingerprint()


def test_the_last_bits_of_a_processor_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [
        (name, value if isinstance(value, int | np.integer) else value * (1 + 2**-52))
        for name, value in fingerprint._first_draws()
    ]
    assert draws_with(monkeypatch, "_first_draws", lambda: iter(drawn)) == stream_fingerprint()
