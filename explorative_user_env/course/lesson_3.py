"""The exercises of notebook 3: why UNI, EXP3 and Track-and-Stop struggle."""

from explorative_user_env.course.exercises import Exercise

EXERCISES: tuple[Exercise, ...] = ()
"""In the order in which they are asked."""
