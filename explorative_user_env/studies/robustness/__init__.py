"""How agents fare with users who are not the paper's: success and stopping time, agents by users.

Only the user changes from one column to the next; each agent is told what it would be told of her
anyway (alpha, rho_0 and whether there is click noise), and nothing of her behaviour.
"""

from explorative_user_env.studies.robustness.matrix import (
    MAX_STEPS,
    default_agents,
    kept_matrix,
    robustness,
)
from explorative_user_env.studies.robustness.tables import (
    NOTES,
    heat_map,
    matrix_page,
    matrix_table,
    notes_of,
    title_of_matrix,
)
from explorative_user_env.studies.robustness.varieties import (
    VARIETIES,
    Variety,
    varieties_named,
)

__all__ = [
    "MAX_STEPS",
    "NOTES",
    "VARIETIES",
    "Variety",
    "default_agents",
    "heat_map",
    "kept_matrix",
    "matrix_page",
    "matrix_table",
    "notes_of",
    "robustness",
    "title_of_matrix",
    "varieties_named",
]
