"""The exercises of notebook 1: bandits and best-arm identification."""

from explorative_user_env.course.exercises import Exercise

EXERCISES: tuple[Exercise, ...] = ()
"""In the order in which they are asked."""
