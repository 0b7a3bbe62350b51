"""What stands in a module of one's own, by the words of a command line, as `my_module:MyAgent`."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from explorative_user_env.protocol import Agent
from explorative_user_env.validation import InvalidArgumentError


def found_at(place: str) -> Any:
    """Return what stands at `module:name`; whatever goes wrong there is raised as it is.

    The module is imported as Python does it, from the working folder first.
    """
    module, _, name = place.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # and stays there, for worker processes
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def agent_at(place: str, *others: type) -> Any:
    """Return the agent at `module:name`, which is one, or a class or function that makes one.

    Args:
        place: where it stands.
        others: what else it may be.

    Raises:
        InvalidArgumentError: saying why there is no agent.
    """
    try:
        found = found_at(place)
        is_one = not isinstance(found, type) and isinstance(found, (Agent, *others))
        made = found if is_one else found()
    except Exception as error:  # whatever is wrong in someone's own code
        allowed = f"module:Class that can be imported and made ({type(error).__name__}: {error})"
        raise InvalidArgumentError("agent", place, allowed) from error
    if not isinstance(made, (Agent, *others)):
        allowed = "module:Class with the methods reset, act, observe and answer"
        raise InvalidArgumentError("agent", place, allowed)
    return made
