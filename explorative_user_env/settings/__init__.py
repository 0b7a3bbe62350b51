"""The two settings: what the paper prints, and what its tables were made with.

The paper's text and the code its authors released differ in many small choices, and the choices
decide the tables. Each difference is one field of `Setting`, so that `dataclasses.replace` can
change one at a time. An agent's option left open (None) takes the value a setting has for it.
"""

from explorative_user_env.settings.differences import (
    COMPARED,
    DIFFERENCES,
    PRINTED,
    RELEASED,
    SETTINGS,
    as_setting,
    differences_of,
    name_in,
    title_of,
)
from explorative_user_env.settings.setting import Difference, Setting

__all__ = [
    "COMPARED",
    "DIFFERENCES",
    "PRINTED",
    "RELEASED",
    "SETTINGS",
    "Difference",
    "Setting",
    "as_setting",
    "differences_of",
    "name_in",
    "title_of",
]
