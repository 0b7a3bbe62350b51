"""Users who come one after another, and one agent, in compiled code."""

from collections.abc import Iterator, Sequence

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.compiled.arrays import as_arrays, user_arrays, user_tuple
from explorative_user_env.compiled.kernels import compiled_play_members
from explorative_user_env.evaluation.compiled import check_answers, never
from explorative_user_env.evaluation.members_readable import blank_rows
from explorative_user_env.evaluation.plays import Play, figures
from explorative_user_env.members import Members, laws_of_episodes
from explorative_user_env.population import Population
from explorative_user_env.protocol import Array
from explorative_user_env.seeding import member_seeds


def members_compiled(
    members: Members,
    population: Population,
    agent: AlgorithmAgent,
    seeds: Sequence[int],
    horizon: int,
    told: int | None,
    halt: Array | None = None,
) -> Array:
    """Return the rows of `members_readable.members_readable` from compiled code.

    `halt` is that of `compiled.run_compiled`.
    """
    rows = blank_rows(len(seeds), members)
    for place, users, play in members_played(
        members, population, agent, seeds, horizon, told, halt
    ):
        rows[place, users] = figures(play)
    return rows


def members_tried(*arguments: object, **halt: object) -> None:
    """Compile what `members_compiled` runs; it is called likewise, for no steps."""
    for _ in members_played(*arguments, **halt):  # type: ignore[arg-type]
        pass


def members_played(
    members: Members,
    population: Population,
    agent: AlgorithmAgent,
    seeds: Sequence[int],
    horizon: int,
    told: int | None,
    halt: Array | None = None,
) -> Iterator[tuple[int, slice, Play]]:
    """Yield what happens with some users of an episode after others, which the next writes over.

    Yields:
        The place of the episode's seed, which of its users they are, and their play.
    """
    from explorative_user_env.compiled.generators import N_STREAMS, streams
    from explorative_user_env.compiled.stream_seeds import set_agents_at_once, set_users_at_once

    halt = never() if halt is None else halt
    user, behaviour, own_law = population.user, population.behaviour, population.user.own_law
    kernel = compiled_play_members(
        agent.algorithm, population.schedule.rule, behaviour, own_law.compiled_in
    )
    params = agent.params(user.n_arms, told)
    numbers, user_state = user_tuple(user), user_arrays(user, behaviour.memory_of(user.n_arms))
    state = as_arrays(agent.algorithm.blank(params))
    law_of = laws_of_episodes(members, population)
    room = Play.blank(min(members.n_users, N_STREAMS), user.n_arms, horizon)
    for place, seed in enumerate(seeds):
        law, hers = law_of(seed), member_seeds(seed, members.n_users)
        with streams() as users, streams() as own:
            set_agents_at_once([seed], agent.name, own)
            for first in range(0, len(hers), N_STREAMS):
                part = hers[first : first + N_STREAMS]
                set_users_at_once(part, users)
                play = Play(*(array[: len(part)] for array in room))
                play.write_truth([law.draw(rng) for rng in users.rngs[: len(part)]])
                given = (numbers, user_state, play.means, users.states, params, state)
                stream = (own.states[0], users.draws)
                kernel(*given, *stream, first, play.arms, play.accepted, play.answers, halt)
                check_answers(play.answers, agent, population)
                yield place, slice(first, first + len(part)), play
                if halt[0]:
                    return
