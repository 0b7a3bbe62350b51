"""The pages of the environments: picture, spaces and `gym.make`, then what the docstrings say."""

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import structure
from sphinx.application import Sphinx
from sphinx.util import logging

from explorative_user_env.envs.registration import ENTRIES, Entry
from extensions import reference, source
from extensions.places import fill

_log = logging.getLogger(__name__)

PACKAGE = structure.PACKAGE
N_ARMS, SEED, STEPS, NUM_ENVS = 5, 7, 400, 3


def page(env: Any, docname: str, name: str) -> Iterator[str]:
    """Yield all that is to be said of an environment."""
    told_of(env).add(name)
    yield from beginning(name)
    yield from sections(name)


def told_of(env: Any) -> set[str]:
    """Return the ids that pages tell of, which the build remembers."""
    if not hasattr(env, "environment_ids"):
        env.environment_ids = set()
    return env.environment_ids  # type: ignore[no-any-return]


def beginning(name: str) -> Iterator[str]:
    """Yield the picture, the table of what it is made with, and the first sentence."""
    one = gym.make(name, n_arms=N_ARMS, render_mode="svg", render_intervals=True)
    many = gym.make_vec(name, num_envs=NUM_ENVS, n_arms=N_ARMS)
    yield from (
        source.definition(f"{PACKAGE}.{ENTRIES[name].room}", ENTRIES[name].one).docstring.split(
            "\n\n"
        )[0],
        "",
    )
    yield from ("````{raw} html", f'<div class="picture">{picture(one)}</div>', "````", "")
    yield from (f"| | of {N_ARMS} arms |", "| :--- | :--- |")
    yield f"| Action space | `{one.action_space}` |"
    yield f"| Observation space | `{_short(one.observation_space)}` |"
    yield f'| Made by | `gym.make("{name}")` |'
    yield f"| Action space of {NUM_ENVS} users | `{many.action_space}` |"
    yield f"| Observation space of {NUM_ENVS} users | `{_short(many.observation_space)}` |"
    yield f'| Made by | `gym.make_vec("{name}", num_envs={NUM_ENVS})` |'
    yield ""
    one.close()
    many.close()


def _short(space: "gym.Space[object]") -> str:
    """Return a space as it is written, without the bounds of each number."""
    if isinstance(space, gym.spaces.Box):
        low, high = space.low.min(), space.high.max()
        return f"Box({low:g}, {high:g}, {space.shape}, {space.dtype})"
    return str(space)


def picture(env: "gym.Env[object, object]") -> str:
    """Return the environment as SVG after its last rejection among some steps."""
    env.reset(seed=SEED)
    drawn, rejections = env.render(), 0
    for step in range(STEPS):
        info = env.step(step % N_ARMS)[-1]
        if info["rejections"] > rejections:
            drawn, rejections = env.render(), info["rejections"]
    return str(drawn)


def sections(name: str) -> Iterator[str]:
    """Yield what the docstrings say of one user and of many, and their methods."""
    entry: Entry = ENTRIES[name]
    one = source.definition(f"{PACKAGE}.{entry.room}", entry.one)
    yield one.docstring.partition("\n\n")[2]
    yield from ("", "## One user", "")
    yield from reference.entry(PACKAGE, one, one.docstring.split("\n\n")[0])
    yield from ("", "## Many users", "")
    many = source.definition(f"{PACKAGE}.{entry.room_of_many}", entry.many)
    yield from reference.entry(PACKAGE, many)


def every_id_has_a_page(app: Sphinx, env: object) -> None:
    """Warn of registered environments without a page."""
    for name in sorted({*ENTRIES} - told_of(env)):
        _log.warning("no page tells of the environment %s", name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is done to pages."""
    fill(app, "environment", page, lambda: source.modules(source.ROOT).values())
    app.connect("env-check-consistency", every_id_has_a_page)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
