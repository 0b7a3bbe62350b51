"""The exercises of notebook 6: learning agents against BAIR."""

from explorative_user_env.course.exercises import Exercise
from explorative_user_env.course.learning_signals import RANKS, RETURNS, SCORE
from explorative_user_env.course.policies_tried import BY_HAND, READING

EXERCISES: tuple[Exercise, ...] = (RANKS, RETURNS, SCORE, BY_HAND, READING)
"""In the order in which they are asked."""
