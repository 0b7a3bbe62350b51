"""The exercises of notebook 4: BAIR, step by step."""

from explorative_user_env.course.exercises import Exercise

EXERCISES: tuple[Exercise, ...] = ()
"""In the order in which they are asked."""
