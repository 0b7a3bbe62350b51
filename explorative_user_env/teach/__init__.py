"""The course: notebooks, and exercises with checks that explain mistakes."""

import json
from dataclasses import replace
from importlib import import_module
from typing import Any

from explorative_user_env.teach.exercises import Exercise, Remark, reveal
from explorative_user_env.teach.notebooks import LESSONS, Lesson, read_source
from explorative_user_env.validation import choice

__all__ = ["LESSONS", "Exercise", "Lesson", "Remark"]
__all__ += ["check_exercise", "exercises_of", "hint", "reveal"]


def exercises_of(lesson: int) -> tuple[Exercise, ...]:
    """Return the exercises of a lesson, in the order of its notebook.

    Args:
        lesson: number of the lesson, 1 to 6.
    """
    exercises = import_module(f"{__name__}.lesson_{lesson}").EXERCISES
    return tuple(replace(each, number=f"{lesson}.{n}") for n, each in enumerate(exercises, 1))


def check_exercise(number: str | float, answer: Any) -> Remark:
    """Check an answer to an exercise of the course and return a remark on it.

    Args:
        number: number of the exercise, as "2.3" or 2.3.
        answer: the student's function or class.

    Raises:
        InvalidArgumentError: if no exercise has this number.
    """
    exercises = {one.number: one for lesson in LESSONS for one in exercises_of(lesson.number)}
    return exercises[choice("number", str(number), exercises)].check(answer)


def hint(number: str | float, level: int = 1) -> Remark:
    """Return a hint on an exercise of the course.

    Args:
        number: number of the exercise, as "2.3" or 2.3.
        level: 1 says where to look, 2 describes the steps.

    Raises:
        InvalidArgumentError: if no exercise has this number, or if no hint has this level.
    """
    hints = json.loads(read_source("hints.json"))
    levels = hints[choice("number", str(number), hints)]
    return Remark(str(number), False, levels[choice("level", str(level), levels)], f"hint {level}")
