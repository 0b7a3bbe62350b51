import copy
import pickle

import pytest

from explorative_user_env.protocol import BAI, POPULATION, REGRET, TASKS, Task, as_task
from explorative_user_env.validation import InvalidArgumentError


def test_the_tasks_are_these() -> None:
    assert TASKS == {"regret": REGRET, "bai": BAI, "population": POPULATION}
    assert [task.ends_itself for task in (REGRET, BAI, POPULATION)] == [False, True, False]
    assert [task.horizon for task in (REGRET, BAI, POPULATION)] == [500, 2000, 300]


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_copy_of_a_task_is_the_task(task: Task) -> None:
    for other in (copy.deepcopy(task), pickle.loads(pickle.dumps(task)), as_task(task.name)):
        assert other == task
        assert as_task(other) == task
    assert BAI != REGRET


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="one of bai, population, regret, got 'sleep'"):
        as_task("sleep")
