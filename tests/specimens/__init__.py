"""For each check the subjects that are wrong in a way that the check asks about, one a fault."""

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.check import Kind
from specimens import agents, environments
from specimens.users import ALGORITHMS_WRONG, BEHAVIOURS, LAWS, SCHEDULES


def truncating():
    """An agent of an algorithm that is another when it is compiled."""
    return AlgorithmAgent(ALGORITHMS_WRONG["compiled_rules_are_plain"], {})


AGENTS_WRONG = {
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
    "goes_on_alike_as_a_copy": (agents.CopiesItsBeginning, agents.PicklesItsBeginning),
    "holds_no_secret": agents.KeepsTheUser,
    "guesses_when_it_cannot_know": agents.ReadsTheBestArm,
    "depends_on_responses_alone": agents.AsksTheCollector,
    "breaks_ties_by_chance": agents.PrefersLowNumbers,
    "explains_itself": (agents.SaysAList, agents.DrawsToExplain),
    "in_step_is_one_at_a_time": (
        *(agents.FractionsToMany, agents.CountsTheCompany, agents.AnotherAlone),
    ),
    "compiled_is_readable": truncating,
    "runs_in_another_process": agents.AnotherAbroad,
}

ENVIRONMENTS_WRONG = {
    "passes_gymnasiums_checks": environments.TakesNoOptions,
    "steps_by_the_contract": environments.PaysNothingKnown,
    "refuses_what_is_no_action": environments.Clips,
    "replays_from_a_seed": environments.IgnoresSeed,
    "heeds_its_seed": environments.HasOneSeed,
    "hands_out_what_stays": environments.HandsOutOneInfo,
    "hands_out_no_secret": environments.HandsOutMeans,
    "continues_as_a_copy": (environments.CopiesAnotherStream, environments.PicklesAnotherStream),
}

VECTORS_WRONG = {
    "steps_by_the_contract": environments.PaysOneLaneTooMany,
    "refuses_what_is_no_action": environments.ClipsMany,
    "replays_from_a_seed": environments.DrawsFromAll,
    "heeds_its_seed": environments.HasOneSeedForMany,
    "hands_out_no_secret": environments.HandsOutItself,
    "lanes_are_single_environments": (
        *(environments.ShiftsItsLanes, environments.BeginsWithTheNextSeed),
    ),
    "begins_anew_by_its_mode": environments.PaysForResets,
}


SPECIMENS = {
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
