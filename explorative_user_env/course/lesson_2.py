"""The exercises of notebook 2: the explorative user."""

from explorative_user_env.course.exercises import Exercise

EXERCISES: tuple[Exercise, ...] = ()
"""In the order in which they are asked."""
