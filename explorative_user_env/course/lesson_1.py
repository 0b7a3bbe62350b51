"""The exercises of notebook 1: bandits and best-arm identification."""

from explorative_user_env.course.elimination import ELIMINATION, SUCCESS_RATE
from explorative_user_env.course.exercises import Exercise
from explorative_user_env.course.hoeffding import HALF_WIDTH, SAMPLES_NEEDED

EXERCISES: tuple[Exercise, ...] = (HALF_WIDTH, SAMPLES_NEEDED, ELIMINATION, SUCCESS_RATE)
"""In the order in which they are asked."""
