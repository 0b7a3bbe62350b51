"""Where the pair of the lower bound's proof was; it is in `explorative_user_env.theory` now."""

import sys
import warnings

from explorative_user_env import theory

warnings.warn(
    "explorative_user_env.hard_instances is in explorative_user_env.theory now",
    DeprecationWarning,
    stacklevel=2,
)
sys.modules[__name__] = theory
