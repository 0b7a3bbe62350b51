"""Measure the steps per second of every path and of Gymnasium's CartPole on this machine.

The cases of a table alternate, round after round, and ratios are taken within a round, so that a
drift of the machine's speed affects all cases alike. The tables show medians. The script takes
about five minutes.
"""

import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import gymnasium as gym
import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import track
from rich.table import Table

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, EXP3, TrackAndStop, Uniform
from explorative_user_env.envs import BAI_COUNTS_ENV_ID, POPULATION_COUNTS_ENV_ID
from explorative_user_env.evaluation.paths import Runs
from explorative_user_env.seeding import agent_generator, user_generator, user_seeds
from explorative_user_env.users.population import Population

ROUNDS = 31
SINGLE_STEPS = 1000  # per round
VECTOR_STEPS = 100_000  # per round, over all environments
BATCH_STEPS = 1_000_000  # per round, about: so many that fixed costs are negligible
BATCH_RUNS = 10
ARMS = (2, 10, 100, 1000)  # the values of K in the table of growth
LONGEST = 1_000_000  # most steps in the table of growth
MOST_INSTANCES = 100_000  # most users in the table of growth
FRAMES = 50  # per round
SHORT_STEPS = 500
SHORT_RUNS = 20_000
COUNTS = (eu.COUNTS_ENV_ID, BAI_COUNTS_ENV_ID, POPULATION_COUNTS_ENV_ID)

Work = Callable[[], int]
"""Does the work of one round and returns its number of steps."""


