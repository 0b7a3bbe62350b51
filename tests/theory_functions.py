"""The functions of the theory, by name."""

import inspect

from explorative_user_env import theory

INSIDE = ("exponent_loss", "log_lower_bound", "unique_gap")

FUNCTIONS = {
    name: thing
    for name, thing in vars(theory).items()
    if inspect.isfunction(thing)
    and thing.__module__ == theory.__name__
    and not name.startswith("_")
    and name not in INSIDE
}
