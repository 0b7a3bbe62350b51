import pytest
from small_tuning import SMALL

from explorative_user_env.studies import tuning as trials
from explorative_user_env.studies.tuning import Tuning, tune_n1

FEW = 40


@pytest.fixture(autouse=True)
def few_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "FRONTIER_USERS", FEW)


@pytest.fixture(scope="session")
def tuning() -> Tuning:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trials, "FRONTIER_USERS", FEW)
        found = tune_n1(**SMALL)
    return found
