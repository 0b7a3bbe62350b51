"""Whether a behaviour makes users who are what they remember, and nothing else."""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from explorative_user_env.population import Population
from explorative_user_env.seeding import user_generator
from explorative_user_env.testing.checks import FailedCheckError, NotAskedError, Subject
from explorative_user_env.testing.compiled_paths import expect_compiled_users
from explorative_user_env.testing.surroundings import other_surroundings, shared_streams, travelled
from explorative_user_env.users.behaviour import Behaviour
from explorative_user_env.users.state import UserState

USER_STEPS = 150
"""Recommendations to a user."""

COPIED_AFTER = 40
"""Recommendations after which she is copied."""

TABLES = ("logarithms", "inverse_roots")
"""The parts of her state that all users share."""


class Life:
    """A user of a behaviour, asked at random by her seed, on and on though she would leave.

    Args:
        population: whose user she is.
        seed: hers.
        state: what becomes hers; None is a new one.
    """

    def __init__(self, population: Population, seed: int, state: UserState | None = None) -> None:
        self.population, self.seed = population, seed
        behaviour, user = population.behaviour, population.user
        self.rng, self._arms = user_generator(seed), np.random.default_rng(seed)
        self.state = behaviour.blank(user) if state is None else state
        self.state.means[:] = population.instance_law.draw(self.rng).means
        behaviour.start(user, self.state, self.rng)
        self.responses: list[bool] = []
        self.leaving: list[Any] = []

    def respond(self, arm: int | None = None) -> Any:
        """Return what she says to an arm, None to one at random."""
        population = self.population
        arm = int(self._arms.integers(population.n_arms)) if arm is None else arm
        user, behaviour, rule = population.user, population.behaviour, population.schedule.rule
        accepted = behaviour.respond(user, self.state, rule, arm, self.rng)
        self.responses.append(accepted)
        if behaviour.leaves is not None:
            self.leaving.append(behaviour.leaves(user, self.state, accepted, self.rng))
        return accepted

    def lived(self, n_steps: int = USER_STEPS) -> "Life":
        """Return her after some recommendations."""
        for _ in range(n_steps):
            self.respond()
        return self

    @property
    def when(self) -> str:
        """In words, how far she has come."""
        return f"at step {len(self.responses)}: K = {self.population.n_arms}, seed {self.seed}"

    def numbers(self) -> Mapping[str, list[Any]]:
        """Return every number of her state by its name."""
        names = [field.name for field in fields(self.state) if field.name not in TABLES]
        return {name: list(getattr(self.state, name)) for name in names}


def populations(subject: Subject) -> Iterator[Population]:
    """Yield the users of a behaviour, with few arms and many, with noise and without."""
    behaviour: Behaviour = subject.make()
    for n_arms, noise, law in ((2, 0.0, "gaussian"), (5, 0.2, "bounded"), (30, 0.0, "bernoulli")):
        yield Population(
            n_arms=n_arms, noise=noise, alpha=0.1, reward_law=law, behaviour=behaviour, gap=0.3
        )


def expect_same_life(found: Life, wanted: Life, how: str) -> None:
    """Make sure that two users have said and become the same.

    Raises:
        FailedCheckError: naming the first response, or the part of the state, that differs.
    """
    pairs = zip(found.responses, wanted.responses, strict=True)
    for step, (one, other) in enumerate(pairs, 1):
        if one != other:
            told = f"she said {one!r} instead of {other!r} at step {step} {how}"
            raise FailedCheckError(f"{told} (K = {found.population.n_arms}, seed {found.seed})")
    if found.leaving != wanted.leaving:
        raise FailedCheckError(f"she leaves at another step {how} ({found.when})")
    for name, values in found.numbers().items():
        if repr(values) != repr(wanted.numbers()[name]):
            raise FailedCheckError(f"her {name} are others {how} ({found.when})")


