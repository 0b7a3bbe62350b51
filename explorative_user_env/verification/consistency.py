"""Whether what a file says of its runs agrees with itself: this asks for no run."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from explorative_user_env.agents import AlgorithmAgent, agent_named
from explorative_user_env.evaluation.request import mean_time
from explorative_user_env.files import differences
from explorative_user_env.protocol import OF_MEMBERS, STEP_CAP, STEP_COST, needs_horizon
from explorative_user_env.results.records import digest, record_of
from explorative_user_env.seeding import user_seeds
from explorative_user_env.validation import one_line
from explorative_user_env.verification.claims import CellClaim, FileClaims
from explorative_user_env.verification.findings import Finding
from explorative_user_env.verification.suites import left_out_of_suite, suite_of

SEEDS_TRIED = 1000
"""Other seeds of a study that are tried, where users' seeds do not follow from its own."""

LONGEST_LIST = 60


def missing_in(claim: CellClaim) -> Iterator[Finding]:
    """Yield which runs of which agents are not there, or nobody asked for."""
    n_users = _number_of_users(claim)
    for agent in claim.agents:
        runs = claim.runs(agent)
        there = runs["instance"].to_numpy() if len(runs) else np.zeros(0, int)
        lacking = np.setdiff1d(np.arange(n_users), there)
        beyond = np.setdiff1d(there, np.arange(n_users))
        if len(lacking):
            which = "all" if len(lacking) == n_users else f"instances {_ranges(lacking)}"
            ended = "" if claim.finished else ", as it says itself: it is not finished"
            words = f"{claim.where(agent)}: {len(lacking)} of {n_users} runs are missing"
            yield Finding("missing", f"{words} ({which}){ended}", claim.cell, agent)
        if doubled := len(there) - len(np.unique(there)):
            words = f"{claim.where(agent)}: {doubled} runs are there more than once"
            yield Finding("missing", words, claim.cell, agent)
        if len(beyond):
            words = f"{claim.where(agent)}: nobody asked for instances {_ranges(beyond)}"
            yield Finding("missing", words, claim.cell, agent)


def _number_of_users(claim: CellClaim) -> int:
    """Return how many users each agent is to have met; with a width as many as anybody has."""
    most = int(claim.request["n_instances"])
    if "until_width" not in claim.told or claim.results is None:
        return most
    return min(most, int(claim.results.runs["instance"].max()) + 1)


def _ranges(numbers: Any) -> str:
    """Return whole numbers in words, those in a row as one."""
    breaks = np.flatnonzero(np.diff(numbers) > 1) + 1
    parts = [(int(each[0]), int(each[-1])) for each in np.split(numbers, breaks)]
    words = ", ".join(f"{first}" if first == last else f"{first}..{last}" for first, last in parts)
    return one_line(words, LONGEST_LIST)


def seeds_in(claim: CellClaim) -> Iterator[Finding]:
    """Yield whose users' seeds do not follow from the seed of the study."""
    seed = claim.told["seed"]
    for agent in claim.agents:
        runs = claim.runs(agent)
        if not len(runs):
            continue
        numbers, there = runs["instance"].to_numpy(), runs["user_seed"].tolist()
        expected = _seeds_of(seed, numbers)
        others = [place for place, own in enumerate(there) if own != expected[place]]
        if not others:
            continue
        first = others[0]
        words = f"{claim.where(agent)}: the user seeds of {len(others)} of {len(runs)} runs "
        words += f"do not follow from the study's seed {seed}"
        found = _seed_of(int(numbers[first]), there[first]) if len(others) > 1 else None
        words += (
            f"; they are those of seed {found}"
            if found is not None
            else (f" (instance {numbers[first]}: {there[first]}, not {expected[first]})")
        )
        instance = int(numbers[first])
        own = (agent, instance, "user_seed", there[first], expected[first])
        yield Finding("seed", words, claim.cell, *own)


def _seeds_of(seed: int, numbers: Any) -> list[int | None]:
    """Return the seeds of the users of these numbers, None for a number that none can have."""
    all_seeds = user_seeds(seed, int(numbers.max()) + 1) if numbers.max() >= 0 else []
    return [all_seeds[number] if number >= 0 else None for number in numbers.tolist()]


def _seed_of(instance: int, user_seed: int) -> int | None:
    """Return the seed of the study in which a user has this seed, if it is a small one."""
    if not 0 <= instance < SEEDS_TRIED:
        return None
    tried = range(SEEDS_TRIED)
    return next((each for each in tried if user_seeds(each, instance + 1)[-1] == user_seed), None)


