"""Recommending to a user who is still learning what she likes.

Importing the package registers `ExplorativeUser-v0`, `ExplorativeUserCounts-v0`,
`ExplorativeUserBAI-v0` and `ExplorativePopulation-v0` with Gymnasium. The evaluation harness is
loaded when it is first used, so that the import itself stays light.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

# In a checkout `agents` is a link to the folder beside this one; where links cannot be, as on some
# Windows, a clone has a file there, and the folder is found through its parent.
if not (Path(__file__).parent / "agents").is_dir():
    __path__.append(str(Path(__file__).parents[1]))

from explorative_user_env.envs.bai import ExplorativeUserBAIEnv, ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.population import (
    ExplorativePopulationEnv,
    ExplorativePopulationVectorEnv,
)
from explorative_user_env.envs.registration import (
    BAI_ENV_ID,
    COUNTS_ENV_ID,
    ENV_ID,
    POPULATION_ENV_ID,
    register_environments,
)
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv
from explorative_user_env.protocol import Against, Agent, Algorithm, ManyUserAgent, OneUserAtATime
from explorative_user_env.runs.episodes import Episode
from explorative_user_env.runs.loop import rollout
from explorative_user_env.users.behaviours import Behaviour, register_behaviour
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance, InstanceLaw
from explorative_user_env.users.laws import (
    RewardLaw,
    Schedule,
    register_reward_law,
    register_schedule,
)
from explorative_user_env.users.population import Population
from explorative_user_env.users.settings import PRINTED, RELEASED, Setting
from explorative_user_env.validation import CallableError, InvalidArgumentError
from explorative_user_env.version import __version__
from explorative_user_env.wrappers.make import counts_env, counts_vector_env
from explorative_user_env.wrappers.policy_agent import PolicyAgent

if TYPE_CHECKING:
    from explorative_user_env.check.verify import Verification, verify
    from explorative_user_env.evaluation import Results, Sweep, evaluate, load, sweep

__all__ = [
    "BAI_ENV_ID",
    "COUNTS_ENV_ID",
    "ENV_ID",
    "POPULATION_ENV_ID",
    "PRINTED",
    "RELEASED",
    "Against",
    "Agent",
    "Algorithm",
    "Behaviour",
    "CallableError",
    "Episode",
    "ExplorativePopulationEnv",
    "ExplorativePopulationVectorEnv",
    "ExplorativeUserBAIEnv",
    "ExplorativeUserBAIVectorEnv",
    "ExplorativeUserEnv",
    "ExplorativeUserVectorEnv",
    "HiddenState",
    "Instance",
    "InstanceLaw",
    "InvalidArgumentError",
    "ManyUserAgent",
    "OneUserAtATime",
    "PolicyAgent",
    "Population",
    "Results",
    "RewardLaw",
    "Schedule",
    "Setting",
    "Sweep",
    "Verification",
    "__version__",
    "counts_env",
    "counts_vector_env",
    "evaluate",
    "load",
    "register_behaviour",
    "register_reward_law",
    "register_schedule",
    "rollout",
    "sweep",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in ("Results", "Sweep", "evaluate", "load", "sweep"):
        room = import_module(f"{__name__}.evaluation")
    elif name in ("Verification", "verify"):
        room = import_module(f"{__name__}.check.verify")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(room, name)  # found without a call from now on
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


register_environments()
