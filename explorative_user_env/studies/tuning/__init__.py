"""The paper's open question, by measurement: how short BAIR's Phase 1 can be."""

from explorative_user_env.studies.tuning.n1 import Tuning, tune_n1
from explorative_user_env.studies.tuning.records import TunedAgent, TunedN1, load_tuned
from explorative_user_env.studies.tuning.search import Candidate, NoneFoundError

__all__ = [
    "Candidate",
    "NoneFoundError",
    "TunedAgent",
    "TunedN1",
    "Tuning",
    "load_tuned",
    "tune_n1",
]
