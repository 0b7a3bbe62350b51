"""What a reset may be told of its episode alone."""

from collections.abc import Mapping
from typing import Any

from explorative_user_env.users.instances import InstanceLaw
from explorative_user_env.validation import InvalidArgumentError, choice


def law_of(options: Mapping[str, Any], usual: InstanceLaw) -> InstanceLaw:
    """Return where a reset with these options takes its instance from.

    Args:
        options: `{"means": K finite numbers}`, or nothing.
        usual: where instances come from if nothing is said.

    Raises:
        InvalidArgumentError: for an option that is unknown or out of range.
    """
    if not isinstance(options, Mapping):
        raise InvalidArgumentError("options", options, 'a dict, as {"means": [0.5, 1.0]}')
    if not options:
        return usual
    for name in options:
        choice("options key", name, ("means",))
    means = options["means"]
    if isinstance(means, str) or callable(means):
        raise InvalidArgumentError("means", means, "numbers, one for each arm")
    return InstanceLaw(usual.n_arms, means, within=usual.within)
