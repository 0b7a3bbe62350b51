"""The functions of the theory, by name."""

import inspect

from explorative_user_env.theory import lower, upper

INSIDE = ("exponent_loss", "log_lower_bound", "unique_gap")

FUNCTIONS = {
    name: thing
    for module in (lower, upper)
    for name, thing in vars(module).items()
    if inspect.isfunction(thing)
    and thing.__module__ == module.__name__
    and not name.startswith("_")
    and name not in INSIDE
}
