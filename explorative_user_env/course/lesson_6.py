"""The exercises of notebook 6: learning agents against BAIR."""

from explorative_user_env.course.exercises import Exercise

EXERCISES: tuple[Exercise, ...] = ()
"""In the order in which they are asked."""
