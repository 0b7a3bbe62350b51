"""The exercises of notebook 1: bandits and best-arm identification."""

from explorative_user_env.course.elimination import SUCCESS_RATE, WHO_STAYS
from explorative_user_env.course.exercises import Exercise
from explorative_user_env.course.hoeffding import EPSILON, SAMPLES_NEEDED

EXERCISES: tuple[Exercise, ...] = (EPSILON, SAMPLES_NEEDED, WHO_STAYS, SUCCESS_RATE)
"""In the order in which they are asked."""
