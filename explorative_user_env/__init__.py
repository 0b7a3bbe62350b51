"""Test systems that face a user who is still learning what she likes.

Importing the package registers `ExplorativeUser-v0`, `ExplorativeUserBAI-v0` and
`ExplorativePopulation-v0` with Gymnasium. The observation of these ids is one response. The ids
`ExplorativeUserCounts-v0`, `ExplorativeUserBAICounts-v0` and `ExplorativePopulationCounts-v0` are
the same tasks with an observation from which a policy can learn. `ExplorativeUserTiny-v0` is a task
with a known optimum. The evaluation harness is imported on first use, to keep this import fast.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

# In a checkout this folder has a symbolic link to `../agents`. Git on Windows may write a text file
# in place of the link. Python then finds `agents` in the parent folder.
if not (Path(__file__).parent / "agents").is_dir():
    __path__.append(str(Path(__file__).parents[1]))

from explorative_user_env.envs import (
    BAI_ENV_ID,
    COUNTS_ENV_ID,
    ENV_ID,
    POPULATION_ENV_ID,
    register_environments,
)
from explorative_user_env.envs.scores import SCORES
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv
from explorative_user_env.protocol import Agent, Algorithm
from explorative_user_env.runs.loop import Episode, rollout
from explorative_user_env.users.behaviours import Behaviour, register_behaviour
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.model import (
    RewardLaw,
    Schedule,
    register_reward_law,
    register_schedule,
)
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError
from explorative_user_env.version import __version__
from explorative_user_env.wrappers.observations import PolicyAgent

if TYPE_CHECKING:
    from explorative_user_env.check.verify import verify
    from explorative_user_env.evaluation import Results, evaluate, load, sweep

#: The range of expected returns in every environment, by its id (see `envs.scores.Scores`).
scores = SCORES

_LATER = {"verify": "check.verify"} | dict.fromkeys(
    ("Results", "evaluate", "load", "sweep"), "evaluation"
)

# fmt: off
__all__ = [
    "BAI_ENV_ID", "COUNTS_ENV_ID", "ENV_ID", "POPULATION_ENV_ID", "Agent", "Algorithm", "Behaviour",
    "Episode", "ExplorativeUserEnv", "ExplorativeUserVectorEnv", "Instance", "InvalidArgumentError",
    "PolicyAgent", "Population", "Results", "RewardLaw", "Schedule", "__version__", "evaluate",
    "load", "register_behaviour", "register_reward_law", "register_schedule", "rollout", "scores",
    "sweep", "verify",
]
# fmt: on


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


register_environments()
