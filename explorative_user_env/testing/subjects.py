"""What is checked, of whatever was handed in: a class, a function that makes one, one, a name."""

import copy
import functools
from collections.abc import Callable
from typing import Any

import gymnasium as gym
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers import TimeLimit

from explorative_user_env.agents import AlgorithmAgent, agent_named
from explorative_user_env.envs.asked import AskedUsers
from explorative_user_env.protocol import Algorithm, name_of
from explorative_user_env.testing.agent_contract import CALLS
from explorative_user_env.testing.catalogue import CHECKS
from explorative_user_env.testing.checks import Kind, Subject, in_words
from explorative_user_env.testing.vector_environments import LANES_CHECKED
from explorative_user_env.users.behaviour import Behaviour
from explorative_user_env.users.confidence import Schedule
from explorative_user_env.users.reward_laws import RewardLaw, as_reward_law
from explorative_user_env.validation import InvalidArgumentError, choice

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
    if not isinstance(envs, AskedUsers):
        return None

    def alone() -> Any:
        steps = envs.max_episode_steps  # type: ignore[attr-defined]
        return envs.single() if steps is None else TimeLimit(envs.single(), steps)

    return alone