def contradictions_in(claim: CellClaim) -> Iterator[Finding]:
    """Yield in what the parts of a file say different things of a cell."""
    told, results = claim.told, claim.results
    assert results is not None
    for name, now in record_of(_told_by_request(claim)).items():
        if told.get(name) != now:
            words = f"{name} is {told.get(name)} in what is told of the cell"
            words = f"{claim.where()}: {words} and {now} in what was asked for"
            yield Finding("request", words, claim.cell, there=told.get(name), here=now)
    for agent, part in claim.parts.items():
        record = claim.request["agents"].get(agent)
        asked = {"population": claim.request["population"], "record": record}
        asked |= {"seed": told["seed"], "horizon": _horizon(claim, agent)}
        asked |= {"cap": told["agents"].get(agent, {}).get("max_steps")}
        asked = {name: value for name, value in asked.items() if name in part}
        key = digest({"task": told["task"], "agent": agent, **part})
        others = [name for name, value in asked.items() if part[name] != value]
        if others or key != claim.keys[agent]:
            what = f" ({', '.join(others)})" if others else ""
            words = f"{claim.where(agent)}: its runs are kept as those of something else{what}"
            yield Finding("request", words, claim.cell, agent)
    yield from _deltas_in(claim)
    yield from _time_in(claim)


def _told_by_request(claim: CellClaim) -> dict[str, Any]:
    """Return what is to be told of a cell, by what was asked for."""
    told, asked, results = claim.told, claim.request, claim.results
    assert results is not None
    same = {name: asked.get(name, told[name]) for name in ("seed", "delta")}
    same |= {name: asked[name] for name in OF_MEMBERS if name in asked}
    for name, usual in (("step_cost", STEP_COST), ("max_steps", STEP_CAP)):
        if name in told and name in asked:
            same[name] = usual if asked[name] is None else asked[name]
    return {**same, **results.population.words()}


def _deltas_in(claim: CellClaim) -> Iterator[Finding]:
    """Yield whose delta, which its errors are held against, is not the one that it had."""
    results = claim.results
    assert results is not None
    for agent, delta in results.deltas.items():
        who = claim.who(agent)
        own = who.options.get("delta") if isinstance(who, AlgorithmAgent) else None
        asked = claim.told["delta"] if own is None else own
        if who is not None and delta != asked:
            words = f"delta is {delta} in what is told of it and it ran with {asked}"
            yield Finding("request", f"{claim.where(agent)}: {words}", claim.cell, agent)


def _horizon(claim: CellClaim, agent: str) -> int | None:
    """Return T as it is said of an agent: none of who stops by itself."""
    results, who = claim.results, claim.who(agent)
    assert results is not None
    told = results.over_horizon or (who is not None and needs_horizon(who))
    steps: int | None = results.cell["horizon"] if told else claim.parts[agent].get("horizon")
    return steps


def _time_in(claim: CellClaim) -> Iterator[Finding]:
    """Yield a T of the others that is not the mean time of the agent whose it is said to be."""
    results, source = claim.results, claim.request.get("told")
    assert results is not None
    steps = results.cell["horizon"]
    if results.over_horizon or not isinstance(source, str) or steps is None:
        return
    runs = claim.runs(source)
    if "until_width" not in claim.told and len(runs) == claim.request["n_instances"]:
        mean = mean_time(runs, results.population)
        if mean != steps:
            words = f"T is said to be {source}'s mean time: {steps} there, {mean} by its rows"
            yield Finding("request", f"{claim.where()}: {words}", claim.cell, source)


def left_out_of(claims: FileClaims) -> Iterator[Finding]:
    """Yield what a command was asked for and the file has not, of whole cells and agents."""
    command, options = claims.request.get("command"), claims.request.get("options", {})
    if command == "evaluate":
        here = {"options": claims.cells[0].request}
        for name, was, now in differences({"options": options}, here):
            words = f"{name} was asked for as {one_line(str(was))} and is told as "
            yield Finding("request", words + one_line(str(now)))
    elif command == "sweep":
        yield from _cells_of_a_sweep(claims, options["agents"])
    elif (run := suite_of(claims)) is not None:
        yield from left_out_of_suite(claims, run)
    elif command == "bench":
        names = [*claims.request["line-up"]["agents"]]
        there = {(cell.told.get("delta"), cell.told.get("n_arms")) for cell in claims.cells}
        deltas = options.get("delta") or sorted({delta for delta, _ in there})
        arms = options.get("n_arms") or sorted({n_arms for _, n_arms in there})
        for pair in product(deltas, arms):
            yield from _cell_left_out(claims, *pair, names)


def _cells_of_a_sweep(claims: FileClaims, asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the cells of a sweep that are not there; they are told by their words."""
    for words, agents in asked.items():
        names = [
            agent_named(each).name if isinstance(each, str) else each.get("name") for each in agents
        ]
        delta, n_arms = (float(word.partition("=")[2]) for word in words.split(" "))
        known = [each for each in names if each is not None]
        yield from _cell_left_out(claims, delta, int(n_arms), known)


def _cell_left_out(
    claims: FileClaims, delta: float, n_arms: int, agents: Sequence[str]
) -> Iterator[Finding]:
    """Yield that a cell, or an agent of it, was asked for and is not there."""
    cells = [
        cell
        for cell in claims.cells
        if f"{cell.told.get('delta', 0):g}" == f"{delta:g}" and cell.told.get("n_arms") == n_arms
    ]
    name = f"n_arms={n_arms} delta={delta:g}"
    if not cells:
        yield Finding("missing", f"the whole cell {name} is missing, which was asked for", name)
        return
    for agent in agents:
        if agent not in cells[0].agents:
            words = f"{agent}, {name}: all runs are missing, and it was asked for"
            yield Finding("missing", words, name, agent)
