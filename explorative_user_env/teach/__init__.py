"""The course: its exercises, what is said of an answer, and the notebooks it is written in."""

from typing import TYPE_CHECKING, Any

from explorative_user_env.teach.exercises import LESSONS, Lesson, Remark, reveal

if TYPE_CHECKING:
    from explorative_user_env.teach.exercises import Exercise

__all__ = ["LESSONS", "Lesson", "Remark", "check_exercise", "exercises_of", "reveal"]


def exercises_of(lesson: int) -> tuple["Exercise", ...]:
    """Return the exercises of a notebook, in the order in which they are asked.

    Args:
        lesson: the number of the notebook, 1 to 6.
    """
    from importlib import import_module

    found: tuple[Exercise, ...] = import_module(f"{__name__}.lesson_{lesson}").EXERCISES
    return found


def check_exercise(number: str | float, answer: Any) -> Remark:
    """Return what is to be said of an answer to an exercise.

    Args:
        number: the number of the exercise, as "2.3"; who forgets the quotes is understood.
        answer: the student's: a function, or an agent's class.

    Raises:
        InvalidArgumentError: for a number that no exercise has.
    """
    from explorative_user_env.validation import choice

    every = {one.number: one for lesson in LESSONS for one in exercises_of(lesson.number)}
    return every[choice("number", str(number), every)].remark(answer)
