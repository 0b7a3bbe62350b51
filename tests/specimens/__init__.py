"""For each check the subjects that are wrong in a way that the check asks about, one a fault."""

from typing import Any

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.check import Kind
from specimens import agents, environments
from specimens.algorithms import ALGORITHMS_WRONG
from specimens.environments import MANY, ONE
from specimens.users import BEHAVIOURS, LAWS, SCHEDULES


def truncating() -> AlgorithmAgent:
    """An agent of an algorithm that is another when it is compiled."""
    return AlgorithmAgent(ALGORITHMS_WRONG["compiled_rules_are_plain"], {})


AGENTS_WRONG: dict[str, Any] = {
    "has_the_methods": agents.WithoutAnswer,
    "says_what_it_is": agents.CappedByAWord,
    "recommends_arms": (agents.OutOfRange, agents.AnswersWhenDoneOnly),
    "meets_any_user": agents.DividesByAcceptances,
    "meets_two_arms": agents.ThinksOfThree,
    "meets_many_arms": agents.ThinksOfAHundred,
    "begins_with_a_horizon_or_none": (agents.WantsAHorizon, agents.KnowsOneTask),
    "repeats_with_the_same_stream": (agents.IgnoresItsSeed, agents.DrawsGlobally),
    "draws_from_no_other_stream": (agents.SeedsItself, agents.SetsItsStream),
    "forgets_users_it_has_met": agents.KeepsUsers,
    "goes_on_with_the_next_user": agents.KeepsUsersThatFollow,
    "shares_nothing_with_its_like": agents.SharesItsCounts,
    "leaves_what_it_is_given": (agents.WritesOnUsers, agents.WritesOnOptions),
    "goes_on_alike_as_a_copy": (agents.CopiesItsBeginning, agents.PicklesItsBeginning),
    "holds_no_secret": agents.KeepsTheUser,
    "guesses_when_it_cannot_know": agents.ReadsTheBestArm,
    "depends_on_responses_alone": agents.AsksTheCollector,
    "breaks_ties_by_chance": agents.PrefersLowNumbers,
    "succeeds_wherever_the_best_is": agents.StaysWithTheFirst,
    "explains_itself": (agents.SaysAList, agents.DrawsToExplain),
    "in_step_is_one_at_a_time": (
        agents.FractionsToMany,
        agents.CountsTheCompany,
        agents.AnotherAlone,
    ),
    "compiled_is_readable": truncating,
    "runs_in_another_process": agents.AnotherAbroad,
}

ENVIRONMENTS_WRONG: dict[str, Any] = {
    "passes_gymnasiums_checks": environments.TakesNoOptions,
    "steps_by_the_contract": environments.PaysNothingKnown,
    "refuses_what_is_no_action": ONE[environments.Clips],
    "replays_from_a_seed": (ONE[environments.IgnoresSeed], ONE[environments.DrawsFromAll]),
    "heeds_its_seed": ONE[environments.HasOneSeed],
    "leaves_its_actions_alone": ONE[environments.WritesOnOptions],
    "hands_out_what_stays": ONE[environments.HandsOutOneInfo],
    "hands_out_no_secret": environments.HandsOutMeans,
    "continues_as_a_copy": (
        ONE[environments.CopiesAnotherStream],
        ONE[environments.PicklesAnotherStream],
    ),
}

VECTORS_WRONG: dict[str, Any] = {
    "steps_by_the_contract": environments.PaysOneLaneTooMany,
    "refuses_what_is_no_action": MANY[environments.Clips],
    "replays_from_a_seed": (MANY[environments.IgnoresSeed], MANY[environments.DrawsFromAll]),
    "heeds_its_seed": MANY[environments.HasOneSeed],
    "leaves_its_actions_alone": environments.WritesOnActions,
    "hands_out_what_stays": MANY[environments.HandsOutOneInfo],
    "hands_out_no_secret": environments.HandsOutManyMeans,
    "continues_as_a_copy": (
        MANY[environments.CopiesAnotherStream],
        MANY[environments.PicklesAnotherStream],
    ),
    "lanes_are_single_environments": (
        environments.ShiftsItsLanes,
        environments.BeginsWithTheNextSeed,
    ),
    "begins_anew_by_its_mode": environments.PaysForResets,
}


SPECIMENS: dict[tuple[Kind, str], tuple[Any, ...]] = {
    (kind, name): wrong if type(wrong) is tuple else (wrong,)
    for kind, every in {
        Kind.AGENT: AGENTS_WRONG,
        Kind.ENVIRONMENT: ENVIRONMENTS_WRONG,
        Kind.VECTOR: VECTORS_WRONG,
        Kind.ALGORITHM: ALGORITHMS_WRONG,
        Kind.BEHAVIOUR: BEHAVIOURS,
        Kind.SCHEDULE: SCHEDULES,
        Kind.REWARD_LAW: LAWS,
    }.items()
    for name, wrong in every.items()
}
"""By kind and name of the check."""
