"""All checks of some subjects as the cases of a test, for pytest."""

import copy
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import gymnasium as gym
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers import TimeLimit

from explorative_user_env.agents import AlgorithmAgent, agent_named
from explorative_user_env.check import agents as agent_company
from explorative_user_env.check import agents as agent_contract
from explorative_user_env.check import agents as agent_explanations
from explorative_user_env.check import agents as agent_memory
from explorative_user_env.check import agents as agent_paths
from explorative_user_env.check import agents as agent_secrets
from explorative_user_env.check import agents as agent_streams
from explorative_user_env.check import agents as agent_ties
from explorative_user_env.check import algorithms, environments, users
from explorative_user_env.check import environments as vector_environments
from explorative_user_env.check import users as laws
from explorative_user_env.check import users as schedules
from explorative_user_env.check.agents import CALLS
from explorative_user_env.check.checks import (
    CheckReport,
    FailedCheckError,
    Kind,
    NamedCheck,
    Subject,
    in_words,
    known_names,
    run_checks,
)
from explorative_user_env.check.environments import LANES_CHECKED
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv
from explorative_user_env.protocol import Algorithm, name_of
from explorative_user_env.users.behaviours import Behaviour
from explorative_user_env.users.laws import AnyRewardLaw, RewardLaw, Schedule, as_reward_law
from explorative_user_env.validation import InvalidArgumentError, choice

if TYPE_CHECKING:
    import pytest


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


SHORT = 7
"""Steps of an episode of users in step, where a check can choose: so that some end."""

RECORDS: dict[Kind, type] = {
    Kind.ALGORITHM: Algorithm,
    Kind.BEHAVIOUR: Behaviour,
    Kind.SCHEDULE: Schedule,
    Kind.REWARD_LAW: RewardLaw,
}
"""The classes of the kinds that are records."""

WHAT = "an agent, an environment, a Behaviour, Schedule, RewardLaw or Algorithm, or makes one"


def subjects_of(thing: Any, kind: str | None = None, seed: int = 0) -> list[Subject]:
    """Return what is to be checked of whatever was handed in.

    An id is checked as one user and, if it has an entry point for that, as users in step; an
    `Algorithm` as a record and as the agent it makes.

    Args:
        thing: an agent, environment or record; a class or function that makes one when called
            without arguments; the name of one of the package's agents or of an environment.
        kind: one of `catalogue.CHECKS`, where it is not to be told from the thing itself.
        seed: what the users of the checks follow from.

    Raises:
        InvalidArgumentError: for what is none of these or cannot be made.
    """
    chosen = None if kind is None else Kind(choice("kind", kind, CHECKS))
    if isinstance(thing, str) and thing in gym.registry:
        found = _of_id(thing, seed)
    else:
        make = _maker_of(thing, chosen)
        found = _of_made(_made(make), make, seed, chosen)
    return [subject for subject in found if chosen is None or subject.kind == chosen]


def subject_of(thing: Any, kind: str | None = None, seed: int = 0) -> Subject:
    """Return the first of `subjects_of`."""
    found = subjects_of(thing, kind, seed)
    if not found:
        raise InvalidArgumentError("subject", thing, f"a {kind}")
    return found[0]


