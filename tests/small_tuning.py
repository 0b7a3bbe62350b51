"""The tuning that tests of several files look at: a cell in which it takes a moment."""

from typing import Any

USERS: dict[str, Any] = {"n_arms": 3, "delta": 0.2, "gap": 0.4, "setting": "released"}
SMALL: dict[str, Any] = USERS | {"n_instances": 600, "confirm": 80, "progress": False}
