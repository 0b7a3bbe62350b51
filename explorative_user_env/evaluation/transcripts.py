"""Transcripts: runs as questions and answers of a text agent, to train a language model."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Unpack

from explorative_user_env import protocol
from explorative_user_env.agents import informed
from explorative_user_env.agents.answers import TextAnswer, answer_in_words
from explorative_user_env.agents.asking import calls_in, run_name
from explorative_user_env.agents.conversation import (
    N_RECENT,
    Conversation,
    Facts,
    facts_of,
    messages,
)
from explorative_user_env.display.progress import OnProgress, shown
from explorative_user_env.envs.user import environment_of
from explorative_user_env.evaluation.runner import Request
from explorative_user_env.files import write_file
from explorative_user_env.protocol import DELTA, N_TRANSCRIBED, Agent, Task, name_of
from explorative_user_env.runs.loop import Episode, rollout
from explorative_user_env.seeding import agent_generator
from explorative_user_env.users import population as users
from explorative_user_env.validation import InvalidArgumentError, count


@users.lists_user_options()
def system_text(
    task: Task | str = "bai",
    *,
    delta: float = DELTA,
    horizon: int | None = None,
    n_users: int | None = None,
    max_steps: int | None = None,
    step_cost: float | None = None,
    population: users.Population | None = None,
    **user: Unpack[users.UserOptions],
) -> str:
    """Return the text with which every question of a `TextAgent` begins in an evaluation.

    Args:
        task: "bai", "regret" or "population".
        delta: as for `evaluate`, and all other arguments too.
        horizon: in "regret" and "population" the number of steps with each user.
        n_users: in "population" the number of users of an episode.
        max_steps: in "bai" the step cap.
        step_cost: in "bai" the cost of a recommendation.
        population: the users, as a record; None makes the record from `user`.
        **user: the options of `Population`.

    Raises:
        InvalidArgumentError: if an argument is out of range.
    """
    options: dict[str, Any] = {"delta": delta, "horizon": horizon, "n_users": n_users}
    options |= {"max_steps": max_steps, "step_cost": step_cost, "task": protocol.as_task(task)}
    known = users.population_of(population, user)
    request = Request(population=known, n_instances=1, **options)
    return facts_of(known, request.cell_of()).system(known.n_arms, request.horizon)


def calls_of(path: Path | str, row: Any) -> list[list[str]]:
    """Return the calls of a run: the system text, the user text and the answer of each call.

    Args:
        path: the `transcript` of a `TextAgent`.
        row: the row of `Results.runs`.

    Raises:
        InvalidArgumentError: if the file cannot be read or is no transcript.
    """
    run = run_name(agent_generator(int(row["user_seed"]), row["agent"]))
    return [texts for name, texts in calls_in(Path(path)) if name.partition("/")[0] == run]


def transcript_of(
    episode: Episode,
    n_arms: int,
    horizon: int | None = None,
    n_recent: int = N_RECENT,
    facts: Facts | None = None,
) -> Iterator[tuple[str, str, str]]:
    """Yield the system text, the user text and the answer text of each step of an episode.

    A `TextAgent` that gives these answers repeats the episode.

    Args:
        episode: an episode of `rollout`.
        n_arms: K.
        horizon: the number of recommendations of the task "regret"; None means the task "bai".
        n_recent: number of last responses that a question lists.
        facts: the `facts` of the `TextAgent`; None for one that knows no facts.
    """
    known = facts or Facts()
    system, steps = known.system(n_arms, horizon), known.steps(horizon)
    talk = Conversation(n_arms, steps, n_recent)
    for arm, accepted in zip(episode.arms, episode.accepted, strict=True):
        yield system, talk.question(), answer_in_words(TextAnswer(arm, stops=False))
        talk.take_in(arm, accepted)
    if horizon is None and episode.end == protocol.ANSWERED and talk.steps != steps:
        yield system, talk.question(), answer_in_words(TextAnswer(episode.answer, stops=True))


@users.lists_user_options()
def write_transcripts(
    path: Path | str,
    agent: Agent | str = "BAIR",
    *,
    task: Task | str = "bai",
    n_instances: int = N_TRANSCRIBED,
    seed: int = 0,
    delta: float = DELTA,
    horizon: int | None = None,
    max_steps: int | None = None,
    n_recent: int = N_RECENT,
    overwrite: bool = False,
    progress: bool | OnProgress = True,
    population: users.Population | None = None,
    **user: Unpack[users.UserOptions],
) -> int:
    """Write an agent's runs as training examples of a language model; return the number of lines.

    Each line is one step as JSON: `{"messages": [system, user, assistant]}`, with messages of the
    form `{"role": "system", "content": text}`. The users are those of `evaluate`. The texts are
    those of a `TextAgent` in this evaluation, so a model trained on this file acts as the agent.

    Args:
        path: the file, such as examples.jsonl.
        agent: an agent or its name; in "bai" an agent that stops by itself.
        task: "bai" or "regret".
        n_instances: number of users, at least 1.
        seed: the seed that determines all runs, at least 0.
        delta: allowed probability of a wrong answer, in (0, 1), for an agent without its own delta.
        horizon: in "regret" the number of steps, at least 1; None is 500.
        max_steps: in "bai" the step cap; None is the agent's cap, or else the setting's cap, or
            else 1,000,000.
        n_recent: number of last responses that a question lists, at least 0.
        overwrite: whether an existing file is replaced.
        progress: True shows a bar; a function is called with (task, done, total).
        population: the users, as a record; None makes the record from `user`.
        **user: the options of `Population`.

    Raises:
        InvalidArgumentError: if an argument is out of range.
        CallableError: if the agent's code fails.
    """
    options: dict[str, Any] = {"n_instances": n_instances, "seed": seed, "delta": delta}
    options |= {"horizon": horizon, "max_steps": max_steps, "task": protocol.single_user_task(task)}
    request = Request(population=users.population_of(population, user), **options)
    known = informed(agent, request.population, request.delta, request.max_steps)
    if protocol.needs_horizon(known) and not request.over_horizon:
        allowed = 'an agent that stops by itself, for the task "bai"'
        raise InvalidArgumentError("agent", name_of(known), allowed)
    how: dict[str, Any] = {"max_steps": request.cap_for(known), "horizon": request.horizon}
    shape = (request.population.n_arms, request.horizon, count("n_recent", n_recent, 0))
    facts = facts_of(request.population, request.cell_of(known))
    env, n_lines = environment_of(request.population, known), 0

    def write(place: Path) -> None:
        nonlocal n_lines
        with shown(progress) as report, place.open("w", encoding="utf-8") as file:
            for done, each in enumerate(request.seeds):
                report(f"transcripts of {name_of(known)}", done, len(request.seeds))
                episode = rollout(env, known, each, commits=request.over_horizon, **how)
                for texts in transcript_of(episode, *shape, facts):
                    file.write(json.dumps({"messages": messages(*texts)}) + "\n")
                    n_lines += 1

    write_file("path", Path(path), write, overwrite)
    return n_lines
