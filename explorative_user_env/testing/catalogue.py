"""All checks, by the kind of subject: the one list behind functions, test suites and command."""

from collections.abc import Callable, Mapping, Sequence

from explorative_user_env.testing import (
    agent_company,
    agent_contract,
    agent_explanations,
    agent_memory,
    agent_paths,
    agent_secrets,
    agent_streams,
    agent_ties,
    algorithms,
    environments,
    laws,
    schedules,
    users,
    vector_environments,
)
from explorative_user_env.testing.checks import Kind, NamedCheck, Subject
from explorative_user_env.validation import choice

OF_ANY_ENVIRONMENT = (
    environments.steps_by_the_contract,
    environments.refuses_what_is_no_action,
    environments.replays_from_a_seed,
    environments.heeds_its_seed,
    environments.leaves_shared_streams_alone,
    environments.leaves_its_actions_alone,
    environments.hands_out_what_stays,
    environments.hands_out_no_secret,
    environments.continues_as_a_copy,
    environments.continues_when_pickled,
)
"""What single and vector environments are asked alike."""

_ASKED: Mapping[Kind, Sequence[Callable[[Subject], None]]] = {
    Kind.AGENT: (
        agent_contract.has_the_methods,
        agent_contract.says_what_it_is,
        agent_contract.recommends_arms,
        agent_contract.answers_when_cut_off,
        agent_contract.meets_who_rejects_everything,
        agent_contract.meets_who_accepts_everything,
        agent_contract.meets_two_arms,
        agent_contract.meets_many_arms,
        agent_contract.begins_with_a_horizon_or_none,
        agent_contract.runs_in_both_tasks,
        agent_streams.repeats_with_the_same_stream,
        agent_streams.leaves_global_streams_alone,
        agent_streams.draws_from_no_other_stream,
        agent_streams.leaves_its_stream_what_it_is,
        agent_memory.forgets_users_it_has_met,
        agent_memory.goes_on_with_the_next_user,
        agent_memory.shares_nothing_with_its_like,
        agent_memory.leaves_what_it_is_given,
        agent_memory.goes_on_alike_as_a_copy,
        agent_memory.goes_on_alike_when_pickled,
        agent_secrets.holds_no_secret,
        agent_secrets.guesses_when_it_cannot_know,
        agent_secrets.depends_on_responses_alone,
        agent_ties.breaks_ties_by_chance,
        agent_ties.succeeds_wherever_the_best_is,
        agent_explanations.says_what_can_be_shown,
        agent_explanations.explains_without_a_trace,
        agent_company.recommends_arms_to_many,
        agent_company.minds_no_company,
        agent_company.in_step_is_one_at_a_time,
        agent_paths.compiled_is_readable,
        agent_paths.runs_in_another_process,
    ),
    Kind.ENVIRONMENT: (
        environments.passes_gymnasiums_checks,
        *OF_ANY_ENVIRONMENT,
    ),
    Kind.VECTOR: (
        *OF_ANY_ENVIRONMENT,
        vector_environments.lanes_are_single_environments,
        vector_environments.begins_anew_by_its_mode,
    ),
    Kind.ALGORITHM: (
        algorithms.checks_its_options,
        algorithms.has_params_of_numbers,
        algorithms.has_a_state_of_lists,
        algorithms.starts_anew,
        algorithms.keeps_all_in_its_state,
        algorithms.stops_by_its_horizon,
        algorithms.compiled_rules_are_plain,
    ),
    Kind.BEHAVIOUR: (
        users.says_yes_or_no,
        users.leaves_or_stays,
        users.counts_what_she_said,
        users.keeps_her_means,
        users.draws_from_her_stream_alone,
        users.is_all_in_her_state,
        users.starts_as_a_new_user,
        users.travels_as_a_record,
        users.compiled_users_are_plain,
    ),
    Kind.SCHEDULE: (
        schedules.gives_numbers_in_its_range,
        schedules.depends_on_counts_alone,
        schedules.makes_users_who_live,
        schedules.compiled_schedule_is_plain,
    ),
    Kind.REWARD_LAW: (
        laws.draws_finite_numbers,
        laws.has_the_mean_it_is_asked_for,
        laws.has_variance_at_most_one,
        laws.draws_from_its_stream_alone,
        laws.compiled_law_is_plain,
    ),
}

CHECKS: Mapping[Kind, Sequence[NamedCheck]] = {
    kind: tuple(map(NamedCheck, functions)) for kind, functions in _ASKED.items()
}
"""By kind of subject, in the order in which they are asked."""


def checks_of(kind: str) -> Sequence[NamedCheck]:
    """Return the checks of a kind of subject.

    Raises:
        InvalidArgumentError: for a kind that there is none of.
    """
    return CHECKS[Kind(choice("kind", kind, CHECKS))]
