"""The teacher's key, and the hidden users that follow from it."""

import hmac
import json
from pathlib import Path

from explorative_user_env.protocol import Task
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError

VARIABLE = "EXPLORATIVE_USER_KEY"
"""The environment variable that may hold the key."""

HIDDEN_USERS = 200
"""How many there are where nothing else is said."""

USUAL_CAP = 20_000
"""The step cap of a run: an agent that never stops is censored there, and meets the next user."""

SHORTEST = 16
"""Characters of a key that nobody finds by trying."""


class Key:
    """A teacher's secret, which is never written: neither in a message nor in a file.

    Args:
        secret: any text but an empty one; the same gives the same users to all.

    Raises:
        InvalidArgumentError: if it is empty.
    """

    def __init__(self, secret: str) -> None:
        if not secret.strip():
            raise InvalidArgumentError("key", "", "a text that is not empty")
        self._secret = secret.strip().encode()

    def __repr__(self) -> str:
        return "Key(...)"

    @property
    def is_short(self) -> bool:
        """Whether somebody may find it by trying."""
        return len(self._secret) < SHORTEST

    def seed(self, task: Task, population: Population, delta: float) -> int:
        """Return the seed of the hidden users of a cell: HMAC-SHA256 of what the cell is.

        Args:
            task: what agents are asked for.
            population: who the users are.
            delta: the allowed probability of a wrong answer.
        """
        cell = {"task": task.name, "delta": delta, **population.words()}
        told = json.dumps(cell, sort_keys=True, default=str).encode()
        return int.from_bytes(hmac.digest(self._secret, told, "sha256"))

    def text(self) -> str:
        """Return the secret, for the one file that it is handed on in."""
        return self._secret.decode()


def key_from(given: str | None, file: Path | None, variable: str | None) -> Key:
    """Return the key from wherever it is given: said, in a file, or in the environment.

    Raises:
        InvalidArgumentError: if it is given in no way or in two, or its file cannot be read.
    """
    if given is not None and file is not None:
        raise InvalidArgumentError("key_file", str(file), "left out beside --key")
    if file is not None:
        try:
            return Key(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise InvalidArgumentError(
                "key_file", str(file), f"a file with the key ({why})"
            ) from None
    secret = variable if given is None else given
    if not secret:
        allowed = f"given, by --key, --key-file or the variable {VARIABLE}"
        raise InvalidArgumentError("key", None, allowed)
    return Key(secret)
