"""The exercises of notebook 2: the explorative user."""

from explorative_user_env.course.exercises import Exercise
from explorative_user_env.course.lesson_2_intervals import GAMMA, HOW_OFTEN, INTERVAL
from explorative_user_env.course.lesson_2_rejections import RULE, WHO_STANDS_AGAINST

EXERCISES: tuple[Exercise, ...] = (GAMMA, INTERVAL, RULE, WHO_STANDS_AGAINST, HOW_OFTEN)
"""In the order in which they are asked."""
