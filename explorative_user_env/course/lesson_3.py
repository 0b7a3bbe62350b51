"""The exercises of notebook 3: why UNI, EXP3 and Track-and-Stop struggle."""

from explorative_user_env.course.exercises import Exercise
from explorative_user_env.course.lesson_3_evidence import COST, DIVERGENCE, EVIDENCE
from explorative_user_env.course.lesson_3_learning import EXP3_STEP, RATES

EXERCISES: tuple[Exercise, ...] = (RATES, EXP3_STEP, DIVERGENCE, EVIDENCE, COST)
"""In the order in which they are asked."""