def main() -> None:
    """Print all tables."""
    console = Console()
    single = turns("single environments", dict(single_environments()), ROUNDS)
    console.print(table_of(single, "CartPole-v1", "Single environment"))
    for n_envs in (8, 64, 1024, 4096):
        vector = turns(f"{n_envs} environments", dict(vector_environments(n_envs)), ROUNDS)
        console.print(table_of(vector, "CartPole-v1", f"Vector environment, {n_envs} lanes"))
    batches = turns("compiled batches", dict(compiled_batches()), max(ROUNDS // 4, 1))
    console.print(table_of(batches, "CartPole-v1, 4096 lanes", "Compiled batch, one worker"))
    short = turns("short runs", dict(short_runs()), max(ROUNDS // 4, 1))
    console.print(table_of(short, SET_UP, f"Runs of {SHORT_STEPS} steps, K = 5", "run"))
    frames = turns("pictures", dict(pictures()), max(ROUNDS // 4, 1))
    console.print(table_of(frames, "CartPole-v1", "Pictures", "frame"))
    console.print(growth())


def single_environments() -> Iterable[tuple[str, Work]]:
    """Yield single environments, unwrapped and as `gym.make` returns them."""
    for name, env in (
        ("CartPole-v1", gym.make("CartPole-v1").unwrapped),
        *((f"K = {k}", gym.make(eu.ENV_ID, n_arms=k).unwrapped) for k in (2, 5, 20, 100)),
        ("CartPole-v1, made", gym.make("CartPole-v1")),
        ("K = 5, made", gym.make(eu.ENV_ID)),
        *((name, gym.make(name)) for name in COUNTS),
    ):
        yield name, stepping(env)


def stepping(env: gym.Env[Any, Any]) -> Work:
    """Return the work of random actions in `env`, resets included."""
    actions = np.random.default_rng(0).integers(n_choices(env), size=SINGLE_STEPS).tolist()
    env.reset(seed=0)

    def work() -> int:
        env.reset()
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return len(actions)

    return work


def n_choices(env: Any) -> int:
    """Return the number of actions without answers, which end an episode."""
    user = getattr(env.unwrapped, "user", None)
    n_actions = getattr(env, "single_action_space", env.action_space).n
    return int(n_actions if user is None else user.n_arms)


def pictures() -> Iterable[tuple[str, Work]]:
    """Yield the rendering of CartPole and of our users, a frame per step."""
    yield "CartPole-v1", filming(gym.make("CartPole-v1", render_mode="rgb_array"))
    for k in (2, 5, 20, 100):
        for mode in ("rgb_array", "svg"):
            made: dict[str, Any] = {"n_arms": k, "render_mode": mode, "render_intervals": True}
            yield f"{mode}, K = {k}", filming(gym.make(eu.ENV_ID, **made))


def filming(env: gym.Env[Any, Any]) -> Work:
    """Return the work of rendering `env`, a frame per step, resets included."""
    n_actions = env.action_space.n  # type: ignore[attr-defined]
    actions = np.random.default_rng(0).integers(n_actions, size=FRAMES).tolist()

    def work() -> int:
        env.reset(seed=0)
        for action in actions:
            env.render()
            if env.step(action)[2]:
                env.reset()
        return len(actions)

    return work


def vector_environments(n_envs: int) -> Iterable[tuple[str, Work]]:
    """Yield the native vector environments of CartPole and of our users."""
    yield "CartPole-v1", vector_stepping("CartPole-v1", n_envs)
    for k in (2, 5, 20, 100):
        yield f"K = {k}", vector_stepping(eu.ENV_ID, n_envs, n_arms=k)
    for name in COUNTS:
        yield name, vector_stepping(name, n_envs)


def vector_stepping(env_id: str, n_envs: int, **kwargs: Any) -> Work:
    """Return the work of random actions in all lanes, autoresets included."""
    mode = "vector_entry_point"
    env: Any = gym.make_vec(env_id, n_envs, vectorization_mode=mode, **kwargs)
    shape = (max(VECTOR_STEPS // n_envs, 1), n_envs)
    actions = np.random.default_rng(0).integers(n_choices(env), size=shape)
    env.reset(seed=0)

    def work() -> int:
        for action in actions:
            env.step(action)
        return actions.size

    return work


def compiled_batches() -> Iterable[tuple[str, Work]]:
    """Yield long compiled runs of every agent, overheads included."""
    yield "CartPole-v1, 4096 lanes", vector_stepping("CartPole-v1", 4096)
    for k in (2, 5, 20, 100):
        yield f"UNI, K = {k}", running(Uniform(horizon=BATCH_STEPS // BATCH_RUNS), k, BATCH_RUNS)
        # This N_1 makes BAIR's Phase 1 as long as the other agents' runs.
        yield f"BAIR, K = {k}", running(BAIR(n1=BATCH_STEPS // BATCH_RUNS), k, BATCH_RUNS)
        yield f"EXP3, K = {k}", running(EXP3(horizon=BATCH_STEPS // BATCH_RUNS), k, BATCH_RUNS)
        runs = max(BATCH_STEPS // (400 * k), 1)
        yield f"T&S, K = {k}", running(TrackAndStop(delta=0.1), k, runs, setting="released")


SET_UP = "set-up by NumPy, user by user"


def short_runs() -> Iterable[tuple[str, Work]]:
    """Yield the set-up of runs, in NumPy and compiled, and complete short runs."""
    population, law = Population(), Population().instance_law
    seeds = user_seeds(0, SHORT_RUNS)
    agent = Uniform(horizon=SHORT_STEPS)

    def one_by_one() -> int:
        some = seeds[: SHORT_RUNS // 10]
        for seed in some:
            law.draw(user_generator(seed))
            agent_generator(seed, agent.name)
        return len(some)

    def at_once() -> int:
        return len(Runs(population, agent, 0).figures("compiled", seeds)["end"])

    yield SET_UP, one_by_one
    yield "set-up, many at once", at_once
    for workers in (1, 2):
        for task, options in (("bai", {}), ("regret", {"horizon": SHORT_STEPS})):
            uniform = agent if task == "bai" else Uniform()
            work = running(uniform, 5, SHORT_RUNS, task=task, workers=workers, **options)
            yield f"{task}, {workers} worker{'s' * (workers > 1)}", runs_of(work)


def runs_of(work: Work) -> Work:
    """Return the same work with its number of runs instead of steps."""

    def counted() -> int:
        work()
        return SHORT_RUNS

    return counted


def running(agent: eu.Agent, n_arms: int, n_instances: int, **kwargs: Any) -> Work:
    """Return the work of evaluating one agent; its steps are the interactions of all runs."""

    def work() -> int:
        results = eu.evaluate(
            [agent], n_arms=n_arms, n_instances=n_instances, progress=False, **kwargs
        )
        return int(results.runs.get("interactions", pd.Series(0)).sum())

    return work


def turns(what: str, works: Mapping[str, Work], rounds: int) -> dict[str, list[float]]:
    """Alternate the works; return each round's nanoseconds per step, without a warm-up round."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for round_ in track(range(rounds + 1), description=what, transient=True):
        for name, work in works.items():
            start = time.perf_counter()
            n_steps = work()
            if round_ > 0:
                times[name].append((time.perf_counter() - start) / n_steps * 1e9)
    return times


def table_of(
    times: Mapping[str, list[float]], reference: str, title: str, what: str = "step"
) -> Table:
    """Return a table of steps per second, with the speed as a multiple of the reference's."""
    table = Table("", f"ns a {what}", f"{what}s a second", f"x {reference}", title=title)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, mine in times.items():
        compared = times[f"{reference}, made"] if name.endswith("made") else times[reference]
        ratio = statistics.median(a / b for a, b in zip(compared, mine, strict=True))
        nanoseconds = statistics.median(mine)
        table.add_row(name, f"{nanoseconds:,.0f}", f"{1e9 / nanoseconds:,.0f}", f"{ratio:.1f}")
    return table


def growth() -> Table:
    """Return a table of UNI's time and memory for growing K, steps and runs."""
    table = Table("UNI", "seconds", "ns a step", "us a run", "peak MB", title="Growth")
    for column in table.columns[1:]:
        column.justify = "right"
    steps = [10**k for k in range(3, 7) if 10**k <= LONGEST]
    instances = [10**k for k in range(2, 6) if 10**k <= MOST_INSTANCES]
    cases = [
        *((f"K = {k}, 10 runs of 50,000 steps", k, 50_000, 10) for k in ARMS),
        *((f"{t:,} steps, K = 5, 10 runs", 5, t, 10) for t in steps),
        *((f"{n:,} runs of 500 steps, K = 5", 5, 500, n) for n in instances),
    ]
    for name, n_arms, n_steps, n_runs in track(cases, description="growth", transient=True):
        # Each case has a separate process, which measures its own peak memory.
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            seconds, peak = pool.submit(timed_run, n_arms, n_steps, n_runs).result()
        a_step, a_run = seconds / n_steps / n_runs * 1e9, seconds / n_runs * 1e6
        table.add_row(name, f"{seconds:.3f}", f"{a_step:,.1f}", f"{a_run:,.0f}", peak)
    return table


def timed_run(n_arms: int, n_steps: int, n_runs: int) -> tuple[float, str]:
    """Return the seconds of UNI's runs, without compilation, and the peak memory."""
    work = running(Uniform(horizon=n_steps), n_arms, n_runs)
    running(Uniform(horizon=1), n_arms, 1)()
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    try:
        import resource
    except ImportError:  # Windows does not report the peak memory
        return seconds, "?"
    return seconds, f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f}"


if __name__ == "__main__":
    main()