def says_yes_or_no(subject: Subject) -> None:
    """What respond returns is True or False, at every step."""
    for population in populations(subject):
        life = Life(population, subject.seed)
        for _ in range(USER_STEPS):
            accepted = life.respond()
            if not isinstance(accepted, bool | np.bool_):
                raise FailedCheckError(
                    f"respond returned {accepted!r}, must be True or False ({life.when})"
                )


def leaves_or_stays(subject: Subject) -> None:
    """What leaves returns is True or False, at every step, if she may leave at all."""
    for population in populations(subject):
        if population.behaviour.leaves is None:
            raise NotAskedError("its users never leave")
        life = Life(population, subject.seed)
        for _ in range(USER_STEPS):
            life.respond()
            if not isinstance(life.leaving[-1], bool | np.bool_):
                told = f"leaves returned {life.leaving[-1]!r}, must be True or False"
                raise FailedCheckError(f"{told} ({life.when})")


def counts_what_she_said(subject: Subject) -> None:
    """n(t) and t of her state count the acceptances and the recommendations."""
    for population in populations(subject):
        life = Life(population, subject.seed)
        for step in range(1, USER_STEPS + 1):
            life.respond()
            n, t = life.state.acceptances[0], life.state.interactions[0]
            if (n, t) != (sum(life.responses), step):
                told = f"n(t) is {n} and t is {t} after {sum(life.responses)} acceptances of {step}"
                raise FailedCheckError(f"{told} ({life.when})")


def keeps_her_means(subject: Subject) -> None:
    """Her true means stay what they are, unless it says that it moves_means."""
    for population in populations(subject):
        if population.behaviour.moves_means:
            raise NotAskedError("it says that it moves_means")
        life = Life(population, subject.seed)
        means = [*life.state.means]
        for _ in range(USER_STEPS):
            life.respond()
            if [*life.state.means] != means:
                raise FailedCheckError(f"her means moved, and moves_means is False ({life.when})")


def draws_from_her_stream_alone(subject: Subject) -> None:
    """The same stream gives the same user, and no stream or clock that others use matters."""
    for population in populations(subject):
        before = shared_streams()
        wanted = Life(population, subject.seed).lived()
        if shared_streams() != before:
            raise FailedCheckError(f"she drew from random, numpy.random or torch ({wanted.when})")
        with other_surroundings(1):
            found = Life(population, subject.seed).lived()
        expect_same_life(found, wanted, "in other surroundings (global streams, clock)")


def is_all_in_her_state(subject: Subject) -> None:
    """A copy of her state and stream goes on as she does, whoever else is asked in between."""
    for population in populations(subject):
        wanted = Life(population, subject.seed).lived()
        life = Life(population, subject.seed).lived(COPIED_AFTER)
        other = copy.deepcopy(life)
        neighbour = Life(population, subject.seed + 1)
        for _ in range(USER_STEPS - COPIED_AFTER):
            life.respond()
            neighbour.respond()
        expect_same_life(life, wanted, "while another user was asked in between")
        expect_same_life(other.lived(USER_STEPS - COPIED_AFTER), wanted, "as a copy of her state")


def starts_as_a_new_user(subject: Subject) -> None:
    """Start makes a used state a new user's, to the last number."""
    for population in populations(subject):
        wanted = Life(population, subject.seed).lived()
        used = Life(population, subject.seed + 1).lived()
        found = Life(population, subject.seed, used.state).lived()
        expect_same_life(found, wanted, "in a state that was another user's before")


def travels_as_a_record(subject: Subject) -> None:
    """Pickled and unpickled, it makes the same users."""
    for population in populations(subject):
        wanted = Life(population, subject.seed).lived()
        again: Any = travelled(population)
        expect_same_life(Life(again, subject.seed).lived(), wanted, "when it was pickled")


def compiled_users_are_plain(subject: Subject) -> None:
    """Users in compiled code are those in plain Python, to the bit, if they compile at all."""
    for population in populations(subject):
        expect_compiled_users(population, subject.seed)