def _made(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except InvalidArgumentError:
        raise
    except Exception as error:  # whatever is wrong in someone's own code
        allowed = f"{WHAT} when called without arguments, but it {in_words(error)}"
        raise InvalidArgumentError("subject", make, allowed) from error


def _maker_of(thing: Any, kind: Kind | None) -> Callable[[], Any]:
    """Return what makes one that nobody has used."""
    if kind == Kind.REWARD_LAW and isinstance(thing, str):
        return functools.partial(as_reward_law, thing)
    if isinstance(thing, str):
        return functools.partial(agent_named, thing)
    if isinstance(thing, tuple(RECORDS.values())):
        return lambda: thing  # it cannot change
    if isinstance(thing, type) or (callable(thing) and not _is_agent(thing)):
        if kind != Kind.REWARD_LAW:
            return thing  # type: ignore[no-any-return]
        try:
            thing()
        except TypeError:  # a law itself, (mean, rng) -> reward
            return lambda: as_reward_law(thing)
        return thing  # type: ignore[no-any-return]
    try:
        unused = copy.deepcopy(thing)
    except Exception as error:
        allowed = f"a class or function that makes it, as a copy of it {in_words(error)}"
        raise InvalidArgumentError("subject", thing, allowed) from error
    return lambda: copy.deepcopy(unused)


def _is_agent(thing: Any) -> bool:
    return any(hasattr(thing, method) for method in CALLS if method != "reset")


def _of_made(made: Any, make: Callable[[], Any], seed: int, kind: Kind | None) -> list[Subject]:
    """Return what is to be checked, from one that was made."""
    if isinstance(made, VectorEnv):
        return [_vector(made, make, seed)]
    if isinstance(made, gym.Env):
        name = made.spec.id if made.spec is not None else type(made).__name__
        return [Subject(Kind.ENVIRONMENT, name, make, seed)]
    if isinstance(made, Algorithm):
        agent = functools.partial(AlgorithmAgent, made, {})
        record = Subject(Kind.ALGORITHM, made.name, make, seed)
        return [record, Subject(Kind.AGENT, made.name, agent, seed)]
    for each, record_class in RECORDS.items():
        if isinstance(made, record_class):
            name = made.title if isinstance(made, Schedule) else made.name  # type: ignore[attr-defined]
            return [Subject(each, name, make, seed)]
    if kind == Kind.AGENT or _is_agent(made):
        return [Subject(Kind.AGENT, name_of(made), make, seed)]
    raise InvalidArgumentError("subject", made, WHAT)


def _of_id(name: str, seed: int) -> list[Subject]:
    """Return the environment of an id, and that of many users in step if it has one."""
    make = functools.partial(gym.make, name, max_episode_steps=SHORT)
    found = [Subject(Kind.ENVIRONMENT, name, make, seed)]
    if gym.spec(name).vector_entry_point is not None:

        def many(mode: AutoresetMode | None = None) -> Any:
            options: dict[str, Any] = {} if mode is None else {"autoreset_mode": mode}
            return gym.make_vec(
                name, LANES_CHECKED, "vector_entry_point", max_episode_steps=SHORT, **options
            )

        found.append(Subject(Kind.VECTOR, name, many, seed, alone=make))
    return found


def _vector(made: VectorEnv[Any, Any, Any], make: Callable[..., Any], seed: int) -> Subject:
    """Return users in step, three whose episodes are short if they can be made so."""

    def few(mode: AutoresetMode | None = None) -> Any:
        options: dict[str, Any] = {} if mode is None else {"autoreset_mode": mode}
        return make(LANES_CHECKED, max_episode_steps=SHORT, **options)

    name = made.spec.id if made.spec is not None else type(made).__name__
    forms: list[Callable[..., Any]] = [few, lambda: make(LANES_CHECKED), lambda: make()]
    for form in forms:
        try:
            lane = _lane_of(form())
        except TypeError:  # it takes nothing of the kind
            continue
        return Subject(Kind.VECTOR, name, form, seed, alone=lane)
    raise AssertionError("it was made before")


def _lane_of(envs: Any) -> Callable[[], Any] | None:
    """Return what makes the single environment that a lane equals, None where nothing tells it."""
    if not isinstance(envs, ExplorativeUserVectorEnv):
        return None

    def alone() -> Any:
        steps = envs.max_episode_steps  # type: ignore[attr-defined]
        return envs.single() if steps is None else TimeLimit(envs.single(), steps)

    return alone


Reasons = Mapping[str, str]
"""By the names of checks that are known to fail, why."""


def check_agent(
    agent: Any,
    *,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask an agent all that this package asks of its own.

    Args:
        agent: a class, a function that makes one, an agent, or the name of one of the package's.
        expected_failed_checks: by the names of checks that are known to fail, why.
        raises: whether a failed check is an error, with the report as its message.
        seed: what the users of the checks follow from.

    Returns:
        What came of each check; printed, it is a table.

    Raises:
        FailedCheckError: if a check fails that is not expected to, or one does not that is.
        InvalidArgumentError: for what is no agent, or the name of no check.
    """
    return _report(agent, Kind.AGENT, expected_failed_checks, raises, seed)


def check_environment(
    env: Any,
    *,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask an environment of one user all that is asked of `ExplorativeUser-v0`; see `check_agent`.

    Args:
        env: a class, a function that makes one, an environment, or its id.
        expected_failed_checks: by the names of checks that are known to fail, why.
        raises: whether a failed check is an error.
        seed: what resets and actions follow from.
    """
    return _report(env, Kind.ENVIRONMENT, expected_failed_checks, raises, seed)


def check_vector_environment(
    envs: Any,
    *,
    alone: Callable[[], Any] | None = None,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask users in step all that is asked of `ExplorativeUserVectorEnv`; see `check_agent`.

    Args:
        envs: a class or function that takes `num_envs`, `max_episode_steps` and `autoreset_mode` as
            `ExplorativeUserVectorEnv` does, or nothing; a vector environment; or an id.
        alone: what makes the single environment that lane b with seed b equals; None is what an id
            or the package's own users say it is.
        expected_failed_checks: by the names of checks that are known to fail, why.
        raises: whether a failed check is an error.
        seed: what resets and actions follow from.
    """
    return _report(envs, Kind.VECTOR, expected_failed_checks, raises, seed, alone)


def check_algorithm(
    algorithm: Algorithm | Callable[[], Algorithm],
    *,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask an algorithm record all that is asked of the package's; see `check_agent`.

    `check_agent(lambda: AlgorithmAgent(algorithm, {}))` asks the rest of the agent it makes.
    """
    return _report(algorithm, Kind.ALGORITHM, expected_failed_checks, raises, seed)


def check_users(
    behaviour: Behaviour | Callable[[], Behaviour],
    *,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask a behaviour of users all that is asked of the package's; see `check_agent`."""
    return _report(behaviour, Kind.BEHAVIOUR, expected_failed_checks, raises, seed)


def check_schedule(
    schedule: Schedule | Callable[[], Schedule],
    *,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask a schedule of rho_t all that is asked of the package's; see `check_agent`."""
    return _report(schedule, Kind.SCHEDULE, expected_failed_checks, raises, seed)


def check_reward_law(
    law: AnyRewardLaw,
    *,
    expected_failed_checks: Reasons | None = None,
    raises: bool = True,
    seed: int = 0,
) -> CheckReport:
    """Ask a law of rewards all that is asked of the package's; see `check_agent`."""
    return _report(law, Kind.REWARD_LAW, expected_failed_checks, raises, seed)


def _report(
    thing: Any,
    kind: Kind,
    expected: Reasons | None,
    raises: bool,
    seed: int,
    alone: Callable[[], Any] | None = None,
) -> CheckReport:
    subject, checks = subject_of(thing, kind, seed), checks_of(kind)
    if alone is not None:
        subject = replace(subject, alone=alone)
    known_names("expected_failed_checks", expected or {}, checks)
    report = run_checks(subject, checks, expected or {})
    if raises and not report.passed:
        raise FailedCheckError(f"\n{report}")
    return report


Expected = Mapping[str, str] | Callable[[Any], Mapping[str, str]]
"""The reasons by the names of checks, or a function that returns them for each thing handed in."""


def parametrize_with_checks(
    subjects: Sequence[Any], *, expected_failed_checks: Expected | None = None, seed: int = 0
) -> "pytest.MarkDecorator":
    """Return the mark that makes a case of every check of every subject, in scikit-learn's manner.

    ```python
    @parametrize_with_checks([MyAgent])
    def test_it_is_an_agent(subject, check):
        check(subject)
    ```

    A check that is expected to fail is a strict xfail; one that has nothing to ask is skipped.

    Args:
        subjects: what `subjects_of` takes: agents, environments, behaviours, schedules, reward
            laws, algorithms, what makes one of these, or names.
        expected_failed_checks: by the names of checks that are known to fail, why; or a function
            that is called with what stands in `subjects` and returns that.
        seed: what the users of the checks follow from.

    Raises:
        InvalidArgumentError: for what is no subject, or the name of no check.
    """
    import pytest

    expected = expected_failed_checks or {}
    found = [subjects_of(thing, seed=seed) for thing in subjects]
    if not callable(expected):
        known_names("expected_failed_checks", expected, _all_of(chain(*found)))
    cases = []
    for thing, some in zip(subjects, found, strict=True):
        reasons = expected(thing) if callable(expected) else expected
        if callable(expected):
            known_names("expected_failed_checks", reasons, _all_of(some))
        for subject in some:
            for check in checks_of(subject.kind):
                marks = []
                if (reason := reasons.get(check.name)) is not None:
                    marks = [pytest.mark.xfail(strict=True, raises=FailedCheckError, reason=reason)]
                label = f"{subject.name}-{check.name}"
                cases.append(pytest.param(subject, check, marks=marks, id=label))
    return pytest.mark.parametrize(("subject", "check"), cases)


def _all_of(subjects: Iterable[Subject]) -> list[NamedCheck]:
    return [check for subject in subjects for check in checks_of(subject.kind)]
